"""The scikit-learn contract, written once, and what every fit returns.

A name is loaded on first use: what needs no estimator, as the question of separation, does not wait for
scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.fitting.classifier import LinearClassifier
    from separatrix.fitting.fit_warnings import FitWarning, NothingProven, NotSeparable, warn
    from separatrix.fitting.history import History, Pass
    from separatrix.fitting.regressor import DependentColumns, LinearRegressor
    from separatrix.fitting.solution import Solution
    from separatrix.fitting.weighted import WeightedClassifier

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
    "FitWarning": "fit_warnings",
    "History": "history",
    "LinearClassifier": "classifier",
    "LinearRegressor": "regressor",
    "NotSeparable": "fit_warnings",
    "NothingProven": "fit_warnings",
    "Pass": "history",
    "Solution": "solution",
    "WeightedClassifier": "weighted",
    "warn": "fit_warnings",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
