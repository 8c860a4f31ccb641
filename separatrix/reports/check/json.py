"""What `check` found, as one JSON object with a documented shape (docs/command-line.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from separatrix.reports.check.separation_record import SeparationRecord
from separatrix.rows import Rows


def to_dict(answers: Sequence[SeparationRecord], rows: Rows, intercept: bool) -> dict[str, Any]:
    """JSON values: the data, and the answer about each class."""
    assert rows.classes is not None
    return {
        "format": "separatrix-check",
        "version": 1,
        "data": {
            "name": rows.name,
            "rows": rows.n_rows,
            "columns": rows.n_columns,
            "features": None if rows.columns is None else list(rows.columns),
            "label": rows.label,
            "classes": rows.classes.tolist(),
        },
        "intercept": intercept,
        "separable": all(answer.separable for answer in answers),
        "decided": all(answer.decided for answer in answers),
        "tasks": [answer.record() for answer in answers],
    }
