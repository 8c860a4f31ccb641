"""What `Rows` itself asks of every block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.rows.block import Block
from separatrix.rows.finite import refuse_nonfinite


class Worst(NamedTuple):
    """The rows with the smallest margins: their indices, margins, values (dense) and class codes.

    ``notes`` holds, in block order, what else the pick returned for each block.
    """

    indices: np.ndarray
    margins: np.ndarray
    X: np.ndarray
    codes: np.ndarray | None
    notes: tuple[Any, ...] = ()


@dataclass(frozen=True)
class RefuseNonfinite:
    """Nothing, or an exception that names the first NaN or infinity."""

    name: str | None
    columns: tuple[str, ...] | None

    def __call__(self, block: Block) -> None:
        refuse_nonfinite(block, self.name, self.columns)


@dataclass(frozen=True)
class Picked:
    """Copies of the rows that ``pick`` chooses, and its note."""

    pick: Callable[[Block], tuple[Any, ...]]

    def __call__(self, block: Block) -> tuple[Worst, Any]:
        places, margins, *note = self.pick(block)
        codes = None if block.codes is None else block.codes[places]
        chosen = Worst(places + block.start, margins, block.dense(places), codes)
        return chosen, note[0] if note else None


@dataclass(frozen=True)
class LabelCodes:
    """The codes of a block."""

    def __call__(self, block: Block) -> Any:
        return block.codes


@dataclass(frozen=True)
class Signs:
    """The signs of a block."""

    positive: int

    def __call__(self, block: Block) -> np.ndarray:
        return block.signs(self.positive)


@dataclass(frozen=True)
class Targets:
    """The targets of a block."""

    def __call__(self, block: Block) -> Any:
        return block.targets
