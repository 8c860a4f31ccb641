"""Figures for matplotlib: boundary, margins, mistakes, losses, ridge path, and a perceptron at work.

Each function takes ``ax=`` and returns the axes it drew on. Each has a display behind it that follows
scikit-learn's conventions: ``BoundaryDisplay.from_estimator(model, X, y)`` computes and draws,
``display.plot`` draws again elsewhere, ``ax_`` and ``figure_`` are what was drawn on. Matplotlib comes with
``separatrix[plot]`` and is loaded on first use.
"""

from __future__ import annotations

from separatrix.plot.animation import Trace, trace
from separatrix.plot.boundary import BoundaryDisplay, boundary
from separatrix.plot.losses import LossesDisplay, losses
from separatrix.plot.margins import MarginsDisplay, margins
from separatrix.plot.mistakes import MistakesDisplay, mistakes
from separatrix.plot.ridge_path import PathDisplay, path

__all__ = [
    "BoundaryDisplay",
    "LossesDisplay",
    "MarginsDisplay",
    "MistakesDisplay",
    "PathDisplay",
    "Trace",
    "boundary",
    "losses",
    "margins",
    "mistakes",
    "path",
    "trace",
]


def __dir__() -> list[str]:
    return sorted(__all__)
