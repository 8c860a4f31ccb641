"""Linear predictors that prove what they say.

Rows go in; an algorithm returns a predictor and a certificate; anyone can verify the certificate.

>>> import separatrix as sx
>>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 1.0]], ["no", "no", "yes", "yes"]
>>> model = sx.Perceptron().fit(X, y)
>>> model.certificate_.verify(X, y).holds
True

Importing this package loads nothing but the standard library. A public name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

__all__ = [
    "AveragedPerceptron",
    "BatchPerceptron",
    "DataError",
    "DependentColumns",
    "FitWarning",
    "Halfspace",
    "Lift",
    "LinearRegression",
    "LinearSVM",
    "LogisticRegression",
    "MarginPerceptron",
    "MaxMargin",
    "ModelError",
    "NotSeparable",
    "NothingProven",
    "PassiveAggressive",
    "Perceptron",
    "PocketPerceptron",
    "Ridge",
    "Rows",
    "VotedPerceptron",
    "ZeroOne",
    "__version__",
    "as_rows",
    "bounds",
    "certificates",
    "diagnose",
    "lift",
    "load",
    "losses",
    "min_disagreement",
    "plot",
    "problems",
    "read",
    "save",
    "separate",
    "stream",
    "theory",
]

_SUBMODULES = frozenset({"bounds", "certificates", "losses", "plot", "problems", "theory"})

_HOMES = {
    "AveragedPerceptron": "separatrix.algorithms.perceptrons.averaged",
    "BatchPerceptron": "separatrix.algorithms.perceptrons.batch",
    "DataError": "separatrix.rows",
    "DependentColumns": "separatrix.fitting",
    "FitWarning": "separatrix.fitting",
    "Halfspace": "separatrix.halfspace",
    "Lift": "separatrix.algorithms.separation.lift",
    "LinearRegression": "separatrix.algorithms.least_squares",
    "LinearSVM": "separatrix.algorithms.svm",
    "LogisticRegression": "separatrix.algorithms.logistic",
    "MarginPerceptron": "separatrix.algorithms.perceptrons.margin_perceptron",
    "MaxMargin": "separatrix.algorithms.svm.max_margin",
    "ModelError": "separatrix.models",
    "NotSeparable": "separatrix.fitting",
    "NothingProven": "separatrix.fitting",
    "PassiveAggressive": "separatrix.algorithms.perceptrons.passive_aggressive",
    "Perceptron": "separatrix.algorithms.perceptrons.perceptron",
    "PocketPerceptron": "separatrix.algorithms.perceptrons.pocket",
    "Ridge": "separatrix.algorithms.least_squares",
    "Rows": "separatrix.rows",
    "VotedPerceptron": "separatrix.algorithms.perceptrons.voted",
    "ZeroOne": "separatrix.algorithms.zero_one",
    "as_rows": "separatrix.rows",
    "diagnose": "separatrix.reports.diagnosis",
    "lift": "separatrix.algorithms.separation.lift",
    "load": "separatrix.models",
    "min_disagreement": "separatrix.algorithms.zero_one",
    "read": "separatrix.rows",
    "save": "separatrix.models",
    "separate": "separatrix.algorithms.separation",
    "stream": "separatrix.algorithms.perceptrons.stream",
}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
