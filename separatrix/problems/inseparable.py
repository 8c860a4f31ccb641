"""Rows that no hyperplane separates, with the fewest errors known.

**The conflict.** Two rows p, p′ of one class and their halfway point q in the other: score(q) is the mean of
score(p) and score(p′), so whichever hyperplane is drawn, one of the three is on the wrong side or on it.
Disjoint conflicts need one error each.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import DTypeLike, NDArray

from separatrix.problems.known_answer import Kind, Problem
from separatrix.problems.planted import RandomState, axis_rows, float_type, stored_margin

__all__ = ["noisy", "quasi"]


def quasi(
    n: int = 200, d: int = 2, *, dtype: DTypeLike = np.float64, random_state: RandomState = 0
) -> Problem:
    """Margin zero: a hyperplane has every row on its side or on it, and none does better.

    Known: the kind is quasi, the largest margin 0, the fewest errors 1. The hyperplane x₁ = 0 holds one
    conflict (two positive rows and their halfway point, negative) and every other row is strictly on its
    side: no strict separator. Without the negative halfway point, x₁ = −1/16 separates strictly.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.quasi(100, 3)
    <quasi: 100 × 3, quasi, margin 0, fewest errors 1>
    """
    if n < 5 or d < 1:
        raise ValueError(f"quasi needs five rows and a column at least, not {n} × {d}.")
    rng = np.random.default_rng(random_state)
    X, y = axis_rows(rng, n, d, 0.125, float_type(dtype))
    triple = rng.choice(np.setdiff1d(np.arange(n), _support(X, y)), size=3, replace=False)
    X[triple, 0] = 0
    y[triple[0]] = 1
    _plant(X, y, triple[:, None])
    return Problem(
        X=X,
        y=y,
        name="quasi",
        description="A conflict of three rows on a hyperplane, all others strictly on their sides of it.",
        separable=False,
        kind="quasi",
        halfspace=((1.0,) + (0.0,) * (d - 1), 0.0),
        margin_squared=Fraction(0),
        fewest_errors=1,
    )


def noisy(
    n: int = 200,
    d: int = 2,
    flips: int = 10,
    *,
    margin: float = 0.125,
    proven: bool = True,
    dtype: DTypeLike = np.float64,
    random_state: RandomState = 0,
) -> Problem:
    """Separable rows with planted margin, then `flips` labels turned.

    Known with ``proven=True``: the fewest errors are exactly `flips`. Each flipped row is the halfway point
    of two rows of its true class, no two conflicts sharing a row, so every hyperplane errs once in each;
    the planted one errs on the flipped rows alone. The kind is overlap once the conflicts span the space (a
    weak separator would have to contain them all), otherwise it is left open.

    With ``proven=False`` the flipped rows are any rows but the nearest pair: ordinary label noise, of which
    only "at most `flips` errors" is known.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.noisy(300, 4, flips=7)
    >>> problem, len(problem.flipped)
    (<noisy: 300 × 4, overlap, fewest errors 7>, 7)
    """
    needed = 2 + (3 if proven else 1) * flips
    if flips < 0 or d < 1 or n < needed:
        raise ValueError(f"{flips} flips need {max(needed, 2)} rows and a column at least, not {n} × {d}.")
    kind = float_type(dtype)
    margin = stored_margin(margin, kind)
    rng = np.random.default_rng(random_state)
    X, y = axis_rows(rng, n, d, margin, kind)
    free = np.setdiff1d(np.arange(n), _support(X, y))
    if proven:
        triples = rng.choice(free, size=(3, flips), replace=False)
        _plant(X, y, triples)
        flipped = np.sort(triples[2])
    else:
        flipped = np.sort(rng.choice(free, size=flips, replace=False))
        y[flipped] *= -1
    verdict: Kind | None = None
    if flips == 0:
        verdict = "complete"
    elif proven and _spans(X[triples[:2, : d + 1].ravel()]):
        verdict = "overlap"
    return Problem(
        X=X,
        y=y,
        name="noisy",
        description=f"Rows with planted margin {margin!r}, {flips} labels flipped.",
        separable=flips == 0 if proven or flips == 0 else None,
        kind=verdict,
        halfspace=((1.0,) + (0.0,) * (d - 1), 0.0),
        fewest_errors=flips if proven or flips == 0 else None,
        flipped=flipped,
    )


def _support(X: NDArray[np.floating], y: NDArray[np.int64]) -> NDArray[np.intp]:
    """The planted nearest pair: one row of least depth from each class (a tie is as good)."""
    depth = np.abs(X[:, 0])
    sides = [np.flatnonzero(y == sign) for sign in (-1, 1)]
    return np.array([side[np.argmin(depth[side])] for side in sides])


def _plant(X: NDArray[np.floating], y: NDArray[np.int64], triples: NDArray[np.intp]) -> None:
    """Make each column (p, p′, q) of `triples` a conflict: q halfway, p's class for p′, the other for q.

    The three share the first entry, which need not lie on the grid; the others do, so halving is exact.
    """
    first, second, middle = triples
    X[second, 0] = X[first, 0]
    y[second] = y[first]
    X[middle] = (X[first] + X[second]) / 2
    X[middle, 0] = X[first, 0]
    y[middle] = -y[first]


def _spans(points: NDArray[np.floating]) -> bool:
    """Whether the points lie on no common hyperplane, by so much that rounding cannot decide."""
    d = points.shape[1]
    if len(points) <= d:
        return False
    homogeneous = np.column_stack([points.astype(np.float64), np.ones(len(points))])
    values = np.linalg.svd(homogeneous, compute_uv=False)
    return bool(values[-1] > 1e-6 * values[0])
