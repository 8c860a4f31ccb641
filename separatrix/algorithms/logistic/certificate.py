"""What a fit may claim about its likelihood: both ends proven before they are written down."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, nextafter, sqrt
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.overflow import silence_overflow
from separatrix.certificates import LikelihoodWithin
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
from separatrix.fitting.exact_errors import about, matrix
from separatrix.rows import Block, Rows

PIECE_VALUES = 2**17  # values of a block that are read as doubles at a time
NEGLIGIBLE_SHARE = 0.01  # of the gap: less than that may be taken off for the rounding of scores
MAX_OBJECTIVE_VALUE = 1e308
SLACK_SHARE = 1e-12  # of the objective: other blocks, and other libraries for products, round otherwise


def certify(
    rows: Rows,
    positive: int,
    weights: np.ndarray,
    C: float | None,
    *,
    intercept: bool,
    restoration: dict[str, Any] | None = None,
) -> LikelihoodWithin | None:
    """The certificate of these weights, with the ends that hold; None if the objective overflows."""
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
    rounding_sums: list[np.ndarray] = []
    found = _compute_bounds(draft, rows, positive, rounding_sums)
    if found is None:
        return None
    (upper, lower), slack = found, SLACK_SHARE * found[0]
    if not upper + slack < MAX_OBJECTIVE_VALUE:
        return None
    if C is not None and rounding_sums:
        # Whoever verifies this adds up scores in another order than the kernel.
        with np.errstate(all="ignore"):
            reserve = _bound_score_rounding(C, rounding_sums, rows.n_columns, upper - lower, 1.0)
        if reserve <= NEGLIGIBLE_SHARE * (upper - lower):
            lower -= reserve
        elif reserve > 0.5 * slack:
            from_numpy = _compute_bounds(draft, rows, positive, None)
            upper, lower = from_numpy if from_numpy is not None else found
            with np.errstate(all="ignore"):
                lower -= _bound_score_rounding(C, rounding_sums, rows.n_columns, upper - lower, TYPICAL_SHARE)
        if not isfinite(reserve):
            lower = 0.0
    bounds = {
        "upper": nextafter(upper + slack, inf),
        "lower": max(0.0, nextafter(lower - slack, -inf)),
    }
    return replace(draft, **bounds).bound_to(rows)  # type: ignore[arg-type]


def _compute_bounds(
    draft: LikelihoodWithin, rows: Rows, positive: int, rounding_sums: list[np.ndarray] | None
) -> tuple[float, float] | None:
    """The objective from above and the bound from below; with ``rounding_sums``, dense rows go through
    the kernel, and what it says of rounding goes there."""
    bounds = LikelihoodBounds(
        draft, rows.n_rows, safety_factor=2.0, softplus=_bound_softplus, entropy=_bound_entropy
    )
    ones = np.ones(1)

    def walk(duality: Duality) -> LikelihoodSums:
        is_unconditional = (
            duality.keep is None and duality.centre is None and not (duality.recorded_rows or duality.entries)
        )
        if rounding_sums is not None:
            rounding_sums.clear()  # of scales that did not do

        def sum_piece(X: Any, signs: Any, v: np.ndarray, start: int) -> LikelihoodSums:
            if rounding_sums is None or not is_unconditional:
                # A piece at a time becomes doubles, so that float32 takes no more room than float64.
                return duality.piece(doubles(X), signs, v, start)
            return _sum_dense_piece(duality, X, signs, v, start, rounding_sums)

        def term(block: Block) -> tuple[LikelihoodSums]:
            v = _repeat(ones, len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
            X, signs = matrix(block, rows.n_columns), block.signs(positive)
            if hasattr(X, "indptr"):
                return (duality.piece(doubles(X), signs, v, block.start),)
            run_rows = RUN_ROWS if is_unconditional else max(1, PIECE_VALUES // rows.n_columns)
            runs = (slice(at, at + run_rows) for at in range(0, len(block), run_rows))
            return (added(sum_piece(X[run], signs[run], v[run], block.start + run.start) for run in runs),)

        total: LikelihoodSums = rows.in_large_blocks().sum(silence_overflow(term))[0]
        return total

    with np.errstate(all="ignore"):
        upper, lower = bounds.of(walk, read(rows, positive=draft.about.positive))
    try:
        return None if upper is None else (float(upper), float(lower))
    except OverflowError:
        return None


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


def _repeat(ones: np.ndarray, count: int) -> np.ndarray:
    return np.broadcast_to(ones, (count,))


def _sum_dense_piece(
    duality: Duality, X: Any, signs: Any, v: np.ndarray, start: int, rounding_sums: list[np.ndarray]
) -> LikelihoodSums:
    """`Duality.piece` of dense rows without conditions, in a kernel: the same, up to the order of sums."""
    from separatrix.algorithms.logistic.enclosure_kernels import CHUNK_ROWS, sum_dual_terms

    runs = -(-len(signs) // CHUNK_ROWS)
    losses, entropies, g = np.zeros(runs), np.zeros(runs), np.zeros(X.shape[1])
    sums, multiples = np.zeros(9), np.zeros((2, 3), np.int64)
    parameters = (duality.weights, duality.bias, duality.norm, 2.0**duality.quantum, duality.scales)
    sum_dual_terms(X, signs, v, *parameters, losses, entropies, g, sums, multiples)
    rounding_sums.append(sums)
    weight_sum, weighted_squares, beta_sum, beta_squares = sums[:4].tolist()
    negative, positive = (
        LargestMultiple(multiple, float(v[row]), length_above(squared_norm), start + row)
        if multiple
        else NO_MULTIPLE
        for (_, multiple, row), squared_norm in zip(multiples.tolist(), sums[4:6].tolist(), strict=True)
    )
    rounding = duality.rounding_error(weight_sum, weighted_squares, X.shape[1])
    return LikelihoodSums(
        loss=(summed_above(losses, len(v)) + rounding) * (1 + 8 * U),
        entropy=summed_below(entropies, len(v)),
        g=g,
        sizes=None,
        norm_sum=norm_sum_bound(beta_sum, beta_squares),
        multiples=(int(multiples[0, 0]), int(multiples[1, 0])),
        largest=(negative, positive),
        rows=len(signs),
    )


def _bound_softplus(margins: np.ndarray) -> np.ndarray:
    from separatrix.algorithms.logistic.enclosure_kernels import softplus_above

    softplus_above(margins, out := np.empty_like(margins), np.empty_like(margins))
    return out


def _bound_entropy(parts: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    from separatrix.algorithms.logistic.enclosure_kernels import entropy_below

    entropy_below(parts, wholes, out := np.empty_like(parts))
    return out
