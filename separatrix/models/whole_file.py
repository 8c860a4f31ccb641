"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file to write to, which gets its name once everything is in it and on the disk.

    It is written under a temporary name in the same folder, which is removed if anything goes wrong, an
    interrupt included; a file that had the name before stays as it was. A pipe or a device is written to as
    it is. An `OSError` names the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "answer.txt")
    ...     with suppress(ZeroDivisionError), atomic_write(path) as file:
    ...         _ = file.write(f"{1 / 0}")
    ...     list(Path(folder).iterdir())
    []
    """
    try:
        with _opened_whole(Path(path), binary) as file:
            yield file
    except OSError as error:
        # A full disk names no file, and the temporary name means nothing to the user.
        if error.errno is not None and str(error.filename or ".part").endswith(".part"):
            error.filename = os.fspath(path)
        raise


@contextmanager
def _opened_whole(given: Path, binary: bool) -> Iterator[IO[Any]]:
    target = Path(os.path.realpath(given))
    if given.exists() and not given.is_file():  # a directory is refused by open, in the system's words
        with _opened(given, "w", binary) as file:
            yield file
        return
    if not target.parent.is_dir():  # or the system's words would be about the temporary name
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        # Mode "x" leaves the permissions to the user's mask, which tempfile would not.
        with _opened(temporary, "x", binary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _opened(path: Path, mode: str, binary: bool) -> IO[Any]:
    return path.open(f"{mode}b") if binary else path.open(mode, encoding="utf-8", newline="")


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk too, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
