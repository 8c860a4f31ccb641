"""A summary for a terminal: about a dozen lines, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from separatrix.reports.evaluation import errors_in_words
from separatrix.reports.formatting import (
    Line,
    all_rows,
    at_least,
    at_most,
    counted,
    named,
    number,
    several,
    table,
    wrap_lines,
)
from separatrix.reports.summary import Data, Summary, Task

CENTRING_FACTOR = 4.0  # times: from here on the centred bound is worth a line
MAX_CLASSES = 12
SQUARED_RATIO_THEOREMS = ("Novikoff", "batch perceptron", "PA")
THEOREMS = {
    "Novikoff": "Novikoff 1962",
    "batch perceptron": "Novikoff's argument, for means of rows",
    "Kozinec": "Kozinec's rule",
    "PA": "Crammer et al. 2006",
    "PA-I": "Crammer et al. 2006",
    "PA-II": "Crammer et al. 2006",
}


def render(summary: Summary, width: int = 100) -> str:
    """The summary as lines of at most ``width`` characters.

    >>> import separatrix as sx
    >>> from separatrix.reports import summarise
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 1.0]], ["ham", "ham", "spam", "spam"]
    >>> print(render(summarise(sx.Perceptron().fit(X, y), X, y), width=90))
    Perceptron on 4 rows, 2 columns: spam is +1, ham is -1
    <BLANKLINE>
      mistakes       2 in 2 passes; the last pass made none
      margin         0.4472, the distance from the boundary to the nearest row
      mistake bound  at most 55 mistakes, in whatever order these rows come (Novikoff 1962):
                     (R/γ)², with R = 3.317 the longest row and γ = 0.4472 the margin, both
                     with the constant 1 as one more column
    <BLANKLINE>
      proven         A halfspace has every row strictly on its side: the rows are linearly
                     separable.
                     Checked again on all 4 rows, in exact arithmetic: it holds.
      not proven     that no halfspace has a larger margin; how the model does on other rows
    """
    lines = _one(summary) if len(summary.tasks) == 1 else _several(summary)
    return wrap_lines(lines, width)


def _one(summary: Summary) -> Iterator[Line]:
    (task,) = summary.tasks
    yield f"{_head(summary)}: {named(task.positive)} is +1, {named(task.negative)} is -1"
    yield ""
    if task.mistakes is not None:
        yield "mistakes", _mistakes(task)
    if task.gap is not None:
        yield "gap", f"at most {number(task.gap)} of the objective is left to gain"
    if task.errors or (task.errors is not None and task.mistakes is None):
        yield "errors", _errors(task.errors, summary.data)
    if task.fewest is not None and task.errors is not None:
        yield "", _fewest(task.fewest, task.errors)
    if task.figures.geometric_margin is not None and task.figures.geometric_margin > 0:
        distance = at_least(task.figures.geometric_margin)
        yield "margin", f"{distance}, the distance from the boundary to the nearest row"
    if task.promise is not None:
        yield ("mistake bound" if task.promise.quantity == "mistakes" else "bound"), _bound(summary, task)
    yield from _centred(summary, task)
    if summary.held_out is not None:
        yield "held out", errors_in_words(summary.held_out)
    yield ""
    yield from _evidence(summary, task)


def _several(summary: Summary) -> Iterator[Line]:
    yield f"{_head(summary)}: {len(summary.tasks)} classes, each against the rest"
    yield ""
    titles: tuple[str, ...] = ("class", "mistakes", "passes", "errors", "margin", "at most", "proven")
    shown = summary.tasks[:MAX_CLASSES]
    driven = summary.tasks[0].mistakes is not None
    fewest = any(task.fewest is not None for task in shown)
    if driven:
        cells = [_row(task) for task in shown]
    else:
        titles = ("class", "errors", "at least" if fewest else "gap", "proven")
        cells = [_convex_row(task) for task in shown]
    yield from table(titles, cells)
    if len(summary.tasks) > len(shown):
        yield f"  and {several(len(summary.tasks) - len(shown), 'more class', 'more classes')}"
    yield ""
    yield "  errors   rows on the wrong side"
    if driven:
        yield "  margin   the distance from the boundary to the nearest row"
        yield "  at most  what the theorem of the method allows for that margin"
    elif fewest:
        yield "  at least errors that every halfspace makes, proven"
    else:
        yield "  gap      the share of the objective that is left to gain, at most"
    yield ""
    if summary.held_out is not None:
        yield "held out", errors_in_words(summary.held_out)
        yield ""
    open_ones = [task for task in summary.tasks if not task.evidence.proven]
    done = [task for task in summary.tasks if task.evidence.proven]
    claims: dict[str, list[str]] = {}
    for task in done:
        claims.setdefault(task.evidence.claim, []).append(named(task.positive))
    for place, (claim, labels) in enumerate(claims.items()):
        yield ("" if place else "proven"), f"{', '.join(labels)}: {claim}"
    if done and all(task.evidence.holds for task in done):
        each = "each holds" if len(done) > 1 else "it holds"
        yield "", f"Checked again on {all_rows(summary.data.rows or 0)}, in exact arithmetic: {each}."
    if open_ones:
        first = open_ones[0]
        reason = first.evidence.reason if first.evidence.holds is False else first.evidence.claim
        of = f"for {several(len(open_ones), 'class', 'classes')}. {named(first.positive)} against the rest"
        yield "nothing", f"{of}: {reason}"


def _head(summary: Summary) -> str:
    data = summary.data
    size = f"{several(data.rows, 'row')}, " if data.rows is not None else ""
    size += several(data.columns, "column")
    where = f"{data.name} ({size})" if data.name else size
    how = [] if summary.intercept else ["through the origin"]
    how += ["centred"] if summary.centred else []
    title = f"{summary.estimator} ({', '.join(how)})" if how else summary.estimator
    return f"{title} on {where}"


def _fewest(fewest: int, errors: int) -> str:
    if fewest >= errors:
        return "no halfspace makes fewer: proven"
    return f"the fewest that any halfspace makes are between {counted(fewest)} and {counted(errors)}"


def _mistakes(task: Task) -> str:
    assert task.mistakes is not None
    text = f"{counted(task.mistakes)} in {several(task.passes, 'pass', 'passes')}"
    if task.updates is not None and task.updates != task.mistakes:
        text += f", with {several(task.updates, 'update')} of the weights"
    if not task.mistakes_per_pass:
        return text
    last = task.mistakes_per_pass[-1]
    return f"{text}; the last pass made {'none' if last == 0 else counted(last)}"


def _errors(errors: int, data: Data) -> str:
    of = "" if data.rows is None else f" of {several(data.rows, 'row')}"
    return f"{counted(errors)}{of} on the wrong side of the boundary, or on it"


def _bound(summary: Summary, task: Task) -> str:
    promise = task.promise
    assert promise is not None
    one = promise.at_most < 2
    what = (
        f"mistake{'s' * (not one)}"
        if promise.quantity == "mistakes"
        else f"update{'s' * (not one)} of the weights"
    )
    order = "" if promise.quantity == "turns" else ", in whatever order these rows come"
    formula = "(R/γ)²" if promise.theorem in SQUARED_RATIO_THEOREMS else "a multiple of (R/γ)²"
    middle = " around their middle" if summary.centred else ""
    constant = ", both with the constant 1 as one more column" if summary.intercept else ""
    theorem = THEOREMS.get(promise.theorem, promise.theorem)
    radius, margin = number(promise.radius), at_least(promise.margin)
    return (
        f"at most {at_most(promise.at_most)} {what}{order} ({theorem}): {formula}, with R = {radius} the "
        f"longest row{middle} and γ = {margin} the margin{constant}"
    )


def _centred(summary: Summary, task: Task) -> Iterator[Line]:
    """Far from the origin the bound explodes: say what centring would make of it."""
    moved, promise = task.figures.bound_centred, task.promise
    can = summary.parameters.get("center") is False and summary.intercept
    if can and promise is not None and moved is not None and promise.at_most > CENTRING_FACTOR * moved:
        yield "centred", f"with the origin amid the rows the bound would be {at_most(moved)} (center=True)"


def _evidence(summary: Summary, task: Task) -> Iterator[Line]:
    evidence = task.evidence
    if not evidence.is_claim:
        yield "proven", f"nothing. {evidence.claim}"
    elif evidence.holds is False:
        yield "proven", f"nothing: its certificate is refused. {evidence.reason}"
    else:
        yield "proven", evidence.claim
        if evidence.holds:
            yield "", f"Checked again on {all_rows(summary.data.rows or 0)}, in exact arithmetic: it holds."
    for note in summary.notes:
        if note != evidence.claim:
            yield "note", note
    yield "not proven", "; ".join(evidence.open)


def _convex_row(task: Task) -> tuple[str, ...]:
    return (
        named(task.positive),
        "" if task.errors is None else counted(task.errors),
        counted(task.fewest) if task.fewest is not None else "" if task.gap is None else number(task.gap),
        _verdict(task),
    )


def _row(task: Task) -> tuple[str, ...]:
    assert task.mistakes is not None
    margin = task.figures.geometric_margin
    bound = None if task.promise is None else task.promise.at_most
    return (
        named(task.positive),
        counted(task.mistakes),
        counted(task.passes or 0),
        "" if task.errors is None else counted(task.errors),
        at_least(margin) if margin is not None and margin > 0 else "none",
        at_most(bound) if bound is not None and math.isfinite(bound) else "no bound",
        _verdict(task),
    )


def _verdict(task: Task) -> str:
    evidence = task.evidence
    if not evidence.proven:
        return "nothing" if evidence.holds is not False else "refused"
    return evidence.kind.replace("-", " ")
