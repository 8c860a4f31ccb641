"""`sx.LinearSVM` beside scikit-learn's `LinearSVC` and LIBLINEAR: time until the same objective is reached.

The reference is our own certified lower bound, at a gap of 1e-9. A peer is run with more and more effort
(`LinearSVC` by its passes over the rows, LIBLINEAR by its tolerance) until its objective is within the same
gap of the reference as ours, and its time is that of the first run that is. A run that took longer than
`MOST_SECONDS`, or the last effort, ends the search: the line then says how far above the optimum it stopped.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import separatrix as sx
from benchmarks.harness import Bar, Table, alternate, clocked, number, ratio, require

SIZE, QUICK_SIZE = (200_000, 50), (4000, 20)
GAP = 1e-5
PASSES = (20, 60, 200)  # of LinearSVC
TOLERANCES = (1.0, 1e-1, 1e-2, 1e-3)  # of LIBLINEAR, whose passes have a limit of their own
COSTS = (1e-3, 1e-1, 10.0)
MOST_SECONDS = 4.0  # a peer that took longer is timed once


def run(*, quick: bool, repeats: int) -> Table:
    n, d = QUICK_SIZE if quick else SIZE
    X, y = rows(n, d)
    lines = []
    for C in COSTS:
        for intercept in (False, True):
            given = np.column_stack([X, np.ones(len(X))]) if intercept else X
            reference = sx.LinearSVM(C=C, fit_intercept=False, tol=1e-9).fit(given, y).lower_bound_
            del given
            for name, (peer, efforts) in _peers(X, y, C, intercept).items():
                found = _search(
                    lambda w, b, C=C, shared=intercept, best=reference: (
                        objective(w, b, X, y, C, penalised=shared) / best - 1.0
                    ),
                    peer,
                    efforts,
                )
                lines.append(_beside(X, y, C, intercept, name, peer, found, quick=quick, repeats=repeats))
    return Table(
        columns=(
            "C",
            "intercept",
            "ours, s",
            "our gap",
            "peer",
            "its time, s",
            "above the optimum",
            "ratio",
            "bar",
            "met",
        ),
        rows=lines,
        notes=(
            f"{n} normal rows of {d} columns, labels by a plane with noise. Ours stops at a certified gap of "
            f"{GAP:g}; the peer at the least effort that brings it as near. *Stopped at* says how far above "
            f"the optimum it was left after the last effort, or a run of more than {MOST_SECONDS:g} seconds. "
            "With an intercept theirs is penalised, another problem, and held to the optimum of that. Ours "
            "runs with `n_jobs=2`.",
        ),
    )


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    w = 2 * random.normal(size=d) / np.sqrt(d)
    return X, np.where(X @ w + 0.3 + 0.3 * random.normal(size=n) > 0, 1, -1)


def objective(w: np.ndarray, b: float, X: np.ndarray, y: np.ndarray, C: float, penalised: bool) -> float:
    loss = C * float(np.maximum(0.0, 1.0 - y * (X @ w + b)).sum())
    return 0.5 * float(w @ w) + loss + (0.5 * b * b if penalised else 0.0)


Peer = Callable[[float], tuple[np.ndarray, float]]


class Found(NamedTuple):
    """The effort that sufficed, or the last; its seconds, and how far above the optimum it ended."""

    effort: float
    seconds: float
    above: float


def _peers(X: np.ndarray, y: np.ndarray, C: float, intercept: bool) -> dict[str, tuple[Peer, Any]]:
    from liblinear.liblinearutil import parameter, problem, train
    from sklearn.svm import LinearSVC

    def linear_svc(passes: float) -> tuple[np.ndarray, float]:
        model = LinearSVC(
            C=C, loss="hinge", fit_intercept=intercept, tol=1e-6, max_iter=int(passes), random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        return model.coef_[0], float(np.ravel(model.intercept_)[0])

    # Its own option for a bias, on dense rows, left objectives far above those of a column of ones.
    given = problem(y, np.column_stack([X, np.ones(len(X))]) if intercept else X)

    def liblinear(tolerance: float) -> tuple[np.ndarray, float]:
        model = train(given, parameter(f"-s 3 -c {C} -e {tolerance} -q"))
        sign = 1.0 if model.get_labels()[0] == 1 else -1.0
        w = sign * np.array(model.get_decfun()[0])
        return (w[:-1], float(w[-1])) if intercept else (w, 0.0)

    return {"`LinearSVC`, max_iter=": (linear_svc, PASSES), "LIBLINEAR, -e ": (liblinear, TOLERANCES)}


def _search(above: Callable[[np.ndarray, float], float], peer: Peer, efforts: Any) -> Found:
    found = None
    for effort in efforts:
        started = perf_counter()
        w, b = peer(effort)
        found = Found(effort, perf_counter() - started, above(w, b))
        if found.above <= GAP or found.seconds > MOST_SECONDS:
            break
    assert found is not None
    return found


def _beside(
    X: np.ndarray,
    y: np.ndarray,
    C: float,
    intercept: bool,
    name: str,
    peer: Peer,
    found: Found,
    *,
    quick: bool,
    repeats: int,
) -> tuple[Any, ...]:
    def ours() -> sx.LinearSVM:
        return sx.LinearSVM(C=C, fit_intercept=intercept, tol=GAP, n_jobs=2).fit(X, y)

    model = ours()
    require(model.gap_ <= GAP, f"The gap is {model.gap_}.")
    require(model.certificate_.verify(X, y), "The certificate does not hold.")
    if found.seconds > MOST_SECONDS:
        mine = [clocked(ours)() for _ in range(repeats)]
        seconds = {"ours": mine, "theirs": [found.seconds] * repeats}
    else:
        seconds = alternate({"ours": clocked(ours), "theirs": clocked(lambda: peer(found.effort))}, repeats)
    times = ratio(seconds["theirs"], seconds["ours"])
    bar = Bar(1 if intercept else 4)
    stopped = "" if found.above <= GAP else "stopped at "
    return (
        C,
        "free, theirs penalised" if intercept else "none",
        median(seconds["ours"]),
        f"{model.gap_:.1e}",
        f"{name}{found.effort:g}",
        median(seconds["theirs"]),
        stopped + (number(found.above) if found.above >= 1e-3 else f"{found.above:.1e}"),
        times,
        bar,
        bar.judged(times.middle, quick=quick),
    )
