"""One column of a file, and the columns of numbers it becomes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, ClassVar

import numpy as np

MOST_HASHED = 2**24  # columns for the words of one text
WORD = re.compile(r"\w+")
Pairs = list[tuple[int, float]]  # places among the columns that come out, and values; ascending


@dataclass(frozen=True)
class Column:
    """A column as it stands in the file; ``name`` is its name there."""

    kind: ClassVar[str]
    name: str

    def require_sound(self) -> None:
        """ValueError if a field is not of its type, as a file may have it."""
        if not isinstance(self.name, str):
            raise ValueError("the name of a column is no text")
        if not self._sound():
            raise ValueError(f"what it says of the column {self.name!r} makes no sense")

    def _sound(self) -> bool:
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it becomes."""
        raise NotImplementedError

    def pairs(self, value: Any) -> Pairs:
        """The values other than 0 that one cell becomes; KeyError for what the fit has not seen."""
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Column):
    """A number: missing ones become ``fill``, then (value − shift)/scale."""

    kind = "number"
    fill: float | None = None
    shift: float = 0.0
    scale: float = 1.0

    def _sound(self) -> bool:
        return (
            (self.fill is None or _finite(self.fill)) and _finite(self.shift, self.scale) and self.scale > 0
        )

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def plain(self) -> bool:
        return self.fill is None and self.shift == 0.0 and self.scale == 1.0

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Values with NaN where one is missing, made ready."""
        if self.fill is not None:
            values = np.where(np.isnan(values), self.fill, values)
        return values if self.shift == 0.0 and self.scale == 1.0 else (values - self.shift) / self.scale

    def pairs(self, value: Any) -> Pairs:
        number = float(self.scaled(np.array([np.nan if value is None else value], float))[0])
        return [(0, number)] if number else []


@dataclass(frozen=True)
class Categories(Column):
    """A column of 0 and 1 for each value; of two values the second alone, which says the same. A missing
    value becomes the means of these columns, ``fill``.

    >>> Categories("colour", ("blue", "green", "red")).names
    ('colour=blue', 'colour=green', 'colour=red')
    >>> Categories("sex", ("female", "male")).pairs("male")
    [(0, 1.0)]
    """

    kind = "categories"
    values: tuple[str, ...] = ()
    fill: tuple[float, ...] | None = None

    def _sound(self) -> bool:
        filled = self.fill is None or (
            isinstance(self.fill, tuple) and len(self.fill) == len(self._shown) and _finite(*self.fill)
        )
        return _are_texts(self.values) and filled

    @property
    def _shown(self) -> tuple[str, ...]:
        return self.values[1:] if len(self.values) == 2 else self.values

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}={value}" for value in self._shown)

    def pairs(self, value: Any) -> Pairs:
        if value is None and self.fill is not None:
            return list(enumerate(self.fill))
        place = _places(self.values)[value] - (len(self.values) - len(self._shown))
        return [] if place < 0 else [(place, 1.0)]


@dataclass(frozen=True)
class Words(Column):
    """How often each known word occurs; words that the fit has not seen are left out.

    >>> Words("text", ("free", "now")).pairs("Now or now?")
    [(1, 2.0)]
    """

    kind = "words"
    values: tuple[str, ...] = ()

    def _sound(self) -> bool:
        return _are_texts(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}:{word}" for word in self.values)

    def pairs(self, value: Any) -> Pairs:
        known = _places(self.values)
        counts = Counter(known[word] for word in tokens(value) if word in known)
        return [(place, float(count)) for place, count in sorted(counts.items())]


@dataclass(frozen=True)
class HashedWords(Column):
    """How often words of each hash occur: no list of words to keep, and several may share a column."""

    kind = "hashed words"
    size: int = 2**14

    def _sound(self) -> bool:
        return type(self.size) is int and 2 <= self.size <= MOST_HASHED

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}#{place}" for place in range(self.size))

    def pairs(self, value: Any) -> Pairs:
        counts = Counter(_hash(word) % self.size for word in tokens(value))
        return [(place, float(count)) for place, count in sorted(counts.items())]


def _finite(*numbers: Any) -> bool:
    return all(type(number) in (int, float) and isfinite(number) for number in numbers)


def _are_texts(values: Any) -> bool:
    texts = isinstance(values, tuple) and all(isinstance(value, str) for value in values)
    return texts and len(values) > 0 and len(set(values)) == len(values)


def tokens(text: str | None) -> Sequence[str]:
    """The words of a text, in lower case; a missing text has none.

    >>> tokens("It's FREE!")
    ['it', 's', 'free']
    """
    return [] if text is None else WORD.findall(text.lower())


@lru_cache(maxsize=64)
def _places(values: tuple[str, ...]) -> dict[str, int]:
    return {value: place for place, value in enumerate(values)}


@lru_cache(maxsize=2**16)
def _hash(word: str) -> int:
    # Python's own hash differs from process to process.
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
