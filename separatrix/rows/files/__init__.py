"""Rows from files: CSV, TSV, Parquet, Arrow, svmlight and NumPy; larger than memory is fine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from separatrix.rows.errors import DataError, MissingValue, WrongOption
from separatrix.rows.files import regression_targets
from separatrix.rows.files.column_choice import choose
from separatrix.rows.files.prepared_columns import Wishes, missing_counts, missing_told, rows_prepared
from separatrix.rows.files.source import Place, Source, cannot_open
from separatrix.rows.files.standard_input import format_of, is_gzipped, spooled
from separatrix.rows.files.streamed_table import rows_of_columns
from separatrix.rows.preparation import Preparation
from separatrix.rows.rows import Rows, jobs
from separatrix.rows.split import Share

__all__ = ["FORMATS", "read"]

FORMATS = ("csv", "tsv", "parquet", "arrow", "svmlight", "npy", "npz")
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".npy": "npy",
    ".npz": "npz",
}
MAY_BE_GZIPPED = ("csv", "tsv", "svmlight")
SPECIFIC = {
    "header": ("csv", "tsv"),
    "delimiter": ("csv", "tsv"),
    "zero_based": ("svmlight",),
    "n_columns": ("svmlight",),
    "features": ("csv", "tsv", "parquet", "arrow"),
    "drop": ("csv", "tsv", "parquet", "arrow"),
    "encode": ("csv", "tsv", "parquet", "arrow"),
    "text": ("csv", "tsv", "parquet", "arrow"),
    "missing": ("csv", "tsv", "parquet", "arrow"),
    "scale": ("csv", "tsv", "parquet", "arrow"),
}


def read(
    path: str | os.PathLike[str] | Any,
    label: str | int | bool | None = None,
    *,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    positive: Any = None,
    memory: int = 256 * 2**20,
    n_jobs: int | None = None,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    zero_based: bool | None = None,
    n_columns: int | None = None,
    encode: bool | Sequence[str] = (),
    text: Sequence[str] = (),
    hashed: int | None = None,
    missing: str | None = None,
    scale: str | None = None,
    preparation: Preparation | None = None,
    share: Share | None = None,
    regression: bool = False,
    once: bool = False,
) -> Rows:
    """Rows from a file: kept in memory when they fit in ``memory`` bytes, else read again in every pass.

    Parameters
    ----------
    path : str, path or binary file
        The suffix tells the format: .csv, .tsv (both also .gz), .parquet, .arrow, .feather, .svm (also .gz),
        .npy, .npz. ``"-"`` is standard input, kept in a temporary file, its format told from its beginning.
    label : str, int, False or None
        The label column, by name or by number. None takes the column called label, y, target or class.
        False reads rows without labels.
    features : sequence of str, optional
        The columns to use, in this order; all but the label when not given.
    drop : sequence of str
        Columns to leave out.
    positive : label, optional
        The class to be +1, against all others; without it the classes are sorted and the larger of two is +1.
    memory : int
        Bytes of values to keep; a larger file is streamed.
    n_jobs : int, optional
        Threads for sums over blocks; None is 1, -1 all cores.
    format : str, optional
        One of csv, tsv, parquet, arrow, svmlight, npy, npz, where the suffix does not tell.
    header : bool, optional
        False for CSV without column names (they are then x1, x2, ...); True for names that look like numbers.
    delimiter : str, optional
        Of CSV; told from the header when not given.
    zero_based : bool, optional
        Whether svmlight indices begin at 0; None takes 1 unless an index 0 occurs.
    n_columns : int, optional
        The number of columns of svmlight rows, where the largest index does not tell.
    encode : sequence of str, or True
        Columns of text to turn into columns of 0 and 1, one for each value (of two values one column); True
        takes every column that holds anything but numbers.
    text : sequence of str
        Columns whose words are counted; the rows are then sparse.
    hashed : int, optional
        So many columns for the words of each text, found by a hash, in place of one for each word.
    missing : {"drop", "mean"}, optional
        Leave rows with a missing value out, or fill in the mean of the column; without it they are refused.
    scale : {"standard", "range"}, optional
        Numbers to mean 0 and variance 1, or to the range from 0 to 1. What is proven then is proven of the
        scaled numbers.
    preparation : Preparation, optional
        What an earlier reading has learned of all this (``rows.preparation``), to be done again. Rows with a
        missing value that its ``missing="drop"`` has left out are refused, unless ``missing="drop"`` is said
        again.
    share : Share, optional
        A held-out share of the rows, or all others, so that a preparation is learned on those alone.
    regression : bool
        Whether the label column holds real numbers to predict.
    once : bool
        Whether rows without labels are wanted in one pass alone, faults and their number found on the way.

    Raises
    ------
    DataError
        One sentence that says where the file is wrong and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "birds.csv")
    >>> _ = path.write_text("wing,weight,label\\n11.5,20,wren\\n30,400,crow\\n")
    >>> rows = read(path)
    >>> rows.n_rows, rows.columns, rows.classes.tolist()
    (2, ('wing', 'weight'), ['crow', 'wren'])
    >>> folder.cleanup()
    """
    if regression:
        regression_targets.require_target(label, positive)
    nameless = hasattr(path, "read") or path == "-"
    place = spooled(path) if nameless else Place(os.fspath(path))
    _require_some(place)
    told, gzipped = format_of(place.path) if nameless else _format(place, format)
    kind = format or told
    if kind not in FORMATS:
        raise DataError(f"format={kind!r} is none of {', '.join(FORMATS)}.")
    if gzipped and kind not in MAY_BE_GZIPPED:
        raise DataError(f"{place.name}: a {kind} file is not read through gzip; unpack it first.")
    _require_fitting(
        place.name,
        kind,
        features=features,
        drop=drop or None,
        header=header,
        delimiter=delimiter,
        zero_based=zero_based,
        n_columns=n_columns,
    )
    if preparation is not None and kind not in SPECIFIC["features"]:
        raise DataError(
            f"{place.name} is a {kind} file without column names: columns that the fit scaled, encoded or "
            f"filled in are found by name, in {', '.join(SPECIFIC['features'])}."
        )
    _require_fitting(place.name, kind, encode=encode or None, text=text or None, missing=missing, scale=scale)
    _require_delimiter(delimiter)
    n_jobs = jobs(n_jobs)
    if kind == "svmlight":
        if regression:
            return regression_targets.measured_svmlight(
                place,
                label,
                gzipped=gzipped,
                memory=memory,
                n_jobs=n_jobs,
                zero_based=zero_based,
                n_columns=n_columns,
            )
        from separatrix.rows.files.svmlight_rows import rows_of_svmlight

        return rows_of_svmlight(
            place,
            label,
            gzipped=gzipped,
            positive=positive,
            memory=memory,
            n_jobs=n_jobs,
            zero_based=zero_based,
            n_columns=n_columns,
        )
    if kind in ("npy", "npz"):
        if regression:
            of_array = regression_targets.measured_npy if kind == "npy" else regression_targets.measured_npz
            return of_array(place, label, n_jobs=n_jobs)
        from separatrix.rows.files.npy import rows_of_npy, rows_of_npz

        return (rows_of_npy if kind == "npy" else rows_of_npz)(place, label, positive=positive, n_jobs=n_jobs)
    if kind == "tsv":
        delimiter = delimiter or "\t"
    source = _source(place, kind, gzipped=gzipped, delimiter=delimiter, header=header)
    wishes = Wishes(encode, _listed(text), hashed, missing, scale)
    if preparation is not None or any(wishes):
        names, chosen = choose(place.name, source.schema.names, label, features, drop)
        return rows_prepared(
            source,
            names,
            chosen,
            preparation,
            wishes,
            share=share,
            positive=positive,
            memory=memory,
            n_jobs=n_jobs,
            regression=regression,
            once=once,
        )
    try:
        if regression:
            names, target = choose(place.name, source.schema.names, label, features, drop)
            assert target is not None
            return regression_targets.measured_columns(source, names, target, memory=memory, n_jobs=n_jobs)
        return rows_of_columns(
            source,
            label,
            features=features,
            drop=drop,
            positive=positive,
            memory=memory,
            n_jobs=n_jobs,
            once=once,
        )
    except MissingValue as refusal:
        raise _counted(source, label, features, drop, refusal, regression) from None


def _counted(
    source: Source,
    label: str | int | bool | None,
    features: Sequence[str] | None,
    drop: Sequence[str],
    refusal: DataError,
    regression: bool,
) -> DataError:
    """A refusal of the first missing value, with the number of them in each column."""
    names, target = choose(source.place.name, source.schema.names, label, features, drop)
    if regression and target is not None:
        names.append(target)
    try:
        counts = missing_counts(source, names)
    except DataError:
        return refusal
    return DataError(f"{refusal} {missing_told(counts)}") if counts else refusal


def _listed(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _source(place: Place, kind: str, *, gzipped: bool, delimiter: str | None, header: bool | None) -> Source:
    if kind == "parquet":
        from separatrix.rows.files.parquet import ParquetSource

        return ParquetSource(place)
    if kind == "arrow":
        from separatrix.rows.files.arrow import ArrowSource

        return ArrowSource(place)
    from separatrix.rows.files.csv import CsvSource

    return CsvSource(place, gzipped=gzipped, delimiter=delimiter, header=header)


def _format(place: Place, told: str | None) -> tuple[str, bool]:
    """The format, which the name tells, and whether the file is gzipped, which its first bytes tell."""
    path = place.path
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    kind = told or SUFFIXES.get(suffix)
    if kind is None and not path.is_dir():
        says = f"the suffix {suffix} tells" if suffix else "a name without a suffix tells"
        raise DataError(
            f"{place.name}: {says} no format known here; pass format= one of {', '.join(FORMATS)}."
        )
    return kind or "", is_gzipped(path)


def _require_some(place: Place) -> None:
    if place.path.is_dir():
        raise DataError(f"{place.name} is a directory: name one file in it.")
    if place.size == 0:
        raise DataError(f"{place.name} is empty: there is nothing to read.")
    try:
        place.path.open("rb").close()
    except OSError as error:
        raise cannot_open(place.name, error) from None


def _require_delimiter(delimiter: Any) -> None:
    if delimiter is None:
        return
    single = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()  # a byte, for PyArrow
    if not single or delimiter in '"\r\n\0':
        raise DataError(
            f"delimiter={delimiter!r} is no delimiter: give one ASCII character, no quote and no line break."
        )


def _require_fitting(name: str, kind: str, **options: Any) -> None:
    for option, value in options.items():
        if value is not None and kind not in SPECIFIC[option]:
            raise WrongOption(f"{name} is a {kind} file: {option}= is for {', '.join(SPECIFIC[option])}.")
