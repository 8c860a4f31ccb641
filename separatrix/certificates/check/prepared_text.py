"""A CSV file read as its prepared rows: incomplete ones left out, categories as columns of 0 and 1.

A missing cell is empty, or of blanks alone; in a column of numbers it may also read NA or the like, and a
label is missing where it is empty. A category is the value that equals the cell, else the only value that
means the same as a label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from reprlib import repr as short

from .csv_text import Text, Unreadable
from .labels import MAX_EXACT_INTEGER, MISSING, NUMBER, TRUTH_VALUES, WHOLE, Label, meaning

BLANKS = " \t"


class PreparedText:
    """The rows that are left, as cells of the prepared columns and the label.

    ``values`` has for each column its categories, or None where it holds numbers; ``names`` are those of the
    prepared columns, ``measured`` says that the label is a real target.
    """

    def __init__(
        self,
        given: Text,
        header: list[str],
        values: dict[str, list[str] | None],
        names: list[str],
        label: str,
        drop: bool,
        measured: bool,
    ) -> None:
        self.path, self.limits, self.too_much = given.path, given.limits, given.too_much
        self.header = [*names, label]
        self._given, self._names, self._drop = given, header, drop
        self._label = header.index(label)
        self._places = [header.index(name) for name in values]
        found = {header.index(name): known for name, known in values.items()}
        self._categories = {j: Category(known) for j, known in found.items() if known is not None}
        self._numbers = [j for j in self._places if j not in self._categories]
        if measured:
            self._numbers.append(self._label)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The cells of each row that is left, with the number of its line; the header first."""
        rows = self._given.rows()
        yield next(rows)[0], self.header
        truths: list[int] | None = None
        for line, cells in rows:
            if len(cells) != len(self._names):
                raise Unreadable(f"{self.path}, line {line}: {len(cells)} cells, not {len(self._names)}.")
            if truths is None:
                truths = [j for j in self._numbers if cells[j].strip().lower() in ("true", "false")]
            missing = self._missing(cells)
            for j in truths:
                cells[j] = TRUTH_VALUES.get(cells[j].strip(BLANKS), "" if _is_missing(cells[j]) else "x")
            if missing is None:
                yield line, [*self._prepared(line, cells), cells[self._label]]
            elif not self._drop:
                raise Unreadable(
                    f"{self._cell(line, missing)}: the value is missing, and no row is left out."
                )
            else:
                self._require_numbers(line, cells)

    def _missing(self, cells: list[str]) -> int | None:
        """The first cell that is missing."""
        for j in self._numbers:
            if _is_missing(cells[j]):
                return j
        for j in self._categories:
            if not cells[j].strip(BLANKS):
                return j
        return self._label if self._drop and not cells[self._label] else None

    def _prepared(self, line: int, cells: list[str]) -> Iterator[str]:
        for j in self._places:
            if j not in self._categories:
                yield cells[j]
                continue
            found = self._categories[j].columns(cells[j])
            if found is None:
                raise Unreadable(
                    f"{self._cell(line, j)}: {short(cells[j])} is none of the categories of the certificate."
                )
            yield from found

    def _require_numbers(self, line: int, cells: list[str]) -> None:
        """In a row that is left out, too, a cell of a column of numbers is one, or missing."""
        for j in self._numbers:
            if _is_missing(cells[j]):
                continue
            if not NUMBER.fullmatch(cells[j]):
                raise Unreadable(f"{self._cell(line, j)}: this is neither a number nor missing.")
            found = WHOLE.fullmatch(cells[j])
            if found is not None and (len(found[2]) > 16 or int(found[2]) > MAX_EXACT_INTEGER):
                raise Unreadable(f"{self._cell(line, j)}: a whole number is beyond 2^53.")

    def _cell(self, line: int, place: int) -> str:
        return f"{self.path}, line {line}, column {short(self._names[place])}"


class Category:
    """The columns of 0 and 1 that a cell becomes."""

    def __init__(self, values: list[str]) -> None:
        self._first = 1 if len(values) == 2 else 0  # of two categories the first has no column
        self._width = len(values) - self._first
        counts = Counter(map(meaning, values))
        self._places = {value: place for place, value in enumerate(values)}
        self._by_meaning: dict[Label, int] = {
            meaning(value): place for value, place in self._places.items() if counts[meaning(value)] == 1
        }

    def columns(self, cell: str) -> list[str] | None:
        place = self._places.get(cell)
        if place is None:
            place = self._by_meaning.get(meaning(cell))
        if place is None:
            return None
        columns = ["0"] * self._width
        if place >= self._first:
            columns[place - self._first] = "1"
        return columns


def _is_missing(cell: str) -> bool:
    stripped = cell.strip(BLANKS)
    return not stripped or stripped.lower() in MISSING
