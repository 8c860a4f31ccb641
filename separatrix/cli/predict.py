"""separatrix predict: labels and scores of new rows, in constant memory."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

import click

from separatrix.cli.data import DataFile, read_text, takes_data
from separatrix.cli.output import opened, require_writable
from separatrix.cli.progress import Progress, progress
from separatrix.cli.voice import Voice, speaking

MEMORY = 64 * 2**20


@click.command(short_help="Labels and scores of new rows, as CSV.")
@click.argument("model_file", metavar="MODEL")
@takes_data(labelled=False)
@click.option(
    "--output", "-o", metavar="FILE", help="Write the CSV here; '-', the default, is standard output."
)
@speaking
def predict(model_file: str, data: DataFile, output: str | None, as_json: bool, quiet: bool) -> None:
    """Predict a label and a score for each row of DATA with the model in MODEL.

    Columns are found by their names, where the model knows them; others are ignored. The answer is CSV, one
    line a row: the predicted label, and the score (with more than two classes one for each). With --json and
    no -o the object has the predictions in it.

    \b
    separatrix predict model.json new.csv -o predictions.csv
    """
    voice = Voice(as_json=as_json, quiet=quiet)
    if model_file == "-" == data.data:
        raise click.UsageError("Standard input can be the model or the data, not both.")
    require_writable(output=output)
    from separatrix.models import from_json

    target = None if output in (None, "-") else output
    if as_json and output == "-":
        raise click.UsageError("--json and -o - both want standard output.")
    model = from_json(read_text(model_file), name=model_file)
    with progress(voice) as shown:
        shown.tell(f"reading {data.data or 'the built-in set'}")
        rows = _rows(data, model)
        answers = _answers(model, rows, shown)
        if as_json and target is None:
            _write_object(model, answers)
            return
        with opened(target or "-") as file:
            counts = _write_table(file, model, answers)
    told = {str(label): counts[label] for label in model.classes_.tolist()}
    if target is not None:
        spread = ", ".join(f"{count:,} × {label}" for label, count in told.items())
        voice.say(f"Predicted {sum(told.values()):,} rows: {spread}.\nWritten: {target}")
    voice.answer(
        {
            "format": "separatrix-predictions",
            "version": 1,
            "rows": rows.n_rows,
            "counts": told,
            "written": target,
        }
    )


def _rows(data: DataFile, model: Any) -> Any:
    from separatrix import DataError

    if hasattr(model, "preparation_"):
        return data.rows(label=False, memory=MEMORY, preparation=model.preparation_)
    names = getattr(model, "feature_names_in_", None)
    attempts: list[dict[str, Any]] = [{"n_columns": model.n_features_in_}, {}]
    if names is not None:
        attempts.insert(0, {"features": list(names)})
    try:
        return data.rows_with(
            [{"label": False, "memory": MEMORY} | a for a in attempts], by_name=names is not None
        )
    except DataError as error:
        raise DataError(str(error).replace(" (features=)", ", which the model was fitted with")) from None


def _answers(model: Any, rows: Any, shown: Progress) -> Iterator[tuple[list[Any], list[Any]]]:
    """Labels and scores, a block of rows at a time."""
    from separatrix.reports.summary import rows_of

    for block in rows.blocks():
        scores = model.decision_function(rows_of(block, rows))
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        yield model.classes_[chosen].tolist(), scores.tolist()
        shown.tell(f"predicted {block.stop:,} of {rows.n_rows:,} rows")


def _write_table(file: IO[str], model: Any, answers: Iterator[tuple[list[Any], list[Any]]]) -> Counter[Any]:
    binary = len(model.classes_) == 2
    titles = ["score"] if binary else [f"score {label}" for label in model.classes_]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["prediction", *titles])
    counts: Counter[Any] = Counter()
    for labels, scores in answers:
        counts.update(labels)
        writer.writerows(
            zip(labels, scores, strict=True)
            if binary
            else ([label, *several] for label, several in zip(labels, scores, strict=True))
        )
    return counts


def _write_object(model: Any, answers: Iterator[tuple[list[Any], list[Any]]]) -> None:
    out = sys.stdout
    out.write('{\n "format": "separatrix-predictions",\n "version": 1,\n')
    out.write(f' "classes": {json.dumps(model.classes_.tolist(), ensure_ascii=False)},\n "predictions": [')
    between = ""
    for labels, scores in answers:
        for label, score in zip(labels, scores, strict=True):
            said = json.dumps({"prediction": label, "score": score}, ensure_ascii=False, allow_nan=False)
            out.write(f"{between}\n  {said}")
            between = ","
    out.write("\n ]\n}\n")
