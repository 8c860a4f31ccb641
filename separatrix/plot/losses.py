"""The losses against the margin of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix import losses as known
from separatrix.plot.display import Display
from separatrix.reports.figures.chart import Chart
from separatrix.reports.figures.losses import losses_chart


@dataclass
class LossesDisplay(Display):
    """Every loss, or those named, for margins in a range."""

    names: tuple[str, ...]
    low: float = -3.0
    high: float = 3.0

    @classmethod
    def from_names(cls, *names: str, ax: Any = None) -> LossesDisplay:
        """Draw the losses of these names; without names all of them."""
        for name in names:
            if name not in known.ALL:
                raise ValueError(f"{name!r} is no loss; they are {', '.join(known.ALL)}.")
        shown: LossesDisplay = cls(names or tuple(known.ALL)).plot(ax)
        return shown

    def chart(self) -> Chart:
        return losses_chart(self.names, self.low, self.high)


def losses(*names: str, ax: Any = None) -> Any:
    """Draw losses against the margin; the axes come back."""
    return LossesDisplay.from_names(*names, ax=ax).ax_
