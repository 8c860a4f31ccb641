"""Columns of a Parquet file put in the order of rows once, in temporary files.

PyArrow keeps a page and a dictionary of every column it reads side by side: two megabytes a column, whatever
the size of a batch. Where there are many columns, each row group is therefore read a few columns at a time
and written out in batches of rows. Later passes read those, and decode nothing again.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.types as arrow_types

from separatrix.rows.files.source import regroup_batches, validate_batch

MAX_READER_BYTES = 48 * 2**20  # bytes that the columns of one reader may keep
COLUMN_GROUP_BYTES = 8 * 2**20  # the same for columns staged together
MAX_COLUMN_BYTES = 2 * 2**20  # of one column: PyArrow writes pages, and dictionaries, of one megabyte
MAX_DISK_SHARE = 0.5  # of the free disk; row groups beyond it are staged again in every pass
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")


class RowGroupCopy(NamedTuple):
    """One row group: a file, and for each set of columns its schema and where its batches lie."""

    path: Path
    schemas: list[Any]
    spans: list[list[tuple[int, int]]]

    def read_batches(self, names: Sequence[str]) -> Iterator[Any]:
        with pa.OSFile(str(self.path), "rb") as file:
            for places in zip(*self.spans, strict=True):
                columns = []
                for schema, (start, size) in zip(self.schemas, places, strict=True):
                    file.seek(start)
                    message = ipc.read_message(file.read_buffer(size))
                    columns += ipc.read_record_batch(message, schema).columns
                yield pa.RecordBatch.from_arrays(columns, names=list(names))


class RowGroupCopies:
    """The row groups of a Parquet file, for these columns and batches of so many rows."""

    def __init__(self, names: Sequence[str], rows: int, metadata: Any) -> None:
        self.names, self.rows = list(names), rows
        self._column_groups = group_columns(metadata, names)
        parent = choose_temporary_folder()
        self.folder = Path(tempfile.mkdtemp(prefix="separatrix-", dir=parent))
        self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._free_bytes = MAX_DISK_SHARE * shutil.disk_usage(self.folder).free
        self._copies: dict[int, RowGroupCopy] = {}
        self._lock = Lock()

    def read_batches(self, open_file: Callable[[], Any]) -> Iterator[Any]:
        with open_file() as file:
            for number in range(file.metadata.num_row_groups):
                if file.metadata.row_group(number).num_rows:
                    copy, is_temporary = self._find_or_copy(file, number)
                    try:
                        yield from copy.read_batches(self.names)
                    finally:
                        if is_temporary:
                            copy.path.unlink(missing_ok=True)

    def _find_or_copy(self, file: Any, number: int) -> tuple[RowGroupCopy, bool]:
        """A row group as it was staged or is staged now, and whether it is for this pass only."""
        with self._lock:
            found = self._copies.get(number)
            if found is not None:
                return found, False
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as created:
                path = Path(created.name)
            copy = self._copy(file, number, path)
            size = path.stat().st_size
            if size > self._free_bytes:
                return copy, True
            self._free_bytes -= size
            self._copies[number] = copy
            return copy, False

    def _copy(self, file: Any, number: int, path: Path) -> RowGroupCopy:
        copy = RowGroupCopy(path, [], [])
        with pa.OSFile(str(path), "wb") as output:
            for names in self._column_groups:
                spans: list[tuple[int, int]] = []
                writer = None
                batches = file.iter_batches(self.rows, row_groups=[number], columns=names, use_threads=False)
                for parts, _ in regroup_batches(
                    ((validate_batch(batch), None) for batch in batches), self.rows
                ):
                    batch = _decode_dictionaries(
                        parts[0] if len(parts) == 1 else pa.concat_batches(parts), names
                    )
                    if writer is None:
                        writer = ipc.new_stream(output, batch.schema)
                        writer.write_batch(batch.slice(0, 0))  # which takes the schema with it
                        copy.schemas.append(batch.schema)
                    start = output.tell()
                    writer.write_batch(batch)
                    spans.append((start, output.tell() - start))
                copy.spans.append(spans)
        return copy


def is_wide(metadata: Any, names: Sequence[str]) -> bool:
    """Whether one reader of all these columns would keep too much.

    The columns of a row group are looked at only where their number and its size leave the answer open:
    PyArrow ends the process when a damaged footer is asked for one.
    """
    group_numbers = range(metadata.num_row_groups)
    largest_group = max((metadata.row_group(number).total_byte_size for number in group_numbers), default=0)
    if min(len(names) * MAX_COLUMN_BYTES, largest_group) <= MAX_READER_BYTES:
        return False
    return sum(_estimate_column_bytes(metadata, names)) > MAX_READER_BYTES


def group_columns(metadata: Any, names: Sequence[str]) -> list[list[str]]:
    """Neighbouring columns that may be read together."""
    groups: list[list[str]] = []
    free_bytes = 0
    for name, size in zip(names, _estimate_column_bytes(metadata, names), strict=True):
        if size > free_bytes or not groups:
            groups.append([])
            free_bytes = COLUMN_GROUP_BYTES
        groups[-1].append(name)
        free_bytes -= size
    return groups


def _estimate_column_bytes(metadata: Any, names: Sequence[str]) -> list[int]:
    """What PyArrow keeps of each column while it reads, at most, over all row groups."""
    largest = dict.fromkeys(names, 0)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            name = column.path_in_schema
            if name in largest:
                largest[name] = max(largest[name], min(MAX_COLUMN_BYTES, column.total_uncompressed_size))
    return list(largest.values())


def choose_temporary_folder() -> str:
    """The folder for temporary files; not one that lies in memory, where another is to be had."""
    default, on_disk = tempfile.gettempdir(), "/var/tmp"
    return on_disk if _is_in_memory(default) and Path(on_disk).is_dir() else default


def _is_in_memory(folder: str) -> bool:
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    except OSError:
        return False
    path = Path(folder).resolve()
    containing = [mount for mount in mounts if path.is_relative_to(mount[1])]
    return bool(containing) and max(containing, key=lambda mount: len(mount[1]))[2] in MEMORY_FILE_SYSTEMS


def _decode_dictionaries(batch: Any, names: Sequence[str]) -> Any:
    """Without dictionaries, which would be messages of their own."""
    columns = [
        column.dictionary_decode() if arrow_types.is_dictionary(column.type) else column
        for column in batch.select(names).columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(names))
