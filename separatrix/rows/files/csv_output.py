"""Labelled rows as the text of a CSV file: the prepared columns, then the label."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.rows.block import Block, Csr
from separatrix.rows.rows import Rows


def csv_of(rows: Rows) -> Iterator[str]:
    """The line of names, then the rows of each block. Every number reads back to the same double.

    >>> from separatrix.rows import as_rows
    >>> print("".join(csv_of(as_rows([[0.1, 2.0], [1e300, -1.0]], ["no", "yes"]))), end="")
    x1,x2,label
    0.1,2,no
    1e+300,-1,yes
    """
    if not rows.has_targets:
        rows.require_labels()
    names = rows.columns or tuple(f"x{number + 1}" for number in range(rows.n_columns))
    yield _lines([[*names, rows.label or "label"]])
    labels = None if rows.classes is None else [_label_text(label) for label in rows.classes.tolist()]
    yield from rows.each(CsvLines(labels))


@dataclass(frozen=True)
class CsvLines:
    """A term: the lines of a block."""

    labels: list[str] | None

    def __call__(self, block: Block) -> str:
        if self.labels is None:
            ends = list(map(_number_text, np.asarray(block.targets, float).tolist()))
        else:
            ends = [self.labels[code] for code in np.asarray(block.codes).tolist()]
        return _lines([*cells, end] for cells, end in zip(_cells(block), ends, strict=True))


def _cells(block: Block) -> Iterator[list[str]]:
    X = block.X
    if not isinstance(X, Csr):
        for row in np.asarray(X, float).tolist():
            yield list(map(_number_text, row))
        return
    for start, stop in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        cells = ["0"] * block.n_columns
        for column, value in zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True):
            cells[column] = _number_text(float(value))
        yield cells


def _lines(lines: Any) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _number_text(value: float) -> str:
    return repr(value).removesuffix(".0")


def _label_text(label: Any) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)
