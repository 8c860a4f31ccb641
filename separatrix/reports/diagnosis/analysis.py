"""One question of a diagnosis, examined: the verdict first, then what follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from separatrix.algorithms.separation import Separation, separate_rows
from separatrix.algorithms.separation.scan import OutOfTime
from separatrix.certificates import MarginBetween
from separatrix.certificates.fields import to_decimal
from separatrix.fitting.exact_errors import count_errors
from separatrix.reports.coefficients import logistic_words
from separatrix.reports.diagnosis.advice import advice
from separatrix.reports.diagnosis.data_checks import shown_values
from separatrix.reports.diagnosis.diagnosis_record import (
    BoundaryWeight,
    Contender,
    DataProfile,
    Fewest,
    LabelRidgePath,
    Margin,
    PerceptronRun,
    Picture,
    PolynomialLift,
    ShownRow,
    Statement,
    TaskDiagnosis,
)
from separatrix.reports.diagnosis.picture import picture_of
from separatrix.reports.diagnosis.polynomial import lifts_of
from separatrix.reports.evaluation import Evaluation, evaluate
from separatrix.reports.evidence import evidence_of
from separatrix.reports.summary import Label
from separatrix.rows import Rows

MAX_PASSES = 200
MEASUREMENT_SECONDS = 30.0  # seconds for a measurement that the verdict does not need
MAX_SHOWN_PASSES = 200
MAX_VALUES = 30_000_000  # rows times columns: above this bounds that need a table of the rows are left out
MAX_LOGISTIC_COLUMNS = 64  # whose logistic coefficients are followed where every one may run away
MAX_PATH_COLUMNS = 200  # columns of a ridge path

Part = TypeVar("Part")


class TaskAnalysis:
    """The rows of one question, all of them read as often as it takes.

    ``rows`` have two classes, the second of which is +1.
    """

    def __init__(
        self,
        rows: Rows,
        names: Sequence[str],
        data: DataProfile,
        *,
        positive: Label,
        negative: Label | None,
        intercept: bool,
        budget: float,
        held_out: Rows | None,
        report: Callable[[str], None],
    ) -> None:
        self.rows, self.names, self.data = rows, names, data
        self.positive, self.negative = positive, negative
        self.intercept, self.budget, self.held_out, self.report = intercept, budget, held_out, report
        self.notes: list[str] = []
        self._models: dict[str, Any] = {}

    def task(self, *, brief: bool) -> TaskDiagnosis:
        self.report("deciding whether a hyperplane separates")
        separation = separate_rows(self.rows, 1, intercept=self.intercept)
        self.report(f"{separation.kind}; measuring and proving")
        separation.limit(max(MEASUREMENT_SECONDS, self.budget))
        margin = None if brief else self._margin(separation)
        proofs: Sequence[Any] = [separation.certificate]
        if not brief and separation.kind != "quasi":
            with suppress(OutOfTime):
                proofs = separation.certificates
        evidence = tuple(evidence_of(proof, self.rows) for proof in proofs)
        conflict = self._conflict(separation)
        contenders: list[Contender] = []
        course = fewest = ridge = None
        lifts: tuple[PolynomialLift, ...] = ()
        statements: tuple[Statement, ...] = ()
        if not brief:
            course = self._or_note("The perceptron", lambda: self._perceptron(contenders, margin))
            self._convex(contenders, separation, margin)
            fewest = self._or_note("The fewest errors", lambda: self._fewest(separation, contenders))
            if not separation.separable:
                lifts = self._or_note("Products of columns", self._lifts) or ()
            statements = self._statements(separation)
            ridge = self._or_note("The ridge path", self._ridge)
        weights = None if brief else self._boundary(separation, contenders)
        marked = [row.row for row in conflict] or (list(margin.support) if margin else [])
        picture = self._or_note("The picture of the rows", lambda: self._picture(weights, marked))
        task = TaskDiagnosis(
            positive=self.positive,
            negative=self.negative,
            kind=separation.kind,
            evidence=evidence,
            margin=margin,
            conflict=conflict,
            on_plane=self._on_plane(separation),
            coefficients=self._coefficients(separation, weights),
            course=course,
            contenders=tuple(contenders),
            fewest=fewest,
            lifts=lifts,
            statements=statements,
            picture=picture,
            ridge=ridge,
            advice=(),
        )
        return advice(task, self.data)

    def _or_note(self, part: str, make: Callable[[], Part]) -> Part | None:
        """A part of the report; where the numbers do not allow it None, and a sentence that says why."""
        try:
            return make()
        except (ValueError, ArithmeticError) as error:
            reason = str(error).rstrip(".")
            self.notes.append(f"{part}: left out, since {reason[:1].lower()}{reason[1:]}.")
            return None

    def _margin(self, separation: Separation) -> Margin | None:
        if not separation.separable:
            return None
        try:
            widest, support = separation.margin, separation.support
            inside = separation.row_margin
            bound = separation.mistake_bound
            assert widest is not None
        except OutOfTime:
            self.notes.append("The margin was not measured: the time limit was reached.")
            return None
        standardised = None
        with suppress(OutOfTime):
            standardised = separation.standardised_margin
        return Margin(
            lower=widest.lower,
            upper=widest.upper,
            standardised=None if standardised is None else (standardised.lower, standardised.upper),
            radius=separation.radius,
            row_margin=None if inside is None else (inside.lower, inside.upper),
            mistake_bound=None if bound is None else to_decimal(bound),
            support=tuple(support or ()),
        )

    def _conflict(self, separation: Separation) -> tuple[ShownRow, ...]:
        found = separation.conflict
        if found is None:
            return ()
        total = sum(found.weights)
        values = shown_values(self.rows, found.rows)
        return tuple(
            ShownRow(row, values[row][0], values[row][1], to_decimal(weight), weight / total)
            for row, weight in zip(found.rows, found.weights, strict=True)
        )

    def _perceptron(self, contenders: list[Contender], margin: Margin | None) -> PerceptronRun:
        import separatrix

        model = separatrix.Perceptron(max_iter=MAX_PASSES, fit_intercept=self.intercept)
        contenders.append(self._fitted("perceptron", model))
        history = model.history_["mistakes"]
        shown = sorted(
            set(np.linspace(0, len(history) - 1, min(MAX_SHOWN_PASSES, len(history))).astype(int).tolist())
        )
        bound = None
        if margin is not None and margin.mistake_bound is not None:
            bound = float(margin.mistake_bound)
        return PerceptronRun(
            mistakes=int(model.mistakes_),
            passes=int(model.passes_),
            settled=bool(history) and history[-1] == 0,
            passes_shown=tuple(place + 1 for place in shown),
            mistakes_shown=tuple(history[place] for place in shown),
            bound=bound,
            bound_centred=_finite(getattr(model, "mistake_bound_centred_", None)),
        )

    def _convex(self, contenders: list[Contender], separation: Separation, margin: Margin | None) -> None:
        import separatrix

        models = {
            "logistic regression (C = 1)": separatrix.LogisticRegression(fit_intercept=self.intercept),
            "linear SVM (C = 1)": separatrix.LinearSVM(fit_intercept=self.intercept),
        }
        if separation.separable:
            models["maximum margin"] = separatrix.MaxMargin(fit_intercept=self.intercept)
        for name, model in models.items():
            found = self._or_note(f"{name[:1].upper()}{name[1:]}", partial(self._fitted, name, model))
            if found is not None and name == "maximum margin" and margin is not None:
                found = _with_ends(found, margin)
            contenders += [] if found is None else [found]

    def _fitted(self, name: str, model: Any) -> Contender:
        self.report(f"fitting: {name}")
        started = monotonic()
        model.fit(self.rows)
        if getattr(model, "interrupted_", False):
            # A search that is ended keeps what it has; a report that is ended does not go on without it.
            raise KeyboardInterrupt
        seconds = monotonic() - started
        self._models[name] = model
        weights, bias = model.coef_[0], float(model.intercept_[0])
        errors = None
        if np.isfinite(weights).all() and math.isfinite(bias):
            errors = count_errors(self.rows, 1, weights.tolist(), bias if self.intercept else None).errors
        seen = None if self.held_out is None else evaluate(model, self.held_out)
        return Contender(
            method=name,
            errors=errors,
            margin=self._smallest_margin(weights, bias) if errors == 0 else None,
            seconds=seconds,
            evidence=evidence_of(model.certificate_, self.rows),
            held_out=seen if isinstance(seen, Evaluation) else None,
        )

    def _smallest_margin(self, weights: np.ndarray, bias: float) -> float | None:
        seen = count_errors(self.rows, 1, weights.tolist(), bias if self.intercept else None)
        norm = math.hypot(*weights.tolist())
        return _finite(seen.min_margin / norm) if norm > 0 else None

    def _fewest(self, separation: Separation, contenders: list[Contender]) -> Fewest | None:
        import separatrix

        if separation.separable:
            return Fewest(0, 0, True, ((0.0, 0, 0),), evidence_of(separation.certificate, self.rows))
        self.report(f"searching for the fewest errors ({self.budget:g} s at most)")
        model = separatrix.ZeroOne(time_limit=self.budget, fit_intercept=self.intercept)
        contenders.append(self._fitted("fewest errors", model))
        if not contenders[-1].evidence.proven:
            raise ValueError(f"its certificate is refused: {contenders[-1].evidence.reason}")
        history = [(float(p[0]), int(p[1]), int(p[2])) for p in _points(model.history_)]
        return Fewest(
            lower=int(model.lower_bound_),
            upper=int(model.errors_),
            optimal=bool(model.optimal_),
            history=tuple(history[:: max(1, len(history) // 200)]),
            evidence=contenders[-1].evidence,
        )

    def _statements(self, separation: Separation) -> tuple[Statement, ...]:
        if self.rows.n_rows * self.rows.n_columns > MAX_VALUES or not self.rows.in_memory:
            return ()
        from separatrix.theory import generalisation

        self.report("what theory says about new rows")
        model = self._models.get("maximum margin" if separation.separable else "linear SVM (C = 1)")
        if model is None:
            return ()
        try:
            found = generalisation(model, self.rows, X_test=self.held_out)
        except (ValueError, MemoryError):
            return ()
        return tuple(
            Statement(
                b.name, b.quantity, float(b.value), b.kind, b.delta, b.vacuous, tuple(b.assumptions), b.source
            )
            for b in found
        )

    def _lifts(self) -> tuple[PolynomialLift, ...]:
        self.report("trying products of columns")
        return lifts_of(self.rows, intercept=self.intercept, budget=self.budget)

    def _picture(self, weights: np.ndarray | None, marked: Sequence[int]) -> Picture | None:
        if weights is None:
            return None
        return picture_of(self.rows, 1, weights[:-1], float(weights[-1]), marked, self.names)

    def _ridge(self) -> LabelRidgePath | None:
        if self.rows.n_columns > MAX_PATH_COLUMNS or not self.rows.in_memory:
            return None
        from separatrix.reports.diagnosis.label_ridge_path import ridge_path

        self.report("the ridge path")
        return ridge_path(self.rows, self.names, intercept=self.intercept)

    def _boundary(self, separation: Separation, contenders: list[Contender]) -> np.ndarray | None:
        """The weights that the figures show: the widest margin, or the fewest errors."""
        if separation.separable and "maximum margin" in self._models:
            chosen = self._models["maximum margin"]
        elif self._models:
            counted = [c for c in contenders if c.errors is not None]
            if not counted:
                return None
            chosen = self._models[min(counted, key=lambda c: c.errors or 0).method]
        elif separation.halfspace is not None:
            return np.array([float(v) for v in separation.halfspace.numbers])
        else:
            return None
        return np.append(chosen.coef_[0], chosen.intercept_[0])

    def _on_plane(self, separation: Separation) -> int | None:
        if separation.kind != "quasi":
            return None
        return len(separation.certificate.rows)  # type: ignore[attr-defined]

    def _coefficients(self, separation: Separation, weights: np.ndarray | None) -> tuple[BoundaryWeight, ...]:
        if weights is None:
            return ()
        scales = separation.scales
        followed = not separation.separable or self.rows.n_columns <= MAX_LOGISTIC_COLUMNS
        runs = logistic_words(separation, self.rows) if followed else None
        return tuple(
            BoundaryWeight(
                name,
                float(weights[j]),
                float(weights[j]) * scales[j],
                None if runs is None else runs[j],
            )
            for j, name in enumerate(self.names)
        )


def _with_ends(found: Contender, margin: Margin) -> Contender:
    """The maximum margin with the ends that the whole report gives: its own may differ in the last digit."""
    if found.evidence.kind != MarginBetween.kind or not found.evidence.holds:
        return found
    claim = f"The largest margin is between {margin.lower!r} and {margin.upper!r}."
    return replace(found, margin=margin.lower, evidence=replace(found.evidence, claim=claim))


def _points(history: Any) -> list[Sequence[Any]]:
    """Seconds, lower and upper end, however the history of the search holds them."""
    points: list[Sequence[Any]] = []
    for entry in history:
        values = entry if isinstance(entry, tuple | list) else tuple(vars(entry).values())
        points.append(values)
    return points


def _finite(value: Any) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
