"""R and γ: the longest of the rows, the margins of some weights, and what the theorem allows for them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.rows import Block, Rows
from separatrix.rows.finite import refuse_nonfinite

LEAST_DOUBLE = 2.0**-1074
MAX_PYTHON_SUM_VALUES = 256  # numbers: up to here Python's own sum is quicker than a call of NumPy
SAMPLE_ROWS = 1000  # rows whose mean is the centre


class RowNorms:
    """The longest of the rows, found while a first pass reads them.

    ``centre`` is the point that ``center=True`` moved the origin to, or the mean of a sample of rows, near
    which it would move it; the figures of the moved rows tell whether that is worth it. Sparse rows in memory
    are not moved, which would fill them: their centre is the origin. ``largest`` holds the largest ‖x‖² and
    ‖x − centre‖², and the number of squares that are not finite.
    """

    def __init__(self, rows: Rows, centre: np.ndarray | None = None) -> None:
        self.rows = rows
        if centre is None:
            is_sparse_in_memory = rows.is_sparse and rows.in_memory
            centre = np.zeros(rows.n_columns) if is_sparse_in_memory else rows.preview_mean(SAMPLE_ROWS)
        self.centre = centre
        if not np.isfinite(self.centre).all():
            rows.require_finite()
            self.centre = np.zeros(rows.n_columns)
        self.largest = np.zeros(3)

    def measure_block(self, block: Block) -> RowNorms:
        """A step of `Rows.fold`: take the rows of a block into account."""
        from separatrix.kernels.scores import measure_norms

        if measure_norms(block.X, self.centre, np.empty(len(block)), self.largest):
            refuse_nonfinite(block, self.rows.name, self.rows.columns)
            self.largest[:] = np.inf  # squares that overflowed
        return self

    def refuse_nonfinite_rows(self) -> None:
        """After a pass that measured all rows in memory itself: refuse NaN and infinity."""
        if self.largest[2]:
            self.rows.require_finite()
            self.largest[:] = np.inf

    def measure_all(self) -> RowNorms:
        return self.rows.fold(RowNorms.measure_block, self)

    def radius(self, constant: float) -> float:
        """R = max ‖(x, constant)‖."""
        if np.isinf(self.largest[0]):
            return float(np.hypot(_find_overflowing_radius(self.rows), constant))
        return float(np.sqrt(self.largest[0] + constant * constant))

    def radius_centred(self, constant: float) -> float:
        """The same for the rows (x − c, constant)."""
        return float(np.sqrt(max(self.largest[1], 0.0) + constant * constant))


def _find_overflowing_radius(rows: Rows) -> float:
    """max ‖x‖ where the squares overflow."""
    return max(rows.each(LargestNorm(), parallel_blas=True))


@dataclass(frozen=True)
class LargestNorm:
    """max ‖x‖ of the rows of a block, by way of the largest entry of each."""

    def __call__(self, block: Block) -> float:
        rows = np.split(block.stored, block.X.indptr[1:-1]) if block.is_sparse else block.X
        return max(_norm_by_largest_entry(row) for row in rows)


def _norm_by_largest_entry(row: np.ndarray) -> float:
    largest = float(np.max(np.abs(row), initial=0.0))
    if not largest > 0.0:
        return 0.0
    with np.errstate(over="ignore"):
        return largest * float(np.linalg.norm(row.astype(np.float64) / largest))


def evaluate_bounds(
    learner: Learner, weights: np.ndarray, min_margin: float, norms: RowNorms, *, is_centred: bool
) -> dict[str, float | None]:
    """What the theorem allows for the margin that was found, with the origin where it is and in the middle of
    the rows."""
    bounds: dict[str, float | None] = {}
    run_suffix = "_centred" if is_centred else ""
    per_update = norms.rows.n_rows if learner.bounded_quantity == "rounds" else 1
    for suffix, radius_and_margin in certify_radius_and_margin(
        weights, min_margin, learner.constant, norms
    ).items():
        bound = None
        if radius_and_margin is not None and (learner.start is None or suffix == run_suffix):
            bound = learner.bound(*radius_and_margin, learner.prediction_weights())
        bound = None if bound is None or not bound < math.inf else bound
        if learner.bounded_quantity != "mistakes":
            bounds[f"update_bound{suffix}"] = bound
        bounds[f"mistake_bound{suffix}"] = None if bound is None else per_update * bound
    return bounds


@np.errstate(over="ignore", invalid="ignore")
def measure_margins(
    weights: np.ndarray, min_margin: float, constant: float, norms: RowNorms
) -> dict[str, float]:
    """R and γ of these weights, for the rows as they are and as centring would have them.

    γ is the margin of the rows (x, 1), or x without intercept; the geometric margin leaves the intercept out
    of the norm.
    """
    return {
        "geometric_margin": _divide(min_margin, euclidean_norm(weights[:-1])),
        "radius": norms.radius(constant),
        "margin": _divide(min_margin, euclidean_norm(weights)),
        "radius_centred": norms.radius_centred(constant),
        # Through the origin there is no hyperplane to move.
        "margin_centred": _divide(min_margin, euclidean_norm(_moved_to_centre(weights, norms)))
        if constant
        else math.nan,
    }


@np.errstate(over="ignore", invalid="ignore")
def certify_radius_and_margin(
    weights: np.ndarray, min_margin: float, constant: float, norms: RowNorms
) -> dict[str, tuple[float, float] | None]:
    """R from above and γ from below, rounding included, for the rows as they are ("") and "_centred"; None
    where no margin is certain.

    The smallest score is off by at most (d + 3)u‖w‖R, a sum of squares by a share (d + 3)u, u = 2⁻⁵³; where
    the origin is moved to c by u times the same with R + ‖c‖ in the place of R. Four times as much is
    allowed for each.
    """
    unit = (len(weights) + 8) * 2.0**-51
    radius, norm, centre_norm = norms.radius(constant), euclidean_norm(weights), euclidean_norm(norms.centre)
    moved_norm = euclidean_norm(_moved_to_centre(weights, norms))
    underflow = (len(weights) + 8) * LEAST_DOUBLE  # to underflow, product by product
    certain_margin = min_margin - unit * norm * radius - underflow
    moved_radius = radius + centre_norm
    centred_radius = math.hypot(norms.radius_centred(constant), math.sqrt(unit) * moved_radius)
    certain = {
        "": (radius * (1.0 + unit), _divide(certain_margin, norm) * (1.0 - unit)),
        "_centred": (
            centred_radius * (1.0 + unit),
            _divide(
                certain_margin - unit * norm * moved_radius, moved_norm + unit * norm * (1.0 + centre_norm)
            )
            * (1.0 - unit),
        ),
    }
    if not constant:
        certain["_centred"] = (math.inf, 0.0)
    return {name: pair if is_in_safe_range(*pair) else None for name, pair in certain.items()}


def is_in_safe_range(radius: float, margin: float) -> bool:
    """Whether squares and quotients of the two are doubles."""
    return margin > 1e-140 and radius < 1e140


def _moved_to_centre(weights: np.ndarray, norms: RowNorms) -> np.ndarray:
    """The same hyperplane with the origin at the centre."""
    moved = weights.copy()
    moved[-1] += np.sum(weights[:-1] * norms.centre)
    return moved


def _divide(numerator: float, denominator: float) -> float:
    """Not a number where either is out of the range of doubles: nothing is known then."""
    is_known = 0 < denominator < math.inf and abs(numerator) < math.inf
    return float(numerator) / float(denominator) if is_known else float(numerator) and math.nan


def euclidean_norm(vector: np.ndarray) -> float:
    """‖v‖, without BLAS: on a busy machine its threads take longer to wake up than the sum does."""
    if len(vector) <= MAX_PYTHON_SUM_VALUES:
        return math.hypot(*vector.tolist())
    with np.errstate(over="ignore", under="ignore"):
        square = float(np.einsum("i,i->", vector, vector))
    if 1e-200 <= square <= 1e200 or not vector.any():
        return math.sqrt(square)
    return math.hypot(*vector.tolist())  # slower, but no square is too small or too large for it
