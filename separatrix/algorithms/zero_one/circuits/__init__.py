"""The fewest errors by branch and cut on signed circuits: any number of columns, few to moderate errors."""

from __future__ import annotations

from separatrix.algorithms.zero_one.circuits.engine import Circuits

__all__ = ["Circuits"]
