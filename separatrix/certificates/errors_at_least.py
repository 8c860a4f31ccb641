"""No halfspace makes fewer errors: a proof that is replayed in whole numbers.

The methods of proof are described where they are checked, in ``check/fewest_errors.py`` and the files beside
it. Their code needs nothing but whole numbers, and serves here too, with faster ways through its inner loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np

from separatrix.certificates.cancelling import cancel
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.check.fewest_errors import METHODS, grouped, lower_bound, whole_costs
from separatrix.certificates.check.fewest_errors_circuits import circuits
from separatrix.certificates.check.fewest_errors_cone import cones
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.cone_replay import least
from separatrix.certificates.source import Source, refuse_infinite
from separatrix.certificates.witness import Flag, Whole, _numbers, _optional


def _record(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("method"), str):
        raise ValueError("it does not name its method")
    return value


def _costs(values: Any) -> tuple[float | int, ...]:
    costs = _numbers(values)
    if not costs or not 0 <= min(costs) <= max(costs) < 1 << 1024:
        raise ValueError("it is not a list of numbers from 0 up, below 2^1024")
    return costs


Proof: TypeAlias = Annotated[dict[str, Any], _record]
CostsOrNone: TypeAlias = Annotated[tuple[float | int, ...] | None, _optional(_costs)]

FASTER = {**METHODS, "cones": partial(cones, least=least), "circuits": partial(circuits, cancels=cancel)}
"""The methods of proof, their inner loops in arrays where doubles settle them, else in whole numbers."""


@dataclass(frozen=True, repr=False)
class ErrorsAtLeast(Certificate):
    """Every halfspace makes at least so many errors.

    Parameters
    ----------
    bound
        The number; with costs, in the largest unit of which every cost is a whole multiple.
    costs
        What an error costs, row by row; None: 1 each.
    proof
        A record that names its ``method``: ``cones``, ``circuits``, or ``none`` where contradicting rows
        alone prove the bound.
    intercept
        Whether halfspaces with an intercept are meant.

    Examples
    --------
    Two rows that are equal but for their labels:

    >>> proof = ErrorsAtLeast(1, None, {"method": "none"}, intercept=True)
    >>> proof.verify([[0.0], [1.0], [1.0]], [0, 0, 1])
    Verdict(holds=True, reason='Every halfspace makes at least 1 error.')
    """

    bound: Whole
    costs: CostsOrNone
    proof: Proof
    intercept: Flag

    @property
    def unit(self) -> Fraction:
        return whole_costs(None if self.costs is None else list(self.costs), len(self.costs or ()))[1]

    @property
    def claim(self) -> str:
        through = "" if self.intercept else " through the origin"
        return f"Every halfspace{through} makes {priced(self.bound, self.unit, self.costs is not None)}."

    def _prove(self, source: Source) -> Verdict:
        try:
            costs, unit = whole_costs(None if self.costs is None else list(self.costs), source.n_rows)
            proven = lower_bound(self.proof, grouped(signed_rows(source), self.intercept, costs), FASTER)
        except (Refused, Unreadable) as refused:
            return Verdict(False, str(refused))
        if proven < self.bound:
            return Verdict(False, f"Its proof shows {proven}, less than the {self.bound} claimed.")
        return Verdict(True, f"Every halfspace makes {priced(self.bound, unit, self.costs is not None)}.")


def signed_rows(source: Source) -> Iterator[tuple[list[float], int]]:
    """Values and sign of each row."""
    for piece in source.pieces():
        X = piece.X
        refuse_infinite(X, range(piece.start, piece.stop))
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        yield from zip(dense.tolist(), piece.signs.tolist(), strict=True)


def priced(bound: int, unit: Fraction, costly: bool) -> str:
    """The bound in words."""
    if costly:
        return f"errors that cost at least {amount(bound, unit)}"
    return f"at least {bound} error{'s' * (bound != 1)}"


def amount(cost: int, unit: Fraction) -> str:
    exact = cost * unit
    if exact.denominator == 1 or exact > 1 << 1000:  # beyond it no fraction is left to see
        return str(round(exact))
    return repr(float(exact))
