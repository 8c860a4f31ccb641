"""Two normal classes: the risk of a halfspace in closed form, the best halfspace, and the Bayes rule."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from separatrix.bounds.arguments import between_zero_and_one
from separatrix.halfspace import Halfspace
from separatrix.theory.distributions import BestHalfspace, scaled_weights
from separatrix.theory.integer_points import as_points
from separatrix.theory.linear_discriminant import best_discriminant

SAMPLE_POINTS = 200_000
Doubles = NDArray[np.float64]


class GaussianClasses:
    """Two normal distributions, one for each sign; the risk of a halfspace is two values of Φ.

    With one covariance the best rule of all is a halfspace, Fisher's discriminant. With two it is a quadric;
    ``best`` is then the best halfspace, found by a search along one angle, and ``bayes_risk`` that of the
    quadric, exact for one column and otherwise the mean over 200,000 draws, with ``bayes_error`` its standard
    error.

    Parameters
    ----------
    negative, positive : means, d numbers each
    covariance : (d, d) array, or one number for a multiple of the identity
        Of both classes, or of -1 alone.
    prior : float
        The probability of +1.
    positive_covariance : the same for +1, where it is another

    Examples
    --------
    >>> classes = GaussianClasses([-1.0, 0.0], [1.0, 0.0], covariance=1.0)
    >>> classes.bayes_risk, classes.risk(Halfspace([1.0, 0.0]))
    (0.1587, 0.1587)
    >>> classes.risk(Halfspace([0.0, 1.0]))
    0.5
    >>> around = GaussianClasses([0.0], [0.0], covariance=1.0, positive_covariance=9.0)
    >>> around.best.risk, around.bayes_risk
    (0.3789, 0.2578)
    """

    def __init__(
        self,
        negative: Any,
        positive: Any,
        covariance: Any = 1.0,
        prior: float = 0.5,
        *,
        positive_covariance: Any = None,
    ) -> None:
        self.means = as_points([negative, positive])
        d = self.means.shape[1]
        first = as_covariance(covariance, d)
        second = first if positive_covariance is None else as_covariance(positive_covariance, d)
        self.covariances = (first, second)
        self._roots = [np.linalg.cholesky(table) for table in self.covariances]
        (self.prior,) = between_zero_and_one(prior=prior)

    @property
    def shared(self) -> bool:
        """Whether both classes have one covariance."""
        return bool(np.array_equal(*self.covariances))

    def risk(self, halfspace: Halfspace) -> float:
        weights, intercept = scaled_weights(halfspace, self.means.shape[1])
        negative, positive = (self.means @ weights + intercept).tolist()
        if not weights.any():
            return (1 - self.prior) * (negative > 0) + self.prior * (positive <= 0)
        spreads = [math.sqrt(float(weights @ table @ weights)) for table in self.covariances]
        below, above = ndtr(negative / spreads[0]), ndtr(-positive / spreads[1])
        return float((1 - self.prior) * below + self.prior * above)

    def sample(self, m: int, random: np.random.Generator) -> tuple[Doubles, NDArray[np.int64]]:
        signs = np.where(random.random(m) < self.prior, 1, -1)
        noise = random.standard_normal((m, self.means.shape[1]))
        points = np.where((signs > 0)[:, None], noise @ self._roots[1].T, noise @ self._roots[0].T)
        return self.means[(signs > 0).astype(int)] + points, signs

    def posterior(self, points: Any) -> Doubles:
        """P(s = +1 | x): log odds are log π/(1 - π) and the difference of two quadratics."""
        table = as_points(points)
        logarithms = []
        for mean, root in zip(self.means, self._roots, strict=True):
            away = np.linalg.solve(root, (table - mean).T)
            logarithms.append(-0.5 * np.square(away).sum(axis=0) - np.log(np.diag(root)).sum())
        prior = math.log(self.prior / (1 - self.prior))
        return np.asarray(expit(prior + logarithms[1] - logarithms[0]))

    @cached_property
    def best(self) -> BestHalfspace:
        """A halfspace of least risk: with equal covariances the best rule of all."""
        negative, positive = self.means
        if self.shared:
            weights = np.linalg.solve(self.covariances[0], positive - negative)
            bias = -float(weights @ (positive + negative)) / 2 + math.log(self.prior / (1 - self.prior))
            halfspace = Halfspace(weights, bias)
        else:
            halfspace = Halfspace(*best_discriminant(self.means, self.covariances, self.prior))
        return BestHalfspace(halfspace, self.risk(halfspace))

    @property
    def bayes_risk(self) -> float:
        return self._bayes[0]

    @property
    def bayes_error(self) -> float:
        """The standard error of ``bayes_risk``; 0 where it was not sampled."""
        return self._bayes[1]

    @cached_property
    def _bayes(self) -> tuple[float, float]:
        if self.shared:
            return float(self.best.risk), 0.0
        if self.means.shape[1] == 1:
            return self._bayes_on_the_line(), 0.0
        points, _ = self.sample(SAMPLE_POINTS, np.random.default_rng(0))
        eta = self.posterior(points)
        losses = np.minimum(eta, 1 - eta)
        return float(losses.mean()), float(losses.std() / math.sqrt(SAMPLE_POINTS))

    def _bayes_on_the_line(self) -> float:
        """The densities cross where a quadratic is zero; between two crossings one of them is the lower."""
        means, spreads = self.means[:, 0], [float(root[0, 0]) for root in self._roots]
        shares = (1 - self.prior, self.prior)
        squares = np.zeros(3)
        for sign, mean, spread, share in zip((-1, 1), means, spreads, shares, strict=True):
            away = np.array([1.0, -mean]) / spread
            squares -= sign * 0.5 * np.convolve(away, away)
            squares[-1] += sign * math.log(share / spread)
        roots = np.roots(squares)
        ends = [-math.inf, *np.sort(roots[np.isreal(roots)].real).tolist(), math.inf]
        masses = [
            share * np.diff(ndtr((np.array(ends) - mean) / spread))
            for mean, spread, share in zip(means, spreads, shares, strict=True)
        ]
        return float(np.minimum(*masses).sum())


def as_covariance(given: Any, d: int) -> Doubles:
    """A positive definite table of d by d, or one sentence on why not."""
    try:
        spread = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"covariance must be a number or a symmetric table of {d} by {d}") from None
    table = spread * np.eye(d) if spread.ndim == 0 else spread
    if table.shape != (d, d) or not np.array_equal(table, table.T):
        raise ValueError(f"covariance must be a number or a symmetric table of {d} by {d}")
    if not np.isfinite(table).all() or np.linalg.eigvalsh(table)[0] <= 0:
        raise ValueError("covariance must be positive definite")
    return table
