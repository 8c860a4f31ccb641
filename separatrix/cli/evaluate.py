"""separatrix evaluate: how a model does on labelled rows."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import click

from separatrix.cli.console import Console, output_options
from separatrix.cli.data_options import FITTED, DataFile, name_of, read_text, takes_data
from separatrix.cli.predict import MEMORY_BYTES
from separatrix.cli.progress import progress


@click.command(short_help="Errors on labelled rows, with an exact interval.")
@click.argument("model_file", metavar="MODEL")
@takes_data(labelled=True)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="With which the interval holds the risk.",
)
@output_options
def evaluate(model_file: str, data: DataFile, confidence: float, as_json: bool, quiet: bool) -> None:
    """Predict the labelled rows of DATA with the model in MODEL and compare.

    Errors come with an exact binomial interval (Clopper and Pearson 1934) for the risk on new rows, unless
    these are the rows of the fit; then the table of labels and predictions, the area under the curve, and
    the log loss of a model that gives probabilities.

    \b
    separatrix evaluate model.json test.csv
    """
    console = Console(as_json=as_json, quiet=quiet)
    if model_file == "-" == data.data:
        raise click.UsageError("Standard input can be the model or the data, not both.")
    from separatrix.models import from_json
    from separatrix.reports import evaluation

    model = from_json(read_text(model_file), name=name_of(model_file))
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        rows = rows_for(model, data)
        shown.update(f"predicting {rows.n_rows:,} rows")
        seen = evaluation.evaluate(model, rows, confidence=confidence)
        if isinstance(seen, evaluation.RegressionEvaluation):
            seen = replace(seen, training=evaluation.trained_on(model, rows))
    console.write(evaluation.render(seen, console.width))
    console.write_json({"format": "separatrix-evaluation", "version": 1, **asdict(seen)})


def rows_for(model: Any, data: DataFile) -> Any:
    """Labelled rows with the columns of the model, made ready as the fit has them."""
    options: dict[str, Any] = {"memory": MEMORY_BYTES}
    if not hasattr(model, "classes_"):
        options["regression"] = True
    elif data.positive is None and _against_the_rest(model):
        options["positive"] = str(model.classes_[1])
    labels = [options]
    if data.label is None and (label := _label_of(model)) is not None:
        labels.insert(0, options | {"label": label})
    columns: list[dict[str, Any]] = [{}]
    names = getattr(model, "feature_names_in_", None)
    if hasattr(model, "preparation_"):
        known = model.preparation_
        columns = [{"preparation": known, "missing": data.missing or known.missing}]
    else:
        columns.insert(0, {"n_columns": model.n_features_in_})
        if names is not None:
            columns.insert(0, {"features": list(names)})
    attempts = [label | chosen for label in labels for chosen in columns]
    return data.rows_with(attempts, by_name=names is not None, reason=FITTED)


def _label_of(model: Any) -> str | None:
    """The column of labels of the fit, which its certificate knows."""
    certificate = getattr(model, "certificate_", None)
    first = certificate[0] if isinstance(certificate, tuple) else certificate
    return None if first is None else first.about.label


def _against_the_rest(model: Any) -> bool:
    classes = [str(label) for label in model.classes_]
    return len(classes) == 2 and classes[0] == f"not {classes[1]}"
