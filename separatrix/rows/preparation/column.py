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

from separatrix.rows.files.class_labels import meaning

MAX_HASHED_COLUMNS = 2**24  # columns for the words of one text
WORD_PATTERN = re.compile(r"\w+")
Entries = list[tuple[int, float]]  # indices among the columns that come out, and values; ascending


@dataclass(frozen=True)
class Column:
    """A column as it stands in the file; ``name`` is its name there."""

    kind: ClassVar[str]
    name: str

    def require_sound(self) -> None:
        """ValueError if a field is not of its type, as a file may have it."""
        if not isinstance(self.name, str):
            raise ValueError("the name of a column is no text")
        if not self._is_sound():
            raise ValueError(f"what it says of the column {self.name!r} makes no sense")

    def _is_sound(self) -> bool:
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it becomes."""
        raise NotImplementedError

    def encode(self, value: Any) -> Entries:
        """The values other than 0 that one cell becomes; KeyError for what the fit has not seen."""
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Column):
    """A number: missing ones become ``fill``, then (value − shift)/scale."""

    kind = "number"
    fill: float | None = None
    shift: float = 0.0
    scale: float = 1.0

    def _is_sound(self) -> bool:
        return (
            (self.fill is None or _are_finite(self.fill))
            and _are_finite(self.shift, self.scale)
            and self.scale > 0
        )

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def fill_and_scale(self, values: np.ndarray) -> np.ndarray:
        """Values with NaN where one is missing, made ready."""
        if self.fill is not None:
            values = np.where(np.isnan(values), self.fill, values)
        return values if self.shift == 0.0 and self.scale == 1.0 else (values - self.shift) / self.scale

    def encode(self, value: Any) -> Entries:
        number = float(self.fill_and_scale(np.array([np.nan if value is None else value], float))[0])
        return [(0, number)] if number else []


@dataclass(frozen=True)
class Categories(Column):
    """A column of 0 and 1 for each value; of two values the second alone, which says the same. A missing
    value becomes the means of these columns, ``fill``.

    A cell that is none of the values as it is written is the only one that means the same as a label, as 1
    and "1.0" do: a file of another format may write numbers and truth values otherwise.

    >>> Categories("colour", ("blue", "green", "red")).names
    ('colour=blue', 'colour=green', 'colour=red')
    >>> Categories("sex", ("female", "male")).encode("male")
    [(0, 1.0)]
    """

    kind = "categories"
    values: tuple[str, ...] = ()
    fill: tuple[float, ...] | None = None

    def _is_sound(self) -> bool:
        is_fill_sound = self.fill is None or (
            isinstance(self.fill, tuple)
            and len(self.fill) == len(self._encoded_values)
            and _are_finite(*self.fill)
        )
        return _are_texts(self.values) and is_fill_sound

    @property
    def _encoded_values(self) -> tuple[str, ...]:
        return self.values[1:] if len(self.values) == 2 else self.values

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}={value}" for value in self._encoded_values)

    def encode(self, value: Any) -> Entries:
        if value is None and self.fill is not None:
            return list(enumerate(self.fill))
        place = _index(self.values).get(value)
        if place is None:
            if value is None:
                raise KeyError
            place = _index_by_meaning(self.values)[meaning(value)]
        index = place - (len(self.values) - len(self._encoded_values))
        return [] if index < 0 else [(index, 1.0)]


@dataclass(frozen=True)
class Words(Column):
    """How often each known word occurs; words that the fit has not seen are left out.

    >>> Words("text", ("free", "now")).encode("Now or now?")
    [(1, 2.0)]
    """

    kind = "words"
    values: tuple[str, ...] = ()

    def _is_sound(self) -> bool:
        return _are_texts(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}:{word}" for word in self.values)

    def encode(self, value: Any) -> Entries:
        index_of = _index(self.values)
        counts = Counter(index_of[word] for word in tokenise(value) if word in index_of)
        return [(index, float(count)) for index, count in sorted(counts.items())]


@dataclass(frozen=True)
class HashedWords(Column):
    """How often words of each hash occur: no list of words to keep, and several may share a column."""

    kind = "hashed words"
    size: int = 2**14

    def _is_sound(self) -> bool:
        return type(self.size) is int and 2 <= self.size <= MAX_HASHED_COLUMNS

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}#{index}" for index in range(self.size))

    def encode(self, value: Any) -> Entries:
        counts = Counter(_hash_word(word) % self.size for word in tokenise(value))
        return [(index, float(count)) for index, count in sorted(counts.items())]


def _are_finite(*numbers: Any) -> bool:
    return all(type(number) in (int, float) and isfinite(number) for number in numbers)


def _are_texts(values: Any) -> bool:
    are_texts = isinstance(values, tuple) and all(isinstance(value, str) for value in values)
    return are_texts and len(values) > 0 and len(set(values)) == len(values)


def tokenise(text: str | None) -> Sequence[str]:
    """The words of a text, in lower case; a missing text has none.

    >>> tokenise("It's FREE!")
    ['it', 's', 'free']
    """
    return [] if text is None else WORD_PATTERN.findall(text.lower())


@lru_cache(maxsize=64)
def _index(values: tuple[str, ...]) -> dict[str, int]:
    return {value: index for index, value in enumerate(values)}


@lru_cache(maxsize=64)
def _index_by_meaning(values: tuple[str, ...]) -> dict[Any, int]:
    meanings = list(map(meaning, values))
    counts = Counter(meanings)
    return {found: index for index, found in enumerate(meanings) if counts[found] == 1}


@lru_cache(maxsize=2**16)
def _hash_word(word: str) -> int:
    # Python's own hash differs from process to process.
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
