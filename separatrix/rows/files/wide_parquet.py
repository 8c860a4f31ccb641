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
import pyarrow.types as kinds

from separatrix.rows.files.source import recut, sound

SIDE_BY_SIDE = 48 * 2**20  # bytes that the columns of one reader may keep
TOGETHER = 8 * 2**20  # the same for columns staged together
KEPT = 2 * 2**20  # of one column: PyArrow writes pages, and dictionaries, of one megabyte
SHARE = 0.5  # of the free disk; row groups beyond it are staged again in every pass
IN_MEMORY = ("tmpfs", "ramfs")


class Staged(NamedTuple):
    """One row group: a file, and for each set of columns its schema and where its batches lie."""

    path: Path
    schemas: list[Any]
    spans: list[list[tuple[int, int]]]

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        with pa.OSFile(str(self.path), "rb") as file:
            for places in zip(*self.spans, strict=True):
                columns = []
                for schema, (start, size) in zip(self.schemas, places, strict=True):
                    file.seek(start)
                    message = ipc.read_message(file.read_buffer(size))
                    columns += ipc.read_record_batch(message, schema).columns
                yield pa.RecordBatch.from_arrays(columns, names=list(names))


class Staging:
    """The row groups of a Parquet file, for these columns and batches of so many rows."""

    def __init__(self, names: Sequence[str], rows: int, metadata: Any) -> None:
        self.names, self.rows = list(names), rows
        self._sets = sets_of_columns(metadata, names)
        folder = roomy_folder()
        self.folder = Path(tempfile.mkdtemp(prefix="separatrix-", dir=folder))
        self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._room = SHARE * shutil.disk_usage(self.folder).free
        self._kept: dict[int, Staged] = {}
        self._lock = Lock()

    def batches(self, open_file: Callable[[], Any]) -> Iterator[Any]:
        with open_file() as file:
            for number in range(file.metadata.num_row_groups):
                if file.metadata.row_group(number).num_rows:
                    staged, passing = self._staged(file, number)
                    try:
                        yield from staged.batches(self.names)
                    finally:
                        if passing:
                            staged.path.unlink(missing_ok=True)

    def _staged(self, file: Any, number: int) -> tuple[Staged, bool]:
        """A row group as it was staged or is staged now, and whether it is for this pass only."""
        with self._lock:
            found = self._kept.get(number)
            if found is not None:
                return found, False
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as made:
                path = Path(made.name)
            staged = self._stage(file, number, path)
            size = path.stat().st_size
            if size > self._room:
                return staged, True
            self._room -= size
            self._kept[number] = staged
            return staged, False

    def _stage(self, file: Any, number: int, path: Path) -> Staged:
        staged = Staged(path, [], [])
        with pa.OSFile(str(path), "wb") as out:
            for names in self._sets:
                spans: list[tuple[int, int]] = []
                writer = None
                read = file.iter_batches(self.rows, row_groups=[number], columns=names, use_threads=False)
                for parts, _ in recut(((sound(batch), None) for batch in read), self.rows):
                    batch = _plain(parts[0] if len(parts) == 1 else pa.concat_batches(parts), names)
                    if writer is None:
                        writer = ipc.new_stream(out, batch.schema)
                        writer.write_batch(batch.slice(0, 0))  # which takes the schema with it
                        staged.schemas.append(batch.schema)
                    start = out.tell()
                    writer.write_batch(batch)
                    spans.append((start, out.tell() - start))
                staged.spans.append(spans)
        return staged


def many_side_by_side(metadata: Any, names: Sequence[str]) -> bool:
    """Whether one reader of all these columns would keep too much.

    The columns of a row group are looked at only where their number and its size leave the answer open:
    PyArrow ends the process when a damaged footer is asked for one.
    """
    groups = range(metadata.num_row_groups)
    most = max((metadata.row_group(number).total_byte_size for number in groups), default=0)
    if min(len(names) * KEPT, most) <= SIDE_BY_SIDE:
        return False
    return sum(_kept_bytes(metadata, names)) > SIDE_BY_SIDE


def sets_of_columns(metadata: Any, names: Sequence[str]) -> list[list[str]]:
    """Neighbouring columns that may be read together."""
    sets: list[list[str]] = []
    room = 0
    for name, size in zip(names, _kept_bytes(metadata, names), strict=True):
        if size > room or not sets:
            sets.append([])
            room = TOGETHER
        sets[-1].append(name)
        room -= size
    return sets


def _kept_bytes(metadata: Any, names: Sequence[str]) -> list[int]:
    """What PyArrow keeps of each column while it reads, at most, over all row groups."""
    most = dict.fromkeys(names, 0)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            name = column.path_in_schema
            if name in most:
                most[name] = max(most[name], min(KEPT, column.total_uncompressed_size))
    return list(most.values())


def roomy_folder() -> str:
    """The folder for temporary files; not one that lies in memory, where another is to be had."""
    usual, lasting = tempfile.gettempdir(), "/var/tmp"
    return lasting if _in_memory(usual) and Path(lasting).is_dir() else usual


def _in_memory(folder: str) -> bool:
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    except OSError:
        return False
    place = Path(folder).resolve()
    over = [mount for mount in mounts if place.is_relative_to(mount[1])]
    return bool(over) and max(over, key=lambda mount: len(mount[1]))[2] in IN_MEMORY


def _plain(batch: Any, names: Sequence[str]) -> Any:
    """Without dictionaries, which would be messages of their own."""
    columns = [
        column.dictionary_decode() if kinds.is_dictionary(column.type) else column
        for column in batch.select(names).columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(names))
