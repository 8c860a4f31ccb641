"""Rows as points of the plane: a handful of all rows, and where the boundary runs among them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.fitting.predicted_scores import SignedScores
from separatrix.rows import Block, Rows

MAX_POINTS = 600
MAX_VALUES = 2_000_000  # of the rows taken: with many columns fewer rows are shown
NEAREST_ROWS = 24


@dataclass(frozen=True)
class Points:
    """Some rows in the plane.

    Attributes
    ----------
    place : array of shape (n, 2)
    signs : array
    margins : array
        s(w·x + b)/‖w‖ of each; NaN where they do not matter.
    of : int
        How many rows there are in all.
    normal, offset
        The boundary in these coordinates: normal·p + offset = 0, with a normal of length 1; None where the
        weights are all zero.
    across, up : str
        The names of the axes; no name where height means nothing.
    projected : bool
        Whether across is the distance from the boundary.
    """

    place: np.ndarray
    signs: np.ndarray
    margins: np.ndarray
    of: int
    normal: np.ndarray | None
    offset: float
    across: str
    up: str
    projected: bool = False


def scaled(weights: np.ndarray, intercept: float) -> tuple[np.ndarray, float, float]:
    """The boundary with weights divided by a power of two, so that no square leaves the range of doubles, and
    their length: 0 where they are all zero or not finite, and there is no boundary."""
    largest = float(np.abs(weights).max())
    if not 0 < largest < math.inf:
        return np.zeros_like(weights), 0.0, 0.0
    down = -math.frexp(largest)[1]
    near = np.ldexp(weights, down)
    return near, float(np.ldexp(intercept, down)), float(np.linalg.norm(near))


@np.errstate(over="ignore", invalid="ignore")
def points_of(rows: Rows, positive: int, weights: np.ndarray, intercept: float) -> Points:
    """Evenly spaced rows and those nearest to the boundary.

    Two columns are shown as they are. More are projected: across on w, in distances from the boundary, and
    up on the direction of the boundary in which these rows spread most.
    """
    weights, intercept, norm = scaled(weights, intercept)
    X, signs = _chosen(rows, positive, weights, intercept)
    scores = X @ weights + intercept
    margins = signs * scores / norm if norm > 0 else np.zeros(len(X))
    names = rows.columns
    if rows.n_columns <= 2:
        place = X if rows.n_columns == 2 else np.column_stack([X[:, 0], _lanes(signs)])
        normal = np.append(weights, 0.0)[:2] / norm if norm > 0 else None
        across = names[0] if names else "column 0"
        up = (names[1] if names else "column 1") if rows.n_columns == 2 else ""
        return Points(
            place, signs, margins, rows.n_rows, normal, intercept / norm if norm else 0.0, across, up
        )
    direction = weights / norm if norm > 0 else _spread(X - X.mean(axis=0))
    lengths = X @ direction
    beside = X - np.outer(lengths, direction)
    beside -= beside.mean(axis=0)
    place = np.column_stack([signs * margins if norm > 0 else lengths, beside @ _spread(beside)])
    normal = np.array([1.0, 0.0]) if norm > 0 else None
    across = "distance from the boundary" if norm > 0 else "direction of largest spread"
    up = "largest spread along the boundary"
    return Points(place, signs, margins, rows.n_rows, normal, 0.0, across, up, projected=norm > 0)


def _chosen(
    rows: Rows, positive: int, weights: np.ndarray, intercept: float
) -> tuple[np.ndarray, np.ndarray]:
    most = min(MAX_POINTS, max(50, MAX_VALUES // rows.n_columns))
    stride = max(1, -(-rows.n_rows // most))
    spaced = rows.take(np.arange(0, rows.n_rows, stride)).whole()
    X, signs = spaced.dense().astype(np.float64), spaced.signs(positive).astype(np.int64)
    if stride == 1:
        return X, signs
    nearest = rows.worst(NearestRows(SignedScores(positive, weights, intercept), NEAREST_ROWS), NEAREST_ROWS)
    X = np.concatenate([X, nearest.X.astype(np.float64)])
    return X, np.concatenate([signs, np.where(nearest.codes == positive, 1, -1)])


@dataclass(frozen=True)
class NearestRows:
    """A pick: the ``count`` rows with the smallest margins."""

    margins: SignedScores
    count: int

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        margins = self.margins(block)
        lowest = np.argsort(margins, kind="stable")[: self.count]
        return lowest, margins[lowest]


def _spread(centred: np.ndarray) -> np.ndarray:
    """The direction of largest variance, its largest entry positive so that pictures do not flip."""
    n, d = centred.shape
    if n < d:
        # The same direction from the products of the rows, of which there are fewer than columns.
        direction = centred.T @ np.linalg.eigh(centred @ centred.T)[1][:, -1]
        direction /= np.linalg.norm(direction) or 1.0
    else:
        direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    return direction * (1.0 if direction[np.argmax(np.abs(direction))] >= 0 else -1.0)


def _lanes(signs: Any) -> np.ndarray:
    """Heights for rows of one column: each class in a band of its own, spread evenly."""
    heights = np.arange(len(signs)) * 0.618 % 1.0
    return np.where(signs > 0, 0.6 + 0.8 * heights, -0.6 - 0.8 * heights)
