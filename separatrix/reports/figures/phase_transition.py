"""Cover's count: which random labellings can be separated."""

from __future__ import annotations

from collections.abc import Sequence

from separatrix import theory
from separatrix.reports.figures.chart import Axis, Chart, Line, stroke
from separatrix.reports.figures.svg_chart import to_svg


def phase_transition(dimensions: Sequence[int] = (2, 10, 50, 250)) -> str:
    """Cover's share of separable labellings against n/2D: one half at 1, and the steeper the larger D."""
    curves = []
    for place, d in enumerate(dimensions):
        sizes = range(1, 4 * (d + 1) + 1)
        across = [n / (2 * (d + 1)) for n in sizes]
        shares = [theory.separability_probability(n, d) for n in sizes]
        curves.append(Line(across, shares, *stroke(place), f"d = {d}"))
    description = (
        "The probability that a random labelling of n points in general position of R^d can be "
        "separated, against n over 2(d + 1). Every curve passes through one half at 1; for larger d it "
        "falls faster there."
    )
    chart = Chart(
        "",
        Axis("points n, in units of 2(d + 1)", 0.0, 2.0),
        Axis("probability", 0.0, 1.0),
        curves,
        [(1.0, "n = 2(d + 1): one half")],
    )
    return to_svg(chart, "phase-transition", "Which random labellings can be separated", description)
