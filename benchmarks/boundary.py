"""Rows around a hyperplane: with a margin, without one, with one label flipped, with noise, and on it.

Also the linear programme of the textbooks for them, min 0 subject to s(w·x + b) ≥ 1, in HiGHS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.convergence import planted
from separatrix.certificates.arithmetic.margin_signs import Margins

MARGIN = 0.05
NOISE = 0.05
KINDS = {
    "margin 0.05": "complete",
    "no margin": "complete",
    "one flipped label": "overlap",
    "5% noise": "overlap",
}


def rows(case: str, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """X and labels 0 and 1 for a case of `KINDS`."""
    X, signs = planted(n, d, MARGIN if case in ("margin 0.05", "one flipped label") else 0.0, "f8")
    y = (signs > 0).astype(np.int64)
    if case == "one flipped label":
        y[n // 3] ^= 1
    if case == "5% noise":
        y ^= np.random.default_rng(1).random(n) < NOISE
    return X, y


def rounding_level(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows on a hyperplane through the origin up to the last bits, labelled by their exact side."""
    random = np.random.default_rng(1)
    w = random.standard_normal(d)
    X = random.standard_normal((n, d))
    X[:, -1] = -(X[:, :-1] @ w[:-1]) / w[-1]
    side = Margins(w.tolist(), None).compare(X, np.ones(n, np.int8))
    return X[side != 0], (side[side != 0] > 0).astype(np.int64)


def greater_than(bits: int, more: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of whole numbers as bits, labelled 1 where the first is greater: weights double with each bit."""
    pairs = []
    for power in (1 << place for place in range(bits)):
        pairs += [(power, power - 1), (power - 1, power), (power, power)]
    pairs += [(int(a), int(b)) for a, b in np.random.default_rng(bits).integers(0, 2**bits, (more, 2))]
    X = [[(value >> place) & 1 for value in pair for place in range(bits)] for pair in pairs]
    return np.array(X, np.float64), np.array([int(a > b) for a, b in pairs])


class Programme(NamedTuple):
    """HiGHS's status, and the rows that its weights leave on the wrong side."""

    status: str
    errors: int

    @property
    def verdict(self) -> str:
        """What a user would read from the status."""
        return {"Optimal": "complete", "Infeasible": "not complete"}.get(self.status, self.status.lower())


def programme(
    X: np.ndarray, y: np.ndarray, *, intercept: bool = True, limit: float = 120.0
) -> Callable[[], Programme]:
    """The linear programme, built; a call passes it to HiGHS and solves it, in ``limit`` seconds at most."""
    import highspy

    Z = np.column_stack([X, np.ones(len(y))]) if intercept else X.copy()
    Z *= np.where(y == 1, 1.0, -1.0)[:, None]
    n, width = Z.shape
    free = np.full(width, highspy.kHighsInf)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = width, n
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(width), -free, free
    lp.row_lower_, lp.row_upper_ = np.ones(n), np.full(n, highspy.kHighsInf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.arange(n + 1) * width
    lp.a_matrix_.index_ = np.tile(np.arange(width), n)
    lp.a_matrix_.value_ = Z.reshape(-1)

    def solve() -> Programme:
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("time_limit", limit)
        solver.passModel(lp)
        solver.run()
        weights = np.array(solver.getSolution().col_value)
        errors = int(np.count_nonzero(Z @ weights <= 0)) if len(weights) == width else n
        return Programme(solver.modelStatusToString(solver.getModelStatus()), errors)

    return solve
