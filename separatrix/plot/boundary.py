"""Rows, the boundary between the classes, and the street along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.plot.display import INK, MARGIN_BAND, MINUS, PLUS, Display, two_classes
from separatrix.reports.points import Points, points_of
from separatrix.rows import as_rows


@dataclass
class BoundaryDisplay(Display):
    """Rows as points of the plane: two columns as they are, more projected on the weights.

    Parameters
    ----------
    points : Points
        What `from_estimator` computes.
    labels : pair of str
        Of the negative and of the positive class.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa", "versicolor")
    >>> display = BoundaryDisplay.from_estimator(sx.MaxMargin().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'distance from the boundary'
    """

    points: Points
    labels: tuple[str, str]

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any = None, *, ax: Any = None) -> BoundaryDisplay:
        """Compute and draw."""
        two_classes(model)
        rows = as_rows(X, y)
        points = points_of(rows, 1, np.asarray(model.coef_[0]), float(model.intercept_[0]))
        shown: BoundaryDisplay = cls(points, (str(model.classes_[0]), str(model.classes_[1]))).plot(ax)
        return shown

    def _draw(self, ax: Any) -> None:
        p = self.points
        for sign, colour, marker, label in ((-1, MINUS, "s", self.labels[0]), (1, PLUS, "o", self.labels[1])):
            here = p.signs == sign
            ax.scatter(*p.place[here].T, s=18, c=colour, marker=marker, alpha=0.8, label=label, zorder=3)
        ax.set_xlabel(p.across)
        ax.set_ylabel(p.up)
        if p.normal is not None:
            view = ax.get_xlim(), ax.get_ylim()  # of the rows alone: the street has no end
            half = float(p.margins.min())
            nearest_point = -p.offset * p.normal
            along = np.array([-p.normal[1], p.normal[0]])
            ax.axline(
                nearest_point, nearest_point + along, color=INK, linewidth=1.5, label="boundary", zorder=2
            )
            if half > 0:
                half_length = 4 * float(np.abs(np.concatenate(view)).max() + abs(p.offset))
                ends = [
                    nearest_point + s * half * p.normal + t * half_length * along
                    for s in (-1, 1)
                    for t in (-1, 1)
                ]
                corners = np.array([ends[0], ends[1], ends[3], ends[2]])
                ax.fill(*corners.T, color=MARGIN_BAND, zorder=1, label="street")
            ax.set_xlim(view[0])
            ax.set_ylim(view[1])
        ax.legend()


def boundary(model: Any, X: Any, y: Any = None, *, ax: Any = None) -> Any:
    """Draw rows and boundary of a fitted classifier of two classes; the axes come back."""
    return BoundaryDisplay.from_estimator(model, X, y, ax=ax).ax_
