"""One pass of the perceptron over independent rows, and what its mistakes say about risk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from separatrix.bounds import Bound, online_to_batch
from separatrix.halfspace import Halfspace
from separatrix.theory.labelled_table import labelled


@dataclass(frozen=True, eq=False)
class OnePass:
    """The hypotheses of one pass.

    Attributes
    ----------
    mistakes : int
    weights : ndarray of shape (mistakes + 1, d + 1)
        The distinct hypotheses in turn, the intercept last.
    starts : ndarray
        How many rows each had been preceded by.
    lives : ndarray
        How many rows each predicted; m in all.
    mean_risk : Bound
        Of the mean risk of the m hypotheses.
    selected : Halfspace
        The hypothesis of least penalised error on the rows after it.
    selected_risk : Bound
        Of its risk.
    """

    mistakes: int
    weights: NDArray[np.float64]
    starts: NDArray[np.int64]
    lives: NDArray[np.int64]
    mean_risk: Bound
    selected: Halfspace
    selected_risk: Bound


def one_pass(X: Any, y: Any, delta: SupportsFloat = 0.05, *, fit_intercept: bool = True) -> OnePass:
    """Run the perceptron over the rows once, in order, and pick the hypothesis that did best afterwards.

    The hypothesis after t of m rows is charged its share of errors on the m - t that follow, and
    √(ln(m(m + 1)/δ)/2(m - t)). The least charge picks `selected`, which has the bound of
    `online_to_batch(..., selected=True)`. A hypothesis is judged from its first row on: until its first
    mistake it makes none, so that is its least charge.

    Source: N. Cesa-Bianchi, A. Conconi and C. Gentile, IEEE Transactions on Information Theory 50 (2004),
    section II.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> run = one_pass(X, X @ [1.0, 2.0, -1.0] > 0)
    >>> run.mistakes, int(run.lives.sum())
    (93, 2000)
    """
    table, signs = labelled(X, y)
    m, d = table.shape
    constant = np.full((m, 1), float(fit_intercept))
    rows: NDArray[np.float64] = np.hstack([table, constant]) * signs[:, None].astype(np.float64)
    weights, starts = [np.zeros(d + 1)], [0]
    for t, row in enumerate(rows):
        if not row @ weights[-1] > 0:
            weights.append(weights[-1] + row)
            starts.append(t + 1)
    hypotheses, first = np.array(weights), np.array(starts)
    lives = np.diff(np.append(first, m))
    # The row that ends a life was predicted by it, so the last one may have predicted none.
    mean_risk = online_to_batch(len(weights) - 1, m, delta)
    selected = _selected(hypotheses, first, rows, float(delta))
    return OnePass(
        len(weights) - 1,
        hypotheses,
        first,
        lives,
        mean_risk,
        Halfspace(hypotheses[selected, :-1], float(hypotheses[selected, -1])),
        online_to_batch(len(weights) - 1, m, delta, selected=True),
    )


def _selected(
    hypotheses: NDArray[np.float64], starts: NDArray[np.int64], rows: NDArray[np.float64], delta: float
) -> int:
    m = len(rows)
    best, chosen = math.inf, 0
    for place, (weights, start) in enumerate(zip(hypotheses, starts.tolist(), strict=True)):
        left = m - start
        if not left:
            continue
        errors = int(np.count_nonzero(~(rows[start:] @ weights > 0)))
        charge = errors / left + math.sqrt(math.log(m * (m + 1) / delta) / (2 * left))
        if charge < best:
            best, chosen = charge, place
    return chosen
