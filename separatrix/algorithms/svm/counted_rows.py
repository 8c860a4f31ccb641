"""The rows of a weight above 0, and what a proof about them says of all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.certificates import Inseparable, MarginAtMost, MarginBetween, Separable, Undecided
from separatrix.fitting import FitWarning, warn
from separatrix.fitting.exact_errors import about
from separatrix.rows import Rows


def extend_to_all_rows(certificate: Any, rows: Rows, positive: int, indices: np.ndarray) -> Any:
    """What was proven of the rows that count, said of all rows, or the part of it that holds of them too."""
    description = about(rows, positive)
    if isinstance(certificate, Separable):
        proof = replace(certificate, about=description).bound_to(rows)
        return proof if proof.verify(rows).holds else Undecided("Rows of weight 0 are not on their side.")
    row_indices = tuple(indices[list(certificate.rows)].tolist())
    renumbered = replace(certificate, rows=row_indices, about=description).bound_to(rows)
    if renumbered.verify(rows).holds:
        return renumbered
    if not isinstance(renumbered, MarginBetween):
        return Inseparable(
            row_indices, renumbered.multipliers, renumbered.intercept is not None, about=description
        ).bound_to(rows)
    warn(
        FitWarning,
        "Rows of weight 0 lie inside the margin, so certificate_ proves of all rows only that no halfspace "
        "has a larger one: leave these rows out to have the margin itself certified.",
    )
    has_intercept = renumbered.intercept is not None
    return MarginAtMost(
        row_indices,
        renumbered.multipliers,
        renumbered.upper,
        renumbered.geometric,
        has_intercept,
        about=description,
    ).bound_to(rows)
