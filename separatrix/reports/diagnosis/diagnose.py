"""The examination: one question after another, within a budget of seconds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import numpy as np

from separatrix.certificates.data.digest import digest_of
from separatrix.fitting.parameters import require_positive
from separatrix.reports.diagnosis.analysis import TaskAnalysis
from separatrix.reports.diagnosis.data_checks import constant_columns, dependences, repetition
from separatrix.reports.diagnosis.diagnosis_record import DataProfile, Diagnosis, TaskDiagnosis
from separatrix.reports.diagnosis.one_vs_rest import against_the_rest, aligned
from separatrix.rows import Rows, as_rows

MAX_ANALYSED_CLASSES = 12  # classes examined at length; of more, each gets its verdict alone


def diagnose(
    X: Any,
    y: Any = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    intercept: bool = True,
    budget: float = 10.0,
    progress: Callable[[str], None] | None = None,
) -> Diagnosis:
    """What a straight line can do with the data, with the proof of it.

    Parameters
    ----------
    X, y
        Rows and labels in any form that `as_rows` takes, or labelled `Rows` alone.
    X_test, y_test
        Rows held out, or labelled `Rows` alone: errors on them come with an exact interval.
    intercept : bool
        Whether the boundary may miss the origin.
    budget : float
        Seconds for what could go on for long: the fewest errors, and products of columns. The verdict itself
        takes what it takes.
    progress : callable, optional
        Called with a few words before each step.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.xor()
    >>> found = diagnose(X, y, budget=1)
    >>> task = found.tasks[0]
    >>> task.kind, [row.row for row in task.conflict], (task.fewest.lower, task.fewest.upper)
    ('overlap', [0, 1, 2, 3], (1, 1))
    >>> [(lift.degree, lift.separable) for lift in task.lifts]
    [(2, True)]
    """
    from separatrix import __version__

    require_positive("budget", budget)
    started = monotonic()
    report = progress or (lambda text: None)
    rows = as_rows(X, y)
    classes = rows.require_two_classes()
    rows.require_finite()
    held_out = None if X_test is None else aligned(as_rows(X_test, y_test), classes)
    report("looking at rows and columns")
    names = rows.columns or tuple(f"column {j}" for j in range(rows.n_columns))
    data = _data(rows, names, intercept)
    codes = [1] if len(classes) == 2 else list(range(len(classes)))
    tasks: list[TaskDiagnosis] = []
    notes: list[str] = []
    if held_out is not None and _same(rows, held_out):
        held_out = None
        notes.append("The rows held out are those learned from: they do not tell the risk on new rows.")
    with _without_warnings():
        for code in codes:
            analysis = TaskAnalysis(
                against_the_rest(rows, code),
                names,
                data,
                positive=_plain(classes[code]),
                negative=_plain(classes[0]) if len(classes) == 2 else None,
                intercept=intercept,
                budget=budget / len(codes),
                held_out=None if held_out is None else against_the_rest(held_out, code),
                report=_with_class_name(report, codes, classes[code]),
            )
            tasks.append(analysis.task(brief=len(codes) > MAX_ANALYSED_CLASSES))
            notes += analysis.notes
    return Diagnosis(
        data, intercept, tuple(tasks), budget, monotonic() - started, tuple(dict.fromkeys(notes)), __version__
    )


def _same(rows: Rows, held_out: Rows) -> bool:
    """Whether both are the same numbers with the same labels, in the same order."""
    assert rows.classes is not None
    if (rows.n_rows, rows.n_columns) != (held_out.n_rows, held_out.n_columns):
        return False
    labels = [_plain(label) for label in rows.classes]
    return all(digest_of(rows, positive=label) == digest_of(held_out, positive=label) for label in labels[1:])


def _data(rows: Rows, names: tuple[str, ...], intercept: bool) -> DataProfile:
    assert rows.classes is not None
    counts = np.bincount(rows.label_codes(), minlength=len(rows.classes))
    return DataProfile(
        name=rows.name,
        rows=rows.n_rows,
        columns=rows.n_columns,
        features=tuple(names),
        label=rows.label,
        classes=tuple(_plain(label) for label in rows.classes),
        counts=tuple(counts.tolist()),
        repetition=repetition(rows),
        constant_columns=tuple(names[j] for j in constant_columns(rows)),
        dependences=dependences(rows, names, intercept=intercept),
    )


def _with_class_name(report: Callable[[str], None], codes: list[int], label: Any) -> Callable[[str], None]:
    return report if len(codes) == 1 else lambda text: report(f"{label} against the rest: {text}")


@contextmanager
def _without_warnings() -> Iterator[None]:
    """What a method warns of is told by the record in its place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
