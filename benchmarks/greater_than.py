"""Who is right about rows that are hard for floats: "greater than" on numbers of many bits, and near ties.

A linear programme or a support vector machine is asked what it is used for: is there a hyperplane with every
row strictly on its side? Its answer is right if it is the exact one, and, for *yes*, if its own weights do
it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.svm import SVC, LinearSVC

import separatrix as sx
from benchmarks.boundary import greater_than, programme, rounding_level
from benchmarks.harness import Bar, Table, alternate, clocked, number, require

BITS, QUICK_BITS = (12, 28, 40, 50), (6, 12)
BAR = Bar(0.5, " s", most=True)
MOST_STEPS = 1_000_000
RIGHT = {"complete": ("complete", "separated"), "overlap": ("overlap",)}
Asked = Callable[[np.ndarray, np.ndarray, bool], str]


def run(*, quick: bool, repeats: int) -> Table:
    lines = []
    for bits in QUICK_BITS if quick else BITS:
        X, y = greater_than(bits)
        asked = BAR if bits == max(BITS) else None
        lines.append(_line(f"greater than, {bits} bits", X, y, "complete", True, asked, quick, repeats))
    X, y = rounding_level(60 if quick else 2000, 5 if quick else 20)
    lines.append(
        _line("margins of rounding size, no intercept", X, y, "complete", False, None, quick, repeats)
    )
    for step in (1e-7, 1e-10):
        X, y = np.array([[0.0], [1.0], [1.0 + step], [2.0]]), np.array([0, 1, 0, 1])
        name = f"0 < 1 < 1 + {step:g} < 2 as 0, 1, 0, 1"
        lines.append(_line(name, X, y, "overlap", True, None, quick, repeats))
    return Table(
        columns=("rows of", "size", "truth", "ours, s", "bar", "met", *PEERS),
        rows=lines,
        notes=(
            "Ours is right on each, with a certificate that was verified. A peer's cell is its answer and "
            "the seconds it took; **wrong** where it says *complete* and leaves rows on the wrong side, "
            "where its answer is not the truth, or where it has none. *separated* by `detect_separation` may "
            "be complete or quasi. The support vector machines have C=1e10 and at most "
            f"{MOST_STEPS:,} iterations; `SVC` always has an intercept.",
        ),
    )


def _line(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    truth: str,
    intercept: bool,
    bar: Bar | None,
    quick: bool,
    repeats: int,
) -> tuple[object, ...]:
    def ours() -> sx.Separation:
        answer = sx.separate(X, y, intercept=intercept)
        require(answer.kind == truth, f"The verdict on {name} is {answer.kind}.")
        return answer

    require(ours().certificate.verify(X, y), "The certificate does not hold.")
    seconds = sorted(alternate({"ours": clocked(lambda: ours().certificate)}, repeats)["ours"])
    taken = seconds[len(seconds) // 2]
    met = bar.judged(taken, quick=quick) if bar else ""
    peers = [_told(ask, X, y, truth, intercept) for ask in PEERS.values()]
    return (name, f"{len(X)} × {X.shape[1]}", truth, taken, bar or "", met, *peers)


def _told(ask: Asked, X: np.ndarray, y: np.ndarray, truth: str, intercept: bool) -> str:
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = ask(X, y, intercept)
        except ModuleNotFoundError as missing:
            return f"not run: {missing.name} is not installed"
        except Exception as failed:
            answer = type(failed).__name__
    taken = perf_counter() - started
    right = answer in RIGHT[truth] or (truth == "overlap" and answer.startswith("not complete"))
    return f"{'' if right else '**wrong**: '}{answer}, {number(taken)} s"


def _highs(X: np.ndarray, y: np.ndarray, intercept: bool) -> str:
    found = programme(X, y, intercept=intercept)()
    broken = found.verdict == "complete" and found.errors > 0
    return f"complete, with {found.errors} errors" if broken else found.verdict


def _machine(model: Any) -> Asked:
    def ask(X: np.ndarray, y: np.ndarray, intercept: bool) -> str:
        scores = model(intercept).fit(X, y).decision_function(X)
        errors = int(np.count_nonzero(np.where(y == 1, scores, -scores) <= 0))
        return "complete" if errors == 0 else f"not complete ({errors} errors)"

    return ask


def _firth(X: np.ndarray, y: np.ndarray, intercept: bool) -> str:
    from firthmodels import detect_separation

    return "separated" if detect_separation(X, y, fit_intercept=intercept).separation else "overlap"


PEERS: dict[str, Asked] = {
    "HiGHS": _highs,
    "`LinearSVC`": _machine(lambda intercept: LinearSVC(C=1e10, fit_intercept=intercept, max_iter=10_000)),
    "`SVC`": _machine(lambda intercept: SVC(kernel="linear", C=1e10, max_iter=MOST_STEPS)),
    "`detect_separation`": _firth,
}
