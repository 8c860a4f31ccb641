"""A folder that only this user can change, for files that are run when they are loaded.

POSIX owners and modes are checked, of the folder, of every folder and symbolic link on the way to it, and of
each file. Windows keeps no such modes; there a folder is as private as its access list makes it.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OWN_FOLDER_ADVICE = "set SEPARATRIX_CACHE_DIR to a folder of your own"


class SharedFolder(PermissionError):
    """Another user could change what lies in a folder."""


def make_private(folder: Path) -> None:
    """Create the folder if it is missing; raise `SharedFolder` if another user can change what lies in it."""
    _create(folder)
    require_private(folder)


def _create(folder: Path) -> None:
    # Folders above it that are missing get mode 0700 too: os.makedirs would leave their mode to the umask.
    if not folder.is_dir():
        _create(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def require_private(folder: Path) -> None:
    """Raise `SharedFolder` if another user owns the folder, can write to it or can replace it."""
    if sys.platform == "win32":
        return
    user, last = os.geteuid(), folder.stat()  # raises on links that lead in a circle
    for part in _path_parts(folder):
        status = part.lstat()
        if status.st_uid not in (user, 0):
            raise _of_another(part)
        if not stat.S_ISLNK(status.st_mode) and _replaceable(status, user):
            raise _writable(part, status)
    if last.st_uid != user:
        raise _of_another(folder)
    if last.st_mode & OTHERS_WRITE:
        raise _writable(folder, last)


def read_private(path: Path) -> bytes:
    """The bytes of a file in a private folder, if only this user can have written them."""
    require_private(path.parent)
    if sys.platform == "win32":
        return path.read_bytes()
    # A file may be older than the mode of its folder: a link or a pipe is not followed or waited for.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & OTHERS_WRITE:
            raise PermissionError(f"{path} may be the work of another user.")
        return file.read()


def write_private(path: Path, content: bytes) -> None:
    """Put a file in a private folder at once, with mode 0600 from the beginning."""
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.tmp.")
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _path_parts(folder: Path) -> Iterator[Path]:
    """Each folder and each symbolic link that is passed when the path is opened, from the root down."""
    whole = folder.absolute()
    for part in (*reversed(whole.parents), whole):
        yield part
        if part.is_symlink():
            yield from _path_parts(part.parent / part.readlink())


def _replaceable(status: os.stat_result, user: int) -> bool:
    """Whether others may rename what lies in this folder."""
    if status.st_mode & stat.S_ISVTX:
        return False
    # Under umask 002 the home folder is writable by its group; such a group can run code as the user anyway.
    return bool(status.st_mode & (stat.S_IWOTH if status.st_uid == user else OTHERS_WRITE))


def _of_another(place: Path) -> SharedFolder:
    return SharedFolder(f"{place} belongs to another user; {OWN_FOLDER_ADVICE}")


def _writable(place: Path, status: os.stat_result) -> SharedFolder:
    # Nobody should take the write permission from /tmp.
    own = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    remedy = "run chmod go-w on it" if own else OWN_FOLDER_ADVICE
    return SharedFolder(f"other users can write to {place}; {remedy}")
