"""The theorem that bounds what a run counted, evaluated at the margin it reached.

A bound rests on assumptions, so it is told beside the evidence, never as part of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


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
    learner = getattr(model, "_learner_class", None)
    quantity = getattr(learner, "bounded_quantity", "mistakes")
    allowed = fact(f"{'mistake' if quantity == 'mistakes' else 'update'}_bound{suffix}")
    if radius is None or margin is None or allowed is None or not from_zero(model):
        return None
    bound = model._make_learner().theorem(radius, margin)
    counted = fact("mistakes" if quantity == "mistakes" else "updates")
    return Promise(
        quantity, int(counted), allowed, bound.name, bound.source, radius, margin, bound.assumptions
    )


def from_zero(model: Any) -> bool:
    """Whether the run began at zero, as the theorems want it."""
    return getattr(model, "start", None) is None and not getattr(model, "warm_start", False)
