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
from separatrix.rows.data_errors import DataError

Item = TypeVar("Item")
GZIP_MAGIC = b"\x1f\x8b"
MAX_QUOTED_CHARACTERS = 160  # characters of what another library said

READ_AHEAD_BYTES = 2**17  # bytes


class InputFile:
    """Where a file lies, its name in messages, its limits, how it is packed, and whether it has changed.

    Whoever rewrites a file can restore its size and its modification time. The inode and the time of the last
    status change, which the system keeps, then still differ.
    """

    def __init__(self, path: str | Path, name: str | None = None) -> None:
        self.path = Path(path)
        self.name = name or self.path.name or str(self.path)
        self.limits = limits.current()
        self._state = self._read_state()

    def _read_state(self) -> tuple[int, int, int, int]:
        try:
            status = self.path.stat()
        except OSError as error:
            raise cannot_open_error(self.name, error) from None
        return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns

    @property
    def size(self) -> int:
        return self._state[0]

    @cached_property
    def gzipped(self) -> bool:
        """Whether the first bytes are those of gzip, whatever the file is called."""
        with self.path.open("rb") as file:
            return file.read(len(GZIP_MAGIC)) == GZIP_MAGIC

    def require_unchanged(self) -> None:
        if self._read_state() != self._state:
            raise self.changed_error()

    def changed_error(self) -> DataError:
        return DataError(f"{self.name} has changed since it was first read: read it again.")

    def require(self, limit: str, size: int, description: str) -> None:
        """Refuse the file if ``size`` is above a limit; ``description`` says of which size that is."""
        if size > getattr(self.limits, limit):
            raise self.limit_error(description, limit, size)

    def require_columns(self, count: int) -> None:
        self.require("columns", count, f"has {count:,} columns")

    def require_proportion(self, packed: int, unpacked: int) -> None:
        """Refuse so many bytes that unpack to so many, if that is out of proportion."""
        if self.limits.unpacks_too_far(packed, unpacked):
            times = unpacked // max(packed, 1)
            raise self.limit_error(f"unpacks to {times:,} times its size", "ratio", 2 * times)

    def limit_error(self, description: str, limit: str, needed: int | None = None) -> DataError:
        return DataError(self.limits.too_much(f"{self.name} {description}", limit, needed))


class UnpackedStream(io.RawIOBase):
    """What a gzip file unpacks to, refused where that is out of proportion.

    Each stretch of ``unpacked_bytes`` is judged by itself: ordinary rows at the beginning hide nothing.
    """

    def __init__(self, input_file: InputFile, packed: Any, stream: Any) -> None:
        super().__init__()
        self._input_file, self._packed, self._stream = input_file, packed, stream
        self._start = self._unpacked_bytes = (
            0  # of the stretch: where it begins in the file, what it has unpacked to
        )

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_bytes: int = self._stream.readinto(buffer)
        self._unpacked_bytes += n_bytes
        if self._unpacked_bytes > self._input_file.limits.unpacked_bytes:
            stop = self._packed.tell()
            self._input_file.require_proportion(stop - self._start, self._unpacked_bytes)
            self._start, self._unpacked_bytes = stop, 0
        return n_bytes

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            self._packed.close()
        super().close()


def open_unpacked(input_file: InputFile) -> IO[bytes]:
    """A file to be read, through gzip if it is packed."""
    packed = input_file.path.open("rb")
    if not input_file.gzipped:
        return packed
    return io.BufferedReader(
        UnpackedStream(input_file, packed, gzip.GzipFile(fileobj=packed)), READ_AHEAD_BYTES
    )


class Source(ABC):
    """A file of named columns.

    Attributes
    ----------
    input_file : Place
    schema : pyarrow.Schema
        All its columns.
    n_rows : int or None
        None when it takes a whole pass to know.
    has_text_labels : bool
        Whether labels stand in the file as text, so that their type must be told from all of them.
    """

    input_file: InputFile
    schema: Any
    n_rows: int | None = None
    has_text_labels: bool = False

    @abstractmethod
    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        """Record batches of the features, then the label, of at most ``rows`` rows; may be called again."""

    def estimate_rows(self) -> int:
        """About how many rows there are, as the beginning of the file tells; 0 when it does not."""
        return self.n_rows or 0

    def require_exact(self, names: Sequence[str]) -> None:
        """Refuse whole numbers of these columns that doubles cannot hold; typed files need not ask."""

    def describe_cell(self, row: int, column: str) -> str:
        """A row (counted from 0) and a column in words."""
        return f"{self.input_file.name}, row {row + 1}, column {column!r}"

    def read_first_value(self, column: str) -> Any:
        batch = next(iter(self.batches([column], None, 1)), None)
        return None if batch is None or batch.num_rows == 0 else batch.column(0)[0].as_py()


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, the next one being made on another thread while the last is used."""
    # Queues without locks of their own in Python: an interrupt can come at any moment and upsets none.
    requests: SimpleQueue[bool] = SimpleQueue()
    results: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    sentinel: Any = object()

    def produce() -> None:
        while requests.get():
            try:
                results.put((next(items, sentinel), None))
            except BaseException as error:
                results.put((sentinel, error))

    thread = Thread(target=produce, name="separatrix-read", daemon=True)
    try:
        thread.start()
        requests.put(True)
        while True:
            item, error = results.get()
            if error is not None:
                raise error
            if item is sentinel:
                return
            requests.put(True)
            yield item
    finally:
        requests.put(False)
        if thread.is_alive():
            thread.join()


def regroup_batches(batches: Iterator[tuple[Any, Any]], size: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Cut batches and their codes anew into runs of ``size`` rows, the last one shorter, copying nothing."""
    parts: list[Any] = []
    codes: list[Any] = []
    n_wanted = size
    for batch, batch_codes in batches:
        start = 0
        while start < batch.num_rows:
            n_taken = min(n_wanted, batch.num_rows - start)
            parts.append(batch.slice(start, n_taken))
            if batch_codes is not None:
                codes.append(batch_codes[start : start + n_taken])
            start += n_taken
            n_wanted -= n_taken
            if n_wanted == 0:
                yield parts, codes
                parts, codes, n_wanted = [], [], size
    if parts:
        yield parts, codes


def split_batch(batch: Any, rows: int) -> Iterator[Any]:
    """A record batch in slices of at most ``rows`` rows."""
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def validate_batch(batch: Any) -> Any:
    """The batch, once every offset, dictionary index and text in it has been checked.

    Arrow takes them from the file as they are, and a wrong one leads to memory that is not ours.
    """
    batch.validate(full=True)
    return batch


def explain_errors(name: str, action: Callable[[], Item]) -> Item:
    """Do what may meet a broken file; what PyArrow or the system says becomes one sentence."""
    try:
        return action()
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        raise damaged_file_error(name, error) from None


def damaged_file_error(name: str, error: BaseException) -> DataError:
    """A file that cannot be read to its end."""
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        return cannot_open_error(name, error)
    message = extract_first_line(error)
    return DataError(
        f"{name} cannot be read: {message}; it may be damaged or cut short, write or fetch it again."
    )


def cannot_open_error(name: str, error: OSError) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"{name} does not exist: check the path.")
    return DataError(f"{name} cannot be opened: {os.strerror(error.errno) if error.errno else error}.")


def extract_first_line(error: BaseException) -> str:
    """The first line of what another library said, without its full stop."""
    lines = str(error).strip().splitlines()
    message = lines[0].rstrip(". ") if lines else type(error).__name__
    return message if len(message) <= MAX_QUOTED_CHARACTERS else f"{message[:MAX_QUOTED_CHARACTERS]}..."
