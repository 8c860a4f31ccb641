"""Score, side, margin, distance, projection and form of one halfspace."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.halfspace.affine import Affine, Number, as_number, as_points, magnitude, rounded

_INVALID_WEIGHTS = "weights must be one row of finite numbers, and the intercept one more"


@dataclass(frozen=True, init=False, repr=False)
class Halfspace:
    """The points on the positive side of a hyperplane.

    Parameters
    ----------
    weights : one row of numbers
        The normal vector w: floats, or whole numbers and fractions of any size, which are kept exactly.
    intercept : number
        The bias b; the threshold of w·x > c is c = -b.

    Attributes
    ----------
    numbers : tuple
        The weights, then the intercept, as given. Two halfspaces are equal when these are; `same_as` asks
        whether they agree up to a positive factor.

    Notes
    -----
    Points are one row of d numbers, a table of them, or a SciPy sparse matrix; whole numbers and fractions of
    any size are taken as they are. One point gets one answer, a table an array of answers.

    Examples
    --------
    >>> h = Halfspace([3.0, 4.0], -5.0)
    >>> h.score([3.0, 4.0])
    20.0
    >>> h.predict([[3.0, 4.0], [0.0, 0.0], [-1.0, 2.0]])
    array([ 1, -1, -1])
    >>> h.distance([3.0, 4.0]), h.origin_distance
    (4.0, 1.0)
    >>> h.margin([[3.0, 4.0], [0.0, 0.0]], [1, -1])
    1.0
    """

    numbers: tuple[Number, ...]

    def __init__(self, weights: Iterable[Any], intercept: Any = 0.0) -> None:
        # Plain finite doubles, by far the most common case, need no call for each.
        plain = isinstance(weights, np.ndarray) and weights.dtype == np.float64 and weights.ndim == 1
        given: Any = weights.tolist() if isinstance(weights, np.ndarray) else weights
        if not isinstance(given, Iterable):
            raise ValueError(f"{_INVALID_WEIGHTS}, not {given!r}")
        if plain and math.isfinite(sum(given)):
            numbers = (*given, as_number(intercept, _INVALID_WEIGHTS))
        else:
            numbers = tuple(as_number(number, _INVALID_WEIGHTS) for number in (*given, intercept))
        if len(numbers) == 1:
            raise ValueError("a halfspace needs at least one weight")
        object.__setattr__(self, "numbers", numbers)

    @classmethod
    def from_threshold(cls, weights: Iterable[Any], threshold: Any) -> Halfspace:
        """The halfspace {x : w·x > c}, whose intercept is -c."""
        return cls(weights, 0 - as_number(threshold, _INVALID_WEIGHTS))

    @classmethod
    def from_homogeneous(cls, vector: Sequence[Any] | NDArray[Any], constant: str = "last") -> Halfspace:
        """The halfspace of R^d behind a vector of R^(d+1) that meets points with a constant 1 added."""
        return cls(vector[:-1], vector[-1]) if _is_last(constant) else cls(vector[1:], vector[0])

    @classmethod
    def from_exact_rounding(cls, weights: Iterable[Any], intercept: Any = 0) -> Halfspace:
        """The halfspace of the nearest doubles, all scaled first by one power of two if they would not fit.

        It may put points on another side than the numbers it was made of.
        """
        given = cls(weights, intercept)
        return cls(given.weights, given.intercept)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The nearest doubles of the weights, scaled by one power of two if they would not fit; read-only."""
        weights = rounded(self.numbers[:-1], self._unit)
        weights.flags.writeable = False
        return weights

    @cached_property
    def intercept(self) -> float:
        """The nearest double of the intercept, in the units of `weights`."""
        return rounded(self.numbers[-1:], self._unit).item()

    @property
    def threshold(self) -> float:
        """c = -b, with which the halfspace reads w·x > c."""
        return 0.0 - self.intercept

    @property
    def exact(self) -> bool:
        """Whether whole numbers are carried: some weight was given as one, or as a fraction."""
        return not all(isinstance(number, float) for number in self.numbers[:-1])

    @property
    def whole(self) -> tuple[int, ...] | None:
        """The numbers given times the least common multiple of their denominators; None for float weights.

        They are d + 1 whole numbers, the intercept last, of this very halfspace.
        """
        return tuple(self._affine.integers) if self.exact else None

    def score(self, X: Any, activation: str | Callable[[Any], Any] = "identity") -> Any:
        """f(w·x + b), for an activation f: "identity", "sign" (+1 above 0, else -1) or a function.

        The sign of w·x + b is always the true one: a value below all doubles becomes the smallest.
        """
        value = self._affine(X, self._unit)
        if activation == "sign":
            value = np.where(value > 0, 1, -1)
        elif callable(activation):
            return activation(_plain(value))
        elif activation != "identity":
            raise ValueError(f'activation must be "identity", "sign" or a function, not {activation!r}')
        return _plain(value)

    def predict(self, X: Any) -> Any:
        """+1 in H⁺ and -1 in H⁻, decided exactly."""
        return self.score(X, activation="sign")

    def in_positive(self, X: Any) -> Any:
        """Whether each point is in H⁺ = {x : w·x + b > 0}."""
        return self.score(X) > 0

    def in_negative(self, X: Any) -> Any:
        """Whether each point is in H⁻ = {x : w·x + b <= 0}, the complement of H⁺."""
        return self.score(X) <= 0

    def functional_margins(self, X: Any, y: Any) -> Any:
        """s(w·x + b) for points x with signs s: positive where the point is strictly on its side."""
        return _plain(_signed(y, self._affine(X, self._unit)))

    def geometric_margins(self, X: Any, y: Any) -> Any:
        """s(w·x + b)/‖w‖: how far each point lies on its side."""
        return _plain(_signed(y, self._distance(X)))

    def margin(self, X: Any, y: Any) -> float:
        """The smallest geometric margin: positive exactly when every point is strictly on its side."""
        return float(np.min(self.geometric_margins(X, y), initial=np.inf))

    def distance(self, X: Any) -> Any:
        """The signed distance (w·x + b)/‖w‖ from the hyperplane."""
        return _plain(self._distance(X))

    @property
    def origin_distance(self) -> float:
        """``|b|/‖w‖``, the distance of the hyperplane from the origin."""
        return abs(self._origin)

    def projection_length(self, X: Any) -> Any:
        """w·x/‖w‖, the signed length of the projection of x onto w."""
        return Halfspace(self.numbers[:-1]).distance(X)

    def component(self, X: Any) -> NDArray[np.float64]:
        """(w·x)w/‖w‖², the projection of x onto w; what is left of x is orthogonal to w."""
        return np.multiply.outer(self.projection_length(X), self._direction)

    def project(self, X: Any) -> NDArray[np.float64]:
        """The nearest point of the hyperplane, x - (w·x + b)w/‖w‖²."""
        points = as_points(X, len(self.numbers) - 1)
        dense = points if isinstance(points, np.ndarray) else points.toarray()
        return dense.astype(np.float64, copy=False) - np.multiply.outer(self._distance(X), self._direction)

    def angle(self, other: Halfspace) -> float:
        """The angle between the two normal vectors, in radians from 0 to π."""
        u, v = self._direction, other._direction
        if len(u) != len(v):
            raise ValueError(f"no angle between {len(u)} weights and {len(v)} weights")
        # Kahan's formula: the arc cosine of u·v would lose half the digits of a small angle.
        return 2 * math.atan2(np.linalg.norm(u - v), np.linalg.norm(u + v))

    def homogeneous(self, constant: str = "last") -> NDArray[Any]:
        """The vector v of R^(d+1) with v·(x, 1) > 0 in H⁺, or v·(1, x) > 0 with `constant="first"`.

        Doubles, or Python's whole numbers (`whole`) where these are carried.
        """
        vector = np.array(self.numbers) if self.whole is None else np.array(self.whole, dtype=object)
        return vector if _is_last(constant) else np.roll(vector, 1)

    def scaled(self, factor: Any) -> Halfspace:
        """Weights and intercept times a positive factor: the same points, exactly.

        Floats stay floats where the products are floats, and become fractions where they are not.
        """
        factor = as_number(factor, "the factor must be a positive number")
        if not factor > 0:
            raise ValueError(f"the factor must be a positive number, not {factor!r}")
        products = [Fraction(number) * Fraction(factor) for number in self.numbers]
        floats = rounded(products, 0).tolist()
        kept = products if self.exact or floats != products else floats
        return Halfspace(kept[:-1], kept[-1])

    def normalised(self) -> Halfspace:
        """The same hyperplane with weights of length 1, up to rounding."""
        if not math.isfinite(self._origin):
            raise ValueError("the hyperplane is farther from the origin, |b|/‖w‖, than any double tells")
        return Halfspace(self._direction, self._origin)

    def same_as(self, other: Halfspace) -> bool:
        """Whether the numbers agree up to a positive factor, exactly: then the two are one set of points."""
        return _primitive(self._affine.integers) == _primitive(other._affine.integers)

    def __repr__(self) -> str:
        shown = [repr(number) for number in self.numbers[:-1]]
        if len(shown) > 8:
            shown[6:-1] = ["..."]
        return f"Halfspace([{', '.join(shown)}], {self.numbers[-1]!r})"

    @cached_property
    def _affine(self) -> Affine:
        return Affine(self.numbers)

    @property
    def _unit(self) -> int:
        """The power of two left out of `weights` and `intercept`: 0 wherever doubles can hold them."""
        floats = all(isinstance(number, float) for number in self.numbers)
        return 0 if floats or abs(self._affine.magnitude) < 1000 else self._affine.magnitude

    @cached_property
    def _length_unit(self) -> int:
        if not any(self.numbers[:-1]):
            raise ValueError("the weights are all zero: there is no hyperplane to measure from")
        return magnitude(self.numbers[:-1]) + 1 + len(self.numbers).bit_length() // 2

    @cached_property
    def _length(self) -> float:
        """‖w‖/2**_length_unit: at most 1, so that no distance overflows on the way, and far from 0."""
        return float(np.linalg.norm(rounded(self.numbers[:-1], self._length_unit)))

    @property
    def _direction(self) -> NDArray[np.float64]:
        return rounded(self.numbers[:-1], self._length_unit) / self._length

    @property
    def _origin(self) -> float:
        """b/‖w‖, the signed distance of the origin."""
        return rounded(self.numbers[-1:], self._length_unit).item() / self._length

    def _distance(self, X: Any) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            return self._affine(X, self._length_unit) / self._length


def _is_last(constant: str) -> bool:
    if constant not in ("last", "first"):
        raise ValueError(f'constant must be "last" or "first", not {constant!r}')
    return constant == "last"


def _primitive(integers: NDArray[np.object_]) -> list[int]:
    divisor = math.gcd(*integers) or 1
    return [number // divisor for number in integers]


def _signed(y: Any, values: NDArray[np.float64]) -> NDArray[np.float64]:
    signs = np.asarray(y)
    if signs.shape != values.shape:
        raise ValueError(f"{values.size} points, but {signs.size} signs")
    if not np.isin(signs, (-1, 1)).all():
        raise ValueError("signs must be -1 or +1")
    return signs * values


def _plain(values: NDArray[Any]) -> Any:
    """One answer for one point: Python's number, not an array of no dimension."""
    return values.item() if np.ndim(values) == 0 else values
