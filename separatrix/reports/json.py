"""A summary for programs: one JSON object with a documented shape (docs/reports.md)."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from separatrix.reports.summary import Summary

FORMAT = "separatrix-summary"
VERSION = 1


def to_dict(summary: Summary) -> dict[str, Any]:
    """JSON values; what is not a finite number is null."""
    fields = asdict(summary)
    for task, record in zip(summary.tasks, fields["tasks"], strict=True):
        record["settled"] = task.settled
        record["evidence"]["proven"] = task.evidence.proven
    return finite({"format": FORMAT, "version": VERSION, **fields, "proven": summary.proven})


def render(summary: Summary) -> str:
    """The text of that object.

    >>> import separatrix as sx
    >>> from separatrix.reports import summarise
    >>> record = json.loads(render(summarise(sx.Perceptron().fit([[0.0], [1.0]], [0, 1]))))
    >>> record["estimator"], record["tasks"][0]["evidence"]["kind"]
    ('Perceptron', 'separable')
    """
    lines = (f" {json.dumps(name)}: {_line(value)}" for name, value in to_dict(summary).items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def finite(value: Any) -> Any:
    """A JSON value with null for every number that is not finite."""
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
