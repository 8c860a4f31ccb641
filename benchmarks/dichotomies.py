"""`sx.theory.dichotomies_of`: every labelling that a hyperplane can give, listed exactly."""

from __future__ import annotations

import numpy as np

import separatrix as sx
from benchmarks.harness import Bar, Spread, Table, alternate, clocked, require

BAR = Bar(2, " s", most=True)
SIZES = ((30, 2), (20, 3))


def run(*, quick: bool, repeats: int) -> Table:
    lines = []
    for n, d in SIZES:
        points = np.random.default_rng(0).standard_normal((n // 3 if quick else n, d))
        found = sx.theory.dichotomies_of(points)
        require(len(found) == sx.theory.dichotomies(len(points), d), "Cover's count is another.")
        require(
            all(one.certificate.verify(points, one.signs) for one in found[::50]),
            "A certificate does not hold.",
        )
        work = clocked(lambda points=points: sx.theory.dichotomies_of(points))
        seconds = Spread.of(alternate({"ours": work}, repeats)["ours"])
        judged = BAR.judged(seconds.middle, quick=quick)
        lines.append((len(points), d, len(found), f"2^{len(points)}", seconds, BAR, judged))
    return Table(
        columns=("points", "columns", "dichotomies", "labellings", "seconds", "bar", "met"), rows=lines
    )
