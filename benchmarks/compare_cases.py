"""What `benchmarks.compare` times: our own work in the tables of other benchmarks, without their peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import dense, logistic, planted, separation, sparse, svm, until_separated
from benchmarks.boundary import KINDS, rounding_level, rows
from benchmarks.convergence import planted as planted_margin

Work = dict[str, Any]  # a request of `benchmarks.compare_worker`


@dataclass(frozen=True)
class Case:
    """Data, made when they are needed, and what is done with them: each work is one cell."""

    table: str
    title: str
    make: Callable[[], tuple[Any, np.ndarray]]
    works: dict[str, Work]
    calls: int = 1

    def cells(self) -> dict[str, Work]:
        """The works by the full titles of their cells."""
        return {f"{self.title}, {name}" if name else self.title: work for name, work in self.works.items()}


def _fit(estimator: str, **parameters: Any) -> Work:
    return {"kind": "fit", "estimator": estimator, "parameters": parameters}


def _separate(*, intercept: bool = True) -> Work:
    return {"kind": "separate", "intercept": intercept}


def dense_cases(quick: bool) -> Iterator[Case]:
    work = _fit("Perceptron", max_iter=planted.PASSES)
    for n, d, dtype in dense.cases(quick=quick):
        yield Case("dense", f"{n} × {d}, {dtype}", partial(planted.dense, n, d, dtype), {"": work})


def convergence_cases(quick: bool) -> Iterator[Case]:
    work = _fit("Perceptron", max_iter=until_separated.MOST)
    for n, d, margin, dtype in until_separated.cases(quick=quick):
        make = partial(planted_margin, n, d, margin, dtype)
        yield Case("convergence", f"{n} × {d}, margin {margin}, {np.dtype(dtype)}", make, {"": work})


def sparse_cases(quick: bool) -> Iterator[Case]:
    work = _fit("Perceptron", max_iter=planted.PASSES)
    for n, d, dtype in sparse.cases(quick=quick):
        yield Case("sparse", f"{n} × {d}, {dtype}", partial(planted.sparse, n, d, dtype), {"": work})


def separation_cases(quick: bool) -> Iterator[Case]:
    for n, d in (
        separation.QUICK_LARGE if quick else separation.LARGE,
        separation.QUICK_BESIDE if quick else separation.BESIDE,
    ):
        for case in KINDS:
            works = {"": _separate()} | ({"verify": {"kind": "verify"}} if case == "margin 0.05" else {})
            yield Case("separation", f"{case}, {n} × {d}", partial(rows, case, n, d), works)
    d = 20 if quick else 100
    conflict = partial(separation.conflict_rows, d)
    yield Case("separation", f"independent checker, {d} columns", conflict, {"": {"kind": "check"}})
    n, d = separation.QUICK_NEAR if quick else separation.NEAR
    near = partial(rounding_level, n, d)
    yield Case("separation", f"rounding level, {n} × {d}", near, {"": _separate(intercept=False)})
    tiny = partial(rows, "margin 0.05", 100, 2)
    yield Case("separation", "tiny, 100 × 2", tiny, {"": _separate()}, calls=3 if quick else 100)


def svm_cases(quick: bool) -> Iterator[Case]:
    n, d = svm.QUICK_SIZE if quick else svm.SIZE
    works = {
        f"C={C:g}, {'intercept' if intercept else 'no intercept'}": _fit(
            "LinearSVM", C=C, fit_intercept=intercept, tol=svm.GAP, n_jobs=2
        )
        for C in svm.COSTS
        for intercept in (False, True)
    }
    yield Case("svm", f"{n} × {d}", partial(svm.rows, n, d), works)


def logistic_cases(quick: bool) -> Iterator[Case]:
    # Its table stops each side at the loosest tolerance that suffices; here both prove the same gap.
    work = _fit("LogisticRegression", tol=logistic.GAP, n_jobs=-1)
    for name, X, y, _ in logistic.data(quick):
        yield Case("logistic", f"{name}, {X.shape[0]} × {X.shape[1]}", lambda X=X, y=y: (X, y), {"": work})


TABLES: dict[str, Callable[[bool], Iterator[Case]]] = {
    "dense": dense_cases,
    "convergence": convergence_cases,
    "sparse": sparse_cases,
    "separation": separation_cases,
    "svm": svm_cases,
    "logistic": logistic_cases,
}
