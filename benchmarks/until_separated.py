"""Passes until one is free of mistakes, on the rows of `benchmarks.convergence`, by the public ``fit``."""

from __future__ import annotations

from statistics import median

from sklearn.linear_model import Perceptron

import separatrix as sx
from benchmarks.convergence import CASES, planted
from benchmarks.harness import Bar, Table, alternate, clocked, ratio, require

BAR = Bar(10)
MOST = 5000
TENS = 20  # passes: the bar is for runs that take tens of them or more


def cases(*, quick: bool) -> list[tuple[int, int, float, str]]:
    """Rows, columns, margin and type of each line."""
    if quick:
        return [(n // 100, d, margin, dtype) for n, d, margin, dtype in CASES[:2]]
    return CASES


def run(*, quick: bool, repeats: int) -> Table:
    return Table(
        columns=(
            "rows",
            "columns",
            "margin",
            "type",
            "passes",
            "mistakes",
            "ours, s",
            "scikit-learn, s",
            "ratio",
            "bar",
            "met",
        ),
        rows=[_case(*case, quick=quick, repeats=repeats) for case in cases(quick=quick)],
        notes=("Ours proves what it found; scikit-learn makes as many passes.",),
    )


def _case(n: int, d: int, margin: float, dtype: str, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = planted(n, d, margin, dtype)

    def ours() -> sx.Perceptron:
        return sx.Perceptron(max_iter=MOST).fit(X, y)

    model = ours()
    passes = int(model.passes_)
    require(passes < MOST, f"Ours was not done after {MOST} passes.")
    require(model.certificate_.verify(X, y), "The certificate does not hold.")

    def theirs() -> Perceptron:
        return Perceptron(max_iter=passes, tol=None, shuffle=False).fit(X, y)

    require(theirs().n_iter_ == passes, "The two sides made different numbers of passes.")
    seconds = alternate({"ours": clocked(ours), "theirs": clocked(theirs)}, repeats)
    times = ratio(seconds["theirs"], seconds["ours"])
    asked = BAR if X.itemsize == 8 and passes >= TENS else None
    return (
        n,
        d,
        str(margin),
        X.dtype.name,
        passes,
        int(model.mistakes_),
        median(seconds["ours"]),
        median(seconds["theirs"]),
        times,
        asked or "",
        asked.judged(times.middle, quick=quick) if asked else "",
    )
