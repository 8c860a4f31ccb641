"""separatrix bound: theory's numbers, with what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from separatrix.cli.console import Console, output_options

if TYPE_CHECKING:
    from separatrix.bounds import Bound

COUNT = click.IntRange(min=0)
POSITIVE_COUNT = click.IntRange(min=1)
RATE = click.FloatRange(0, 1, min_open=True, max_open=True)
POSITIVE = click.FloatRange(0, min_open=True)


@click.group(subcommand_metavar="QUESTION ...", short_help="What the theory promises, in numbers.")
def bound() -> None:
    """Evaluate a theorem: each number comes with its assumptions and its source.

    \b
    separatrix bound mistakes --radius 5 --margin 0.3
    separatrix bound sample-size --epsilon 0.1 --delta 0.05 --dimension 3
    separatrix bound risk --errors 3 --rows 200
    separatrix bound dichotomies --rows 10 --columns 2
    """


@bound.command()
@click.option("--radius", type=POSITIVE, required=True, help="R, the length of the longest row.")
@click.option("--margin", type=POSITIVE, required=True, help="The margin of the same rows.")
@output_options
def mistakes(radius: float, margin: float, as_json: bool, quiet: bool) -> None:
    """How many mistakes a perceptron makes at most on separable rows (Novikoff 1962)."""
    from separatrix import bounds

    _report([bounds.novikoff(radius, margin)], as_json=as_json, quiet=quiet)


@bound.command("sample-size")
@click.option("--epsilon", type=RATE, required=True, help="How much risk beyond the best is allowed.")
@click.option("--delta", type=RATE, required=True, help="How often the promise may fail.")
@click.option(
    "--dimension",
    type=POSITIVE_COUNT,
    required=True,
    help="The VC dimension: columns + 1, with an intercept.",
)
@click.option("--agnostic", is_flag=True, help="No halfspace need be perfect.")
@output_options
def sample_size(
    epsilon: float, delta: float, dimension: int, agnostic: bool, as_json: bool, quiet: bool
) -> None:
    """How many rows are enough to learn, by each published bound."""
    from separatrix.bounds import SAMPLE_SIZES

    fitting = [size for size in SAMPLE_SIZES.values() if size.realizable is not agnostic]
    found = sorted(size.bound(epsilon, delta, dimension) for size in fitting)
    _report(found, as_json=as_json, quiet=quiet)


@bound.command()
@click.option("--errors", type=COUNT, required=True, help="On rows that the model has not seen.")
@click.option("--rows", type=POSITIVE_COUNT, required=True, help="How many such rows there were.")
@click.option("--delta", type=RATE, default=0.05, show_default=True, help="How often the promise may fail.")
@output_options
def risk(errors: int, rows: int, delta: float, as_json: bool, quiet: bool) -> None:
    """What errors on held-out rows say about the risk."""
    if errors > rows:
        raise click.UsageError(f"--errors {errors}: there were only {rows} rows.")
    from separatrix import bounds

    found = [bounds.clopper_pearson(errors, rows, delta), bounds.hoeffding(errors, rows, delta)]
    _report(found, as_json=as_json, quiet=quiet)


@bound.command()
@click.option("--rows", type=POSITIVE_COUNT, required=True, help="How many points there are.")
@click.option("--columns", type=POSITIVE_COUNT, required=True, help="In how many dimensions.")
@click.option("--no-intercept", is_flag=True, help="Hyperplanes through the origin.")
@output_options
def dichotomies(rows: int, columns: int, no_intercept: bool, as_json: bool, quiet: bool) -> None:
    """How many labellings of points in general position a hyperplane can make (Cover 1965)."""
    from separatrix import bounds

    console = Console(as_json=as_json, quiet=quiet)
    through = not no_intercept
    count = bounds.dichotomies(rows, columns, through)
    probability = bounds.separability_probability(rows, columns, through)
    dimension = bounds.vc_dimension(columns, through)
    shown = f"{count:,}" if count < 10**15 else f"about {count:.4g}" if count < 10**300 else "over 10^300"
    console.write(
        f"{shown} of the 2^{rows} labellings of {rows:,} points in general position can be made by a "
        f"hyperplane in {columns:,} dimensions (Cover 1965).\nA labelling by coin tosses can be made with "
        f"probability {f'{probability:.6g}' if probability else 'below 1e-300'}; the VC dimension is "
        f"{dimension:,}."
    )
    console.write_json(
        {
            "format": "separatrix-bound",
            "version": 1,
            "dichotomies": str(count),
            "separability_probability": probability,
            "vc_dimension": dimension,
        }
    )


def _report(found: Sequence[Bound], *, as_json: bool, quiet: bool) -> None:
    console = Console(as_json=as_json, quiet=quiet)
    for place, one in enumerate(found):
        console.write(("\n" if place else "") + str(one))
        for assumption in one.assumptions:
            console.write(f"  given: {assumption}")
        console.write(f"  source: {one.source}")
    console.write_json(
        {"format": "separatrix-bound", "version": 1, "bounds": [_record(one) for one in found]}
    )


def _record(one: Bound) -> dict[str, Any]:
    import math

    return {
        "name": one.name,
        "quantity": one.quantity,
        "value": one.value if math.isfinite(one.value) else None,
        "kind": one.kind,
        "delta": one.delta,
        "vacuous": one.vacuous,
        "assumptions": list(one.assumptions),
        "source": one.source,
    }
