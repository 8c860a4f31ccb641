"""Five cyclic passes over dense rows in memory, by the public ``fit`` with all that belongs to it."""

from __future__ import annotations

from statistics import median

import numpy as np
from sklearn.linear_model import Perceptron

import separatrix as sx
from benchmarks import planted
from benchmarks.harness import Bar, Table, alternate, clocked, number, plain_sum, ratio, require

SIZES = (20_000_000, 100_000_000)
QUICK = (200_000,)
WIDTHS = (20, 100, 1000)


def cases(*, quick: bool) -> list[tuple[int, int, str]]:
    """Rows, columns and type of each line."""
    return [
        (values // d, d, dtype)
        for values in (QUICK if quick else SIZES)
        for d in ((20, 100) if quick else WIDTHS)
        for dtype in ("float32", "float64")
    ]


def run(*, quick: bool, repeats: int) -> Table:
    return Table(
        columns=(
            "rows",
            "columns",
            "type",
            "ours, s",
            "scikit-learn, s",
            "ratio",
            "bar",
            "met",
            "a pass, GB/s",
            "plain sum, GB/s",
            "share",
            "of the whole fit",
        ),
        rows=[_case(*case, quick=quick, repeats=repeats) for case in cases(quick=quick)],
        notes=(
            f"Both make {planted.PASSES} passes and {planted.MISTAKES} mistakes and end with equal weights.",
        ),
    )


def _case(n: int, d: int, dtype: str, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = planted.dense(n, d, dtype)
    passes: list[float] = []

    def ours() -> sx.Perceptron:
        model = sx.Perceptron(max_iter=planted.PASSES).fit(X, y)
        passes.append(median(model.history_["seconds"][1:]))
        return model

    def theirs() -> Perceptron:
        return Perceptron(max_iter=planted.PASSES, tol=None, shuffle=False).fit(X, y)

    _check(ours(), theirs(), X, y)
    reference = plain_sum(X)
    seconds = alternate({"ours": clocked(ours), "theirs": clocked(theirs), "sum": reference}, repeats)
    times = ratio(seconds["theirs"], seconds["ours"])
    bar = Bar(7 if dtype == "float32" else 4 if d < 100 else 3.5)
    billions = X.nbytes / 1e9
    pass_speed = billions / median(passes[-repeats:])
    sum_speed = billions / median(seconds["sum"])
    fit_speed = planted.PASSES * billions / median(seconds["ours"])
    return (
        n,
        d,
        dtype,
        median(seconds["ours"]),
        median(seconds["theirs"]),
        times,
        bar,
        bar.judged(times.middle, quick=quick),
        number(pass_speed),
        number(sum_speed),
        f"{pass_speed / sum_speed:.0%}",
        f"{fit_speed / sum_speed:.0%}",
    )


def _check(ours: sx.Perceptron, theirs: Perceptron, X: np.ndarray, y: np.ndarray) -> None:
    require(
        ours.passes_ == theirs.n_iter_ == planted.PASSES, "The two sides made different numbers of passes."
    )
    require(ours.mistakes_ == planted.MISTAKES, f"{ours.mistakes_} mistakes instead of {planted.MISTAKES}.")
    require(np.array_equal(ours.coef_, theirs.coef_), "The two sides ended with different weights.")
    require(ours.certificate_.verify(X, y), "The certificate does not hold.")
