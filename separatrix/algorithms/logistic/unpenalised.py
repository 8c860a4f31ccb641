"""Fits without a penalty, and with Firth's: what statisticians ask of logistic regression."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from separatrix.algorithms.convex.gap_proof import describe_gap
from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.logistic.certificate import certify
from separatrix.algorithms.logistic.divided_objective import divide_objective
from separatrix.algorithms.logistic.existence import (
    Existence,
    choose_restoring_rows,
    count_weighted_rows,
    decide_existence,
    describe_span,
    scale_to_doubles,
)
from separatrix.algorithms.logistic.firth import fit_firth, sum_class_weights
from separatrix.algorithms.logistic.inference import invert_on_span
from separatrix.algorithms.logistic.near_dependency import find_near_dependency
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.algorithms.logistic.overflow import RangeError, refuse_overflow
from separatrix.algorithms.logistic.solver import (
    UNASKED_FACTS,
    SolverOptions,
    minimise,
)
from separatrix.certificates import Undecided
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.claims.separation import split
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.history import History
from separatrix.messages import Message, Parameter
from separatrix.rows import Block, Rows

MAX_COLUMNS = 1500  # up to here rows that restore feasibility are looked for, and standard errors kept
MAX_COST = 1e12


def solve_unpenalised(
    rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None
) -> Solution:
    """The maximum of the likelihood, or what is known where it has none."""
    rows.require_finite()
    existence = decide_existence(rows, positive, intercept=options.intercept)
    separated = existence.kind in ("complete", "quasi")
    if separated:
        weights, facts = _approach_supremum(rows, positive, options, start)
    else:
        weights, _, facts = minimise(rows, positive, options, start, prove=False)
    restoration: dict[str, Any] = {}
    has_few_columns = rows.n_columns <= MAX_COLUMNS
    if existence.kind in ("overlap", "quasi") and has_few_columns:
        restoring_rows = choose_restoring_rows(
            rows, positive, weights, existence, intercept=options.intercept
        )
        restoration = {"rows": restoring_rows, "normals": existence.normals, "direction": existence.direction}
    certificate = certify(rows, positive, weights, None, intercept=options.intercept, restoration=restoration)
    facts |= {**describe_gap(certificate), **UNASKED_FACTS, "separation": existence.kind}
    if separated:
        facts |= _warn_separated(rows, positive, existence, intercept=options.intercept)
    elif existence.kind == "overlap" and existence.normals:
        facts |= {"unbounded": existence.unbounded}
    if has_few_columns:
        facts |= _infer(rows, positive, weights, existence, intercept=options.intercept)
    return Solution(weights, certificate, History(), facts)


def _approach_supremum(
    rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None
) -> tuple[np.ndarray, dict[str, Any]]:
    """Finite weights on the way to a supremum: an L2 fit with a cost so large that its penalty hardly counts.

    They are unique, which weights chosen along some direction of recession would not be.
    """
    C, previous_loss, steps_left = 1.0, inf, options.max_iter
    rows = divide_objective(rows, inf).rows  # how large a cost is does not depend on the weights of rows
    while True:
        step_options = replace(options, C=C, max_iter=steps_left)
        weights, _, facts = minimise(rows, positive, step_options, start, prove=False)
        start, steps_left = weights, steps_left - facts["n_iter"]
        # The loss there is above its infimum by ½‖w‖²/C or so; the objective of the fit is C times as large.
        loss = float(facts["objectives"][-1]) / C - 0.5 * float(weights[:-1] @ weights[:-1]) / C
        penalty = 0.5 * float(weights[:-1] @ weights[:-1]) / C
        if penalty <= 0.1 * options.tol * loss or C >= MAX_COST or loss >= previous_loss or steps_left <= 0:
            return weights, facts | {"n_iter": options.max_iter - steps_left}
        previous_loss, C = loss, C * 100.0


def _warn_separated(rows: Rows, positive: int, existence: Existence, *, intercept: bool) -> dict[str, Any]:
    """Say which coefficients run away, in which direction, and because of which rows."""
    direction = scale_to_doubles(existence.direction or ())
    recession = direction if intercept else np.append(direction, 0.0)
    strict = _find_strict_rows(rows, positive, existence, intercept)
    words = existence.unbounded if rows.n_columns <= MAX_COLUMNS else ()
    names = [*(rows.columns or [f"column {j}" for j in range(rows.n_columns)]), "the intercept"]
    diverging = [f"{names[j]} to {word}" for j, word in enumerate(words) if word in ("+inf", "-inf")]
    undetermined = [names[j] for j, word in enumerate(words) if word == "undetermined"]
    destinations = ", ".join(diverging[:6]) + (", ..." if len(diverging) > 6 else "")
    destinations = destinations or (
        f"{', '.join(undetermined[:6])} to infinity in a direction that is not identified"
        if undetermined
        else "some coefficients to infinity"
    )
    listed = ", ".join(map(str, strict[:8])) + (", ..." if len(strict) > 8 else "")
    kind = "completely" if existence.kind == "complete" else "quasi-completely"
    warn(
        FitWarning,
        Message(
            "The rows are {kind} separated, so the likelihood has no finite maximum: it sends {destinations}"
            ", because of rows {rows}. The returned weights are a large finite approximation; for finite "
            "estimates use {l2} or {firth}.",
            kind=kind,
            destinations=destinations,
            rows=listed,
            l2=Parameter("penalty", "l2"),
            firth=Parameter("penalty", "firth"),
        ),
    )
    return {"unbounded": words, "recession": recession, "separated_rows": strict}


def _find_strict_rows(rows: Rows, positive: int, existence: Existence, intercept: bool) -> np.ndarray:
    assert existence.direction is not None
    plane = Margins(*split(existence.direction, intercept))  # type: ignore[arg-type]
    return np.concatenate(list(rows.each(StrictRows(plane, positive))))


@dataclass(frozen=True)
class StrictRows:
    """The numbers of the rows that count with s(w·x + b) > 0, exactly."""

    plane: Margins
    positive: int

    def __call__(self, block: Block) -> np.ndarray:
        sides = self.plane.compare(block.matrix(), block.signs(self.positive), block.start)
        return block.start + np.flatnonzero((sides > 0) & (block.row_weights > 0))


def _infer(
    rows: Rows, positive: int, weights: np.ndarray, existence: Existence, *, intercept: bool
) -> dict[str, Any]:
    """The covariance of what the rows determine, and the two likelihoods; nan where doubles do not do."""
    problem = LogisticObjective(
        rows,
        positive,
        inf,
        intercept=intercept,
        centring=Centring.none(rows.n_columns) if existence.normals else None,
    )
    with suppress(RangeError), np.errstate(all="ignore"):
        problem.start_at(weights)
        return _infer_at(problem, existence, rows)
    size, unknown = rows.n_columns + intercept, float("nan")
    return {
        "covariance": np.full((size, size), np.nan),
        **describe_span(rows, intercept=intercept),
        "mass": sum(sum_class_weights(rows, positive)),
        "log_likelihood": unknown,
        "null_log_likelihood": unknown,
        "near_dependency": (),
    }


def _infer_at(problem: LogisticObjective, existence: Existence, rows: Rows) -> dict[str, Any]:
    current, divided = problem.differentiate(hessian=True), problem.divided
    if current.hessian is None or not np.isfinite(current.hessian).all():
        refuse_overflow(rows)
    size = problem.n_columns + problem.intercept
    information = current.hessian[:size, :size]
    covariance = invert_on_span(information, existence.normals)
    if problem.intercept:
        covariance = problem.centring.covariance_to_user(covariance)
    negatives, positives = sum_class_weights(rows, problem.positive)
    mass = negatives + positives
    return {
        "covariance": np.ldexp(covariance, -divided.exponent),
        **describe_span(rows, intercept=problem.intercept),
        "mass": mass,
        "log_likelihood": -float(divided.to_user(current.objective)),
        "null_log_likelihood": _compute_null_log_likelihood(negatives, positives)
        if problem.intercept
        else -mass * np.log(2.0),
        "near_dependency": find_near_dependency(information, existence, problem.n_columns),
    }


def _compute_null_log_likelihood(negatives: float, positives: float) -> float:
    """The log-likelihood of the intercept alone."""
    mass = negatives + positives
    return sum(m * float(np.log(m) - np.log(mass)) for m in (negatives, positives))


def solve_firth(rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None) -> Solution:
    """Firth's estimate of one task."""
    rows.require_finite()
    estimate = fit_firth(rows, positive, intercept=options.intercept, max_iter=options.max_iter, start=start)
    if not estimate.converged:
        warn(
            FitWarning,
            Message(
                "Firth's penalised likelihood still has a slope of {:.1e} standard errors after {} steps: "
                "raise {}, or scale the columns.",
                estimate.residual,
                estimate.n_iter,
                Parameter("max_iter"),
            ),
        )
    facts = {
        **UNASKED_FACTS,
        "gap": float("nan"),
        "objective": -estimate.penalised_log_likelihood,
        "lower_bound": float("nan"),
        "n_iter": estimate.n_iter,
        "objectives": np.array([-estimate.penalised_log_likelihood]),
        "residual": estimate.residual,
        "covariance": estimate.covariance,
        "unbounded": tuple("finite" if known else "undetermined" for known in estimate.determined),
        "aliased": tuple(not known for known in estimate.determined),
        "rank": estimate.rank,
        "counted": count_weighted_rows(rows),
        "mass": sum(sum_class_weights(rows, positive)),
        "log_likelihood": estimate.penalised_log_likelihood,
        "null_log_likelihood": estimate.null_log_likelihood,
    }
    reason = (
        "Firth's penalised likelihood need not be concave, so nothing is proven about its maximum: the "
        f"weights are a point without slope, to {estimate.residual:.1e} standard errors."
    )
    return Solution(estimate.weights, Undecided(reason), History(), facts, is_proof_expected=False)
