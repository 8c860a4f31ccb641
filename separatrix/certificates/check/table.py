"""The data: a CSV file with a header, read row by row as exact doubles and a sign.

A number is written in ASCII digits, with or without a sign, a point and an exponent; spaces and tabs may
surround it. ``float()`` rounds it to the nearest double; a whole number beyond 2^53 is refused. A column that
begins with ``true`` or ``false`` holds truth values, 1 and 0. The label column is the one asked for, or the
one the certificate names, or the one called ``label``, ``y``, ``target`` or ``class``, or the last; the
features are those the certificate names, or all other columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from reprlib import repr as short

from .csv_text import Text, Unreadable
from .hash_tree import HashTree
from .labels import WHOLE, Label, ambiguity, as_number, larger, meaning

__all__ = ["Table", "Unreadable"]

MAX_EXACT_INTEGER = 1 << 53  # every whole number up to here is a double
NOT_NUMERIC = re.compile(r"[^0-9eE+\-., \t]")
LABEL_NAMES = ("label", "y", "target", "class")  # names of a label column that is not said
TRUTH = {name: names[0] for names in ("0 false False FALSE", "1 true True TRUE") for name in names.split()}


class Table:
    """Signed rows of a CSV file, to be walked as often as a claim needs."""

    def __init__(
        self, path: str, label: str | None, features: list[str] | None, positive: Label | None
    ) -> None:
        self.path, self._text = path, Text(path)
        self.header = next(self._text.rows(), (1, []))[1]
        if len(self.header) < 2:
            raise Unreadable(f"{path} has no header with a feature and a label.")
        if len(self.header) > self._text.limits.columns:
            raise self._text.too_much(f"has {len(self.header):,} columns", "columns", len(self.header))
        if label is None and features is None and None not in map(as_number, self.header):
            raise Unreadable(f"{path} begins with numbers, not with column names; add a line of names.")
        self._places = {name: j for j, name in enumerate(self.header)}
        if len(self._places) < len(self.header):
            twice = next(name for j, name in enumerate(self.header) if self._places[name] != j)
            raise Unreadable(f"{path} has more than one column called {short(twice)}.")
        default = next((name for name in LABEL_NAMES if name in self._places), self.header[-1])
        self._label = self._column(default if label is None else label)
        self.label = self.header[self._label]
        if features is None:
            self._features = [j for j in range(len(self.header)) if j != self._label]
        else:
            self._features = [self._column(name) for name in features]
        if "" in (self.header[j] for j in self._features):
            raise Unreadable(
                f"{path}: column {self.header.index('') + 1} has no name; name it or leave it out."
            )
        self.columns = len(self._features)
        self._truths: set[int] | None = None
        self.wanted: Collection[int] = ()
        self.kept: dict[int, tuple[list[float], int]] = {}
        self.positive = self._larger_label() if positive is None else positive

    def rows(self) -> Iterator[tuple[list[float], int]]:
        """Values and sign of each row, in order."""
        known: dict[str, int] = {}
        positive = meaning(self.positive)
        for line, cells in self._cells():
            label = cells[self._label]
            if label not in known:
                if not label:
                    raise Unreadable(f"{self.path}, line {line}: the label is missing.")
                self._require_short(label, line)
                known[label] = 1 if meaning(label) == positive else -1
            yield self._numbers(line, cells, self._features), known[label]
        self._require_clear(known)

    def _numbers(self, line: int, cells: list[str], columns: Sequence[int]) -> list[float]:
        if self._truths is None:
            self._truths = {j for j in columns if cells[j].strip().lower() in ("true", "false")}
        texts = [cells[j] for j in columns]
        try:
            if self._truths:
                texts = [TRUTH[t] if j in self._truths else t for j, t in zip(columns, texts, strict=True)]
            if NOT_NUMERIC.search(",".join(texts)):
                raise ValueError
            values = list(map(float, texts))
        except (KeyError, ValueError):
            raise Unreadable(f"{self.path}, line {line}: a feature is not a finite number.") from None
        largest = max(map(abs, values))
        if not largest < math.inf:
            raise Unreadable(f"{self.path}, line {line}: a feature is not a finite number.")
        if largest >= MAX_EXACT_INTEGER:
            for text in texts:
                whole = WHOLE.fullmatch(text)
                if whole is not None and int(whole[2]) > MAX_EXACT_INTEGER:
                    raise Unreadable(f"{self.path}, line {line}: a whole number is beyond 2^53.")
        return values

    def _require_clear(self, labels: Collection[str]) -> None:
        fault = ambiguity(labels)
        if fault is not None:
            raise Unreadable(f"{self.path}: {fault}.")

    def labelled(self) -> Iterator[tuple[list[float], str]]:
        """Values and label of each row, in order."""
        for (values, _), (_, cells) in zip(self.rows(), self._cells(), strict=True):
            yield values, cells[self._label]

    def count_and_leaves(self, hashed: bool) -> tuple[int, bool, list[bytes]]:
        """Number of rows, whether one is positive, and the leaves of the hash tree if asked for; rows that
        are ``wanted`` are kept on the way."""
        tree, n_rows, seen = HashTree(), 0, False
        for values, sign in self.rows():
            if n_rows in self.wanted:
                self.kept[n_rows] = values, sign
            n_rows += 1
            seen = seen or sign > 0
            if hashed:
                tree.add(values, sign)
        return n_rows, seen, tree.leaves()

    def _require_short(self, label: str, line: int) -> None:
        if len(label) > self._text.limits.label_characters:
            what = f"has a label of {len(label):,} characters on line {line:,}"
            raise self._text.too_much(what, "label_characters", len(label))

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        rows = self._text.rows()
        next(rows)
        for line, cells in rows:
            if len(cells) != len(self.header):
                raise Unreadable(f"{self.path}, line {line}: {len(cells)} cells, not {len(self.header)}.")
            yield line, cells

    def _column(self, name: str) -> int:
        if name not in self._places:
            raise Unreadable(f"{self.path} has no column named {short(name)}.")
        return self._places[name]

    def _larger_label(self) -> Label:
        labels: dict[str, int | float | str] = {}
        for line, cells in self._cells():
            label = cells[self._label]
            if label not in labels:
                self._require_short(label, line)
                labels[label] = meaning(label)
            if len(set(labels.values())) > 2:
                raise Unreadable("The labels have more than two values, and none is said to be positive.")
        self._require_clear(labels)
        two = {value: text for text, value in labels.items()}
        if len(two) < 2:
            raise Unreadable("The labels have fewer than two values, and none is said to be positive.")
        return larger(*two.values())
