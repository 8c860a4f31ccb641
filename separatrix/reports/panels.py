"""The two panels of a fit: where the boundary runs, and how the mistakes came."""

from __future__ import annotations

import math

import numpy as np

from separatrix.reports.axes import Panel, draw_edge, draw_frame, draw_legend, draw_mark, padded, panel
from separatrix.reports.formatting import at_least, at_most, counted, named
from separatrix.reports.points import Points
from separatrix.reports.summary import Task
from separatrix.reports.svg import Drawing

LOG_SCALE_FACTOR = 12.0  # times: so far below the top, the mistakes of a pass would vanish on a linear scale
MAX_BARS = 240


def draw_points(
    drawing: Drawing, left: float, top: float, width: float, height: float, points: Points, task: Task
) -> float:
    """Rows, boundary and the street of its margin; returns the bottom of the legend below."""
    margin = task.figures.geometric_margin
    half_width = margin if margin is not None and margin > 0 and points.normal is not None else None
    across = np.append(points.place[:, 0], 0.0) if points.projected else points.place[:, 0]
    area = panel(left, top, width, height, padded(across), padded(points.place[:, 1]))
    shown = len(points.place)
    some = f" ({counted(shown)} of {counted(points.of)} rows)" if shown < points.of else ""
    draw_frame(drawing, area, f"{_title(task, 'Rows and boundary')}{some}", points.across, points.up)
    with drawing.clipped(area.left, area.top, area.width, area.height):
        if points.normal is not None:
            _draw_boundary(drawing, area, points, half_width)
        for (x, y), sign in zip(points.place.tolist(), points.signs.tolist(), strict=True):
            draw_mark(drawing, "plus" if sign > 0 else "minus", *area.point(x, y))
        for x, y in points.place[points.margins <= 0].tolist():
            draw_mark(drawing, "wrong", *area.point(x, y))
        if half_width is not None:
            for x, y in points.place[points.margins <= half_width * (1 + 1e-6)].tolist():
                draw_mark(drawing, "nearest", *area.point(x, y))
    draw_edge(drawing, area)
    entries = _entries(points, task, half_width, _is_visible(area, points))
    return draw_legend(drawing, left - 46, area.bottom + 58, width + 46, entries)


def _title(task: Task, title: str) -> str:
    return title if task.negative is not None else f"{named(task.positive)} against the rest: {title.lower()}"


def _is_visible(area: Panel, points: Points) -> bool:
    """Whether the boundary passes between the corners of the panel."""
    if points.normal is None:
        return False
    corners = np.array([(x, y) for x in (area.x.low, area.x.high) for y in (area.y.low, area.y.high)])
    sides = corners @ points.normal + points.offset
    return bool(sides.min() <= 0 <= sides.max())


def _entries(points: Points, task: Task, half_width: float | None, visible: bool) -> list[tuple[str, str]]:
    other = "the rest" if task.negative is None else named(task.negative)
    entries = [("plus", f"{named(task.positive)} (+1)"), ("minus", f"{other} (−1)")]
    if points.normal is not None:
        entries.append(("boundary", "boundary" if visible else "boundary, out of sight"))
    if half_width is not None:
        entries.append(("street", f"margin {at_least(half_width)} on each side"))
        entries.append(("nearest", "nearest row"))
    if (points.margins <= 0).any():
        entries.append(("wrong", "on the wrong side"))
    return entries


def _draw_boundary(drawing: Drawing, area: Panel, points: Points, half_width: float | None) -> None:
    normal = points.normal
    assert normal is not None
    middle = np.array([(area.x.low + area.x.high) / 2, (area.y.low + area.y.high) / 2])
    nearest_point = middle - (normal @ middle + points.offset) * normal
    half_length = abs(normal @ middle + points.offset)
    half_length += math.hypot(area.x.high - area.x.low, area.y.high - area.y.low)
    along = np.array([-normal[1], normal[0]]) * half_length

    def line(distance: float) -> list[tuple[float, float]]:
        at = nearest_point + distance * normal
        return [area.point(*(at - along)), area.point(*(at + along))]

    if half_width is not None:
        low, high = line(-half_width), line(half_width)
        drawing.path([*low, *reversed(high)], closed=True, class_="street")
        for edge in (low, high):
            drawing.path(edge, class_="thin faint-line", stroke_dasharray="4 4")
    drawing.path(line(0.0), class_="line ink-line")


def draw_mistakes(
    drawing: Drawing, left: float, top: float, width: float, height: float, task: Task
) -> float:
    """Mistakes of each pass and in all, under the bound; returns the bottom of the legend below."""
    per_pass = np.array(task.mistakes_per_pass or (0,))
    total = per_pass.cumsum()
    bound = _bound(task)
    highest = max(float(total[-1]), 1.0)
    log = max(bound or highest, LOG_SCALE_FACTOR) > LOG_SCALE_FACTOR * max(float(per_pass.max()), 1.0)
    ceiling = max(bound or highest, highest) * (6.0 if log else 1.2)
    up = (0.5, ceiling) if log else (0.0, ceiling)
    area = panel(left, top, width, height, (0.4, len(per_pass) + 0.6), up, log=log)
    draw_frame(drawing, area, _title(task, "Mistakes, pass by pass"), "pass", "mistakes", whole=True)
    group = max(1, math.ceil(len(per_pass) / MAX_BARS))
    _draw_bars(drawing, area, per_pass, group)
    ends = [*range(group - 1, len(per_pass), group)]
    ends += [len(per_pass) - 1] if ends[-1:] != [len(per_pass) - 1] else []
    drawing.path([area.point(k + 1, max(total[k], 0.5)) for k in ends], class_="line plus-line")
    if len(ends) <= 40:
        for k in ends:
            x, y = area.point(k + 1, max(total[k], 0.5))
            drawing.add("circle", cx=x, cy=y, r=2.6, class_="plus")
    if bound is not None:
        y = area.y(bound)
        drawing.path([(area.left, y), (area.right, y)], class_="line minus-line", stroke_dasharray="6 4")
    draw_edge(drawing, area)
    most = "" if group == 1 else f" (the most of every {group})"
    entries = [("bar", f"in one pass{most}"), ("total", f"in all, {counted(int(total[-1]))} at the end")]
    if bound is not None:
        proven_by = task.promise.theorem if task.promise is not None else ""
        name = "Novikoff's bound" if proven_by == "Novikoff" else "bound of the theorem"
        entries.append(("bound", f"{name}: at most {at_most(bound)}"))
    return draw_legend(drawing, left - 46, area.bottom + 58, width + 46, entries)


def _bound(task: Task) -> float | None:
    """The bound on mistakes; a bound on something else has no place on this scale."""
    promise = task.promise
    if promise is None or promise.quantity != "mistakes" or not math.isfinite(promise.at_most):
        return None
    return max(1.0, promise.at_most)


def _draw_bars(drawing: Drawing, area: Panel, per_pass: np.ndarray, group: int) -> None:
    half = min(11.0, max(0.6, 0.35 * area.width / max(1, len(per_pass) / group)))
    for start in range(0, len(per_pass), group):
        made = int(per_pass[start : start + group].max())
        if made:
            x, y = area.point(start + (group + 1) / 2, made)
            drawing.add(
                "rect",
                x=x - half,
                y=y,
                width=2 * half,
                height=area.bottom - y,
                class_="plus",
                fill_opacity=0.45,
            )
