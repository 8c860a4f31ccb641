"""One table written in every format, and rows read back as arrays."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

NAMES = ["a", "b", "c"]
KINDS = [
    "csv",
    "tsv",
    "csv.gz",
    "tsv.gz",
    "parquet",
    "feather",
    "arrow",
    "arrows",
    "svm",
    "svm.gz",
    "npy",
    "npz",
]


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


def write(folder: Path, kind: str, X, y) -> Path:
    """One table in one format."""
    table = pa.table([*map(pa.array, X.T), pa.array(y)], names=[*NAMES[: X.shape[1]], "label"])
    path = folder / f"table.{kind}"
    lines = [",".join([*map(repr, row.tolist()), str(label)]) for row, label in zip(X, y, strict=True)]
    text = "\n".join([",".join(table.column_names), *lines]) + "\n"
    if kind in ("csv", "tsv", "csv.gz", "tsv.gz"):
        content = text.replace(",", "\t" if "tsv" in kind else ",").encode()
        path.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    elif kind == "parquet":
        pq.write_table(table, path, row_group_size=377)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, path, chunksize=211)
    elif kind in ("arrow", "arrows"):
        make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with make(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=333)
    elif kind in ("svm", "svm.gz"):
        rows = zip(X.tolist(), y, strict=True)
        pairs = [
            " ".join([str(label), *(f"{j + 1}:{v!r}" for j, v in enumerate(row))]) for row, label in rows
        ]
        content = ("\n".join(pairs) + "\n").encode()
        path.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    elif kind == "npy":
        np.save(path, np.column_stack([X, y]))
    elif kind == "npz":
        np.savez(path, X=X, y=y)
    return path


def walk(rows):
    """Make every block."""
    for block in rows.blocks():
        assert len(block.X)
