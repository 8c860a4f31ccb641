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

from dataclasses import replace
from math import inf, isinf, nextafter
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.existence import Existence
from separatrix.algorithms.logistic.joint import Joint
from separatrix.algorithms.logistic.joint_inference import joint_inference
from separatrix.algorithms.separation import Separation, separated
from separatrix.certificates import JointLikelihoodWithin, Undecided
from separatrix.certificates.joint_likelihood_within import MOST_QUANTUM, JointBounds
from separatrix.certificates.multinomial_duality import JointDuality, JointSums
from separatrix.certificates.source import doubles
from separatrix.predictor import FitWarning, Solution, warn
from separatrix.predictor.evidence import about, matrix
from separatrix.predictor.history import History
from separatrix.rows import Block, DenseRows, Rows, SparseRows

ROOM = 1e-12
FINER = 4  # tries
BITS, COARSE = 50, 42  # of the largest multiple: what there is room for, and what is taken to be enough
RADIUS = 10.0
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
    problem = Joint(rows, K, C, model.fit_intercept)
    if len(model._starts) == K:
        problem.start_at(np.array(model._starts))
    objectives: list[float] = []
    if told is not None:
        weights = _towards(model, rows, K, objectives).outward()
        certificate: Any = proven(rows, model, weights, C)
    else:
        weights, certificate = _within(model, problem, C, objectives)
    facts: dict[str, Any] = {
        "n_iter": max(1, len(objectives)),
        "objectives": np.array(objectives),
        "separation": kind,
        "separated_rows": np.empty(0, np.int64) if told is None else told,
    }
    if found is not None:
        facts |= joint_inference(rows, weights, found, intercept=model.fit_intercept)
    if certificate is None:
        certificate = Undecided("The objective is too large for doubles: rescale the columns.")
        facts |= {"gap": inf, "objective": inf, "lower_bound": 0.0}
    else:
        facts |= {
            "gap": certificate.gap,
            "objective": float(certificate.upper),
            "lower_bound": float(certificate.lower),
        }
    return [Solution(w, certificate, History(), facts) for w in weights]


def _within(
    model: Any, problem: Joint, C: float, objectives: list[float]
) -> tuple[np.ndarray, JointLikelihoodWithin | None]:
    """The weights with the smaller proven gap: if the first miss it, steps to the last digit follow."""
    problem.run((0.1 if problem.ridge else 1e-9) * model.tol, model.max_iter, objectives)
    weights = problem.outward()
    certificate = proven(problem.rows, model, weights, C)
    if certificate is None or certificate.gap <= model.tol or len(objectives) >= model.max_iter:
        return weights, certificate
    problem.polish(objectives)
    others = problem.outward()
    other = proven(problem.rows, model, others, C)
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
        radius=RADIUS * float(np.linalg.norm(weights)) if free else None,
        about=about(rows, len(rows.classes) - 1),
    )

    def walk(duality: JointDuality) -> JointSums:
        def term(block: Block) -> tuple[JointSums]:
            v = np.ones(len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
            assert block.codes is not None
            return (duality.piece(doubles(matrix(block, rows.n_columns)), block.codes, v, block.start),)

        total: JointSums = rows.sum(term)[0]
        return total

    centre = None if isinstance(rows, SparseRows) else rows.sample_mean(1000)
    bounds = JointBounds(draft, rows.n_rows, caution=2.0, centre=centre)
    upper, lower = bounds.of(walk)
    if upper is None:
        return None
    for _ in range(FINER):
        finer = bounds.duality.quantum + BITS - bounds.largest.bit_length()
        if free or bounds.largest >= 2**COARSE or finer > MOST_QUANTUM:
            break
        # Rows far on their side have multipliers far below their weights: a finer grain has room for them.
        draft = replace(draft, quantum=finer)
        bounds = JointBounds(draft, rows.n_rows, caution=2.0, centre=centre)
        upper, lower = bounds.of(walk)
        assert upper is not None
    room = ROOM * float(upper)
    ends = {"upper": nextafter(float(upper) + room, inf), "lower": max(0.0, float(lower) - room)}
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
    return separated(wide, 1, intercept=False)


def _told(model: Any, rows: Rows, answer: Separation) -> np.ndarray:
    """Say that no weights are best, and which classes are told apart by which rows."""
    proof: Any = answer.certificate
    width = rows.n_columns + model.fit_intercept
    recession = np.array([float(w) for w in proof.weights]).reshape(-1, width)
    recession = np.vstack([np.zeros(width), recession]) / max(abs(recession).max(), 1e-300)
    strict = []
    for block in rows.blocks():
        X = matrix(block, rows.n_columns)
        scores = np.asarray(X @ recession[:, : rows.n_columns].T)
        scores = scores + recession[:, -1] if model.fit_intercept else scores
        own = scores[np.arange(len(block)), block.codes]
        strict.append(block.start + np.flatnonzero((own[:, None] - scores).max(axis=1) > 1e-9))
    found = np.concatenate(strict)
    listed = ", ".join(map(str, found[:8])) + (", ..." if len(found) > 8 else "")
    kind = "completely" if answer.kind == "complete" else "quasi-completely"
    warn(
        FitWarning,
        f"The classes are {kind} separated, so the multinomial likelihood has no finite maximum, because "
        f"of rows {listed}. The weights returned are finite and nearly reach its supremum. A finite "
        "answer: penalty='l2'.",
    )
    return found


def _towards(model: Any, rows: Rows, n_classes: int, objectives: list[float]) -> Joint:
    """Finite weights on the way to a supremum: L2 fits with larger and larger cost."""
    C, start = 1.0, np.zeros((n_classes, rows.n_columns + 1))
    while True:
        problem = Joint(rows, n_classes, C, model.fit_intercept)
        problem.weights = start  # in the frame of the problem, which is that of the last
        problem.run(0.1 * model.tol, model.max_iter, objectives)
        start = problem.weights
        share = 0.5 * float((start[:, :-1] ** 2).sum())
        if share <= 0.1 * model.tol * max(objectives[-1] - share, 0.0) or C >= LARGEST_COST:
            return problem
        C *= 100.0
