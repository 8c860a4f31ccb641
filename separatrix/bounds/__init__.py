"""Theorems evaluated: the docstring is the theorem with its hypotheses, the body the formula.

Rows are z = s·x, or z = s·(x, 1) where the constant is absorbed; R = max ‖z‖ and the margin γ are always of
the same rows. A *certain* bound holds on every run that meets its assumptions. The numbers are ordinary
floats: give a radius rounded up and a margin rounded down where the last digit matters.
"""

from separatrix.bounds.bound import Bound
from separatrix.bounds.mistakes import (
    freund_schapire,
    novikoff,
    novikoff_from_start,
    novikoff_inverse,
    novikoff_squares,
    novikoff_unit,
    passive_aggressive,
    steps_bound,
)
from separatrix.bounds.updates import batch_perceptron, kozinec

__all__ = [
    "Bound",
    "batch_perceptron",
    "freund_schapire",
    "kozinec",
    "novikoff",
    "novikoff_from_start",
    "novikoff_inverse",
    "novikoff_squares",
    "novikoff_unit",
    "passive_aggressive",
    "steps_bound",
]
