"""Rows of a file with named columns: its numbers as they are, prepared first, or with a target to predict."""

from __future__ import annotations

from separatrix.rows.errors import DataError, MissingValue
from separatrix.rows.files.column_choice import choose
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.prepared_columns import missing_counts, missing_told, rows_prepared
from separatrix.rows.files.regression_targets import measured_columns
from separatrix.rows.files.source import Source
from separatrix.rows.files.streamed_table import rows_of_columns
from separatrix.rows.rows import Rows


def rows_of_source(source: Source, options: ReadOptions) -> Rows:
    """The rows of the chosen columns of a source."""
    if options.preprocessing.is_wanted:
        names, label = choose(source.place.name, source.schema.names, options.columns)
        return rows_prepared(source, names, label, options)
    try:
        if not options.columns.regression:
            return rows_of_columns(source, options)
        names, target = choose(source.place.name, source.schema.names, options.columns)
        assert target is not None
        return measured_columns(source, names, target, options)
    except MissingValue as refusal:
        raise _counted(source, options, refusal) from None


def _counted(source: Source, options: ReadOptions, refusal: DataError) -> DataError:
    """A refusal of the first missing value, with the number of them in each column."""
    names, target = choose(source.place.name, source.schema.names, options.columns)
    if options.columns.regression and target is not None:
        names.append(target)
    try:
        counts = missing_counts(source, names)
    except DataError:
        return refusal
    return DataError(f"{refusal} {missing_told(counts)}") if counts else refusal
