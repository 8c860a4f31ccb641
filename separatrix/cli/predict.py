"""separatrix predict: labels and scores of new rows, in constant memory."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import click

from separatrix.cli.console import Console, output_options, plain_json
from separatrix.cli.data_options import FITTED, DataFile, name_of, read_text, takes_data
from separatrix.cli.output_files import STANDARD_OUTPUT, open_output, require_suffix, require_writable
from separatrix.cli.progress import ProgressDisplay, progress

MEMORY_BYTES = 64 * 2**20


@click.command(short_help="Labels and scores of new rows.")
@click.argument("model_file", metavar="MODEL")
@takes_data(labelled=False)
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="Write the predictions here, as CSV, TSV (both also .gz), Parquet or Arrow by the suffix; '-', the "
    "default, is standard output.",
)
@click.option("--proba", is_flag=True, help="Probabilities too, of a model that gives them.")
@output_options
def predict(
    model_file: str, data: DataFile, output: str | None, proba: bool, as_json: bool, quiet: bool
) -> None:
    """Predict a label and a score for each row of DATA with the model in MODEL.

    Columns are found by their names, where the model knows them; others are ignored. The answer has one line
    a row: the predicted label, and the score (with more than two classes one for each); of a regression the
    number alone. With --json and no -o the object has the predictions in it.

    \b
    separatrix predict model.json new.csv -o predictions.csv
    """
    console = Console(as_json=as_json, quiet=quiet)
    if model_file == "-" == data.data:
        raise click.UsageError("Standard input can be the model or the data, not both.")
    require_writable(output=output, read=[model_file, data.data])
    target = None if output in (None, *STANDARD_OUTPUT) else output
    if as_json and output in STANDARD_OUTPUT:
        raise click.UsageError(f"--json and -o {output} both want standard output.")
    from separatrix.cli import predictions
    from separatrix.models import from_json

    require_suffix("output", output, predictions.SUFFIXES)
    model = from_json(read_text(model_file), name=name_of(model_file))
    if proba and not hasattr(model, "predict_proba"):
        raise click.UsageError(
            f"--proba: a {type(model).__name__} gives no probabilities; a logistic model does."
        )
    columns = predictions.PredictionColumns(model, probabilities=proba)
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        rows = _rows(data, model)
        blocks = _blocks(rows, shown)
        if target is None:
            # A row that cannot be read may come late: nothing is said before all of them are.
            with tempfile.TemporaryFile(prefix="separatrix-") as kept:
                if as_json:
                    _write_object(kept, columns, blocks)
                else:
                    predictions.write_table(kept, "csv", columns, blocks)
                    _warn_changed(console, predictions.changed_labels(columns))
                _copy(kept)
            return
        kind, gzipped = predictions.format_of(target)
        with open_output(target, binary=True) as file, predictions.compressed(file, gzipped) as stream:
            predictions.write_table(stream, kind, columns, blocks)
        if kind in predictions.DELIMITERS:
            _warn_changed(console, predictions.changed_labels(columns))
    labels = [] if columns.classes is None else columns.classes.tolist()
    counts = {str(label): count for label, count in zip(labels, columns.counts.tolist(), strict=True)}
    spread = ", ".join(f"{count:,} × {label}" for label, count in counts.items())
    from separatrix.reports.formatting import several

    console.write(
        f"Predicted {several(rows.n_rows, 'row')}{f': {spread}' if counts else ''}.\nWritten: {target}"
    )
    console.write_json(
        {
            "format": "separatrix-predictions",
            "version": 1,
            "rows": rows.n_rows,
            "counts": counts or None,
            "written": target,
        }
    )


def _warn_changed(console: Console, changed: list[tuple[str, str]]) -> None:
    if changed:
        label, cell = changed[0]
        more = f", and {len(changed) - 1} more labels likewise" if len(changed) > 1 else ""
        console.warn(
            f"the label {label!r} is written as {cell!r}{more}, so that no spreadsheet or terminal acts on "
            "it; Parquet, Arrow and --json have labels as they are."
        )


def _rows(data: DataFile, model: Any) -> Any:
    options: dict[str, Any] = {"label": False, "memory": MEMORY_BYTES, "once": True}
    if data.demo and not hasattr(model, "classes_"):
        options["regression"] = True
    if hasattr(model, "preparation_"):
        return data.rows(**options, preparation=model.preparation_)
    names = getattr(model, "feature_names_in_", None)
    attempts: list[dict[str, Any]] = [{"n_columns": model.n_features_in_}, {}]
    if names is not None:
        attempts.insert(0, {"features": list(names)})
    return data.rows_with([options | a for a in attempts], by_name=names is not None, reason=FITTED)


def _blocks(rows: Any, shown: ProgressDisplay) -> Iterator[Any]:
    """The rows, a block at a time."""
    from separatrix.rows.memory import Unlabelled

    done = 0
    for part in rows.each(Unlabelled(rows.columns)):
        yield part
        done += part.n_rows
        shown.update(f"predicted {done:,} rows")


def _write_object(file: IO[bytes], columns: Any, blocks: Iterator[Any]) -> None:
    from separatrix.reports.json import finite

    labels = None if columns.classes is None else columns.classes.tolist()
    several = labels is not None and len(labels) > 2
    scores = 0 if labels is None else len(labels) if several else 1
    file.write(b'{\n "format": "separatrix-predictions",\n "version": 1,\n')
    file.write(f' "classes": {plain_json(labels)},\n "predictions": ['.encode())
    between = ""
    for rows in blocks:
        places, numbers = columns.of(rows)
        lines = zip(*(column.tolist() for column in numbers), strict=True) if numbers else ()
        found = places.tolist()
        for place, line in zip(found, lines or [()] * len(found), strict=True):
            record: dict[str, Any] = {"prediction": place if labels is None else labels[place]}
            if scores:
                record["score"] = list(line[:scores]) if several else line[0]
            if len(line) > scores:
                record["probabilities"] = list(line[scores:])
            file.write(f"{between}\n  {plain_json(finite(record))}".encode())
            between = ","
    file.write(b"\n ]\n}\n")


def _copy(kept: IO[bytes]) -> None:
    sys.stdout.flush()
    kept.seek(0)
    shutil.copyfileobj(kept, sys.stdout.buffer, 2**20)
    sys.stdout.buffer.flush()
