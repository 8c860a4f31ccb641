"""Headers of NumPy arrays, read before NumPy makes room for what they state."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from typing import IO, Any

from numpy.lib import format as npy_format

from separatrix.rows.data_errors import DataError
from separatrix.rows.files.source import InputFile

LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}  # of the number that says how long a header is
MAX_HEADER_BYTES = 2**16


def require_npy_header(input_file: InputFile) -> None:
    """Refuse a .npy file whose header states more than is there."""
    with input_file.path.open("rb") as file:
        _require_header(file, input_file, input_file.size)


def require_member_headers(input_file: InputFile, archive: Any, names: Iterable[str]) -> None:
    """Refuse an archive if these arrays of it unpack too far, or if a header states more than is there."""
    members = [archive.zip.getinfo(f"{name}.npy") for name in names]
    input_file.require_proportion(input_file.size, sum(member.file_size for member in members))
    for member in members:
        with archive.zip.open(member) as file:
            _require_header(file, input_file, member.file_size)


def require_dimensions(input_file: InputFile, shape: Iterable[int]) -> None:
    """Refuse a sparse matrix of so many columns, or rows, that its vectors alone take too much."""
    largest = max(map(int, shape))
    input_file.require("sparse_columns", largest, f"holds a sparse matrix of dimension {largest:,}")


def _require_header(file: IO[bytes], input_file: InputFile, size: int) -> None:
    version = npy_format.read_magic(file)
    length_field = file.read(LENGTH_BYTES.get(version, 0))
    header_bytes = int.from_bytes(length_field, "little")
    if not length_field or header_bytes > MAX_HEADER_BYTES:
        raise DataError(
            f"{input_file.name} has no header that NumPy writes: it may be damaged, write it again."
        )
    header = io.BytesIO(length_field + file.read(header_bytes))
    read_header = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, _, dtype = read_header(header)
    data_start = npy_format.MAGIC_LEN + len(length_field) + header_bytes
    rows = max(shape, default=0)
    input_file.require("rows", rows, f"states {rows:,} rows")
    stated_bytes = math.prod(shape) * dtype.itemsize
    if stated_bytes > size - data_start and not dtype.hasobject:
        raise DataError(
            f"{input_file.name} states an array of shape {shape} and type {dtype}, more than the file holds: "
            "it may be cut short, write it again."
        )
    if dtype.kind in "SU":
        input_file.require("text_bytes", stated_bytes, f"holds {stated_bytes:,} bytes of text")
