"""`sx.LinearRegression` and `sx.Ridge` beside scikit-learn's, on tall dense data, with the digits of each."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge

import separatrix as sx
from benchmarks.harness import Bar, Table, alternate, clocked, ratio, require
from separatrix.certificates.arithmetic.balls import middles
from separatrix.certificates.arithmetic.normal_equations import NormalEquations

SIZES = ((200_000, 50), (1_000_000, 100))
EXACT_UP_TO = 200_000  # rows whose exact solution is worked out for the digits
PEERS: tuple[tuple[str, Callable[[], Any], Callable[[], Any], float], ...] = (
    ("`LinearRegression`", sx.LinearRegression, LinearRegression, 10),
    ("`Ridge()`", sx.Ridge, Ridge, 2.5),
    ('`Ridge(solver="cholesky")`', sx.Ridge, lambda: Ridge(solver="cholesky"), 2.5),
)


def run(*, quick: bool, repeats: int) -> Table:
    lines = []
    for n, d in SIZES:
        X, y = _data(n // 100 if quick else n, d)
        for name, ours, theirs, bar in PEERS:
            lines.append(_line(X, y, name, ours, theirs, Bar(bar), quick=quick, repeats=repeats))
    return Table(
        columns=(
            "rows",
            "columns",
            "peer",
            "ours, s",
            "peer, s",
            "ratio",
            "bar",
            "met",
            "digits, ours",
            "peer's",
        ),
        rows=lines,
        notes=(
            "Normal columns, a planted solution, noise of variance 1. *Digits* are the fewest correct digits "
            "among the coefficients, against the exact solution of the same floats (of the first "
            f"{EXACT_UP_TO:,} rows where there are more). Both sides may use all cores.",
        ),
    )


def _data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 3 + rng.normal(size=n)


def _line(
    X: np.ndarray,
    y: np.ndarray,
    name: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    bar: Bar,
    *,
    quick: bool,
    repeats: int,
) -> tuple[object, ...]:
    mine, peer = _digits(ours(), X, y), _digits(theirs(), X, y)
    require(mine >= min(peer, 14.0), f"{name}: {mine:.1f} digits, the peer has {peer:.1f}.")
    seconds = alternate(
        {"ours": clocked(lambda: ours().fit(X, y)), "theirs": clocked(lambda: theirs().fit(X, y))}, repeats
    )
    times = ratio(seconds["theirs"], seconds["ours"])
    return (
        len(X),
        X.shape[1],
        name,
        median(seconds["ours"]),
        median(seconds["theirs"]),
        times,
        bar,
        bar.judged(times.middle, quick=quick),
        f"{mine:.1f}",
        f"{peer:.1f}",
    )


def _digits(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    X, y = X[:EXACT_UP_TO], y[:EXACT_UP_TO]
    found = model.fit(X, y)
    alpha = float(getattr(model, "alpha", 0.0))
    exact = middles(NormalEquations(_moments(X, y), intercept=True, alpha=alpha).solve())
    error = np.max(abs(np.append(found.coef_, found.intercept_) - exact) / abs(exact))
    return float(-np.log10(max(error, 2.0**-54)))


_KEPT: dict[tuple[int, int], Any] = {}


def _moments(X: np.ndarray, y: np.ndarray) -> Any:
    if X.shape not in _KEPT:
        _KEPT[X.shape] = sx.LinearRegression().fit(X, y).moments_
    return _KEPT[X.shape]
