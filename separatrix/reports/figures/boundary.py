"""Rows in the plane, the boundary between the classes, and the street along it."""

from __future__ import annotations

import math

import numpy as np

from separatrix.reports.axes import padded
from separatrix.reports.figures.chart import Axis, Band, Chart, Layer, Line, Marks
from separatrix.reports.points import Points


def boundary_chart(
    points: Points,
    names: tuple[str, str],
    *,
    title: str = "Rows and boundary",
    half_width: float | None = None,
    band: str = "street",
    ringed: np.ndarray | None = None,
    ring: str = "nearest row",
) -> Chart:
    """Rows with the boundary and the street of this half-width; no boundary where the weights are zero.

    Parameters
    ----------
    points : Points
        Rows with margins are crossed out where they are on the wrong side.
    names : pair of str
        Of the negative and of the positive class.
    ringed : array of bool, optional
        The rows with a ring around them, named ``ring``.
    """
    x, y = points.place.T
    across = Axis(points.across, *padded(np.append(x, 0.0) if points.projected else x))
    up = Axis(points.up, *padded(y))
    layers: list[Layer] = []
    if points.normal is not None:
        layers += _boundary(points.normal, points.offset, across, up, half_width, band)
    for sign, mark, name in ((1, "plus", names[1]), (-1, "minus", names[0])):
        layers.append(Marks(x[points.signs == sign], y[points.signs == sign], mark, name))
    wrong = points.margins <= 0
    for chosen, mark, name in ((wrong, "wrong", "on the wrong side"), (ringed, "nearest", ring)):
        if chosen is not None and chosen.any():
            layers.append(Marks(x[chosen], y[chosen], mark, name))
    return Chart(title, across, up, layers)


def _boundary(
    normal: np.ndarray, offset: float, across: Axis, up: Axis, half_width: float | None, band: str
) -> list[Layer]:
    """The line normal·p + offset = 0, and the street, both reaching beyond the axes."""
    middle = np.array([(across.low + across.high) / 2, (up.low + up.high) / 2])
    distance = normal @ middle + offset
    nearest_point = middle - distance * normal
    half_length = abs(distance) + math.hypot(across.high - across.low, up.high - up.low)
    along = np.array([-normal[1], normal[0]]) * half_length

    def ends(shift: float) -> tuple[np.ndarray, np.ndarray]:
        at = nearest_point + shift * normal
        x, y = np.array([at - along, at + along]).T
        return x, y

    corners = np.array([(x, y) for x in (across.low, across.high) for y in (up.low, up.high)])
    sides = corners @ normal + offset
    name = "boundary" if sides.min() <= 0 <= sides.max() else "boundary, out of sight"
    line = Line(*ends(0.0), name=name)
    if half_width is None:
        return [line]
    low, high = ends(-half_width), ends(half_width)
    x, y = (np.append(one, other[::-1]) for one, other in zip(low, high, strict=True))
    edges = [Line(*edge, "faint", "4 4", thin=True) for edge in (low, high)]
    return [Band(x, y, band), *edges, line]
