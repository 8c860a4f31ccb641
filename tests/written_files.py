"""One table written in every format, and rows read back as arrays."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from separatrix.rows.files.formats import FORMATS, Format, find_format_by_suffix

NAMES = ["a", "b", "c"]
ENDINGS = [
    ending.removeprefix(".")
    for item in FORMATS
    for suffix in item.suffixes
    for ending in (suffix, f"{suffix}.gz")[: 1 + item.gzippable]
]


def format_of(ending: str) -> Format:
    """The format of files that end so, perhaps in ``.gz``."""
    found = find_format_by_suffix("." + ending.removesuffix(".gz"))
    assert found is not None
    return found


def matrix_of(rows):
    """All rows as one dense array, and the codes."""
    parts, codes, at = [], [], 0
    for block in rows.blocks():
        assert block.start == at
        assert len(block) == block.stop - block.start > 0
        at = block.stop
        X = block.X
        if isinstance(X, tuple):
            dense = np.zeros((len(block), rows.n_columns))
            dense[np.repeat(np.arange(len(block)), np.diff(X.indptr)), X.indices] = X.data
            X = dense
        else:
            assert X.flags.c_contiguous
            assert not X.flags.writeable
        parts.append(X)
        codes.append(block.codes)
    assert at == rows.n_rows == len(rows)
    return np.concatenate(parts), None if codes[0] is None else np.concatenate(codes)


def same_bits(left, right):
    return left.shape == right.shape and left.dtype == right.dtype and left.tobytes() == right.tobytes()


def numbers(n_rows=1000, n_columns=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) * 10.0 ** rng.integers(-30, 30, (n_rows, n_columns))
    X[rng.random(X.shape) < 0.2] = 0.0
    y = np.arange(n_rows) % 2
    rng.shuffle(y)
    return X, y


def write(folder: Path, ending: str, X, y) -> Path:
    """One table in the format of this ending."""
    path = folder / f"table.{ending}"
    content = WRITERS[format_of(ending).name](X, y, ending)
    path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    return path


def _delimited(mark: str):
    def content(X, y, ending):
        lines = [[*map(repr, row), str(label)] for row, label in zip(X.tolist(), y, strict=True)]
        return "\n".join(mark.join(line) for line in [[*NAMES[: X.shape[1]], "label"], *lines, []]).encode()

    return content


def table_of(X, y):
    """The table that files of named columns hold."""
    return pa.table([*map(pa.array, X.T), pa.array(y)], names=[*NAMES[: X.shape[1]], "label"])


def _parquet(X, y, ending):
    file = io.BytesIO()
    pq.write_table(table_of(X, y), file, row_group_size=377)
    return file.getvalue()


def _arrow(X, y, ending):
    file, table = io.BytesIO(), table_of(X, y)
    if ending == "feather":
        pyarrow.feather.write_feather(table, file, chunksize=211)
    else:
        make = pa.ipc.new_stream if ending == "arrows" else pa.ipc.new_file
        with make(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=333)
    return file.getvalue()


def _svmlight(X, y, ending):
    rows = zip(X.tolist(), y, strict=True)
    pairs = [" ".join([str(label), *(f"{j + 1}:{v!r}" for j, v in enumerate(row))]) for row, label in rows]
    return ("\n".join(pairs) + "\n").encode()


def _npy(X, y, ending):
    file = io.BytesIO()
    np.save(file, np.column_stack([X, y]))
    return file.getvalue()


def _npz(X, y, ending):
    file = io.BytesIO()
    np.savez(file, X=X, y=y)
    return file.getvalue()


WRITERS = {
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
    "parquet": _parquet,
    "arrow": _arrow,
    "svmlight": _svmlight,
    "npy": _npy,
    "npz": _npz,
}


def walk(rows):
    """Make every block."""
    for block in rows.blocks():
        assert len(block.X)


def one_sentence(caught):
    """What was caught is a refusal in one sentence, without another exception behind it."""
    message = str(caught.value)
    assert message.endswith(".") or "; got " in message
    assert "\n" not in message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
