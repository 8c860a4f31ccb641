"""The figures of a report, drawn from the record alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from separatrix.reports.axes import Panel, Scale, draw_edge, draw_frame, draw_legend, draw_mark, padded, panel
from separatrix.reports.diagnosis.diagnosis_record import BoundaryWeight, Picture, TaskDiagnosis
from separatrix.reports.formatting import at_most, counted, named, number, several
from separatrix.reports.svg import STYLE, Drawing, shortened

WIDTH, HEIGHT = 480.0, 360.0
LEFT, TOP, RIGHT, BOTTOM = 74.0, 34.0, 16.0, 78.0
MAX_BARS = 16
LARGEST_WEIGHT = 1e300  # of the weights that a scale holds
COLOURS = ("plus", "minus", "third", "fourth", "fifth", "sixth")
DASHES = (None, "7 4", "2 3", "9 3 2 3")


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
    drawing = Drawing(WIDTH, HEIGHT, "Rows and boundary", described, name)
    area = panel(
        LEFT,
        TOP,
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM,
        padded([*picture.across, *([0.0] if picture.projected else [])]),
        padded(picture.up),
    )
    title = "Rows, seen along the weights" if picture.projected else "Rows and boundary"
    draw_frame(drawing, area, title, picture.across_name, picture.up_name)
    with drawing.clipped(area.left, area.top, area.width, area.height):
        half_width = task.margin.lower if task.margin is not None else 0.0
        if picture.normal is not None:
            _margin_band(drawing, area, picture.normal, picture.offset, half_width)
        points = zip(picture.across, picture.up, picture.signs, picture.marked, strict=True)
        for x, y, sign, ringed in points:
            place = area.point(x, y)
            draw_mark(drawing, "plus" if sign > 0 else "minus", *place)
            if ringed:
                draw_mark(drawing, "nearest", *place)
    draw_edge(drawing, area)
    entries = [("plus", named(task.positive)), ("minus", _rest_name(task)), ("boundary", "boundary")]
    if marked:
        entries.append(("nearest", f"{what} row"))
    if task.margin is not None:
        entries.append(("street", "street"))
    drawing.height = draw_legend(drawing, LEFT, area.bottom + 54, WIDTH - LEFT - RIGHT, entries) + 2
    return _figure(drawing, described)


def histogram(task: TaskDiagnosis, picture: Picture, name: str) -> Figure:
    """How far the rows are from the boundary, on their own side of it or on the other."""
    edges, (minus, plus) = picture.bins, picture.counts
    wrong = sum(a + b for right, a, b in zip(edges[1:], minus, plus, strict=True) if right <= 0)
    described = (
        f"How many rows lie how far on their side of the boundary, from {number(edges[0])} to "
        f"{number(edges[-1])}; left of 0 is the wrong side, with {several(wrong, 'row')}."
    )
    drawing = Drawing(WIDTH, HEIGHT, "Distances from the boundary", described, name)
    top = max(max(a + b for a, b in zip(minus, plus, strict=True)), 1)
    area = panel(
        LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, (edges[0], edges[-1]), (0.0, top * 1.05)
    )
    draw_frame(drawing, area, "Distances from the boundary", "distance on the row's own side", "rows")
    for k, (a, b) in enumerate(zip(minus, plus, strict=True)):
        left, right = area.x(edges[k]), area.x(edges[k + 1])
        wide = max(0.5, right - left - 0.8)
        for count, start, colour in ((a, 0, "minus"), (b, a, "plus")):
            if count:
                high, low = area.y(start + count), area.y(start)
                drawing.add(
                    "rect", x=left, y=high, width=wide, height=low - high, class_=colour, fill_opacity=0.75
                )
    if edges[0] <= 0 <= edges[-1]:
        x = area.x(0.0)
        drawing.path([(x, area.top), (x, area.bottom)], class_="line ink-line")
    if task.margin is not None and task.margin.lower <= edges[-1]:
        x = area.x(task.margin.lower)
        drawing.path([(x, area.top), (x, area.bottom)], class_="line ink-line", stroke_dasharray="3 3")
    draw_edge(drawing, area)
    entries = [("plus", named(task.positive)), ("minus", _rest_name(task)), ("boundary", "boundary")]
    drawing.height = draw_legend(drawing, LEFT, area.bottom + 54, WIDTH - LEFT - RIGHT, entries) + 2
    return _figure(drawing, described)


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
    drawing = Drawing(WIDTH, HEIGHT, "Mistakes, pass by pass", described, name)
    shown = [max(0.7, float(m)) for m in run.mistakes_shown] or [0.7]
    high = max([*shown, run.mistakes, 1.0])
    near = run.bound is not None and run.bound <= 1e4 * high
    top = max(high, run.bound if near and run.bound is not None else 0.0)
    area = Panel(
        LEFT,
        TOP,
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM,
        Scale(0.5, max(run.passes, 1) + 0.5, LEFT, WIDTH - RIGHT),
        Scale(0.7, top * 2, HEIGHT - BOTTOM, TOP, True),
    )
    draw_frame(drawing, area, "Mistakes, pass by pass", "pass", "mistakes", whole=True)
    wide = max(1.0, min(18.0, 0.7 * area.width / max(1, run.passes)))
    for at, made in zip(run.passes_shown, run.mistakes_shown, strict=True):
        if made:
            x, y = area.point(at, made)
            drawing.add(
                "rect",
                x=x - wide / 2,
                y=y,
                width=wide,
                height=area.bottom - y,
                class_="plus",
                fill_opacity=0.45,
            )
    total = area.y(max(0.7, float(run.mistakes)))
    drawing.path([(area.left, total), (area.right, total)], class_="line plus-line")
    entries = [("bar", "mistakes in a pass"), ("total", f"in all: {counted(run.mistakes)}")]
    if near and run.bound is not None:
        y = area.y(run.bound)
        drawing.path([(area.left, y), (area.right, y)], class_="line minus-line", stroke_dasharray="6 4")
        entries.append(("bound", f"Novikoff: {at_most(run.bound)}"))
    elif run.bound is not None:
        entries.append(("bound", f"Novikoff: {at_most(run.bound)}, far above"))
    draw_edge(drawing, area)
    drawing.height = draw_legend(drawing, LEFT, area.bottom + 54, WIDTH - LEFT - RIGHT, entries) + 2
    return _figure(drawing, described)


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
    return _figure(drawing, described)


def interval(task: TaskDiagnosis, name: str) -> Figure:
    """How the interval of the fewest errors closed."""
    fewest = task.fewest
    assert fewest is not None
    ended = "closed" if fewest.optimal else f"between {fewest.lower} and {fewest.upper}"
    described = (
        f"The fewest errors of a halfspace: found and proven bounds against seconds of search; at the end "
        f"the interval is {ended}."
    )
    drawing = Drawing(WIDTH, HEIGHT, "The fewest errors", described, name)
    times = [max(0.001, t) for t, _, _ in fewest.history]
    values = [v for _, low, high in fewest.history for v in (low, high)]
    area = Panel(
        LEFT,
        TOP,
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM,
        Scale(min(times) * 0.8, max(times) * 1.25, LEFT, WIDTH - RIGHT, True),
        Scale(*padded([float(v) for v in values]), HEIGHT - BOTTOM, TOP),
    )
    draw_frame(drawing, area, "The fewest errors, as the search went on", "seconds", "errors")
    for colour, dashes, which in (("plus", None, 2), ("minus", "6 4", 1)):
        steps: list[tuple[float, float]] = []
        for t, entry in zip(times, fewest.history, strict=True):
            value = float(entry[which])
            if steps:
                steps.append((t, steps[-1][1]))
            steps.append((t, value))
        steps.append((max(times) * 1.25, steps[-1][1]))
        drawing.path([area.point(*p) for p in steps], class_=f"line {colour}-line", stroke_dasharray=dashes)
    draw_edge(drawing, area)
    entries = [
        ("total", f"found: {counted(fewest.upper)}"),
        ("bound", f"proven at least: {counted(fewest.lower)}"),
    ]
    drawing.height = draw_legend(drawing, LEFT, area.bottom + 54, WIDTH - LEFT - RIGHT, entries) + 2
    return _figure(drawing, described)


def ridge(task: TaskDiagnosis, name: str) -> Figure:
    """Least squares on the labels ±1 with a growing penalty, and the error on rows left out."""
    path = task.ridge
    assert path is not None
    described = (
        f"Ridge coefficients of the standardised columns against the penalty alpha, for the "
        f"{several(len(path.columns), 'column')} with the largest; leaving rows out chooses alpha = "
        f"{number(path.best)}."
    )
    drawing = Drawing(WIDTH, HEIGHT, "Ridge path", described, name)
    values = [v for curve in path.coefficients for v in curve]
    area = Panel(
        LEFT,
        TOP,
        WIDTH - LEFT - RIGHT,
        HEIGHT - TOP - BOTTOM,
        Scale(path.alphas[0], path.alphas[-1], LEFT, WIDTH - RIGHT, True),
        Scale(*padded(values), HEIGHT - BOTTOM, TOP),
    )
    draw_frame(drawing, area, "Ridge path of the labels ±1", "penalty alpha", "coefficient")
    with drawing.clipped(area.left, area.top, area.width, area.height):
        for place, curve in enumerate(path.coefficients):
            points = [area.point(a, v) for a, v in zip(path.alphas, curve, strict=True)]
            drawing.path(
                points,
                class_=f"line {COLOURS[place % len(COLOURS)]}-line",
                stroke_dasharray=DASHES[place // len(COLOURS) % len(DASHES)],
            )
        x = area.x(path.best)
        drawing.path([(x, area.top), (x, area.bottom)], class_="thin ink-line", stroke_dasharray="3 3")
    draw_edge(drawing, area)
    y = area.bottom + 54
    x = LEFT
    for place, column in enumerate(path.columns[:6]):
        shown = shortened(column, 96, 11)
        drawing.path(
            [(x, y), (x + 18, y)],
            class_=f"line {COLOURS[place % len(COLOURS)]}-line",
            stroke_dasharray=DASHES[place // len(COLOURS) % len(DASHES)],
        )
        drawing.text(x + 23, y + 4, shown, class_="ink small")
        x += 130
        if place % 3 == 2:
            x, y = LEFT, y + 18
    drawing.height = y + 18
    return _figure(drawing, described)


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


def _margin_band(
    drawing: Drawing, area: Panel, normal: tuple[float, float], offset: float, half: float
) -> None:
    """The line normal·p + offset = 0 and, at ``half`` from it, the edges of the street."""
    half_length = 4 * math.hypot(area.x.high - area.x.low, area.y.high - area.y.low) + abs(offset)
    along = (-normal[1], normal[0])

    def line(shift: float) -> list[tuple[float, float]]:
        nearest_point = (-(offset - shift) * normal[0], -(offset - shift) * normal[1])
        return [
            area.point(nearest_point[0] + t * along[0], nearest_point[1] + t * along[1])
            for t in (-half_length, half_length)
        ]

    if half > 0:
        lower, upper = line(-half), line(half)
        drawing.path([*lower, *reversed(upper)], closed=True, class_="street")
        for edge in (lower, upper):
            drawing.path(edge, class_="thin faint-line", stroke_dasharray="4 4")
    drawing.path(line(0.0), class_="line ink-line")


def _rest_name(task: TaskDiagnosis) -> str:
    return "the rest" if task.negative is None else named(task.negative)


def _figure(drawing: Drawing, caption: str) -> Figure:
    # The style stands once on the page, not in every figure.
    return Figure(caption, drawing.to_svg().replace(f"<style>{STYLE}</style>\n", ""))
