"""Numbers, counts and lines as a reader wants them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

NAME_CHARACTERS = 13
MAX_NAME_CHARACTERS = 40
ROUND_DOWN = Context(prec=4, rounding=ROUND_FLOOR)

Line = str | tuple[str, str]

# Control characters, line separators, changes of direction, and halves of characters: what a terminal acts
# on, and what makes a text look like another one.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def number(value: float) -> str:
    """Four digits."""
    return f"{value:.4g}"


def at_least(bound: float) -> str:
    """A bound from below: four digits, rounded down, so that it holds as it is written.

    >>> at_least(0.81758), at_least(1.0), number(0.81758)
    ('0.8175', '1', '0.8176')
    """
    if not math.isfinite(bound):
        return number(bound)
    return number(float(ROUND_DOWN.create_decimal(Decimal(bound))))


def counted(value: int) -> str:
    return f"{value:,}"


def at_most(bound: float) -> str:
    """A bound on a count: the largest whole number it allows, or four digits of it.

    >>> at_most(6733.56), at_most(1.5e20)
    ('6,733', '1.5e+20')
    """
    return f"{math.floor(bound):,}" if bound < 1e15 else number(bound)


def several(n: int | None, one: str, many: str | None = None) -> str:
    """
    >>> several(1, "row"), several(1200, "row"), several(2, "pass", "passes")
    ('1 row', '1,200 rows', '2 passes')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def printable(text: str, keep: str = "\n\t") -> str:
    r"""The text with its control characters spelled as in Python, so that no terminal acts on them.

    >>> print(printable("red \x1b[31m"))
    red \x1b[31m
    """
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1], text)


def all_rows(n: int) -> str:
    """
    >>> all_rows(1), all_rows(1200)
    ('the only row', 'all 1,200 rows')
    """
    return "the only row" if n == 1 else f"all {n:,} rows"


def named(label: Any) -> str:
    """A label, kept to one short line."""
    text = printable(" ".join(str(label).split())) or "(empty)"
    return text if len(text) <= MAX_NAME_CHARACTERS else text[: MAX_NAME_CHARACTERS - 1] + "…"


def wrap_lines(lines: Iterable[Line], width: int) -> str:
    """Lines of at most ``width`` characters, but for those of tables."""
    return "\n".join(piece for line in lines for piece in _wrap(line, width))


def _wrap(line: Line, width: int) -> list[str]:
    """A line wrapped, unless it is indented as in a table; a named one has its text beside the name."""
    if isinstance(line, str):
        return [line] if line[:1] in ("", " ") else textwrap.wrap(line, width, subsequent_indent="  ")
    name, text = line
    first = f"  {name:<{NAME_CHARACTERS}}  "
    rest = " " * len(first)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns side by side: the first and the last to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        cells = [
            cell.ljust(width) if place in (0, len(widths) - 1) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()
