"""What the figures show: a handful of rows as points, and all margins counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from separatrix.fitting.predicted_scores import SignedScores
from separatrix.reports.diagnosis.diagnosis_record import Picture
from separatrix.reports.figures.margins import histogram_of
from separatrix.reports.points import scaled
from separatrix.rows import Rows

MAX_POINTS = 500
MAX_VALUES = 2_000_000
MAX_MARKED_ROWS = 60
POWER_ITERATIONS = 30


def picture_of(
    rows: Rows, code: int, weights: np.ndarray, intercept: float, marked: Sequence[int], names: Sequence[str]
) -> Picture | None:
    """Evenly spaced rows and the marked ones, seen along the weights; None where the weights are zero."""
    weights, intercept, norm = scaled(weights, intercept)
    if not norm > 0:
        return None
    signs = rows.signs(code)
    margins = np.concatenate(list(rows.each(SignedScores(code, weights / norm, intercept / norm))))
    most = max(2, min(MAX_POINTS, MAX_VALUES // rows.n_columns))
    wanted = set(np.linspace(0, rows.n_rows - 1, min(most, rows.n_rows)).astype(int).tolist())
    special = set(list(marked)[:MAX_MARKED_ROWS])
    chosen = np.array(sorted(wanted | special), np.int64)
    X = rows.take(chosen).whole().dense().astype(np.float64)
    place, normal, offset, across, up = _plane(X, weights, intercept, names)
    if not (np.isfinite(margins).all() and np.isfinite(place).all()):
        raise ValueError("The rows are too far apart to be drawn.")
    edges, counts = histogram_of(margins, signs)
    return Picture(
        across=_rounded(place[:, 0]),
        up=_rounded(place[:, 1]),
        signs=tuple(signs[chosen].tolist()),
        marked=tuple(row in special for row in chosen.tolist()),
        across_name=across,
        up_name=up,
        projected=rows.n_columns != 2,
        normal=(float(normal[0]), float(normal[1])),
        offset=offset,
        bins=_rounded(edges),
        counts=counts,
    )


def _plane(
    X: np.ndarray, weights: np.ndarray, intercept: float, names: Sequence[str]
) -> tuple[np.ndarray, np.ndarray, float, str, str]:
    norm = float(np.linalg.norm(weights))
    if X.shape[1] == 2:
        return X, weights / norm, intercept / norm, names[0], names[1]
    unit = weights / norm
    across = X @ unit + intercept / norm
    aside = X - X.mean(axis=0)
    aside = aside - np.outer(aside @ unit, unit)
    up = aside @ _widest(aside)
    name = "spread along the boundary" if X.shape[1] > 1 else ""
    return np.column_stack([across, up]), np.array([1.0, 0.0]), 0.0, "distance from the boundary", name


def _widest(centred: np.ndarray) -> np.ndarray:
    """About the direction of largest spread, by the power method: a picture needs no more."""
    direction = np.abs(centred).sum(axis=0)
    for _ in range(POWER_ITERATIONS):
        norm = float(np.linalg.norm(direction))
        if not norm > 0:
            return np.zeros(centred.shape[1])
        direction = centred.T @ (centred @ (direction / norm))
    return np.asarray(direction / (np.linalg.norm(direction) or 1.0))


def _rounded(values: np.ndarray) -> tuple[float, ...]:
    """Seven digits: enough for a picture, and half the size in JSON."""
    return tuple(float(f"{value:.7g}") for value in values.tolist())
