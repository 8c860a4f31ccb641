"""Figures of a ridge path: coefficients and leave-one-out error, and how far a row can pull the weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from separatrix.reports.axes import Panel, draw_edge, draw_frame, padded, panel
from separatrix.reports.formatting import number
from separatrix.reports.svg import Drawing, shortened

WIDTH, LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT, GAP = 860.0, 78.0, 92.0, 320.0, 300.0, 96.0
COLOURS = ("plus", "minus", "third", "fourth", "fifth", "sixth")
DASHES = (None, "8 4", "3 3", "10 3 2 3")
MAX_LINES = 24
ACROSS = "log₁₀ α"


def path_figure(path: Any, names: Sequence[str] | None = None) -> str:
    """Every coefficient against α, and beside it the leave-one-out error with the α it chooses.

    Penalties of 0 and infinity have no place on the logarithmic axis and are left out. Of more than 24
    columns those with the largest coefficients are drawn.
    """
    alphas, kept = _logarithms(path)
    coefficients = path.coefficients[kept]
    order = np.argsort(-abs(coefficients).max(axis=0), kind="stable")[:MAX_LINES]
    names = [f"x{j}" for j in range(coefficients.shape[1])] if names is None else list(names)
    chosen = path.alpha
    heading = f"Ridge: {len(path.alphas)} penalties, α = {number(chosen)} leaves the smallest error"
    description = (
        f"Left: {len(order)} coefficients against the penalty, all drawn to 0 as it grows. Right: the mean "
        f"squared error of predictions of rows left out, smallest at α = {number(chosen)}."
    )
    drawing = Drawing(WIDTH, TOP + PANEL_HEIGHT + 56, heading, description, "ridge-path")
    drawing.text(26, 30, shortened(heading, WIDTH - 52, 15), class_="ink heading")
    across = padded(alphas, 0.02)
    area = panel(LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT, across, padded(coefficients[:, order]))
    draw_frame(drawing, area, "Coefficients", ACROSS, "coefficient")
    for place, column in enumerate(order):
        colour, dashes = COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]
        _line(drawing, area, alphas, coefficients[:, column], colour, dashes)
        if place < len(COLOURS):
            x, y = area.point(alphas[0], coefficients[0, column])
            drawing.text(x + 4, y - 4, shortened(names[column], 80), class_=f"{colour} small")
    _mark(drawing, area, chosen)
    draw_edge(drawing, area)
    errors = path.leave_one_out[kept]
    finite = np.isfinite(errors)
    if finite.any():
        area = panel(LEFT + PANEL_WIDTH + GAP, TOP, PANEL_WIDTH, PANEL_HEIGHT, across, padded(errors[finite]))
        draw_frame(drawing, area, "Error on rows left out", ACROSS, "mean squared error")
        _line(drawing, area, alphas[finite], errors[finite], "ink", None)
        _mark(drawing, area, chosen)
        draw_edge(drawing, area)
    return drawing.to_svg()


def moves_figure(path: Any) -> str:
    """How far the weights move when a row is perturbed, against α; dashed: without a penalty.

    The unpenalised level is that of the penalty 0, if the path has it.
    """
    alphas, kept = _logarithms(path)
    heading = "How far the weights move when one row is perturbed"
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
    levels = np.concatenate([values[np.isfinite(values) & (values > 0)] for values, _ in curves.values()])
    drawing = Drawing(WIDTH, TOP + PANEL_HEIGHT + 56, heading, description, "ridge-moves")
    drawing.text(26, 30, shortened(heading, WIDTH - 52, 15), class_="ink heading")
    low, high = float(levels.min()) / 2, float(levels.max()) * 2
    area = panel(LEFT, TOP, 460.0, PANEL_HEIGHT, padded(alphas, 0.02), (low, high), log=True)
    draw_frame(drawing, area, "Move of the weights", ACROSS, "length of the move")
    free = np.flatnonzero(path.alphas == 0)
    x, y = area.right + 34, area.top + 6
    for name, (values, colour) in curves.items():
        drawn = values[kept]
        seen = np.isfinite(drawn) & (drawn > 0)
        _line(drawing, area, alphas[seen], drawn[seen], colour, None)
        if len(free) and np.isfinite(values[free[0]]):
            level = float(values[free[0]])
            _line(drawing, area, alphas[[0, -1]], np.array([level, level]), colour, "6 4")
        drawing.path([(x, y), (x + 28, y)], class_=f"line {colour}-line")
        drawing.text(x + 38, y + 4, name)
        y += 30
    draw_edge(drawing, area)
    return drawing.to_svg()


def _logarithms(path: Any) -> tuple[np.ndarray, np.ndarray]:
    kept = (path.alphas > 0) & np.isfinite(path.alphas)
    if not kept.any():
        raise ValueError("The path has no finite penalty above 0 to draw.")
    return np.log10(path.alphas[kept]), kept


def _line(
    drawing: Drawing, area: Panel, across: np.ndarray, up: np.ndarray, colour: str, dashes: str | None
) -> None:
    points = [area.point(float(x), float(y)) for x, y in zip(across, up, strict=True)]
    drawing.path(points, class_=f"line {colour}-line", stroke_dasharray=dashes)


def _mark(drawing: Drawing, area: Panel, alpha: float) -> None:
    if 0 < alpha < inf:
        x = area.x(float(np.log10(alpha)))
        drawing.path([(x, area.top), (x, area.bottom)], class_="thin ink-line", stroke_dasharray="2 3")
