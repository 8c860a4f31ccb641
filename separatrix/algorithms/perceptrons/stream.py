"""Learning from an unending stream: predict, see the truth, update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner, linear_score, split_values
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.fitting.rollback import restored_on_error
from separatrix.messages import Message, Parameter
from separatrix.rows import Csr, DataError, SparseRows
from separatrix.rows.block import all_finite, read_only
from separatrix.rows.conversion import refuse_inexact, refuse_inexact_array, refuse_text

DOUBLE = np.dtype(np.float64)


class StreamedRow(NamedTuple):
    """One row of a stream: what was predicted, what was true, whether that was a mistake, and how many so
    far.

    A score of exactly 0 is a mistake on either side, as in training.
    """

    prediction: Any
    truth: Any
    mistake: bool
    mistakes: int


def stream(
    model: MistakeDriven, pairs: Iterable[tuple[Any, Any]], *, classes: Any = None
) -> Iterator[StreamedRow]:
    """Predict each row of ``pairs`` before its label is used, then learn from it.

    A generator: it takes a pair when the next answer is asked for, so the stream may have no end. The model's
    weights are, at every moment, those that `partial_fit` on the same rows would have, bit for bit;
    `partial_fit` says when those of a fit are the same.

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
    learner = StreamLearner(model, classes)
    for number, pair in enumerate(pairs):
        try:
            result = learner.learn(pair) if number else learner.learn_first(pair)
        except DataError as error:
            raise DataError(f"Pair {number} {error}") from None
        yield result


class StreamLearner:
    """The learners of a model at work on one row after the other."""

    def __init__(self, model: MistakeDriven, classes: Any) -> None:
        if not (isinstance(model, MistakeDriven) and model._learner_class.learns_row_by_row):
            raise TypeError(
                f"{type(model).__name__} does not learn row by row; sx.stream takes the online perceptrons."
            )
        if model.center:
            raise ValueError(
                Message(
                    "{} needs all rows at once; centre the rows before you stream them.",
                    Parameter("center", True),
                )
            )
        self.model = model
        self.mistakes = 0
        self._classes = model._known_classes(classes)

    def learn_first(self, pair: Any) -> StreamedRow:
        """Learn from the first pair; one that is refused leaves the model as it was."""
        with restored_on_error(self.model):
            self._begin_stream(*_split_pair(pair))
            return self.learn(pair)

    def _begin_stream(self, row: Any, label: Any) -> None:
        model = self.model
        if not hasattr(model, "classes_"):
            model._check()
            model.classes_ = _infer_classes(label) if self._classes is None else self._classes
            model.n_features_in_ = _to_block(row)[1]
        model._update_hyperparameters()
        self._load_learners()

    def _load_learners(self) -> None:
        """Know the learners of the model, which are others after a fit."""
        model = self.model
        self._codes = {known: code for code, known in enumerate(model.classes_.tolist())}
        self._labels = list(model.classes_)
        self._n_columns = model.n_features_in_
        self._online = model._online_run()
        only, *others = self._online.learners.values()
        self._only_learner = only if not others and only.is_predicting_with_weights else None
        model._publish_online()

    def learn(self, pair: Any) -> StreamedRow:
        """Predict a row, look at its label, learn."""
        row, label = _split_pair(pair)
        self.model._update_hyperparameters()
        if self.model._online is not self._online:
            self._load_learners()
        is_plain_row = type(row) is np.ndarray and row.dtype is DOUBLE and row.ndim == 1
        X, width = (_as_block(row), len(row)) if is_plain_row else _to_block(row)
        if width != self._n_columns:
            raise DataError(f"has {width} numbers, but there are {self._n_columns} columns.")
        code = self._encode_label(label)
        is_idle = self._online.is_idle(self.model, X, code)
        predicted, is_mistake = (code, False) if is_idle else self._learn_row(X, code)
        self.mistakes += is_mistake
        return StreamedRow(self._labels[predicted], label, is_mistake, self.mistakes)

    def _encode_label(self, label: Any) -> int:
        try:
            return self._codes[label]
        except (KeyError, TypeError):
            pass
        try:
            return self._codes[label.item()]
        except (AttributeError, KeyError, TypeError, ValueError):
            raise DataError(
                f"has the label {_abbreviate(label)}, which is not one of {self.model.classes_.tolist()}."
            ) from None

    def _learn_row(self, X: Any, code: int) -> tuple[int, bool]:
        """Learn from a row: the class that was predicted before, and whether that was wrong."""
        try:
            X = self._online.scaled(X)
        except DataError as error:
            raise DataError(f"cannot be used: {error}") from None
        if self._only_learner is not None:
            return self._learn_binary(self._only_learner, X, code)
        _refuse_nonfinite(X)
        scores = [learner.score(X) for learner in self._online.learners.values()]
        self.model._learn_rows(X, (code,))
        if len(scores) > 1:
            predicted = int(np.argmax(scores))
            return predicted, predicted != code
        return int(scores[0] > 0), not (scores[0] if code else -scores[0]) > 0

    def _learn_binary(self, learner: Learner, X: Any, code: int) -> tuple[int, bool]:
        """The same by the weights that learn: one judgement of a row, not two sums that may round apart."""
        score = linear_score(X, learner.weights, learner.constant)
        if not isfinite(score):
            _refuse_nonfinite(X)
        before = learner.mistakes
        self.model._learn_rows(X, (code,))
        return int(score > 0), learner.mistakes > before


def _split_pair(pair: Any) -> tuple[Any, Any]:
    try:
        row, label = pair
    except (TypeError, ValueError):
        raise DataError(f"is {_abbreviate(pair)}: give a row and its label.") from None
    return row, label


def _abbreviate(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _infer_classes(label: Any) -> np.ndarray:
    """The pair of labels that the first one belongs to, if there is no doubt."""
    truth = label.item() if isinstance(label, np.generic) else label
    if isinstance(truth, bool):
        return np.array([False, True])
    if isinstance(truth, int | float) and truth in (0, -1):
        return np.array([truth, 1])
    raise DataError(
        f"has the label {_abbreviate(label)}: say which labels there are (classes=[...]), since the "
        "stream cannot be read ahead."
    )


def _to_block(row: Any) -> tuple[Any, int]:
    """The values of a block of one row, as doubles, dense or sparse, and how many columns it has."""
    try:
        return _to_sparse_block(row) if hasattr(row, "tocsr") else _to_dense_block(row)
    except DataError as error:
        raise DataError(f"cannot be used: {error}") from None
    except (TypeError, ValueError, IndexError):
        raise DataError(f"has the row {_abbreviate(row)}: it has to be a sequence of numbers.") from None


def _to_dense_block(row: Any) -> tuple[np.ndarray, int]:
    given = np.asarray(row)
    refuse_inexact([row])
    refuse_inexact_array(given)
    refuse_text(given.reshape(1, -1) if given.dtype.kind == "c" else given)
    _require_one_row(given.shape)
    values = given.astype(np.float64).ravel()
    return _as_block(values), len(values)


def _to_sparse_block(row: Any) -> tuple[Csr, int]:
    if getattr(row, "format", "") == "csr" and row.ndim == 2 and _is_sound(row):
        # The general way takes several times as long.
        data, indices = np.ascontiguousarray(row.data), np.ascontiguousarray(row.indices)
        ends = np.array([0, len(data)], np.int64)
        return Csr(read_only(data), read_only(indices), read_only(ends)), row.shape[1]
    refuse_inexact(row)
    matrix = row.reshape(1, -1).tocsr() if row.ndim == 1 else row.tocsr()
    _require_one_row(matrix.shape)
    if matrix.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers.")
    rows = SparseRows(matrix.astype(np.float64))
    return rows.whole().X, rows.n_columns


def _is_sound(row: Any) -> bool:
    """Whether a CSR matrix is one row of doubles at places inside it, in their order."""
    (height, width), data, places = row.shape, row.data, row.indices
    if not (height == 1 and data.dtype is DOUBLE and places.dtype == np.int32 and len(data) == len(places)):
        return False
    if row.indptr.tolist() != [0, len(data)]:
        return False
    return not len(places) or bool(places[0] >= 0 and places[-1] < width and (places[1:] > places[:-1]).all())


def _require_one_row(shape: tuple[int, ...]) -> None:
    if not shape or 0 in shape or shape[:-1] not in ((), (1,)):
        raise DataError(f"one row is needed, and this is an array of shape {shape}.")


def _refuse_nonfinite(X: Any) -> None:
    if not all_finite(split_values(X)[0]):
        raise DataError("holds NaN or infinity: leave such rows out of the stream.")


def _as_block(row: np.ndarray) -> np.ndarray:
    return read_only(np.ascontiguousarray(row)[np.newaxis])
