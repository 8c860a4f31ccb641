"""What every display does: find axes to draw on, and remember them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from separatrix.reports.figures.chart import Band, Bars, Chart, Layer, Line
from separatrix.reports.svg import LIGHT

PLUS, MINUS, INK = LIGHT["plus"], LIGHT["minus"], LIGHT["ink"]
MARKS: dict[str, dict[str, Any]] = {
    "plus": {"s": 18, "c": PLUS, "marker": "o", "alpha": 0.8},
    "minus": {"s": 18, "c": MINUS, "marker": "s", "alpha": 0.8},
    "wrong": {"s": 50, "c": INK, "marker": "x", "linewidths": 1.5},
    "nearest": {"s": 90, "facecolors": "none", "edgecolors": INK},
}


class Display(ABC):
    """A figure that can be drawn again.

    Attributes
    ----------
    ax_, figure_
        What it was last drawn on.
    """

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax``, or on new axes; the display comes back."""
        if ax is None:
            ax = pyplot().subplots()[1]
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        draw_chart(ax, self.chart())

    @abstractmethod
    def chart(self) -> Chart:
        """What is drawn."""


def draw_chart(ax: Any, chart: Chart) -> None:
    """A chart on these axes, with a legend of what has a name."""
    for order, layer in enumerate(chart.layers):
        _draw_layer(ax, layer, order + 1)
    for axis, set_scale, set_limits, set_label in (
        (chart.across, ax.set_xscale, ax.set_xlim, ax.set_xlabel),
        (chart.up, ax.set_yscale, ax.set_ylim, ax.set_ylabel),
    ):
        set_scale("log" if axis.log else "linear")
        set_limits(axis.low, axis.high)
        set_label(axis.name)
    if chart.named:
        ax.legend()


def _draw_layer(ax: Any, layer: Layer, order: int) -> None:
    label = layer.name or None
    if isinstance(layer, Band):
        ax.fill(layer.x, layer.y, color=LIGHT["street"], zorder=order, label=label)
    elif isinstance(layer, Bars):
        left, right, low, high = map(np.asarray, (layer.left, layer.right, layer.low, layer.high))
        style = {"color": LIGHT[layer.colour], "alpha": 0.6, "zorder": order}
        ax.bar(left, high - low, right - left, low, align="edge", label=label, **style)
    elif isinstance(layer, Line):
        dashes = "-" if layer.dashes is None else (0, tuple(map(float, layer.dashes.split())))
        style = {"color": LIGHT[layer.colour], "zorder": order, "marker": "." if layer.dots else None}
        style |= {"linestyle": dashes if layer.line else "", "linewidth": 0.8 if layer.thin else 1.5}
        ax.plot(layer.x, layer.y, label=label, **style)
    else:
        ax.scatter(layer.x, layer.y, label=label, zorder=order, **MARKS[layer.mark])


def pyplot() -> Any:
    try:
        from matplotlib import pyplot as found
    except ImportError:
        raise ImportError("Figures need matplotlib: install separatrix[plot].") from None
    return found


def two_classes(model: Any) -> None:
    """Refuse what is no single halfspace."""
    if not hasattr(model, "classes_") or not hasattr(model, "coef_"):
        raise ValueError(f"A {type(model).__name__} that is not fitted, or has no weights, cannot be drawn.")
    if len(model.classes_) != 2:
        raise ValueError(
            f"The model has {len(model.classes_)} classes, a figure shows 2: fit one class against the rest."
        )
