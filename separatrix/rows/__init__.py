"""Rows: checked examples and their classes, as a sequence of blocks, wherever they live."""

from __future__ import annotations

from typing import Any

from separatrix.rows.block import Block, Csr
from separatrix.rows.errors import DataError
from separatrix.rows.label_codes import classes_named, encode
from separatrix.rows.memory import DenseRows, SparseRows
from separatrix.rows.rows import Rows, Worst, jobs
from separatrix.rows.views.recoded import recoded
from separatrix.rows.views.targets import with_targets

__all__ = [
    "Block",
    "Csr",
    "DataError",
    "DenseRows",
    "Rows",
    "SparseRows",
    "Worst",
    "as_rows",
    "classes_named",
    "encode",
    "jobs",
    "read",
    "recoded",
    "with_targets",
]


def as_rows(X: Any, y: Any = None, *, n_jobs: int | None = None, regression: bool = False) -> Rows:
    """Rows from arrays, SciPy sparse matrices, pandas and polars frames, Arrow tables, or `Rows` already
    made. With ``regression`` the labels are real numbers to predict.

    >>> rows = as_rows([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    >>> rows.n_rows, rows.n_columns, rows.classes.tolist()
    (2, 2, ['no', 'yes'])
    """
    if isinstance(X, Rows):
        if y is not None:
            raise DataError("Rows carry their own labels: pass them alone, without y.")
        X.require_sound()
        return X
    from separatrix.rows.conversion import rows_given

    if regression:
        return with_targets(rows_given(X, None, n_jobs=jobs(n_jobs)), y)
    return rows_given(X, y, n_jobs=jobs(n_jobs))


def read(path: Any, label: Any = None, *, regression: bool = False, **options: Any) -> Rows:
    """Rows from a CSV, TSV, Parquet, Arrow, svmlight or NumPy file; see `separatrix.rows.files.read`.

    With ``regression`` the label column holds real numbers to predict, not classes.
    """
    from separatrix.rows.files import read as read_file

    share = options.get("share")
    rows = read_file(path, label, regression=regression, **options)
    if share is None or rows.preparation is not None:
        return rows
    from separatrix.rows.split import part

    return part(rows, share)
