"""The record of a diagnosis: plain values alone, so that every rendering tells the same story."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any

from separatrix.reports.evaluation import Evaluation
from separatrix.reports.evidence import Evidence
from separatrix.reports.summary import Label

FORMAT = "separatrix-diagnosis"
VERSION = 1


@dataclass(frozen=True)
class Repetition:
    """Rows equal to earlier ones; groups of equal rows with different labels (*twins*), the rows in them, how
    many of those must be errors of any rule, and the first groups by their row numbers."""

    repeated: int
    twin_groups: int
    twin_rows: int
    forced_errors: int
    twins: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Dependence:
    """A column that is an exact combination of others (and of the constant).

    ``exact`` is False where it was checked on all rows modulo a prime only.
    """

    column: str
    on: tuple[str, ...]
    constant: bool
    exact: bool


@dataclass(frozen=True)
class DataProfile:
    """The data; None stands for what was not looked for, the data being too large."""

    name: str | None
    rows: int
    columns: int
    features: tuple[str, ...]
    label: str | None
    classes: tuple[Label, ...]
    counts: tuple[int, ...]
    repetition: Repetition | None
    constant_columns: tuple[str, ...]
    dependences: tuple[Dependence, ...] | None


@dataclass(frozen=True)
class Margin:
    """The largest margin: geometric and standardised as certified intervals, and what it promises.

    ``row_margin`` is of the rows (x, 1), as R (``radius``) and the mistake bound are. None where a limit was
    reached.
    """

    lower: float
    upper: float
    standardised: tuple[float, float] | None
    radius: float
    row_margin: tuple[float, float] | None
    mistake_bound: str | None
    support: tuple[int, ...]


@dataclass(frozen=True)
class ShownRow:
    """One of the user's rows; ``weight`` is its whole-number weight in a conflict, as a decimal, and
    ``share`` that weight as a share of all."""

    row: int
    label: Label
    values: tuple[float, ...]
    weight: str | None = None
    share: float | None = None


@dataclass(frozen=True)
class PerceptronRun:
    """What a perceptron did: mistakes by pass (at most 200 passes are kept, evenly spaced), and the bound."""

    mistakes: int
    passes: int
    settled: bool
    passes_shown: tuple[int, ...]
    mistakes_shown: tuple[int, ...]
    bound: float | None
    bound_centred: float | None


@dataclass(frozen=True)
class Contender:
    """A linear method on these rows: its errors, counted exactly, its margin, and what is proven."""

    method: str
    errors: int | None
    margin: float | None
    seconds: float
    evidence: Evidence
    held_out: Evaluation | None = None


@dataclass(frozen=True)
class Fewest:
    """The fewest training errors of any halfspace, as an interval, and how it closed."""

    lower: int
    upper: int
    optimal: bool
    history: tuple[tuple[float, int, int], ...]
    evidence: Evidence


@dataclass(frozen=True)
class BoundaryWeight:
    """A weight of the halfspace that was found, in the user's units and in standard deviations, and what
    becomes of the maximum-likelihood logistic coefficient: "finite", "aliased" (not unique, since columns
    depend on one another), "+inf", "-inf" or "undetermined" (infinite, of either sign)."""

    name: str
    weight: float
    standardised: float
    runs_to: str | None


@dataclass(frozen=True)
class PolynomialLift:
    """Whether the products of up to ``degree`` columns separate the rows."""

    degree: int
    columns: int
    separable: bool | None
    margin: float | None


@dataclass(frozen=True)
class Statement:
    """A bound that applies."""

    name: str
    quantity: str
    value: float
    kind: str
    delta: float | None
    vacuous: bool
    assumptions: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Picture:
    """What the figures need: some rows in the plane, the boundary there, and all margins counted.

    ``across`` and ``up`` are coordinates (two columns as they are; else distances from the boundary, and the
    direction in which the rows spread most); ``marked`` tells the conflict or support rows among them.
    ``bins`` are the edges of the histogram of s(w·x + b)/‖w‖, ``counts`` the rows of the negative and of the
    positive class in each.
    """

    across: tuple[float, ...]
    up: tuple[float, ...]
    signs: tuple[int, ...]
    marked: tuple[bool, ...]
    across_name: str
    up_name: str
    projected: bool
    normal: tuple[float, float] | None
    offset: float
    bins: tuple[float, ...]
    counts: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class LabelRidgePath:
    """The ridge coefficients of the labels ±1 against alpha, with the leave-one-out error of each."""

    alphas: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    columns: tuple[str, ...]
    leave_one_out: tuple[float, ...]
    best: float


@dataclass(frozen=True)
class TaskDiagnosis:
    """One question: of two classes the second against the first, of more each against the rest."""

    positive: Label
    negative: Label | None
    kind: str
    evidence: tuple[Evidence, ...]
    margin: Margin | None
    conflict: tuple[ShownRow, ...]
    on_plane: int | None
    coefficients: tuple[BoundaryWeight, ...]
    course: PerceptronRun | None
    contenders: tuple[Contender, ...]
    fewest: Fewest | None
    lifts: tuple[PolynomialLift, ...]
    statements: tuple[Statement, ...]
    picture: Picture | None
    ridge: LabelRidgePath | None
    advice: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """Whether the verdict has a proof that was not refused."""
        return bool(self.evidence) and self.evidence[0].proven


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What a straight line can do with some data, and how that is known.

    ``str()`` is a dozen lines, ``to_html`` the report, ``to_json`` the record; a notebook shows the report.
    """

    data: DataProfile
    intercept: bool
    tasks: tuple[TaskDiagnosis, ...]
    budget: float
    seconds: float
    notes: tuple[str, ...]
    library: str

    def __str__(self) -> str:
        from separatrix.reports.diagnosis.diagnosis_text import render

        return render(self)

    def __repr__(self) -> str:
        kinds = ", ".join(task.kind for task in self.tasks[:4])
        return f"<Diagnosis: {self.data.rows} x {self.data.columns}, {kinds}>"

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the shape that the published schema describes; what is not finite is null."""
        record = {
            "format": FORMAT,
            "version": VERSION,
            **{f.name: getattr(self, f.name) for f in fields(self)},
        }
        return {name: _plain(value) for name, value in record.items()}

    def to_json(self) -> str:
        """The record as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report: one file without external requests, complete without scripts; written to ``path``,
        whole or not at all, where one is given."""
        from separatrix.reports.html import render

        text = render(self)
        if path is not None:
            from separatrix.models.whole_file import atomic_write

            with atomic_write(path) as file:
                file.write(text)
        return text

    def _repr_html_(self) -> str:
        from separatrix.reports.html import embedded

        return embedded(self)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        record = {name: _plain(item) for name, item in asdict(value).items()}
        if isinstance(value, TaskDiagnosis):
            record["proven"] = value.proven
        return record
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
