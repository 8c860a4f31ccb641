"""Compiled kernels kept on disk, one file a variant, in a folder of the user's.

Numba's own cache numbers its files through a shared index: two processes that compile different variants at
once can leave an index that points to the wrong machine code (numba#4807), and it fails where the package
folder is read-only. Here a variant's file name is a digest of everything that decides its code, files appear
by atomic rename, and a missing, damaged or unwritable cache only means compiling again.

The files hold pickled code, and their digest has no key: whoever can write a file can have its code run. So
nothing is loaded from a folder, or kept in it, that another user can change.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from separatrix.kernels.private_folder import SharedFolder, make_private, read_private, write_private

KERNEL_BYTES = 2**16  # of a file, about

_announced = False
_starts: list[float] = []  # of the kernels that are being compiled, the outermost first; numba has one lock
_seconds = 0.0
announce: Callable[[str], None] | None = None  # None: a line on standard error


def folder() -> Path:
    """Where compiled kernels are kept: SEPARATRIX_CACHE_DIR, or the platform's cache folder."""
    given = os.environ.get("SEPARATRIX_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        top = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        top = Path.home() / "Library" / "Caches"
    else:
        top = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    import numba

    return top / "separatrix" / f"numba-{numba.__version__}"


def kernel_sources() -> list[Path]:
    """The files that hold compiled code: all of ``kernels`` and every ``*_kernels.py`` of the package."""
    shared = Path(__file__).parent
    return sorted({*shared.rglob("*.py"), *shared.parent.rglob("*_kernels.py")})


@cache
def _sources() -> tuple[str, dict[Path, tuple[int, ...]]]:
    """The digest of all compiled code, and the versions of the files that it was made from."""
    # Kernels call one another across files, so a change in any of them makes all cached code stale.
    package, digest, versions = Path(__file__).parent.parent, hashlib.sha256(), {}
    for path in kernel_sources():
        versions[path] = _version_of(path)
        name = path.relative_to(package).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest(), versions


def _version_of(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _sources_changed() -> bool:
    """Whether a file has been rewritten since: chapters are imported late, so from now on the digest may not
    speak of the code in this process."""
    try:
        return any(_version_of(path) != version for path, version in _sources()[1].items())
    except OSError:
        return True


@contextmanager
def announcing(show: Callable[[str], None]) -> Iterator[None]:
    """Have ``show`` told that kernels are compiled, as the command line does under --quiet."""
    global announce
    before, announce = announce, show
    try:
        yield
    finally:
        announce = before


def seconds_compiling() -> float:
    """How long this process has compiled kernels: no part of any time limit."""
    return _seconds


def _start_compiling() -> None:
    _starts.append(perf_counter())
    _announce_compiling()


def _end_compiling() -> None:
    global _seconds
    if _starts:
        start = _starts.pop()
        if not _starts:
            _seconds += perf_counter() - start


def _announce_compiling() -> None:
    global _announced
    if _announced:
        return
    _announced = True
    message = f"separatrix: compiling kernels for this CPU ({_how_long()})"
    if announce is not None:
        announce(message)
    elif sys.stderr is not None:
        print(message, file=sys.stderr, flush=True)


def _how_long() -> str:
    place = folder()
    try:
        make_private(place)
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(bytes(KERNEL_BYTES))
    except SharedFolder as found:
        return f"in every run, because {found}"
    except OSError:
        return f"in every run: {place} cannot be written, SEPARATRIX_CACHE_DIR may name another folder"
    return "once; they are kept for the next run"


def keep_on_disk(dispatcher: Any, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Give a numba dispatcher our cache; where numba's private parts have changed, leave it without one."""
    try:
        dispatcher._cache = _cache_class()(function, options)
    except Exception:
        return


def _cache_class() -> Any:
    from numba.core import caching

    # Its name began with an underscore before numba 0.62.
    kept_for_a_user: Any = getattr(caching, "UserWideCacheLocator", None) or caching._UserWideCacheLocator

    class Locator(kept_for_a_user):
        def __init__(self, py_func: Any, py_file: str) -> None:
            super().__init__(py_func, py_file)
            self._cache_path = str(folder())

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            # Numba would ask for a folder that can be written; what lies in another can still be loaded.
            return cls(py_func, py_file) if os.path.exists(py_file) else None

        def ensure_cache_path(self) -> None:
            make_private(Path(self._cache_path))

        def get_source_stamp(self) -> str:
            return _sources()[0]

    class Implementation(caching.CompileResultCacheImpl):
        _locator_classes = (Locator,)

    class Files(caching.IndexDataCacheFile):
        def _file_of(self, key: Any) -> str:
            tag = repr((self._version, self._source_stamp, key)).encode()
            return f"{self._index_name[:-4]}.{hashlib.sha256(tag).hexdigest()[:20]}.nbc"

        def save(self, key: Any, data: Any) -> None:
            body = self._dump(data)
            write_private(Path(self._data_path(self._file_of(key))), hashlib.sha256(body).digest() + body)

        def load(self, key: Any) -> Any:
            # Machine code with one wrong byte would not raise but crash, or answer wrongly.
            whole = read_private(Path(self._data_path(self._file_of(key))))
            digest, body = whole[:32], whole[32:]
            return pickle.loads(body) if hashlib.sha256(body).digest() == digest else None

    class Cache(caching.FunctionCache):
        _impl_class = Implementation

        def __init__(self, py_func: Any, options: dict[str, Any]) -> None:
            super().__init__(py_func)
            # A set prints in another order in each process; sorted, equal options have equal names.
            plain_options = sorted((k, sorted(v) if isinstance(v, set) else v) for k, v in options.items())
            # Numba's own name for a function has the name of its file, which another chapter may use, too.
            stamp = (self._impl.locator.get_source_stamp(), py_func.__module__, repr(plain_options))
            self._cache_file = Files(self._cache_path, self._impl.filename_base, stamp)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                found = None if _sources_changed() else super().load_overload(sig, target_context)
            except Exception:
                found = None
            if found is None:
                _start_compiling()
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                if not _sources_changed():
                    super().save_overload(sig, data)
            except Exception:
                return
            finally:
                _end_compiling()

    return Cache
