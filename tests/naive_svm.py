"""Plain twins of the kernels of the soft margin. Handed Fractions they are exact."""

from __future__ import annotations


def margins_of(rows, signs, weights, intercept):
    return [
        s * (sum(a * w for a, w in zip(x, weights, strict=True)) + intercept)
        for x, s in zip(rows, signs, strict=True)
    ]


def hinge_loss(margins, costs):
    return sum(c * max(0, 1 - m) for m, c in zip(margins, costs, strict=True))


def linear_term(rows, signs, margins, costs, limit):
    """Σ cost·s·(x, 1) over the rows with a margin below the limit."""
    total = [0] * (len(rows[0]) + 1)
    for x, s, m, c in zip(rows, signs, margins, costs, strict=True):
        if m < limit:
            total = [t + c * int(s) * a for t, a in zip(total, (*x, 1), strict=True)]
    return total


def violated(margins, at_cost, costs):
    """The rows that their margin contradicts, of those with α = cost or 0, and what they add to the gap."""
    chosen = [
        i
        for i, (m, full, c) in enumerate(zip(margins, at_cost, costs, strict=True))
        if (m > 1 if full else m < 1 and c > 0)
    ]
    gaps = [
        costs[i] * max(0, 1 - margins[i]) - (costs[i] if at_cost[i] else 0) * (1 - margins[i]) for i in chosen
    ]
    return chosen, sum(gaps)


def slopes(function, t, step):
    """The slope of a function of t by a central difference; exact where it is linear nearby."""
    return (function(t + step) - function(t - step)) / (2 * step)
