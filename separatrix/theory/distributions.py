"""Distributions of labelled points under which the risk of a halfspace is known without sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import owens_t

from separatrix.halfspace import Halfspace
from separatrix.theory.integer_points import as_points
from separatrix.theory.labellings import Dichotomies, dichotomies_of


class BestHalfspace(NamedTuple):
    """A halfspace of least risk, and its risk."""

    halfspace: Halfspace
    risk: Any


class Distribution(Protocol):
    """What `expected_risk`, `excess_risk` and `learning_curve` ask of a distribution."""

    def risk(self, halfspace: Halfspace) -> Any:
        """The probability that the halfspace predicts wrong."""

    def sample(self, m: int, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Independent rows and their signs."""

    @property
    def best(self) -> BestHalfspace:
        """A halfspace of least risk."""

    @property
    def bayes_risk(self) -> Any:
        """The least risk of any rule at all."""


class FiniteDistribution:
    """Finitely many labelled points, with probabilities in proportion to weights; every risk is a fraction.

    Parameters
    ----------
    points : table, one point a row; a point may come with both signs
    signs : ±1, one for each row
    weights : positive numbers, optional
        In proportion to probabilities, each taken exactly; by default all the same.

    Examples
    --------
    The exclusive or: the best halfspace is wrong on one corner of four, the best rule on none.

    >>> xor = FiniteDistribution([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> xor.risk(Halfspace([1, 1], -0.5)), xor.best.risk, xor.bayes_risk
    (Fraction(1, 4), Fraction(1, 4), Fraction(0, 1))
    """

    def __init__(self, points: Any, signs: Any, weights: Any = None) -> None:
        self.points = as_points(points)
        n = len(self.points)
        self.signs = np.asarray(signs)
        if self.signs.shape != (n,) or not np.isin(self.signs, (-1, 1)).all():
            raise ValueError(f"signs must be -1 or +1, one for each of the {n} points")
        given = [1] * n if weights is None else list(weights)
        if len(given) != n or not all(_is_positive(weight) for weight in given):
            raise ValueError(f"weights must be positive numbers, one for each of the {n} points")
        exact = [Fraction(_plain(weight)) for weight in given]
        self.probabilities = tuple(weight / sum(exact) for weight in exact)

    def risk(self, halfspace: Halfspace) -> Fraction:
        wrong = np.atleast_1d(halfspace.predict(self.points)) != self.signs
        return sum((p for p, missed in zip(self.probabilities, wrong, strict=True) if missed), Fraction(0))

    def sample(self, m: int, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        chosen = random.choice(len(self.points), size=m, p=[float(p) for p in self.probabilities])
        return self.points[chosen], self.signs[chosen].astype(np.int64)

    @cached_property
    def masses(self) -> tuple[NDArray[np.float64], list[Fraction], list[Fraction]]:
        """The distinct points, with the probability of -1 and of +1 at each."""
        distinct, place = np.unique(self.points, axis=0, return_inverse=True)
        masses = [[Fraction(0)] * len(distinct) for _ in range(2)]
        for where, sign, probability in zip(place.ravel(), self.signs, self.probabilities, strict=True):
            masses[int(sign > 0)][where] += probability
        return distinct, masses[0], masses[1]

    @cached_property
    def dichotomies(self) -> Dichotomies:
        """All that halfspaces with an intercept can say of the distinct points."""
        return dichotomies_of(self.masses[0])

    @cached_property
    def best(self) -> BestHalfspace:
        """A halfspace of least risk, with an intercept: the best of all dichotomies of the points."""
        _, negative, positive = self.masses
        found = None
        for one in self.dichotomies:
            pairs = zip(one.signs, negative, positive, strict=True)
            risk = sum((minus if sign > 0 else plus for sign, minus, plus in pairs), Fraction(0))
            if found is None or risk < found.risk:
                found = BestHalfspace(one.halfspace, risk)
        assert found is not None
        return found

    @property
    def bayes_risk(self) -> Fraction:
        _, negative, positive = self.masses
        return sum(map(min, negative, positive), Fraction(0))


@dataclass(frozen=True, eq=False)
class PlantedNormal:
    """Standard normal points, labelled by a hyperplane through the origin: realizable, with risk zero.

    The risk of a halfspace (w, b) at an angle θ to the hyperplane planted is 1/2 - 2T(b/‖w‖, cot θ), with
    Owen's function T; for b = 0 it is θ/π.

    Parameters
    ----------
    direction : the normal of the hyperplane planted

    Examples
    --------
    >>> planted = PlantedNormal((1.0, 0.0))
    >>> planted.risk(Halfspace([1.0, 1.0])), planted.risk(Halfspace([-1.0, 0.0]))
    (0.25, 1.0)
    """

    direction: tuple[float, ...]

    def __post_init__(self) -> None:
        table = as_points([self.direction])
        if not table.any():
            raise ValueError("direction must not be zero")
        unit = table[0] / np.abs(table[0]).max()
        object.__setattr__(self, "direction", tuple((unit / np.linalg.norm(unit)).tolist()))

    def risk(self, halfspace: Halfspace) -> float:
        planted = np.array(self.direction)
        weights, intercept = scaled_weights(halfspace, len(planted))
        length = float(np.linalg.norm(weights))
        if length == 0:
            return 0.5
        along = float(weights @ planted) / length
        across = float(np.linalg.norm(weights / length - along * planted))
        share = along / across if across else math.copysign(math.inf, along)
        return float(max(0.0, 0.5 - 2 * owens_t(intercept / length, share)))

    def sample(self, m: int, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        points = random.standard_normal((m, len(self.direction)))
        return points, np.where(points @ np.array(self.direction) > 0, 1, -1)

    def posterior(self, points: Any) -> NDArray[np.float64]:
        """P(s = +1 | x), which is 0 or 1."""
        return (as_points(points) @ np.array(self.direction) > 0).astype(np.float64)

    @property
    def best(self) -> BestHalfspace:
        return BestHalfspace(Halfspace(self.direction), 0.0)

    @property
    def bayes_risk(self) -> float:
        return 0.0


def scaled_weights(halfspace: Halfspace, d: int) -> tuple[NDArray[np.float64], float]:
    """The weights, none above 1 in size but the largest above 1/2, and the intercept in the same units."""
    weights, intercept = halfspace.weights, float(halfspace.intercept)
    if len(weights) != d:
        raise ValueError(f"the distribution has {d} columns, but the halfspace has {len(weights)} weights")
    _, exponent = math.frexp(float(np.abs(weights).max()))
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(weights, -exponent), float(np.ldexp(intercept, -exponent))


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _is_positive(value: Any) -> bool:
    try:
        return 0 < value < math.inf
    except TypeError:
        return False
