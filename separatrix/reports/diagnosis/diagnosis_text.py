"""A diagnosis for a terminal: about a dozen lines."""

from __future__ import annotations

from collections.abc import Iterator

from separatrix.reports.coefficients import logistic_sentence
from separatrix.reports.diagnosis.diagnosis_record import DataProfile, Diagnosis, TaskDiagnosis
from separatrix.reports.evaluation import errors_in_words
from separatrix.reports.formatting import (
    Line,
    at_least,
    at_most,
    counted,
    named,
    number,
    several,
    table,
    wrap_lines,
)

KINDS = {
    "complete": "separable: a hyperplane has every row strictly on its side",
    "quasi": "not separable, but nearly: a hyperplane has every row on its side or on it (quasi-complete)",
    "overlap": "not separable: the classes overlap",
    "undecided": "undecided",
}
MAX_TASKS = 12


def render(diagnosis: Diagnosis, width: int = 100) -> str:
    """Lines of at most ``width`` characters."""
    lines = _one(diagnosis) if len(diagnosis.tasks) == 1 else _several(diagnosis)
    return wrap_lines(lines, width)


def _one(diagnosis: Diagnosis) -> Iterator[Line]:
    (task,) = diagnosis.tasks
    yield f"{_head(diagnosis)}: {named(task.positive)} is +1, {named(task.negative)} is -1"
    yield ""
    yield "verdict", f"{KINDS[task.kind]}; {_proof(task)}"
    yield from _margin(task)
    if task.conflict:
        rows = ", ".join(str(row.row) for row in task.conflict[:8])
        more = f" and {len(task.conflict) - 8} more" if len(task.conflict) > 8 else ""
        yield "conflict", f"rows {rows}{more} (counted from 0) rule out every hyperplane"
    yield from _logistic(task)
    if task.course is not None:
        yield "perceptron", _course(task)
    yield from _errors(task)
    for found in task.lifts:
        if found.separable:
            yield "lift", f"separable by products of up to {found.degree} columns, {found.columns:,} in all"
    yield from _held_out(task)
    yield from _data(diagnosis.data)
    for place, sentence in enumerate(task.advice[:3]):
        yield ("" if place else "next"), sentence
    yield from _notes(diagnosis)


def _several(diagnosis: Diagnosis) -> Iterator[Line]:
    yield f"{_head(diagnosis)}: {len(diagnosis.tasks)} classes, each against the rest"
    yield ""
    shown = diagnosis.tasks[:MAX_TASKS]
    yield from table(("class", "kind", "margin", "fewest errors", "proof"), [_row(task) for task in shown])
    if len(diagnosis.tasks) > len(shown):
        yield f"  and {several(len(diagnosis.tasks) - len(shown), 'more class', 'more classes')}"
    yield ""
    yield from _data(diagnosis.data)
    yield from _notes(diagnosis)


def _notes(diagnosis: Diagnosis) -> Iterator[Line]:
    for note in diagnosis.notes:
        yield "note", note


def _row(task: TaskDiagnosis) -> tuple[str, ...]:
    fewest = ""
    if task.fewest is not None:
        ends = (task.fewest.lower, task.fewest.upper)
        fewest = counted(ends[0]) if ends[0] == ends[1] else f"{counted(ends[0])} to {counted(ends[1])}"
    margin = "" if task.margin is None else at_least(task.margin.lower)
    return named(task.positive), task.kind, margin, fewest, "checked" if task.proven else "none"


def _head(diagnosis: Diagnosis) -> str:
    data = diagnosis.data
    size = f"{several(data.rows, 'row')}, {several(data.columns, 'column')}"
    origin = "" if diagnosis.intercept else ", through the origin"
    return f"{data.name} ({size}{origin})" if data.name else f"{size}{origin}"


def _proof(task: TaskDiagnosis) -> str:
    if not task.proven:
        return "nothing is proven"
    return "the proof was checked on every row, in exact arithmetic"


def _margin(task: TaskDiagnosis) -> Iterator[Line]:
    margin = task.margin
    if margin is None:
        return
    units = ""
    if margin.standardised is not None:
        units = f"; {at_least(margin.standardised[0])} in standard deviations"
    best = f"at least {at_least(margin.lower)}, certified to {_digits(margin.lower, margin.upper)}"
    if not margin.lower > 0:
        best = f"at most {number(margin.upper)}; doubles hold no smaller number"
    yield "margin", f"{best}{units}"
    if margin.mistake_bound is not None:
        allowed = at_most(float(margin.mistake_bound))
        mistakes = "mistake" if allowed == "1" else "mistakes"
        yield (
            "bound",
            f"a perceptron makes at most {allowed} {mistakes} (Novikoff), R = {number(margin.radius)}",
        )


def _digits(lower: float, upper: float) -> str:
    if lower == upper:
        return "the last bit"
    return f"a gap of {(upper - lower) / upper:.1g}"


def _logistic(task: TaskDiagnosis) -> Iterator[Line]:
    followed = bool(task.coefficients) and task.coefficients[0].runs_to is not None
    if task.kind == "complete" or followed:
        names = [c.name for c in task.coefficients]
        yield "logistic", logistic_sentence(task.kind, names, [c.runs_to for c in task.coefficients])


def _course(task: TaskDiagnosis) -> str:
    course = task.course
    assert course is not None
    made = f"{several(course.mistakes, 'mistake')} in {several(course.passes, 'pass', 'passes')}"
    return f"{made}, the last without any" if course.settled else f"{made}, and it did not settle"


def _errors(task: TaskDiagnosis) -> Iterator[Line]:
    fewest = task.fewest
    if fewest is not None and task.kind != "complete":
        if fewest.optimal:
            yield "errors", f"{counted(fewest.upper)} at the least, proven"
        else:
            yield "errors", f"the fewest are between {counted(fewest.lower)} and {counted(fewest.upper)}"
        others = [f"{c.method} {counted(c.errors)}" for c in task.contenders if c.errors is not None]
        yield "", "; ".join(others)


def _held_out(task: TaskDiagnosis) -> Iterator[Line]:
    # One method, chosen beforehand: of several the best on held-out rows looks better than it is.
    wanted = "maximum margin" if task.kind == "complete" else "linear SVM (C = 1)"
    for contender in task.contenders:
        if contender.method == wanted and contender.held_out is not None:
            yield "held out", f"{wanted}: {errors_in_words(contender.held_out)}"


def _data(data: DataProfile) -> Iterator[Line]:
    odd = []
    if data.repetition is not None and data.repetition.repeated:
        odd.append(f"{_with_verb(data.repetition.repeated, 'row', 'repeats', 'repeat')} others")
    if data.repetition is not None and data.repetition.twin_groups:
        odd.append(
            f"{_with_verb(data.repetition.twin_rows, 'row', 'has', 'have')} an equal one with another label "
            f"({several(data.repetition.forced_errors, 'error')} forced)"
        )
    if data.constant_columns:
        odd.append(f"{_with_verb(len(data.constant_columns), 'column', 'never varies', 'never vary')}")
    if data.dependences:
        odd.append(f"{_with_verb(len(data.dependences), 'column', 'depends', 'depend')} on others")
    if odd:
        yield "data", "; ".join(odd)


def _with_verb(n: int, one: str, verb: str, verbs: str) -> str:
    return f"{several(n, one)} {verb if n == 1 else verbs}"
