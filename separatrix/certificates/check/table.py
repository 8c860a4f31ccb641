"""The data: a CSV file with a header, read row by row as exact doubles and a sign.

Numbers are read by ``float()``, which rounds a decimal correctly. The label column is the one asked for, or
the one the certificate names, or the last; the features are those the certificate names, or all other
columns. Labels compare as numbers when both read as numbers, else as text.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import math
import re
import struct
from collections.abc import Collection, Iterator
from typing import IO

Label = str | int | float | bool


class Unreadable(Exception):
    """A file that cannot be read as what it should be; the message is one sentence."""


class Table:
    """Signed rows of a CSV file, to be walked as often as a claim needs."""

    def __init__(
        self, path: str, label: str | None, features: list[str] | None, positive: Label | None
    ) -> None:
        self.path = path
        with self._open() as file:
            self.header = next(self._lines(file), (1, []))[1]
        if len(self.header) < 2:
            raise Unreadable(f"{path} has no header with a feature and a label.")
        self._label = self._column(label) if label is not None else len(self.header) - 1
        self.label = self.header[self._label]
        if features is None:
            self._features = [j for j in range(len(self.header)) if j != self._label]
        else:
            self._features = [self._column(name) for name in features]
        self.columns = len(self._features)
        self.wanted: Collection[int] = ()
        self.kept: dict[int, tuple[list[float], int]] = {}
        self.positive = self._larger_label() if positive is None else positive

    def rows(self) -> Iterator[tuple[list[float], int]]:
        """Values and sign of each row, in order."""
        known: dict[str, int] = {}
        for line, cells in self._cells():
            label = cells[self._label]
            if label not in known:
                known[label] = 1 if same_label(label, self.positive) else -1
            try:
                values = list(map(float, map(cells.__getitem__, self._features)))
                finite = all(map(math.isfinite, values))
            except ValueError:
                finite = False
            if not finite:
                raise Unreadable(f"{self.path}, line {line}: a feature is not a finite number.")
            yield values, known[label]

    def survey(self, hashed: bool) -> tuple[int, bool, str]:
        """Number of rows, whether one is positive, and the digest of the data if asked for; rows that are
        ``wanted`` are kept on the way.

        The digest is SHA-256 over the rows, each as its values and its sign in little-endian doubles.
        """
        digest, n_rows, seen = hashlib.sha256(), 0, False
        form = struct.Struct(f"<{self.columns + 1}d")
        for values, sign in self.rows():
            if n_rows in self.wanted:
                self.kept[n_rows] = values, sign
            n_rows += 1
            seen = seen or sign > 0
            if hashed:
                digest.update(form.pack(*map((0.0).__add__, values), sign))  # 0.0 + -0.0 is 0.0
        return n_rows, seen, "sha256:" + digest.hexdigest()

    def _open(self) -> IO[str]:
        try:
            with open(self.path, "rb") as file:
                packed = file.read(2) == b"\x1f\x8b"
            if packed:
                return gzip.open(self.path, "rt", encoding="utf-8-sig", newline="")
            return open(self.path, encoding="utf-8-sig", newline="")
        except OSError as error:
            raise Unreadable(f"{self.path} cannot be read: {error.strerror}.") from None

    def _lines(self, file: IO[str]) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(file, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except (csv.Error, UnicodeDecodeError, EOFError, OSError) as error:
            raise Unreadable(f"{self.path}, after line {reader.line_num}: {error}.") from None

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        with self._open() as file:
            lines = self._lines(file)
            next(lines)
            for line, cells in lines:
                if len(cells) != len(self.header):
                    raise Unreadable(f"{self.path}, line {line}: {len(cells)} cells, not {len(self.header)}.")
                yield line, cells

    def _column(self, name: str) -> int:
        if self.header.count(name) != 1:
            raise Unreadable(f"{self.path} has {self.header.count(name) or 'no'} columns named {name!r}.")
        return self.header.index(name)

    def _larger_label(self) -> Label:
        labels: list[str] = []
        for _, cells in self._cells():
            label = cells[self._label]
            if not any(same_label(label, known) for known in labels):
                labels.append(label)
            if len(labels) > 2:
                raise Unreadable("The labels have more than two values, and none is said to be positive.")
        if len(labels) < 2:
            raise Unreadable("The labels have fewer than two values, and none is said to be positive.")
        numbers = [as_number(label) for label in labels]
        return max(labels) if None in numbers else max(labels, key=as_number)  # type: ignore[arg-type]


def as_number(label: Label) -> int | float | None:
    if isinstance(label, str):
        if not re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", label, re.ASCII):
            return None
        label = int(label) if label.strip().lstrip("+-").isdigit() else float(label)
    return label if isinstance(label, int) or math.isfinite(label) else None


def same_label(one: Label, other: Label) -> bool:
    first, second = as_number(one), as_number(other)
    if first is not None and second is not None:
        return first == second
    if isinstance(one, bool) or isinstance(other, bool):
        return str(one).lower() == str(other).lower()
    return str(one) == str(other)
