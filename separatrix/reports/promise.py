"""The theorem that bounds what a run counted, evaluated at the margin it reached.

A bound rests on assumptions, so it is told beside the evidence, never as part of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix import bounds
from separatrix.bounds import Bound


@dataclass(frozen=True)
class Promise:
    """A bound and the number it bounds.

    Attributes
    ----------
    quantity : str
        What is counted: "mistakes", "updates" or "turns".
    counted : int
    at_most : float
        What the theorem allows, for the radius and margin below.
    theorem, source : str
        Who proved it, and where.
    radius, margin : float
        R and γ: the length of the longest row and the margin reached, both of the rows the method ran on.
    assumptions : tuple of str
    """

    quantity: str
    counted: int
    at_most: float
    theorem: str
    source: str
    radius: float
    margin: float
    assumptions: tuple[str, ...]


def promise_of(model: Any, fact: Callable[[str], Any]) -> Promise | None:
    """What its theorem promises of this run; None where no theorem applies, or the rows are not separated.

    ``fact(name)`` gives a counted fact of one task, or None.
    """
    suffix = "_centred" if getattr(model, "center", False) else ""
    radius, margin = fact(f"radius{suffix}"), fact(f"margin{suffix}")
    if radius is None or margin is None or not margin > 0 or not from_zero(model):
        return None
    quantity, bound = _bound(model, radius, margin)
    if bound is None:
        return None
    counted = fact("mistakes" if quantity == "mistakes" else "updates")
    return Promise(
        quantity, int(counted), bound.value, bound.name, bound.source, radius, margin, bound.assumptions
    )


def from_zero(model: Any) -> bool:
    """Whether the run began at zero, as the theorems want it."""
    return getattr(model, "start", None) is None and not getattr(model, "warm_start", False)


def _bound(model: Any, radius: float, margin: float) -> tuple[str, Bound | None]:
    name = type(model).__name__
    if name == "Perceptron":
        equal_steps = not callable(model.step) and np.ndim(model.step) == 0
        return "mistakes", bounds.novikoff(radius, margin) if equal_steps else None
    if name in ("PocketPerceptron", "AveragedPerceptron"):
        return "mistakes", bounds.novikoff(radius, margin)
    if name == "BatchPerceptron":
        return "turns", bounds.batch_perceptron(radius, margin)
    if name == "MarginPerceptron":
        from separatrix.algorithms.margin_perceptron import SPARE  # which loads scikit-learn

        bound = bounds.kozinec(radius, margin, (1 - model.share) * (1 - SPARE))
        # The row it starts at counts as an update here.
        return "updates", replace(bound, value=bound.value + 1)
    if name == "PassiveAggressive":
        return "mistakes", bounds.passive_aggressive(radius, 1 / margin, C=model.C, variant=model.variant)
    return "mistakes", None
