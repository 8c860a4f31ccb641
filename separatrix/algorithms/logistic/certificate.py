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

PIECE = 2**17  # values of a block that are read as doubles at a time
UNFELT = 0.01  # of the gap: less than that may be taken off for the rounding of scores
LARGEST = 1e308
ROOM = 1e-12  # of the objective: other blocks, and other libraries for products of matrices, round otherwise


def proven(
    rows: Rows,
    positive: int,
    weights: np.ndarray,
    C: float | None,
    *,
    intercept: bool,
    restoring: dict[str, Any] | None = None,
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
        **(restoring or {}),
    )
    swings: list[np.ndarray] = []
    found = _ends(draft, rows, positive, swings)
    if found is None:
        return None
    (upper, lower), taken = found, ROOM * found[0]
    if not upper + taken < LARGEST:
        return None
    if C is not None and swings:
        # Whoever verifies this adds up scores in another order than the kernel.
        with np.errstate(all="ignore"):
            most = _sway(C, swings, rows.n_columns, upper - lower, 1.0)
        if most <= UNFELT * (upper - lower):
            lower -= most
        elif most > 0.5 * taken:
            plain = _ends(draft, rows, positive, None)
            upper, lower = plain if plain is not None else found
            with np.errstate(all="ignore"):
                lower -= _sway(C, swings, rows.n_columns, upper - lower, TYPICAL_SHARE)
        if not isfinite(most):
            lower = 0.0
    ends = {
        "upper": nextafter(upper + taken, inf),
        "lower": max(0.0, nextafter(lower - taken, -inf)),
    }
    return replace(draft, **ends).bound_to(rows)  # type: ignore[arg-type]


def _ends(
    draft: LikelihoodWithin, rows: Rows, positive: int, swings: list[np.ndarray] | None
) -> tuple[float, float] | None:
    """The objective from above and the bound from below; with ``swings``, dense rows go through the kernel,
    and what it says of rounding goes there."""
    bounds = LikelihoodBounds(draft, rows.n_rows, safety_factor=2.0, softplus=_softplus, entropy=_entropy)
    ones = np.ones(1)

    def walk(duality: Duality) -> LikelihoodSums:
        plain = (
            duality.keep is None and duality.centre is None and not (duality.recorded_rows or duality.entries)
        )
        if swings is not None:
            swings.clear()  # of scales that did not do

        def piece(X: Any, signs: Any, v: np.ndarray, start: int) -> LikelihoodSums:
            if swings is None or not plain:
                # A piece at a time becomes doubles, so that float32 takes no more room than float64.
                return duality.piece(doubles(X), signs, v, start)
            return _dense(duality, X, signs, v, start, swings)

        def term(block: Block) -> tuple[LikelihoodSums]:
            v = _some(ones, len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
            X, signs = matrix(block, rows.n_columns), block.signs(positive)
            if hasattr(X, "indptr"):
                return (duality.piece(doubles(X), signs, v, block.start),)
            long = RUN_ROWS if plain else max(1, PIECE // rows.n_columns)
            runs = (slice(at, at + long) for at in range(0, len(block), long))
            return (added(piece(X[run], signs[run], v[run], block.start + run.start) for run in runs),)

        total: LikelihoodSums = rows.sum(silence_overflow(term), large=True)[0]
        return total

    with np.errstate(all="ignore"):
        upper, lower = bounds.of(walk, read(rows, positive=draft.about.positive))
    try:
        return None if upper is None else (float(upper), float(lower))
    except OverflowError:
        return None


def _sway(C: float, swings: list[np.ndarray], n_columns: int, gap: float, share: float) -> float:
    """How much lower the bound may be where scores round otherwise, to ``share`` of the worst.

    Scores that differ by δ change β by cδ and the bound by at most ‖w − C g‖·C‖Δg‖ + ½C²‖Δg‖² + ½C Σ cδ²:
    at the optimum only the second order is left. ½‖w − C g‖² is at most the gap.
    """
    unit = 4.06 * (n_columns + 6) * U * share
    tilt, shift, bend = (float(sum(figures[k] for figures in swings)) for k in (6, 7, 8))
    longest = sqrt(max(float(max(figures[4:6])) for figures in swings))
    swing = C * unit * (tilt + shift * longest)
    return swing * (sqrt(2 * max(gap, 0.0)) + 0.5 * swing) + 0.5 * C * bend * unit**2


def _some(ones: np.ndarray, count: int) -> np.ndarray:
    return np.broadcast_to(ones, (count,))


def _dense(
    duality: Duality, X: Any, signs: Any, v: np.ndarray, start: int, swings: list[np.ndarray]
) -> LikelihoodSums:
    """`Duality.piece` of dense rows without conditions, in a kernel: the same, up to the order of sums."""
    from separatrix.algorithms.logistic.enclosure_kernels import RUN as SHORT
    from separatrix.algorithms.logistic.enclosure_kernels import dual_sums

    runs = -(-len(signs) // SHORT)
    losses, entropies, g = np.zeros(runs), np.zeros(runs), np.zeros(X.shape[1])
    figures, wholes = np.zeros(9), np.zeros((2, 3), np.int64)
    given = (duality.weights, duality.bias, duality.norm, 2.0**duality.quantum, duality.scales)
    dual_sums(X, signs, v, *given, losses, entropies, g, figures, wholes)
    swings.append(figures)
    mass, spread, beta, weighed = figures[:4].tolist()
    below, above = (
        LargestMultiple(multiple, float(v[row]), length_above(square), start + row)
        if multiple
        else NO_MULTIPLE
        for (_, multiple, row), square in zip(wholes.tolist(), figures[4:6].tolist(), strict=True)
    )
    return LikelihoodSums(
        loss=(summed_above(losses, len(v)) + duality.rounding_error(mass, spread, X.shape[1])) * (1 + 8 * U),
        entropy=summed_below(entropies, len(v)),
        g=g,
        sizes=None,
        norm_sum=norm_sum_bound(beta, weighed),
        multiples=(int(wholes[0, 0]), int(wholes[1, 0])),
        largest=(below, above),
        rows=len(signs),
    )


def _softplus(margins: np.ndarray) -> np.ndarray:
    from separatrix.algorithms.logistic.enclosure_kernels import softplus_above

    softplus_above(margins, out := np.empty_like(margins), np.empty_like(margins))
    return out


def _entropy(parts: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    from separatrix.algorithms.logistic.enclosure_kernels import entropy_below

    entropy_below(parts, wholes, out := np.empty_like(parts))
    return out
