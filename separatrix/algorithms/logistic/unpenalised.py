"""Fits without a penalty, and with Firth's: what statisticians ask of logistic regression."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.classifier import NOT_ASKED, LogisticRegression, ends
from separatrix.algorithms.logistic.existence import (
    Existence,
    counted_rows,
    existence,
    restoring_rows,
    spanned,
)
from separatrix.algorithms.logistic.firth import FirthProblem, firth, uncentred
from separatrix.algorithms.logistic.inference import projected_inverse
from separatrix.algorithms.logistic.likelihood import Likelihood
from separatrix.algorithms.logistic.proof import proven
from separatrix.certificates import Undecided
from separatrix.predictor import FitWarning, Solution, warn
from separatrix.predictor.evidence import matrix
from separatrix.predictor.history import History
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
        weights, _, facts = model._descend(rows, positive, inf, model._start(positive), prove=False)
    restoring: dict[str, Any] = {}
    few = rows.n_columns <= MOST_COLUMNS
    if found.kind in ("overlap", "quasi") and few:
        basis = restoring_rows(rows, positive, weights, found, intercept=model.fit_intercept)
        restoring = {"rows": basis, "normals": found.normals, "direction": found.direction}
    certificate: Any = proven(
        rows, positive, weights, None, intercept=model.fit_intercept, restoring=restoring
    )
    if certificate is None:
        certificate = Undecided("The likelihood is too large for doubles: rescale the columns.")
        facts |= {"gap": inf, "objective": inf, "lower_bound": 0.0}
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
    start, C, before = model._start(positive), 1.0, inf
    while True:
        weights, _, facts = model._descend(rows, positive, C, start, prove=False)
        start = weights
        # The loss there is above its infimum by ½‖w‖²/C or so; the objective of the fit is C times as large.
        loss = float(facts["objectives"][-1]) / C - 0.5 * float(weights[:-1] @ weights[:-1]) / C
        share = 0.5 * float(weights[:-1] @ weights[:-1]) / C
        if share <= 0.1 * model.tol * loss or C >= LARGEST_COST or loss >= before:
            return weights, facts
        before, C = loss, C * 100.0


def _told(model: LogisticRegression, rows: Rows, positive: int, found: Existence) -> dict[str, Any]:
    """Say which coefficients run away, in which direction, and because of which rows."""
    direction = np.array([float(w) for w in found.direction or ()])
    direction = direction / max(abs(direction).max(initial=0.0), 1e-300)
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
    from separatrix.certificates.exact import Margins
    from separatrix.certificates.overlapping import split

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
    """The covariance of what the rows determine, and the two likelihoods."""
    problem = Likelihood(rows, positive, inf, intercept=model.fit_intercept, centred=not found.normals)
    problem.start_at(weights)
    at = problem.differentiate(hessian=True)
    problem.close()
    assert at.hessian is not None
    if model.fit_intercept:
        covariance = uncentred(projected_inverse(at.hessian, found.normals), problem.centre)
    else:
        covariance = projected_inverse(at.hessian[:-1, :-1], found.normals)
    mass, positives = FirthProblem(rows, positive, intercept=False).masses()
    return {
        "covariance": covariance,
        **spanned(rows, intercept=model.fit_intercept),
        "mass": mass,
        "log_likelihood": -at.objective,
        "null_log_likelihood": _null(mass, positives) if model.fit_intercept else -mass * np.log(2.0),
    }


def _null(mass: float, positives: float) -> float:
    p = positives / mass
    return positives * float(np.log(p)) + (mass - positives) * float(np.log1p(-p))


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
    mass, _ = FirthProblem(rows, positive, intercept=False).masses()
    facts = {
        **NOT_ASKED,
        "gap": float("nan"),
        "objective": -found.penalised,
        "lower_bound": float("nan"),
        "n_iter": max(1, found.iterations),
        "objectives": np.array([-found.penalised]),
        "residual": found.residual,
        "covariance": found.covariance,
        "unbounded": tuple("finite" if known else "undetermined" for known in found.determined),
        "aliased": tuple(not known for known in found.determined),
        "rank": found.rank,
        "counted": counted_rows(rows),
        "mass": mass,
        "log_likelihood": found.penalised,
        "null_log_likelihood": found.null,
    }
    reason = (
        "Firth's penalised likelihood need not be concave, so nothing is proven about its maximum: the "
        f"weights are a point without slope, to {found.residual:.1e} standard errors."
    )
    return Solution(found.weights, Undecided(reason), History(), facts)
