"""The ridge path of the labels ±1: which columns carry the difference between the classes."""

from __future__ import annotations

import numpy as np

from separatrix.predictor.evidence import matrix
from separatrix.reports.diagnosis.record import RidgePath
from separatrix.rows import Rows

ALPHAS = 41
MOST_DRAWN = 12


def ridge_path(rows: Rows, names: object, *, intercept: bool) -> RidgePath | None:
    """Standardised columns, alphas from n·1e-4 to n·1e4, the columns of the largest coefficients."""
    labels = list(names)  # type: ignore[call-overload]
    parts = [matrix(block, rows.n_columns) for block in rows.blocks()]
    X = np.concatenate([part.toarray() if hasattr(part, "toarray") else part for part in parts])
    X = X.astype(np.float64)
    y = np.concatenate([block.signs(1) for block in rows.blocks()]).astype(np.float64)
    spread = X.std(axis=0)
    if not (np.isfinite(spread).all() and (spread > 0).any()):
        return None
    centre = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
    Z = (X - centre) / np.where(spread > 0, spread, 1.0)
    target = y - y.mean() if intercept else y
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    alphas = len(y) * np.logspace(-4, 4, ALPHAS)
    coefficients, errors = [], []
    for alpha in alphas.tolist():
        shrunk = s * s / (s * s + alpha)
        coefficients.append(Vt.T @ ((s / (s * s + alpha)) * (U.T @ target)))
        fitted = U @ (shrunk * (U.T @ target))
        leverage = (U * U) @ shrunk + (1 / len(y) if intercept else 0.0)
        errors.append(float(np.mean(((target - fitted) / (1 - np.minimum(leverage, 1 - 1e-12))) ** 2)))
    table = np.array(coefficients)
    largest = np.argsort(-np.abs(table[ALPHAS // 2]), kind="stable")[:MOST_DRAWN]
    return RidgePath(
        alphas=tuple(float(f"{a:.7g}") for a in alphas.tolist()),
        coefficients=tuple(tuple(float(f"{v:.7g}") for v in table[:, j].tolist()) for j in largest),
        columns=tuple(labels[j] for j in largest),
        leave_one_out=tuple(float(f"{e:.7g}") for e in errors),
        best=float(f"{alphas[int(np.argmin(errors))]:.7g}"),
    )
