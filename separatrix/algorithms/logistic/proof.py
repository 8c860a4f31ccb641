"""What a fit may claim about its likelihood: both ends proven before they are written down."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter
from typing import Any

import numpy as np

from separatrix.certificates import LikelihoodWithin
from separatrix.certificates.likelihood_within import Bounds
from separatrix.certificates.logistic_duality import Duality, Sums, added
from separatrix.certificates.source import doubles, read
from separatrix.predictor.evidence import about, matrix
from separatrix.rows import Block, Rows

PIECE = 2**17  # values of a block that are read as doubles at a time
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
    bounds = Bounds(draft, rows.n_rows, caution=2.0)
    ones = np.ones(1)

    def walk(duality: Duality) -> Sums:
        def term(block: Block) -> tuple[Sums]:
            v = _some(ones, len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
            X, signs = matrix(block, rows.n_columns), block.signs(positive)
            if hasattr(X, "indptr"):
                return (duality.piece(doubles(X), signs, v, block.start),)
            # A piece at a time becomes doubles, so that float32 takes no more room than float64.
            long = max(1, PIECE // rows.n_columns)
            runs = (slice(at, at + long) for at in range(0, len(block), long))
            pieces = (
                duality.piece(doubles(X[run]), signs[run], v[run], block.start + run.start) for run in runs
            )
            return (added(pieces),)

        total: Sums = rows.sum(term)[0]
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
