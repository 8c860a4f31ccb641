"""Losses of a score t for a sign s = ±1: value and (sub)gradient with respect to the score.

All but the last are functions of the margin m = s·t, which is what one argument alone is taken for. A score
of zero is a mistake here, as it is in training.

==============  ===================  ======  ========================================
loss            value                convex  c with c·loss >= zero-one everywhere
==============  ===================  ======  ========================================
zero_one        1 if m <= 0 else 0   no      1
perceptron      max(0, -m)           yes     none: it is 0 at m = 0 and small near it
hinge           max(0, 1 - m)        yes     1
squared_hinge   max(0, 1 - m)²       yes     1
logistic        ln(1 + exp(-m))      yes     1/ln 2
squared         (t - s)²             yes     1
==============  ===================  ======  ========================================

**What is the perceptron minimising?** Its steps are those of stochastic subgradient descent with step 1 on
the sum of the perceptron losses: the subgradient with respect to w is -s·x on a row with m < 0 and 0 on one
with m > 0; at the kink m = 0, where every vector between the two is a subgradient, it takes -s·x, for with
0 it would never leave w = 0. Yet it does not minimise that sum: w = 0 does, trivially and whatever the
rows, and that is where the algorithm starts. Nor do its steps shrink, as such a descent would need. It is
driven by mistakes: it stops once no row has m <= 0, and what bounds the mistakes is the margin of the rows
(`bounds.novikoff`), not the decrease of a loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ALL", "Loss", "hinge", "logistic", "perceptron", "squared", "squared_hinge", "zero_one"]

Floats = NDArray[np.float64]


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True, repr=False)
class Loss:
    """A loss; call it, or its `value` and `gradient`, with scores and signs.

    Attributes
    ----------
    name, formula : str
    convex : bool
    ceiling : float or None
        The smallest c with c·loss >= zero-one loss everywhere, if there is one.
    kink : float or None
        The margin at which the loss has no derivative. `gradient` there is -s for `perceptron` (a mistake)
        and 0 for `hinge` (no loss); for `zero_one` it is 0 and stands for nothing.
    any_target : bool
        Whether any number may stand in the place of the sign, as in `squared`.

    Examples
    --------
    >>> hinge(0.25, 1), hinge(0.25, -1)
    (0.75, 1.25)
    >>> hinge.gradient([-2.0, 0.0, 3.0], -1)
    array([0., 1., 1.])
    """

    name: str
    formula: str
    convex: bool
    ceiling: float | None
    kink: float | None
    _value: Callable[[Floats, Floats], Any] = field(compare=False)
    _gradient: Callable[[Floats, Floats], Any] = field(compare=False)
    any_target: bool = False

    def value(self, score: Any, sign: Any = 1) -> Any:
        """The loss of each score."""
        return self._apply(self._value, score, sign)

    def gradient(self, score: Any, sign: Any = 1) -> Any:
        """The derivative with respect to the score, a subgradient at the kink of a convex loss."""
        return self._apply(self._gradient, score, sign)

    __call__ = value

    def _apply(self, function: Callable[[Floats, Floats], Any], score: Any, sign: Any) -> Any:
        signs = np.asarray(sign, np.float64)
        if not (self.any_target or (np.abs(signs) == 1).all()):
            raise ValueError("signs must be -1 or +1")
        result = np.asarray(function(np.asarray(score, np.float64), signs), np.float64)
        return result.item() if result.ndim == 0 else result

    def __repr__(self) -> str:
        return f"losses.{self.name}"

    def __reduce__(self) -> str:
        return self.name


zero_one = Loss(
    "zero_one",
    "1 if m <= 0 else 0",
    convex=False,
    ceiling=1.0,
    kink=0.0,
    _value=lambda t, s: s * t <= 0,
    _gradient=lambda t, s: np.zeros_like(s * t),
)

perceptron = Loss(
    "perceptron",
    "max(0, -m)",
    convex=True,
    ceiling=None,
    kink=0.0,
    _value=lambda t, s: np.maximum(0, -s * t),
    _gradient=lambda t, s: np.where(s * t <= 0, -s, 0),
)

hinge = Loss(
    "hinge",
    "max(0, 1 - m)",
    convex=True,
    ceiling=1.0,
    kink=1.0,
    _value=lambda t, s: np.maximum(0, 1 - s * t),
    _gradient=lambda t, s: np.where(s * t < 1, -s, 0),
)

squared_hinge = Loss(
    "squared_hinge",
    "max(0, 1 - m)²",
    convex=True,
    ceiling=1.0,
    kink=None,
    _value=lambda t, s: np.maximum(0, 1 - s * t) ** 2,
    _gradient=lambda t, s: -2 * s * np.maximum(0, 1 - s * t),
)

# logaddexp(0, x) = ln(1 + exp(x)) neither overflows nor loses a small value; so for 1/(1 + exp(m)).
logistic = Loss(
    "logistic",
    "ln(1 + exp(-m))",
    convex=True,
    ceiling=1 / math.log(2),
    kink=None,
    _value=lambda t, s: np.logaddexp(0, -s * t),
    _gradient=lambda t, s: -s * np.exp(-np.logaddexp(0, s * t)),
)

squared = Loss(
    "squared",
    "(t - s)²",
    convex=True,
    ceiling=1.0,
    kink=None,
    _value=lambda t, s: (t - s) ** 2,
    _gradient=lambda t, s: 2 * (t - s),
    any_target=True,
)

ALL: Mapping[str, Loss] = MappingProxyType(
    {loss.name: loss for loss in (zero_one, perceptron, hinge, squared_hinge, logistic, squared)}
)
"""Every loss, by name."""
