"""A ridge path: coefficients and leave-one-out error against the penalty."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from separatrix.reports.axes import padded
from separatrix.reports.figures.chart import Axis, Chart, Layer, Line, Numbers, vertical
from separatrix.reports.figures.svg_chart import draw_chart, draw_legend
from separatrix.reports.formatting import number
from separatrix.reports.svg import Drawing, shortened

WIDTH, LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT, GAP = 860.0, 78.0, 92.0, 320.0, 300.0, 96.0
COLOURS = ("plus", "minus", "third", "fourth", "fifth", "sixth")
DASHES = (None, "8 4", "3 3", "10 3 2 3")
MAX_LINES = 24


def coefficients_chart(
    alphas: Numbers,
    curves: Sequence[Numbers],
    names: Sequence[str],
    chosen: float,
    title: str = "Coefficients",
) -> Chart:
    """Coefficients against penalties above 0, a line for each column; the first six are named."""
    up = Axis("coefficient", *padded(np.concatenate(curves)))
    layers: list[Layer] = []
    for place, (curve, name) in enumerate(zip(curves, names, strict=True)):
        colour, dashes = COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]
        layers.append(Line(alphas, curve, colour, dashes, name if place < len(COLOURS) else ""))
    return Chart(title, _penalties(alphas), up, [*layers, *_mark(chosen, up, f"alpha = {number(chosen)}")])


def path_chart(path: Any, names: Sequence[str] | None = None) -> Chart:
    """The coefficients of a path, of more than 24 columns the largest, for finite penalties above 0."""
    kept = _kept(path)
    coefficients = path.coefficients[kept]
    order = np.argsort(-abs(coefficients).max(axis=0), kind="stable")[:MAX_LINES]
    named = [f"x{j}" for j in range(coefficients.shape[1])] if names is None else list(names)
    curves = [coefficients[:, j] for j in order]
    return coefficients_chart(path.alphas[kept], curves, [str(named[j]) for j in order], path.alpha)


def left_out_chart(path: Any) -> Chart | None:
    """The error on rows left out, with the penalty that makes it smallest; None where no error is finite."""
    kept = _kept(path)
    alphas, errors = path.alphas[kept], path.leave_one_out[kept]
    finite = np.isfinite(errors)
    if not finite.any():
        return None
    up = Axis("mean squared error on rows left out", *padded(errors[finite]))
    layers = [Line(alphas[finite], errors[finite]), *_mark(path.alpha, up, "")]
    return Chart("Error on rows left out", _penalties(alphas), up, layers)


def path_figure(path: Any, names: Sequence[str] | None = None) -> str:
    """Every coefficient against α, and beside it the leave-one-out error with the α it chooses, as SVG.

    Penalties of 0 and infinity have no place on the logarithmic axis and are left out. Of more than 24
    columns those with the largest coefficients are drawn.
    """
    coefficients, left_out = path_chart(path, names), left_out_chart(path)
    chosen = path.alpha
    heading = f"Ridge: {len(path.alphas)} penalties, α = {number(chosen)} leaves the smallest error"
    n_lines = min(MAX_LINES, path.coefficients.shape[1])
    description = (
        f"Left: {n_lines} coefficients against the penalty, all drawn to 0 as it grows. Right: the mean "
        f"squared error of predictions of rows left out, smallest at α = {number(chosen)}."
    )
    drawing = Drawing(WIDTH, 0.0, heading, description, "ridge-path")
    drawing.text(26, 30, shortened(heading, WIDTH - 52, 15), class_="ink heading")
    area = coefficients.panel(LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT)
    draw_chart(drawing, area, coefficients)
    drawing.height = draw_legend(drawing, coefficients, LEFT, area.bottom + 58, PANEL_WIDTH) + 4
    if left_out is not None:
        left = LEFT + PANEL_WIDTH + GAP
        draw_chart(drawing, left_out.panel(left, TOP, PANEL_WIDTH, PANEL_HEIGHT), left_out)
    return drawing.to_svg()


def _penalties(alphas: Numbers) -> Axis:
    low, high = padded(np.log10(alphas), 0.02)
    return Axis("penalty alpha", 10.0**low, 10.0**high, log=True)


def _mark(alpha: float, up: Axis, name: str) -> list[Line]:
    return [vertical(alpha, up, "2 3", name)] if 0 < alpha < inf else []


def _kept(path: Any) -> np.ndarray:
    """Which penalties have a place on a logarithmic axis."""
    kept: np.ndarray = (path.alphas > 0) & np.isfinite(path.alphas)
    if not kept.any():
        raise ValueError("The path has no finite penalty above 0 to draw.")
    return kept
