"""The best rule of all where the distribution is known, and its risk.

**Theorem** (Bayes' rule; Devroye, Györfi and Lugosi, *A Probabilistic Theory of Pattern Recognition*,
1996, Theorem 2.1). Let η(x) = P(s = +1 | x). No rule has a smaller risk than the one that predicts +1
where η(x) > ½, and its risk is E[min(η, 1 − η)]. Any other rule h has the excess risk
``E[|2η − 1|·1{h differs}]``.

For a `FiniteDistribution` η is a table of fractions. For `GaussianClasses` log η/(1 − η) is the quadratic
log π/(1 − π) + log N(x; μ₊, Σ₊) − log N(x; μ₋, Σ₋), linear where both covariances agree: then logistic
regression is the right model. `LogisticModel` is that model with normal columns: η(x) = 1/(1 + exp(−(w·x
+ b))).

>>> from separatrix.theory.distributions import FiniteDistribution
>>> coin = FiniteDistribution([[0], [1], [1]], [-1, 1, -1], weights=[1, 2, 1])
>>> best = rule(coin)
>>> best.risk.value, best.predict([[0], [1]]).tolist()
(Fraction(1, 4), [-1, 1])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import expit, ndtr

from separatrix.bounds.arguments import numbers
from separatrix.halfspace import Halfspace
from separatrix.messages import require
from separatrix.theory.distributions import BestHalfspace, FiniteDistribution, PlantedNormal, scaled_weights
from separatrix.theory.integer_points import as_points
from separatrix.theory.normal_classes import GaussianClasses, as_covariance

Doubles = NDArray[np.float64]


class Risk(NamedTuple):
    """A risk, and the standard error of it where it was sampled; 0 where it was not."""

    value: Any
    error: float


@dataclass(frozen=True)
class BayesRule:
    """The best rule of a distribution.

    Attributes
    ----------
    posterior : callable
        η of given points: the probability of +1 there.
    risk : Risk
        The risk of the rule: no rule has a smaller one.
    halfspace : Halfspace or None
        The rule as a halfspace, where it is one.
    """

    posterior: Callable[[Any], Doubles]
    risk: Risk
    halfspace: Halfspace | None = None

    def predict(self, points: Any) -> NDArray[np.int64]:
        """+1 where η is above a half, -1 elsewhere."""
        return np.where(self.posterior(points) > 0.5, 1, -1)


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Normal columns, and a sign that is +1 with the probability 1/(1 + exp(−(w·x + b))).

    Parameters
    ----------
    weights, intercept : w and b
    mean, covariance : of the columns; by default 0 and the identity

    Examples
    --------
    >>> model = LogisticModel((2.0, 0.0))
    >>> round(model.bayes_risk, 4), model.risk(Halfspace([1.0, 0.0])) == model.bayes_risk
    (0.222, True)
    """

    weights: tuple[float, ...]
    intercept: float = 0.0
    mean: tuple[float, ...] | None = None
    covariance: Any = None

    def __post_init__(self) -> None:
        d = as_points([self.weights]).shape[1]
        (bias,) = numbers(intercept=self.intercept)
        require(math.isfinite(bias), "intercept", bias, "finite")
        if self.mean is not None and as_points([self.mean]).shape[1] != d:
            raise ValueError(f"mean must have {d} numbers, as weights has")
        as_covariance(1.0 if self.covariance is None else self.covariance, d)

    def _moments(self) -> tuple[Doubles, Doubles, Doubles]:
        w = as_points([self.weights])[0]
        mean = np.zeros(len(w)) if self.mean is None else as_points([self.mean])[0]
        return w, mean, as_covariance(1.0 if self.covariance is None else self.covariance, len(w))

    def posterior(self, points: Any) -> Doubles:
        """P(s = +1 | x)."""
        return np.asarray(expit(as_points(points) @ np.array(self.weights, np.float64) + self.intercept))

    def sample(self, m: int, random: np.random.Generator) -> tuple[Doubles, NDArray[np.int64]]:
        _, mean, table = self._moments()
        points = mean + random.standard_normal((m, len(mean))) @ np.linalg.cholesky(table).T
        return points, np.where(random.random(m) < self.posterior(points), 1, -1)

    def risk(self, halfspace: Halfspace) -> float:
        """E[η·1{h = −1} + (1 − η)·1{h = +1}]: the score and the halfspace's value are normal together."""
        w, mean, table = self._moments()
        v, c = scaled_weights(halfspace, len(w))
        centre = float(w @ mean + self.intercept)
        spread = math.sqrt(max(float(w @ table @ w), 0.0))
        value, length = float(v @ mean + c), math.sqrt(max(float(v @ table @ v), 0.0))
        if length == 0.0 or spread == 0.0:
            positive = float(value > 0) if length == 0.0 else float(ndtr(value / length))
            share = _expected_posterior(centre, spread)
            return positive * (1 - share) + (1 - positive) * share
        slope = float(v @ table @ w) / (spread * length)
        rest = math.sqrt(max(1 - slope * slope, 0.0))

        def wrong(t: float) -> float:
            eta = float(expit(centre + spread * t))
            # Given the score's deviation t, the halfspace's value is normal with what the slope leaves.
            at = value / length + slope * t
            above = float(at > 0) if rest < 1e-12 else float(ndtr(at / rest))
            return math.exp(-0.5 * t * t) / math.sqrt(2 * math.pi) * (eta * (1 - above) + (1 - eta) * above)

        turns = [-centre / spread, *([-value / (length * slope)] if abs(slope) > 1e-12 else [])]
        return _integral(wrong, turns)

    @property
    def best(self) -> BestHalfspace:
        halfspace = Halfspace(list(self.weights), self.intercept)
        return BestHalfspace(halfspace, self.risk(halfspace))

    @property
    def bayes_risk(self) -> float:
        return float(self.best.risk)


def _expected_posterior(centre: float, spread: float) -> float:
    if spread == 0.0:
        return float(expit(centre))

    def term(t: float) -> float:
        return float(expit(centre + spread * t)) * math.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)

    return _integral(term, [-centre / spread])


def _integral(density: Callable[[float], float], turns: list[float]) -> float:
    """Over the line, of something with the weight of a normal variable, cut where it turns sharply."""
    ends = sorted({-13.0, 0.0, 13.0, *(t for t in turns if -13 < t < 13)})
    return float(sum(quad(density, a, b, epsabs=1e-13, limit=200)[0] for a, b in pairwise(ends)))


def rule(distribution: Any) -> BayesRule:
    """The Bayes-optimal rule of a distribution, and its risk.

    Source: L. Devroye, L. Györfi and G. Lugosi, A Probabilistic Theory of Pattern Recognition (1996), Theorem
    2.1.

    Parameters
    ----------
    distribution : FiniteDistribution, GaussianClasses, LogisticModel or PlantedNormal

    Examples
    --------
    >>> best = rule(GaussianClasses([-1.0, 0.0], [1.0, 0.0], covariance=1.0))
    >>> round(best.risk.value, 4), best.halfspace.weights.tolist()
    (0.1587, [2.0, 0.0])
    """
    if isinstance(distribution, FiniteDistribution):
        return BayesRule(_table(distribution), Risk(distribution.bayes_risk, 0.0))
    if isinstance(distribution, LogisticModel):
        best = distribution.best
        return BayesRule(distribution.posterior, Risk(best.risk, 0.0), best.halfspace)
    if isinstance(distribution, PlantedNormal):
        return BayesRule(distribution.posterior, Risk(0.0, 0.0), distribution.best.halfspace)
    if isinstance(distribution, GaussianClasses):
        risk = Risk(distribution.bayes_risk, distribution.bayes_error)
        return BayesRule(
            distribution.posterior, risk, distribution.best.halfspace if distribution.shared else None
        )
    raise TypeError(f"The best rule of a {type(distribution).__name__} is not known here.")


def _table(distribution: FiniteDistribution) -> Callable[[Any], Doubles]:
    points, negative, positive = distribution.masses
    known = {
        tuple(row): float(p / (n + p)) for row, n, p in zip(points.tolist(), negative, positive, strict=True)
    }

    def posterior(given: Any) -> Doubles:
        asked = as_points(given).tolist()
        for row in asked:
            if tuple(row) not in known:
                raise ValueError(f"The point {row} has probability 0: nothing is known of its sign.")
        return np.array([known[tuple(row)] for row in asked])

    return posterior
