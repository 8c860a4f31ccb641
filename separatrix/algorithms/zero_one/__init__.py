"""The fewest errors of any halfspace, between two certified ends."""

from __future__ import annotations

from separatrix.algorithms.zero_one.decision import Disagreement, min_disagreement
from separatrix.algorithms.zero_one.estimator import ZeroOne

__all__ = ["Disagreement", "ZeroOne", "min_disagreement"]
