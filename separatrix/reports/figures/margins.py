"""How far the rows are from the boundary, each on its own side of it or on the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from separatrix.reports.figures.chart import Axis, Bars, Chart, Layer, Numbers, vertical

HISTOGRAM_BINS = 40
LEAST_BIN_WIDTH = 1e-300  # of a bin: below this its edges are not doubles any more


def margins_chart(
    edges: Numbers, counts: Sequence[Numbers], names: tuple[str, str], margin: float | None = None
) -> Chart:
    """A histogram of s(w·x + b)/‖w‖, with the negative class below the positive one in each bin.

    ``margin`` is the smallest distance that is drawn, None to draw none.
    """
    minus, plus = (np.asarray(count, float) for count in counts)
    up = Axis("rows", 0.0, max(1.0, float((minus + plus).max())) * 1.05)
    layers: list[Layer] = [
        Bars(edges[:-1], edges[1:], np.zeros(len(minus)), minus, "minus", names[0]),
        Bars(edges[:-1], edges[1:], minus, minus + plus, "plus", names[1]),
        vertical(0.0, up, name="boundary"),
    ]
    if margin is not None and margin <= edges[-1]:
        layers.append(vertical(margin, up, "3 3", "margin"))
    across = Axis("distance on the row's own side", float(edges[0]), float(edges[-1]))
    return Chart("Distances from the boundary", across, up, layers)


def histogram_of(
    margins: np.ndarray, signs: np.ndarray
) -> tuple[np.ndarray, tuple[tuple[int, ...], tuple[int, ...]]]:
    """The edges of the bins, and how many rows of the negative and of the positive class are in each."""
    low, high = np.quantile(margins, [0.002, 0.998]) if len(margins) > 500 else (margins.min(), margins.max())
    low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        high = low + 1.0
    # Whole steps from 0, so that no bin has rows of both sides of the boundary.
    step = (high - low) / HISTOGRAM_BINS
    if not LEAST_BIN_WIDTH <= step < np.inf:
        raise ValueError(f"The rows are too {'far from' if step > 1 else 'near'} the boundary to be drawn.")
    edges = step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)
    inside = np.clip(margins, edges[0], edges[-1])  # what lies beyond is counted in the last bin
    counted = [np.histogram(inside[signs == sign], edges)[0].tolist() for sign in (-1, 1)]
    return edges, (tuple(counted[0]), tuple(counted[1]))
