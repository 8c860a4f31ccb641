"""Arrow IPC files (Feather among them) and streams, mapped into memory rather than read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from separatrix.rows.files.source import Place, Source, broken, guarded, pieces, sound

MAGIC = b"ARROW1"


class ArrowSource(Source):
    """An Arrow IPC file or stream."""

    def __init__(self, place: Place) -> None:
        self.place = place
        with place.path.open("rb") as file:
            self._random = file.read(len(MAGIC)) == MAGIC
        self.schema, self.n_rows = guarded(place.name, self._survey)
        place.require("rows", self.n_rows, f"states {self.n_rows:,} rows")

    def _survey(self) -> tuple[Any, int]:
        with pa.memory_map(str(self.place.path)) as mapped:
            schema = self._reader(mapped, None).schema
            self.place.require_columns(len(schema))
            narrow = None if not schema.names else [0]
            return schema, sum(batch.num_rows for batch in self._read(mapped, narrow))

    def _reader(self, mapped: Any, fields: list[int] | None) -> Any:
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        mapped.seek(0)
        return (pa.ipc.open_file if self._random else pa.ipc.open_stream)(mapped, options=options)

    def _read(self, mapped: Any, fields: list[int] | None) -> Iterator[Any]:
        reader = self._reader(mapped, fields)
        if not self._random:
            yield from reader
            return
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        names = [*features] if label is None else [*features, label]
        fields = sorted(self.schema.get_field_index(name) for name in names)
        try:
            with pa.memory_map(str(self.place.path)) as mapped:
                for batch in self._read(mapped, fields):
                    yield from pieces(sound(batch).select(names), rows)
        except (pa.ArrowException, OSError) as error:
            raise broken(self.place.name, error) from None
