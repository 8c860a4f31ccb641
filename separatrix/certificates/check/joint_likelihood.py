"""Claims about the multinomial likelihood, with the arithmetic of ``likelihood``.

For a row of class y with weight v and scores t, and b_k >= 0 for k != y that add up to at most v, let q
be the shares b/v and what they leave for y. Then log sum exp(t_k) - t_y >= h(q) - sum q_k (t_y - t_k),
with the entropy h (Gibbs). Summed over rows, the last terms are g·w, so that no objective is below

    C sum v h(q) - C^2 |g|^2/2   with the penalty |w|^2/2, the intercepts' entries of g exactly 0,      (1)
    sum v h(q) - r |g|           without a penalty, for weights of length r.                            (2)

Differences of scores are exact. The b are those of the weights, in multiples of 10^-40, or of 2^-quantum
where the certificate says so; a row that would then have more than 2^51 of them has none. What is left of the
intercepts' entries is taken back from some rows, or given to some, if need be by way of a third class.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import product
from operator import mul
from reprlib import repr as short
from typing import Any

from .field_types import above_zero, at_most, double, label, nonnegative, number, optional, several
from .halfspaces import UNIT, over_common, row_over_common
from .labels import meaning, same_label
from .likelihood import compare, weighed
from .logarithms import (
    MAX_EXPONENT,
    ROUNDING_SHARE,
    SMALL_SHARE,
    decimal,
    log_of_one_and,
    multiples_per_unit,
)
from .record import Refused
from .table import Table

MAX_QUANTUM_BITS = 900
MAX_MULTIPLES = 2**51  # of a row, where the certificate names their unit


def last_class(witness: dict[str, Any], positive: Any) -> Any:
    """The positive label: the digest is that of the last class against the others."""
    last = witness["classes"][-1]
    if positive is not None and not same_label(positive, last):
        raise Refused(
            f"It calls the label {short(positive)} positive; that is its last class, {short(last)}."
        )
    return last


def planes_of(witness: dict[str, Any], table: Table) -> list[tuple[list[int], int]]:
    """The weights of each class, its intercept last if there is one, over a common denominator."""
    classes, intercepts, rows = witness["classes"], witness["intercepts"], witness["coefficients"]
    if len(classes) < 2 or len(set(map(meaning, classes))) < len(classes):
        raise Refused("It has one class only, or the same one twice.")
    if len(rows) != len(classes) or any(len(row) != table.columns for row in rows):
        raise Refused("It has not one row of coefficients for each class and column.")
    if intercepts is None:
        return [over_common(row) for row in rows]
    if len(intercepts) != len(classes):
        raise Refused("It has not one intercept for each class.")
    return [over_common([*row, b]) for row, b in zip(rows, intercepts, strict=True)]


class JointDual:
    """The loss of the weights, and multiples of 10^-40 for every row and every other class."""

    def __init__(self, witness: dict[str, Any], table: Table) -> None:
        self.constant = witness["intercepts"] is not None
        planes = planes_of(witness, table)
        self.loss = Decimal(0)
        self.multiples: list[list[int]] = []  # of every class, 0 for the own
        self.own, self.weights = list[int](), list[Fraction]()
        self.scale, self.most = multiples_per_unit(witness["row_weights"]), math.inf
        if witness["quantum"] is not None:
            self.scale, self.most = 1 << witness["quantum"], MAX_MULTIPLES
        known: dict[str, list[int]] = {}
        for i, ((values, name), v) in enumerate(weighed(table.labelled(), witness["row_weights"])):
            if name not in known:
                known[name] = [k for k, one in enumerate(witness["classes"]) if same_label(name, one)]
            if len(known[name]) != 1:
                raise Refused(f"Row {i} (counted from 0) has a label that is not one of its classes.")
            row, common = row_over_common(values, self.constant)
            scores = [Fraction(sum(map(mul, row, w)), common * below) for w, below in planes]
            self.add(scores, known[name][0], v)

    def add(self, scores: list[Fraction], own: int, v: Fraction) -> None:
        """A row: its loss, and the multiples that its scores propose for the other classes."""
        top = max(scores)
        powers = [max(decimal(score - top), -MAX_EXPONENT).exp() for score in scores]
        total = sum(powers, Decimal(0))
        others = sum(sorted(powers)[:-1], Decimal(0))
        self.loss += decimal(v) * (log_of_one_and(others) + decimal(top - scores[own]))
        multiples = [int(decimal(v) * power / total * self.scale * (1 - ROUNDING_SHARE)) for power in powers]
        multiples[own] = 0
        if sum(multiples) > self.most or sum(multiples) > v * self.scale:
            multiples = [0] * len(multiples)
        self.multiples.append(multiples)
        self.own.append(own)
        self.weights.append(v)

    def balance(self) -> None:
        """Make the intercepts' entries of g exactly 0."""
        flows, classes = self.flows(), range(len(self.multiples[0]))

        def send(k: int, other: int, wanted: int, signs: tuple[int, ...] = (-1, 1)) -> int:
            moved = 0
            for sign in signs if wanted > 0 else ():
                moved += self.change(*((other, k) if sign < 0 else (k, other)), wanted - moved, sign)
            flows[k] -= moved
            flows[other] += moved
            return moved

        for sign, k, other in product((-1, 1), classes, classes):
            send(k, other, min(flows[k], -flows[other]), (sign,))
        for k, other, third in product(classes, repeat=3):
            if third not in (k, other):
                send(third, other, send(k, third, min(flows[k], -flows[other])))
        if any(flows):
            raise Refused("The dual variables of the classes cannot be balanced.")

    def flows(self) -> list[int]:
        """The intercepts' entries of -g, in multiples."""
        found = [0] * len(self.multiples[0])
        for own, multiples in zip(self.own, self.multiples, strict=True):
            for k, multiple in enumerate(multiples):
                found[k] += multiple
                found[own] -= multiple
        return found

    def change(self, own: int, k: int, wanted: int, sign: int) -> int:
        """Take multiples of the class k from rows of the class own, or give them some: up to so many, first
        from or to the rows with most to spare. How many it were."""

        def available(i: int) -> int:
            return self.multiples[i][k] if sign < 0 else self.slack(i)

        moved = 0
        for row in sorted((i for i, one in enumerate(self.own) if one == own), key=available, reverse=True):
            part = min(wanted - moved, available(row))
            self.multiples[row][k] += sign * part
            moved += part
        return moved

    def slack(self, row: int) -> int:
        """How many more multiples a row can have."""
        return int(self.weights[row] * self.scale // 1) - sum(self.multiples[row])

    def square(self, table: Table, whole: bool) -> Fraction:
        """|g|^2, exactly; with ``whole``, the intercepts' entries included."""
        count = len(self.multiples[0])
        constant = self.constant and whole
        total = [[0] * (table.columns + constant) for _ in range(count)]
        for (values, _), own, multiples in zip(table.labelled(), self.own, self.multiples, strict=True):
            row, common = row_over_common(values, constant)
            for k, multiple in enumerate(multiples):
                factor = multiple * (UNIT // common)
                if factor:
                    total[k] = [a - factor * b for a, b in zip(total[k], row, strict=True)]
                    total[own] = [a + factor * b for a, b in zip(total[own], row, strict=True)]
        return Fraction(sum(entry * entry for g in total for entry in g), (UNIT * self.scale) ** 2)

    def entropies(self) -> Decimal:
        total = Decimal(0)
        for v, multiples in zip(self.weights, self.multiples, strict=True):
            shares = [Fraction(multiple, self.scale) / v for multiple in multiples if multiple]
            *small, largest = sorted([*shares, 1 - sum(shares, Fraction(0))])
            rest = decimal(sum(small, Fraction(0)))
            found = sum((-decimal(q) * decimal(q).ln() for q in small if q > 0), Decimal(0))
            found += decimal(largest) * (rest if rest < SMALL_SHARE else -decimal(largest).ln())
            total += decimal(v) * found
        return total


def joint_likelihood_within(witness: dict[str, Any], table: Table) -> str:
    with localcontext(Context(prec=60, Emin=-(10**9), Emax=10**9)):
        joint, C = JointDual(witness, table), witness["C"]
        upper, lower, gained = joint.loss, Decimal(0), Decimal(0)
        if C is None:
            if witness["radius"] is not None:
                length = decimal(joint.square(table, True)).sqrt()
                gained = joint.entropies()
                lower = gained - Decimal(witness["radius"]) * length  # (2) above
        else:
            square = sum((Fraction(w) ** 2 for row in witness["coefficients"] for w in row), Fraction(0))
            cost = decimal(Fraction(C))
            upper = decimal(square) / 2 + cost * joint.loss
            if witness["lower"] > 0:
                if joint.constant:
                    joint.balance()
                gained = cost * joint.entropies()
                lower = gained - cost**2 * decimal(joint.square(table, False)) / 2  # (1) above
        compare(witness, upper, lower, gained)
    return (
        f"the objective is at most {witness['upper']!r} at these weights, and at least {witness['lower']!r}."
    )


CLAIMS = {
    "joint-likelihood-within": (
        joint_likelihood_within,
        {
            "classes": several(label),
            "coefficients": several(several(double)),
            "intercepts": optional(several(double)),
            "C": optional(above_zero),
            "upper": number,
            "lower": number,
            "row_weights": optional(several(nonnegative)),
            "radius": optional(nonnegative),
            "quantum": optional(at_most(MAX_QUANTUM_BITS)),
        },
    ),
}
