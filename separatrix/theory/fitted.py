"""What theory promises about the risk of a fitted model, all that applies, the best first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from separatrix.algorithms.perceptrons.perceptron import Perceptron
from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.bounds import (
    Bound,
    clopper_pearson,
    compression,
    double_sample,
    leave_one_out,
    rademacher,
    sample_margin,
    stable_compression,
    vapnik_chervonenkis,
    vc_dimension,
)
from separatrix.bounds.arguments import between_zero_and_one
from separatrix.fitting.predicted_scores import SignedScores
from separatrix.rows import Block, Rows, as_rows

_MARGIN_LEVELS = 40
_SEPARABLE = "Every sample from this distribution is separable, so that at most d + 1 rows (d without an \
intercept) are not idle."


class LeftOut(NamedTuple):
    """A bound that does not apply, and why."""

    name: str
    reason: str


class Generalisation(Sequence[Bound]):
    """Bounds on the risk of one model: those with probability 1 - δ first, by value, then those of means.

    Attributes
    ----------
    bounds : tuple of Bound
    left_out : tuple of LeftOut
    errors, m : int
        Training errors among the rows.
    """

    def __init__(self, bounds: list[Bound], left_out: list[LeftOut], errors: int, m: int) -> None:
        self.bounds = tuple(sorted(bounds, key=lambda bound: (bound.delta is None, bound.value)))
        self.left_out = tuple(left_out)
        self.errors, self.m = errors, m

    @property
    def best(self) -> Bound:
        return self.bounds[0]

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, index: Any) -> Any:
        return self.bounds[index]

    def __iter__(self) -> Iterator[Bound]:
        return iter(self.bounds)

    def __str__(self) -> str:
        likely = [bound.delta for bound in self.bounds if bound.delta is not None]
        together = max(0.0, 1 - math.fsum(likely))
        lines = [f"{self.errors} {'error' if self.errors == 1 else 'errors'} on {self.m} training rows"]
        lines += [str(bound) for bound in self.bounds]
        if len(likely) > 1:
            lines.append(f"all {len(likely)} with probability hold together with probability {together:g}")
        lines += [f"not here: {name}: {reason}" for name, reason in self.left_out]
        return "\n".join(lines)

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class _FittedModel:
    """A fitted model and its rows, as the theorems see them."""

    model: Any
    rows: Rows
    delta: float
    wrong: NDArray[np.bool_]
    margins: NDArray[np.float64] | None  # s(w·x + b), for a halfspace
    length: float  # √ of the mean of ‖x‖²

    @property
    def m(self) -> int:
        return len(self.wrong)

    @property
    def errors(self) -> int:
        return int(np.count_nonzero(self.wrong))

    @property
    def intercept(self) -> bool:
        return bool(getattr(self.model, "fit_intercept", np.any(np.asarray(self.model.intercept_) != 0)))

    @property
    def dimension(self) -> int:
        return vc_dimension(self.rows.n_columns, self.intercept)


def generalisation(
    model: Any,
    X: Any,
    y: Any = None,
    delta: SupportsFloat = 0.05,
    *,
    X_test: Any = None,
    y_test: Any = None,
) -> Generalisation:
    """Every bound here that applies to a fitted model, best first, with its assumptions.

    ``X, y`` must be the rows the model was fitted to, and nothing else about it may have been chosen by
    looking at them. Each bound holds with probability 1 - δ by itself: the smallest of k, picked after the
    fact, with probability 1 - kδ. Give held-out rows too: theirs is usually the best bound by far.

    Source: each bound has its own, in `source`.

    Parameters
    ----------
    model : a fitted classifier with two classes
    X, y : its training rows
    delta : between 0 and 1
    X_test, y_test : rows it never saw, optional; labelled `Rows` come without y_test

    Examples
    --------
    >>> import separatrix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1200, 2))
    >>> y = X @ [1.0, 2.0] > 0
    >>> model = sx.MaxMargin().fit(X[:1000], y[:1000])
    >>> promises = generalisation(model, X[:1000], y[:1000], X_test=X[1000:], y_test=y[1000:])
    >>> [(bound.name, round(bound.value, 3)) for bound in promises][:2]
    [('stable compression', 0.014), ('Clopper and Pearson', 0.015)]
    >>> few = generalisation(sx.MaxMargin().fit(X[:30], y[:30]), X[:30], y[:30])
    >>> [bound.name for bound in few if bound.vacuous]
    ['double sample', 'Vapnik and Chervonenkis', 'sample margin']
    """
    (failure,) = between_zero_and_one(delta=delta)
    if not hasattr(model, "classes_") or not hasattr(model, "predict"):
        raise ValueError("generalisation needs a fitted classifier: call fit first")
    bounds: list[Bound] = []
    left_out: list[LeftOut] = []
    if X_test is None:
        left_out.append(LeftOut("Clopper and Pearson", "no held-out rows were given (X_test, y_test)"))
    else:
        if y_test is None and not (isinstance(X_test, Rows) and X_test.classes is not None):
            raise ValueError("X_test needs its labels, y_test")
        missed = _wrong(model, X_test, y_test)
        bounds.append(clopper_pearson(int(missed.sum()), len(missed), failure))
    if len(model.classes_) != 2:
        reason = f"there are {len(model.classes_)} classes, and it is about two"
        missed = _wrong(model, X, y)
        left_out += [LeftOut(name, reason) for name in ("Vapnik and Chervonenkis", "compression", "margins")]
        return Generalisation(bounds, left_out, int(missed.sum()), len(missed))
    fit = _evaluate(model, as_rows(X, None if isinstance(X, Rows) else y), failure)
    for part in (_uniform, _few_rows, _wide_margin):
        part(fit, bounds, left_out)
    left_out.append(
        LeftOut("online to batch", "it is about the hypotheses of a single pass: theory.one_pass has them")
    )
    return Generalisation(bounds, left_out, fit.errors, fit.m)


def _evaluate(model: Any, rows: Rows, delta: float) -> _FittedModel:
    """One walk over the rows, block by block."""
    classes = rows.require_two_classes()
    if not np.array_equal(classes, model.classes_):
        raise ValueError(f"the labels are {list(classes)}, but the model tells {list(model.classes_)} apart")
    missed = np.concatenate(list(rows.each(Missed(model, classes))))
    with np.errstate(over="ignore", invalid="ignore"):
        squares = rows.sum(SquaredLengths())[0]
        found = None
        if hasattr(model, "coef_"):
            margins = SignedScores(1, np.ravel(model.coef_), np.ravel(model.intercept_))
            found = np.concatenate(list(rows.each(margins)))
    return _FittedModel(model, rows, delta, missed, found, math.sqrt(squares / len(missed)))


@dataclass(frozen=True)
class Missed:
    """Which rows of a block a model gets wrong."""

    model: Any
    classes: Any

    def __call__(self, block: Block) -> NDArray[np.bool_]:
        return np.asarray(self.model.predict(block.matrix())) != np.asarray(self.classes)[block.codes]


@dataclass(frozen=True)
class SquaredLengths:
    """Σ ‖x‖² of a block."""

    def __call__(self, block: Block) -> tuple[float]:
        X = block.matrix()
        with np.errstate(over="ignore", invalid="ignore"):
            return (float((X * X).sum()),)


def _wrong(model: Any, X: Any, y: Any) -> NDArray[np.bool_]:
    if isinstance(X, Rows) and X.classes is not None:
        return np.concatenate(list(X.each(Missed(model, X.classes))))
    predicted, truth = np.asarray(model.predict(X)), np.asarray(y)
    if predicted.shape != truth.shape or not truth.size:
        raise ValueError(f"{predicted.size} rows, but {truth.size} labels")
    return predicted != truth


def _uniform(fit: _FittedModel, bounds: list[Bound], left_out: list[LeftOut]) -> None:
    if not hasattr(fit.model, "coef_"):
        left_out.append(LeftOut("Vapnik and Chervonenkis", "the model is no halfspace"))
        return
    if fit.errors == 0:
        bounds.append(double_sample(fit.m, fit.dimension, fit.delta))
    else:
        left_out.append(LeftOut("double sample", f"there are training errors ({fit.errors})"))
    bounds.append(rademacher(fit.errors, fit.m, fit.dimension, fit.delta))
    bounds.append(vapnik_chervonenkis(fit.errors, fit.m, fit.dimension, fit.delta))


def _few_rows(fit: _FittedModel, bounds: list[Bound], left_out: list[LeftOut]) -> None:
    model = fit.model
    record = _record(model)
    if record is not None:
        verdict = record.verify(fit.rows)
        if not verdict.holds:
            raise ValueError(f"X, y must be the rows the model was fitted to: {verdict.reason}")
    if isinstance(model, MaxMargin) and fit.errors == 0:
        kept = np.asarray(model.support_)
        bounds.append(stable_compression(fit.m, fit.dimension, fit.delta))
        mean = leave_one_out(fit.m, min(fit.m, fit.dimension))
        bounds.append(replace(mean, assumptions=(*mean.assumptions, _SEPARABLE)))
    elif isinstance(model, Perceptron) and record is not None:
        kept = np.asarray(record.rows, dtype=np.int64)
        reason = "it needs the mean number of rows with updates over many samples, and this is one"
        left_out.append(LeftOut("leave one out", reason))
    else:
        reason = "which few rows determine the fit is known for MaxMargin without errors and for Perceptron"
        left_out.append(LeftOut("compression", reason))
        return
    others = np.delete(fit.wrong, kept)
    bounds.append(compression(fit.m, len(kept), int(np.count_nonzero(others)), fit.delta))


def _record(model: Any) -> Any:
    """The certificate by which a model can tell its own rows from others."""
    if isinstance(model, MaxMargin):
        return model.certificate_ if hasattr(model.certificate_, "weights") else None
    return getattr(model, "mistake_run_", None) if isinstance(model, Perceptron) else None


def _wide_margin(fit: _FittedModel, bounds: list[Bound], left_out: list[LeftOut]) -> None:
    if fit.margins is None:
        left_out.append(LeftOut("sample margin", "the model is no halfspace"))
        return
    vector = np.append(np.ravel(fit.model.coef_), np.ravel(fit.model.intercept_) if fit.intercept else [])
    with np.errstate(over="ignore"):
        size, length = math.hypot(fit.length, fit.intercept), float(np.linalg.norm(vector))
    if not (0 < size < math.inf and 0 < length < math.inf):
        left_out.append(LeftOut("sample margin", "the weights or the rows are all zero, or overflow"))
        return
    margins = fit.margins / length
    levels = [math.ldexp(1.0, math.frexp(size)[1] - k) for k in range(_MARGIN_LEVELS)]
    # The theorem is for all levels at once, so the best of them may be picked.
    found = [
        sample_margin(fit.m, size, level, int(np.count_nonzero(margins < level)), fit.delta)
        for level in levels
    ]
    bounds.append(min(found, key=float))
