"""Curves over one pair of axes, with their names beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.reports.axes import Panel, Scale, draw_edge, draw_frame
from separatrix.reports.svg import Drawing, text_width

LEFT, TOP, WIDTH, HEIGHT = 84.0, 76.0, 440.0, 290.0
LINE_STYLES = (
    ("plus", None),
    ("minus", "8 4"),
    ("third", "3 3"),
    ("fourth", "10 3 2 3"),
    ("fifth", "1 4"),
    ("sixth", "14 4"),
    ("ink", "2 2"),
)


@dataclass(frozen=True)
class Curve:
    """A name and points; ``dots`` marks each of them, ``stroke`` picks colour and dashes."""

    name: str
    x: Any
    y: Any
    stroke: int = 0
    dots: bool = False
    line: bool = True


@dataclass(frozen=True)
class Axis:
    """What is along an axis, and from where to where."""

    name: str
    low: float
    high: float
    log: bool = False


def chart(
    name: str,
    title: str,
    description: str,
    across: Axis,
    up: Axis,
    curves: Sequence[Curve],
    *,
    heading: str = "",
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """One panel with curves, a legend to its right, and vertical lines with their words at ``marks``."""
    words = max((text_width(part) for curve in curves for part in curve.name.split("\n")), default=0.0)
    drawing = Drawing(LEFT + WIDTH + 34 + 38 + words + 20, TOP + HEIGHT + 64, title, description, name)
    drawing.text(26, 30, title, class_="ink heading")
    area = Panel(
        LEFT,
        TOP,
        WIDTH,
        HEIGHT,
        Scale(across.low, across.high, LEFT, LEFT + WIDTH, across.log),
        Scale(up.low, up.high, TOP + HEIGHT, TOP, up.log),
    )
    draw_frame(drawing, area, heading, across.name, up.name)
    for place, word in marks:
        x = area.x(place)
        drawing.path([(x, area.top), (x, area.bottom)], class_="thin ink-line", stroke_dasharray="2 4")
        drawing.text(x + 5, area.top + 14, word, class_="faint small")
    with drawing.clipped(area.left, area.top - 4, area.width + 4, area.height + 5):
        for curve in curves:
            _draw(drawing, area, curve)
    draw_edge(drawing, area)
    x, y = area.right + 34, area.top + 8
    for curve in curves:
        _sample(drawing, curve, x, y)
        for part in curve.name.split("\n"):
            drawing.text(x + 38, y + 4, part)
            y += 17
        y += 11
    return drawing.to_svg()


def _draw(drawing: Drawing, area: Panel, curve: Curve) -> None:
    colour, dashes = LINE_STYLES[curve.stroke]
    points = [area.point(float(x), float(y)) for x, y in zip(curve.x, curve.y, strict=True)]
    if curve.line:
        drawing.path(points, class_=f"line {colour}-line", stroke_dasharray=dashes)
    if curve.dots:
        for x, y in points:
            drawing.add("circle", cx=x, cy=y, r=3, class_=colour, fill_opacity=0.8)


def _sample(drawing: Drawing, curve: Curve, x: float, y: float) -> None:
    colour, dashes = LINE_STYLES[curve.stroke]
    if curve.line:
        drawing.path([(x, y), (x + 28, y)], class_=f"line {colour}-line", stroke_dasharray=dashes)
    if curve.dots:
        drawing.add("circle", cx=x + 14, cy=y, r=3, class_=colour, fill_opacity=0.8)
