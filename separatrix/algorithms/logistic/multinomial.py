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

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import hypot, inf, isinf, lcm
from typing import Any

import numpy as np

from separatrix.algorithms.convex.gap_proof import (
    TOO_LARGE_REASON,
    choose_smallest_gap,
    describe_gap,
    widen_ends,
)
from separatrix.algorithms.convex.newton_loop import Iterations
from separatrix.algorithms.logistic.divided_objective import divide_objective
from separatrix.algorithms.logistic.existence import Existence
from separatrix.algorithms.logistic.multinomial_inference import infer_multinomial
from separatrix.algorithms.logistic.multinomial_objective import MultinomialObjective
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.algorithms.logistic.solver import SolverOptions
from separatrix.algorithms.separation import Separation, separate_rows
from separatrix.certificates import JointLikelihoodWithin, Undecided
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.claims.optimality.joint_likelihood_within import MAX_QUANTUM_BITS, JointBounds
from separatrix.certificates.claims.separation import split
from separatrix.certificates.data.reading import doubles
from separatrix.certificates.duality.multinomial_likelihood import JointDuality, JointSums
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.exact_errors import about
from separatrix.fitting.history import History
from separatrix.messages import Message, Parameter
from separatrix.rows import Block, DenseRows, Rows, SparseRows

MAX_QUANTUM_STEPS = 4  # tries
MAX_MULTIPLE_BITS = 50  # of the largest multiple
ENOUGH_MULTIPLE_BITS = 42  # of it: with so many no finer quantum is tried
RADIUS_FACTOR = 10.0  # of the length of the weights found
MAX_RADIUS_VALUE = float(np.finfo(float).max)  # no certificate holds a longer radius
MAX_COST = 1e10


def solve_multinomial(rows: Rows, options: SolverOptions, start: np.ndarray | None) -> Solution:
    """The multinomial fit: one solution with weights of all classes."""
    if options.solver == "gradient-descent":
        raise ValueError(
            "solver='gradient-descent' is for one class against the rest: choose another solver."
        )
    rows.require_finite()
    K, intercept = len(rows.require_labels()), options.intercept
    kind, is_separated, separated_rows, existence = "not asked", False, np.empty(0, np.int64), None
    if isinf(options.C):
        separation = separate_jointly(rows, K, intercept=intercept)
        kind, existence = separation.kind, Existence(separation.kind, separation)
        is_separated = kind in ("complete", "quasi")
        if is_separated:
            separated_rows = _warn_separated(rows, separation, intercept)
    start = start if start is not None and len(start) == K else None
    weights, certificate, descent_facts = _fit(rows, options, start, separated=is_separated)
    facts: dict[str, Any] = {
        **descent_facts,
        "near_dependency": (),
        "separation": kind,
        "separated_rows": (separated_rows,) * K,
    }
    if existence is not None:
        # Information beyond the range of doubles: the fit has no standard errors.
        with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
            facts |= infer_multinomial(rows, weights, existence, intercept=intercept)
    return Solution(weights, certificate, History(), facts | describe_gap(certificate))


@np.errstate(all="ignore")
def _fit(
    rows: Rows, options: SolverOptions, start: np.ndarray | None, *, separated: bool
) -> tuple[np.ndarray, Any, dict[str, Any]]:
    """Weights with their certificate, and what happened on the way."""
    iterations = Iterations(options.max_iter)
    if separated:
        weights = _approach_supremum(rows, options, iterations, start)
        certificate = certify(rows, options, weights)
    else:
        problem = _make_objective(rows, options)
        if start is not None:
            problem.start_at(start)
        attempts = _make_attempts(problem, rows, options, iterations)
        weights, certificate = choose_smallest_gap(attempts, options.tol)
    objectives = divide_objective(rows, options.C).to_user(iterations.objectives)
    return weights, certificate, {"n_iter": iterations.n_steps, "objectives": objectives}


def _make_objective(rows: Rows, options: SolverOptions) -> MultinomialObjective:
    return MultinomialObjective(rows, len(rows.require_labels()), options.C, options.intercept)


def _take_finite_weights(problem: MultinomialObjective, rows: Rows) -> np.ndarray:
    weights = problem.user_weights
    if not np.isfinite(weights).all():
        refuse_overflow(rows)
    return weights


def _make_attempts(
    problem: MultinomialObjective, rows: Rows, options: SolverOptions, iterations: Iterations
) -> Iterator[tuple[np.ndarray, Any]]:
    """Weights with their certificates; if the first miss the gap, steps to the last digit follow."""
    problem.minimise((0.1 if problem.penalised else 1e-9) * options.tol, iterations)
    weights = _take_finite_weights(problem, rows)
    certificate = certify(rows, options, weights)
    yield weights, certificate
    if not isinstance(certificate, Undecided) and iterations.has_steps_left:
        problem.polish(iterations)
        weights = _take_finite_weights(problem, rows)
        yield weights, certify(rows, options, weights)


def certify(rows: Rows, options: SolverOptions, weights: np.ndarray) -> JointLikelihoodWithin | Undecided:
    """The certificate of these weights, with the ends that hold."""
    assert rows.classes is not None
    unpenalised = isinf(options.C)
    draft = JointLikelihoodWithin(
        tuple(label.item() if hasattr(label, "item") else label for label in rows.classes),
        tuple(tuple(row) for row in weights[:, :-1].tolist()),
        tuple(weights[:, -1].tolist()) if options.intercept else None,
        C=None if unpenalised else options.C,
        upper=0.0,
        lower=0.0,
        row_weights=None if rows.weights is None else tuple(rows.weights.tolist()),
        radius=min(RADIUS_FACTOR * hypot(*weights.flat), MAX_RADIUS_VALUE) if unpenalised else None,
        about=about(rows, len(rows.classes) - 1),
    )

    def walk(duality: JointDuality) -> JointSums:
        total: JointSums = rows.sum(JointLikelihoodTerms(duality))[0]
        return total

    centre = None if rows.is_sparse else rows.preview_mean(1000)
    bounds = JointBounds(draft, rows.n_rows, safety_factor=2.0, centre=centre)
    try:
        upper, lower = bounds.of(walk)
        for _ in range(MAX_QUANTUM_STEPS):
            finer_quantum = bounds.duality.quantum + MAX_MULTIPLE_BITS - bounds.largest.bit_length()
            if (
                unpenalised
                or bounds.largest >= 2**ENOUGH_MULTIPLE_BITS
                or not 0 <= finer_quantum <= MAX_QUANTUM_BITS
            ):
                break
            # Rows far on their side have multipliers far below their weights: these need a finer grain.
            draft = replace(draft, quantum=finer_quantum)
            bounds = JointBounds(draft, rows.n_rows, safety_factor=2.0, centre=centre)
            upper, lower = bounds.of(walk)
        ends = None if upper is None else widen_ends(float(upper), float(lower))
    except OverflowError:
        ends = None
    if ends is None:
        return Undecided(TOO_LARGE_REASON)
    return replace(draft, **ends).bound_to(rows)  # type: ignore[arg-type]


@dataclass(frozen=True)
class JointLikelihoodTerms:
    """The sums of a `JointDuality`."""

    duality: JointDuality

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[JointSums]:
        assert block.codes is not None
        return (self.duality.piece(doubles(block.matrix()), block.codes, block.row_weights, block.start),)


def separate_jointly(rows: Rows, n_classes: int, *, intercept: bool) -> Separation:
    """`separate` on the rows (e_y − e_k) ⊗ (x, 1) with e_0 = 0, half of them turned round to make two
    classes."""
    from scipy.sparse import csr_array, vstack

    parts = list(chain.from_iterable(rows.each(ClassDifferences(n_classes, intercept))))
    differences = csr_array(vstack(parts, format="csr"), dtype=np.float64)
    signs = np.where(np.arange(differences.shape[0]) % 2 == 0, 1.0, -1.0)
    differences = csr_array(differences.multiply(signs[:, None]))
    codes, classes = (signs > 0).astype(np.int32), np.array([-1, 1])
    is_small = differences.shape[0] * differences.shape[1] <= 50_000_000
    difference_rows: Rows = (
        DenseRows(differences.toarray(), codes, classes, n_jobs=rows.n_jobs)
        if is_small and not rows.is_sparse
        else SparseRows(differences, codes, classes, n_jobs=rows.n_jobs)
    )
    return separate_rows(difference_rows, 1, intercept=False)


@dataclass(frozen=True)
class ClassDifferences:
    """The rows (e_y − e_k) ⊗ (x, 1) for the classes y, and k other than y, of the rows that count."""

    n_classes: int
    intercept: bool

    def __call__(self, block: Block) -> list[Any]:
        from scipy.sparse import csr_array, hstack, kron

        Z, is_counted = block.matrix(), block.row_weights > 0
        if self.intercept:
            stack = hstack if block.is_sparse else np.column_stack
            Z = stack([Z, np.ones((len(block), 1))])
        Z, parts = csr_array(Z), []
        for label in range(self.n_classes):
            chosen = Z[np.flatnonzero((block.codes == label) & is_counted)]
            for other in range(self.n_classes):
                if other != label and chosen.shape[0]:
                    class_difference = np.zeros((1, self.n_classes))
                    class_difference[0, label], class_difference[0, other] = 1.0, -1.0
                    parts.append(csr_array(kron(class_difference[:, 1:], chosen, format="csr")))
        return parts


def _warn_separated(rows: Rows, separation: Separation, intercept: bool) -> np.ndarray:
    """Say that no weights are best, and which classes are told apart by which rows."""
    strict = _find_strict_rows(rows, separation.certificate, intercept)
    listed = ", ".join(map(str, strict[:8])) + (", ..." if len(strict) > 8 else "")
    kind = "completely" if separation.kind == "complete" else "quasi-completely"
    warn(
        FitWarning,
        Message(
            "The classes are {kind} separated, so the multinomial likelihood has no finite maximum, because "
            "of rows {rows}. The returned weights are a large finite approximation; for finite estimates use "
            "{l2}.",
            kind=kind,
            rows=listed,
            l2=Parameter("penalty", "l2"),
        ),
    )
    return strict


def _find_strict_rows(rows: Rows, proof: Any, intercept: bool) -> np.ndarray:
    """Rows that some other class is told apart from by the direction of recession; the first class has 0."""
    assert rows.classes is not None
    width, n_classes = rows.n_columns + intercept, len(rows.classes)
    exact = [Fraction(0)] * width + [Fraction(value) for value in proof.weights]
    denominator = lcm(*(value.denominator for value in exact))
    numerators = np.array([int(value * denominator) for value in exact], dtype=object).reshape(
        n_classes, width
    )
    return np.concatenate(list(rows.each(StrictRowsOfClasses(numerators, intercept))))


@dataclass(frozen=True)
class StrictRowsOfClasses:
    """The numbers of the rows with (w_y − w_k)·(x, 1) > 0, exactly, for some class k other than their own, y.

    ``numerators`` are whole numbers, one row per class.
    """

    numerators: np.ndarray
    intercept: bool

    def __call__(self, block: Block) -> np.ndarray:
        X, ones = block.matrix(), np.ones(len(block), np.int8)
        is_strict = np.zeros(len(block), bool)
        for label, own in enumerate(self.numerators):
            places = np.flatnonzero(block.codes == label)
            for other, numerators in enumerate(self.numerators):
                if other != label and len(places):
                    plane = Margins(*split(tuple((own - numerators).tolist()), self.intercept))
                    sides = plane.compare(X[places], ones[places], block.start)
                    is_strict[places[sides > 0]] = True
        return block.start + np.flatnonzero(is_strict)


def _approach_supremum(
    rows: Rows,
    options: SolverOptions,
    iterations: Iterations,
    weights: np.ndarray | None,
) -> np.ndarray:
    """Finite weights on the way to a supremum: L2 fits with larger and larger cost, whose size does not
    depend on that of the weights of rows."""
    C, rows = 1.0, divide_objective(rows, inf).rows
    while True:
        problem = _make_objective(rows, replace(options, C=C))
        if weights is not None:
            problem.start_at(weights)
        problem.minimise(0.1 * options.tol, iterations)
        weights = _take_finite_weights(problem, rows)
        penalty = 0.5 * float((weights[:, :-1] ** 2).sum())
        loss = iterations.objectives[-1] - penalty
        if penalty <= 0.1 * options.tol * max(loss, 0.0) or C >= MAX_COST or not iterations.has_steps_left:
            return weights
        C *= 100.0
