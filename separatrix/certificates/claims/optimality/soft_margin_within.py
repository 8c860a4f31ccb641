"""Weights whose soft-margin objective is within a proven distance of the least there is.

**Weak duality.** For every (w, b) and all 0 ≤ α ≤ c with Σ αs = 0 (only with an intercept),

    ½‖w‖² + Σ c·max(0, 1 − s(w·x + b))  ≥  Σ α − ½‖Σ αsx‖²,                                             (1)

and for the squared hinge, α without a cap, the right side less Σ α²/(4c). So the weights bound the least
value from above and the multipliers from below: see `soft_margin` for how both are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, TypeAlias

from separatrix.certificates.arithmetic.dyadic import power_of_two
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.data.reading import RowSource
from separatrix.certificates.duality.soft_margin import Objective, enclosed, exact_dual, exact_primal, nearest
from separatrix.certificates.fields import (
    ANY_WHOLE,
    CertificateError,
    Double,
    DoubleOrNone,
    Doubles,
    Positive,
    RowNumbers,
    RowWeights,
    Wholes,
)
from separatrix.certificates.forms import limited, one_of

Loss: TypeAlias = Annotated[str, one_of("hinge", "squared_hinge")]
Exponent: TypeAlias = Annotated[
    int,
    limited(ANY_WHOLE, "whole ≤ 2¹⁶", lambda exponent: exponent <= 1 << 16, type="integer", maximum=1 << 16),
]


@dataclass(frozen=True, repr=False)
class SoftMarginWithin(Certificate):
    """The soft-margin objective lies, at its least, between two numbers, and the weights reach the upper one.

    Parameters
    ----------
    weights, intercept
        Doubles; None for no intercept. The intercept is not penalised.
    C
        The cost of a unit of loss against ½‖w‖².
    loss
        "hinge" or "squared_hinge".
    upper
        Not below the objective of the weights.
    lower
        Not above the objective of any weights.
    rows, multipliers, exponent
        Row numbers, ascending, and whole numbers: α = multiplier/2^exponent. The α of all other rows follow
        from the weights: C·v where the margin is below 1 and 0 elsewhere, or for the squared hinge twice
        C·v·max(0, 1 − margin), cut off after 30 bits.
    row_weights
        v, one for each row; None: all 1.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> proof = SoftMarginWithin((1.0,), -1.5, 1.0, "hinge", 3.5, 3.5, (0, 3), (0, 0), 0)
    >>> proof.verify(X, y)
    Verdict(holds=False, reason='What it proves from below is 1.5, less than 3.5.')
    >>> proof = SoftMarginWithin((2.0,), -3.0, 1.0, "hinge", 6.0, 4.0, (0, 3), (1, 1), 0)
    >>> proof.verify(X, y)
    Verdict(holds=False, reason='What it proves from below is 2.0, less than 4.0.')
    """

    title = "soft margin"

    weights: Doubles
    intercept: DoubleOrNone
    C: Positive
    loss: Loss
    upper: Double
    lower: Double
    rows: RowNumbers = ()
    multipliers: Wholes = ()
    exponent: Exponent = 0
    row_weights: RowWeights = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rows) != len(self.multipliers):
            raise CertificateError(
                f"It has {len(self.rows)} row numbers but {len(self.multipliers)} multipliers."
            )

    @property
    def claim(self) -> str:
        return (
            f"C = {self.C!r}, {self.loss.replace('_', ' ')}: the soft-margin objective of these weights is "
            f"at most {self.upper!r}, and that of no weights below {self.lower!r}."
        )

    @property
    def gap(self) -> float:
        """(upper − lower)/upper."""
        if not self.upper:
            return 0.0
        return nearest((Fraction(self.upper) - Fraction(self.lower)) / abs(Fraction(self.upper)))

    def objective(self) -> Objective:
        unit = power_of_two(-self.exponent)
        listed = {row: count * unit for row, count in zip(self.rows, self.multipliers, strict=True)}
        squared = self.loss == "squared_hinge"
        return Objective(self.weights, self.intercept, self.C, squared, self.row_weights, listed)

    def _prove(self, source: RowSource) -> Verdict:
        if self.rows and self.rows[-1] >= source.n_rows:
            return Verdict(False, f"It names row {self.rows[-1]}; this data has {source.n_rows} rows.")
        if self.row_weights is not None and len(self.row_weights) != source.n_rows:
            return Verdict(False, f"It weighs {len(self.row_weights)} rows; this data has {source.n_rows}.")
        objective = self.objective()
        if not objective.squared:
            beyond = [row for row, alpha in objective.listed.items() if alpha > objective.cost(row)]
            if beyond:
                return Verdict(False, f"The multiplier of row {beyond[0]} is above its cost.")
        found = enclosed(source, objective)
        if self.intercept is not None and found.balance:
            return Verdict(False, "Its multipliers do not weigh both classes the same.")
        upper, lower = Fraction(self.upper), Fraction(self.lower)
        if not found.upper(objective) <= upper:  # the left side of (1)
            value = None if found.below(objective) > upper else exact_primal(source, objective)
            if value is None or value > upper:
                shown = nearest(found.below(objective) if value is None else value)
                return Verdict(False, f"The objective of its weights is {shown!r}, more than {self.upper!r}.")
        if not found.lower() >= lower:  # the right side of (1)
            value = exact_dual(source, objective)
            if value is None or value < lower:
                proved = "nothing" if value is None else repr(nearest(value))
                return Verdict(False, f"What it proves from below is {proved}, less than {self.lower!r}.")
        return Verdict(
            True,
            f"The objective is at most {self.upper!r} and no weights reach below {self.lower!r}.",
        )
