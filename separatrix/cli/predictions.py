"""Predictions as a table, in the format that the name of the file asks for, a block of rows at a time."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
import pyarrow as pa

from separatrix.reports.formatting import printable
from separatrix.rows.files.formats import FORMATS

WRITTEN_FORMATS = ("csv", "tsv", "parquet", "arrow")
KINDS = {suffix: item.name for item in FORMATS if item.name in WRITTEN_FORMATS for suffix in item.suffixes}
del KINDS[".arrows"]  # of a stream: what is written is a file
DELIMITERS = {"csv": ",", "tsv": "\t"}
SUFFIXES = (*KINDS, ".gz", *(f"{suffix}.gz" for suffix, kind in KINDS.items() if kind in DELIMITERS))
SPECIAL = set(',\t"\r\n')
FORMULA = re.compile(r"'*[=+\-@\t\r]")  # how a cell begins that a spreadsheet computes
NUMBER = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def format_of(path: str) -> tuple[str, bool]:
    """The format by the suffix of a name, CSV where it tells none, and whether it is gzipped.

    >>> format_of("new.tsv.gz"), format_of("new.parquet"), format_of("new")
    (('tsv', True), ('parquet', False), ('csv', False))
    """
    lower = path.lower()
    gzipped = lower.endswith(".gz")
    lower = lower.removesuffix(".gz")
    kind = next((kind for suffix, kind in KINDS.items() if lower.endswith(suffix)), "csv")
    return kind, gzipped and kind in DELIMITERS


def safe_cell(label: str) -> str:
    """A label as a cell of CSV: text that a spreadsheet would compute has a quote before it, as is usual,
    and characters that a terminal would act on are spelled out. Numbers stay as they are.

    >>> [safe_cell(label) for label in ("ham", "-1.5", "=1+1", "'=1+1", "-x")]
    ['ham', '-1.5', "'=1+1", "''=1+1", "'-x"]
    """
    text = printable(label, keep="\n\r\t")
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def changed_labels(columns: PredictionColumns) -> list[tuple[str, str]]:
    """The labels that `safe_cell` changes, with what it makes of them."""
    labels = [] if columns.classes is None else columns.classes.tolist()
    return [(str(label), safe_cell(str(label))) for label in labels if safe_cell(str(label)) != str(label)]


class PredictionColumns:
    """The columns of the answers of a model: the prediction, its scores, and perhaps probabilities."""

    def __init__(self, model: Any, *, probabilities: bool) -> None:
        self._model, self._probabilities = model, probabilities
        self.classes = getattr(model, "classes_", None)
        self.counts = np.zeros(0 if self.classes is None else len(self.classes), np.int64)
        labels = [] if self.classes is None else self.classes.tolist()
        self.titles = ["prediction"]
        if len(labels) == 2:
            self.titles.append("score")
        self.titles += [f"score {label}" for label in labels if len(labels) > 2]
        self.titles += [f"probability {label}" for label in labels if probabilities]

    @np.errstate(over="ignore", invalid="ignore")
    def of(self, rows: Any) -> tuple[Any, list[np.ndarray]]:
        """Places among the classes (of a regression: predictions), and the columns of numbers after them.

        A score that overflows is infinite, and has its side all the same.
        """
        if self.classes is None:
            return self._model.predict(rows), []
        scores = self._model.decision_function(rows)
        places = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        self.counts += np.bincount(places, minlength=len(self.counts))
        numbers = [scores] if scores.ndim == 1 else list(scores.T)
        if self._probabilities:
            numbers += list(self._model.predict_proba(rows).T)
        return places, [np.ascontiguousarray(column) for column in numbers]

    def batch(self, rows: Any, labels: Any) -> Any:
        """The answers as a record batch, the predictions taken from ``labels``."""
        places, numbers = self.of(rows)
        first = pa.array(places) if labels is None else labels.take(pa.array(places))
        return pa.RecordBatch.from_arrays([first, *map(pa.array, numbers)], names=self.titles)


def write_table(file: IO[bytes], kind: str, columns: PredictionColumns, blocks: Iterator[Any]) -> None:
    """The whole table, in the format ``kind``."""
    labels = None if columns.classes is None else columns.classes.tolist()
    written = kind in DELIMITERS
    taken = (
        None
        if labels is None
        else pa.array([safe_cell(str(label)) for label in labels] if written else labels)
    )
    if not written:
        numbers = [(title, pa.float64()) for title in columns.titles[1:]]
        schema = pa.schema([("prediction", pa.float64() if taken is None else taken.type), *numbers])
        with _writer(file, kind, schema) as writer:
            for rows in blocks:
                writer.write_batch(columns.batch(rows, taken))
        return
    from pyarrow import csv

    titles = [printable(title, keep="\n\r\t") for title in columns.titles]
    texts = [*titles, *([] if taken is None else taken.to_pylist())]
    quoted = any(SPECIAL & set(text) for text in texts)
    options = csv.WriteOptions(
        include_header=False, delimiter=DELIMITERS[kind], quoting_style="needed" if quoted else "none"
    )
    file.write(_line(titles, DELIMITERS[kind], quoted))
    for rows in blocks:
        sink = pa.BufferOutputStream()
        csv.write_csv(columns.batch(rows, taken), sink, options)
        file.write(sink.getvalue())


def _line(titles: Sequence[str], delimiter: str, quoted: bool) -> bytes:
    fields = ['"' + title.replace('"', '""') + '"' if quoted else title for title in titles]
    return (delimiter.join(fields) + "\n").encode()


def _writer(file: IO[bytes], kind: str, schema: Any) -> Any:
    if kind == "parquet":
        from pyarrow import parquet

        return parquet.ParquetWriter(file, schema)
    return pa.ipc.new_file(file, schema)


@contextmanager
def compressed(file: IO[bytes], gzipped: bool) -> Iterator[Any]:
    """The file, through gzip where its name says so; the time is left out, so that a run can be repeated."""
    if not gzipped:
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as stream:
        yield stream
