"""The hinge loss on a gathered set of rows: an augmented Lagrangian whose steps are Newton steps.

**Idea.** With shares λ in [0, 1] and a penalty σ the hinge is replaced by its envelope, whose slope is
C·clip(λ + σ(1 − m), 0, 1): piecewise quadratic, so that a Newton step meets only the rows strictly between
their bounds. Its minimum gives new shares, α = Cλ; a larger σ leaves fewer such rows, at the end about as
many as there are weights. Shares and σ do not depend on C, so a row of weight 2 does what two rows do.

**Theorem** (Rockafellar 1976). This is the proximal point method on the dual: the multipliers approach a
solution of it from any start, for any σ that does not fall, superlinearly if σ grows.

For any weights and any multipliers within their bounds, the duality gap is Σ C max(0, 1 − m) − α(1 − m),
which has no negative term, plus ½‖w − Σ αsx‖², once Σ αs = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.svm.hinge_kernels import compute_envelope_slope
from separatrix.algorithms.svm.newton_systems import compute_newton_step
from separatrix.algorithms.svm.segment_search import search_segment
from separatrix.algorithms.svm.working_rows import Float32Rows

PENALTY_FACTOR = 8.0  # by which σ grows
ENVELOPE_GAP_SHARE = 0.01  # an envelope is minimised until its gradient's part of the gap is this of the rest
MAX_ENVELOPE_STEPS = 50  # Newton steps for one envelope; about five are usual
REFRESH_STEPS = 8  # steps after which margins are formed anew


@dataclass
class WorkingSet:
    """Gathered rows: Z = s·(x − centre), with their indices, signs, costs and shares of the costs."""

    indices: np.ndarray
    Z: Any
    signs: np.ndarray
    costs: np.ndarray
    shares: np.ndarray
    kernel: np.ndarray | None = None  # Z Zᵀ, where it pays to have it

    @property
    def alpha(self) -> np.ndarray:
        return self.costs * self.shares

    def compute_margins(self, weights: np.ndarray) -> np.ndarray:
        return np.asarray(self.Z @ weights[:-1] + self.signs * weights[-1])

    def combine(self, alpha: np.ndarray) -> np.ndarray:
        """Σ α (Z, s)."""
        weighted_sum = self.Z.combine(alpha) if isinstance(self.Z, Float32Rows) else self.Z.T @ alpha
        return np.append(weighted_sum, self.signs @ alpha)


class WorkingSetSolution(NamedTuple):
    """Weights with the gap between them and the multipliers, the penalty at the end, and the steps made."""

    weights: np.ndarray
    gap: float
    penalty: float
    steps: int


def solve(
    working_set: WorkingSet,
    linear_term: np.ndarray,
    weights: np.ndarray,
    penalty: float,
    tolerance: float,
    *,
    intercept: bool,
    max_steps: int,
) -> WorkingSetSolution:
    """Minimise ½‖w‖² − linear_term·(w, b) + Σ cost·max(0, 1 − margin); ``working_set.shares`` follows."""
    weights = weights.copy()
    steps = 0
    least_gap, n_stale = np.inf, 0
    best = weights, working_set.shares
    while True:
        weights, complementarity_gap, gradient_gap, n_steps = _minimise_envelope(
            working_set,
            linear_term,
            weights,
            penalty,
            tolerance,
            intercept=intercept,
            max_steps=max_steps - steps,
        )
        steps += n_steps
        gap = complementarity_gap + gradient_gap
        # Where rounding is all that is left of the gap, a larger penalty makes it larger again.
        n_stale = n_stale + 1 if gap > 0.5 * least_gap else 0
        if gap < least_gap:
            least_gap, best = gap, (weights, working_set.shares)
        if gap <= tolerance or steps >= max_steps or n_stale > 4:
            weights, working_set.shares = best
            return WorkingSetSolution(weights, least_gap, penalty, steps)
        penalty *= PENALTY_FACTOR


def _minimise_envelope(
    working_set: WorkingSet,
    linear_term: np.ndarray,
    weights: np.ndarray,
    penalty: float,
    tolerance: float,
    *,
    intercept: bool,
    max_steps: int,
) -> tuple[np.ndarray, float, float, int]:
    """Minimise one envelope: weights, both parts of the gap, steps."""
    costs, previous_shares = working_set.costs, working_set.shares
    curvature = penalty * costs
    least_gradient_gap = np.inf
    for step in range(min(MAX_ENVELOPE_STEPS, max_steps) + 1):
        if step % REFRESH_STEPS == 0:
            margins = working_set.compute_margins(weights)
            targets = previous_shares + penalty * (1.0 - margins)
        shares = np.clip(targets, 0.0, 1.0)
        alpha = costs * shares
        gradient = weights - linear_term - working_set.combine(alpha)
        gradient[-1] = gradient[-1] - weights[-1] if intercept else 0.0
        shortfall = 1.0 - margins
        complementarity_gap = float(costs @ np.maximum(shortfall, 0.0) - alpha @ shortfall)
        gradient_gap = 0.5 * float(gradient[:-1] @ gradient[:-1]) + abs(float(gradient[-1]))
        is_stalled = (
            step > 4 and gradient_gap >= least_gradient_gap and gradient_gap <= 1e-9 * complementarity_gap
        )
        if (
            gradient_gap <= max(ENVELOPE_GAP_SHARE * complementarity_gap, 0.1 * tolerance)
            or step >= min(MAX_ENVELOPE_STEPS, max_steps)
            or is_stalled
        ):
            break
        least_gradient_gap = min(least_gradient_gap, gradient_gap)
        del alpha, shortfall
        active = np.flatnonzero((targets > 0.0) & (targets < 1.0))
        newton_step = compute_newton_step(
            working_set.Z,
            working_set.signs,
            active,
            curvature,
            gradient,
            intercept=intercept,
            kernel=working_set.kernel,
        )
        margin_change = working_set.compute_margins(newton_step)
        linear_slope = float(newton_step[:-1] @ weights[:-1] - newton_step @ linear_term)
        squared_norm = float(newton_step[:-1] @ newton_step[:-1])
        step_length = search_segment(
            _make_slope(targets, margin_change, costs, penalty, linear_slope, squared_norm)
        )
        weights = weights + step_length * newton_step
        margins = margins + step_length * margin_change
        targets -= step_length * penalty * margin_change
    working_set.shares = shares
    return weights, complementarity_gap, gradient_gap, step


def _make_slope(
    targets: np.ndarray,
    margin_change: np.ndarray,
    costs: np.ndarray,
    penalty: float,
    linear_slope: float,
    squared_norm: float,
) -> Callable[[float], tuple[float, float]]:
    """The slope of the envelope along a move, and its rate of change."""
    derivatives = np.empty(2)

    def slope_at(t: float) -> tuple[float, float]:
        compute_envelope_slope(targets, margin_change, costs, penalty, t, derivatives)
        return linear_slope + t * squared_norm - derivatives[0], squared_norm + derivatives[1]

    return slope_at
