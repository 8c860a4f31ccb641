"""The figures of a report, each one SVG text: the outcome of a fit, and the losses compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix import losses
from separatrix.reports.axes import draw_edge, draw_frame, panel
from separatrix.reports.formatting import at_least, at_most, named, several
from separatrix.reports.panels import draw_mistakes, draw_points
from separatrix.reports.points import points_of
from separatrix.reports.summary import Summary, Task
from separatrix.reports.svg import Drawing, shortened
from separatrix.rows import as_rows

WIDTH = 860.0
LEFT, GAP, RIGHT = 72.0, 84.0, 24.0
PANEL_HEIGHT = 320.0
MAX_TASKS = 6

LINE_STYLES = {
    "zero_one": ("ink", None),
    "perceptron": ("plus", None),
    "hinge": ("minus", None),
    "squared_hinge": ("third", "8 4"),
    "logistic": ("fourth", "3 3"),
    "squared": ("fifth", "10 3 2 3"),
}


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
        if hasattr(model, "coef_"):
            code = 1 if binary else place
            points = points_of(rows, code, model.coef_[place], float(model.intercept_[place]))
            bottom = draw_points(drawing, LEFT, top, wide, PANEL_HEIGHT, points, task)
            if task.mistakes is not None:
                bottom = max(bottom, draw_mistakes(drawing, LEFT + wide + GAP, top, wide, PANEL_HEIGHT, task))
        else:
            bottom = draw_mistakes(drawing, LEFT, top, WIDTH - LEFT - RIGHT, PANEL_HEIGHT, task)
    drawing.height = bottom + 4
    return drawing.to_svg()


def losses_compared() -> str:
    """Every loss of `separatrix.losses` against the margin m = s·score."""
    description = (
        "Six losses against the margin m = sign times score, from -3 to 3. Zero-one is 1 up to m = 0 and 0 "
        "after it. The perceptron loss falls to 0 at m = 0, hinge and squared hinge at m = 1, logistic never "
        "quite; the squared loss is 0 at m = 1 and grows again beyond."
    )
    drawing = Drawing(760, 430, "The losses compared", description, "losses")
    drawing.text(26, 30, "The losses compared", class_="ink heading")
    area = panel(LEFT, 72, 440, 290, (-3.0, 3.0), (0.0, 4.0))
    draw_frame(drawing, area, "Loss of one row", "margin m = sign · score", "loss")
    margins = np.linspace(-3.0, 3.0, 241)
    with drawing.clipped(area.left, area.top - 1, area.width, area.height + 2):
        for loss in losses.ALL.values():
            colour, dashes = LINE_STYLES.get(loss.name, ("sixth", None))
            values = np.minimum(loss.value(margins), 5.0)
            if loss.name == "zero_one":
                steps = [(-3.0, 1.0), (0.0, 1.0), (0.0, 0.0), (3.0, 0.0)]
            else:
                steps = list(zip(margins.tolist(), values.tolist(), strict=True))
            drawing.path(
                [area.point(*p) for p in steps], class_=f"line {colour}-line", stroke_dasharray=dashes
            )
    draw_edge(drawing, area)
    x, y = area.right + 34, area.top + 6
    for loss in losses.ALL.values():
        colour, dashes = LINE_STYLES.get(loss.name, ("sixth", None))
        drawing.path([(x, y), (x + 28, y)], class_=f"line {colour}-line", stroke_dasharray=dashes)
        drawing.text(x + 38, y + 4, loss.name.replace("_", "-" if loss.name == "zero_one" else " "))
        formula = loss.formula.replace("-", "−").replace("<=", "≤")
        also = " = (1 − m)²" if loss is losses.squared else ""
        drawing.text(x + 38, y + 20, formula + also, class_="faint small")
        y += 48
    return drawing.to_svg()


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
