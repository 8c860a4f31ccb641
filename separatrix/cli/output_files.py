"""Files that commands write: asked about before the work, written whole after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import click

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1")


def require_writable(*, read: Sequence[str | None] = (), **outputs: str | None) -> None:
    """Refuse, before any work is done, a place where no file can be written; keys are the options.

    ``read`` has the files that the command reads: none of them is written over.
    """
    seen: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        name = f"--{option}"
        if path in STANDARD_OUTPUT:
            if "-" in seen:
                raise click.UsageError(f"{name} and {seen['-']} both want standard output: name a file.")
            seen["-"] = name
            continue
        if not path:
            raise click.UsageError(f"{name} '': name a file.")
        folder = os.path.dirname(os.path.realpath(path))
        if option == "checkpoint" and _is_special(path) and not os.path.isdir(path):
            raise click.UsageError(f"{name} {path}: this is a pipe or a device; name a file.")
        if os.path.isdir(path):
            raise click.UsageError(f"{name} {path}: this is a folder; name a file in it.")
        if not os.path.isdir(folder):
            raise click.UsageError(f"{name} {path}: there is no such folder.")
        if not os.access(folder, os.W_OK) and not os.path.exists(path):
            raise click.UsageError(f"{name} {path}: this folder may not be written to.")
        real = os.path.realpath(path)
        if real in seen:
            raise click.UsageError(f"{name} and {seen[real]} name the same file.")
        seen[real] = name
        _require_not_read(name, path, read)


def require_suffix(option: str, path: str | None, known: Sequence[str]) -> None:
    """Refuse a name whose suffix tells another format than is written; one without a suffix tells none."""
    if path is None or _is_special(path):
        return
    stem, suffix = os.path.splitext(path.lower())
    if suffix == ".gz":
        suffix = os.path.splitext(stem)[1] + suffix
    if suffix and suffix not in known:
        raise click.UsageError(f"--{option} {path}: the suffix has to be {' or '.join(known)}.")


def require_folder(option: str, path: str | None, *, read: Sequence[str | None] = ()) -> None:
    """Refuse, before any work is done, a folder that is not there and cannot be made.

    Of a folder that is there, no JSON file may be one of those that the command reads.
    """
    if path is None:
        return
    if not path:
        raise click.UsageError(f"--{option} '': name a folder.")
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            if name.endswith(".json"):
                _require_not_read(f"--{option}", os.path.join(path, name), read)
        return
    if os.path.exists(path):
        raise click.UsageError(f"--{option} {path}: this is a file; name a folder.")
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise click.UsageError(f"--{option} {path}: there is no folder to make it in.")


def _require_not_read(option: str, path: str, read: Sequence[str | None]) -> None:
    if any(_is_read(path, given) for given in read if given is not None):
        raise click.UsageError(f"{option} {path}: the command reads this file; name another to write.")


def _is_read(path: str, given: str) -> bool:
    """Whether both are one file, by whatever names; a device may be read and written."""
    try:
        if given == "-":
            return os.path.isfile(path) and os.path.samestat(os.stat(path), os.fstat(sys.stdin.fileno()))
        return os.path.isfile(path) and os.path.samefile(path, given)
    except OSError:  # what is not there, which is told when it is read; or a stream that is no file
        return False


def _is_special(path: str) -> bool:
    """A pipe or a device."""
    return os.path.exists(path) and not os.path.isfile(path)


@contextmanager
def open_output(path: str, *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file that appears whole or not at all; '-' is standard output, a pipe or a device is as it is."""
    if path in STANDARD_OUTPUT:
        yield sys.stdout.buffer if binary else sys.stdout
        return
    from separatrix.models.whole_file import atomic_write

    with atomic_write(path, binary=binary) as file:
        yield file


def write(path: str, text: str) -> None:
    with open_output(path) as file:
        file.write(text)
