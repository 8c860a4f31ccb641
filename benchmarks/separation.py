"""`sx.separate` in scans of memory, beside HiGHS's linear programme, and what its proofs cost to check."""

from __future__ import annotations

import contextlib
import csv
import io
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np

import separatrix as sx
from benchmarks.boundary import KINDS, Programme, programme, rounding_level, rows
from benchmarks.harness import Bar, Spread, Table, alternate, clocked, plain_sum, ratio, require
from separatrix.certificates.check.__main__ import main as independent_check

SCANS = {"margin 0.05": 12.0, "no margin": 22.0, "one flipped label": 16.0, "5% noise": 3.0}
LARGE, QUICK_LARGE = (1_000_000, 100), (5_000, 20)
BESIDE, QUICK_BESIDE = (200_000, 50), (2_000, 10)
NEAR, QUICK_NEAR = (100_000, 20), (300, 5)
LIMIT = 120.0  # seconds that HiGHS gets


def run(*, quick: bool, repeats: int) -> Table:
    lines: list[tuple[object, ...]] = []
    for case in KINDS:
        lines += _in_scans(case, *(QUICK_LARGE if quick else LARGE), quick=quick, repeats=repeats)
    for case in KINDS:
        lines.append(_beside_highs(case, *(QUICK_BESIDE if quick else BESIDE), quick=quick, repeats=repeats))
    lines.append(_checked(20 if quick else 100, quick=quick, repeats=repeats))
    lines.append(_near(*(QUICK_NEAR if quick else NEAR), quick=quick, repeats=repeats))
    lines.append(_tiny(quick=quick, repeats=repeats))
    return Table(
        columns=("work", "rows", "columns", "ours, s", "beside it, s", "figure", "bar", "met"),
        rows=lines,
        notes=(
            "Scans: over one plain sum of the same array in the same repeat. HiGHS runs once, its programme "
            "built before the clock starts; a ratio with ≥ is one where it had not decided when it stopped, "
            f"at the latest after {LIMIT:.0f} s.",
        ),
    )


def _answer(X: np.ndarray, y: np.ndarray, kind: str, *, intercept: bool = True) -> Callable[[], object]:
    """Verdict and certificate, found right and verified before any clock starts."""

    def work() -> object:
        return sx.separate(X, y, intercept=intercept).certificate

    answer = sx.separate(X, y, intercept=intercept)
    require(answer.kind == kind, f"The verdict is {answer.kind}, not {kind}.")
    require(answer.certificate.verify(X, y), "The certificate does not hold.")
    return work


def _in_scans(case: str, n: int, d: int, *, quick: bool, repeats: int) -> list[tuple[object, ...]]:
    X, y = rows(case, n, d)
    sides = {"ours": clocked(_answer(X, y, KINDS[case])), "sum": plain_sum(X)}
    if case == "margin 0.05":
        certificate = sx.separate(X, y).certificate
        require(certificate.about.digest is None, "The digest is not to be timed.")
        sides["verify"] = clocked(lambda: certificate.verify(X, y))
    seconds = alternate(sides, repeats)
    lines = [_scans(case, X, seconds["ours"], seconds["sum"], Bar(SCANS[case], " scans", most=True), quick)]
    if "verify" in seconds:
        bar = Bar(3, " scans", most=True)
        lines.append(_scans("`verify` of that separator", X, seconds["verify"], seconds["sum"], bar, quick))
    return lines


def _scans(
    work: str, X: np.ndarray, ours: Sequence[float], sums: Sequence[float], bar: Bar, quick: bool
) -> tuple[object, ...]:
    scans = ratio(ours, sums)
    return (
        work,
        *X.shape,
        median(ours),
        f"{median(sums):.3g} (plain sum)",
        f"{scans} scans",
        bar,
        bar.judged(scans.middle, quick=quick),
    )


def _beside_highs(case: str, n: int, d: int, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = rows(case, n, d)
    ours = alternate({"ours": clocked(_answer(X, y, KINDS[case]))}, repeats)["ours"]
    solve = programme(X, y, limit=LIMIT)
    told: list[Programme] = []
    theirs = clocked(lambda: told.append(solve()))()
    wrong = told[0].verdict == ("not complete" if KINDS[case] == "complete" else "complete")
    bar = Bar(60)
    times = Spread.of([theirs / each for each in ours])
    cut_short = told[0].verdict not in ("complete", "not complete")
    return (
        f"{case}, beside HiGHS",
        n,
        d,
        median(ours),
        f"{theirs:.3g} ({'wrong: ' if wrong else ''}{told[0].status})",
        f"{'≥ ' * cut_short}{times}",
        bar,
        bar.judged(times.middle, quick=quick),
    )


def conflict_rows(d: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of one conflict in ``d`` columns."""
    X, y = rows("5% noise", 400 * d, d)
    conflict = sx.separate(X, y).conflict
    require(conflict is not None and len(conflict.rows) == d + 2, "The conflict is not of the usual size.")
    return X[list(conflict.rows)], y[list(conflict.rows)]


def _checked(d: int, *, quick: bool, repeats: int) -> tuple[object, ...]:
    """The independent checker on the rows of one conflict, from files."""
    X, y = conflict_rows(d)
    proof = next(c for c in sx.separate(X, y).certificates if type(c).__name__ == "Inseparable")
    with tempfile.TemporaryDirectory() as folder:
        data, record = Path(folder) / "rows.csv", Path(folder) / "proof.json"
        with open(data, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow([*(f"x{j}" for j in range(d)), "label"])
            table.writerows(
                [*map(repr, row), label] for row, label in zip(X.tolist(), y.tolist(), strict=True)
            )
        record.write_text(proof.to_json(), encoding="utf-8")

        def check() -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                require(independent_check([str(record), str(data)]) == 0, "The checker refuses the conflict.")

        taken = Spread.of([1e3 * each for each in alternate({"check": clocked(check)}, repeats)["check"]])
    bar = Bar(30, " ms", most=True)
    met = bar.judged(taken.middle, quick=quick)
    return (
        "a conflict by the independent checker",
        *X.shape,
        taken.middle / 1e3,
        "",
        f"{taken} ms",
        bar,
        met,
    )


def _near(n: int, d: int, *, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = rounding_level(n, d)
    work = clocked(_answer(X, y, "complete", intercept=False))
    taken = Spread.of(alternate({"ours": work}, repeats)["ours"])
    bar = Bar(10, " s", most=True)
    met = bar.judged(taken.middle, quick=quick)
    return ("margins of rounding size, no intercept", *X.shape, taken.middle, "", f"{taken} s", bar, met)


def _tiny(*, quick: bool, repeats: int) -> tuple[object, ...]:
    X, y = rows("margin 0.05", 100, 2)
    work = clocked(_answer(X, y, "complete"), 3 if quick else 100)
    taken = Spread.of([1e3 * each for each in alternate({"ours": work}, repeats)["ours"]])
    bar = Bar(2, " ms", most=True)
    return (
        "tiny",
        *X.shape,
        taken.middle / 1e3,
        "",
        f"{taken} ms",
        bar,
        bar.judged(taken.middle, quick=quick),
    )
