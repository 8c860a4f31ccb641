"""Ridge regression: least squares with a penalty on long weights, for one penalty or a whole path."""

from __future__ import annotations

from separatrix.algorithms.ridge.model import Ridge
from separatrix.algorithms.ridge.path import RidgePath

__all__ = ["Ridge", "RidgePath"]
