"""How a model does on rows: errors with an exact binomial interval, confusion, AUC, log loss.

On rows that the model has not seen the interval is a statement about its risk: errors on new rows are
binomial, so that no approximation is needed. On the rows of the fit it says nothing, and is left out. The
digest in the model's certificate tells them, however the rows are stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.bounds.held_out import binomial_tail_inverse
from separatrix.certificates import digest_of
from separatrix.reports.formatting import Line, counted, named, number, several, table, wrap_lines
from separatrix.reports.summary import Label
from separatrix.rows import Block, DataError, Rows
from separatrix.rows.memory import Unlabelled

MAX_CLASSES = 12


@dataclass(frozen=True)
class Evaluation:
    """A classifier on rows.

    Attributes
    ----------
    rows, errors : int
        Rows, and those whose prediction is not their label.
    interval : (float, float) or None
        Clopper and Pearson's interval of the risk, which holds with probability ``confidence`` at least if
        the rows are new to the model; None on the rows of the fit.
    confusion : tuple of tuple of int
        A row per label, a column per prediction, in the order of ``classes``.
    auc : float or None
        The probability that a row of the second class has the larger score, ties counting half; None
        with more than two classes, or where a class is absent.
    log_loss : float or None
        The mean of -ln(probability of the label); None where the model gives no probabilities.
    training : bool
        Whether these are the rows of the fit.
    """

    estimator: str
    name: str | None
    rows: int
    errors: int
    interval: tuple[float, float] | None
    confidence: float
    classes: tuple[Label, ...]
    confusion: tuple[tuple[int, ...], ...]
    auc: float | None
    log_loss: float | None
    training: bool = False

    @property
    def error_rate(self) -> float:
        return self.errors / self.rows


@dataclass(frozen=True)
class RegressionEvaluation:
    """A regression on rows: root mean squared error, mean absolute error, R².

    ``training`` tells whether these are the rows of the fit, where that was asked.
    """

    estimator: str
    name: str | None
    rows: int
    root_mean_squared_error: float
    mean_absolute_error: float
    r_squared: float | None
    training: bool = False


def evaluate(
    model: Any, rows: Rows, *, confidence: float = 0.95, codes: np.ndarray | None = None
) -> Evaluation | RegressionEvaluation:
    """How ``model`` does on labelled rows; ``codes`` maps the classes of the rows to those of the model.

    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa", "versicolor")
    >>> model = sx.Perceptron().fit(X[::2], y[::2])
    >>> seen = evaluate(model, sx.as_rows(X[1::2], y[1::2]))
    >>> seen.errors, seen.rows, f"{seen.interval[1]:.4f}", seen.auc
    (0, 50, '0.0711', 1.0)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if not hasattr(model, "classes_"):
        return _regression(model, rows)
    known = same_classes(model, rows) if codes is None else codes
    classes = model.classes_
    truth = known[rows.label_codes()]
    parts, losses = zip(*rows.each(ScoresAndLoss(model, rows.columns, known)), strict=True)
    scores = np.concatenate(parts)
    chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    n = len(truth)
    size = len(classes)
    confusion = np.bincount(truth * size + chosen, minlength=size * size).reshape(size, size)
    errors = int(np.count_nonzero(chosen != truth))
    loss = sum(losses) / n
    training = trained_on(model, rows)
    return Evaluation(
        estimator=type(model).__name__,
        name=rows.name,
        rows=n,
        errors=errors,
        interval=None if training else binomial_interval(errors, n, confidence),
        confidence=confidence,
        classes=tuple(label.item() if hasattr(label, "item") else label for label in classes),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
        auc=area_under_curve(truth, scores) if scores.ndim == 1 else None,
        log_loss=loss if math.isfinite(loss) else None,
        training=training,
    )


def trained_on(model: Any, rows: Rows) -> bool:
    """Whether these are the rows of the fit, in the same order, by the digest in a certificate.

    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa", "versicolor")
    >>> model = sx.Perceptron().fit(X[::2], y[::2])
    >>> trained_on(model, sx.as_rows(X[::2], y[::2])), trained_on(model, sx.as_rows(X[1::2], y[1::2]))
    (True, False)
    """
    held = getattr(model, "certificate_", None)
    certificate = held[0] if isinstance(held, tuple) else held
    if certificate is None or certificate.about.rows != rows.n_rows:
        return False
    about = certificate.sealed().about
    if about.digest is None or about.columns != rows.n_columns:
        return False
    return bool(about.digest == digest_of(certificate._read(rows, None)))


def binomial_interval(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's two-sided interval for a binomial probability: half of the doubt on each side.

    >>> tuple(round(end, 4) for end in binomial_interval(0, 100))
    (0.0, 0.0362)
    """
    log_half = math.log((1 - confidence) / 2)
    return 1 - binomial_tail_inverse(n - errors, n, log_half), binomial_tail_inverse(errors, n, log_half)


def area_under_curve(truth: np.ndarray, scores: np.ndarray) -> float | None:
    """The share of pairs, one of each class, that the scores put in order; ties count half.

    >>> area_under_curve(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.4, 0.8]))
    0.875
    """
    positive = int(truth.sum())
    negative = len(truth) - positive
    if positive == 0 or negative == 0:
        return None
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    doubled = 2 * first + counts + 1  # twice the mean rank of a tie: whole numbers, so that sums are exact
    total = int(doubled[places][truth == 1].sum()) - positive * (positive + 1)
    return total / (2 * positive * negative)


def same_classes(model: Any, rows: Rows) -> np.ndarray:
    """For each class of the rows its place among the model's."""
    if rows.classes is None:
        raise DataError("These rows carry no labels to compare with.")
    labels = [str(label) for label in model.classes_]
    found = []
    for label in rows.classes:
        if str(label) not in labels:
            known = ", ".join(labels[:8]) + (", ..." if len(labels) > 8 else "")
            where = f"{rows.name}: " if rows.name else ""
            raise DataError(f"{where}the model does not know the class {label}; its classes are {known}.")
        found.append(labels.index(str(label)))
    return np.array(found)


def render(seen: Evaluation | RegressionEvaluation, width: int = 100) -> str:
    """Lines of at most ``width`` characters."""
    lines = _numbers(seen) if isinstance(seen, RegressionEvaluation) else _classes(seen)
    return wrap_lines(lines, width)


def errors_in_words(seen: Evaluation, condition: str = "") -> str:
    """The errors and their interval, under a condition if there is one, in one sentence.

    >>> confusion = ((25, 0), (1, 24))
    >>> seen = Evaluation("Perceptron", None, 50, 1, (0.0005, 0.1065), 0.95, (0, 1), confusion, 1.0, None)
    >>> errors_in_words(seen)
    '1 error on 50 rows (2%); the risk is between 0.05% and 10.65% (exact binomial interval, 95%)'
    >>> seen = Evaluation("Perceptron", None, 50, 1, None, 0.95, (0, 1), confusion, 1.0, None, True)
    >>> errors_in_words(seen)
    '1 error on 50 rows (2%), which are the rows of the fit: they do not tell the risk on new rows'
    """
    errors = f"{several(seen.errors, 'error')} on {several(seen.rows, 'row')} ({100 * seen.error_rate:.3g}%)"
    if seen.interval is None:
        return f"{errors}, which {_of_the_fit(seen.rows)}: they do not tell the risk on new rows"
    low, high = (f"{100 * end:.4g}%" for end in seen.interval)
    return (
        f"{errors}; {condition}the risk is between {low} and {high} (exact binomial interval, "
        f"{100 * seen.confidence:.4g}%)"
    )


def _of_the_fit(rows: int) -> str:
    return "is the row of the fit" if rows == 1 else "are the rows of the fit"


def _classes(seen: Evaluation) -> Iterator[Line]:
    yield f"{seen.estimator} on {seen.name or several(seen.rows, 'row')}"
    yield ""
    yield "errors", errors_in_words(seen, "if none of these rows was in the fit, ")
    if seen.auc is not None:
        yield "AUC", f"{seen.auc:.6g}, the share of pairs of both classes that the scores put in order"
    if seen.log_loss is not None:
        yield "log loss", f"{number(seen.log_loss)}, the mean of -ln(probability of the label)"
    yield ""
    names = [named(label) for label in seen.classes]
    if len(names) > MAX_CLASSES:
        worst = sorted(
            (-count, names[i], names[j])
            for i, row in enumerate(seen.confusion)
            for j, count in enumerate(row)
            if i != j and count
        )[:MAX_CLASSES]
        yield from table(("label", "predicted", "rows"), [(i, j, counted(-c)) for c, i, j in worst])
        return
    yield from table(
        ("label", *(f"as {name}" for name in names), ""),
        [(name, *map(counted, row), "") for name, row in zip(names, seen.confusion, strict=True)],
    )


def _numbers(seen: RegressionEvaluation) -> Iterator[Line]:
    yield f"{seen.estimator} on {seen.name or several(seen.rows, 'row')} ({several(seen.rows, 'row')})"
    yield ""
    yield "errors", f"{number(seen.root_mean_squared_error)} root mean squared"
    yield "", f"{number(seen.mean_absolute_error)} mean absolute"
    if seen.r_squared is not None:
        yield "R²", f"{number(seen.r_squared)}, the share of the variance that is explained"
    if seen.training:
        yield "note", "These are the rows of the fit: they do not tell the errors on new rows."


@dataclass(frozen=True)
class ScoresAndLoss:
    """The scores of a block, and minus the log-likelihood of its labels where the model has probabilities."""

    model: Any
    columns: tuple[str, ...] | None
    known: np.ndarray

    def __call__(self, block: Block) -> tuple[np.ndarray, float]:
        part, truth = Unlabelled(self.columns)(block), self.known[block.codes]
        # An infinite score has a side all the same.
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            scores = self.model.decision_function(part)
            if not hasattr(self.model, "predict_proba"):
                return scores, math.nan
            given = self.model.predict_proba(part)[np.arange(len(truth)), truth]
            return scores, -float(np.log(given).sum())


@dataclass(frozen=True)
class Residuals:
    """The sums of the squared and of the absolute residuals of a block."""

    model: Any
    columns: tuple[str, ...] | None

    def __call__(self, block: Block) -> tuple[float, float]:
        with np.errstate(over="ignore", invalid="ignore"):
            away = block.targets - self.model.predict(Unlabelled(self.columns)(block))
            return float(away @ away), float(np.abs(away).sum())


@np.errstate(over="ignore", invalid="ignore")
def _regression(model: Any, rows: Rows) -> RegressionEvaluation:
    if not rows.has_targets:
        raise DataError("These rows carry no numbers to compare with.")
    squares, sizes = rows.sum(Residuals(model, rows.columns))
    truth = rows.all_targets()
    spread = float(((truth - truth.mean()) ** 2).sum())
    return RegressionEvaluation(
        estimator=type(model).__name__,
        name=rows.name,
        rows=len(truth),
        root_mean_squared_error=math.sqrt(squares / len(truth)),
        mean_absolute_error=sizes / len(truth),
        r_squared=1 - squares / spread if spread > 0 else None,
    )
