"""Learning from an unending stream: predict, see the truth, update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.online.classifier import OnlineClassifier
from separatrix.algorithms.online.learner import Learner, length_of
from separatrix.rows import Csr, DataError
from separatrix.rows.block import read_only


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
    seer: Seer | None = None
    mistakes = 0
    for number, (row, label) in enumerate(pairs):
        truth = label.item() if hasattr(label, "item") else label
        x = row if type(row) is np.ndarray and row.ndim == 1 and row.dtype == np.float64 else _numbers(row)
        if seer is None:
            seer = Seer(model, _begin(model, row, truth, classes))
            codes = {known: code for code, known in enumerate(model.classes_.tolist())}
            labels = list(model.classes_)
            width = model.n_features_in_
        code = codes.get(truth, -1)
        if code < 0 or x.shape[-1] != width:
            _refuse(model, number, row, label, code)
        scores = seer.scores(x)
        if not all(map(isfinite, scores)):
            _refuse(model, number, row, label, code)
        chosen, wrong = seer.see(x, code, scores)
        mistakes += wrong
        yield Seen(labels[chosen], label, wrong, mistakes)


class Seer:
    """The learners of a model at work on one row after the other."""

    def __init__(self, model: OnlineClassifier, learners: dict[int, Learner]) -> None:
        self.model = model
        self.learners = learners
        self.binary = len(learners) == 1
        self._signs = (np.array([-1], np.int8), np.array([1], np.int8))
        self._visit = np.zeros(1, np.int32)
        self._doubt = 4 * (model.n_features_in_ + 4) * 2.0**-53
        self._begun = False
        only = next(iter(learners.values()))
        self._learner = only
        self._by_itself = self.binary and only.predicts_itself
        self._waits = self._by_itself and only.moves_at_mistakes_only
        self._keep()

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


def _refuse(model: OnlineClassifier, number: int, row: Any, label: Any, code: int) -> None:
    if code < 0:
        raise DataError(
            f"Pair {number} has the label {label!r}, which is not one of {model.classes_.tolist()}."
        )
    if _width(row) != model.n_features_in_:
        raise DataError(f"Pair {number} has {_width(row)} numbers, but the first had {model.n_features_in_}.")
    if not np.isfinite(row.data if hasattr(row, "tocsr") else np.asarray(row, float)).all():
        raise DataError(f"Pair {number} holds NaN or infinity: leave such rows out of the stream.")


def _begin(model: OnlineClassifier, row: Any, truth: Any, classes: Any) -> dict[int, Learner]:
    if not isinstance(model, OnlineClassifier):
        raise TypeError(
            f"{type(model).__name__} does not learn row by row; sx.stream takes the online perceptrons."
        )
    if not hasattr(model, "classes_"):
        model._check_parameters()
        if model.center:
            raise ValueError(
                "center=True needs all rows at once: leave it off for rows that come one by one."
            )
        model.classes_ = np.unique(np.asarray(classes)) if classes is not None else _usual(truth)
        model.n_features_in_ = _width(row)
    return model._online_learners()


def _usual(truth: Any) -> np.ndarray:
    """The pair of labels that the first one belongs to, if there is no doubt."""
    if isinstance(truth, bool):
        return np.array([False, True])
    if truth in (0, -1):
        return np.array([truth, 1])
    raise DataError(
        f"The first label is {truth!r}: say which labels there are (classes=[...]), since the stream cannot "
        "be read ahead."
    )


def _width(row: Any) -> int:
    return int(row.shape[-1]) if hasattr(row, "shape") else len(row)


def _numbers(row: Any) -> Any:
    """A row as an array of doubles, or sparse as it is."""
    if hasattr(row, "tocsr"):
        return row.tocsr()
    values = np.array(row, dtype=np.float64)
    if values.ndim != 1 and values.shape[:-1] != (1,):
        raise DataError(f"A pair of the stream holds an array of shape {values.shape}: one row is needed.")
    return values.ravel()


def _one_row(x: Any) -> Any:
    """A row as a block of one."""
    if hasattr(x, "tocsr"):
        values = np.asarray(x.data, np.float64)
        return Csr(read_only(values), x.indices.astype(np.int32), x.indptr.astype(np.int64))
    return read_only(np.ascontiguousarray(x).reshape(1, -1))
