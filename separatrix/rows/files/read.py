"""Reading a file: tell its format, check the options against it, let its reader open it."""

from __future__ import annotations

import os
import zlib
from typing import Any

from separatrix.messages import Message, Parameter
from separatrix.rows.data_errors import AbsentColumn, DataError, DataParameterError, WrongOption
from separatrix.rows.files.formats import (
    FORMAT_NAMES,
    Format,
    find_format,
    find_format_by_suffix,
    list_formats_with,
    recognise_format,
)
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.source import InputFile, cannot_open_error, open_unpacked
from separatrix.rows.files.standard_input import copy_to_input_file
from separatrix.rows.rows import Rows
from separatrix.rows.split import select_share

SNIFFED_BYTES = 2**16


def read(path: str | os.PathLike[str] | Any, label: str | int | bool | None = None, **options: Any) -> Rows:
    """Rows from a file: kept in memory when they fit in ``memory`` bytes, else read again in every pass.

    Parameters
    ----------
    path : str, path or binary file
        The suffix tells the format: CSV, TSV, Parquet, Arrow, svmlight or NumPy. ``"-"`` is standard input,
        kept in a temporary file, its format told from its beginning.
    label : str, int, False or None
        The label column, by name or by number. None takes the column called label, y, target or class.
        False reads rows without labels.
    **options
        Any of the options below, by keyword.

    Other Parameters
    ----------------
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
        The name of a format (`separatrix.rows.files.formats`) where the suffix does not tell it.
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
    TypeError
        An option that does not exist; the sentence names the nearest one.

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
    return read_file(path, ReadOptions.from_keywords(label=label, **options))


def read_file(path: str | os.PathLike[str] | Any, options: ReadOptions) -> Rows:
    """The rows of a file, a stream or standard input, read by the options of a record."""
    options.columns.require_sound()
    is_stream = hasattr(path, "read") or path == "-"
    input_file = copy_to_input_file(path) if is_stream else InputFile(os.fspath(path))
    _require_readable(input_file)
    format = _find_format(input_file, options.format, is_stream=is_stream)
    if input_file.gzipped and not format.gzippable:
        raise DataError(f"{input_file.name}: a {format.name} file is not read through gzip; unpack it first.")
    _require_supported_options(input_file.name, format, options)
    options.csv.require_sound()
    rows = format.open(input_file, options)
    if options.share is None or rows.preparation is not None:
        return rows
    return select_share(rows, options.share)


def _find_format(input_file: InputFile, format_name: str | None, *, is_stream: bool) -> Format:
    """The format that is named, or else that the suffix of a file, or the beginning of a stream, tells."""
    if format_name:
        matching = find_format(format_name)
        if matching is None:
            raise DataParameterError("format", format_name, f"one of {', '.join(FORMAT_NAMES)}")
        return matching
    if is_stream:
        return recognise_format(_read_beginning(input_file))
    path = input_file.path
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    matching = find_format_by_suffix(suffix)
    if matching is None:
        raise DataError(
            Message(
                "{file}: {problem}; pass {format}, one of {known}.",
                file=input_file.name,
                problem=f"unknown suffix {suffix}" if suffix else "a name without a suffix has no format",
                format=Parameter("format"),
                known=", ".join(FORMAT_NAMES),
            )
        )
    return matching


def _read_beginning(input_file: InputFile) -> bytes:
    try:
        with open_unpacked(input_file) as file:
            return file.read(SNIFFED_BYTES)
    except (OSError, EOFError, zlib.error):
        return b""


def _require_readable(input_file: InputFile) -> None:
    if input_file.path.is_dir():
        raise DataError(f"{input_file.name} is a directory: name one file in it.")
    if input_file.size == 0:
        raise DataError(f"{input_file.name} is empty: there is nothing to read.")
    try:
        input_file.path.open("rb").close()
    except OSError as error:
        raise cannot_open_error(input_file.name, error) from None


def _require_supported_options(name: str, format: Format, options: ReadOptions) -> None:
    """Refuse an option that only other formats take."""
    for option in options.list_given():
        format_names = list_formats_with(option)
        if not format_names or option in format.options:
            continue
        if option == "preparation":
            raise AbsentColumn(
                f"{name} is a {format.name} file without column names: columns that the fit scaled, encoded "
                f"or filled in are found by name, in {format_names}."
            )
        problem = "{} is a {} file: {} is for {}."
        raise WrongOption(Message(problem, name, format.name, Parameter(option), format_names))
