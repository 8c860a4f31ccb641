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

from separatrix.algorithms.separation import Separation, separate_rows
from separatrix.algorithms.separation.null_space import find_null_space
from separatrix.certificates import Overlapping, WeaklySeparable
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.claims.separation import split
from separatrix.rows import Block, Rows

LEAST_VALUE = 5e-324  # the smallest double above 0
MAX_VALUES = 4_000_000  # of the rows among which those that restore feasibility are chosen


@dataclass
class Existence:
    """The kind of separation of the rows that count, and its witnesses in the numbers of all rows."""

    kind: str
    separation: Separation
    counted: np.ndarray | None  # numbers of the rows with a weight above 0; None: all

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
    counted = None
    if rows.weights is not None and (rows.weights == 0).any():
        counted = np.flatnonzero(rows.weights)
        rows = rows.take(counted)
    separation = separate_rows(rows, positive, intercept=intercept, time_limit=time_limit)
    return Existence(separation.kind, separation, counted)


def choose_restoring_rows(
    rows: Rows, positive: int, weights: np.ndarray, existence: Existence, *, intercept: bool
) -> tuple[int, ...]:
    """Rows of the face, as many as it has dimensions, that are far from dependent and from their bounds."""
    from scipy.linalg import qr

    width = rows.n_columns + intercept
    rank = width - len(existence.normals)
    max_rows = max(4 * width, MAX_VALUES // width)
    stride = max(1, rows.n_rows // max_rows)
    plane = None if existence.direction is None else Margins(*split(existence.direction, intercept))  # type: ignore[arg-type]
    max_weight = 1.0 if rows.weights is None else float(rows.weights.max())
    term = RestoringCandidates(
        positive, weights if intercept else weights[:-1], intercept, stride, max_weight, plane
    )
    row_numbers, values = zip(*rows.each(term), strict=True)
    candidates = np.concatenate(values)
    if len(candidates) < rank or rank == 0:
        return ()
    candidates /= np.maximum(abs(candidates).max(axis=0), LEAST_VALUE)
    chosen = qr(candidates.T, mode="r", pivoting=True)[1][:rank]
    return tuple(sorted(np.concatenate(row_numbers)[chosen].tolist()))


@dataclass(frozen=True)
class RestoringCandidates:
    """Of every ``stride``-th row on the plane its number, and (x, 1) times v·p(1 − p)."""

    positive: int
    weights: np.ndarray
    intercept: bool
    stride: int
    max_weight: float
    plane: Margins | None

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        local = np.arange(-block.start % self.stride, len(block), self.stride)
        X, signs = block.matrix()[local], block.signs(self.positive)[local]
        z = X.toarray() if block.is_sparse else np.asarray(X, np.float64)
        z = np.column_stack([z, np.ones(len(local))]) if self.intercept else z
        v = block.row_weights[local] / self.max_weight
        with np.errstate(all="ignore"):
            margins = signs * (z @ self.weights)
        curvatures = v / (np.exp(np.clip(margins, -50, 50)) + 2 + np.exp(np.clip(-margins, -50, 50)))
        if self.plane is not None:
            curvatures = np.where(self.plane.compare(X, signs, block.start) == 0, curvatures, 0.0)
        has_curvature = curvatures > 0
        return (block.start + local)[has_curvature], z[has_curvature] * curvatures[has_curvature, None]


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
