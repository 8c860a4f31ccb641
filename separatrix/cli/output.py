"""Files that commands write: asked about before the work, written whole after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click


def require_writable(**outputs: str | None) -> None:
    """Refuse, before any work is done, a place where no file can be written; keys are the options."""
    seen: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None or path == "-":
            continue
        folder = os.path.dirname(os.path.realpath(path))
        name = f"--{option}"
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


def require_folder(option: str, path: str | None) -> None:
    """Refuse, before any work is done, a folder that is not there and cannot be made."""
    if path is None or os.path.isdir(path):
        return
    if os.path.exists(path):
        raise click.UsageError(f"--{option} {path}: this is a file; name a folder.")
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise click.UsageError(f"--{option} {path}: there is no folder to make it in.")


@contextmanager
def opened(path: str, *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file that appears whole or not at all; '-' is standard output."""
    if path == "-":
        yield sys.stdout.buffer if binary else sys.stdout
        return
    from separatrix.models.whole_file import written_whole

    with written_whole(path, binary=binary) as file:
        yield file


def write(path: str, text: str) -> None:
    with opened(path) as file:
        file.write(text)
