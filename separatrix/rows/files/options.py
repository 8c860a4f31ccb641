"""The options of `separatrix.read`, as one record. `separatrix.rows.files.read` describes each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from separatrix.messages import Message, Parameter, shown
from separatrix.rows.data_errors import DataError, DataParameterError
from separatrix.rows.preparation import Preparation
from separatrix.rows.preparation.column import MAX_HASHED_COLUMNS
from separatrix.rows.preparation.column_preparation import MISSING_RULES
from separatrix.rows.split import Share
from separatrix.rows.threads import jobs

MEMORY_BYTES = 256 * 2**20
SCALING_RULES = ("standard", "range")


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns are features, which one is the label, and whether it is a number to predict."""

    label: str | int | bool | None = None
    features: Sequence[str] | None = None
    drop: Sequence[str] = ()
    positive: Any = None
    regression: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", _as_tuple(self.drop))
        if self.features is not None:
            object.__setattr__(self, "features", _as_tuple(self.features))

    def require_sound(self) -> None:
        if not self.regression:
            return
        if self.label is False:
            raise DataError(Message("A regression needs a target column: pass it as {}.", Parameter("label")))
        if self.positive is not None:
            raise DataError(Message("{} needs classes; a regression has none.", Parameter("positive")))


@dataclass(frozen=True)
class CsvOptions:
    """How delimited text is written."""

    header: bool | None = None
    delimiter: str | None = None

    def require_sound(self) -> None:
        if self.delimiter is None:
            return
        is_one_character = isinstance(self.delimiter, str) and len(self.delimiter) == 1
        is_one_byte = is_one_character and self.delimiter.isascii()  # for PyArrow
        if not is_one_byte or self.delimiter in '"\r\n\0':
            delimiter = Parameter("delimiter"), shown(self.delimiter)
            raise DataError(
                Message("{} must be one ASCII character, not a quote or a line break; got {}", *delimiter)
            )


@dataclass(frozen=True)
class SvmlightOptions:
    """How the columns of svmlight text are numbered."""

    zero_based: bool | None = None
    n_columns: int | None = None


@dataclass(frozen=True)
class PreprocessingOptions:
    """What is done to named columns before they are rows; ``preparation`` repeats what was learned."""

    preparation: Preparation | None = None
    encode: bool | Sequence[str] = ()
    text: Sequence[str] = ()
    hashed: int | None = None
    missing: str | None = None
    scale: str | None = None

    def __post_init__(self) -> None:
        if self.encode is not True:
            object.__setattr__(self, "encode", _as_tuple(self.encode or ()))
        object.__setattr__(self, "text", _as_tuple(self.text))

    @property
    def is_wanted(self) -> bool:
        is_requested = any((self.encode, self.text, self.hashed, self.missing, self.scale))
        return is_requested or self.preparation is not None

    def require_sound(self) -> None:
        for name, value, known in (
            ("missing", self.missing, MISSING_RULES),
            ("scale", self.scale, SCALING_RULES),
        ):
            if value is not None and value not in known:
                raise DataParameterError(name, value, " or ".join(map(repr, known)))
        if self.scale is not None and self.text:
            raise DataError(Message("{} cannot be combined with {}.", Parameter("scale"), Parameter("text")))
        if self.hashed is not None and not self.text:
            raise DataError(
                Message("{} needs {}, the columns of words.", Parameter("hashed"), Parameter("text"))
            )
        if self.hashed is not None and not 2 <= self.hashed <= MAX_HASHED_COLUMNS:
            raise DataParameterError("hashed", self.hashed, "a number of columns between 2 and 2^24")


OPTION_GROUPS = {
    "columns": ColumnOptions,
    "csv": CsvOptions,
    "svmlight": SvmlightOptions,
    "preprocessing": PreprocessingOptions,
}


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read.

    >>> options = ReadOptions.from_keywords(label="spam", delimiter=";", memory=0)
    >>> options.columns.label, options.csv.delimiter, options.memory
    ('spam', ';', 0)
    """

    columns: ColumnOptions = field(default_factory=ColumnOptions)
    csv: CsvOptions = field(default_factory=CsvOptions)
    svmlight: SvmlightOptions = field(default_factory=SvmlightOptions)
    preprocessing: PreprocessingOptions = field(default_factory=PreprocessingOptions)
    format: str | None = None
    memory: int = MEMORY_BYTES
    n_jobs: int = 1
    share: Share | None = None
    once: bool = False

    @classmethod
    def from_keywords(cls, **keywords: Any) -> ReadOptions:
        """The record of options given by keyword, each at its place."""
        unknown = next((name for name in keywords if name not in KEYWORDS), None)
        if unknown is not None:
            raise TypeError(_explain_unknown(unknown))
        groups: dict[str, Any] = {
            group: record_type(
                **{name: keywords.pop(name) for name in _field_names(record_type) if name in keywords}
            )
            for group, record_type in OPTION_GROUPS.items()
        }
        return cls(**groups, **keywords | {"n_jobs": jobs(keywords.get("n_jobs"))})

    def list_given(self) -> Iterator[str]:
        """The keywords of the groups that have a value."""
        for group in (self.columns, self.csv, self.svmlight, self.preprocessing):
            for name in _field_names(type(group)):
                value = getattr(group, name)
                if value is not None and value != ():
                    yield name


def _field_names(record_type: Any) -> list[str]:
    return [item.name for item in fields(record_type)]


KEYWORDS = (
    *(name for record_type in OPTION_GROUPS.values() for name in _field_names(record_type)),
    *(name for name in _field_names(ReadOptions) if name not in OPTION_GROUPS),
)


def _explain_unknown(name: str) -> str:
    matches = get_close_matches(name, KEYWORDS, n=1, cutoff=0.5)
    hint = f"the nearest is {matches[0]!r}" if matches else f"its options are {', '.join(KEYWORDS)}"
    return f"read() takes no option {name!r}; {hint}."


def _as_tuple(names: Any) -> tuple[str, ...]:
    """Names as a tuple; a single one may stand without a list."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)
