"""Parquet files: read page by page, never a whole row group at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from separatrix.rows.files.source import Place, Source, broken, guarded, sound
from separatrix.rows.files.wide_parquet import Staging, many_side_by_side

BUFFER = 64 * 1024  # bytes read at a time of each column


class ParquetSource(Source):
    """A Parquet file."""

    _staging: Staging | None = None

    def __init__(self, place: Place) -> None:
        self.place = place
        with guarded(place.name, self._open) as file:
            self.schema = file.schema_arrow
            self.n_rows = file.metadata.num_rows
            self._require_sizes(file.metadata)

    def _require_sizes(self, metadata: Any) -> None:
        self.place.require_columns(metadata.num_columns)
        self.place.require("rows", metadata.num_rows, f"states {metadata.num_rows:,} rows")
        sizes = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        self.place.require_proportion(self.place.size, sum(sizes))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_staging"}

    def _open(self) -> Any:
        # The default, pre_buffer=True, keeps all that was read of the file until the last batch.
        return pq.ParquetFile(self.place.path, pre_buffer=False, buffer_size=BUFFER)

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        names = [*features] if label is None else [*features, label]
        try:
            with self._open() as file:
                if many_side_by_side(file.metadata, names):
                    yield from self._staged(names, rows, file.metadata).batches(self._open)
                    return
                # Threads bring heaps of their own, which one column is not worth.
                for batch in file.iter_batches(batch_size=rows, columns=names, use_threads=len(names) > 1):
                    yield sound(batch).select(names)
        except (pa.ArrowException, OSError) as error:
            raise broken(self.place.name, error) from None

    def _staged(self, names: Sequence[str], rows: int, metadata: Any) -> Staging:
        staging = self._staging
        if staging is None or (staging.names, staging.rows) != ([*names], rows):
            staging = self._staging = Staging(names, rows, metadata)
        return staging
