"""Four boundaries on the same points: what each method promises, and what a few wrong labels do to it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.reports.figures.chart import Axis, Chart, Layer, Line, Marks
from separatrix.reports.figures.svg_chart import draw_chart
from separatrix.reports.svg import Drawing

ACROSS, UP = Axis("first column", -5.5, 8.5), Axis("second column", -5.0, 5.0)
PANEL_WIDTH, PANEL_HEIGHT = 360.0, 320.0
METHODS = ("perceptron", "logistic", "SVM, C = 1", "maximum margin")
LINE_STYLES = {
    "perceptron": ("third", "3 3"),
    "logistic": ("fourth", "9 4"),
    "SVM, C = 1": ("ink", None),
    "maximum margin": ("sixth", "10 3 2 3"),
}


def points(flipped: int = 0, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds with a gap between them, one row of either far out, and ``flipped`` wrong labels."""
    random = np.random.default_rng(seed)
    X = np.vstack([random.normal(size=(30, 2)) * (0.9, 1.2), random.normal(size=(30, 2)) * (0.9, 1.2)])
    y = np.repeat([0, 1], 30)
    X[:30] += (-2.4, -0.4)
    X[30:] += (2.4, 0.4)
    X = np.vstack([X, [[0.1, -3.0], [7.5, 3.6]]]).round(2)
    y = np.append(y, [0, 1])
    wrong = random.choice(60, size=flipped, replace=False)
    y[wrong] = 1 - y[wrong]
    return X, y


def fitted(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Each method's model of the points; a method that finds no boundary warns and is told apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        return {
            "perceptron": sx.Perceptron(max_iter=200).fit(X, y),
            "logistic": sx.LogisticRegression(C=1.0).fit(X, y),
            "SVM, C = 1": sx.LinearSVM(C=1.0).fit(X, y),
            "maximum margin": sx.MaxMargin().fit(X, y),
        }


def boundaries_compared() -> str:
    """The picture as SVG: separable points on the left, the same with wrong labels on the right."""
    description = (
        "Two panels with the same points of two classes and the boundaries of perceptron, logistic "
        "regression, support vector machine and maximum margin. Left, all labels right: every boundary "
        "separates, the maximum margin passes half-way between the nearest rows. Right, five labels wrong: "
        "no maximum margin exists, the perceptron ends wherever it was stopped, logistic regression and the "
        "support vector machine hardly move."
    )
    drawing = Drawing(860, 470, "Which line?", description, "which-line")
    drawing.text(26, 30, "Which line? Four boundaries on the same points", class_="ink heading")
    for place, (title, flipped) in enumerate((("All labels right", 0), ("Five labels wrong", 5))):
        chart = _chart(title, flipped, UP if place == 0 else replace(UP, name=""))
        draw_chart(
            drawing, chart.panel(60 + place * (PANEL_WIDTH + 64), 76, PANEL_WIDTH, PANEL_HEIGHT), chart
        )
    x = 60.0
    for name in METHODS:
        colour, dashes = LINE_STYLES[name]
        drawing.path([(x, 448), (x + 34, 448)], class_=f"line {colour}-line", stroke_dasharray=dashes)
        drawing.text(x + 42, 452, name)
        x += 190
    return drawing.to_svg()


def _chart(title: str, flipped: int, up: Axis) -> Chart:
    X, y = points(flipped)
    layers: list[Layer] = [Marks(*X[y == 1].T, "plus"), Marks(*X[y == 0].T, "minus")]
    for name, model in fitted(X, y).items():
        if name != "maximum margin" or np.isfinite(model.margin_):
            layers.append(_line(model, name))
    return Chart(title, ACROSS, up, layers)


def _line(model: Any, name: str) -> Line:
    """The boundary w·x + b = 0, across the panel and beyond."""
    w, b = model.coef_[0], float(model.intercept_[0])
    nearest_point, along = -b * w / (w @ w), 40.0 * np.array([w[1], -w[0]]) / np.linalg.norm(w)
    return Line(*np.array([nearest_point - along, nearest_point + along]).T, *LINE_STYLES[name])
