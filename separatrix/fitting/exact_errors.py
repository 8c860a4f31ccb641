"""What a fit may claim about its weights: counted exactly, then put on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import About
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import Block, Rows


class ErrorCount(NamedTuple):
    """Errors (rows with s·score ≤ 0, exact) and the smallest s·score (a float) of some weights."""

    errors: int
    min_margin: float


def about(rows: Rows, positive: int) -> About:
    """Which data a certificate speaks of, and which class is +1 in it."""
    assert rows.classes is not None
    return About(
        rows=rows.n_rows,
        columns=rows.n_columns,
        positive=rows.classes[positive],
        label=rows.label,
        features=rows.columns,
    )


def count_errors(rows: Rows, positive: int, numbers: Any, intercept: Any) -> ErrorCount:
    """Count the errors of a halfspace in exact arithmetic: one pass, in blocks.

    Doubles are compared by a compiled scan with a proven error bound (`separatrix.kernels.certain_signs`),
    and only the rows that it leaves in doubt in exact arithmetic; whole numbers in exact arithmetic
    throughout.
    """
    return count_errors_by_class(rows, {positive: (numbers, intercept)})[positive]


def count_errors_by_class(rows: Rows, halfspaces: Mapping[int, tuple[Any, Any]]) -> dict[int, ErrorCount]:
    """`count_errors` of the halfspaces of several classes, by the code of the class, in one pass for all."""
    if not halfspaces:
        return {}
    counters = {
        positive: ExactCounter(numbers, 0.0 if intercept is None else intercept)
        for positive, (numbers, intercept) in halfspaces.items()
    }
    counted = zip(*rows.in_large_blocks().each(ExactCounts(counters)), strict=True)
    return dict(zip(counters, map(join_counts, counted), strict=True))


def join_counts(counts: Iterable[ErrorCount]) -> ErrorCount:
    """The errors of several blocks, and their smallest score; NaN if there is one."""
    errors, min_margins = zip(*counts, strict=True)
    return ErrorCount(sum(errors), float(np.min(min_margins)))


@dataclass(frozen=True)
class ExactCounts:
    """The errors of several halfspaces among the rows of a block, by the code of the class."""

    counters: Mapping[int, ExactCounter]

    def __call__(self, block: Block) -> list[ErrorCount]:
        return [counter.count_in(block, positive) for positive, counter in self.counters.items()]


def count_errors_among(
    rows: Rows, positive: int, weights: np.ndarray, doubtful: np.ndarray, lowest: float
) -> ErrorCount:
    """The error count of rows in memory of which all but the ``doubtful`` are known to be right by
    ``lowest`` or more."""
    if not len(doubtful):
        return ErrorCount(0, lowest)
    doubtful_rows = rows.take(np.sort(doubtful)).whole()
    counter = ExactCounter(weights[:-1], weights[-1])
    errors, min_margin = counter.errors_among(
        doubtful_rows, doubtful_rows.signs(positive), np.arange(len(doubtful_rows))
    )
    return ErrorCount(errors, min(lowest, min_margin))


class ExactCounter:
    """A halfspace for rows that floats leave in doubt; made ready when the first such row comes."""

    def __init__(self, numbers: Any, intercept: Any) -> None:
        self._numbers = numbers
        self._intercept = intercept

    @cached_property
    def weights(self) -> np.ndarray:
        return np.append(self._numbers, self._intercept)

    @cached_property
    def margins(self) -> Margins:
        numbers = self._numbers.tolist() if isinstance(self._numbers, np.ndarray) else self._numbers
        bias = float(self._intercept) if isinstance(self._intercept, np.floating) else self._intercept
        return Margins(tuple(numbers), bias)

    def count_in(self, block: Block, positive: int) -> ErrorCount:
        """Of the rows of a block."""
        from separatrix.kernels.certain_signs import certain_signs

        signs = block.signs(positive)
        if not (isinstance(self._numbers, np.ndarray) and self._numbers.dtype == np.float64):
            return ErrorCount(*self.margins.count_errors(block.matrix(), signs, block.start))
        doubtful = np.empty(len(block), np.int32)
        n_doubtful, n_wrong, certain_lowest = certain_signs(block.X, signs, self.weights, doubtful)
        errors, lowest = self.errors_among(block, signs, doubtful[:n_doubtful])
        return ErrorCount(n_wrong + errors, min(lowest, certain_lowest))

    def errors_among(self, block: Block, signs: np.ndarray, chosen: np.ndarray) -> tuple[int, float]:
        """How many of the chosen rows of a block are wrong, and their least margin."""
        if not len(chosen):
            return 0, np.inf
        if len(chosen) == len(block):
            return self.margins.count_errors(block.matrix(), signs, block.start)
        return self.margins.count_errors(block.matrix()[chosen], signs[chosen], block.start)
