"""Claims that weights are nearly optimal: an objective from above, and from below by duality.

The soft margin is ½|w|² + sum c·loss(1 − m) with m = s(w·x + b), c = C·v and loss(t) = max(0, t) or its
square. Multipliers 0 <= a, at most c for the hinge, with sum a·s = 0 where there is an intercept, prove
that no weights are below sum a − ½|sum a·s·x|², less sum a²/(4c) for the square. Those of the rows that are
not listed follow from the weights: a = c where m < 1 and 0 elsewhere, or, for the square, c·k/2^29 with k =
floor(2^30 (1 − m)).

Doubles are whole numbers over powers of two, and so is everything here, but for the quotients a²/(4c). Those
of one cost are summed before they are divided; of more than 64 different costs each quotient is rounded up,
by a share of at most 2^-200.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

from .halfspaces import over_common
from .record import Refused, any_whole, ascending, double, listed, optional, several, text, whole
from .table import Table

MULTIPLIER_BITS = 30
MAX_EXACT_COSTS = 64


class DyadicSum:
    """A sum of whole numbers over powers of two, kept over one of them."""

    def __init__(self) -> None:
        self.whole, self.places = 0, 0

    def add(self, whole: int, places: int) -> None:
        """Add whole/2^places."""
        if places > self.places:
            self.whole <<= places - self.places
            self.places = places
        self.whole += whole << (self.places - places)

    def value(self) -> Fraction:
        return Fraction(self.whole, 1 << self.places)


def places_of(below: int) -> int:
    """The exponent of a denominator, a power of two."""
    return below.bit_length() - 1


def quotients(sums: dict[Fraction, DyadicSum]) -> Fraction:
    """Not below the sum of A/(4c) over costs c with sums of squares A; equal to it for few costs."""
    exact = [squares.value() / (4 * cost) for cost, squares in sums.items()]
    if len(exact) <= MAX_EXACT_COSTS:
        return sum(exact, Fraction(0))
    total = DyadicSum()
    for value in exact:
        places = max(0, 200 + value.denominator.bit_length() - value.numerator.bit_length())
        total.add(-((-value.numerator << places) // value.denominator), places)
    return total.value()


def soft_margin_within(witness: dict[str, Any], table: Table) -> str:
    squared = witness["loss"] == "squared_hinge"
    if witness["loss"] not in ("hinge", "squared_hinge") or not witness["C"] > 0:
        raise Refused("It names no loss this checker knows, or no C above 0.")
    if witness["exponent"] > 1 << 16:
        raise Refused("Its exponent is beyond that of any product of doubles.")
    given = dict(zip(witness["rows"], witness["multipliers"], strict=True))
    row_weights: list[float] | None = witness["row_weights"]
    if row_weights is not None and min(row_weights, default=0) < 0:
        raise Refused("A row's weight is below 0.")
    weights, below = over_common(witness["weights"])
    bias = Fraction(witness["intercept"] or 0)
    lower, upper = Fraction(witness["lower"]), Fraction(witness["upper"])
    loss, mass, balance = DyadicSum(), DyadicSum(), DyadicSum()
    total = [DyadicSum() for _ in weights]
    squares: dict[Fraction, DyadicSum] = {}
    met, n_rows = 0, 0
    for i, (values, sign) in enumerate(table.rows()):
        n_rows += 1
        if row_weights is not None and i >= len(row_weights):
            raise Refused(f"It weighs {len(row_weights)} rows; this data has more.")
        cost = Fraction(witness["C"]) * (1 if row_weights is None else Fraction(row_weights[i]))
        row, common = over_common(values)
        short = 1 - sign * (Fraction(sum(map(mul, row, weights)), common * below) + bias)
        if short > 0:
            part = cost * (short * short if squared else short)
            loss.add(part.numerator, places_of(part.denominator))
        if i in given:
            met += 1
            alpha = Fraction(given[i], 1 << witness["exponent"])
            if not squared and alpha > cost:
                raise Refused(f"The multiplier of row {i} is above its cost.")
        elif short <= 0:
            continue
        elif squared:
            alpha = cost * Fraction(
                (short.numerator << MULTIPLIER_BITS) // short.denominator, 1 << MULTIPLIER_BITS - 1
            )
        else:
            alpha = cost
        if not alpha:
            continue
        places = places_of(alpha.denominator)
        mass.add(alpha.numerator, places)
        balance.add(sign * alpha.numerator, places)
        if squared:
            if not cost:
                raise Refused(f"Row {i} costs nothing and has a multiplier.")
            square = alpha * alpha
            squares.setdefault(cost, DyadicSum()).add(square.numerator, places_of(square.denominator))
        scale, places = sign * alpha.numerator, places + places_of(common)
        for sum_, entry in zip(total, row, strict=True):
            if entry:
                sum_.add(scale * entry, places)
    if met < len(given):
        raise Refused(f"It names row {max(given)}, which this data does not have.")
    if row_weights is not None and len(row_weights) != n_rows:
        raise Refused(f"It weighs {len(row_weights)} rows; this data has {n_rows}.")
    if witness["intercept"] is not None and balance.whole:
        raise Refused("Its multipliers do not weigh both classes the same.")
    norm = Fraction(sum(map(mul, weights, weights)), below * below)
    if norm / 2 + loss.value() > upper:
        raise Refused(f"The objective of its weights is more than {witness['upper']!r}.")
    length = sum((sum_.value() ** 2 for sum_ in total), Fraction(0))
    if mass.value() - length / 2 - quotients(squares) < lower:
        raise Refused(f"What it proves from below is less than {witness['lower']!r}.")
    return (
        f"the soft-margin objective of the weights is at most {witness['upper']!r}, and that of no weights "
        f"below {witness['lower']!r}."
    )


CLAIMS = {
    "soft-margin-within": (
        soft_margin_within,
        {
            "weights": several(double),
            "intercept": optional(double),
            "C": double,
            "loss": text,
            "upper": double,
            "lower": double,
            "rows": ascending,
            "multipliers": listed(any_whole),
            "exponent": whole,
            "row_weights": optional(listed(double)),
        },
    ),
}
