"""What a fit may claim about its weights: counted exactly, then put on record."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import About, Separable
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import Block, Csr, Rows
from separatrix.rows.memory import MemoryRows


class ErrorCount(NamedTuple):
    """Errors (rows with s·score ≤ 0, exact) and the smallest s·score (a float) of some weights."""

    errors: int
    min_margin: float


def about(rows: Rows, positive: int) -> About:
    """Which data a certificate speaks of, and which class is +1 in it."""
    assert rows.classes is not None
    label = rows.classes[positive]
    return About(
        rows=rows.n_rows,
        columns=rows.n_columns,
        positive=label.item() if hasattr(label, "item") else label,
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
    min_margins = []

    def count_in(block: Block) -> tuple[int, ...]:
        found = [counter.count_in(block, positive, rows.n_columns) for positive, counter in counters.items()]
        min_margins.append([count.min_margin for count in found])
        return tuple(count.errors for count in found)

    counted = zip(rows.count(count_in), np.min(min_margins, axis=0).tolist(), strict=True)
    return {positive: ErrorCount(*both) for positive, both in zip(counters, counted, strict=True)}


def count_errors_among(
    rows: Rows, positive: int, weights: np.ndarray, doubtful: np.ndarray, lowest: float
) -> ErrorCount:
    """The error count of rows in memory of which all but the ``doubtful`` are known to be right by
    ``lowest`` or more."""
    assert isinstance(rows, MemoryRows)
    if not len(doubtful):
        return ErrorCount(0, lowest)
    doubtful_rows = rows.take(np.sort(doubtful))
    counter = ExactCounter(weights[:-1], weights[-1])
    errors, min_margin = counter.errors_among(
        doubtful_rows, doubtful_rows.signs(positive), np.arange(len(doubtful_rows)), rows.n_columns
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

    def count_in(self, block: Block, positive: int, n_columns: int) -> ErrorCount:
        """Of the rows of a block."""
        from separatrix.kernels.certain_signs import LOWEST, WRONG, certain_signs

        signs = block.signs(positive)
        if not (isinstance(self._numbers, np.ndarray) and self._numbers.dtype == np.float64):
            return ErrorCount(*self.margins.count_errors(matrix(block, n_columns), signs, block.start))
        doubtful, found = np.empty(len(block), np.int32), np.array([np.inf, 0.0])
        n = certain_signs(block.X, signs, self.weights, doubtful, found)
        errors, lowest = self.errors_among(block, signs, doubtful[:n], n_columns)
        return ErrorCount(int(found[WRONG]) + errors, min(lowest, float(found[LOWEST])))

    def errors_among(
        self, block: Block, signs: np.ndarray, chosen: np.ndarray, n_columns: int
    ) -> tuple[int, float]:
        """How many of the chosen rows of a block are wrong, and their least margin."""
        if not len(chosen):
            return 0, np.inf
        if len(chosen) == len(block):
            return self.margins.count_errors(matrix(block, n_columns), signs, block.start)
        return self.margins.count_errors(matrix(block, n_columns)[chosen], signs[chosen], block.start)


def matrix(block: Block, n_columns: int) -> Any:
    """A block as NumPy or SciPy has it."""
    X = block.X
    if not isinstance(X, Csr):
        return X
    from scipy.sparse import csr_array

    # Both index arrays of one type, or SciPy copies the longer one.
    return csr_array((X.data, X.indices, X.indptr.astype(np.int32)), shape=(len(block), n_columns))


def make_separable(rows: Rows, positive: int, weights: np.ndarray, *, intercept: bool) -> Separable:
    """The certificate for weights that `count_errors` found to make no error."""
    bias = float(weights[-1]) if intercept else None
    witness: Any = weights[:-1]  # the record makes a tuple of it
    return Separable(weights=witness, intercept=bias, about=about(rows, positive)).bound_to(rows)
