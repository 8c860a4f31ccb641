"""One model of all classes: P(k | x) is proportional to exp(w_k·x + b_k).

**Theorem** (Albert and Anderson, 1984, for several classes). Without a penalty the likelihood has a
finite maximum exactly when no direction W has (e_y − e_k) ⊗ (x, 1) · W ≥ 0 for every row and every class
k ≠ y, and not always 0. That is the question of `separate`, asked of those rows; the first class serves
as reference, since adding the same to all w_k changes nothing.

**Certificate.** `JointLikelihoodWithin`, one for all classes: with a penalty about all weights, without
one about all weights up to ten times as long as those found.

**Cost.** Newton's method with products of the Hessian, solved by conjugate gradients: K scores for each
row and product.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, isinf, nextafter
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.likelihood import refuse_overflow
from separatrix.algorithms.separation import Separation, separated
from separatrix.certificates import JointLikelihoodWithin, Undecided
from separatrix.certificates.joint_likelihood_within import JointBounds
from separatrix.certificates.multinomial_duality import JointDuality, JointSums
from separatrix.certificates.source import doubles
from separatrix.predictor import FitWarning, Solution, warn
from separatrix.predictor.evidence import about, matrix
from separatrix.predictor.history import History
from separatrix.rows import Block, DenseRows, Rows, SparseRows

ROOM = 1e-12
RADIUS = 10.0
MOST_PRODUCTS = 300
LARGEST_COST = 1e10


class Joint:
    """The objective at a moving point W: a row a class, the intercept last."""

    def __init__(self, rows: Rows, n_classes: int, C: float, intercept: bool) -> None:
        self.rows, self.n_classes, self.intercept = rows, n_classes, intercept
        self.ridge, self.C = (0.0, 1.0) if isinf(C) else (1.0, C)
        self.weights = np.zeros((n_classes, rows.n_columns + 1))
        self.probabilities = np.empty((rows.n_rows, n_classes))

    def _costs(self, block: Block) -> np.ndarray:
        v = self.rows.weights
        return np.full(len(block), self.C) if v is None else self.C * v[block.start : block.stop]

    def differentiate(self, weights: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The objective, its gradient and the Hessian's diagonal at W; probabilities are kept for
        products."""

        def term(block: Block) -> tuple[float, np.ndarray, np.ndarray]:
            X, c, places = matrix(block, self.rows.n_columns), self._costs(block), np.arange(len(block))
            scores = np.asarray(X @ weights[:, :-1].T) + weights[:, -1]
            top = scores.max(axis=1, keepdims=True)
            p = np.exp(scores - top)
            total = p.sum(axis=1, keepdims=True)
            loss = float(c @ (np.log(total[:, 0]) + top[:, 0] - scores[places, block.codes]))
            p /= total
            self.probabilities[block.start : block.stop] = p
            curved = (p * (1 - p) * c[:, None]).T
            squares = X.multiply(X) if hasattr(X, "multiply") else X.astype(np.float64) ** 2
            diagonal = np.column_stack([np.asarray(curved @ squares), curved.sum(axis=1)])
            p = p * c[:, None]
            p[places, block.codes] -= c
            return loss, np.column_stack([np.asarray((X.T @ p).T), p.sum(axis=0)]), diagonal

        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            loss, gradient, diagonal = self.rows.sum(term)
        gradient[:, -1] *= self.intercept
        w = weights[:, :-1]
        gradient[:, :-1] += self.ridge * w
        return loss + 0.5 * self.ridge * float((w * w).sum()), gradient, diagonal + self.ridge

    def curved(self, direction: np.ndarray) -> np.ndarray:
        def term(block: Block) -> tuple[np.ndarray]:
            X, c = matrix(block, self.rows.n_columns), self._costs(block)
            p = self.probabilities[block.start : block.stop]
            moves = np.asarray(X @ direction[:, :-1].T) + direction[:, -1]
            moves = c[:, None] * p * (moves - (p * moves).sum(axis=1, keepdims=True))
            return (np.column_stack([np.asarray((X.T @ moves).T), moves.sum(axis=0)]),)

        total = np.asarray(self.rows.sum(term)[0])
        total[:, -1] *= self.intercept
        total[:, :-1] += self.ridge * direction[:, :-1]
        return total

    def run(self, tol: float, max_iter: int, objectives: list[float]) -> bool:
        """Newton's steps until ½‖∇_w‖² is at most ``tol`` times the objective, and the intercepts are as
        good."""
        value, gradient, diagonal = self.differentiate(self.weights)
        if not np.isfinite(value):
            refuse_overflow(self.rows)
        while True:
            objectives.append(value)
            direction, left = self._direction(gradient, diagonal, tol * value)
            slope = float((gradient * direction).sum())
            gap = 0.5 * float((gradient[:, :-1] ** 2).sum()) if self.ridge else -slope
            # What the intercepts leave is taken from single rows in the end, so it has to be far smaller.
            ends = 1e6 * float((gradient[:, -1] ** 2 / np.maximum(diagonal[:, -1], 1e-300)).sum())
            if max(gap, ends) <= tol * value:
                return True
            if len(objectives) >= max_iter or not slope < 0:
                return False
            step = 1.0
            for _ in range(40):
                ahead = self.differentiate(self.weights + step * direction)
                if np.isfinite(ahead[0]) and ahead[0] <= value + 1e-4 * step * slope + 1e-15 * abs(value):
                    break
                step *= 0.5
            else:
                return False
            self.weights = self.weights + step * direction
            if ahead[0] >= value and left:
                return max(gap, ends) <= 10 * tol * value
            value, gradient, diagonal = ahead

    def _direction(self, gradient: np.ndarray, diagonal: np.ndarray, small: float) -> tuple[np.ndarray, bool]:
        """Conjugate gradients to a thousandth of the gradient, scaled by the diagonal; whether it got
        there."""
        scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
        found, rest = np.zeros_like(gradient), -gradient
        scaled = scale * rest
        direction, product = scaled.copy(), float((rest * scaled).sum())
        goal = 1e-6 * product
        for _ in range(MOST_PRODUCTS):
            curved = self.curved(direction)
            curvature = float((direction * curved).sum())
            if not curvature > 1e-300 or product <= 0:
                break
            found += product / curvature * direction
            rest -= product / curvature * curved
            scaled = scale * rest
            product, last = float((rest * scaled).sum()), product
            if product <= goal:
                return found, True
            direction = scaled + (product / last) * direction
        return found, False


def solve(model: Any, rows: Rows) -> list[Solution]:
    """The multinomial fit: one solution a class, all with the one certificate."""
    if model.solver == "gradient-descent":
        raise ValueError(
            "solver='gradient-descent' is for one class against the rest: choose another solver."
        )
    K, C = len(model.classes_), model._cost
    rows.require_finite()
    kind, told = "not asked", None
    if isinf(C):
        answer = joint_separation(rows, K, intercept=model.fit_intercept)
        kind = answer.kind
        told = _told(model, rows, answer) if kind in ("complete", "quasi") else None
    problem = Joint(rows, K, C, model.fit_intercept)
    if len(model._starts) == K:
        problem.weights = np.array(model._starts)
    objectives: list[float] = []
    certificate: Any = None
    if told is not None:
        problem = _towards(model, rows, K, objectives)
    else:
        for share in (0.1, 1e-3) if problem.ridge else (1e-9,):
            problem.run(share * model.tol, model.max_iter, objectives)
            certificate = proven(rows, model, problem.weights, C)
            if certificate is None or certificate.gap <= model.tol:
                break
    problem.weights -= problem.weights.mean(axis=0)
    certificate = proven(rows, model, problem.weights, C)
    facts: dict[str, Any] = {
        "n_iter": max(1, len(objectives)),
        "objectives": np.array(objectives),
        "separation": kind,
        "separated_rows": np.empty(0, np.int64) if told is None else told,
    }
    if certificate is None:
        certificate = Undecided("The objective is too large for doubles: rescale the columns.")
        facts |= {"gap": inf, "objective": inf, "lower_bound": 0.0}
    else:
        facts |= {
            "gap": certificate.gap,
            "objective": float(certificate.upper),
            "lower_bound": float(certificate.lower),
        }
    return [Solution(w, certificate, History(), facts) for w in problem.weights]


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

    upper, lower = JointBounds(draft, rows.n_rows, caution=2.0).of(walk)
    if upper is None:
        return None
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
        problem.weights = start
        problem.run(0.1 * model.tol, model.max_iter, objectives)
        start = problem.weights
        share = 0.5 * float((start[:, :-1] ** 2).sum())
        if share <= 0.1 * model.tol * max(objectives[-1] - share, 0.0) or C >= LARGEST_COST:
            return problem
        C *= 100.0
