"""The least objective of one task, by the solver that fits the rows, with the proof of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.certificate import certify
from separatrix.algorithms.logistic.gradient_descent import gradient_descent
from separatrix.algorithms.logistic.newton import Iterations, find_warm_start, newton
from separatrix.algorithms.logistic.newton_cg import newton_cg
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.algorithms.logistic.overflow import RangeError, refuse_overflow
from separatrix.certificates import LikelihoodWithin, Undecided
from separatrix.rows import Rows

MAX_NEWTON_COLUMNS = 1000
MAX_SPARSE_NEWTON_COLUMNS = 300
MAX_SPARSE_NEWTON_VALUES = 150  # stored values of a sparse row
TOO_LARGE_REASON = (
    "The objective or its error bound is too large for doubles: multiply the columns or row weights by a "
    "power of ten."
)

UNASKED_FACTS: dict[str, Any] = {
    "separation": "not asked",
    "unbounded": (),
    "near_dependency": (),
    "recession": None,
    "separated_rows": np.empty(0, np.int64),
}

MinimiseResult = tuple[np.ndarray, Any, dict[str, Any]]  # weights, certificate, facts


@dataclass(frozen=True)
class SolverOptions:
    """The parameters of `LogisticRegression` that its solvers read; C is infinite without a penalty."""

    C: float
    solver: str
    tol: float
    max_iter: int
    intercept: bool


def minimise(
    rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None, *, prove: bool = True
) -> MinimiseResult:
    """The best weights of one task to the gap, with the proof of it."""
    for exhaustive in (False, True):
        iterations = Iterations(options.max_iter)
        with np.errstate(all="ignore"):
            try:
                return _minimise(
                    rows, positive, options, start, iterations, prove=prove, exhaustive=exhaustive
                )
            except RangeError:
                if exhaustive:
                    raise
    raise AssertionError


def _minimise(
    rows: Rows,
    positive: int,
    options: SolverOptions,
    start: np.ndarray | None,
    iterations: Iterations,
    *,
    prove: bool,
    exhaustive: bool,
) -> MinimiseResult:
    solver, C, intercept = choose_solver(options, rows), options.C, options.intercept
    centred = options.solver != "gradient-descent"
    certificate: LikelihoodWithin | None = None
    smoothness, warm_start = 0.0, None
    problem = LogisticObjective(
        rows, positive, C, intercept=intercept, centred=centred, exhaustive=exhaustive
    )
    if start is not None:
        problem.start_at(start)
    elif solver == "newton":
        warm_start = find_warm_start(problem, options.tol)
    # What restores feasibility without a penalty has to be small beside single rows: to the last digit.
    for share in (0.3, 0.01) if prove else (0.3 if problem.penalised else 1e-8,):
        if solver == "gradient-descent":
            is_finished, smoothness = gradient_descent(problem, share * options.tol, iterations)
        elif solver == "newton":
            is_finished = newton(problem, share * options.tol, iterations, warm_start)
            warm_start = None
        else:
            is_finished = newton_cg(problem, share * options.tol, iterations)
        weights = _finish(problem, rows)
        if not prove:
            break
        certificate = certify(rows, positive, weights, None if isinf(C) else C, intercept=intercept)
        if certificate is None or certificate.gap <= options.tol or not is_finished:
            break
    facts: dict[str, Any] = {} if certificate is None else describe_gap(certificate)
    facts |= {
        "n_iter": iterations.n_steps,
        "objectives": problem.units.to_user_objectives(iterations.objectives),
    }
    if smoothness:
        facts["smoothness"] = smoothness
    if prove and certificate is None:
        return weights, Undecided(TOO_LARGE_REASON), facts | UNPROVEN_FACTS
    return weights, certificate, facts


UNPROVEN_FACTS = {"gap": inf, "objective": inf, "lower_bound": 0.0}


def describe_gap(certificate: LikelihoodWithin) -> dict[str, Any]:
    return {
        "gap": certificate.gap,
        "objective": float(certificate.upper),
        "lower_bound": float(certificate.lower),
    }


def choose_solver(options: SolverOptions, rows: Rows) -> str:
    if options.solver != "auto":
        return options.solver
    if rows.is_sparse and rows.in_memory:  # a file is read once for every product of conjugate gradients
        row_values = rows.n_stored / max(1, rows.n_rows)
        is_small = rows.n_columns <= MAX_SPARSE_NEWTON_COLUMNS and row_values <= MAX_SPARSE_NEWTON_VALUES
        return "newton" if is_small else "newton-cg"
    return "newton" if rows.n_columns <= MAX_NEWTON_COLUMNS else "newton-cg"


def _finish(problem: LogisticObjective, rows: Rows) -> np.ndarray:
    """The weights with the best intercept; raises if the rows hold a NaN, or sums overflowed."""
    problem.optimise_intercept()
    weights = problem.user_weights
    if not np.isfinite(weights).all() or not np.isfinite(problem.scores).all():
        refuse_overflow(rows)
    return weights
