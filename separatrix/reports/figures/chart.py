"""What is in a figure: axes and layers. `svg_chart` draws it as SVG, `separatrix.plot` with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.reports.axes import Panel, Scale

Numbers = Sequence[float] | np.ndarray

STROKES = (
    ("plus", None),
    ("minus", "8 4"),
    ("third", "3 3"),
    ("fourth", "10 3 2 3"),
    ("fifth", "1 4"),
    ("sixth", "14 4"),
    ("ink", "2 2"),
)


@dataclass(frozen=True)
class Axis:
    """What is along an axis, and from where to where; ``whole`` keeps its ticks to whole numbers.

    An axis without a name has no ticks: places along it mean nothing.
    """

    name: str
    low: float
    high: float
    log: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Line:
    """A line through points, or the points alone; ``note`` is a second line of its entry in the legend."""

    x: Numbers
    y: Numbers
    colour: str = "ink"
    dashes: str | None = None
    name: str = ""
    note: str = ""
    dots: bool = False
    line: bool = True
    thin: bool = False


@dataclass(frozen=True)
class Marks:
    """Rows: of the class ``plus`` or ``minus``, or those ``wrong`` or ``nearest``."""

    x: Numbers
    y: Numbers
    mark: str
    name: str = ""


@dataclass(frozen=True)
class Bars:
    """Rectangles that stand side by side, or on one another."""

    left: Numbers
    right: Numbers
    low: Numbers
    high: Numbers
    colour: str
    name: str = ""


@dataclass(frozen=True)
class Band:
    """A filled polygon: the street along a boundary."""

    x: Numbers
    y: Numbers
    name: str = ""


Layer = Line | Marks | Bars | Band


@dataclass(frozen=True)
class Chart:
    """A figure. Layers are drawn in order, and those with a name are in the legend.

    ``words`` are short texts at places of the horizontal axis, each with a vertical line.
    """

    title: str
    across: Axis
    up: Axis
    layers: Sequence[Layer]
    words: Sequence[tuple[float, str]] = ()

    def panel(self, left: float, top: float, width: float, height: float) -> Panel:
        """The axes as a rectangle of the paper."""
        x = Scale(self.across.low, self.across.high, left, left + width, self.across.log)
        y = Scale(self.up.low, self.up.high, top + height, top, self.up.log)
        return Panel(left, top, width, height, x, y)

    @property
    def named(self) -> list[Layer]:
        return [layer for layer in self.layers if layer.name]


def stroke(place: int) -> tuple[str, str | None]:
    """Colour and dashes of the line at this place among several."""
    return STROKES[place % len(STROKES)]


def vertical(place: float, up: Axis, dashes: str | None = None, name: str = "") -> Line:
    """A line from the bottom to the top."""
    return Line((place, place), (up.low, up.high), "ink", dashes, name)
