"""Size limits: how much a file may make the checker read or keep at once.

A small file can ask for much memory and time. What meets a limit is refused with the name of the limit;
``--limit NAME=NUMBER``, or ``SEPARATRIX_LIMITS="NAME=NUMBER,..."`` in the environment, sets another value.
The library's ``verify`` reads certificates under the same limits, and has a table of its own for data files,
whose names are accepted here and mean nothing.
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
LIBRARY_LIMITS = ("model_bytes", "rows", "sparse_columns", "spooled_bytes", "text_bytes")


class LimitError(ValueError):
    """A limit that is unknown or has no value."""


@dataclass(frozen=True)
class Limits:
    """The largest sizes that are read.

    Attributes
    ----------
    certificate_bytes
        Bytes of a certificate.
    nesting
        Lists and objects inside each other in a certificate.
    digits
        Hexadecimal digits of a whole number. For 200 columns of any doubles, a determinant, and so a
        multiplier, has at most 110,000.
    line_bytes
        Bytes of a line of the data, or of a row whose quoted cells go over several lines.
    columns
        Columns of the data.
    label_characters
        Characters of a label.
    unpacked_bytes, ratio
        Gzip data is refused if a stretch of so many bytes comes from less than a ``ratio``-th of them.
    """

    certificate_bytes: int = 2**30
    nesting: int = 100
    digits: int = 250_000
    line_bytes: int = 6 * 2**20
    columns: int = 2**16
    label_characters: int = 10_000
    unpacked_bytes: int = 2**25
    ratio: int = 500

    def too_much(self, what: str, name: str, needed: int | None = None) -> str:
        """The sentence that refuses ``what`` (a file and how it is too large) because of a limit."""
        limit = getattr(self, name)
        value = 4 * limit if needed is None else needed
        return (
            f"{what}; the limit {name} is {limit:,}. If the file is sound, set {VARIABLE}={name}={value}, or "
            f"on the command line pass --limit {name}={value}."
        )


NAMES = tuple(sorted({item.name for item in fields(Limits)} | set(LIBRARY_LIMITS)))


def current() -> Limits:
    """The limits, as the environment sets them at this moment."""
    return from_text(os.environ.get(VARIABLE, ""))


@cache
def from_text(text: str) -> Limits:
    """The limits with those changed that ``text`` sets, as in ``columns=2000000,digits=400000``."""
    settings = dict(map(_pair, filter(str.strip, text.split(","))))
    return replace(
        Limits(), **{name: value for name, value in settings.items() if name not in LIBRARY_LIMITS}
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
    """Set limits, each ``NAME=NUMBER``, until the block ends."""
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
    """How many lists and objects of a JSON text lie inside each other."""
    if b"\\" in text:
        text = re.sub(rb"\\.", b"", text, flags=re.DOTALL)  # an escaped quotation mark ends no string
    marks = text.translate(None, delete=_OTHERS)
    steps = b"".join(marks.split(b'"')[::2]).translate(_STEPS)
    return max(accumulate(memoryview(steps).cast("b")), default=0)


_OTHERS = bytes(set(range(256)) - set(b'"[]{}'))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
