"""The outcome of a fit: where the boundary runs, and how the mistakes came."""

from __future__ import annotations

from typing import Any

from separatrix.reports.figures.boundary import boundary_chart
from separatrix.reports.figures.chart import Chart
from separatrix.reports.figures.mistakes import bound_name, course_of, mistakes_chart
from separatrix.reports.figures.svg_chart import draw_chart, draw_legend
from separatrix.reports.formatting import at_least, at_most, counted, named, several
from separatrix.reports.points import Points, points_of
from separatrix.reports.summary import Summary, Task
from separatrix.reports.svg import Drawing, shortened
from separatrix.rows import as_rows

WIDTH = 860.0
LEFT, GAP, RIGHT = 72.0, 84.0, 24.0
PANEL_HEIGHT = 320.0
MAX_TASKS = 6


def outcome(summary: Summary, model: Any, X: Any, y: Any = None) -> str:
    """How a fit ended, and how it got there: rows, boundary and margin; mistakes by pass under their bound.

    Two columns are drawn as they are, more as their projection on w and on the direction along the boundary
    in which the rows spread most. With more than two classes there is a pair of panels for each of the
    first six.
    """
    rows = as_rows(X, y)
    binary = len(summary.tasks) == 1
    tasks = summary.tasks[:MAX_TASKS]
    heading, verdict = _heading(summary), _verdict(summary)
    drawing = Drawing(WIDTH, 0.0, heading, _description(summary), "outcome")
    drawing.text(26, 30, shortened(heading, WIDTH - 52, 15), class_="ink heading")
    drawing.text(26, 50, shortened(verdict, WIDTH - 52), class_="faint")
    wide = (WIDTH - LEFT - GAP - RIGHT) / 2
    bottom = 50.0
    for place, task in enumerate(tasks):
        top = bottom + 46
        if not hasattr(model, "coef_"):
            bottom = _draw(drawing, _mistakes(task), LEFT, top, WIDTH - LEFT - RIGHT)
            continue
        points = points_of(rows, 1 if binary else place, model.coef_[place], float(model.intercept_[place]))
        bottom = _draw(drawing, _boundary(points, task), LEFT, top, wide)
        if task.mistakes is not None:
            bottom = max(bottom, _draw(drawing, _mistakes(task), LEFT + wide + GAP, top, wide))
    drawing.height = bottom + 4
    return drawing.to_svg()


def _draw(drawing: Drawing, chart: Chart, left: float, top: float, width: float) -> float:
    area = chart.panel(left, top, width, PANEL_HEIGHT)
    draw_chart(drawing, area, chart)
    return draw_legend(drawing, chart, left - 46, area.bottom + 58, width + 46)


def _boundary(points: Points, task: Task) -> Chart:
    margin = task.figures.geometric_margin
    half_width = margin if margin is not None and margin > 0 and points.normal is not None else None
    shown = len(points.place)
    some = f" ({counted(shown)} of {counted(points.of)} rows)" if shown < points.of else ""
    other = "the rest" if task.negative is None else named(task.negative)
    return boundary_chart(
        points,
        (f"{other} (−1)", f"{named(task.positive)} (+1)"),
        title=_title(task, "Rows and boundary") + some,
        half_width=half_width,
        band="" if half_width is None else f"margin {at_least(half_width)} on each side",
        ringed=None if half_width is None else points.margins <= half_width * (1 + 1e-6),
    )


def _mistakes(task: Task) -> Chart:
    promise = task.promise if task.promise is not None and task.promise.quantity == "mistakes" else None
    return mistakes_chart(
        course_of(task.mistakes_per_pass or ()),
        None if promise is None else promise.at_most,
        title=_title(task, "Mistakes, pass by pass"),
        theorem=bound_name(promise),
    )


def _title(task: Task, title: str) -> str:
    return title if task.negative is not None else f"{named(task.positive)} against the rest: {title.lower()}"


def _heading(summary: Summary) -> str:
    where = f" on {summary.data.name}" if summary.data.name else ""
    if len(summary.tasks) > 1:
        return f"{summary.estimator}{where}: {len(summary.tasks)} classes, each against the rest"
    (task,) = summary.tasks
    if task.mistakes is None:
        made = "" if task.errors is None else f": {several(task.errors, 'error')}"
        return f"{summary.estimator}{where}{made}"
    made, passes = several(task.mistakes, "mistake"), several(task.passes, "pass", "passes")
    return f"{summary.estimator}{where}: {made} in {passes}"


def _verdict(summary: Summary) -> str:
    if len(summary.tasks) > 1:
        done = sum(task.evidence.proven for task in summary.tasks)
        return f"A proof for {done} of {len(summary.tasks)} classes."
    evidence = summary.tasks[0].evidence
    if not evidence.proven:
        return "Nothing is proven."
    return f"Proven: {evidence.claim}"


def _description(summary: Summary) -> str:
    return " ".join(
        [f"{_heading(summary)}.", _verdict(summary), *map(_task_description, summary.tasks[:MAX_TASKS])]
    )


def _task_description(task: Task) -> str:
    """One task in words, for those who do not see the picture."""
    other = "the rest" if task.negative is None else named(task.negative)
    margin = task.figures.geometric_margin
    parts = [f"{named(task.positive)} against {other}"]
    if task.mistakes is not None:
        parts[0] += f": {several(task.mistakes, 'mistake')}"
    if margin is not None and margin > 0:
        parts.append(f"the nearest row is {at_least(margin)} from the boundary")
    if task.errors:
        parts.append(f"{several(task.errors, 'row')} on the wrong side")
    if task.promise is not None and task.promise.quantity == "mistakes":
        parts.append(f"the theorem allows at most {at_most(task.promise.at_most)}")
    return ", ".join(parts) + "."
