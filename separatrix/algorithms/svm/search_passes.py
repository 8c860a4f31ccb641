"""What a search by working sets asks of every block: margins, and on which side of them each row is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.svm.hinge_kernels import (
    AT_COST,
    AT_ZERO,
    IN_SET,
    compute_margins_and_linear_term,
    compute_margins_and_violations,
)
from separatrix.algorithms.svm.objective import compute_block_costs
from separatrix.rows import Block


class SplitBlock(NamedTuple):
    """The rows of a block split at the margin: the loss of all, the linear term of those at their cost."""

    span: slice
    margins: np.ndarray
    states: np.ndarray
    loss: float
    linear_term: np.ndarray


@dataclass(frozen=True)
class SplitAtMargin:
    """A term: rows with |margin − 1| ≤ ``half_width`` are in the set; α of the others is their cost, or 0.

    ``weights`` are for the rows as given, the intercept last.
    """

    weights: np.ndarray
    half_width: float
    cost: float
    positive: int

    def __call__(self, block: Block) -> SplitBlock:
        margins, linear_term = np.empty(len(block)), np.zeros(block.n_columns + 1)
        lower_limit = 1.0 - self.half_width
        loss = compute_margins_and_linear_term(
            block.X,
            block.signs(self.positive),
            compute_block_costs(block, self.cost),
            self.weights[-1],
            self.weights[:-1],
            lower_limit,
            margins,
            linear_term,
        )
        # The limit as the kernel has it: a row on it must not both pull and be kept.
        states = np.where(margins < lower_limit, AT_COST, AT_ZERO).astype(np.int8)
        states[(margins >= lower_limit) & (margins <= 1.0 + self.half_width)] = IN_SET
        return SplitBlock(block.span, margins, states, loss, linear_term)


class ViolatedBlock(NamedTuple):
    """The rows of a block, marked in ``states`` where they violate their bound: how many these are, the loss
    of all rows, and what the marked ones add to the duality gap."""

    span: slice
    margins: np.ndarray
    states: np.ndarray
    n_violated: int
    loss: float
    excess: float


@dataclass(frozen=True)
class ViolatedBounds:
    """A term: margins, and which of the rows fixed at a bound in ``states`` their margin contradicts."""

    weights: np.ndarray
    states: np.ndarray
    cost: float
    positive: int

    def __call__(self, block: Block) -> ViolatedBlock:
        margins, states = np.empty(len(block)), self.states[block.span].copy()
        n_violated, loss, excess = compute_margins_and_violations(
            block.X,
            block.signs(self.positive),
            compute_block_costs(block, self.cost),
            self.weights[-1],
            self.weights[:-1],
            margins,
            states,
        )
        return ViolatedBlock(block.span, margins, states, n_violated, loss, excess)
