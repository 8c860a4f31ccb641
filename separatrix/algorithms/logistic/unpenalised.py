"""Fits without a penalty, and with Firth's: what statisticians ask of logistic regression."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.certificate import proven
from separatrix.algorithms.logistic.estimator import LogisticRegression
from separatrix.algorithms.logistic.existence import (
    Existence,
    counted_rows,
    existence,
    in_doubles,
    restoring_rows,
    spanned,
)
from separatrix.algorithms.logistic.firth import firth, masses, uncentred
from separatrix.algorithms.logistic.inference import projected_inverse
from separatrix.algorithms.logistic.near_dependency import near_dependency
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.algorithms.logistic.overflow import RangeError, refuse_overflow
from separatrix.algorithms.logistic.safe_units import Units, choose_units
from separatrix.algorithms.logistic.solver import NO_ENDS, NOT_ASKED, TOO_LARGE, descend, ends
from separatrix.certificates import Undecided
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.exact_errors import matrix
from separatrix.fitting.history import History
from separatrix.rows import Rows

MOST_COLUMNS = 1500  # up to here rows that restore feasibility are looked for, and standard errors kept
LARGEST_COST = 1e12


def solve_unpenalised(model: LogisticRegression, rows: Rows, positive: int) -> Solution:
    """The maximum of the likelihood, or what is known where it has none."""
    rows.require_finite()
    found = existence(rows, positive, intercept=model.fit_intercept)
    separated = found.kind in ("complete", "quasi")
    if separated:
        weights, facts = _towards(model, rows, positive)
    else:
        weights, _, facts = descend(model, rows, positive, inf, model._start(positive), prove=False)
    restoring: dict[str, Any] = {}
    few = rows.n_columns <= MOST_COLUMNS
    if found.kind in ("overlap", "quasi") and few:
        basis = restoring_rows(rows, positive, weights, found, intercept=model.fit_intercept)
        restoring = {"rows": basis, "normals": found.normals, "direction": found.direction}
    certificate: Any = proven(
        rows, positive, weights, None, intercept=model.fit_intercept, restoring=restoring
    )
    if certificate is None:
        certificate = Undecided(TOO_LARGE)
        facts |= NO_ENDS
    else:
        facts |= ends(certificate)
    facts |= {**NOT_ASKED, "separation": found.kind}
    if separated:
        facts |= _told(model, rows, positive, found)
    elif found.kind == "overlap" and found.normals:
        facts |= {"unbounded": found.unbounded}
    if few:
        facts |= _inference(model, rows, positive, weights, found)
    return Solution(weights, certificate, History(), facts)


def _towards(model: LogisticRegression, rows: Rows, positive: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Finite weights on the way to a supremum: an L2 fit with a cost so large that its penalty hardly counts.

    They are unique, which weights chosen along some direction of recession would not be.
    """
    start, C, before, left = model._start(positive), 1.0, inf, model.max_iter
    units = choose_units(rows, inf)  # so that how large a cost is does not depend on those of the columns
    start = None if start is None else units.to_internal(start)
    while True:
        weights, _, facts = descend(model, units.rows, positive, C, start, prove=False, max_iter=left)
        start, left = weights, left - facts["n_iter"]
        # The loss there is above its infimum by ½‖w‖²/C or so; the objective of the fit is C times as large.
        loss = float(facts["objectives"][-1]) / C - 0.5 * float(weights[:-1] @ weights[:-1]) / C
        share = 0.5 * float(weights[:-1] @ weights[:-1]) / C
        if share <= 0.1 * model.tol * loss or C >= LARGEST_COST or loss >= before or left <= 0:
            outward = units.to_user(weights)
            if not np.isfinite(outward).all():
                refuse_overflow(rows)
            return outward, facts | {"n_iter": model.max_iter - left}
        before, C = loss, C * 100.0


def _told(model: LogisticRegression, rows: Rows, positive: int, found: Existence) -> dict[str, Any]:
    """Say which coefficients run away, in which direction, and because of which rows."""
    direction = in_doubles(found.direction or ())
    whole = direction if model.fit_intercept else np.append(direction, 0.0)
    strict = _strictly_on_their_side(rows, positive, found, model.fit_intercept)
    words = found.unbounded if rows.n_columns <= MOST_COLUMNS else ()
    names = [*(rows.columns or [f"column {j}" for j in range(rows.n_columns)]), "the intercept"]
    running = [f"{names[j]} to {word}" for j, word in enumerate(words) if word in ("+inf", "-inf")]
    loose = [names[j] for j, word in enumerate(words) if word == "undetermined"]
    where = ", ".join(running[:6]) + (", ..." if len(running) > 6 else "")
    where = where or (
        f"{', '.join(loose[:6])} without end, in a sign that is not determined" if loose else ""
    )
    listed = ", ".join(map(str, strict[:8])) + (", ..." if len(strict) > 8 else "")
    kind = "completely" if found.kind == "complete" else "quasi-completely"
    warn(
        FitWarning,
        f"The rows are {kind} separated, so the likelihood has no finite maximum: it sends "
        f"{where or 'some coefficients to infinity'}, because of rows {listed}. The weights returned are "
        "finite and nearly reach its supremum. Finite answers of their own: penalty='l2', or "
        "penalty='firth'.",
    )
    return {"unbounded": words, "recession": whole, "separated_rows": strict}


def _strictly_on_their_side(rows: Rows, positive: int, found: Existence, intercept: bool) -> np.ndarray:
    from separatrix.certificates.arithmetic.margin_signs import Margins
    from separatrix.certificates.claims.separation import split

    assert found.direction is not None
    plane = Margins(*split(found.direction, intercept))  # type: ignore[arg-type]
    strict = []
    for block in rows.blocks():
        sides = plane.compare(matrix(block, rows.n_columns), block.signs(positive), block.start)
        if rows.weights is not None:
            sides = np.where(rows.weights[block.start : block.stop] > 0, sides, 0)
        strict.append(block.start + np.flatnonzero(sides > 0))
    return np.concatenate(strict)


def _inference(
    model: LogisticRegression, rows: Rows, positive: int, weights: np.ndarray, found: Existence
) -> dict[str, Any]:
    """The covariance of what the rows determine, and the two likelihoods; nan where doubles do not do."""
    for exhaustive in (False, True):
        problem = LogisticObjective(
            rows,
            positive,
            inf,
            intercept=model.fit_intercept,
            centred=not found.normals,
            exhaustive=exhaustive,
        )
        try:
            with np.errstate(all="ignore"):
                problem.start_at(weights)
                return _inference_at(problem, found, rows)
        except RangeError:
            continue
        finally:
            problem.close()
    size, unknown = rows.n_columns + model.fit_intercept, float("nan")
    return {
        "covariance": np.full((size, size), np.nan),
        **spanned(rows, intercept=model.fit_intercept),
        "mass": sum(masses(rows, rows.weights, positive)),
        "log_likelihood": unknown,
        "null_log_likelihood": unknown,
        "near_dependency": (),
    }


def _inference_at(problem: LogisticObjective, found: Existence, rows: Rows) -> dict[str, Any]:
    at, units = problem.differentiate(hessian=True), problem.units
    if at.hessian is None or not np.isfinite(at.hessian).all():
        refuse_overflow(rows)
    size = problem.n_columns + problem.intercept
    information = at.hessian[:size, :size]
    covariance = projected_inverse(information, _normals_in(units, found.normals))
    if problem.intercept:
        covariance = uncentred(covariance, problem.centre)
    powers = np.zeros(size, np.int64)
    if units.column_exponents is not None:
        powers[: problem.n_columns] = -units.column_exponents
    negatives, positives = masses(rows, rows.weights, problem.positive)
    mass = negatives + positives
    return {
        "covariance": np.ldexp(covariance, powers + powers[:, None] - units.objective_exponent),
        **spanned(rows, intercept=problem.intercept),
        "mass": mass,
        "log_likelihood": -float(np.ldexp(at.objective, units.objective_exponent)),
        "null_log_likelihood": _null(negatives, positives) if problem.intercept else -mass * np.log(2.0),
        "near_dependency": near_dependency(information, found, problem.n_columns),
    }


def _normals_in(units: Units, normals: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The normals of the rows in these units, to 60 digits of the binary system."""
    if units.column_exponents is None:
        return normals
    powers = [*units.column_exponents.tolist(), 0]
    lowest = min(powers)
    raised = [
        [value << (power - lowest) for value, power in zip(n, powers[: len(n)], strict=True)] for n in normals
    ]
    sizes = [max(max(map(abs, n)).bit_length() - 60, 0) for n in raised]
    return tuple(tuple(value >> size for value in n) for n, size in zip(raised, sizes, strict=True))


def _null(negatives: float, positives: float) -> float:
    """The log-likelihood of the intercept alone."""
    mass = negatives + positives
    return sum(m * float(np.log(m) - np.log(mass)) for m in (negatives, positives))


def solve_firth(model: LogisticRegression, rows: Rows, positive: int) -> Solution:
    """Firth's estimate of one task."""
    rows.require_finite()
    found = firth(
        rows,
        positive,
        intercept=model.fit_intercept,
        max_iter=model.max_iter,
        start=model._start(positive),
    )
    if not found.converged:
        warn(
            FitWarning,
            f"Firth's penalised likelihood still has a slope of {found.residual:.1e} standard errors "
            f"after {found.iterations} steps: allow more (max_iter), or scale the columns.",
        )
    facts = {
        **NOT_ASKED,
        "gap": float("nan"),
        "objective": -found.penalised,
        "lower_bound": float("nan"),
        "n_iter": found.iterations,
        "objectives": np.array([-found.penalised]),
        "residual": found.residual,
        "covariance": found.covariance,
        "unbounded": tuple("finite" if known else "undetermined" for known in found.determined),
        "aliased": tuple(not known for known in found.determined),
        "rank": found.rank,
        "counted": counted_rows(rows),
        "mass": sum(masses(rows, rows.weights, positive)),
        "log_likelihood": found.penalised,
        "null_log_likelihood": found.null,
    }
    reason = (
        "Firth's penalised likelihood need not be concave, so nothing is proven about its maximum: the "
        f"weights are a point without slope, to {found.residual:.1e} standard errors."
    )
    return Solution(found.weights, Undecided(reason), History(), facts)
