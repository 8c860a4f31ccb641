"""Rows: checked examples and their classes, seen as a sequence of blocks that can be walked again.

An algorithm asks for one of three things and never knows where the rows live:

*fold*   thread a state through the blocks in order (any online method);
*sum*    add up what each block contributes (losses, Gram matrices, batch updates);
*worst*  from each block the few rows that violate a hyperplane most (growing active sets).
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from separatrix.rows.block import Block, Csr, joined, taken
from separatrix.rows.data_errors import DataError

if TYPE_CHECKING:
    from separatrix.rows.preparation import Preparation

State = TypeVar("State")
MOST_PER_CORE = 4  # threads
WORTH_THREADS = 5_000_000  # bytes: below this a pool costs more than it saves


class Worst(NamedTuple):
    """The rows with the smallest margins: their indices, margins, values (dense) and class codes."""

    indices: np.ndarray
    margins: np.ndarray
    X: np.ndarray
    codes: np.ndarray | None


class Rows(ABC):
    """A sequence of blocks of rows.

    Attributes
    ----------
    n_rows, n_columns : int
    dtype : numpy.dtype
        float32 or float64: the type of the values; weights are float64 always.
    classes : ndarray or None
        The sorted labels; None when the rows carry no labels.
    has_targets : bool
        Whether the rows carry real numbers to predict, in ``block.targets``, in place of classes.
    columns : tuple of str or None
    label : str or None
        The name of the label column, where there is one.
    name : str or None
        The name of the file, for messages.
    weights : ndarray or None
        How often each row counts, while a method that knows row weights works on them; None: once.
    preparation : Preparation or None
        What was done to the columns of a file before they were these numbers.
    """

    n_rows: int
    n_columns: int
    dtype: np.dtype
    classes: np.ndarray | None = None
    has_targets: bool = False
    columns: tuple[str, ...] | None = None
    label: str | None = None
    name: str | None = None
    weights: np.ndarray | None = None
    preparation: Preparation | None = None
    n_jobs: int = 1
    known_finite: bool = (
        False  # a reader that refuses NaN sets this; algorithms check the others in their first pass
    )

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """The blocks in row order, from the first; may be called again."""

    @property
    def in_memory(self) -> bool:
        return False

    @property
    def n_bytes(self) -> int:
        return self.n_rows * self.n_columns * self.dtype.itemsize

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        labels = "unlabelled" if self.classes is None else f"{len(self.classes)} classes"
        labels = "real targets" if self.has_targets else labels
        where = f" from {self.name}" if self.name else ""
        return f"<{type(self).__name__}: {self.n_rows} x {self.n_columns} {self.dtype}, {labels}{where}>"

    def fold(self, step: Callable[[State, Block], State], state: State, *, large: bool = False) -> State:
        """Thread ``state`` through the blocks in order; ``large`` hands over rows in memory several blocks at
        a time."""
        for block in self._large_blocks() if large else self.blocks():
            state = step(state, block)
        return state

    def sum(self, term: Callable[[Block], tuple[Any, ...]], *, large: bool = False) -> tuple[Any, ...]:
        """Add ``term(block)`` over all blocks, in block order: the same bits for any number of threads.

        ``large`` hands over rows in memory several blocks at a time, for terms that go through them in steps.
        """
        return self._added(self._each_large(term) if large else self._each(term, self.blocks()))

    def count(self, term: Callable[[Block], tuple[int, ...]]) -> tuple[int, ...]:
        """`sum` of whole numbers, which have no rounding to keep: rows in memory come in larger blocks."""
        return self._added(self._each_large(term))

    def _large_blocks(self) -> Iterator[Block]:
        return self.blocks()

    def _each_large(self, work: Callable[[Block], Any]) -> Iterator[Any]:
        return self._each(work, self._large_blocks())

    def _added(self, parts: Iterator[tuple[Any, ...]]) -> tuple[Any, ...]:
        total: tuple[Any, ...] | None = None
        for part in parts:
            total = part if total is None else tuple(a + b for a, b in zip(total, part, strict=True))
        if total is None:
            raise DataError("There are no rows to add up.")
        return total

    def worst(self, pick: Callable[[Block], tuple[np.ndarray, np.ndarray]], k: int) -> Worst:
        """The ``k`` rows with the smallest margins, ties by row index.

        ``pick(block)`` returns at most ``k`` positions in the block and their margins.
        """

        def rows_of(block: Block) -> Worst:
            chosen, margins = pick(block)
            codes = None if block.codes is None else block.codes[chosen]
            return Worst(chosen + block.start, margins, dense_rows(block.X, chosen, self.n_columns), codes)

        parts = [part for part in self._each(rows_of, self.blocks()) if len(part.indices)]
        if not parts:
            empty = np.empty(0)
            return Worst(empty.astype(np.int64), empty, np.empty((0, self.n_columns)), None)
        indices = np.concatenate([p.indices for p in parts])
        margins = np.concatenate([p.margins for p in parts])
        order = np.lexsort((indices, margins))[:k]
        codes = None if parts[0].codes is None else np.concatenate([p.codes for p in parts])[order]
        return Worst(indices[order], margins[order], np.concatenate([p.X for p in parts])[order], codes)

    def take(self, chosen: np.ndarray) -> Block:
        """Some rows, one at least, as a block of their own; their numbers ascend."""
        values: list[Any] = []
        codes: list[Any] = []
        for block in self.blocks():
            here = chosen[np.searchsorted(chosen, block.start) : np.searchsorted(chosen, block.stop)]
            if len(here):
                values.append(taken(block.X, here - block.start))
                codes.append(None if block.codes is None else block.codes[here - block.start])
            if block.stop > chosen[-1]:
                break
        return Block(0, len(chosen), joined(values), None if codes[0] is None else np.concatenate(codes))

    def sample(self, k: int) -> np.ndarray:
        """At most ``k`` rows as a dense array: of the first block, for want of a way to reach the others."""
        block = next(iter(self.blocks()))
        return dense_rows(block.X, np.arange(min(k, len(block))), self.n_columns)

    def sample_mean(self, k: int) -> np.ndarray:
        """The mean of `sample`, in float64; of equal values that value, which a sum over them may miss."""
        some = self.sample(k).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where((some == some[:1]).all(axis=0), some[0], some.mean(axis=0))

    def require_sound(self) -> None:
        """Refuse arrays that kernels cannot follow, in rows that keep those of their user."""

    def require_finite(self) -> None:
        """Refuse the first NaN or infinity, by row and column."""
        if self.known_finite:
            return
        for _ in self.finite_blocks():
            pass
        self.known_finite = True

    def finite_blocks(self) -> Iterator[Block]:
        """The blocks, each looked at for NaN and infinity before it is handed over."""
        for block in self.blocks():
            if not self.known_finite:
                refuse_nonfinite(block, self)
            yield block

    def require_targets(self) -> None:
        """Refuse rows that carry no real numbers to predict."""
        if not self.has_targets:
            raise DataError(
                "These rows carry no real targets: pass y, or read the file with label= and regression=True."
            )

    def require_labels(self) -> np.ndarray:
        """The classes of rows that carry labels."""
        if self.classes is None:
            raise DataError("These rows carry no labels: pass y, or read the file with its label column.")
        return self.classes

    def require_two_classes(self) -> np.ndarray:
        """The classes, if there are two or more."""
        classes = self.require_labels()
        if len(classes) < 2:
            whose = f"The labels of {self.name}" if self.name else "The labels"
            raise DataError(f"{whose} hold one class only ({classes[0]}): a classifier needs at least two.")
        return classes

    def _each(self, work: Callable[[Any], Any], blocks: Iterator[Any]) -> Iterator[Any]:
        if self.n_bytes < WORTH_THREADS:
            yield from map(work, blocks)
            return
        # Blocks run side by side; a BLAS that starts threads of its own inside each is many times slower.
        with blas().limit(limits=1), ThreadPoolExecutor(self.n_jobs) as pool:
            if self.n_jobs == 1:
                yield from map(work, blocks)
                return
            waiting: deque[Future[Any]] = deque()
            for block in blocks:
                waiting.append(pool.submit(work, block))
                if len(waiting) > 2 * self.n_jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


@cache
def blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def jobs(n_jobs: int | None) -> int:
    """scikit-learn's meaning of ``n_jobs``: None is 1, -1 all cores. Never more than four threads per core.

    >>> jobs(None), jobs(2), jobs(10**30) <= 4 * (os.cpu_count() or 1)
    (1, 2, True)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r} has no meaning: use 1 for one thread, -1 for all cores.")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else min(int(n_jobs), MOST_PER_CORE * cores)


def dense_rows(X: np.ndarray | Csr, chosen: np.ndarray, n_columns: int) -> np.ndarray:
    """Some rows of a block as a dense array of their own."""
    if not isinstance(X, Csr):
        return X[chosen]
    out = np.zeros((len(chosen), n_columns), X.data.dtype)
    for place, row in enumerate(chosen):
        span = slice(X.indptr[row], X.indptr[row + 1])
        np.add.at(out[place], X.indices[span], X.data[span])
    return out


def refuse_nonfinite(block: Block, rows: Rows) -> None:
    """Raise, naming row and column, if the block holds a NaN or an infinity."""
    X = block.X
    values = X.data if isinstance(X, Csr) else X
    # A sum is finite only if all its terms are; an overflowing sum is settled by the slower test.
    with np.errstate(over="ignore", invalid="ignore"):
        if values.size == 0 or np.isfinite(values.sum()):
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    if isinstance(X, Csr):
        place = int(np.argmax(bad))
        row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
        value = X.data[place]
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = X[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    title = f"column {column}" if rows.columns is None else f"column {column} ({rows.columns[column]})"
    where = f" of {rows.name}" if rows.name else ""
    raise DataError(
        f"Input X contains {what} at row {block.start + row}, {title}{where}: drop or fill it first."
    )
