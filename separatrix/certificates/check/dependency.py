"""Whether points cancel with positive multipliers, which are unique up to a factor.

*In whole numbers.* Elimination without fractions on the equations Σ λ point = 0, one a column.

*In floats, with proof,* for n + 1 points of n columns, which is where elimination is slow. With λ = 1 for the
last point c the others solve A a = −c. Let a and R be any floats, in practice a solution and an inverse of A.
If, with the largest row sum of sizes as norm,

    ‖I − RA‖ < 1,                                                                                       (1)

A is invertible, so the multipliers are unique, and the exact ones differ from a by at most

    max |R||Aa + c| / (1 − ‖I − RA‖).                                                                   (2)

If a is larger than that, they are positive. A sum of k products of doubles, in any order, is off by at most

    (k + 4)·2⁻⁵² times the sum of their sizes;                                                          (3)

what underflows is less than 1e-300 for each term, and 1e-290 is allowed. Columns are divided by a power of
two, which changes no multiplier; points that doubles do not hold exactly are left to whole numbers.
"""

from __future__ import annotations

from math import gcd, inf

_UNDERFLOW = 1e-290


def cancel(points: list[list[int]]) -> bool:
    """Whether the multipliers that cancel the points are unique up to a factor, and all positive."""
    return cancel_in_floats(points) or _cancel_exactly(points)


def cancel_in_floats(points: list[list[int]]) -> bool:
    """Whether floats prove it; False decides nothing."""
    equations = in_doubles(points)
    if equations is None:
        return False
    n = len(equations)
    A, c = [equation[:n] for equation in equations], [equation[n] for equation in equations]
    R = _inverse(A)
    if R is None:
        return False
    a = [-sum(map(float.__mul__, row, c)) for row in R]
    unit = (n + 4) * 2.0**-52  # (3) above
    columns = list(zip(*A, strict=True))
    for i, row in enumerate(R):
        total = 0.0
        for j, column in enumerate(columns):
            terms = list(map(float.__mul__, row, column))
            total += abs(sum(terms) - (i == j)) + unit * sum(map(abs, terms)) + _UNDERFLOW
        if not total < 0.49:  # (1) above
            return False
    left = []
    for equation, last in zip(A, c, strict=True):
        terms = [*map(float.__mul__, equation, a), last]
        left.append(abs(sum(terms)) + 2 * unit * sum(map(abs, terms)) + _UNDERFLOW)
    errors = [sum(abs(r) * e for r, e in zip(row, left, strict=True)) for row in R]
    # 5 is above 1/(1 − 0.49), so that (2) above is met, its own rounding included.
    return all(f < inf for f in errors) and all(x > 5 * max(errors) + _UNDERFLOW for x in a)


def in_doubles(points: list[list[int]]) -> list[list[float]] | None:
    """For n + 1 points of n columns, each column over a power of two, about 1 in size; None elsewhere, and
    where doubles do not hold the numbers."""
    n = len(points) - 1
    if n < 4 or len(points[0]) != n:
        return None
    columns = []
    for column in zip(*points, strict=True):
        top = max(map(abs, column)).bit_length()
        for value in column:
            size = abs(value)
            if size and (size // (size & -size) >= 1 << 53 or top - size.bit_length() > 900):
                return None
        columns.append([value / (1 << top) for value in column])
    return columns


def _inverse(A: list[list[float]]) -> list[list[float]] | None:
    """Gauss and Jordan, with the largest pivot of a column; None where it fails."""
    n = len(A)
    rows = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(A)]
    for k in range(n):
        chosen = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[chosen] = rows[chosen], rows[k]
        lead = rows[k][k]
        if not 0.0 < abs(lead) < inf:
            return None
        pivot = rows[k] = [value / lead for value in rows[k]]
        for i, row in enumerate(rows):
            if i != k and (factor := row[k]):
                rows[i] = [value - factor * other for value, other in zip(row, pivot, strict=True)]
    return [row[n:] for row in rows]


def _cancel_exactly(points: list[list[int]]) -> bool:
    count = len(points)
    rows = [list(column) for column in zip(*points, strict=True)]
    reduced: list[list[int]] = []
    pivots: list[int] = []
    for place in range(count):
        found = next((row for row in rows if row[place]), None)
        if found is None:
            continue
        rows = [row for row in rows if row is not found]
        lead = found[place]
        for k, row in enumerate(rows):
            if row[place]:
                rows[k] = _shortened([lead * a - row[place] * b for a, b in zip(row, found, strict=True)])
        reduced.append(found)
        pivots.append(place)
    if len(pivots) != count - 1:
        return False
    (free,) = set(range(count)) - set(pivots)
    answer = [0] * count
    answer[free] = 1
    for row, place in zip(reversed(reduced), reversed(pivots), strict=True):
        below = row[place]
        value = -sum(a * x for k, (a, x) in enumerate(zip(row, answer, strict=True)) if k != place)
        answer = [below * x for x in answer]
        answer[place] = value
        answer = _shortened(answer)
    return min(answer) > 0 or max(answer) < 0


def _shortened(row: list[int]) -> list[int]:
    divisor = gcd(*row)
    return [value // divisor for value in row] if divisor > 1 else row
