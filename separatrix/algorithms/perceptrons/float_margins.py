"""Margins s·w·(x, constant) in floats: to choose among weights or rows by, not to prove with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.perceptrons.measured_margins import euclidean_norm
from separatrix.fitting.exact_errors import ErrorCount, join_counts
from separatrix.rows import Block, Rows


def compute_min_margin(rows: Rows, positive: int, weights: np.ndarray, constant: float) -> float:
    """min s·w·(x, constant)/‖w‖."""
    return count_errors_in_floats(rows, positive, weights, constant).min_margin / (
        euclidean_norm(weights) or 1.0
    )


def count_errors_in_floats(rows: Rows, positive: int, weights: np.ndarray, constant: float) -> ErrorCount:
    """Errors and the smallest s·score."""
    return join_counts(rows.in_large_blocks().each(FloatErrors(positive, weights, constant)))


def count_candidate_errors(
    rows: Rows, positive: int, candidates: Sequence[np.ndarray], constant: float
) -> tuple[int, ...]:
    """Rows with s·score ≤ 0 for each candidate."""
    return rows.in_large_blocks().sum(CandidateErrors(positive, tuple(candidates), constant))


def find_violator(
    rows: Rows, positive: int, weights: np.ndarray, constant: float, order: str
) -> Block | None:
    """The first or the worst row with s·score ≤ 0 (ties: the first), as a block, or None."""
    term = BlockViolator(positive, weights, constant, is_first=order == "first")
    found = rows.each(term, parallel_blas=True)  # to hold BLAS back, which it does not use, would take time
    violators = (violator for violator in found if violator is not None)
    if order == "first":
        violator = next(violators, None)
    else:
        violator = min(violators, key=lambda each: each.margin, default=None)
    return None if violator is None else violator.row


class Violator(NamedTuple):
    """A row with s·score ≤ 0."""

    margin: float
    row: Block


@dataclass(frozen=True)
class FloatErrors:
    """Rows of a block with s·score ≤ 0, and the smallest s·score."""

    positive: int
    weights: np.ndarray
    constant: float

    def __call__(self, block: Block) -> ErrorCount:
        margins = _compute_margins(block, self.positive, self.weights, self.constant)
        return ErrorCount(int(np.count_nonzero(~(margins > 0.0))), float(margins.min()))


@dataclass(frozen=True)
class CandidateErrors:
    """Rows of a block with s·score ≤ 0, for each of several weights."""

    positive: int
    candidates: tuple[np.ndarray, ...]
    constant: float

    def __call__(self, block: Block) -> tuple[int, ...]:
        every = (_compute_margins(block, self.positive, w, self.constant) for w in self.candidates)
        return tuple(int(np.count_nonzero(~(margins > 0.0))) for margins in every)


@dataclass(frozen=True)
class BlockViolator:
    """The first row of a block with s·score ≤ 0, or the one with the smallest s·score; None if there is
    none."""

    positive: int
    weights: np.ndarray
    constant: float
    is_first: bool

    def __call__(self, block: Block) -> Violator | None:
        margins = _compute_margins(block, self.positive, self.weights, self.constant)
        # NaN, as scores that overflow may be, is the least of all, and wrong.
        place = int(np.argmax(~(margins > 0.0)) if self.is_first else np.argmin(margins))
        margin = float(margins[place])
        return None if margin > 0.0 else Violator(margin, block.part(place, place + 1))


def _compute_margins(block: Block, positive: int, weights: np.ndarray, constant: float) -> np.ndarray:
    from separatrix.kernels.scores import scores

    margins = np.empty(len(block))
    scores(block.X, constant, weights, margins)
    margins *= block.signs(positive)
    return margins
