"""How far the rows are from the boundary, each on its own side of it or on the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.plot.display import Display, two_classes
from separatrix.reports.figures.chart import Chart
from separatrix.reports.figures.margins import histogram_of, margins_chart
from separatrix.rows import as_rows


@dataclass
class MarginsDisplay(Display):
    """A histogram of s(w·x + b)/‖w‖, by class.

    Parameters
    ----------
    distances, signs : ndarray
        Of each row.
    labels : pair of str
        Of the negative and of the positive class.
    """

    distances: np.ndarray
    signs: np.ndarray
    labels: tuple[str, str]

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any = None, *, ax: Any = None) -> MarginsDisplay:
        """Compute and draw."""
        two_classes(model)
        rows = as_rows(X, y)
        norm = float(np.linalg.norm(model.coef_[0]))
        if not norm > 0:
            raise ValueError("The weights are all zero: there is no boundary to be distant from.")
        signs = rows.signs(1)
        distances = signs * model.decision_function(rows) / norm
        labels = (str(model.classes_[0]), str(model.classes_[1]))
        shown: MarginsDisplay = cls(distances, signs, labels).plot(ax)
        return shown

    def chart(self) -> Chart:
        smallest = float(self.distances.min())
        edges, counts = histogram_of(self.distances, self.signs)
        return margins_chart(edges, counts, self.labels, smallest if smallest > 0 else None)


def margins(model: Any, X: Any, y: Any = None, *, ax: Any = None) -> Any:
    """Draw the distances of the rows from the boundary of a fitted classifier; the axes come back."""
    return MarginsDisplay.from_estimator(model, X, y, ax=ax).ax_
