"""Headers of NumPy arrays, read before NumPy makes room for what they state."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from typing import IO, Any

from numpy.lib import format as npy

from separatrix.rows.errors import DataError
from separatrix.rows.files.source import Place

LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}  # of the number that says how long a header is
MOST_HEADER_BYTES = 2**16


def require_npy(place: Place) -> None:
    """Refuse a .npy file whose header states more than is there."""
    with place.path.open("rb") as file:
        _require_array(file, place, place.size)


def require_members(place: Place, archive: Any, names: Iterable[str]) -> None:
    """Refuse an archive if these arrays of it unpack too far, or if a header states more than is there."""
    members = [archive.zip.getinfo(f"{name}.npy") for name in names]
    place.require_proportion(place.size, sum(member.file_size for member in members))
    for member in members:
        with archive.zip.open(member) as file:
            _require_array(file, place, member.file_size)


def require_dimensions(place: Place, shape: Iterable[int]) -> None:
    """Refuse a sparse matrix of so many columns, or rows, that its vectors alone take too much."""
    largest = max(map(int, shape))
    place.require("sparse_columns", largest, f"holds a sparse matrix of dimension {largest:,}")


def _require_array(file: IO[bytes], place: Place, size: int) -> None:
    version = npy.read_magic(file)
    length = file.read(LENGTH_BYTES.get(version, 0))
    header_bytes = int.from_bytes(length, "little")
    if not length or header_bytes > MOST_HEADER_BYTES:
        raise DataError(f"{place.name} has no header that NumPy writes: it may be damaged, write it again.")
    header = io.BytesIO(length + file.read(header_bytes))
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(header)
    start = npy.MAGIC_LEN + len(length) + header_bytes
    rows = max(shape, default=0)
    place.require("rows", rows, f"states {rows:,} rows")
    stated = math.prod(shape) * dtype.itemsize
    if stated > size - start and not dtype.hasobject:
        raise DataError(
            f"{place.name} states an array of shape {shape} and type {dtype}, more than the file holds: "
            "it may be cut short, write it again."
        )
    if dtype.kind in "SU":
        place.require("text_bytes", stated, f"holds {stated:,} bytes of text")
