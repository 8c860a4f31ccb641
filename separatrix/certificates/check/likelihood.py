"""Claims about the logistic likelihood: weights that reach one number, and a proof that none fall below
another.

For 0 <= b <= v and rows z = s(x, 1), or s·x without an intercept, log(1 + exp(-m)) >= h(p) - p m with the
entropy h, so

    sum v log(1 + exp(-z·w)) >= sum v h(b/v) - g·w        for every w, with g = sum b z.                (1)

With the penalty |w|^2/2 and the cost C, and the intercept's entry of g exactly 0, no objective is below

    C sum v h(b/v) - C^2 |g|^2/2.                                                                       (2)

Without a penalty, and with g exactly 0, none is below sum v h(b/v).

Which b, is for the checker to choose: b = v/(1 + exp(m)) at the weights, in multiples of 10^-40, the classes
balanced in the best of three ways; without a penalty the rows named take up, exactly, what is left of g.
Margins and g are exact. Exponentials and logarithms are Python's ``decimal``, which rounds both correctly to
60 digits; all sums are of positive numbers, and 10^-40 of each is allowed for these roundings.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from operator import mul
from typing import Any

from .combinations import NORMALS, PRIMES, rank, solve
from .field_types import above_zero, any_number, ascending, double, nonnegative, number, optional, several
from .halfspaces import UNIT, all_weights, over_common, row_over_common
from .logarithms import ROUNDING_SHARE, decimal, entropy, multiples_per_unit, softplus
from .record import Refused
from .table import Table


def weighed(rows: Iterator[Any], row_weights: list[float] | None) -> Iterator[tuple[Any, Fraction]]:
    """Rows with their weights v."""
    n_rows = 0
    for n_rows, row in enumerate(rows, 1):
        if row_weights is not None and n_rows > len(row_weights):
            raise Refused(f"It weighs {len(row_weights)} rows; this data has more.")
        v = Fraction(1 if row_weights is None else row_weights[n_rows - 1])
        yield row, v
    if row_weights is not None and len(row_weights) != n_rows:
        raise Refused(f"It weighs {len(row_weights)} rows; this data has {n_rows}.")


class Dual:
    """The loss of the weights, and multiples of a small unit for the rows."""

    def __init__(self, witness: dict[str, Any], table: Table) -> None:
        self.constant = witness["intercept"] is not None
        weights, below = over_common(all_weights(witness))
        plane = None if witness["direction"] is None else over_common(witness["direction"])[0]
        if plane is not None and len(plane) != len(weights):
            raise Refused("Its direction has the wrong length.")
        self.scale = multiples_per_unit(witness["row_weights"])
        self.loss, self.multiples, self.signs, self.weights = Decimal(0), [], [], []
        for (values, sign), v in weighed(table.rows(), witness["row_weights"]):
            row, common = row_over_common(values, self.constant)
            margin = decimal(Fraction(sign * sum(map(mul, row, weights)), common * below))
            self.loss += decimal(v) * softplus(margin)
            counts = plane is None or sum(map(mul, row, plane)) == 0
            share = 1 / (1 + margin.exp()) if margin < 10**6 else Decimal(0)
            multiple = min(int(decimal(v) * share * self.scale), int(v * self.scale)) if counts else 0
            self.multiples.append(multiple)
            self.signs.append(sign)
            self.weights.append(v)

    def balanced(self) -> Iterator[list[int]]:
        """Multiples with which both classes weigh exactly the same: the heavier class scaled down, its
        largest row alone made smaller, or a row of the other class larger."""
        rows = {sign: [i for i, s in enumerate(self.signs) if s == sign] for sign in (-1, 1)}
        sums = {sign: sum(self.multiples[i] for i in rows[sign]) for sign in rows}
        heavy = max(sums, key=lambda sign: sums[sign])
        light, most = sums[-heavy], sums[heavy]
        if light == most:
            yield self.multiples
            return
        scaled = list(self.multiples)
        for i in rows[heavy]:
            scaled[i] = scaled[i] * light // most
        # Rounding down has taken a little too much: a row with room gets it back.
        yield from self._moved(scaled, rows[heavy], light - sum(scaled[i] for i in rows[heavy]))
        yield from self._moved(self.multiples, rows[heavy], light - most)
        yield from self._moved(self.multiples, rows[-heavy], most - light)

    def _moved(self, multiples: list[int], rows: list[int], more: int) -> Iterator[list[int]]:
        """The multiples with ``more`` for the row that can take most of it, if it can take all."""
        slack = [multiples[i] if more < 0 else int(self.weights[i] * self.scale) - multiples[i] for i in rows]
        if max(slack, default=-1) >= abs(more):
            row = rows[slack.index(max(slack))]
            yield [*multiples[:row], multiples[row] + more, *multiples[row + 1 :]]

    def combination(self, table: Table) -> list[Fraction]:
        """g of (1) above, exactly."""
        total = [0] * (table.columns + self.constant)
        for (values, sign), multiple in zip(table.rows(), self.multiples, strict=True):
            if multiple:
                row, common = row_over_common(values, self.constant)
                factor = sign * multiple * (UNIT // common)
                total = [sum_ + factor * entry for sum_, entry in zip(total, row, strict=True)]
        return [Fraction(entry, UNIT * self.scale) for entry in total]

    def entropies(self, shares: dict[int, Fraction]) -> Decimal:
        """sum v h(b/v); ``shares`` are the b of some rows that have changed."""
        total = Decimal(0)
        for i, v in enumerate(self.weights):
            b = shares.get(i, Fraction(self.multiples[i], self.scale))
            if v:
                total += decimal(v) * entropy(b / v)
        return total


def compare(witness: dict[str, Any], upper: Decimal, lower: Decimal, gained: Decimal) -> None:
    """Refuse ends that are not outside what was found; ``gained`` is the positive part of ``lower``."""
    if upper * (1 + ROUNDING_SHARE) > Decimal(witness["upper"]):
        raise Refused(f"The objective of its weights is {float(upper)!r}.")
    if witness["lower"] > 0 and lower - ROUNDING_SHARE * gained < Decimal(witness["lower"]):
        raise Refused(f"What it proves from below is {float(lower)!r}.")


def likelihood_within(witness: dict[str, Any], table: Table) -> str:
    with localcontext(Context(prec=60, Emin=-(10**9), Emax=10**9)):
        dual = Dual(witness, table)
        C = witness["C"]
        if C is None:
            upper = dual.loss
            lower = gained = unpenalised(witness, table, dual) if witness["lower"] > 0 else Decimal(0)
        else:
            cost = decimal(Fraction(C))
            square = sum((Fraction(w) ** 2 for w in witness["weights"]), Fraction(0))
            upper = decimal(square) / 2 + cost * dual.loss
            lower = gained = Decimal(0)
            if witness["lower"] > 0:
                for way in list(dual.balanced()) if dual.constant else [dual.multiples]:
                    dual.multiples = way
                    g = dual.combination(table)[: table.columns]
                    entropies = cost * dual.entropies({})
                    bound = entropies - cost**2 * decimal(sum(entry * entry for entry in g)) / 2  # (2)
                    lower, gained = max((lower, gained), (bound, entropies))
                    if lower - ROUNDING_SHARE * gained >= Decimal(witness["lower"]):
                        break
        compare(witness, upper, lower, gained)
    found = f"the objective is at most {witness['upper']!r} at these weights"
    return f"{found}, and at least {witness['lower']!r} at any."


def unpenalised(witness: dict[str, Any], table: Table, dual: Dual) -> Decimal:
    """The bound once the rows named have taken up what is left."""
    rows, normals = witness["rows"], witness["normals"]
    width = table.columns + dual.constant
    if not rows and len(normals) < width:
        return Decimal(0)
    if any(len(normal) != width for normal in normals) or len(rows) + len(normals) != width:
        raise Refused("Its rows and normals leave dimensions open.")
    if normals and all(rank(normals, prime) < len(normals) for prime in PRIMES):
        raise Refused("Its normals are not independent.")
    changes = solve(spanning(witness, table, dual), [-entry for entry in dual.combination(table)])
    shares = {}
    for i, change in zip(rows, changes, strict=True):
        b = Fraction(dual.multiples[i], dual.scale) + change
        if not 0 <= b <= dual.weights[i]:
            raise Refused("Its rows cannot take up what is left of the dual constraints.")
        shares[i] = b
    return dual.entropies(shares)


def spanning(witness: dict[str, Any], table: Table, dual: Dual) -> list[list[Fraction]]:
    """The rows it names, once every row that counts is seen to be orthogonal to the normals."""
    rows, found = witness["rows"], []
    plane = None if witness["direction"] is None else over_common(witness["direction"])[0]
    for i, (values, sign) in enumerate(table.rows()):
        row, common = row_over_common(values, dual.constant)
        if dual.weights[i] and (plane is None or sum(map(mul, row, plane)) == 0):
            if any(sum(map(mul, row, normal)) for normal in witness["normals"]):
                raise Refused(f"Row {i} (counted from 0) is outside the span it claims.")
        elif i in rows:
            raise Refused(f"Row {i} (counted from 0) does not count, and cannot take anything up.")
        if i in rows:
            found.append([Fraction(sign * entry, common) for entry in row])
    if len(found) < len(rows):
        raise Refused(f"It names row {rows[-1]}, which this data does not have.")
    return found


CLAIMS = {
    "likelihood-within": (
        likelihood_within,
        {
            "weights": several(double),
            "intercept": optional(double),
            "C": optional(above_zero),
            "upper": number,
            "lower": number,
            "row_weights": optional(several(nonnegative)),
            "rows": ascending,
            **NORMALS,
            "direction": optional(several(any_number)),
        },
    ),
}
