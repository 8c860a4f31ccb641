"""Claims that weights are nearly optimal: an objective from above, and from below by duality.

The soft margin, with m = s(w·x + b), c = C·v and loss(t) = max(0, t) or its square, is

    ½|w|² + sum c·loss(1 − m).                                                                          (1)

Multipliers 0 <= a, at most c for the hinge, with sum a·s = 0 where there is an intercept, prove that no
weights are below

    sum a − ½|sum a·s·x|²,   less sum a²/(4c) for the square.                                           (2)

The multipliers of rows that are not listed follow from the weights:

    a = c where m < 1 and 0 elsewhere, or, for the square, c·k/2^29 with k = floor(2^30 (1 − m)).       (3)

Doubles are whole numbers over powers of two, and so is everything here, but for the quotients a²/(4c). Those
of one cost are summed before they are divided; of more than 64 different costs each quotient is rounded up,
by a share of at most 2^-200.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple

from .field_types import (
    above_zero,
    any_whole,
    ascending,
    at_most,
    double,
    listed,
    nonnegative,
    optional,
    several,
)
from .halfspaces import over_common, squared_norm
from .record import Refused
from .table import Table

MULTIPLIER_BITS = 30
MAX_EXPONENT = 1 << 16  # beyond that of any product of doubles
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


class CostedRow(NamedTuple):
    """A row of whole numbers over a common one, its sign, its cost c, and 1 − m."""

    number: int
    entries: list[int]
    common: int
    sign: int
    cost: Fraction
    short: Fraction


def costed_rows(witness: dict[str, Any], table: Table) -> Iterator[CostedRow]:
    weights, below = over_common(witness["weights"])
    bias, row_weights = Fraction(witness["intercept"] or 0), witness["row_weights"]
    for i, (values, sign) in enumerate(table.rows()):
        if row_weights is not None and i >= len(row_weights):
            raise Refused(f"It weighs {len(row_weights)} rows; this data has more.")
        cost = Fraction(witness["C"]) * (1 if row_weights is None else Fraction(row_weights[i]))
        row, common = over_common(values)
        short = 1 - sign * (Fraction(sum(map(mul, row, weights)), common * below) + bias)
        yield CostedRow(i, row, common, sign, cost, short)


def multiplier(row: CostedRow, listed: dict[int, Fraction], squared: bool) -> Fraction:
    """a: as the certificate lists it, or else (3) above."""
    if row.number in listed:
        if not squared and listed[row.number] > row.cost:
            raise Refused(f"The multiplier of row {row.number} is above its cost.")
        return listed[row.number]
    if row.short <= 0:
        return Fraction(0)
    if not squared:
        return row.cost
    k = (row.short.numerator << MULTIPLIER_BITS) // row.short.denominator
    return row.cost * Fraction(k, 1 << MULTIPLIER_BITS - 1)


class Sums:
    """The sums over rows in (1) and (2) above."""

    def __init__(self, columns: int, squared: bool) -> None:
        self.squared = squared
        self.n_rows = 0
        self.loss, self.mass, self.balance = DyadicSum(), DyadicSum(), DyadicSum()
        self.combination = [DyadicSum() for _ in range(columns)]  # sum a·s·x
        self.squares: dict[Fraction, DyadicSum] = {}  # sum a², by cost

    def add(self, row: CostedRow, alpha: Fraction) -> None:
        self.n_rows += 1
        if row.short > 0:
            part = row.cost * (row.short * row.short if self.squared else row.short)
            self.loss.add(part.numerator, places_of(part.denominator))
        if not alpha:
            return
        places = places_of(alpha.denominator)
        self.mass.add(alpha.numerator, places)
        self.balance.add(row.sign * alpha.numerator, places)
        if self.squared:
            if not row.cost:
                raise Refused(f"Row {row.number} costs nothing and has a multiplier.")
            square = alpha * alpha
            sum_ = self.squares.setdefault(row.cost, DyadicSum())
            sum_.add(square.numerator, places_of(square.denominator))
        scale, places = row.sign * alpha.numerator, places + places_of(row.common)
        for sum_, entry in zip(self.combination, row.entries, strict=True):
            if entry:
                sum_.add(scale * entry, places)

    def dual(self) -> Fraction:
        """(2) above."""
        length = sum((sum_.value() ** 2 for sum_ in self.combination), Fraction(0))
        return self.mass.value() - length / 2 - quotients(self.squares)


def soft_margin_within(witness: dict[str, Any], table: Table) -> str:
    row_weights = witness["row_weights"]
    unit = Fraction(1, 1 << witness["exponent"])
    pairs = zip(witness["rows"], witness["multipliers"], strict=True)
    listed = {row: count * unit for row, count in pairs}
    sums = Sums(table.columns, witness["loss"] == "squared_hinge")
    for row in costed_rows(witness, table):
        sums.add(row, multiplier(row, listed, sums.squared))
    if max(listed, default=-1) >= sums.n_rows:
        raise Refused(f"It names row {max(listed)}, which this data does not have.")
    if row_weights is not None and len(row_weights) != sums.n_rows:
        raise Refused(f"It weighs {len(row_weights)} rows; this data has {sums.n_rows}.")
    if witness["intercept"] is not None and sums.balance.whole:
        raise Refused("Its multipliers do not weigh both classes the same.")
    if squared_norm(witness["weights"]) / 2 + sums.loss.value() > Fraction(witness["upper"]):  # (1) above
        raise Refused(f"The objective of its weights is more than {witness['upper']!r}.")
    if sums.dual() < Fraction(witness["lower"]):
        raise Refused(f"What it proves from below is less than {witness['lower']!r}.")
    return (
        f"the soft-margin objective of the weights is at most {witness['upper']!r}, and that of no weights "
        f"below {witness['lower']!r}."
    )


def loss(value: Any) -> str:
    if value not in ("hinge", "squared_hinge"):
        raise ValueError
    return str(value)


CLAIMS = {
    "soft-margin-within": (
        soft_margin_within,
        {
            "weights": several(double),
            "intercept": optional(double),
            "C": above_zero,
            "loss": loss,
            "upper": double,
            "lower": double,
            "rows": ascending,
            "multipliers": listed(any_whole),
            "exponent": at_most(MAX_EXPONENT),
            "row_weights": optional(several(nonnegative)),
        },
    ),
}
