"""The least objective of one task, by the solver that fits the rows, with the proof of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np

from separatrix.algorithms.convex.gap_proof import choose_smallest_gap, describe_gap
from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.convex.newton_loop import Iterations
from separatrix.algorithms.logistic.certificate import certify
from separatrix.algorithms.logistic.gradient_descent import gradient_descent
from separatrix.algorithms.logistic.newton import find_warm_start, newton
from separatrix.algorithms.logistic.newton_cg import newton_cg
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.certificates import Undecided
from separatrix.rows import Rows

MAX_NEWTON_COLUMNS = 1000
MAX_SPARSE_NEWTON_COLUMNS = 300
MAX_SPARSE_NEWTON_VALUES = 150  # stored values of a sparse row

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


@np.errstate(all="ignore")
def minimise(
    rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None, *, prove: bool = True
) -> MinimiseResult:
    """The best weights of one task to the gap, with the proof of it."""
    solver, C, intercept = choose_solver(options, rows), options.C, options.intercept
    iterations = Iterations(options.max_iter)
    centring = Centring.none(rows.n_columns) if solver == "gradient-descent" else None
    problem = LogisticObjective(rows, positive, C, intercept=intercept, centring=centring)
    if start is not None:
        problem.start_at(start)
    descents = _descend_further(problem, solver, options.tol, iterations, is_fresh=start is None)

    def make_attempts() -> Iterator[tuple[np.ndarray, Any]]:
        for is_finished in descents:
            weights = _finish(problem, rows)
            certificate = certify(rows, positive, weights, None if isinf(C) else C, intercept=intercept)
            yield weights, certificate
            if isinstance(certificate, Undecided) or not is_finished:
                return

    certificate: Any = None
    if prove:
        weights, certificate = choose_smallest_gap(make_attempts(), options.tol)
    else:
        next(descents)
        weights = _finish(problem, rows)
    facts: dict[str, Any] = describe_gap(certificate) if prove else {}
    facts |= {
        "n_iter": iterations.n_steps,
        "objectives": problem.divided.to_user(iterations.objectives),
    }
    if problem.smoothness:
        facts["smoothness"] = problem.smoothness
    return weights, certificate, facts


def _descend_further(
    problem: LogisticObjective, solver: str, tol: float, iterations: Iterations, *, is_fresh: bool
) -> Iterator[bool]:
    """Go on to smaller and smaller gaps; yields whether one was reached."""
    warm_start = find_warm_start(problem, tol) if solver == "newton" and is_fresh else None
    # What restores feasibility without a penalty has to be small beside single rows: to the last digit.
    for share in (0.3, 0.01) if problem.penalised else (1e-8,):
        if solver == "gradient-descent":
            yield gradient_descent(problem, share * tol, iterations)
        elif solver == "newton":
            yield newton(problem, share * tol, iterations, warm_start)
            warm_start = None
        else:
            yield newton_cg(problem, share * tol, iterations)


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
