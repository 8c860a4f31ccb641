"""The file formats that `separatrix.read` takes. A new format is one more entry in `FORMATS`.

Importing this module loads the standard library alone; a format's reader is loaded when it opens a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from separatrix.rows.files.options import ReadOptions
    from separatrix.rows.files.source import Place
    from separatrix.rows.rows import Rows


@dataclass(frozen=True)
class Format:
    """How files of one format are recognised, opened and limited.

    Attributes
    ----------
    name : str
        The format in ``read(path, format="csv")`` and ``--format csv``.
    suffixes : tuple of str
        Suffixes of its files, in lower case.
    sniff : callable or None
        Whether a file of this format may begin with these (unpacked) bytes. Beginnings that no format claims
        are read as CSV, so delimited text needs none.
    open : callable
        The rows of a file: takes its place and the options of `read`.
    limits : tuple of str
        The limits of `separatrix.limits` that a file of this format can meet.
    options : tuple of str
        The keywords of `read` that this format takes and some other does not.
    gzipped : bool
        Whether its files are also read through gzip.
    """

    name: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], bool] | None
    open: Callable[[Place, ReadOptions], Rows]
    limits: tuple[str, ...]
    options: tuple[str, ...] = ()
    gzipped: bool = False


def _open_csv(place: Place, options: ReadOptions) -> Rows:
    from separatrix.rows.files.csv import CsvSource
    from separatrix.rows.files.named_columns import rows_of_source

    return rows_of_source(CsvSource(place, options.csv), options)


def _open_tsv(place: Place, options: ReadOptions) -> Rows:
    tabs = replace(options.csv, delimiter=options.csv.delimiter or "\t")
    return _open_csv(place, replace(options, csv=tabs))


def _open_parquet(place: Place, options: ReadOptions) -> Rows:
    from separatrix.rows.files.named_columns import rows_of_source
    from separatrix.rows.files.parquet import ParquetSource

    return rows_of_source(ParquetSource(place), options)


def _open_arrow(place: Place, options: ReadOptions) -> Rows:
    from separatrix.rows.files.arrow import ArrowSource
    from separatrix.rows.files.named_columns import rows_of_source

    return rows_of_source(ArrowSource(place), options)


def _open_svmlight(place: Place, options: ReadOptions) -> Rows:
    from separatrix.rows.files.regression_targets import measured_svmlight
    from separatrix.rows.files.svmlight_rows import rows_of_svmlight

    return (measured_svmlight if options.columns.regression else rows_of_svmlight)(place, options)


def _open_npy(place: Place, options: ReadOptions) -> Rows:
    from separatrix.rows.files.npy import rows_of_npy
    from separatrix.rows.files.regression_targets import measured_npy

    return (measured_npy if options.columns.regression else rows_of_npy)(place, options)


def _open_npz(place: Place, options: ReadOptions) -> Rows:
    from separatrix.rows.files.npy import rows_of_npz
    from separatrix.rows.files.regression_targets import measured_npz

    return (measured_npz if options.columns.regression else rows_of_npz)(place, options)


def _begins_with(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda beginning: beginning.startswith(magic)


PAIRS = re.compile(r"\s*[^\s,;:|]+(\s+[0-9a-z]+:\S+)+\s*")


def _begins_with_pairs(beginning: bytes) -> bool:
    """Whether the first line that holds anything is ``label index:value ...``."""
    lines = (line.partition("#")[0] for line in beginning.decode("utf-8", "replace").splitlines())
    return PAIRS.fullmatch(next((line for line in lines if line.strip()), "")) is not None


CSV_OPTIONS = ("header", "delimiter")
SVMLIGHT_OPTIONS = ("zero_based", "n_columns")
NAMED_COLUMN_OPTIONS = ("features", "drop", "preparation", "encode", "text", "hashed", "missing", "scale")
LABEL_LIMITS = ("label_characters", "text_bytes")
PACKED_LIMITS = ("unpacked_bytes", "ratio")

FORMATS = (
    Format(
        name="csv",
        suffixes=(".csv",),
        sniff=None,
        open=_open_csv,
        limits=("line_bytes", "columns", *PACKED_LIMITS, *LABEL_LIMITS),
        options=(*CSV_OPTIONS, *NAMED_COLUMN_OPTIONS),
        gzipped=True,
    ),
    Format(
        name="tsv",
        suffixes=(".tsv", ".tab"),
        sniff=None,
        open=_open_tsv,
        limits=("line_bytes", "columns", *PACKED_LIMITS, *LABEL_LIMITS),
        options=(*CSV_OPTIONS, *NAMED_COLUMN_OPTIONS),
        gzipped=True,
    ),
    Format(
        name="parquet",
        suffixes=(".parquet", ".pq"),
        sniff=_begins_with(b"PAR1"),
        open=_open_parquet,
        limits=("columns", "rows", *PACKED_LIMITS, *LABEL_LIMITS),
        options=NAMED_COLUMN_OPTIONS,
    ),
    Format(
        name="arrow",
        suffixes=(".arrow", ".arrows", ".feather", ".ipc"),
        sniff=_begins_with(b"ARROW1", b"\xff\xff\xff\xff"),  # a file, a stream
        open=_open_arrow,
        limits=("columns", "rows", *LABEL_LIMITS),
        options=NAMED_COLUMN_OPTIONS,
    ),
    Format(
        name="svmlight",
        suffixes=(".svm", ".svmlight", ".libsvm"),
        sniff=_begins_with_pairs,
        open=_open_svmlight,
        limits=("line_bytes", "sparse_columns", *PACKED_LIMITS),
        options=SVMLIGHT_OPTIONS,
        gzipped=True,
    ),
    Format(
        name="npy",
        suffixes=(".npy",),
        sniff=_begins_with(b"\x93NUMPY"),
        open=_open_npy,
        limits=("rows", "text_bytes"),
    ),
    Format(
        name="npz",
        suffixes=(".npz",),
        sniff=_begins_with(b"PK\x03\x04"),
        open=_open_npz,
        limits=("rows", "sparse_columns", *PACKED_LIMITS, *LABEL_LIMITS),
    ),
)
FORMAT_NAMES = tuple(item.name for item in FORMATS)


def format_named(name: str) -> Format | None:
    """The format of this name.

    >>> format_named("tsv").suffixes, format_named("xlsx")
    (('.tsv', '.tab'), None)
    """
    return next((item for item in FORMATS if item.name == name), None)


def format_of_suffix(suffix: str) -> Format | None:
    """The format that a suffix tells.

    >>> format_of_suffix(".feather").name, format_of_suffix(".txt")
    ('arrow', None)
    """
    return next((item for item in FORMATS if suffix in item.suffixes), None)


def format_of_beginning(beginning: bytes) -> Format:
    """The format that the first bytes of a file tell; CSV if no format claims them.

    >>> format_of_beginning(b"PAR1...").name, format_of_beginning(b"+1 1:0.5").name
    ('parquet', 'svmlight')
    """
    claims = (item for item in FORMATS if item.sniff is not None and item.sniff(beginning))
    return next(claims, FORMATS[0])


def formats_with(option: str) -> str:
    """The names of the formats that take an option, for a message.

    >>> formats_with("delimiter")
    'csv, tsv'
    """
    return ", ".join(item.name for item in FORMATS if option in item.options)
