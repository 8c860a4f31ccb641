"""`sx.MaxMargin().fit` to a certified gap of 1e-9, in scans of memory and beside scikit-learn's `SVC`."""

from __future__ import annotations

from statistics import median

import numpy as np
from sklearn.svm import SVC

import separatrix as sx
from benchmarks.boundary import rows
from benchmarks.harness import Bar, Table, alternate, clocked, plain_sum, ratio, require

GAP = 1e-9
QUIET_SCAN = 0.075  # seconds of a plain sum of 10⁶ × 100 where the bars in seconds were set
SIZES = {(1_000_000, 100): 2.5, (200_000, 50): 0.3}  # bars in seconds
BESIDE = (20_000, 20)


def run(*, quick: bool, repeats: int) -> Table:
    lines = [
        _in_scans(n // 200 if quick else n, d, _bar(n, d, most), quick=quick, repeats=repeats)
        for (n, d), most in SIZES.items()
    ]
    n, d = BESIDE
    lines.append(_beside(n // 40 if quick else n, d, quick=quick, repeats=repeats))
    return Table(
        columns=("rows", "columns", "ours, s", "beside it", "its time, s", "figure", "bar", "met"),
        rows=lines,
        notes=(
            "Rows around a random plane, pushed 0.05 away from it. *Plain sum* is one of the same array in "
            'the same repeat. `SVC(kernel="linear", C=1e10)` stops at its own tolerance and proves nothing.',
        ),
    )


def _bar(n: int, d: int, seconds: float) -> Bar:
    """The bar as scans: seconds over what a scan of as many bytes took where it was set."""
    return Bar(round(seconds / (QUIET_SCAN * n * d / 1e8)), " scans", most=True)


def _model(X: np.ndarray, y: np.ndarray) -> sx.MaxMargin:
    return sx.MaxMargin(tol=GAP).fit(X, y)


def _proven(X: np.ndarray, y: np.ndarray) -> float:
    """The margin, once both ends are close and the certificate holds."""
    model = _model(X, y)
    require(model.gap_ <= GAP, f"The gap is {model.gap_}.")
    require(model.certificate_.verify(X, y), "The certificate does not hold.")
    return float(model.margin_)


def _in_scans(n: int, d: int, bar: Bar, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = rows("margin 0.05", n, d)
    _proven(X, y)
    seconds = alternate({"ours": clocked(lambda: _model(X, y)), "sum": plain_sum(X)}, repeats)
    scans = ratio(seconds["ours"], seconds["sum"])
    return (
        n,
        d,
        median(seconds["ours"]),
        "plain sum",
        median(seconds["sum"]),
        f"{scans} scans",
        bar,
        bar.judged(scans.middle, quick=quick),
    )


def _beside(n: int, d: int, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = rows("margin 0.05", n, d)
    margin = _proven(X, y)

    def theirs() -> SVC:
        return SVC(kernel="linear", C=1e10).fit(X, y)

    found = theirs()
    scores = np.where(y == 1, 1.0, -1.0) * found.decision_function(X)
    reached = float(scores.min() / np.linalg.norm(found.coef_))
    seconds = alternate({"ours": clocked(lambda: _model(X, y)), "theirs": clocked(theirs)}, repeats)
    times = ratio(seconds["theirs"], seconds["ours"])
    bar = Bar(20)
    return (
        n,
        d,
        median(seconds["ours"]),
        f"`SVC`, {reached / margin:.6f} of our margin",
        median(seconds["theirs"]),
        times,
        bar,
        bar.judged(times.middle, quick=quick),
    )
