"""Five cyclic passes over sparse rows (CSR), by the public ``fit``."""

from __future__ import annotations

from statistics import median

from sklearn.linear_model import Perceptron

import separatrix as sx
from benchmarks import planted
from benchmarks.harness import Bar, Table, alternate, clocked, ratio, require

BAR = Bar(2.5)


def cases(*, quick: bool) -> list[tuple[int, int, str]]:
    """Rows, columns and type of each line."""
    n, d = (2_000, 5_000) if quick else (100_000, 50_000)
    return [(n, d, dtype) for dtype in ("float32", "float64")]


def run(*, quick: bool, repeats: int) -> Table:
    return Table(
        columns=(
            "rows",
            "columns",
            "values a row",
            "type",
            "ours, s",
            "scikit-learn, s",
            "ratio",
            "bar",
            "met",
        ),
        rows=[_case(*case, quick=quick, repeats=repeats) for case in cases(quick=quick)],
        notes=(
            f"Both make {planted.PASSES} passes, ours {planted.MISTAKES} mistakes, and end without error.",
        ),
    )


def _case(n: int, d: int, dtype: str, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = planted.sparse(n, d, dtype)

    def ours() -> sx.Perceptron:
        return sx.Perceptron(max_iter=planted.PASSES).fit(X, y)

    def theirs() -> Perceptron:
        return Perceptron(max_iter=planted.PASSES, tol=None, shuffle=False).fit(X, y)

    mine, other = ours(), theirs()
    require(
        mine.passes_ == other.n_iter_ == planted.PASSES, "The two sides made different numbers of passes."
    )
    require(mine.mistakes_ == planted.MISTAKES, f"{mine.mistakes_} mistakes instead of {planted.MISTAKES}.")
    require(mine.certificate_.verify(X, y), "The certificate does not hold.")
    require(other.score(X, y) == 1.0, "scikit-learn errs on the rows.")
    seconds = alternate({"ours": clocked(ours), "theirs": clocked(theirs)}, repeats)
    times = ratio(seconds["theirs"], seconds["ours"])
    return (
        n,
        d,
        round(X.nnz / n),
        dtype,
        median(seconds["ours"]),
        median(seconds["theirs"]),
        times,
        BAR,
        BAR.judged(times.middle, quick=quick),
    )
