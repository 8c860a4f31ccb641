"""Rows of a file with named columns: its numbers as they are, prepared first, or with a target to predict."""

from __future__ import annotations

from separatrix.messages import Message
from separatrix.rows.data_errors import DataError, MissingValue
from separatrix.rows.files.column_names import choose_columns
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.prepared_columns import count_missing, describe_missing, read_prepared
from separatrix.rows.files.regression_targets import read_columns_with_target
from separatrix.rows.files.source import Source
from separatrix.rows.files.streamed_table import read_columns
from separatrix.rows.rows import Rows


def read_source(source: Source, options: ReadOptions) -> Rows:
    """The rows of the chosen columns of a source."""
    if options.preprocessing.is_wanted:
        names, label = choose_columns(source.input_file.name, source.schema.names, options.columns)
        return read_prepared(source, names, label, options)
    try:
        if not options.columns.regression:
            return read_columns(source, options)
        names, target = choose_columns(source.input_file.name, source.schema.names, options.columns)
        assert target is not None
        return read_columns_with_target(source, names, target, options)
    except MissingValue as error:
        raise _count_missing_values(source, options, error) from None


def _count_missing_values(source: Source, options: ReadOptions, error: DataError) -> DataError:
    """A refusal of the first missing value, with the number of them in each column."""
    names, target = choose_columns(source.input_file.name, source.schema.names, options.columns)
    if options.columns.regression and target is not None:
        names.append(target)
    try:
        counts = count_missing(source, names)
    except DataError:
        return error
    return DataError(Message("{} {}", error, describe_missing(counts))) if counts else error
