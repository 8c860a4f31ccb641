"""A summary for a terminal: about a dozen lines, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from separatrix.reports.summary import Data, Summary, Task
from separatrix.reports.wording import at_most, counted, joined, named, number, several, table, wrapped

FAR = 4.0  # times: from here on the centred bound is worth a line
MOST_CLASSES = 12


def render(summary: Summary) -> str:
    """The summary as lines of at most 96 characters.

    >>> import separatrix as sx
    >>> from separatrix.reports import summarise
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 1.0]], ["ham", "ham", "spam", "spam"]
    >>> print(render(summarise(sx.Perceptron().fit(X, y), X, y)))
    Perceptron on 4 rows, 2 columns: spam is +1, ham is -1
    <BLANKLINE>
      mistakes       5 in 4 passes; the last pass made none
      margin         0.3162, the distance from the boundary to the nearest row
      mistake bound  at most 154 mistakes, in whatever order these rows come, for the margin reached:
                     (R/γ)² with R = 3.317, the longest row, and γ = 0.2673, the margin, both with
                     the constant 1 as one more column (Novikoff)
      centred        with the origin in the middle of the rows the bound would be 46 (center=True)
    <BLANKLINE>
      proven         A halfspace has every row strictly on its side: the rows are linearly separable.
                     Checked again on all 4 rows, in exact arithmetic: it holds.
      not proven     that no halfspace has a larger margin; how the model does on other rows
    """
    lines = _one(summary) if len(summary.tasks) == 1 else _several(summary)
    return "\n".join(lines)


def _one(summary: Summary) -> Iterator[str]:
    (task,) = summary.tasks
    yield f"{_head(summary)}: {named(task.positive)} is +1, {named(task.negative)} is -1"
    yield ""
    yield from wrapped("mistakes", _mistakes(task))
    if task.errors:
        yield from wrapped("errors", _errors(task.errors, summary.data))
    if task.figures.geometric_margin is not None and task.figures.geometric_margin > 0:
        distance = number(task.figures.geometric_margin)
        yield from wrapped("margin", f"{distance}, the distance from the boundary to the nearest row")
    if task.promise is not None:
        yield from wrapped("mistake bound" if task.promise.quantity == "mistakes" else "bound", _bound(summary, task))
    yield from _centred(summary, task)
    yield ""
    yield from _evidence(summary, task)


def _several(summary: Summary) -> Iterator[str]:
    yield f"{_head(summary)}: {len(summary.tasks)} classes, each against the rest"
    yield ""
    titles = ("class", "mistakes", "passes", "errors", "margin", "at most", "proven")
    shown = summary.tasks[:MOST_CLASSES]
    yield from table(titles, [_row(task) for task in shown])
    if len(summary.tasks) > len(shown):
        yield f"  and {len(summary.tasks) - len(shown)} more classes"
    yield ""
    yield "  errors: rows on the wrong side; margin: distance from the boundary to the nearest row;"
    yield "  at most: what the theorem of the method allows for that margin, in any order of the rows"
    yield ""
    open_ones = [task for task in summary.tasks if not task.evidence.proven]
    done = [task for task in summary.tasks if task.evidence.proven]
    if done:
        kinds = {task.evidence.claim: None for task in done}
        checked = all(task.evidence.holds for task in done)
        again = " Checked again on all rows, in exact arithmetic: each holds." if checked else ""
        yield from wrapped("proven", f"for {several(len(done), 'class', 'classes')}: {' '.join(kinds)}{again}")
    if open_ones:
        first = open_ones[0]
        said = first.evidence.reason if first.evidence.holds is False else first.evidence.claim
        text = f"for {several(len(open_ones), 'class', 'classes')}. {named(first.positive)} against the rest: {said}"
        yield from wrapped("nothing", text)


def _head(summary: Summary) -> str:
    data = summary.data
    size = f"{several(data.rows, 'row')}, " if data.rows is not None else ""
    where = f"{data.name}: " if data.name else ""
    how = [] if summary.intercept else ["through the origin"]
    how += ["centred"] if summary.centred else []
    title = f"{summary.estimator} ({', '.join(how)})" if how else summary.estimator
    return f"{title} on {where}{size}{several(data.columns, 'column')}"


def _mistakes(task: Task) -> str:
    text = f"{counted(task.mistakes)} in {several(task.passes, 'pass', 'passes')}"
    if task.updates != task.mistakes:
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
    what = promise.quantity if promise.quantity != "turns" else "updates"
    rows = " around the middle of the rows" if summary.centred else ""
    constant = ", both with the constant 1 as one more column" if summary.intercept else ""
    formula = "(R/γ)²" if promise.theorem in ("Novikoff", "batch perceptron", "PA") else "a multiple of (R/γ)²"
    return (
        f"at most {at_most(promise.at_most)} {what}, in whatever order these rows come, for the margin reached: "
        f"{formula} with R = {number(promise.radius)}, the longest row{rows}, and γ = {number(promise.margin)}, the "
        f"margin{constant} ({promise.theorem})"
    )


def _centred(summary: Summary, task: Task) -> Iterator[str]:
    """Far from the origin the bound explodes: say what centring would make of it."""
    moved, promise = task.figures.bound_centred, task.promise
    can = summary.parameters.get("center") is False and summary.intercept
    if can and promise is not None and moved is not None and promise.at_most > FAR * moved:
        bound = at_most(moved)
        yield from wrapped(
            "centred", f"with the origin in the middle of the rows the bound would be {bound} (center=True)"
        )


def _evidence(summary: Summary, task: Task) -> Iterator[str]:
    evidence = task.evidence
    if evidence.kind in ("undecided", "none"):
        yield from wrapped("proven", f"nothing. {evidence.claim}")
    elif evidence.holds is False:
        yield from wrapped("proven", f"nothing: its certificate is refused. {evidence.reason}")
    else:
        yield from wrapped("proven", evidence.claim)
        if evidence.holds:
            yield from wrapped("", f"Checked again on all {summary.data.rows} rows, in exact arithmetic: it holds.")
    for note in summary.notes:
        if note != evidence.claim:
            yield from wrapped("note", note)
    yield from wrapped("not proven", joined(evidence.open, "; "))


def _row(task: Task) -> tuple[str, ...]:
    margin = task.figures.geometric_margin
    bound = None if task.promise is None else task.promise.at_most
    return (
        named(task.positive),
        counted(task.mistakes),
        counted(task.passes),
        "" if task.errors is None else counted(task.errors),
        number(margin) if margin is not None and margin > 0 else "none",
        at_most(bound) if bound is not None and math.isfinite(bound) else "no bound",
        _verdict(task),
    )


def _verdict(task: Task) -> str:
    evidence = task.evidence
    if not evidence.proven:
        return "nothing" if evidence.holds is not False else "refused"
    return evidence.kind.replace("-", " ")
