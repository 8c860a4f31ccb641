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
    from separatrix.rows.files.source import InputFile
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
    recognises : callable or None
        Whether a file of this format may begin with these (unpacked) bytes. Beginnings that no format claims
        are read as CSV, so delimited text needs none.
    open : callable
        The rows of a file: takes its place and the options of `read`.
    limits : tuple of str
        The limits of `separatrix.limits` that a file of this format can meet.
    options : tuple of str
        The keywords of `read` that this format takes and some other does not.
    gzippable : bool
        Whether its files are also read through gzip.
    """

    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool] | None
    open: Callable[[InputFile, ReadOptions], Rows]
    limits: tuple[str, ...]
    options: tuple[str, ...] = ()
    gzippable: bool = False


def _open_csv(input_file: InputFile, options: ReadOptions) -> Rows:
    from separatrix.rows.files.csv import CsvSource
    from separatrix.rows.files.named_columns import read_source

    return read_source(CsvSource(input_file, options.csv), options)


def _open_tsv(input_file: InputFile, options: ReadOptions) -> Rows:
    tsv_options = replace(options.csv, delimiter=options.csv.delimiter or "\t")
    return _open_csv(input_file, replace(options, csv=tsv_options))


def _open_parquet(input_file: InputFile, options: ReadOptions) -> Rows:
    from separatrix.rows.files.named_columns import read_source
    from separatrix.rows.files.parquet import ParquetSource

    return read_source(ParquetSource(input_file), options)


def _open_arrow(input_file: InputFile, options: ReadOptions) -> Rows:
    from separatrix.rows.files.arrow import ArrowSource
    from separatrix.rows.files.named_columns import read_source

    return read_source(ArrowSource(input_file), options)


def _open_svmlight(input_file: InputFile, options: ReadOptions) -> Rows:
    from separatrix.rows.files.regression_targets import read_svmlight_with_target
    from separatrix.rows.files.svmlight_rows import read_svmlight

    return (read_svmlight_with_target if options.columns.regression else read_svmlight)(input_file, options)


def _open_npy(input_file: InputFile, options: ReadOptions) -> Rows:
    from separatrix.rows.files.npy import read_npy
    from separatrix.rows.files.regression_targets import read_npy_with_target

    return (read_npy_with_target if options.columns.regression else read_npy)(input_file, options)


def _open_npz(input_file: InputFile, options: ReadOptions) -> Rows:
    from separatrix.rows.files.npy import read_npz
    from separatrix.rows.files.regression_targets import read_npz_with_target

    return (read_npz_with_target if options.columns.regression else read_npz)(input_file, options)


def _begins_with(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda beginning: beginning.startswith(magic)


SVMLIGHT_PATTERN = re.compile(r"\s*[^\s,;:|]+(\s+[0-9a-z]+:\S+)+\s*")


def _begins_as_svmlight(beginning: bytes) -> bool:
    """Whether the first line that holds anything is ``label index:value ...``."""
    lines = (line.partition("#")[0] for line in beginning.decode("utf-8", "replace").splitlines())
    return SVMLIGHT_PATTERN.fullmatch(next((line for line in lines if line.strip()), "")) is not None


CSV_OPTIONS = ("header", "delimiter")
SVMLIGHT_OPTIONS = ("zero_based", "n_columns")
NAMED_COLUMN_OPTIONS = ("features", "drop", "preparation", "encode", "text", "hashed", "missing", "scale")
LABEL_LIMITS = ("label_characters", "text_bytes")
PACKED_LIMITS = ("unpacked_bytes", "ratio")

FORMATS = (
    Format(
        name="csv",
        suffixes=(".csv",),
        recognises=None,
        open=_open_csv,
        limits=("line_bytes", "columns", *PACKED_LIMITS, *LABEL_LIMITS),
        options=(*CSV_OPTIONS, *NAMED_COLUMN_OPTIONS),
        gzippable=True,
    ),
    Format(
        name="tsv",
        suffixes=(".tsv", ".tab"),
        recognises=None,
        open=_open_tsv,
        limits=("line_bytes", "columns", *PACKED_LIMITS, *LABEL_LIMITS),
        options=(*CSV_OPTIONS, *NAMED_COLUMN_OPTIONS),
        gzippable=True,
    ),
    Format(
        name="parquet",
        suffixes=(".parquet", ".pq"),
        recognises=_begins_with(b"PAR1"),
        open=_open_parquet,
        limits=("columns", "rows", *PACKED_LIMITS, *LABEL_LIMITS),
        options=NAMED_COLUMN_OPTIONS,
    ),
    Format(
        name="arrow",
        suffixes=(".arrow", ".arrows", ".feather", ".ipc"),
        recognises=_begins_with(b"ARROW1", b"\xff\xff\xff\xff"),  # a file, a stream
        open=_open_arrow,
        limits=("columns", "rows", *LABEL_LIMITS),
        options=NAMED_COLUMN_OPTIONS,
    ),
    Format(
        name="svmlight",
        suffixes=(".svm", ".svmlight", ".libsvm"),
        recognises=_begins_as_svmlight,
        open=_open_svmlight,
        limits=("line_bytes", "sparse_columns", *PACKED_LIMITS),
        options=SVMLIGHT_OPTIONS,
        gzippable=True,
    ),
    Format(
        name="npy",
        suffixes=(".npy",),
        recognises=_begins_with(b"\x93NUMPY"),
        open=_open_npy,
        limits=("rows", "text_bytes"),
    ),
    Format(
        name="npz",
        suffixes=(".npz",),
        recognises=_begins_with(b"PK\x03\x04"),
        open=_open_npz,
        limits=("rows", "sparse_columns", *PACKED_LIMITS, *LABEL_LIMITS),
    ),
)
FORMAT_NAMES = tuple(item.name for item in FORMATS)


def find_format(name: str) -> Format | None:
    """The format of this name.

    >>> find_format("tsv").suffixes, find_format("xlsx")
    (('.tsv', '.tab'), None)
    """
    return next((item for item in FORMATS if item.name == name), None)


def find_format_by_suffix(suffix: str) -> Format | None:
    """The format that a suffix tells.

    >>> find_format_by_suffix(".feather").name, find_format_by_suffix(".txt")
    ('arrow', None)
    """
    return next((item for item in FORMATS if suffix in item.suffixes), None)


def recognise_format(beginning: bytes) -> Format:
    """The format that the first bytes of a file tell; CSV if no format claims them.

    >>> recognise_format(b"PAR1...").name, recognise_format(b"+1 1:0.5").name
    ('parquet', 'svmlight')
    """
    matching = (item for item in FORMATS if item.recognises is not None and item.recognises(beginning))
    return next(matching, FORMATS[0])


def list_formats_with(option: str) -> str:
    """The names of the formats that take an option, for a message.

    >>> list_formats_with("delimiter")
    'csv, tsv'
    """
    return ", ".join(item.name for item in FORMATS if option in item.options)
