"""The hinge loss on a gathered set of rows: an augmented Lagrangian whose steps are Newton steps.

**Idea.** With shares λ in [0, 1] and a sharpness σ the hinge is replaced by its envelope, whose slope is
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

from separatrix.algorithms.svm.hinge_kernels import envelope_slope
from separatrix.algorithms.svm.newton_systems import direction
from separatrix.algorithms.svm.segment_minimum import root_of_slope
from separatrix.algorithms.svm.working_rows import Single

GROWTH = 8.0  # of the sharpness
LOOSE = 0.01  # an envelope is minimised until its slope's part of the gap is this share of the rest
INNER = 50  # Newton steps for one envelope; about five are usual
REFRESH = 8  # steps after which margins are formed anew


@dataclass
class Near:
    """Gathered rows: Z = s·(x − centre), with their row numbers, signs, costs and shares of those."""

    numbers: np.ndarray
    Z: Any
    signs: np.ndarray
    caps: np.ndarray
    shares: np.ndarray
    kernel: np.ndarray | None = None  # Z Zᵀ, where it pays to have it

    @property
    def alpha(self) -> np.ndarray:
        return self.caps * self.shares

    def margins(self, weights: np.ndarray) -> np.ndarray:
        return np.asarray(self.Z @ weights[:-1] + self.signs * weights[-1])

    def combined(self, alpha: np.ndarray) -> np.ndarray:
        """Σ α (Z, s)."""
        pull = self.Z.combined(alpha) if isinstance(self.Z, Single) else self.Z.T @ alpha
        return np.append(pull, self.signs @ alpha)


class Reached(NamedTuple):
    """Weights with the gap between them and the multipliers, the sharpness at the end, and the steps made."""

    weights: np.ndarray
    gap: float
    sharpness: float
    steps: int


def solve(
    near: Near,
    pull: np.ndarray,
    weights: np.ndarray,
    sharpness: float,
    tolerance: float,
    *,
    intercept: bool,
    room: int,
) -> Reached:
    """Minimise ½‖w‖² − pull·(w, b) + Σ cap·max(0, 1 − margin); ``near.shares`` follows."""
    weights = weights.copy()
    steps = 0
    least, stale = np.inf, 0
    best = weights, near.shares
    while True:
        weights, slack, off, more = _envelope(
            near, pull, weights, sharpness, tolerance, intercept=intercept, room=room - steps
        )
        steps += more
        gap = slack + off
        # Where rounding is all that is left of the gap, a sharper envelope makes it larger again.
        stale = stale + 1 if gap > 0.5 * least else 0
        if gap < least:
            least, best = gap, (weights, near.shares)
        if gap <= tolerance or steps >= room or stale > 4:
            weights, near.shares = best
            return Reached(weights, least, sharpness, steps)
        sharpness *= GROWTH


def _envelope(
    near: Near,
    pull: np.ndarray,
    weights: np.ndarray,
    sharpness: float,
    tolerance: float,
    *,
    intercept: bool,
    room: int,
) -> tuple[np.ndarray, float, float, int]:
    """Minimise one envelope: weights, both parts of the gap, steps."""
    caps, given = near.caps, near.shares
    curvature = sharpness * caps
    best = np.inf
    for step in range(min(INNER, room) + 1):
        if step % REFRESH == 0:
            margins = near.margins(weights)
            targets = given + sharpness * (1.0 - margins)
        shares = np.clip(targets, 0.0, 1.0)
        alpha = caps * shares
        slope = weights - pull - near.combined(alpha)
        slope[-1] = slope[-1] - weights[-1] if intercept else 0.0
        short = 1.0 - margins
        slack = float(caps @ np.maximum(short, 0.0) - alpha @ short)
        off = 0.5 * float(slope[:-1] @ slope[:-1]) + abs(float(slope[-1]))
        stuck = step > 4 and off >= best and off <= 1e-9 * slack
        if off <= max(LOOSE * slack, 0.1 * tolerance) or step >= min(INNER, room) or stuck:
            break
        best = min(best, off)
        del alpha, short
        active = np.flatnonzero((targets > 0.0) & (targets < 1.0))
        move = direction(
            near.Z, near.signs, active, curvature, slope, intercept=intercept, kernel=near.kernel
        )
        along = near.margins(move)
        flat = float(move[:-1] @ weights[:-1] - move @ pull)
        square = float(move[:-1] @ move[:-1])
        length = root_of_slope(_slope_along(targets, along, caps, sharpness, flat, square))
        weights = weights + length * move
        margins = margins + length * along
        targets -= length * sharpness * along
    near.shares = shares
    return weights, slack, off, step


def _slope_along(
    targets: np.ndarray,
    along: np.ndarray,
    caps: np.ndarray,
    sharpness: float,
    flat: float,
    square: float,
) -> Callable[[float], tuple[float, float]]:
    """The slope of the envelope along a move, and its rate of change."""
    out = np.empty(2)

    def slope_at(t: float) -> tuple[float, float]:
        envelope_slope(targets, along, caps, sharpness, t, out)
        return flat + t * square - out[0], square + out[1]

    return slope_at
