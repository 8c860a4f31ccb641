"""A ridge path, and how far a row can pull its weights."""

from __future__ import annotations

from typing import Any

import numpy as np

import separatrix as sx
from separatrix.reports.axes import padded
from separatrix.reports.figures.chart import Axis, Chart, Line
from separatrix.reports.figures.ridge_path import path_figure
from separatrix.reports.figures.svg_chart import to_svg

ALPHAS = (0.0, *np.logspace(-2, 5, 40).tolist())


def diabetes_path() -> Any:
    """A path on the diabetes data of Efron, Hastie, Johnstone and Tibshirani, columns standardised."""
    problem = sx.problems.diabetes(scaled=False)
    return sx.Ridge().path(problem.X / problem.X.std(axis=0), problem.y, alphas=ALPHAS)


def path_of_diabetes() -> str:
    """Coefficients and leave-one-out error."""
    return path_figure(diabetes_path(), sx.problems.diabetes().columns)


def moves_of_diabetes() -> str:
    """How far its weights move."""
    return moves_figure(diabetes_path())


def moves_figure(path: Any) -> str:
    """How far the weights move when a row is perturbed, against α; dashed: without a penalty.

    The unpenalised level is that of the penalty 0, if the path has it.
    """
    description = (
        "Against the penalty, on a logarithmic scale: the move of the weights for a unit change of one "
        "target, for the row that pulls most and for a typical row, and a bound for a unit move of a row "
        "itself. All fall as the penalty grows; dashed lines are without a penalty."
    )
    curves = {
        "a row moves by 1 (bound)": (path.row_move, "minus"),
        "a target changes by 1, worst row": (path.target_move, "plus"),
        "a target changes by 1, typical row": (path.typical_move, "third"),
    }
    kept = (path.alphas > 0) & np.isfinite(path.alphas)
    alphas, free = path.alphas[kept], np.flatnonzero(path.alphas == 0)
    levels = np.concatenate([values[np.isfinite(values) & (values > 0)] for values, _ in curves.values()])
    lines = []
    for name, (values, colour) in curves.items():
        drawn = values[kept]
        seen = np.isfinite(drawn) & (drawn > 0)
        lines.append(Line(alphas[seen], drawn[seen], colour, name=name))
        if len(free) and np.isfinite(values[free[0]]):
            level = float(values[free[0]])
            lines.append(Line(alphas[[0, -1]], (level, level), colour, "6 4"))
    low, high = padded(np.log10(alphas), 0.02)
    chart = Chart(
        "Move of the weights",
        Axis("penalty alpha", 10.0**low, 10.0**high, log=True),
        Axis("length of the move", levels.min() / 2, levels.max() * 2, log=True),
        lines,
    )
    return to_svg(chart, "ridge-moves", "How far the weights move when one row is perturbed", description)
