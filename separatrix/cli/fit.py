"""separatrix fit: train a model on labelled rows, verify its certificate, say what was proven."""

from __future__ import annotations

from typing import Any

import click

from separatrix.cli.data import DataFile, takes_data
from separatrix.cli.estimators import estimator, model_options
from separatrix.cli.output import require_writable, write
from separatrix.cli.progress import progress
from separatrix.cli.training import trained
from separatrix.cli.voice import Voice, in_options, speaking


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
@speaking
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
) -> None:
    """Train a model on DATA and say what was proven.

    DATA is a CSV, TSV, Parquet, Arrow, svmlight or NumPy file; '-' is standard input. Ends with 0 also when
    nothing was proven, and says so.

    \b
    separatrix fit iris.csv --label species --model perceptron -o model.json
    """
    voice = Voice(as_json=as_json, quiet=quiet)
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output: name a file for the model.")
    require_writable(output=output, certificate=certificate, figure=figure)
    chosen = estimator(model, parameters)
    with progress(voice) as shown:
        shown.tell(f"reading {data.data or 'the built-in set'}")
        rows, held_out = data.with_test(test, parameters.get("random_state") or 0)
        if certificate is not None:
            _require_one_certificate(rows, model)
        summary = trained(chosen, rows, shown, held_out)
        texts = _texts(chosen, summary, rows, output, certificate, figure)
    for path, content in texts.items():
        write(path, content)
    from separatrix.reports import json, text

    voice.say(in_options(text.render(summary, voice.width)))
    if not voice.talks:
        for note in summary.notes:
            voice.warn(note)
    written = [path for path in texts if path != "-"]
    if written:
        voice.say(f"\nWritten: {', '.join(written)}")
    voice.answer(json.to_dict(summary) | {"written": written})


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
    if figure is not None:
        from separatrix.reports.figures import outcome

        texts[figure] = outcome(summary, model, rows)
    return texts
