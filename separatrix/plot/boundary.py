"""Rows, the boundary between the classes, and the street along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.plot.display import Display, two_classes
from separatrix.reports.figures.boundary import boundary_chart
from separatrix.reports.figures.chart import Chart
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

    def chart(self) -> Chart:
        half_width = float(self.points.margins.min())
        return boundary_chart(self.points, self.labels, half_width=half_width if half_width > 0 else None)


def boundary(model: Any, X: Any, y: Any = None, *, ax: Any = None) -> Any:
    """Draw rows and boundary of a fitted classifier of two classes; the axes come back."""
    return BoundaryDisplay.from_estimator(model, X, y, ax=ax).ax_
