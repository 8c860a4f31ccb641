"""The fewest errors by branch and cut on signed circuits: any number of columns, few to moderate errors.

A circuit is a minimal set of rows that no halfspace gets right all at once.
"""

from __future__ import annotations

from separatrix.algorithms.zero_one.lower.circuits.branch_and_cut import Circuits

__all__ = ["Circuits"]
