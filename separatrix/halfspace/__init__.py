"""A halfspace {x : w·x + b > 0}: the geometric value behind every linear classifier.

**Boundary convention.** H⁺ = {w·x + b > 0} is open and predicts +1; H⁻ is its complement, the hyperplane
included, and predicts -1.

**Exactness.** The side of a point is never left to rounding. A finite float is a fraction, so w·x + b has one
true sign. It is read off a float evaluation wherever that exceeds a proven bound of its own error, and
settled in whole numbers for the few points where it does not. Distances and projections are ordinary floats.

**Why whole numbers.** Two rows of 53-bit entries can be separable by no pair of doubles. A halfspace may
therefore be given by whole numbers or fractions of any size; `weights` and `intercept` are then only their
nearest doubles.
"""

from separatrix.halfspace.geometry import Halfspace

__all__ = ["Halfspace"]
