"""Parquet files: read page by page, never a whole row group at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from separatrix.rows.files.source import InputFile, Source, damaged_file_error, explain_errors, validate_batch
from separatrix.rows.files.wide_parquet import RowGroupCopies, is_wide

BUFFER_BYTES = 64 * 1024  # bytes read at a time of each column


class ParquetSource(Source):
    """A Parquet file."""

    _copies: RowGroupCopies | None = None

    def __init__(self, input_file: InputFile) -> None:
        self.input_file = input_file
        with explain_errors(input_file.name, self._open) as file:
            self.schema = file.schema_arrow
            self.n_rows = file.metadata.num_rows
            self._require_limits(file.metadata)

    def _require_limits(self, metadata: Any) -> None:
        self.input_file.require_columns(metadata.num_columns)
        self.input_file.require("rows", metadata.num_rows, f"states {metadata.num_rows:,} rows")
        group_bytes = (
            metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)
        )
        self.input_file.require_proportion(self.input_file.size, sum(group_bytes))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_copies"}

    def _open(self) -> Any:
        # The default, pre_buffer=True, keeps all that was read of the file until the last batch.
        return pq.ParquetFile(self.input_file.path, pre_buffer=False, buffer_size=BUFFER_BYTES)

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        names = [*features] if label is None else [*features, label]
        try:
            with self._open() as file:
                if is_wide(file.metadata, names):
                    yield from self._find_copies(names, rows, file.metadata).read_batches(self._open)
                    return
                # Threads bring heaps of their own, which one column is not worth.
                for batch in file.iter_batches(batch_size=rows, columns=names, use_threads=len(names) > 1):
                    yield validate_batch(batch).select(names)
        except (pa.ArrowException, OSError) as error:
            raise damaged_file_error(self.input_file.name, error) from None

    def _find_copies(self, names: Sequence[str], rows: int, metadata: Any) -> RowGroupCopies:
        copies = self._copies
        if copies is None or (copies.names, copies.rows) != ([*names], rows):
            copies = self._copies = RowGroupCopies(names, rows, metadata)
        return copies
