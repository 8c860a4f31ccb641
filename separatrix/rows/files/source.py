"""A file of named columns that can be read again and again, as Arrow record batches."""

from __future__ import annotations

import gzip
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, TypeVar

import pyarrow as pa

from separatrix import limits
from separatrix.rows.errors import DataError

Item = TypeVar("Item")
GZIP = b"\x1f\x8b"
LONGEST_SAID = 160  # characters of what another library said

UNPACKED_AHEAD = 2**17  # bytes


class Place:
    """Where a file lies, its name in messages, its limits, how it is packed, and whether it has changed.

    Whoever rewrites a file can restore its size and its modification time. The inode and the time of the last
    status change, which the system keeps, then still differ.
    """

    def __init__(self, path: str | Path, name: str | None = None) -> None:
        self.path = Path(path)
        self.name = name or self.path.name or str(self.path)
        self.limits = limits.current()
        self._seen = self._look()

    def _look(self) -> tuple[int, int, int, int]:
        try:
            found = self.path.stat()
        except OSError as error:
            raise cannot_open(self.name, error) from None
        return found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns

    @property
    def size(self) -> int:
        return self._seen[0]

    @cached_property
    def gzipped(self) -> bool:
        """Whether the first bytes are those of gzip, whatever the file is called."""
        with self.path.open("rb") as file:
            return file.read(len(GZIP)) == GZIP

    def require_unchanged(self) -> None:
        if self._look() != self._seen:
            raise self.changed()

    def changed(self) -> DataError:
        return DataError(f"{self.name} has changed since it was first read: read it again.")

    def require(self, limit: str, size: int, what: str) -> None:
        """Refuse the file if ``size`` is above a limit; ``what`` says of which size that is."""
        if size > getattr(self.limits, limit):
            raise self.too_much(what, limit, size)

    def require_columns(self, count: int) -> None:
        self.require("columns", count, f"has {count:,} columns")

    def require_proportion(self, packed: int, unpacked: int) -> None:
        """Refuse so many bytes that unpack to so many, if that is out of proportion."""
        if self.limits.unpacks_too_far(packed, unpacked):
            times = unpacked // max(packed, 1)
            raise self.too_much(f"unpacks to {times:,} times its size", "ratio", 2 * times)

    def too_much(self, what: str, limit: str, needed: int | None = None) -> DataError:
        return DataError(self.limits.too_much(f"{self.name} {what}", limit, needed))


class Unpacked(io.RawIOBase):
    """What a gzip file unpacks to, refused where that is out of proportion.

    Each stretch of ``unpacked_bytes`` is judged by itself: ordinary rows at the beginning hide nothing.
    """

    def __init__(self, place: Place, packed: Any, stream: Any) -> None:
        super().__init__()
        self._place, self._packed, self._stream = place, packed, stream
        self._start = self._bytes = 0  # of the stretch: where it begins in the file, what it has unpacked to

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        size: int = self._stream.readinto(room)
        self._bytes += size
        if self._bytes > self._place.limits.unpacked_bytes:
            stop = self._packed.tell()
            self._place.require_proportion(stop - self._start, self._bytes)
            self._start, self._bytes = stop, 0
        return size

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            self._packed.close()
        super().close()


def open_unpacked(place: Place) -> IO[bytes]:
    """A file to be read, through gzip if it is packed."""
    packed = place.path.open("rb")
    if not place.gzipped:
        return packed
    return io.BufferedReader(Unpacked(place, packed, gzip.GzipFile(fileobj=packed)), UNPACKED_AHEAD)


class Source(ABC):
    """A file of named columns.

    Attributes
    ----------
    place : Place
    schema : pyarrow.Schema
        All its columns.
    n_rows : int or None
        None when it takes a whole pass to know.
    written : bool
        Whether labels stand in the file as text, so that their type must be told from all of them.
    """

    place: Place
    schema: Any
    n_rows: int | None = None
    written: bool = False

    @abstractmethod
    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        """Record batches of the features, then the label, of at most ``rows`` rows; may be called again."""

    def guess_rows(self) -> int:
        """About how many rows there are, as the beginning of the file tells; 0 when it does not."""
        return self.n_rows or 0

    def require_exact(self, names: Sequence[str]) -> None:
        """Refuse whole numbers of these columns that doubles cannot hold; typed files need not ask."""

    def cell(self, row: int, column: str) -> str:
        """A row (counted from 0) and a column in words."""
        return f"{self.place.name}, row {row + 1}, column {column!r}"

    def first_value(self, column: str) -> Any:
        batch = next(iter(self.batches([column], None, 1)), None)
        return None if batch is None or batch.num_rows == 0 else batch.column(0)[0].as_py()


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, the next one being made on another thread while the last is used."""
    # Queues without locks of their own in Python: an interrupt can come at any moment and upsets none.
    wanted: SimpleQueue[bool] = SimpleQueue()
    made: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    end: Any = object()

    def make() -> None:
        while wanted.get():
            try:
                made.put((next(items, end), None))
            except BaseException as error:
                made.put((end, error))

    thread = Thread(target=make, name="separatrix-read", daemon=True)
    try:
        thread.start()
        wanted.put(True)
        while True:
            item, error = made.get()
            if error is not None:
                raise error
            if item is end:
                return
            wanted.put(True)
            yield item
    finally:
        wanted.put(False)
        if thread.is_alive():
            thread.join()


def recut(batches: Iterator[tuple[Any, Any]], size: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Cut batches and their codes anew into runs of ``size`` rows, the last one shorter, copying nothing."""
    parts: list[Any] = []
    codes: list[Any] = []
    wanted = size
    for batch, batch_codes in batches:
        at = 0
        while at < batch.num_rows:
            taken = min(wanted, batch.num_rows - at)
            parts.append(batch.slice(at, taken))
            if batch_codes is not None:
                codes.append(batch_codes[at : at + taken])
            at += taken
            wanted -= taken
            if wanted == 0:
                yield parts, codes
                parts, codes, wanted = [], [], size
    if parts:
        yield parts, codes


def pieces(batch: Any, rows: int) -> Iterator[Any]:
    """A record batch in slices of at most ``rows`` rows."""
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def sound(batch: Any) -> Any:
    """The batch, once every offset, dictionary index and text in it has been checked.

    Arrow takes them from the file as they are, and a wrong one leads to memory that is not ours.
    """
    batch.validate(full=True)
    return batch


def guarded(name: str, action: Callable[[], Item]) -> Item:
    """Do what may meet a broken file; what PyArrow or the system says becomes one sentence."""
    try:
        return action()
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        raise broken(name, error) from None


def broken(name: str, error: BaseException) -> DataError:
    """A file that cannot be read to its end."""
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        return cannot_open(name, error)
    said = first_line(error)
    return DataError(
        f"{name} cannot be read: {said}; it may be damaged or cut short, write or fetch it again."
    )


def cannot_open(name: str, error: OSError) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"{name} does not exist: check the path.")
    return DataError(f"{name} cannot be opened: {os.strerror(error.errno) if error.errno else error}.")


def first_line(error: BaseException) -> str:
    """The first line of what another library said, without its full stop."""
    lines = str(error).strip().splitlines()
    said = lines[0].rstrip(". ") if lines else type(error).__name__
    return said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]}..."
