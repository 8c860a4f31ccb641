"""Scales, ticks and the frame of a panel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.reports.svg import Drawing, shortened, text_width

LEAST_VALUE, LARGEST_VALUE = 1e-300, 1e300


@dataclass(frozen=True)
class Scale:
    """From values to places on the paper, linear or logarithmic."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        place = math.log10(max(value, LEAST_VALUE)) if self.log else value
        return self.start + (place - low) / (high - low) * (self.stop - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers within the scale."""
        return _powers(self.low, self.high, most) if self.log else _round_numbers(self.low, self.high, most)


@dataclass(frozen=True)
class Panel:
    """A rectangle of the paper with two scales."""

    left: float
    top: float
    width: float
    height: float
    x: Scale
    y: Scale

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.x(x), self.y(y)

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def right(self) -> float:
        return self.left + self.width


def padded(values: Sequence[float] | np.ndarray, share: float = 0.08) -> tuple[float, float]:
    """A range around the values; one of some size even if they are all the same.

    >>> padded([0.0, 10.0], 0.1)
    (-1.0, 11.0)
    """
    low, high = max(float(np.min(values)), -LARGEST_VALUE), min(float(np.max(values)), LARGEST_VALUE)
    padding = (high - low) * share
    if not padding > 1e-9 * max(abs(low), abs(high)):
        padding = max(abs(low), abs(high)) * 0.1 or 1.0
    return low - padding, high + padding


def draw_frame(
    drawing: Drawing, area: Panel, title: str, across: str, up: str, *, whole: bool = False
) -> None:
    """Title, grid, ticks and the names of both axes, the second without ticks if it has no name.

    ``whole`` keeps the ticks across to whole numbers.
    """
    drawing.text(area.left, area.top - 12, shortened(title, area.width, 13), class_="ink title")
    for tick in area.x.ticks(max(2, int(area.width / (30 if whole else 55)))):
        if whole and tick != round(tick):
            continue
        x = area.x(tick)
        _grid(drawing, (x, area.top), (x, area.bottom))
        drawing.text(x, area.bottom + 16, tick_text(tick), class_="faint small", text_anchor="middle")
    widest = 0.0
    for tick in area.y.ticks(max(2, int(area.height / 40))) if up else ():
        y, text = area.y(tick), tick_text(tick)
        widest = max(widest, text_width(text, 11))
        _grid(drawing, (area.left, y), (area.right, y))
        drawing.text(area.left - 7, y + 4, text, class_="faint small", text_anchor="end")
    middle = area.left + area.width / 2
    drawing.text(middle, area.bottom + 36, shortened(across, area.width), text_anchor="middle")
    x, y = area.left - 16 - widest, area.top + area.height / 2
    turned = f"rotate(-90 {x:.1f} {y:.1f})"
    drawing.text(x, y, shortened(up, area.height), text_anchor="middle", transform=turned)


def draw_edge(drawing: Drawing, area: Panel) -> None:
    """The left and lower edge, over what was drawn."""
    corners = ((area.left, area.top), (area.left, area.bottom), (area.right, area.bottom))
    drawing.path(corners, class_="thin faint-line")


def draw_mark(drawing: Drawing, mark: str, x: float, y: float) -> None:
    """A row: of the class ``plus`` or ``minus``, or a sign around one that is ``wrong`` or ``nearest``."""
    if mark == "plus":
        drawing.add("circle", cx=x, cy=y, r=3.4, class_="plus", fill_opacity=0.8)
    elif mark == "minus":
        drawing.add("rect", x=x - 3, y=y - 3, width=6, height=6, class_="minus", fill_opacity=0.8)
    elif mark == "wrong":
        cross = f"M{x - 5:.2f} {y - 5:.2f}l10 10m0 -10l-10 10"
        drawing.add("path", d=cross, class_="line ink-line")
    elif mark == "nearest":
        drawing.add("circle", cx=x, cy=y, r=6.5, class_="thin ink-line")


def tick_text(value: float) -> str:
    """A tick as short as it can be.

    >>> tick_text(0.5), tick_text(20000.0), tick_text(10.0**9)
    ('0.5', '20,000', '1e9')
    """
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e6:
        return f"{value:,.10g}".replace("-", "−")
    mantissa, exponent = f"{value:.3e}".split("e")
    shown = mantissa.rstrip("0").rstrip(".").replace("-", "−")
    return f"{shown}e{int(exponent)}"


def _grid(drawing: Drawing, start: tuple[float, float], stop: tuple[float, float]) -> None:
    drawing.path((start, stop), class_="thin grid-line")


def _round_numbers(low: float, high: float, most: int) -> list[float]:
    raw = (high - low) / most
    if not 0 < raw < math.inf:
        return []
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12 - math.floor(math.log10(step))) for k in range(first, last + 1)]


def _powers(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, or round numbers where fewer than two powers are in the range."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if first >= last:
        return _round_numbers(low, high, most)
    step = max(1, math.ceil((last - first + 1) / most))
    return [10.0**k for k in range(first, last + 1, step)]
