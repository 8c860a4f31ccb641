"""What a fit may claim about its likelihood: both ends proven before they are written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.convex.gap_proof import SLACK_SHARE, TOO_LARGE_REASON, widen_ends
from separatrix.certificates import LikelihoodWithin, Undecided
from separatrix.certificates.arithmetic.enclosures import U, summed_above, summed_below
from separatrix.certificates.claims.optimality.likelihood_within import LikelihoodBounds
from separatrix.certificates.data.reading import doubles, read
from separatrix.certificates.duality.logistic_likelihood import (
    NO_MULTIPLE,
    RUN_ROWS,
    Duality,
    LargestMultiple,
    LikelihoodSums,
    added,
    length_above,
    norm_sum_bound,
)
from separatrix.certificates.duality.multinomial_likelihood import TYPICAL_SHARE
from separatrix.fitting.exact_errors import about
from separatrix.rows import Block, Rows

PIECE_VALUES = 2**17  # values of a block that are read as doubles at a time
NEGLIGIBLE_SHARE = 0.01  # of the gap: less than that may be taken off for the rounding of scores


def certify(
    rows: Rows,
    positive: int,
    weights: np.ndarray,
    C: float | None,
    *,
    intercept: bool,
    restoration: dict[str, Any] | None = None,
) -> LikelihoodWithin | Undecided:
    """The certificate of these weights, with the ends that hold."""
    bias = float(weights[-1]) if intercept else None
    v = None if rows.weights is None else tuple(rows.weights.tolist())
    draft = LikelihoodWithin(
        tuple(weights[:-1].tolist()),
        bias,
        C=C,
        upper=0.0,
        lower=0.0,
        row_weights=v,
        about=about(rows, positive),
        **(restoration or {}),
    )
    found = _compute_bounds(draft, rows, positive)
    if found is None:
        return Undecided(TOO_LARGE_REASON)
    upper, lower, rounding_sums = found
    if C is not None and rounding_sums:
        # Whoever verifies this adds up scores in another order than the kernel.
        with np.errstate(all="ignore"):
            reserve = _bound_score_rounding(C, rounding_sums, rows.n_columns, upper - lower, 1.0)
        if reserve <= NEGLIGIBLE_SHARE * (upper - lower):
            lower -= reserve
        elif reserve > 0.5 * SLACK_SHARE * upper:
            upper, lower, _ = _compute_bounds(draft, rows, positive, compiled=False) or found
            with np.errstate(all="ignore"):
                lower -= _bound_score_rounding(C, rounding_sums, rows.n_columns, upper - lower, TYPICAL_SHARE)
        if not isfinite(reserve):
            lower = 0.0
    ends = widen_ends(upper, lower)
    return Undecided(TOO_LARGE_REASON) if ends is None else replace(draft, **ends).bound_to(rows)  # type: ignore[arg-type]


class FoundBounds(NamedTuple):
    """The objective from above and the bound from below, and what the kernel says of rounding."""

    upper: float
    lower: float
    rounding_sums: list[np.ndarray]


def _compute_bounds(
    draft: LikelihoodWithin, rows: Rows, positive: int, *, compiled: bool = True
) -> FoundBounds | None:
    """Both ends; with ``compiled``, dense rows go through the kernel."""
    bounds = LikelihoodBounds(
        draft, rows.n_rows, safety_factor=2.0, softplus=_bound_softplus, entropy=_bound_entropy
    )
    rounding_sums: list[np.ndarray] = []

    def walk(duality: Duality) -> LikelihoodSums:
        nonlocal rounding_sums  # those of the last walk: scales before it did not do
        term = LikelihoodTerms(duality, positive, compiled)
        total, rounding_sums = rows.in_large_blocks().sum(term)
        return total

    with np.errstate(all="ignore"):
        upper, lower = bounds.of(walk, read(rows, positive=draft.about.positive))
    try:
        return None if upper is None else FoundBounds(float(upper), float(lower), rounding_sums)
    except OverflowError:
        return None


@dataclass(frozen=True)
class LikelihoodTerms:
    """The sums of a `Duality`, and in a list what the kernel says of rounding."""

    duality: Duality
    positive: int
    compiled: bool

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[LikelihoodSums, list[np.ndarray]]:
        duality, X, signs = self.duality, block.matrix(), block.signs(self.positive)
        v = np.broadcast_to(1.0, len(block)) if block.weights is None else block.weights
        if block.is_sparse:
            return duality.piece(doubles(X), signs, v, block.start), []
        is_unconditional = (
            duality.keep is None and duality.centre is None and not (duality.recorded_rows or duality.entries)
        )
        run_rows = RUN_ROWS if is_unconditional else max(1, PIECE_VALUES // block.n_columns)
        pieces = [
            (X[at : at + run_rows], signs[at : at + run_rows], v[at : at + run_rows], block.start + at)
            for at in range(0, len(block), run_rows)
        ]
        if self.compiled and is_unconditional:
            parts = [sum_dense_piece(duality, *piece) for piece in pieces]
            return added(part for part, _ in parts), [rounding for _, rounding in parts]
        # A piece at a time becomes doubles, so that float32 takes no more room than float64.
        return added(duality.piece(doubles(piece[0]), *piece[1:]) for piece in pieces), []


def _bound_score_rounding(
    C: float, rounding_sums: list[np.ndarray], n_columns: int, gap: float, share: float
) -> float:
    """How much lower the bound may be where scores round otherwise, to ``share`` of the worst.

    Scores that differ by δ change β by cδ and the bound by at most ‖w − C g‖·C‖Δg‖ + ½C²‖Δg‖² + ½C Σ cδ²:
    at the optimum only the second order is left. ½‖w − C g‖² is at most the gap.
    """
    relative_error = 4.06 * (n_columns + 6) * U * share
    error_norm_sum, error_sum, squared_error_sum = (
        float(sum(sums[k] for sums in rounding_sums)) for k in (6, 7, 8)
    )
    max_norm = sqrt(max(float(max(sums[4:6])) for sums in rounding_sums))
    gradient_error = C * relative_error * (error_norm_sum + error_sum * max_norm)
    return (
        gradient_error * (sqrt(2 * max(gap, 0.0)) + 0.5 * gradient_error)
        + 0.5 * C * squared_error_sum * relative_error**2
    )


def sum_dense_piece(
    duality: Duality, X: Any, signs: Any, v: np.ndarray, start: int
) -> tuple[LikelihoodSums, np.ndarray]:
    """`Duality.piece` of dense rows without conditions, in a kernel: the same, up to the order of sums; and
    what the kernel says of rounding."""
    from separatrix.algorithms.logistic.enclosure_kernels import CHUNK_ROWS, sum_dual_terms

    runs = -(-len(signs) // CHUNK_ROWS)
    losses, entropies, g = np.zeros(runs), np.zeros(runs), np.zeros(X.shape[1])
    sums, multiples = np.zeros(9), np.zeros((2, 3), np.int64)
    parameters = (duality.weights, duality.bias, duality.norm, 2.0**duality.quantum, duality.scales)
    sum_dual_terms(X, signs, v, *parameters, losses, entropies, g, sums, multiples)
    weight_sum, weighted_squares, beta_sum, beta_squares = sums[:4].tolist()
    negative, positive = (
        LargestMultiple(multiple, float(v[row]), length_above(squared_norm), start + row)
        if multiple
        else NO_MULTIPLE
        for (_, multiple, row), squared_norm in zip(multiples.tolist(), sums[4:6].tolist(), strict=True)
    )
    rounding = duality.rounding_error(weight_sum, weighted_squares, X.shape[1])
    likelihood_sums = LikelihoodSums(
        loss=(summed_above(losses, len(v)) + rounding) * (1 + 8 * U),
        entropy=summed_below(entropies, len(v)),
        g=g,
        sizes=None,
        norm_sum=norm_sum_bound(beta_sum, beta_squares),
        multiples=(int(multiples[0, 0]), int(multiples[1, 0])),
        largest=(negative, positive),
        rows=len(signs),
    )
    return likelihood_sums, sums


def _bound_softplus(margins: np.ndarray) -> np.ndarray:
    from separatrix.algorithms.logistic.enclosure_kernels import softplus_above

    softplus_above(margins, out := np.empty_like(margins), np.empty_like(margins))
    return out


def _bound_entropy(parts: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    from separatrix.algorithms.logistic.enclosure_kernels import entropy_below

    entropy_below(parts, wholes, out := np.empty_like(parts))
    return out
