"""The scikit-learn contract, written once, and what every fit returns.

A name is loaded on first use: what needs no estimator, as the question of separation, does not wait for
scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.predictor.classifier import LinearClassifier
    from separatrix.predictor.history import History, Pass
    from separatrix.predictor.regressor import DependentColumns, LinearRegressor
    from separatrix.predictor.solution import Solution
    from separatrix.predictor.warning import FitWarning, NothingProven, NotSeparable, warn
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
    "warn",
]

_HOMES = {
    "DependentColumns": "regressor",
    "FitWarning": "warning",
    "History": "history",
    "LinearClassifier": "classifier",
    "LinearRegressor": "regressor",
    "NotSeparable": "warning",
    "NothingProven": "warning",
    "Pass": "history",
    "Solution": "solution",
    "WeightedClassifier": "weighted",
    "warn": "warning",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
