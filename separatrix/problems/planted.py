"""Separable rows whose largest margin is planted, exactly.

**Construction.** A unit vector u; every row is x = t·u + v with v ⊥ u and s·t ≥ γ; two rows, one a class, are
±γ·u + v with one and the same v.

**Why γ is the largest margin.** The hyperplane u·x = 0 has margin γ. No hyperplane has more: the classes
hold two points at distance 2γ, and a margin m keeps them at least 2m apart. The halfway point of the two
signed rows s·x, and of s·(x, 1), is γ·u itself, so γ is also the largest margin without intercept, and that
of the rows (x, 1).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from separatrix.problems.known_answer import Number, Problem

__all__ = ["barely_separable", "separable"]

Direction = Literal["axis", "diagonal", "random"]
RandomState = int | np.random.Generator | None

_CHUNK_ROWS = 65536


def separable(
    n: int = 200,
    d: int = 2,
    margin: float = 0.125,
    *,
    direction: Direction = "axis",
    dtype: DTypeLike = np.float64,
    random_state: RandomState = 0,
) -> Problem:
    """n rows in d columns, both classes, with largest geometric margin `margin`.

    The margin is the same with an intercept, without one, and for the rows (x, 1): see the module's proof.

    Parameters
    ----------
    direction
        What the planted hyperplane is orthogonal to.

        - "axis": the first column. Any positive margin that `dtype` can hold is exact: the first entry of a
          row is s·(γ + t), t ≥ 0, and rounding is monotone.
        - "diagonal": 4 columns with weights ±1/2, or 16 with ±1/4 from d = 16 on: unit vectors in binary.
          All entries lie on a binary grid and no operation rounds. The margin is moved to the nearest
          multiple of 2⁻⁴⁰ (2⁻¹⁴ for float32); `Problem.margin` says to which.
        - "random": a rotated copy of "axis". Margin and halfspace are planted to rounding, and
          `Problem.margin_squared` is None to say so.
    dtype
        float64 or float32. Margins are those of the rows as stored.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.separable(1000, 5, margin=0.1)
    >>> problem
    <separable: 1000 × 5, complete, margin 0.1>
    >>> X, y = problem
    >>> float((y * X[:, 0]).min())
    0.1
    """
    kind = float_type(dtype)
    if n < 2 or d < 1:
        raise ValueError(f"separable needs two rows and a column at least, not {n} × {d}.")
    stored = stored_margin(margin, kind)
    rng = np.random.default_rng(random_state)
    weights: tuple[Number, ...]
    exact: Fraction | None
    if direction == "axis":
        margin = stored
        X, y = axis_rows(rng, n, d, margin, kind)
        weights, exact = (1.0,) + (0.0,) * (d - 1), Fraction(margin) ** 2
    elif direction == "diagonal":
        X, y, unit, margin = _diagonal_rows(rng, n, d, margin, kind)
        weights, exact = tuple(unit.tolist()), Fraction(margin) ** 2
    elif direction == "random":
        floor = 64 * math.sqrt(d) * float(np.finfo(kind).eps) * max(1.0, margin)
        if margin < floor:
            raise ValueError(f"A rotation rounds away margins below {floor:.1e} here; use direction='axis'.")
        X, y = axis_rows(rng, n, d, stored, kind)
        weights, exact = _rotate(rng, X), None
    else:
        raise ValueError(f"direction is 'axis', 'diagonal' or 'random', not {direction!r}.")
    return Problem(
        X=X,
        y=y,
        name="separable",
        description=f"Rows on both sides of a hyperplane through the origin ({direction}), the nearest pair "
        f"at distance {2 * margin!r}.",
        separable=True,
        kind="complete",
        halfspace=(weights, 0.0),
        margin=margin,
        margin_squared=exact,
        fewest_errors=0,
    )


def barely_separable(
    n: int = 200, d: int = 2, *, dtype: DTypeLike = np.float64, random_state: RandomState = 0
) -> Problem:
    """Separable rows whose two nearest ones differ in the last bit of one entry.

    Known: the margin is exactly 2⁻⁵³ (2⁻²⁴ in float32), for hyperplanes with an intercept. Two rows agree
    but in the first column, 1 against the next float 1 + ε, and the other rows lie on or beyond them: the
    module's proof with γ = ε/2. The halfway point 1 + ε/2 is no float, so the planted halfspace is in whole
    numbers.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.barely_separable(50, 3)
    >>> problem.margin == 2.0**-53, problem.halfspace == ((2**53, 0, 0), -(2**53) - 1)
    (True, True)
    """
    kind = float_type(dtype)
    if n < 2 or d < 1:
        raise ValueError(f"barely_separable needs two rows and a column at least, not {n} × {d}.")
    rng = np.random.default_rng(random_state)
    X, y = axis_rows(rng, n, d, 0.0, kind)
    one, gap = kind.type(1), np.finfo(kind).eps
    # 1 − t and 1 + ε + t with t ≥ 0: rounding is monotone, so no row comes between.
    X[:, 0] = np.where(y > 0, (one + gap) + np.abs(X[:, 0]), one - np.abs(X[:, 0]))
    inverse = round(2 / float(gap))
    return Problem(
        X=X,
        y=y,
        name="barely_separable",
        description="The nearest rows of the two classes differ in the last bit of one entry.",
        separable=True,
        kind="complete",
        halfspace=((inverse,) + (0,) * (d - 1), -inverse - 1),
        margin_squared=Fraction(1, inverse) ** 2,
        fewest_errors=0,
    )


def float_type(dtype: DTypeLike) -> np.dtype[Any]:
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"dtype is float64 or float32, not {kind}.")
    return kind


def stored_margin(margin: float, kind: np.dtype[Any]) -> float:
    """The margin as the type stores it; rows built from it have exactly that one."""
    with np.errstate(over="ignore"):
        stored = float(kind.type(margin))
    if not 0 < stored < math.inf:
        raise ValueError(f"margin must be a positive {kind} number, not {margin!r}.")
    return stored


def grid(kind: np.dtype[Any]) -> int:
    """Entries are multiples of 2^-grid, coarse enough to be added without rounding."""
    return 20 if kind == np.float64 else 10


def axis_rows(
    rng: np.random.Generator, n: int, d: int, margin: float, kind: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Entries on a binary grid in [−1, 1], the first being s·(margin + [0, 1]); a nearest pair somewhere."""
    scale = 2 ** grid(kind)
    X = rng.integers(-scale, scale, size=(n, d), dtype=np.int32, endpoint=True).astype(kind)
    X /= kind.type(scale)
    y = rng.choice(np.array([-1, 1]), size=n)
    X[:, 0] = y * (kind.type(margin) + np.abs(X[:, 0]))
    first, second = rng.choice(n, size=2, replace=False)
    X[first] = X[second]
    X[first, 0], X[second, 0] = margin, -margin
    y[first], y[second] = 1, -1
    return X, y


def _diagonal_rows(
    rng: np.random.Generator, n: int, d: int, margin: float, kind: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.float64], float]:
    if d < 4:
        raise ValueError(
            f"direction='diagonal' needs four columns at least, not {d}; use 'axis' or 'random'."
        )
    step = 2.0**-40 if kind == np.float64 else 2.0**-14
    margin = round(margin / step) * step
    if not 0 < margin <= 8:
        raise ValueError(f"direction='diagonal' takes margins from {step} to 8 in {kind}.")
    # One column more than asked for, and margin 0: its s·t says how far beyond the margin a row is to lie.
    drawn, y = axis_rows(rng, n, d + 1, 0.0, kind)
    target = drawn[:, 0] + y * margin
    X = np.ascontiguousarray(drawn[:, 1:])
    unit = np.zeros(d)
    spread = 16 if d >= 16 else 4
    columns = rng.choice(d, size=spread, replace=False)
    unit[columns] = rng.choice(np.array([-1.0, 1.0]), size=spread) / math.sqrt(spread)
    for start in range(0, n, _CHUNK_ROWS):
        rows = X[start : start + _CHUNK_ROWS]
        exact = rows.astype(np.float64)
        rows[:] = exact + np.outer(target[start : start + _CHUNK_ROWS] - exact @ unit, unit)
    return X, y, unit, margin


def _rotate(rng: np.random.Generator, X: NDArray[Any]) -> tuple[float, ...]:
    """Reflect the rows so that the first axis becomes a random unit vector, and return that vector."""
    d = X.shape[1]
    unit = rng.standard_normal(size=(d,))
    unit /= np.linalg.norm(unit)
    mirror = -unit
    mirror[0] += 1.0
    length = float(mirror @ mirror)
    if length > 0:
        for start in range(0, len(X), _CHUNK_ROWS):
            rows = X[start : start + _CHUNK_ROWS]
            rows -= np.outer(rows @ mirror, mirror * (2 / length)).astype(X.dtype)
    return tuple(unit.tolist())
