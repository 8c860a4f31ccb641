"""Learning from an unending stream: predict, see the truth, update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.online.classifier import OnlineClassifier
from separatrix.algorithms.online.learner import Learner
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
    learners: dict[int, Learner] = {}
    sides = np.array([[-1], [1]], np.int8)
    visit = np.zeros(1, np.int32)
    mistakes = 0
    for number, (row, label) in enumerate(pairs):
        truth = label.item() if hasattr(label, "item") else label
        X = _one_row(row)
        if not learners:
            learners = _begin(model, row, truth, classes)
            codes = {known: k for k, known in enumerate(model.classes_.tolist())}
        code = codes.get(truth)
        if code is None or _width(row) != model.n_features_in_:
            _refuse(model, number, row, label, code)
        scores = [learner.score(X) for learner in learners.values()]
        if not all(map(isfinite, scores)):
            _refuse(model, number, row, label, code)
        binary = len(scores) == 1
        chosen = int(scores[0] > 0) if binary else int(np.argmax(scores))
        before = sum(learner.mistakes for learner in learners.values())
        moved = number == 0
        for positive, learner in learners.items():
            moved |= learner.see(X, sides[int(code == positive)], visit, -1) > 0 or learner.always_moves
        if moved:
            model._keep_online()
        if not binary:
            wrong = chosen != code
        elif learner.predicts_itself:  # one judgement of a row, not two sums that may round apart
            wrong = learner.mistakes > before
        else:
            wrong = not (scores[0] if code else -scores[0]) > 0
        mistakes += wrong
        yield Seen(model.classes_[chosen], label, wrong, mistakes)


def _refuse(model: OnlineClassifier, number: int, row: Any, label: Any, code: int | None) -> None:
    if code is None:
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


def _one_row(row: Any) -> Any:
    if hasattr(row, "tocsr"):
        sparse = row.tocsr()
        values = np.asarray(sparse.data, np.float64)
        return Csr(read_only(values), sparse.indices.astype(np.int32), sparse.indptr.astype(np.int64))
    return read_only(np.array(row, dtype=np.float64).reshape(1, -1))
