"""Learning from an unending stream: predict, see the truth, update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.online.classifier import OnlineClassifier, left_as_it_was, total
from separatrix.algorithms.online.learner import length_of
from separatrix.rows import Csr, DataError, SparseRows
from separatrix.rows.block import read_only
from separatrix.rows.given import refuse_inexact, refuse_text, refuse_wide


class Seen(NamedTuple):
    """One row of a stream: what was predicted, what was true, whether that was a mistake, and how many so
    far.

    A score of exactly 0 is a mistake on either side, as in training.
    """

    prediction: Any
    truth: Any
    mistake: bool
    mistakes: int


def stream(
    model: OnlineClassifier, pairs: Iterable[tuple[Any, Any]], *, classes: Any = None
) -> Iterator[Seen]:
    """Predict each row of ``pairs`` before its label is used, then learn from it.

    A generator: it takes a pair when the next answer is asked for, so the stream may have no end. The model's
    weights are, at every moment, those that `partial_fit` on the same rows would have, bit for bit.

    Parameters
    ----------
    model : an online classifier
        Fresh, or one that has seen rows before.
    pairs : iterable of (row, label)
        A row is a sequence of numbers, or a SciPy sparse row.
    classes : sequence of labels, optional
        All labels there are. Needed for a fresh model, unless labels are booleans or the first one is 0 or -1
        (the other is then 1).

    Examples
    --------
    >>> import itertools, separatrix as sx
    >>> pairs = itertools.cycle([([0.0, 1.0], 1), ([1.0, 0.0], -1)])
    >>> model = sx.Perceptron()
    >>> seen = list(itertools.islice(sx.stream(model, pairs, classes=[-1, 1]), 6))
    >>> [s.mistake for s in seen], model.mistakes_
    ([True, True, False, False, False, False], 2)
    """
    seer = Seer(model, classes)
    for number, pair in enumerate(pairs):
        try:
            seen = seer.seen(pair) if number else seer.first(pair)
        except DataError as refusal:
            raise DataError(f"Pair {number} {refusal}") from None
        yield seen


class Seer:
    """The learners of a model at work on one row after the other."""

    def __init__(self, model: OnlineClassifier, classes: Any) -> None:
        if not isinstance(model, OnlineClassifier):
            raise TypeError(
                f"{type(model).__name__} does not learn row by row; sx.stream takes the online perceptrons."
            )
        if model.center:
            raise ValueError(
                "center=True needs all rows at once: leave it off for rows that come one by one."
            )
        self.model = model
        self.mistakes = 0
        self._classes = model._known_classes(classes)
        self._signs = (np.array([-1], np.int8), np.array([1], np.int8))
        self._visit = np.zeros(1, np.int32)
        self._begun = False

    def first(self, pair: Any) -> Seen:
        """Learn from the first pair; one that is refused leaves the model as it was."""
        with left_as_it_was(self.model):
            self._begin(*_parts(pair))
            return self.seen(pair)

    def _begin(self, row: Any, label: Any) -> None:
        model = self.model
        if not hasattr(model, "classes_"):
            model._check_parameters()
            model.classes_ = _usual(label) if self._classes is None else self._classes
            model.n_features_in_ = _numbers(row)[1]
        self._codes = {known: code for code, known in enumerate(model.classes_.tolist())}
        self._labels = list(model.classes_)
        self._width = model.n_features_in_
        self._doubt = 4 * (self._width + 4) * 2.0**-53
        self.learners = model._online_learners()
        self.binary = len(self.learners) == 1
        only = next(iter(self.learners.values()))
        self._learner = only
        self._by_itself = self.binary and only.predicts_itself
        self._waits = self._by_itself and only.moves_at_mistakes_only
        self._keep()

    def seen(self, pair: Any) -> Seen:
        """Predict a row, look at its label, learn."""
        row, label = _parts(pair)
        plain = type(row) is np.ndarray and row.ndim == 1 and row.dtype == np.float64
        x, width = (row, len(row)) if plain else _numbers(row)
        if width != self._width:
            raise DataError(f"has {width} numbers, but there are {self._width} columns.")
        code = self._code(label)
        told_by_score = self._by_itself and type(x) is np.ndarray
        if not (told_by_score or isfinite(total(_values(x)))):
            _refuse_nonfinite(x)
        scores = self.scores(x)
        if told_by_score and not isfinite(scores[0]):
            _refuse_nonfinite(x)
        chosen, wrong = self.see(x, code, scores)
        self.mistakes += wrong
        return Seen(self._labels[chosen], label, wrong, self.mistakes)

    def _code(self, label: Any) -> int:
        try:
            return self._codes[label.item() if hasattr(label, "item") else label]
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"has the label {_shown(label)}, which is not one of {self.model.classes_.tolist()}."
            ) from None

    def scores(self, x: Any) -> list[float]:
        if self._by_itself and type(x) is np.ndarray and x.ndim == 1:
            learner = self._learner
            weights = learner.weights
            return [float(np.vdot(x, weights[:-1]) + weights[-1] * learner.constant)]
        X = _one_row(x)
        return [learner.score(X) for learner in self.learners.values()]

    def see(self, x: Any, code: int, scores: list[float]) -> tuple[int, bool]:
        """Learn from a row: the class that was predicted before, and whether that was wrong."""
        if not self.binary:
            chosen = int(np.argmax(scores))
            self._learn(x, code)
            return chosen, chosen != code
        score = scores[0]
        chosen = int(score > 0)
        margin = score if code else -score
        # Two sums of n terms differ by at most 2 n u Σ|x w|, in whatever order they were added, and that is
        # no more than 2 n u ‖(x, 1)‖ ‖w‖: a larger margin is one for the kernel as well.
        if self._may_wait(x) and margin > self._doubt * sqrt(np.vdot(x, x) + 1.0) * self._norm:
            return chosen, False
        before = self._learner.mistakes
        self._learn(x, code)
        # One judgement of a row where there can be one, not two sums that may round apart.
        return chosen, self._learner.mistakes > before if self._by_itself else not margin > 0

    def _may_wait(self, x: Any) -> bool:
        return self._waits and self._begun and type(x) is np.ndarray

    def _learn(self, x: Any, code: int) -> None:
        X = _one_row(x)
        moved = not self._begun
        for positive, learner in self.learners.items():
            moved |= (
                learner.see(X, self._signs[code == positive], self._visit, -1) > 0 or learner.always_moves
            )
        self._begun = True
        if moved:
            self.model._keep_online()
            self._keep()

    def _keep(self) -> None:
        self._norm = 1.0 + 2.0 * length_of(self._learner.weights)


def _parts(pair: Any) -> tuple[Any, Any]:
    try:
        row, label = pair
    except (TypeError, ValueError):
        raise DataError(f"is {_shown(pair)}: give a row and its label.") from None
    return row, label


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _usual(label: Any) -> np.ndarray:
    """The pair of labels that the first one belongs to, if there is no doubt."""
    truth = label.item() if isinstance(label, np.generic) else label
    if isinstance(truth, bool):
        return np.array([False, True])
    if isinstance(truth, int | float) and truth in (0, -1):
        return np.array([truth, 1])
    raise DataError(
        f"has the label {_shown(label)}: say which labels there are (classes=[...]), since the stream cannot "
        "be read ahead."
    )


def _numbers(row: Any) -> tuple[Any, int]:
    """A row as doubles, dense or sparse, and how many columns it has."""
    try:
        return _sparse_numbers(row) if hasattr(row, "tocsr") else _dense_numbers(row)
    except DataError as refusal:
        raise DataError(f"cannot be used: {refusal}") from None
    except (TypeError, ValueError, IndexError):
        raise DataError(f"has the row {_shown(row)}: it has to be a sequence of numbers.") from None


def _dense_numbers(row: Any) -> tuple[np.ndarray, int]:
    given = np.asarray(row)
    refuse_inexact([row])
    refuse_wide(given)
    refuse_text(given.reshape(1, -1) if given.dtype.kind == "c" else given)
    _require_one(given.shape)
    values = given.astype(np.float64).ravel()
    return values, len(values)


def _sparse_numbers(row: Any) -> tuple[Csr, int]:
    refuse_inexact(row)
    matrix = row.reshape(1, -1).tocsr() if row.ndim == 1 else row.tocsr()
    _require_one(matrix.shape)
    if matrix.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers.")
    rows = SparseRows(matrix.astype(np.float64))
    return rows.block(0, 1).X, rows.n_columns


def _require_one(shape: tuple[int, ...]) -> None:
    if not shape or 0 in shape or shape[:-1] not in ((), (1,)):
        raise DataError(f"one row is needed, and this is an array of shape {shape}.")


def _refuse_nonfinite(x: Any) -> None:
    if not np.isfinite(_values(x)).all():
        raise DataError("holds NaN or infinity: leave such rows out of the stream.")


def _values(x: Any) -> np.ndarray:
    return x.data if isinstance(x, Csr) else x


def _one_row(x: Any) -> Any:
    """A row as a block of one."""
    return x if isinstance(x, Csr) else read_only(np.ascontiguousarray(x).reshape(1, -1))
