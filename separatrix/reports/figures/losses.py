"""The losses against the margin of a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from separatrix import losses
from separatrix.losses import Loss
from separatrix.reports.figures.chart import Axis, Chart, Line
from separatrix.reports.figures.svg_chart import to_svg

LINE_STYLES = {
    "zero_one": ("ink", None),
    "perceptron": ("plus", None),
    "hinge": ("minus", None),
    "squared_hinge": ("third", "8 4"),
    "logistic": ("fourth", "3 3"),
    "squared": ("fifth", "10 3 2 3"),
}


def losses_chart(names: Sequence[str] = (), low: float = -3.0, high: float = 3.0) -> Chart:
    """The losses of these names, without names all of them, against the margin m = s·score."""
    lines = [_line(losses.ALL[name], low, high) for name in names or losses.ALL]
    return Chart("Loss of one row", Axis("margin m = sign · score", low, high), Axis("loss", 0.0, 4.0), lines)


def losses_compared() -> str:
    """Every loss of `separatrix.losses` against the margin m = s·score, as SVG."""
    description = (
        "Six losses against the margin m = sign times score, from -3 to 3. Zero-one is 1 up to m = 0 and 0 "
        "after it. The perceptron loss falls to 0 at m = 0, hinge and squared hinge at m = 1, logistic never "
        "quite; the squared loss is 0 at m = 1 and grows again beyond."
    )
    return to_svg(losses_chart(), "losses", "The losses compared", description)


def _line(loss: Loss, low: float, high: float) -> Line:
    margins = np.linspace(low, high, 241)
    values = np.minimum(loss.value(margins), 5.0)
    if loss is losses.zero_one:
        margins, values = np.array([low, 0.0, 0.0, high]), np.array([1.0, 1.0, 0.0, 0.0])
    name = loss.name.replace("_", "-" if loss is losses.zero_one else " ")
    formula = loss.formula.replace("-", "−").replace("<=", "≤")
    also = " = (1 − m)²" if loss is losses.squared else ""
    return Line(margins, values, *LINE_STYLES.get(loss.name, ("sixth", None)), name, formula + also)
