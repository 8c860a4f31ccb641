"""The least objective of one task, by the solver that fits the rows, with the proof of it."""

from __future__ import annotations

from contextlib import closing
from math import inf, isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.algorithms.logistic.certificate import proven
from separatrix.algorithms.logistic.gradient_descent import gradient_descent
from separatrix.algorithms.logistic.newton import Course, newton, warm
from separatrix.algorithms.logistic.newton_cg import newton_cg
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.algorithms.logistic.overflow import RangeError, refuse_overflow
from separatrix.certificates import LikelihoodWithin, Undecided
from separatrix.rows import Rows

if TYPE_CHECKING:
    from separatrix.algorithms.logistic.estimator import LogisticRegression

MANY_COLUMNS = 1000
MANY_SPARSE = 300
MANY_VALUES = 150  # stored values of a sparse row
TOO_LARGE = (
    "The objective or its error bound is too large for doubles: multiply the columns or row weights by a "
    "power of ten."
)

NOT_ASKED: dict[str, Any] = {
    "separation": "not asked",
    "unbounded": (),
    "near_dependency": (),
    "recession": None,
    "separated_rows": np.empty(0, np.int64),
}

Descended = tuple[np.ndarray, Any, dict[str, Any]]  # weights, certificate, facts


def descend(
    model: LogisticRegression,
    rows: Rows,
    positive: int,
    C: float,
    start: np.ndarray | None,
    *,
    prove: bool = True,
    max_iter: int | None = None,
) -> Descended:
    """The best weights of one task to the gap, with the proof of it."""
    for exhaustive in (False, True):
        course = Course(model.max_iter if max_iter is None else max_iter)
        with np.errstate(all="ignore"):
            try:
                return _descended(model, rows, positive, C, start, course, prove=prove, exhaustive=exhaustive)
            except RangeError:
                if exhaustive:
                    raise
    raise AssertionError


def _descended(
    model: LogisticRegression,
    rows: Rows,
    positive: int,
    C: float,
    start: np.ndarray | None,
    course: Course,
    *,
    prove: bool,
    exhaustive: bool,
) -> Descended:
    solver, intercept = solver_of(model, rows), model.fit_intercept
    centred = model.solver != "gradient-descent"
    certificate: LikelihoodWithin | None = None
    smoothness, begin = 0.0, None
    with closing(
        LogisticObjective(rows, positive, C, intercept=intercept, centred=centred, exhaustive=exhaustive)
    ) as problem:
        if start is not None:
            problem.start_at(start)
        elif solver == "newton":
            begin = warm(problem, model.tol)
        # What restores feasibility without a penalty has to be small beside single rows: to the last digit.
        for share in (0.3, 0.01) if prove else (0.3 if problem.penalised else 1e-8,):
            if solver == "gradient-descent":
                ended, smoothness = gradient_descent(problem, share * model.tol, course)
            elif solver == "newton":
                ended = newton(problem, share * model.tol, course, begin)
                begin = None
            else:
                ended = newton_cg(problem, share * model.tol, course)
            weights = _finished(problem, rows)
            if not prove:
                break
            certificate = proven(rows, positive, weights, None if isinf(C) else C, intercept=intercept)
            if certificate is None or certificate.gap <= model.tol or not ended:
                break
    facts: dict[str, Any] = {} if certificate is None else ends(certificate)
    facts |= {"n_iter": course.steps, "objectives": problem.units.to_user_objectives(course.objectives)}
    if smoothness:
        facts["smoothness"] = smoothness
    if prove and certificate is None:
        return weights, Undecided(TOO_LARGE), facts | NO_ENDS
    return weights, certificate, facts


NO_ENDS = {"gap": inf, "objective": inf, "lower_bound": 0.0}


def ends(certificate: LikelihoodWithin) -> dict[str, Any]:
    return {
        "gap": certificate.gap,
        "objective": float(certificate.upper),
        "lower_bound": float(certificate.lower),
    }


def solver_of(model: LogisticRegression, rows: Rows) -> str:
    if model.solver != "auto":
        return model.solver
    stored = rows.n_bytes / max(1, rows.n_rows * (rows.dtype.itemsize + 4))
    if hasattr(rows, "indptr"):
        return "newton" if rows.n_columns <= MANY_SPARSE and stored <= MANY_VALUES else "newton-cg"
    return "newton" if rows.n_columns <= MANY_COLUMNS else "newton-cg"


def _finished(problem: LogisticObjective, rows: Rows) -> np.ndarray:
    """The weights with the best intercept; raises if the rows hold a NaN, or sums overflowed."""
    problem.optimise_intercept()
    weights = problem.user_weights
    if not np.isfinite(weights).all() or not np.isfinite(problem.scores).all():
        refuse_overflow(rows)
    return weights
