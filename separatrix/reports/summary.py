"""`Summary`: a fit in one frozen record, which every rendering reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.certificates import FewestErrors
from separatrix.fitting import History
from separatrix.fitting.exact_errors import count_errors
from separatrix.reports.evidence import Evidence, evidence_of
from separatrix.reports.theorem_bound import Promise, promise_of
from separatrix.rows import Block, Rows, as_rows
from separatrix.rows.memory import Unlabelled

if TYPE_CHECKING:
    from separatrix.reports.evaluation import Evaluation

Label = str | int | float | bool


@dataclass(frozen=True)
class Data:
    """The rows of a fit: what they are called, how many, and which labels they carry."""

    name: str | None
    rows: int | None
    columns: int
    features: tuple[str, ...] | None
    label: str | None
    classes: tuple[Label, ...]


@dataclass(frozen=True)
class Figures:
    """R, γ and the smallest distance from the boundary.

    ``radius`` and ``margin`` are of the rows (x, 1), or x without an intercept; ``geometric_margin`` is min
    s(w·x + b)/‖w‖. The ``centred`` ones are of the rows moved to their middle, with ``bound_centred``
    (R/γ)² there.
    """

    geometric_margin: float | None
    radius: float | None
    margin: float | None
    radius_centred: float | None
    margin_centred: float | None
    bound_centred: float | None


@dataclass(frozen=True)
class Task:
    """One halfspace: of two classes the larger against the smaller, of more each against the rest.

    ``mistakes``, ``updates`` and ``passes`` are of methods that learn from mistakes, ``gap`` (of the
    objective, to its optimum) of convex ones, ``fewest`` (the errors that some halfspace must make, proven)
    of the search for the fewest errors; None elsewhere. ``errors`` counts training rows with s·score ≤ 0
    (for a vote: rows predicted wrong); None if no rows were given.
    """

    positive: Label
    negative: Label | None
    mistakes: int | None
    updates: int | None
    passes: int | None
    gap: float | None
    fewest: int | None
    mistakes_per_pass: tuple[int, ...]
    errors: int | None
    figures: Figures
    promise: Promise | None
    evidence: Evidence

    @property
    def settled(self) -> bool:
        """Whether the last pass made no mistake."""
        return bool(self.mistakes_per_pass) and self.mistakes_per_pass[-1] == 0


@dataclass(frozen=True)
class Summary:
    """A fit: the data, what happened in each task, what was proven, and what the fit warned of.

    ``held_out`` is how it did on rows that it has not seen, where there are such.
    """

    estimator: str
    parameters: dict[str, Any]
    intercept: bool
    centred: bool
    data: Data
    tasks: tuple[Task, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    held_out: Evaluation | None = None

    @property
    def proven(self) -> bool:
        """Whether every task has a proof that was not refused."""
        return all(task.evidence.proven for task in self.tasks)


def summarise(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    notes: Sequence[str] = (),
    held_out: Evaluation | None = None,
) -> Summary:
    """The summary of a fitted model.

    Parameters
    ----------
    model : a fitted classifier of this library
    X, y
        The rows of the fit, or labelled `Rows` alone: certificates are then verified and training errors
        counted.
    notes : sequence of str
        What the fit warned of.
    held_out : Evaluation, optional
        How the model did on rows that it has not seen.
    """
    rows = None if X is None else as_rows(X, y)
    if rows is not None and not np.array_equal(np.asarray(rows.classes), model.classes_):
        raise ValueError("These rows do not have the classes of the model: give the rows of the fit.")
    classes = tuple(_plain(label) for label in model.classes_)
    codes = (1,) if len(classes) == 2 else range(len(classes))
    names = getattr(model, "feature_names_in_", None)
    data = Data(
        name=None if rows is None else rows.name,
        rows=None if rows is None else rows.n_rows,
        columns=model.n_features_in_,
        features=None if names is None else tuple(map(str, names)),
        label=None if rows is None else rows.label,
        classes=classes,
    )
    tasks = tuple(_task(model, place, code, rows) for place, code in enumerate(codes))
    histories = [model.history_] if len(tasks) == 1 else list(model.history_)
    return Summary(
        estimator=type(model).__name__,
        parameters={name: _shown(value) for name, value in model.get_params(deep=False).items()},
        intercept=bool(model.fit_intercept),
        centred=bool(getattr(model, "center", False)),
        data=data,
        tasks=tasks,
        seconds=max((sum(h["seconds"]) for h in histories if isinstance(h, History)), default=0.0),
        notes=tuple(notes),
        held_out=held_out,
    )


def _task(model: Any, place: int, code: int, rows: Rows | None) -> Task:
    binary = len(model.classes_) == 2

    def fact(name: str) -> Any:
        value = getattr(model, f"{name}_", None)
        return value if binary or value is None else value[place]

    history = fact("history")
    evidence = evidence_of(fact("certificate"), rows)
    return Task(
        positive=_plain(model.classes_[code]),
        negative=_plain(model.classes_[0]) if binary else None,
        mistakes=_whole(fact("mistakes")),
        updates=_whole(fact("updates")),
        passes=_whole(fact("passes")),
        gap=_number(fact("gap")),
        fewest=_fewest(fact("certificate"), evidence),
        mistakes_per_pass=tuple(history["mistakes"]) if isinstance(history, History) else (),
        errors=None if rows is None else _errors(model, place, code, rows),
        figures=Figures(
            geometric_margin=_number(fact("geometric_margin")),
            radius=_number(fact("radius")),
            margin=_number(fact("margin")),
            radius_centred=_number(fact("radius_centred")),
            margin_centred=_number(fact("margin_centred")),
            bound_centred=_number(fact("mistake_bound_centred")),
        ),
        promise=promise_of(model, fact),
        evidence=evidence,
    )


def _fewest(certificate: Any, evidence: Evidence) -> int | None:
    """What a certificate of the fewest errors proves, unless it is refused; with weights it counts costs."""
    counts = evidence.kind == FewestErrors.kind and evidence.proven and certificate.costs is None
    return certificate.bound if counts else None


def _errors(model: Any, place: int, code: int, rows: Rows) -> int:
    if not hasattr(model, "coef_"):
        return _wrong_votes(model, place, code, rows)
    weights, intercept = model.coef_[place], model.intercept_[place]
    if not (np.isfinite(weights).all() and np.isfinite(intercept)):
        return rows.n_rows
    return count_errors(
        rows, code, weights.tolist(), float(intercept) if model.fit_intercept else None
    ).errors


def _wrong_votes(model: Any, place: int, code: int, rows: Rows) -> int:
    wrong: int = rows.sum(WrongVotes(model, rows.columns, place, code))[0]
    return wrong


@dataclass(frozen=True)
class WrongVotes:
    """How many rows of a block the model puts on the wrong side of class ``code``."""

    model: Any
    columns: tuple[str, ...] | None
    place: int
    code: int

    def __call__(self, block: Block) -> tuple[int]:
        scores = self.model.decision_function(Unlabelled(self.columns)(block))
        scores = scores if scores.ndim == 1 else scores[:, self.place]
        return (int(np.count_nonzero((scores > 0) != (block.signs(self.code) > 0))),)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _number(value: Any) -> float | None:
    """A finite number, or None: JSON has no other."""
    return None if value is None or not np.isfinite(value) else float(value)


def _shown(value: Any) -> Any:
    """A parameter as JSON has it; what JSON has not, in words."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple | np.ndarray):
        values = np.asarray(value).tolist()
        return values if len(values) <= 20 else f"a sequence of {len(values)}"
    return f"a {type(value).__name__}"
