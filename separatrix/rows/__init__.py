"""Rows: checked examples and their classes, as a sequence of blocks, wherever they live.

A name is loaded on first use, so that the command line finds the registry of file formats without NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.rows.block import Block, Csr
    from separatrix.rows.conversion import as_rows
    from separatrix.rows.data_errors import DataError
    from separatrix.rows.files.read import read
    from separatrix.rows.label_codes import classes_named, encode
    from separatrix.rows.memory import DenseRows, SparseRows
    from separatrix.rows.rows import Rows
    from separatrix.rows.terms import Worst
    from separatrix.rows.threads import jobs
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

_HOMES = {
    "Block": "block",
    "Csr": "block",
    "DataError": "data_errors",
    "DenseRows": "memory",
    "Rows": "rows",
    "SparseRows": "memory",
    "Worst": "terms",
    "as_rows": "conversion",
    "classes_named": "label_codes",
    "encode": "label_codes",
    "jobs": "threads",
    "read": "files.read",
    "recoded": "views.recoded",
    "with_targets": "views.targets",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
