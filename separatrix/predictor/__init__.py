"""The scikit-learn contract, written once, and what every fit returns."""

from __future__ import annotations

from separatrix.predictor.classifier import LinearClassifier
from separatrix.predictor.history import History, Pass
from separatrix.predictor.regressor import DependentColumns, LinearRegressor
from separatrix.predictor.solution import FitWarning, NothingProven, NotSeparable, Solution
from separatrix.predictor.weighted import WeightedClassifier

__all__ = [
    "DependentColumns",
    "FitWarning",
    "History",
    "LinearClassifier",
    "LinearRegressor",
    "NotSeparable",
    "NothingProven",
    "Pass",
    "Solution",
    "WeightedClassifier",
]
