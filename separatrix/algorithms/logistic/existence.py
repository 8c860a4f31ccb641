"""Whether the likelihood has a maximum at all, and what proves where it is.

**Theorem** (Albert and Anderson, 1984). The unpenalised logistic likelihood has a finite maximum exactly
when the classes overlap. Where they are completely or quasi-completely separated it grows without end
along a direction of recession: one with z·w ≥ 0 on every row, not always 0.

Then its supremum is that of the rows which every such direction leaves on its hyperplane, and no weights
reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.algorithms.convex.subsample import select_counted_rows, thin_out
from separatrix.algorithms.separation import Separation, separate_rows
from separatrix.algorithms.separation.null_space import find_null_space
from separatrix.certificates import Overlapping, WeaklySeparable
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.claims.separation import split
from separatrix.rows import Rows

LEAST_VALUE = 5e-324  # the smallest double above 0
MAX_VALUES = 4_000_000  # of the rows among which those that restore feasibility are chosen


@dataclass
class Existence:
    """The kind of separation of the rows that count, and its witnesses."""

    kind: str
    separation: Separation

    @property
    def unbounded(self) -> tuple[str, ...]:
        """A word for each coefficient, the intercept's last where there is one."""
        words = self.separation.unbounded
        if words is None:
            return ()
        return (*words, *([] if words.intercept is None else [words.intercept]))

    @property
    def direction(self) -> tuple[float | int, ...] | None:
        """The direction of recession, the intercept last; None where there is none, or rows are in doubt."""
        halfspace = self.separation.halfspace
        if halfspace is None:
            return None
        proof: Any = self.separation.certificate
        return (*proof.weights, *([] if proof.intercept is None else [proof.intercept]))

    @property
    def normals(self) -> tuple[tuple[int, ...], ...]:
        proof = self.separation.certificate
        return proof.normals if isinstance(proof, Overlapping | WeaklySeparable) else ()


def scale_to_doubles(direction: Sequence[float | int]) -> np.ndarray:
    """The direction with a largest entry of ±1; its own entries may exceed the range of doubles."""
    exact = [Fraction(value) for value in direction]
    largest = max(map(abs, exact), default=Fraction(0)) or Fraction(1)
    return np.array([float(value / largest) for value in exact])


def decide_existence(
    rows: Rows, positive: int, *, intercept: bool, time_limit: float | None = None
) -> Existence:
    """Ask `separate` about the rows with a weight above 0."""
    counted, _ = select_counted_rows(rows)
    separation = separate_rows(counted, positive, intercept=intercept, time_limit=time_limit)
    return Existence(separation.kind, separation)


def choose_restoring_rows(
    rows: Rows, positive: int, weights: np.ndarray, existence: Existence, *, intercept: bool
) -> tuple[int, ...]:
    """Rows of the face, as many as it has dimensions, that are far from dependent and from their bounds."""
    from scipy.linalg import qr

    width = rows.n_columns + intercept
    rank = width - len(existence.normals)
    numbers = thin_out(np.arange(rows.n_rows), max(4 * width, MAX_VALUES // width))
    block = rows.take(numbers).whole()
    X = block.matrix()
    z = X.toarray() if block.is_sparse else np.asarray(X, np.float64)
    z = np.column_stack([z, np.ones(len(z))]) if intercept else z
    signs = block.signs(positive)
    with np.errstate(all="ignore"):
        margins = signs * (z @ (weights if intercept else weights[:-1]))
    growth = np.exp(np.clip(margins, -50, 50))
    curvatures = block.row_weights / (growth + 2.0 + 1.0 / growth)  # v·p(1 − p)
    if existence.direction is not None:
        plane = Margins(*split(existence.direction, intercept))  # type: ignore[arg-type]
        curvatures = np.where(plane.compare(X, signs) == 0, curvatures, 0.0)
    has_curvature = curvatures > 0
    candidates = z[has_curvature] * (curvatures[has_curvature, None] / curvatures.max(initial=LEAST_VALUE))
    if len(candidates) < rank or rank == 0:
        return ()
    candidates /= np.maximum(abs(candidates).max(axis=0), LEAST_VALUE)
    chosen = qr(candidates.T, mode="r", pivoting=True)[1][:rank]
    return tuple(sorted(numbers[has_curvature][chosen].tolist()))


def describe_span(rows: Rows, *, intercept: bool) -> dict[str, Any]:
    """How many rows count, the rank of their (x, 1), and which coefficients are aliased."""
    null_basis = find_null_space(rows, intercept=intercept)
    return {
        "counted": count_weighted_rows(rows),
        "rank": len(null_basis) - null_basis.shape[1],
        "aliased": tuple(bool(row.any()) for row in null_basis),
    }


def count_weighted_rows(rows: Rows) -> int:
    """The rows with a weight above 0."""
    return rows.n_rows if rows.weights is None else int(np.count_nonzero(rows.weights))
