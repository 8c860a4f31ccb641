"""What a fit may claim about its likelihood: both ends proven before they are written down."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter
from typing import Any

import numpy as np

from separatrix.certificates import LikelihoodWithin
from separatrix.certificates.enclosures import U, summed_above, summed_below
from separatrix.certificates.likelihood_within import Bounds
from separatrix.certificates.logistic_duality import (
    NONE,
    RUN,
    Duality,
    Largest,
    Sums,
    added,
    lengthened,
    reach,
)
from separatrix.certificates.source import doubles, read
from separatrix.predictor.evidence import about, matrix
from separatrix.rows import Block, Rows

PIECE = 2**17
ROOM = 1e-12  # other blocks, and other libraries for products of matrices, round otherwise


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
    bounds = Bounds(draft, rows.n_rows, caution=2.0, softplus=_softplus, entropy=_entropy)
    ones = np.ones(1)

    def walk(duality: Duality) -> Sums:
        def term(block: Block) -> tuple[Sums]:
            v = _some(ones, len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
            X, signs = matrix(block, rows.n_columns), block.signs(positive)
            if hasattr(X, "indptr"):
                return (duality.piece(doubles(X), signs, v, block.start),)
            plain = duality.keep is None and duality.centre is None and not duality.wanted
            piece = _dense if plain and not duality.entries else _as_doubles
            long = RUN if piece is _dense else max(1, PIECE // rows.n_columns)
            runs = (slice(at, at + long) for at in range(0, len(block), long))
            return (
                added(piece(duality, X[run], signs[run], v[run], block.start + run.start) for run in runs),
            )

        total: Sums = rows.sum(term, large=True)[0]
        return total

    assert rows.classes is not None
    source = read(rows, positive=draft.about.positive)
    upper, lower = bounds.of(walk, source)
    if upper is None:
        return None
    room = ROOM * float(upper)
    ends = {
        "upper": nextafter(float(upper) + room, inf),
        "lower": max(0.0, nextafter(float(lower) - room, -inf)),
    }
    return replace(draft, **ends).bound_to(rows)  # type: ignore[arg-type]


def _some(ones: np.ndarray, count: int) -> np.ndarray:
    return np.broadcast_to(ones, (count,))


def _as_doubles(duality: Duality, X: Any, signs: Any, v: np.ndarray, start: int) -> Sums:
    """A piece at a time becomes doubles, so that float32 takes no more room than float64."""
    return duality.piece(doubles(X), signs, v, start)


def _dense(duality: Duality, X: Any, signs: Any, v: np.ndarray, start: int) -> Sums:
    """`Duality.piece` of dense rows without conditions, in a kernel: the same operations, one call."""
    from separatrix.kernels.enclosures import RUN as SHORT
    from separatrix.kernels.enclosures import dual_sums

    runs = -(-len(signs) // SHORT)
    losses, entropies, g = np.zeros(runs), np.zeros(runs), np.zeros(X.shape[1])
    figures, wholes = np.zeros(6), np.zeros((2, 3), np.int64)
    bias, unit = duality.bias, 2.0**duality.quantum
    dual_sums(X, signs, v, duality.weights, bias, unit, duality.scales, losses, entropies, g, figures, wholes)
    mass, spread, beta, weighed = figures[:4].tolist()
    below, above = (
        Largest(multiple, float(v[row]), lengthened(square), start + row) if multiple else NONE
        for (_, multiple, row), square in zip(wholes.tolist(), figures[4:].tolist(), strict=True)
    )
    return Sums(
        loss=(summed_above(losses, len(v)) + duality.doubt(mass, spread, X.shape[1])) * (1 + 8 * U),
        entropy=summed_below(entropies, len(v)),
        g=g,
        sizes=None,
        reach=reach(beta, weighed),
        multiples=(int(wholes[0, 0]), int(wholes[1, 0])),
        largest=(below, above),
        rows=len(signs),
    )


def _softplus(margins: np.ndarray) -> np.ndarray:
    from separatrix.kernels.enclosures import softplus_above

    softplus_above(margins, out := np.empty_like(margins), np.empty_like(margins))
    return out


def _entropy(parts: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    from separatrix.kernels.enclosures import entropy_below

    entropy_below(parts, wholes, out := np.empty_like(parts))
    return out
