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
    "FitWarning",
    "Halfspace",
    "Lift",
    "MarginPerceptron",
    "MaxMargin",
    "ModelError",
    "NotSeparable",
    "NothingProven",
    "PassiveAggressive",
    "Perceptron",
    "PocketPerceptron",
    "Rows",
    "VotedPerceptron",
    "__version__",
    "as_rows",
    "bounds",
    "certificates",
    "lift",
    "load",
    "losses",
    "problems",
    "read",
    "save",
    "separate",
    "stream",
]

_SUBMODULES = frozenset({"bounds", "certificates", "losses", "problems"})

_HOMES = {
    "AveragedPerceptron": "separatrix.algorithms.averaged",
    "BatchPerceptron": "separatrix.algorithms.batch",
    "DataError": "separatrix.rows",
    "FitWarning": "separatrix.predictor",
    "Halfspace": "separatrix.halfspace",
    "Lift": "separatrix.algorithms.lift",
    "MarginPerceptron": "separatrix.algorithms.margin_perceptron",
    "MaxMargin": "separatrix.algorithms.max_margin",
    "ModelError": "separatrix.models",
    "NotSeparable": "separatrix.predictor",
    "NothingProven": "separatrix.predictor",
    "PassiveAggressive": "separatrix.algorithms.passive_aggressive",
    "Perceptron": "separatrix.algorithms.perceptron",
    "PocketPerceptron": "separatrix.algorithms.pocket",
    "Rows": "separatrix.rows",
    "VotedPerceptron": "separatrix.algorithms.voted",
    "as_rows": "separatrix.rows",
    "lift": "separatrix.algorithms.lift",
    "load": "separatrix.models",
    "read": "separatrix.rows",
    "save": "separatrix.models",
    "separate": "separatrix.algorithms.separation",
    "stream": "separatrix.algorithms",
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
    return sorted({*globals(), *__all__})
