"""Arrow IPC files (Feather among them) and streams, mapped into memory rather than read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from separatrix.rows.files.source import (
    InputFile,
    Source,
    damaged_file_error,
    explain_errors,
    split_batch,
    validate_batch,
)

MAGIC = b"ARROW1"


class ArrowSource(Source):
    """An Arrow IPC file or stream."""

    def __init__(self, input_file: InputFile) -> None:
        self.input_file = input_file
        with input_file.path.open("rb") as file:
            self._is_random_access = file.read(len(MAGIC)) == MAGIC
        self.schema, self.n_rows = explain_errors(input_file.name, self._read_schema)
        input_file.require("rows", self.n_rows, f"states {self.n_rows:,} rows")

    def _read_schema(self) -> tuple[Any, int]:
        with pa.memory_map(str(self.input_file.path)) as memory_map:
            schema = self._open_reader(memory_map, None).schema
            self.input_file.require_columns(len(schema))
            first_field = None if not schema.names else [0]
            return schema, sum(batch.num_rows for batch in self._read_batches(memory_map, first_field))

    def _open_reader(self, memory_map: Any, fields: list[int] | None) -> Any:
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        memory_map.seek(0)
        return (pa.ipc.open_file if self._is_random_access else pa.ipc.open_stream)(
            memory_map, options=options
        )

    def _read_batches(self, memory_map: Any, fields: list[int] | None) -> Iterator[Any]:
        reader = self._open_reader(memory_map, fields)
        if not self._is_random_access:
            yield from reader
            return
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        names = [*features] if label is None else [*features, label]
        fields = sorted(self.schema.get_field_index(name) for name in names)
        try:
            with pa.memory_map(str(self.input_file.path)) as memory_map:
                for batch in self._read_batches(memory_map, fields):
                    yield from split_batch(validate_batch(batch).select(names), rows)
        except (pa.ArrowException, OSError) as error:
            raise damaged_file_error(self.input_file.name, error) from None
