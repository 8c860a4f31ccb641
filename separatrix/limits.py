"""Size limits for data and model files.

A small file can ask for much memory and time: it unpacks to a thousand times its size, has a line without an
end, or states a shape that it does not hold. A reader that meets one of these limits refuses the file and
names the limit. ``SEPARATRIX_LIMITS="line_bytes=100000000,columns=2000000"`` in the environment sets other
values; on the command line ``--limit line_bytes=100000000`` does.

The independent checker has a table of its own, `separatrix.certificates.check.limits`, which also holds for
``verify``. Limits that both tables have are equal, and the variable sets them in both.

>>> from_text("columns=2000000").columns
2000000
>>> from_text("colums=7")
Traceback (most recent call last):
    ...
separatrix.limits.LimitError: 'colums=7' sets no limit. Write NAME=NUMBER with a name out of
certificate_bytes, columns, digits, label_characters, line_bytes, model_bytes, nesting, ratio, rows,
sparse_columns, spooled_bytes, text_bytes, unpacked_bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import accumulate
from typing import IO

VARIABLE = "SEPARATRIX_LIMITS"
CHECKER_LIMITS = ("certificate_bytes", "digits")  # limits of the checker's table alone


class LimitError(ValueError):
    """A limit that is unknown or has no value."""


@dataclass(frozen=True)
class Limits:
    """The largest sizes that are read.

    Attributes
    ----------
    line_bytes
        Bytes of a line of text, or of a CSV row whose quoted cells go over several lines. A dense row of
        240,000 numbers fits.
    columns
        Columns of a CSV, Parquet or Arrow file. PyArrow keeps 5 kB for each column of a CSV file.
    sparse_columns
        Columns of a svmlight file or a sparse matrix; a fit keeps several numbers for each.
    rows
        Rows that the header of a file states.
    unpacked_bytes, ratio
        What unpacks to more bytes than this, and to more than ``ratio`` times its packed size, is refused. Of
        gzip text every stretch of so many bytes is judged by itself. Gzip cannot exceed a ratio of 1,032;
        one-hot text reaches 30 to 400.
    text_bytes
        Bytes of an array of text, which NumPy makes as wide as its longest entry, four bytes a character.
    label_characters
        Characters of a label.
    spooled_bytes
        Bytes of standard input, or of an open file, that are kept in a temporary file.
    model_bytes
        Bytes of a model file.
    nesting
        Lists and objects inside each other in a JSON file.
    """

    line_bytes: int = 6 * 2**20
    columns: int = 2**16
    sparse_columns: int = 10**8
    rows: int = 10**10
    unpacked_bytes: int = 2**25
    ratio: int = 500
    text_bytes: int = 2**26
    label_characters: int = 10_000
    spooled_bytes: int = 2**38
    model_bytes: int = 2**30
    nesting: int = 100

    def too_much(self, what: str, name: str, needed: int | None = None) -> str:
        """The sentence that refuses ``what`` (a file and how it is too large) because of a limit.

        >>> Limits().too_much("wide.csv has 70,000 columns", "columns", 70_000).split(". ")
        ['wide.csv has 70,000 columns; the limit columns is 65,536',
         'If the file is sound, set SEPARATRIX_LIMITS=columns=70000, or on the command line pass
         --limit columns=70000.']
        """
        limit = getattr(self, name)
        value = 4 * limit if needed is None else needed
        return (
            f"{what}; the limit {name} is {limit:,}. If the file is sound, set {VARIABLE}={name}={value}, or "
            f"on the command line pass --limit {name}={value}."
        )

    def unpacks_too_far(self, packed: int, unpacked: int) -> bool:
        """Whether so many bytes are out of proportion to what they were unpacked from."""
        return unpacked > self.unpacked_bytes and unpacked > self.ratio * packed


NAMES = tuple(sorted({item.name for item in fields(Limits)} | set(CHECKER_LIMITS)))


def current() -> Limits:
    """The limits, as the environment sets them at this moment."""
    return from_text(os.environ.get(VARIABLE, ""))


@cache
def from_text(text: str) -> Limits:
    """The limits with those changed that ``text`` sets, as in ``columns=2000000,rows=10``."""
    settings = dict(map(_pair, filter(str.strip, text.split(","))))
    return replace(
        Limits(), **{name: value for name, value in settings.items() if name not in CHECKER_LIMITS}
    )


def _pair(text: str) -> tuple[str, int]:
    found = re.fullmatch(r"\s*([a-z_]+)\s*=\s*([0-9]{1,30})\s*", text)
    if found is None or found[1] not in NAMES:
        raise LimitError(
            f"{text[:60]!r} sets no limit. Write NAME=NUMBER with a name out of {', '.join(NAMES)}."
        )
    return found[1], int(found[2])


@contextmanager
def changed(settings: Sequence[str]) -> Iterator[None]:
    """Set limits, each ``NAME=NUMBER``, for this process and those it starts, until the block ends."""
    before = os.environ.get(VARIABLE, "")
    os.environ[VARIABLE] = ",".join([before, *settings])
    try:
        current()
        yield
    finally:
        os.environ[VARIABLE] = before


def content(file: IO[bytes], most: int) -> bytes:
    """What a file holds, up to ``most`` bytes and a little more; its `read` would make room for so many."""
    parts: list[bytes] = []
    while sum(map(len, parts)) <= most and (part := file.read(2**22)):
        parts.append(part)
    return b"".join(parts)


def depth(text: bytes) -> int:
    """How many lists and objects of a JSON text lie inside each other.

    >>> depth(b'{"a": [1, [2]], "b": "[[[[", "c": {}}')
    3
    """
    if b"\\" in text:
        text = re.sub(rb"\\.", b"", text, flags=re.DOTALL)  # an escaped quotation mark ends no string
    marks = text.translate(None, delete=_OTHERS)
    steps = b"".join(marks.split(b'"')[::2]).translate(_STEPS)
    return max(accumulate(memoryview(steps).cast("b")), default=0)


_OTHERS = bytes(set(range(256)) - set(b'"[]{}'))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
