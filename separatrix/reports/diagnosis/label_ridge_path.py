"""The ridge path of the labels ±1: which columns carry the difference between the classes."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.least_squares import Ridge
from separatrix.reports.diagnosis.diagnosis_record import LabelRidgePath
from separatrix.rows import DataError, Rows

PATH_POINTS = 41
MAX_DRAWN_COLUMNS = 12


def ridge_path(rows: Rows, names: object, *, intercept: bool) -> LabelRidgePath | None:
    """Standardised columns, alphas from n·1e-4 to n·1e4, the columns of the largest coefficients."""
    labels = list(names)  # type: ignore[call-overload]
    X, y = rows.whole().dense().astype(np.float64), rows.signs(1).astype(np.float64)
    spread = X.std(axis=0)
    if not (np.isfinite(spread).all() and (spread > 0).any()):
        return None
    centre = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
    Z = (X - centre) / np.where(spread > 0, spread, 1.0)
    alphas = len(y) * np.logspace(-4, 4, PATH_POINTS)
    try:
        found = Ridge(fit_intercept=intercept).path(Z, y, alphas=alphas.tolist())
    except DataError:
        return None
    table = found.coefficients
    largest = np.argsort(-np.abs(table[PATH_POINTS // 2]), kind="stable")[:MAX_DRAWN_COLUMNS]
    return LabelRidgePath(
        alphas=tuple(float(f"{a:.7g}") for a in alphas.tolist()),
        coefficients=tuple(tuple(float(f"{v:.7g}") for v in table[:, j].tolist()) for j in largest),
        columns=tuple(labels[j] for j in largest),
        leave_one_out=tuple(float(f"{e:.7g}") for e in found.leave_one_out.tolist()),
        best=float(f"{found.alpha:.7g}"),
    )
