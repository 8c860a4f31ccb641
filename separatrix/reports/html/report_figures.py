"""The figures of a report, drawn from the record alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from separatrix.reports.axes import Panel, Scale, draw_frame, padded
from separatrix.reports.diagnosis.diagnosis_record import BoundaryWeight, Picture, TaskDiagnosis
from separatrix.reports.figures.boundary import boundary_chart
from separatrix.reports.figures.chart import Axis, Chart, Line
from separatrix.reports.figures.margins import margins_chart
from separatrix.reports.figures.mistakes import Course, mistakes_chart
from separatrix.reports.figures.ridge_path import coefficients_chart
from separatrix.reports.figures.svg_chart import draw_chart, draw_legend
from separatrix.reports.formatting import at_most, counted, named, number, several
from separatrix.reports.points import Points
from separatrix.reports.svg import STYLE, Drawing, shortened

WIDTH, HEIGHT = 480.0, 360.0
LEFT, TOP, RIGHT, BOTTOM = 74.0, 34.0, 16.0, 78.0
MAX_BARS = 16
LARGEST_WEIGHT = 1e300  # of the weights that a scale holds


@dataclass(frozen=True)
class Figure:
    """A drawing and the words under it."""

    caption: str
    svg: str


def figures_of(task: TaskDiagnosis, name: str) -> Iterator[Callable[[], Figure]]:
    """What draws every figure that the record of a task can fill; ``name`` begins the identifiers."""
    if task.picture is not None:
        yield partial(scatter, task, task.picture, f"{name}-rows")
        yield partial(histogram, task, task.picture, f"{name}-margins")
    if task.course is not None:
        yield partial(course, task, f"{name}-course")
    if task.coefficients:
        yield partial(coefficients, task, f"{name}-weights")
    if task.fewest is not None and len(task.fewest.history) > 1 and task.kind != "complete":
        yield partial(interval, task, f"{name}-fewest")
    if task.ridge is not None:
        yield partial(ridge, task, f"{name}-ridge")


def scatter(task: TaskDiagnosis, picture: Picture, name: str) -> Figure:
    """The rows seen along the weights, the boundary, and the street where there is one."""
    what = "conflict" if task.conflict else "support"
    marked = sum(picture.marked)
    seen = (
        "the first direction is the distance from the boundary, the second the one along it in which the "
        "rows spread most"
        if picture.projected
        else f"both columns as they are, {picture.across_name} and {picture.up_name}"
    )
    described = (
        f"{several(len(picture.signs), 'row')} as points: {seen}. "
        f"{several(marked, 'row')} of the {what} {'is' if marked == 1 else 'are'} ringed."
    )
    points = Points(
        place=np.column_stack([picture.across, picture.up]),
        signs=np.array(picture.signs),
        margins=np.full(len(picture.signs), np.nan),
        of=len(picture.signs),
        normal=None if picture.normal is None else np.array(picture.normal),
        offset=picture.offset,
        across=picture.across_name,
        up=picture.up_name,
        projected=picture.projected,
    )
    chart = boundary_chart(
        points,
        _names(task),
        title="Rows, seen along the weights" if picture.projected else "Rows and boundary",
        half_width=task.margin.lower if task.margin is not None and task.margin.lower > 0 else None,
        ringed=np.array(picture.marked),
        ring=f"{what} row",
    )
    return _figure(chart, "Rows and boundary", described, name)


def histogram(task: TaskDiagnosis, picture: Picture, name: str) -> Figure:
    """How far the rows are from the boundary, on their own side of it or on the other."""
    edges, (minus, plus) = picture.bins, picture.counts
    wrong = sum(a + b for right, a, b in zip(edges[1:], minus, plus, strict=True) if right <= 0)
    described = (
        f"How many rows lie how far on their side of the boundary, from {number(edges[0])} to "
        f"{number(edges[-1])}; left of 0 is the wrong side, with {several(wrong, 'row')}."
    )
    chart = margins_chart(edges, picture.counts, _names(task), task.margin.lower if task.margin else None)
    return _figure(chart, chart.title, described, name)


def course(task: TaskDiagnosis, name: str) -> Figure:
    """The mistakes of a perceptron, pass by pass, added up, under Novikoff's line where there is one."""
    run = task.course
    assert run is not None
    ended = "the last pass made none" if run.settled else "it did not settle"
    bound = "" if run.bound is None else f" The theorem allows {at_most(run.bound)}."
    described = (
        f"A perceptron made {several(run.mistakes, 'mistake')} in {several(run.passes, 'pass', 'passes')}; "
        f"{ended}.{bound}"
    )
    shown = np.array(run.mistakes_shown or (0,))
    at = run.passes_shown or (1,)
    # Of many passes only some are in the record, and of their mistakes only the sum over all passes.
    totals = shown.cumsum() if shown.sum() == run.mistakes else np.full(len(shown), run.mistakes)
    chart = mistakes_chart(Course(max(run.passes, 1), at, shown, at, totals), run.bound)
    return _figure(chart, chart.title, described, name)


def coefficients(task: TaskDiagnosis, name: str) -> Figure:
    """The weights per standard deviation of their column, the largest first."""
    ranked = sorted(task.coefficients, key=lambda c: -abs(c.standardised))
    shown = ranked[:MAX_BARS]
    rest = len(ranked) - len(shown)
    running = [c.name for c in shown if c.runs_to in ("+inf", "-inf")]
    described = (
        f"The weights of the boundary per standard deviation of each column, the largest "
        f"{len(shown)} of {len(ranked)}; {named(shown[0].name)} weighs most."
        + (f" The logistic fit runs away in {', '.join(map(named, running))}." if running else "")
    )
    if not all(abs(c.standardised) <= LARGEST_WEIGHT for c in shown):
        raise ValueError("weights that have no place on a scale")
    line, left = 19.0, 168.0
    drawing = Drawing(WIDTH, TOP + line * len(shown) + 46, "Weights", described, name)
    most = abs(shown[0].standardised) or 1.0
    area = Panel(
        left,
        TOP,
        WIDTH - left - RIGHT,
        line * len(shown),
        Scale(-most * 1.02, most * 1.02, left, WIDTH - RIGHT),
        Scale(0.0, 1.0, TOP + line * len(shown), TOP),
    )
    draw_frame(drawing, area, "Weights, per standard deviation", "weight times standard deviation", "")
    for place, one in enumerate(shown):
        y = TOP + line * place + line / 2
        _bar(drawing, area, one, y)
        drawing.text(
            left - 8, y + 4, shortened(one.name, left - 20, 11), class_="ink small", text_anchor="end"
        )
    zero = area.x(0.0)
    drawing.path([(zero, area.top), (zero, area.bottom)], class_="thin ink-line")
    if rest:
        drawing.text(
            left - 8, area.bottom + 16, f"and {counted(rest)} more", class_="faint small", text_anchor="end"
        )
    return Figure(described, _without_style(drawing))


def interval(task: TaskDiagnosis, name: str) -> Figure:
    """How the interval of the fewest errors closed."""
    fewest = task.fewest
    assert fewest is not None
    ended = "closed" if fewest.optimal else f"between {fewest.lower} and {fewest.upper}"
    described = (
        f"The fewest errors of a halfspace: found and proven bounds against seconds of search; at the end "
        f"the interval is {ended}."
    )
    times, lower, upper = np.array(fewest.history, float).T
    times = np.maximum(times, 0.001)
    across = Axis("seconds", times.min() * 0.8, times.max() * 1.25, log=True)
    x = np.append(np.repeat(times, 2)[1:], across.high)
    steps = (
        Line(x, np.repeat(upper, 2), "plus", name=f"found: {counted(fewest.upper)}"),
        Line(x, np.repeat(lower, 2), "minus", "6 4", f"proven at least: {counted(fewest.lower)}"),
    )
    up = Axis("errors", *padded([*lower, *upper]))
    chart = Chart("The fewest errors, as the search went on", across, up, steps)
    return _figure(chart, "The fewest errors", described, name)


def ridge(task: TaskDiagnosis, name: str) -> Figure:
    """Least squares on the labels ±1 with a growing penalty, and the error on rows left out."""
    path = task.ridge
    assert path is not None
    described = (
        f"Ridge coefficients of the standardised columns against the penalty alpha, for the "
        f"{several(len(path.columns), 'column')} with the largest; leaving rows out chooses alpha = "
        f"{number(path.best)}."
    )
    title = "Ridge path of the labels ±1"
    chart = coefficients_chart(path.alphas, path.coefficients, path.columns, path.best, title)
    return _figure(chart, "Ridge path", described, name)


def _names(task: TaskDiagnosis) -> tuple[str, str]:
    return "the rest" if task.negative is None else named(task.negative), named(task.positive)


def _figure(chart: Chart, title: str, caption: str, name: str) -> Figure:
    drawing = Drawing(WIDTH, HEIGHT, title, caption, name)
    area = chart.panel(LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)
    draw_chart(drawing, area, chart)
    drawing.height = draw_legend(drawing, chart, LEFT, area.bottom + 54, WIDTH - LEFT - RIGHT) + 2
    return Figure(caption, _without_style(drawing))


def _without_style(drawing: Drawing) -> str:
    """The style stands once on the page, not in every figure."""
    return drawing.to_svg().replace(f"<style>{STYLE}</style>\n", "")


def _bar(drawing: Drawing, area: Panel, one: BoundaryWeight, y: float) -> None:
    value = one.standardised if math.isfinite(one.standardised) else 0.0
    start, stop = sorted((area.x(0.0), area.x(value)))
    colour = "plus" if value >= 0 else "minus"
    drawing.add(
        "rect", x=start, y=y - 6, width=max(0.8, stop - start), height=12, class_=colour, fill_opacity=0.75
    )
    if one.runs_to in ("+inf", "-inf"):
        right = one.runs_to == "+inf"
        x = area.right - 4 if right else area.left + 4
        drawing.text(
            x, y + 4, "→ +∞" if right else "−∞ ←", class_="ink small", text_anchor="end" if right else "start"
        )
