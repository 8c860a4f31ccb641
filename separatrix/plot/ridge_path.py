"""A ridge path: coefficients and leave-one-out error against the penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.plot.display import Display, draw_chart
from separatrix.reports.figures.chart import Chart
from separatrix.reports.figures.ridge_path import left_out_chart, path_chart


@dataclass
class PathDisplay(Display):
    """The coefficients of a ridge path, and on a second axis the error on rows left out.

    Parameters
    ----------
    path : RidgePath
    names : sequence of str, optional
        Of the columns; the six with the largest coefficients are named in the legend.
    """

    path: Any
    names: Sequence[str] | None = None

    @classmethod
    def from_path(cls, path: Any, names: Sequence[str] | None = None, *, ax: Any = None) -> PathDisplay:
        """Draw a path that `Ridge.path` made."""
        shown: PathDisplay = cls(path, names).plot(ax)
        return shown

    def chart(self) -> Chart:
        return path_chart(self.path, self.names)

    def _draw(self, ax: Any) -> None:
        super()._draw(ax)
        left_out = left_out_chart(self.path)
        if left_out is not None:
            self.beside_ = ax.twinx()
            draw_chart(self.beside_, left_out)


def path(path: Any, names: Sequence[str] | None = None, *, ax: Any = None) -> Any:
    """Draw a ridge path; the axes come back."""
    return PathDisplay.from_path(path, names, ax=ax).ax_
