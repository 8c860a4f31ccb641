"""What a margin is good for: a small one generalises badly, a large one well; and it is robustness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.algorithms.separation import separate
from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.bounds.arguments import positive, whole
from separatrix.halfspace import Halfspace
from separatrix.messages import require
from separatrix.theory.distributions import scaled_weights
from separatrix.theory.integer_points import as_points
from separatrix.theory.normal_classes import GaussianClasses
from separatrix.theory.risk import halfspace_of


@dataclass(frozen=True, eq=False)
class Robustness:
    """The smallest move of any row that changes its side.

    Attributes
    ----------
    radius : float
        Its length.
    row : int
        The first row that can do with it.
    move : ndarray
        Added to that row it leads to the hyperplane; any farther, and the side is the other.
    """

    radius: float
    row: int
    move: NDArray[np.float64]


def robustness(model: Any, X: Any) -> Robustness:
    """How far any row must move, in any direction, before the halfspace predicts another side for it.

    It is ``min |w·x + b|/‖w‖``, the distance of the nearest row; the move is along w. On rows that are all
    predicted right it is the geometric margin. Moves shorter than it change no prediction.

    Source: the distance of a point from a hyperplane; as robustness, H. Xu, C. Caramanis and S. Mannor,
    Journal of Machine Learning Research 10 (2009), section 2.

    Examples
    --------
    >>> found = robustness(Halfspace([3.0, 4.0], -5.0), [[3.0, 4.0], [0.0, 0.0]])
    >>> found.radius, found.row, found.move.tolist()
    (1.0, 1, [0.6, 0.8])
    """
    halfspace, table = halfspace_of(model), as_points(X)
    distances = np.atleast_1d(halfspace.distance(table))
    row = int(np.argmin(np.abs(distances)))
    # Not the projection less the row: far from the origin that difference has no digits left.
    direction, _ = scaled_weights(halfspace, table.shape[1])
    move = -distances[row] * (direction / np.linalg.norm(direction))
    return Robustness(float(abs(distances[row])), row, move)


@dataclass(frozen=True, eq=False)
class MarginExperiment:
    """Halfspaces without training errors on the same rows, by the share of the largest margin they have.

    Attributes
    ----------
    shares : ndarray
    risks : ndarray of shape (repeats, shares)
        Exact, under the distribution of the rows.
    margins : ndarray of shape (repeats, shares)
    training_errors : int
        Of all these halfspaces together.
    """

    shares: NDArray[np.float64]
    risks: NDArray[np.float64]
    margins: NDArray[np.float64]
    training_errors: int

    @property
    def mean_risk(self) -> NDArray[np.float64]:
        return self.risks.mean(axis=0)


def margin_experiment(
    shares: Sequence[float] = (1.0, 0.5, 0.2, 0.1, 0.01),
    *,
    d: int = 50,
    m: int = 30,
    distance: float = 3.0,
    repeats: int = 20,
    random_state: int = 0,
) -> MarginExperiment:
    """Small margins against large ones, on the same rows and with the same training error, zero.

    Rows are normal in R^d, around a point at this distance from the origin for +1 and the opposite point for
    -1. The maximum-margin halfspace through the origin is turned in a random direction until its margin is a
    given share of the largest. All of these halfspaces are right on all rows; their risks, known exactly,
    differ.

    Source: the experiment is ours. That the margin matters at zero training error: B. E. Boser, I. M. Guyon
    and V. N. Vapnik, Conference on Learning Theory (1992); `sample_margin` is the theorem.

    Examples
    --------
    >>> found = margin_experiment((1.0, 0.1), repeats=5)
    >>> found.training_errors, bool(found.mean_risk[0] < found.mean_risk[1])
    (0, True)
    """
    whole(2, d=d, m=m)
    whole(1, repeats=repeats)
    wanted = np.asarray(shares, dtype=np.float64)
    is_allowed = wanted.ndim == 1 and wanted.size > 0 and ((wanted > 0) & (wanted <= 1)).all()
    require(bool(is_allowed), "shares", shares, "numbers > 0 and <= 1")
    random = np.random.default_rng(random_state)
    centre = np.eye(d)[0] * positive(distance=distance)[0]
    classes = GaussianClasses(-centre, centre)
    risks, margins = np.empty((repeats, wanted.size)), np.empty((repeats, wanted.size))
    errors = 0
    for k in range(repeats):
        X, y = _separable(classes, m, random)
        rows = X * y[:, None]
        best = MaxMargin(fit_intercept=False).fit(X, y).coef_[0]
        best = best / np.linalg.norm(best)
        aside = random.standard_normal(d)
        aside -= (aside @ best) * best
        aside /= np.linalg.norm(aside)
        for place, share in enumerate(wanted.tolist()):
            turned = _turned(rows, best, aside, share)
            halfspace = Halfspace(turned)
            margins[k, place] = halfspace.margin(X, y)
            risks[k, place] = classes.risk(halfspace)
            errors += int(np.count_nonzero(halfspace.functional_margins(X, y) <= 0))
    return MarginExperiment(wanted, risks, margins, errors)


def _separable(
    classes: GaussianClasses, m: int, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    for _ in range(100):
        X, y = classes.sample(m, random)
        if len(np.unique(y)) == 2 and separate(X, y, intercept=False).separable:
            return X, y
    raise ValueError("a hundred draws were not separable: take fewer rows, or a larger distance")


def _turned(
    rows: NDArray[np.float64], best: NDArray[np.float64], aside: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """The unit vector between ``best`` and ``aside`` whose margin is the share of that of ``best``."""
    target = share * float((rows @ best).min())
    low, high = 0.0, math.pi
    for _ in range(60):
        middle = (low + high) / 2
        vector = math.cos(middle) * best + math.sin(middle) * aside
        low, high = (middle, high) if float((rows @ vector).min()) >= target else (low, middle)
    return math.cos(low) * best + math.sin(low) * aside
