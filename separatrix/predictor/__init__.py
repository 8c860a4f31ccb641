"""The scikit-learn contract, written once, and what every fit returns."""

from __future__ import annotations

from separatrix.predictor.classifier import LinearClassifier
from separatrix.predictor.history import History, Pass
from separatrix.predictor.solution import NothingProven, Solution

__all__ = ["History", "LinearClassifier", "NothingProven", "Pass", "Solution"]
