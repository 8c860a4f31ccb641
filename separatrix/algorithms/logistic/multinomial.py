"""One model of all classes: P(k | x) is proportional to exp(w_k·x + b_k).

**Theorem** (Albert and Anderson, 1984, for several classes). Without a penalty the likelihood has a
finite maximum exactly when no direction W has (e_y − e_k) ⊗ (x, 1) · W ≥ 0 for every row and every class
k ≠ y, and not always 0. That is the question of `separate`, asked of those rows; the first class serves
as reference, since adding the same to all w_k changes nothing.

**Certificate.** `JointLikelihoodWithin`, one for all classes: with a penalty about all weights, without
one about all weights up to ten times as long as those found.

**Cost.** Newton's method (`joint`): K scores for each row and product with the Hessian.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import hypot, inf, isinf, lcm, nextafter
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.existence import Existence
from separatrix.algorithms.logistic.multinomial_inference import joint_inference
from separatrix.algorithms.logistic.multinomial_objective import Joint
from separatrix.algorithms.logistic.newton import Course
from separatrix.algorithms.logistic.overflow import OutOfRange, quiet, refuse_overflow
from separatrix.algorithms.logistic.safe_units import units_of
from separatrix.algorithms.logistic.solver import NO_ENDS, TOO_LARGE
from separatrix.algorithms.separation import Separation, separate_rows
from separatrix.certificates import JointLikelihoodWithin, Undecided
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.claims.optimality.joint_likelihood_within import MAX_QUANTUM_BITS, JointBounds
from separatrix.certificates.claims.separation import split
from separatrix.certificates.data.reading import doubles
from separatrix.certificates.duality.multinomial_likelihood import JointDuality, JointSums
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.exact_errors import about, matrix
from separatrix.fitting.history import History
from separatrix.rows import Block, DenseRows, Rows, SparseRows

LARGEST = 1e308
ROOM = 1e-12
FINER = 4  # tries
BITS, COARSE = 50, 42  # of the largest multiple: what there is room for, and what is taken to be enough
RADIUS = 10.0
MOST_LENGTH = float(np.finfo(float).max)  # no certificate holds a longer radius
LARGEST_COST = 1e10


def solve(model: Any, rows: Rows) -> list[Solution]:
    """The multinomial fit: one solution a class, all with the one certificate."""
    if model.solver == "gradient-descent":
        raise ValueError(
            "solver='gradient-descent' is for one class against the rest: choose another solver."
        )
    K, C = len(model.classes_), model._cost
    rows.require_finite()
    kind, told, found = "not asked", None, None
    if isinf(C):
        answer = joint_separation(rows, K, intercept=model.fit_intercept)
        kind, found = answer.kind, Existence(answer.kind, answer, None)
        told = _told(model, rows, answer) if kind in ("complete", "quasi") else None
    weights, certificate, course_facts = _fitted(model, rows, C, separate_rows=told is not None)
    facts: dict[str, Any] = {
        **course_facts,
        "near_dependency": (),
        "separation": kind,
        "separated_rows": np.empty(0, np.int64) if told is None else told,
    }
    if found is not None:
        # Information beyond the range of doubles: the fit has no standard errors.
        with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
            facts |= joint_inference(rows, weights, found, intercept=model.fit_intercept)
    if certificate is None:
        certificate = Undecided(TOO_LARGE)
        facts |= NO_ENDS
    else:
        facts |= {
            "gap": certificate.gap,
            "objective": float(certificate.upper),
            "lower_bound": float(certificate.lower),
        }
    return [Solution(w, certificate, History(), facts) for w in weights]


def _fitted(
    model: Any, rows: Rows, C: float, *, separate_rows: bool
) -> tuple[np.ndarray, Any, dict[str, Any]]:
    """Weights with their certificate, or None for it, and what happened on the way."""
    K = len(model.classes_)
    start = np.array(model._starts) if len(model._starts) == K else None
    for careful in (False, True):
        course = Course(model.max_iter)
        try:
            with np.errstate(all="ignore"):
                if separate_rows:
                    problem = _towards(model, rows, K, course, start, careful=careful)
                    weights = _outward(problem, rows)
                    certificate = proven(rows, model, weights, C)
                else:
                    problem = Joint(rows, K, C, model.fit_intercept, careful=careful)
                    if start is not None:
                        problem.start_at(start)
                    weights, certificate = _within(model, problem, rows, C, course)
            objectives = problem.units.objectives(course.objectives)
            return weights, certificate, {"n_iter": course.steps, "objectives": objectives}
        except OutOfRange:
            if careful:
                raise
    raise AssertionError


def _outward(problem: Joint, rows: Rows) -> np.ndarray:
    weights = problem.outward()
    if not np.isfinite(weights).all():
        refuse_overflow(rows)
    return weights


def _within(
    model: Any, problem: Joint, rows: Rows, C: float, course: Course
) -> tuple[np.ndarray, JointLikelihoodWithin | None]:
    """The weights with the smaller proven gap: if the first miss it, steps to the last digit follow."""
    problem.run((0.1 if problem.penalised else 1e-9) * model.tol, course)
    weights = _outward(problem, rows)
    certificate = proven(rows, model, weights, C)
    if certificate is None or certificate.gap <= model.tol or not course.left:
        return weights, certificate
    problem.polish(course)
    others = _outward(problem, rows)
    other = proven(rows, model, others, C)
    if other is None or other.gap >= certificate.gap:
        return weights, certificate
    return others, other


def proven(rows: Rows, model: Any, weights: np.ndarray, C: float) -> JointLikelihoodWithin | None:
    """The certificate of these weights, with the ends that hold."""
    assert rows.classes is not None
    free = isinf(C)
    draft = JointLikelihoodWithin(
        tuple(label.item() if hasattr(label, "item") else label for label in rows.classes),
        tuple(tuple(row) for row in weights[:, :-1].tolist()),
        tuple(weights[:, -1].tolist()) if model.fit_intercept else None,
        C=None if free else C,
        upper=0.0,
        lower=0.0,
        row_weights=None if rows.weights is None else tuple(rows.weights.tolist()),
        radius=min(RADIUS * hypot(*weights.flat), MOST_LENGTH) if free else None,
        about=about(rows, len(rows.classes) - 1),
    )

    def walk(duality: JointDuality) -> JointSums:
        def term(block: Block) -> tuple[JointSums]:
            v = np.ones(len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
            assert block.codes is not None
            return (duality.piece(doubles(matrix(block, rows.n_columns)), block.codes, v, block.start),)

        total: JointSums = rows.sum(quiet(term))[0]
        return total

    centre = None if isinstance(rows, SparseRows) else rows.sample_mean(1000)
    bounds = JointBounds(draft, rows.n_rows, safety_factor=2.0, centre=centre)
    try:
        upper, lower = bounds.of(walk)
        for _ in range(FINER):
            finer = bounds.duality.quantum + BITS - bounds.largest.bit_length()
            if free or bounds.largest >= 2**COARSE or not 0 <= finer <= MAX_QUANTUM_BITS:
                break
            # Rows far on their side have multipliers far below their weights: these need a finer grain.
            draft = replace(draft, quantum=finer)
            bounds = JointBounds(draft, rows.n_rows, safety_factor=2.0, centre=centre)
            upper, lower = bounds.of(walk)
        top = inf if upper is None else float(upper) * (1.0 + ROOM)
    except OverflowError:
        return None
    if not top < LARGEST:
        return None
    ends = {"upper": nextafter(top, inf), "lower": max(0.0, float(lower) - ROOM * top)}
    return replace(draft, **ends).bound_to(rows)  # type: ignore[arg-type]


def joint_separation(rows: Rows, n_classes: int, *, intercept: bool) -> Separation:
    """`separate` on the rows (e_y − e_k) ⊗ (x, 1) with e_0 = 0, half of them turned round to make two
    classes."""
    from scipy.sparse import csr_array, kron, vstack

    parts = []
    for block in rows.blocks():
        X = matrix(block, rows.n_columns)
        counts = np.ones(len(block), bool)
        if rows.weights is not None:
            counts = rows.weights[block.start : block.stop] > 0
        Z = csr_array(X)
        if intercept:
            Z = csr_array(np.column_stack([X, np.ones(len(block))])) if isinstance(X, np.ndarray) else None
            if Z is None:
                from scipy.sparse import hstack

                Z = csr_array(hstack([X, np.ones((len(block), 1))]))
        assert block.codes is not None
        for own in range(n_classes):
            chosen = Z[np.flatnonzero((block.codes == own) & counts)]
            for other in range(n_classes):
                if other != own and chosen.shape[0]:
                    unit = np.zeros((1, n_classes))
                    unit[0, own], unit[0, other] = 1.0, -1.0
                    parts.append(csr_array(kron(unit[:, 1:], chosen, format="csr")))
    table = csr_array(vstack(parts, format="csr"), dtype=np.float64)
    signs = np.where(np.arange(table.shape[0]) % 2 == 0, 1.0, -1.0)
    table = csr_array(table.multiply(signs[:, None]))
    codes, classes = (signs > 0).astype(np.int32), np.array([-1, 1])
    small = table.shape[0] * table.shape[1] <= 50_000_000
    wide: Rows = (
        DenseRows(table.toarray(), codes, classes, n_jobs=rows.n_jobs)
        if small and not isinstance(rows, SparseRows)
        else SparseRows(table, codes, classes, n_jobs=rows.n_jobs)
    )
    return separate_rows(wide, 1, intercept=False)


def _told(model: Any, rows: Rows, answer: Separation) -> np.ndarray:
    """Say that no weights are best, and which classes are told apart by which rows."""
    found = _strictly_on_their_side(rows, answer.certificate, model.fit_intercept)
    listed = ", ".join(map(str, found[:8])) + (", ..." if len(found) > 8 else "")
    kind = "completely" if answer.kind == "complete" else "quasi-completely"
    warn(
        FitWarning,
        f"The classes are {kind} separated, so the multinomial likelihood has no finite maximum, because "
        f"of rows {listed}. The weights returned are finite and nearly reach its supremum. A finite "
        "answer: penalty='l2'.",
    )
    return found


def _strictly_on_their_side(rows: Rows, proof: Any, intercept: bool) -> np.ndarray:
    """Rows that some other class is told apart from by the direction of recession; the first class has 0."""
    assert rows.classes is not None
    width, count = rows.n_columns + intercept, len(rows.classes)
    exact = [Fraction(0)] * width + [Fraction(value) for value in proof.weights]
    whole = lcm(*(value.denominator for value in exact))
    numbers = np.array([int(value * whole) for value in exact], dtype=object).reshape(count, width)
    strict = []
    for block in rows.blocks():
        X, ones = matrix(block, rows.n_columns), np.ones(len(block), np.int8)
        apart = np.zeros(len(block), bool)
        for own in range(count):
            places = np.flatnonzero(block.codes == own)
            for other in range(count):
                if other != own and len(places):
                    plane = (numbers[own] - numbers[other]).tolist()
                    sides = Margins(*split(tuple(plane), intercept)).compare(
                        X[places], ones[places], block.start
                    )
                    apart[places[sides > 0]] = True
        strict.append(block.start + np.flatnonzero(apart))
    return np.concatenate(strict)


def _towards(
    model: Any, rows: Rows, n_classes: int, course: Course, start: np.ndarray | None, *, careful: bool
) -> Joint:
    """Finite weights on the way to a supremum: L2 fits with larger and larger cost, in units in which it does
    not depend on those of the columns how large a cost is."""
    C, units = 1.0, units_of(rows, inf, careful=careful)
    weights = None if start is None else np.array([units.inward(row) for row in start])
    while True:
        problem = Joint(units.rows, n_classes, C, model.fit_intercept)
        if weights is not None:
            problem.start_at(weights)
        problem.run(0.1 * model.tol, course)
        weights = problem.outward()
        share = 0.5 * float((weights[:, :-1] ** 2).sum())
        loss = course.objectives[-1] - share
        if share <= 0.1 * model.tol * max(loss, 0.0) or C >= LARGEST_COST or not course.left:
            problem.units = units
            return problem
        C *= 100.0
