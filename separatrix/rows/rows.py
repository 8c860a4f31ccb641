"""Rows: checked examples and their classes, wherever they are stored.

An algorithm asks for one of six things and never knows where the rows are:

*fold*    pass a state through the blocks, in order or in a random order (online methods);
*each*    one result per block, in order (predictions, residuals);
*sum*     add up what each block contributes (losses, Gram matrices, counts);
*worst*   the k rows that violate a hyperplane most (working sets);
*take*    the rows with given numbers, as rows (conflicts, support vectors);
*sample*  some rows of the whole data, as rows (starting points, scales).

A *term* or a *pick*, what an algorithm hands over to be called with each block, is a small picklable object:
it may run on another thread, or in another process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np

from separatrix.rows.block import Block, joined_blocks
from separatrix.rows.data_errors import DataError
from separatrix.rows.terms import LabelCodes, Picked, RefuseNonfinite, Signs, Targets, Worst
from separatrix.rows.threads import MIN_THREADED_BYTES, map_in_order

if TYPE_CHECKING:
    from separatrix.rows.preparation import Preparation

State = TypeVar("State")
Result = TypeVar("Result")


class Part(Protocol):
    """Rows that lie in one place: a file, an array, a partition."""

    @property
    def name(self) -> str | None: ...

    @property
    def n_rows(self) -> int: ...

    def open(self) -> Iterator[Block]: ...


class Rows(ABC):
    """A sequence of blocks of rows.

    Attributes
    ----------
    n_rows, n_columns : int
    dtype : numpy.dtype
        float32 or float64: the type of the values; weights are float64 always.
    is_sparse : bool
        Whether the blocks hold compressed sparse rows.
    in_memory : bool
    is_contiguous : bool
        Whether the rows are one C-ordered array in memory, which blocks are views of.
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
        How often each row counts; None: once. See `weighted`.
    preparation : Preparation or None
        What was done to the columns of a file before they were these numbers.
    n_jobs : int
        Threads that a request may use.
    known_finite : bool
        Whether no value is NaN or infinite. A reader that refuses such values sets this; other rows are
        checked by the first algorithm that reads them.
    """

    n_rows: int
    n_columns: int
    dtype: np.dtype
    is_sparse: bool = False
    in_memory: bool = False
    is_contiguous: bool = False
    classes: np.ndarray | None = None
    has_targets: bool = False
    columns: tuple[str, ...] | None = None
    label: str | None = None
    name: str | None = None
    weights: np.ndarray | None = None
    preparation: Preparation | None = None
    n_jobs: int = 1
    known_finite: bool = False
    _kept_blocks: list[Block] | None = None  # by rows in memory, whose blocks are views

    @abstractmethod
    def open(self) -> Iterator[Block]:
        """The blocks in row order, from the first; may be called again."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The places in which the rows lie, in order."""
        return (self,)

    def blocks(self) -> Iterator[Block]:
        """The blocks in row order, with their row weights."""
        for block in self.open():
            weighted = self.weights is not None and block.weights is None
            yield block.weighted(self.weights[block.span]) if weighted else block  # type: ignore[index]

    @property
    def array(self) -> np.ndarray | None:
        """The dense array in memory that holds the rows, in any layout; None where they are not in one."""
        return None

    @property
    def n_stored(self) -> int:
        """How many values are stored: of sparse rows, those that are not left out."""
        return self.n_rows * self.n_columns

    @property
    def n_bytes(self) -> int:
        return self.n_stored * self.dtype.itemsize

    @property
    def mass(self) -> float:
        """The sum of the row weights."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        labels = "unlabelled" if self.classes is None else f"{len(self.classes)} classes"
        labels = "real targets" if self.has_targets else labels
        where = f" from {self.name}" if self.name else ""
        return f"<{type(self).__name__}: {self.n_rows} x {self.n_columns} {self.dtype}, {labels}{where}>"

    def fold(
        self,
        step: Callable[[State, Block], State],
        state: State,
        order: np.random.RandomState | None = None,
        *,
        repeated: bool = False,
    ) -> State:
        """Pass ``state`` through the blocks: in order, or in an order chosen by ``order``.

        Such an order visits short blocks of rows in memory, each once, or, when ``repeated``, as many chosen
        with replacement. A file is read in its own order. ``step`` shuffles the rows inside a block.
        """
        blocks = self.blocks() if order is None else self._blocks_at_random(order, repeated=repeated)
        for block in blocks:
            state = step(state, block)
        return state

    def each(self, term: Callable[[Block], Result], *, parallel_blas: bool = False) -> Iterator[Result]:
        """``term(block)`` of every block, in block order, on ``n_jobs`` threads where that pays.

        BLAS runs on one thread meanwhile, unless ``parallel_blas``.
        """
        if self.n_bytes < MIN_THREADED_BYTES:
            return map(term, self.blocks())
        return map_in_order(term, self.blocks(), self.n_jobs, parallel_blas=parallel_blas)

    def sum(
        self, term: Callable[[Block], tuple[Any, ...]], *, parallel_blas: bool = False
    ) -> tuple[Any, ...]:
        """Add ``term(block)`` over all blocks, in block order: the same bits for any number of threads."""
        total: tuple[Any, ...] | None = None
        for part in self.each(term, parallel_blas=parallel_blas):
            total = part if total is None else tuple(a + b for a, b in zip(total, part, strict=True))
        if total is None:
            raise DataError("There are no rows to add up.")
        return total

    def worst(self, pick: Callable[[Block], tuple[Any, ...]], k: int) -> Worst:
        """The ``k`` rows with the smallest margins, ties by row index.

        ``pick(block)`` returns at most ``k`` places in the block, their margins, and perhaps a note.
        """
        found = list(self.each(Picked(pick)))
        notes = tuple(note for _, note in found if note is not None)
        parts = [part for part, _ in found if len(part.indices)]
        if not parts:
            nothing = np.empty(0)
            return Worst(nothing.astype(np.int64), nothing, np.empty((0, self.n_columns)), None, notes)
        indices = np.concatenate([part.indices for part in parts])
        margins = np.concatenate([part.margins for part in parts])
        order = np.lexsort((indices, margins))[:k]
        codes = None if parts[0].codes is None else np.concatenate([part.codes for part in parts])[order]
        X = np.concatenate([part.X for part in parts])[order]
        return Worst(indices[order], margins[order], X, codes, notes)

    def take(self, indices: np.ndarray) -> Rows:
        """The rows with these numbers, one at least, in memory and in this order."""
        from separatrix.rows.memory import rows_of_block

        numbers = np.unique(indices)
        found: list[Block] = []
        for block in self.blocks():
            here = numbers[np.searchsorted(numbers, block.start) : np.searchsorted(numbers, block.stop)]
            if len(here):
                found.append(block.at(here - block.start))
            if block.stop > numbers[-1]:
                break
        ascending = joined_blocks(found)
        if len(numbers) != len(indices) or (numbers != indices).any():
            ascending = ascending.at(np.searchsorted(numbers, indices))
        return rows_of_block(ascending, self)

    def sample(self, k: int, seed: int | None = None) -> Rows:
        """At most ``k`` rows of the whole data, in memory: chosen by ``seed``, or evenly spaced."""
        return self.take(self._sampled_numbers(k, seed))

    def preview(self, k: int) -> Rows:
        """At most ``k`` rows without a pass over a file: its first ones; of rows in memory a `sample`."""
        return self.sample(k) if self.in_memory else self.take(np.arange(min(k, self.n_rows)))

    def preview_mean(self, k: int) -> np.ndarray:
        """The mean of `preview`, in float64."""
        return self.preview(k).whole().mean()

    def whole(self) -> Block:
        """All rows as one block."""
        return joined_blocks(list(self.blocks()))

    def label_codes(self) -> np.ndarray:
        """The place of every row's label among the classes."""
        return np.concatenate(list(self.each(LabelCodes())))

    def signs(self, positive: int) -> np.ndarray:
        """+1 for the rows of class ``positive``, -1 for all others."""
        return np.concatenate(list(self.each(Signs(positive))))

    def all_targets(self) -> np.ndarray:
        """The real numbers to predict."""
        return np.concatenate(list(self.each(Targets())))

    # Views: the same rows, seen otherwise. Nothing is copied.

    def with_codes(self, places: np.ndarray, classes: np.ndarray) -> Rows:
        """Rows whose class ``k`` is class ``places[k]`` of ``classes``."""
        from separatrix.rows.views.recoded import RecodedRows

        return RecodedRows(self, places, classes)

    def recoded(self, classes: np.ndarray) -> Rows:
        """Rows whose codes are places among ``classes``; any other label is refused."""
        from separatrix.rows.views.recoded import recoded

        return recoded(self, classes)

    def centred(self, centre: np.ndarray) -> Rows:
        """Rows x − c, in float64."""
        from separatrix.rows.views.centred import CentredRows

        return CentredRows(self, centre)

    def scaled(self, exponent: int) -> Rows:
        """Rows 2^k·x, in float64."""
        from separatrix.rows.views.scaled import ScaledRows

        return ScaledRows(self, exponent)

    def checked(self) -> Rows:
        """Rows that refuse a block with a NaN or an infinity when they come to it."""
        from separatrix.rows.views.checked import CheckedRows

        return self if self.known_finite else CheckedRows(self)

    def named(self, name: str | None, label: str | None) -> Self:
        """Rows of a file called ``name`` whose labels are in the column ``label``."""
        return self._changed(name=name, label=label)

    def weighted(self, weights: np.ndarray | None) -> Self:
        """Rows that count as often as ``weights`` says; None: once each."""
        return self._changed(weights=weights)

    def with_threads(self, n_jobs: int) -> Self:
        """Rows whose requests use up to ``n_jobs`` threads."""
        return self._changed(n_jobs=n_jobs)

    def in_blocks_of(self, n_rows: int) -> Rows:
        """Rows in memory in blocks of ``n_rows``; those of a file as they are."""
        return self

    def in_large_blocks(self) -> Rows:
        """Rows in memory in blocks several times as large, for terms that need no cache."""
        return self

    def _changed(self, **fields: Any) -> Self:
        made = copy(self)
        vars(made).update(fields, _kept_blocks=None)
        return made

    def _describe_like(self, rows: Rows) -> None:
        """Take over what is known of other rows besides their values."""
        self.classes, self.has_targets = rows.classes, rows.has_targets
        self.columns, self.label, self.name = rows.columns, rows.label, rows.name
        self.preparation, self.n_jobs, self.known_finite = rows.preparation, rows.n_jobs, rows.known_finite

    def _sampled_numbers(self, k: int, seed: int | None) -> np.ndarray:
        k = min(k, self.n_rows)
        if seed is None:
            return np.linspace(0, self.n_rows - 1, k).astype(np.int64)
        return np.sort(np.random.default_rng(seed).choice(self.n_rows, k, replace=False))

    def _blocks_at_random(self, order: np.random.RandomState, *, repeated: bool) -> Iterator[Block]:
        # A true shuffle of a large array costs 3 to 7 times the time of a pass; short blocks in random
        # order, shuffled inside by the caller, cost nothing.
        return self.blocks()

    def require_sound(self) -> None:
        """Refuse arrays that kernels cannot follow, in rows that keep those of their user."""

    def require_finite(self) -> None:
        """Refuse the first NaN or infinity, by row and column."""
        if not self.known_finite:
            for _ in self.in_large_blocks().each(RefuseNonfinite(self.name, self.columns)):
                pass
            self.known_finite = True

    def require_targets(self) -> None:
        """Refuse rows that carry no real numbers to predict."""
        if not self.has_targets:
            raise DataError(
                "These rows carry no real targets: pass y, or read the file with regression=True."
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
