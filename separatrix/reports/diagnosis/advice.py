"""What to do next, in sentences that follow from the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from separatrix.reports.diagnosis.diagnosis_record import DataProfile, TaskDiagnosis
from separatrix.reports.formatting import at_least, at_most, counted, several

CENTRING_FACTOR = 4.0  # times: from here on centring is worth a sentence


def advice(task: TaskDiagnosis, data: DataProfile) -> TaskDiagnosis:
    """The task with its sentences, the most useful first."""
    return replace(task, advice=tuple(_sentences(task, data)))


def _sentences(task: TaskDiagnosis, data: DataProfile) -> Iterator[str]:
    twins = data.repetition
    if twins is not None and twins.twin_groups:
        yield (
            f"Look at {several(twins.twin_groups, 'group')} of equal rows with different labels: no rule of "
            f"any kind gets all of them right, and {several(twins.forced_errors, 'error')} cannot be "
            "avoided. A wrong label, or a column that is missing?"
        )
    if task.kind == "complete":
        yield from _separable(task)
    elif task.kind == "undecided":
        yield "Give the search more time: neither a hyperplane nor a conflict was found."
    else:
        yield from _inseparable(task)
    if data.constant_columns:
        yield f"Drop what never varies: {_listed(data.constant_columns)}."
    if data.dependences:
        columns = tuple(found.column for found in data.dependences if found.on)
        if columns:
            yield f"These columns are combinations of others, and add nothing to a line: {_listed(columns)}."


def _separable(task: TaskDiagnosis) -> Iterator[str]:
    if task.margin is not None and task.margin.lower > 0:
        yield (
            "Use the maximum-margin halfspace: every row may move by less than "
            f"{at_least(task.margin.lower)} in any direction and stays on its side."
        )
    yield (
        "Do not fit a logistic regression without a penalty: its likelihood has no maximum on separable "
        "rows. Use an L2 penalty, or Firth's."
    )
    course = task.course
    if course is not None and course.bound is not None and course.bound_centred is not None:
        if course.bound > CENTRING_FACTOR * course.bound_centred:
            yield (
                "Centre the columns for a perceptron: its mistake bound falls from "
                f"{at_most(course.bound)} to {at_most(course.bound_centred)}."
            )
        if not course.settled:
            yield (
                f"A perceptron needs more than {several(course.passes, 'pass', 'passes')} here, though a "
                "hyperplane exists."
            )
    yield "Keep rows aside: being separable says nothing about rows that are not in the data."


def _inseparable(task: TaskDiagnosis) -> Iterator[str]:
    running = [c for c in task.coefficients if c.runs_to in ("+inf", "-inf")]
    if task.kind == "quasi" and running:
        names = _listed(tuple(c.name for c in running))
        yield (
            f"A logistic regression without a penalty runs away in {names}: use an L2 penalty or Firth's, or "
            "ask why these columns predict some rows perfectly."
        )
    if task.conflict:
        rows = ", ".join(counted(row.row) for row in task.conflict[:6])
        more = ", ..." if len(task.conflict) > 6 else ""
        yield f"Look at rows {rows}{more} (counted from 0): by themselves they rule out every line."
    if task.fewest is not None:
        fewest = task.fewest
        best = min((c.errors for c in task.contenders if c.errors is not None), default=fewest.upper)
        others = [c for c in task.contenders if c.errors is not None and c.method != "fewest errors"]
        if fewest.optimal:
            yield f"No line makes fewer than {several(fewest.upper, 'training error')}: that is proven."
        else:
            yield (
                f"The fewest training errors of a line are between {counted(fewest.lower)} and "
                f"{counted(best)}; a larger budget narrows that."
            )
        if others:
            nearest = min(others, key=lambda c: c.errors or 0)
            yield (
                f"Of the usual methods {nearest.method} comes nearest, with "
                f"{several(nearest.errors, 'error')}."
            )
    lifted = next((found for found in task.lifts if found.separable), None)
    if lifted is not None:
        yield (
            f"Products of up to {lifted.degree} columns ({counted(lifted.columns)} in all) do separate the "
            "rows: a curved boundary may be worth a try, on held-out rows."
        )


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
