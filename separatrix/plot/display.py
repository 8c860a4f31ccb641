"""What every display does: find axes to draw on, and remember them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

PLUS, MINUS, INK, MARGIN_BAND = "#0b5cad", "#b3470a", "#1f2328", "#f3ecd2"


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

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Everything, on these axes."""


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
