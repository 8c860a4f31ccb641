"""The fewest errors: how far the interval closes, how fast, and what others reach in the same time.

Four peers. The textbook model in HiGHS: one binary variable a row and a large constant that switches the row
off. Implicit hitting sets with HiGHS: a covering program over conflicts met so far, and a linear program that
finds the next ones. Enumeration of all lines through two rows, where there are two columns: right in general
position only. The best of scikit-learn's linear models, by their training errors. None of them is certified;
their numbers are told as they give them. Ours is certified, and the certificate is verified; that time is
told apart.

The hard sets get a minute each, generated ones with five columns half a minute, and the others
SEPARATRIX_LIMIT seconds, 8 unless said: the whole table takes about half an hour then.
"""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

import separatrix as sx
from benchmarks.harness import Table, number, require

LIMIT, QUICK_LIMIT = float(os.environ.get("SEPARATRIX_LIMIT") or 8), 2.0
LONGER, LONGEST = 30.0, 60.0  # seconds
SETS = ("iris", "banknote", "haberman", "voicepath", "vaso", "endometrial", "sex2")
NARROW = ("heart_statlog", "pima_diabetes", "heart_cleveland")
HARD = (*NARROW, "ionosphere", "spambase")
GAP = 0.45  # of the narrow ones, in a minute
LARGE = 1000.0  # on standardised columns
PAIRS = 300_000  # lines that are enumerated at most
Named = tuple[str, np.ndarray, np.ndarray]


def run(*, quick: bool, repeats: int) -> Table:
    draws = np.random.default_rng(0)
    for columns in (1, 9):  # compiles
        sx.ZeroOne(node_limit=50).fit(draws.normal(size=(60, columns)), np.arange(60) % 2)
    lines = [
        _line(name, X, y, QUICK_LIMIT if quick else _limit(name, X))
        for name, X, y in (_small() if quick else _all())
    ]
    return Table(
        columns=(
            "data",
            "rows",
            "columns",
            "limit, s",
            "errors",
            "proven",
            "s",
            "verified in, s",
            "bar",
            "met",
            "MIP in HiGHS",
            "its s",
            "hitting sets",
            "their s",
            "enumeration",
            "its s",
            "scikit-learn's best",
        ),
        rows=lines,
        notes=(
            f"The MIP has a large constant of {LARGE:.0f} on standardised columns; no peer's interval is "
            "certified. Of five generated sets of a kind the peers get the first. scikit-learn's best is "
            "that of logistic regression, linear SVM, perceptron, ridge and linear discriminant, on "
            "standardised columns.",
        ),
    )


def _limit(name: str, X: np.ndarray) -> float:
    if name.startswith((*HARD, "digits")):
        return LONGEST
    return LONGER if name.startswith("Gaussians") and X.shape[1] > 2 else LIMIT


def _line(name: str, X: np.ndarray, y: np.ndarray, limit: float) -> tuple[object, ...]:
    started = perf_counter()
    model = sx.ZeroOne(time_limit=limit).fit(X, y)
    took = perf_counter() - started
    started = perf_counter()
    require(model.certificate_.verify(X, y).holds, f"The certificate of {name} does not hold.")
    verified = perf_counter() - started
    gap = (model.errors_ - model.lower_bound_) / (model.errors_ or 1)
    bar = f"gap ≤ {GAP:.0%}" if name in NARROW else "" if name in HARD else "optimal"
    met = gap <= GAP if name in NARROW else model.optimal_
    others: list[object] = []
    skipped = name.startswith("Gaussians") and not name.endswith("seed 0")
    for peer in (_mixed_integer, _hitting_sets, _enumeration):
        low, high, seconds = ("", "", 0.0) if skipped else peer(_standardised(X, y), limit)
        told = str(high) if low in ("", high) else f"{low} to {high}"
        others += [told, number(seconds) if told else ""]
    others.append("" if skipped else _linear_models(_standardised(X, y)))
    judged = (bar, ("yes" if met else "no") if bar else "")
    n, d = X.shape
    return (name, n, d, f"{limit:.0f}", model.errors_, model.lower_bound_, took, verified, *judged, *others)


def _standardised(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """s·(x, 1) in units of each column's spread."""
    spread = X.std(axis=0)
    Z = np.column_stack(((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), np.ones(len(X))))
    return Z * np.where(y == np.max(y), 1.0, -1.0)[:, None]


Reached = tuple[object, object, float]


def _mixed_integer(Z: np.ndarray, limit: float) -> Reached:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity

    n, D = Z.shape
    rows = hstack([csr_array(Z), LARGE * identity(n, format="csr")], format="csr")
    started = perf_counter()
    answer = milp(
        np.concatenate((np.zeros(D), np.ones(n))),
        constraints=LinearConstraint(rows, 1.0, np.inf),
        integrality=np.concatenate((np.zeros(D), np.ones(n))),
        bounds=Bounds(np.r_[np.full(D, -LARGE), np.zeros(n)], np.r_[np.full(D, LARGE), np.ones(n)]),
        options={"time_limit": limit},
    )
    took = perf_counter() - started
    low = 0 if answer.mip_dual_bound is None else int(np.ceil(answer.mip_dual_bound - 1e-6))
    return low, "?" if answer.x is None else round(answer.fun), took


def _hitting_sets(Z: np.ndarray, limit: float) -> Reached:
    """The fewest rows that meet all conflicts so far; new conflicts among the others; until there is none."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    n = len(Z)
    started = perf_counter()
    conflicts: list[np.ndarray] = []
    low, high, chosen = 0, n, np.zeros(n, bool)
    while (left := limit - (perf_counter() - started)) > 0 and low < high:
        rest = ~chosen
        while (left := limit - (perf_counter() - started)) > 0:
            conflict, wrong = _conflict(Z, rest, left)
            high = min(high, wrong)
            if not len(conflict):
                break
            conflicts.append(conflict)
            rest[conflict] = False
        ends = np.cumsum([0, *map(len, conflicts)])
        if left <= 0 or not conflicts:
            break
        cover = csr_array((np.ones(ends[-1]), np.concatenate(conflicts), ends), shape=(len(conflicts), n))
        answer = milp(
            np.ones(n),
            constraints=LinearConstraint(cover, 1.0, np.inf),
            integrality=np.ones(n),
            bounds=Bounds(0, 1),
            options={"time_limit": left},
        )
        if answer.mip_dual_bound is not None:
            low = max(low, int(np.ceil(answer.mip_dual_bound - 1e-6)))
        if answer.x is None:
            break
        chosen = answer.x > 0.5
    return low, high, perf_counter() - started


def _conflict(Z: np.ndarray, kept: np.ndarray, limit: float) -> tuple[np.ndarray, int]:
    """Rows that no halfspace has all right, none if there is one; and the errors of the halfspace met."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity

    numbers = np.flatnonzero(kept)
    m, D = len(numbers), Z.shape[1]
    answer = linprog(
        np.concatenate((np.zeros(D), np.ones(m))),
        A_ub=-hstack([csr_array(Z[numbers]), identity(m, format="csr")], format="csr"),
        b_ub=-np.ones(m),
        bounds=[(-LARGE, LARGE)] * D + [(0, None)] * m,
        method="highs",
        options={"time_limit": limit},
    )
    if answer.x is None:
        return numbers[:0], len(Z)
    wrong = int((Z @ answer.x[:D] <= 1e-9).sum())
    if not answer.fun > 1e-7:
        return numbers[:0], wrong
    return _smallest(Z, numbers[-answer.ineqlin.marginals > 1e-9]), wrong


def _smallest(Z: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A vertex of the multipliers that cancel these rows: few rows, none to spare."""
    from scipy.optimize import linprog

    equations = np.vstack((Z[rows].T, np.ones(len(rows))))
    answer = linprog(
        np.linspace(0.0, 1.0, len(rows)),
        A_eq=equations,
        b_eq=np.r_[np.zeros(Z.shape[1]), 1.0],
        method="highs-ds",
    )
    return rows if answer.x is None else rows[answer.x > 1e-9]


def _enumeration(Z: np.ndarray, limit: float) -> Reached:
    """The best line through two rows, each on the side it needs; rows besides on it count as errors."""
    n, D = Z.shape
    if D != 3 or n * (n - 1) // 2 > PAIRS:
        return "", "", 0.0
    started = perf_counter()
    best = n
    for i in range(n - 1):
        if perf_counter() - started > limit:
            break
        planes = np.cross(Z[i], Z[i + 1 :])
        scores = planes @ Z.T
        scores[:, i] = np.inf
        others = np.arange(n - 1 - i)
        for sides in (scores, -scores):
            sides[:, i] = np.inf
            sides[others, i + 1 + others] = np.inf
            best = min(best, int((sides <= 1e-12).sum(axis=1).min()))
    return "", best, perf_counter() - started


def _linear_models(Z: np.ndarray) -> int:
    """The fewest training errors of the usual models."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
    from sklearn.svm import LinearSVC

    y = np.sign(Z[:, -1])
    X = Z[:, :-1] * y[:, None]
    models = [
        *(LogisticRegression(C=C, max_iter=2000) for C in (1.0, 1e4)),
        *(LinearSVC(C=C, loss="hinge", max_iter=20_000) for C in (1.0, 100.0)),
        *(LinearSVC(C=C, dual=False) for C in (1.0, 100.0)),
        *(Perceptron(random_state=seed) for seed in range(5)),
        RidgeClassifier(),
        LinearDiscriminantAnalysis(),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return min(int((model.fit(X, y).predict(X) != y).sum()) for model in models)


def gaussians(columns: int, kind: str, seed: int, rows: int = 500) -> Named:
    """Two classes 1.5 apart. A: a tenth of the labels flipped. B: a tenth of one class moved far off."""
    draws = np.random.default_rng(seed)
    y = np.repeat([0, 1], rows // 2)
    X = draws.normal(size=(rows, columns))
    X[y == 1, 0] += 1.5
    if kind == "A":
        y = np.where(draws.random(rows) < 0.1, 1 - y, y)
    else:
        moved = draws.choice(np.flatnonzero(y == 1), rows // 20, replace=False)
        X[moved] = 0.3 * draws.normal(size=(len(moved), columns))
        X[moved, 0] -= 8.0
    return f"Gaussians {kind}, seed {seed}", X, y


def _small() -> Iterator[Named]:
    yield gaussians(2, "A", 0, rows=60)


def _all() -> Iterator[Named]:
    yield from map(_read, (*SETS, *HARD))
    for digit in (8, 9):
        _, X, y = _read("digits")
        yield f"digits, {digit} against the rest", X, (y == str(digit)).astype(int)
    for columns in (2, 5):
        for kind in "AB":
            for seed in range(5):
                yield gaussians(columns, kind, seed)
    for rows in (2_000, 10_000):
        yield gaussians(2, "A", 0, rows=rows)


def _read(name: str) -> Named:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SEPARATRIX_DATA") or beside)
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if all(row)]
    if name == "iris":
        rows = [row for row in rows if row[-1] != "setosa"]
    y = np.array([row[-1] for row in rows])
    if name == "heart_cleveland":
        y = (y != "0").astype(int).astype(str)
    return name, np.array([row[:-1] for row in rows], dtype=float), (y if name == "digits" else y == max(y))
