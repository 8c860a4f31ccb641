"""The record of an evaluated theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, SupportsFloat, get_args

Kind = Literal["certain", "with probability", "in expectation"]


@dataclass(frozen=True)
class Bound:
    """An upper bound and what it rests on. It compares as its value does.

    Parameters
    ----------
    value : float
        What the quantity is at most.
    kind : {"certain", "with probability", "in expectation"}
    assumptions : tuple of str
        One sentence each.
    source : str
    name, quantity : str
        Who proved it, and what of.
    delta : float or None
        The probability that it fails, for the kind "with probability" alone.
    trivial : float
        From here on the bound says nothing: infinity for a count, 1 for a rate.

    Examples
    --------
    >>> bound = Bound(0.07, "with probability", name="Hoeffding", quantity="risk", delta=0.05, trivial=1.0)
    >>> print(bound)
    Hoeffding: risk <= 0.07 (with probability 0.95)
    >>> bound < 0.1, bound.vacuous
    (True, False)
    """

    value: float
    kind: Kind = "certain"
    assumptions: tuple[str, ...] = ()
    source: str = ""
    name: str = ""
    quantity: str = "mistakes"
    delta: float | None = None
    trivial: float = math.inf

    def __post_init__(self) -> None:
        if math.isnan(self.value):
            raise ValueError("the value of a bound is not a number")
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {get_args(Kind)}, not {self.kind!r}")
        if self.kind == "with probability" and not (self.delta is not None and 0 < self.delta < 1):
            raise ValueError(f"a bound with probability needs a delta between 0 and 1, not {self.delta!r}")
        if self.kind != "with probability" and self.delta is not None:
            raise ValueError(f"a bound that is {self.kind} has no delta")

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: infinite, or a rate of 1 or more."""
        return self.value >= self.trivial

    def __float__(self) -> float:
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def __lt__(self, other: SupportsFloat) -> bool:
        return self.value < float(other)

    def __le__(self, other: SupportsFloat) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: SupportsFloat) -> bool:
        return self.value > float(other)

    def __ge__(self, other: SupportsFloat) -> bool:
        return self.value >= float(other)

    def __str__(self) -> str:
        how = self.kind if self.delta is None else f"{self.kind} {1 - self.delta:g}"
        nothing = ", says nothing" if self.vacuous else ""
        return f"{self.name}: {self.quantity} <= {self.value:.6g} ({how}{nothing})"
