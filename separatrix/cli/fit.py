"""separatrix fit: train a model on labelled rows, verify its certificate, say what was proven."""

from __future__ import annotations

from typing import Any

import click

from separatrix.cli.console import Console, output_options, with_option_names
from separatrix.cli.data_options import DataFile, takes_data
from separatrix.cli.fit_with_progress import INTERRUPTED, fit_and_summarise
from separatrix.cli.model_options import REGRESSIONS, make_estimator, model_options
from separatrix.cli.output_files import STANDARD_OUTPUT, require_suffix, require_writable, write
from separatrix.cli.progress import progress

EXIT_INTERRUPTED = 130  # by an interrupt, with whole files all the same


@click.command(short_help="Train a model on labelled rows and say what was proven.")
@takes_data(labelled=True)
@model_options
@click.option(
    "--test",
    metavar="FILE|SHARE",
    help="Rows held out, in another file or as a share of these (0.2); their errors are told too.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the model here, as JSON; '-' is standard output.")
@click.option("--certificate", metavar="FILE", help="Write the certificate alone here.")
@click.option("--figure", metavar="FILE", help="Draw rows, boundary and mistakes here, as SVG.")
@output_options
def fit(
    data: DataFile,
    model: str,
    test: str | None,
    output: str | None,
    certificate: str | None,
    figure: str | None,
    as_json: bool,
    quiet: bool,
    **parameters: Any,
) -> int:
    """Train a model on DATA and say what was proven.

    DATA is a CSV, TSV, Parquet, Arrow, svmlight or NumPy file; '-' is standard input. Ends with 0 also when
    nothing was proven, and says so. Interrupted, zero-one keeps what it has proven so far.

    \b
    separatrix fit iris.csv --label species --model perceptron -o model.json
    """
    console = Console(as_json=as_json, quiet=quiet)
    outputs = {"output": output, "certificate": certificate, "figure": figure}
    for option, path in outputs.items():
        if as_json and path in STANDARD_OUTPUT:
            raise click.UsageError(f"--json and --{option} {path} both want standard output: name a file.")
    require_writable(**outputs, checkpoint=parameters["checkpoint"], read=[data.data, test])
    require_suffix("figure", figure, [".svg"])
    seed = parameters["random_state"]
    chosen = make_estimator(model, parameters, seeds=test is not None)
    regression = model in REGRESSIONS
    if regression and figure is not None and not isinstance(parameters["alpha"], list):
        raise click.UsageError(
            "--figure draws the boundary between classes; of a regression it draws the path of several "
            "penalties (--model ridge --alpha 0.1,1,10)."
        )
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        options = {"regression": True} if regression else {}
        rows, held_out = data.with_test(test, seed or 0, **options)
        if certificate is not None and not regression:
            _require_one_certificate(rows, model)
        summary = fit_and_summarise(chosen, rows, shown, held_out)
        texts = _texts(chosen, summary, rows, output, certificate, figure)
    for path, content in texts.items():
        write(path, content)
    rendered, record = _rendered(summary, console.width)
    console.write(with_option_names(rendered))
    if not console.verbose:
        for note in summary.notes:
            console.warn(note)
    written = [path for path in texts if path != "-"]
    if written:
        console.write(f"\nWritten: {', '.join(written)}")
    console.write_json(record | {"written": written})
    return EXIT_INTERRUPTED if INTERRUPTED in summary.notes else 0


def _rendered(summary: Any, width: int) -> tuple[str, dict[str, Any]]:
    """The outcome in words, and as JSON values."""
    from separatrix.reports import json, regression, text

    if isinstance(summary, regression.RegressionSummary):
        return regression.render(summary, width), regression.to_dict(summary)
    return text.render(summary, width), json.to_dict(summary)


def _require_one_certificate(rows: Any, model: str) -> None:
    rows.require_two_classes()
    if model == "voted":
        raise click.UsageError(
            "--certificate: a vote of halfspaces is no halfspace, so it has no certificate."
        )
    if len(rows.classes) > 2:
        raise click.UsageError(
            f"--certificate: {len(rows.classes)} classes have a certificate each; the model file (-o) holds "
            "them all, or choose one class with --positive."
        )


def _texts(
    model: Any, summary: Any, rows: Any, output: str | None, certificate: str | None, figure: str | None
) -> dict[str, str]:
    """What goes into each file: made before any is written, so that a failure leaves none."""
    texts = {}
    if output is not None:
        from separatrix.models import to_json

        texts[output] = to_json(model)
    if certificate is not None:
        texts[certificate] = model.certificate_.to_json()
    if figure is not None and hasattr(model, "path_"):
        from separatrix.reports.figures.ridge_path import path_figure

        texts[figure] = path_figure(model.path_, rows.columns)
    elif figure is not None:
        from separatrix.reports.figures import outcome

        texts[figure] = outcome(summary, model, rows)
    return texts
