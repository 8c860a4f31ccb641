"""Plain twins of the kernels and of the perceptron family, written to be obviously right.

A row is a list of numbers, a table a list of rows, everything a Python loop over z = s(x, constant). Handed
Fractions (see `exact`) a twin is exact; handed floats it is the textbook rule in doubles.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


def exact(table: Any) -> Any:
    """The same numbers, of an array or a sparse matrix, as nested lists of Fractions."""
    values = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    if values.ndim == 0:
        return Fraction(values.item())
    return [exact(part) for part in values]


def floats(numbers: Any) -> np.ndarray:
    return np.array([[float(v) for v in row] if isinstance(row, list) else float(row) for row in numbers])


def dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True))


def plus(a, step, b):
    """a + step·b."""
    return [p + step * q for p, q in zip(a, b, strict=True)]


def signed(rows, signs, constant=1):
    """z = s(x, constant) of every row."""
    return [[int(s) * v for v in (*x, constant)] for x, s in zip(rows, signs, strict=True)]


def wrong(weights, z):
    return not dot(weights, z) > 0


# The kernels, one twin each; what a kernel changes, its twin returns.


def parse_lines(text):
    """Labels, values, column indices and row pointers of svmlight text; None where it is not all in order."""
    number = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
    labels, data, indices, indptr = [], [], [], [0]
    for line in text.split(b"\n"):
        label, *pairs = re.split(rb"[ \t\r]+", line.partition(b"#")[0].strip(b" \t\r"))
        if not label:
            continue
        if pairs and re.fullmatch(rb"qid:[0-9]+", pairs[0]):
            del pairs[0]
        last = -1
        for pair in pairs:
            index, _, value = pair.partition(b":")
            if not re.fullmatch(rb"[0-9]+", index) or not last < int(index) < 2**31 - 1:
                return None
            if re.fullmatch(rb"[+-]?[0-9]+", value) and abs(int(value)) > 2**53:
                return None
            data.append(value)
            indices.append(last := int(index))
        labels.append(label)
        indptr.append(len(data))
    if not all(number.fullmatch(written) and math.isfinite(float(written)) for written in labels + data):
        return None
    return [float(written) for written in labels], [float(written) for written in data], indices, indptr


def measure_norms(rows, centre):
    squares = [dot(x, x) for x in rows]
    moved = [plus(x, -1, centre) for x in rows]
    return max(dot(x, x) for x in moved), squares


def scores(rows, constant, weights):
    values = [dot(weights, [*x, constant]) for x in rows]
    return max(abs(v) for v in values), values


def add_violators(rows, signs, constant, weights, total):
    violators = [z for z in signed(rows, signs, constant) if wrong(weights, z)]
    for z in violators:
        total = plus(total, 1, z)
    return len(violators), total


def sweep(rows, signs, visit, steps, constant, counts, weights):
    table, counts, mistakes = signed(rows, signs, constant), list(counts), 0
    for i in visit:
        if wrong(weights, table[i]):
            weights = plus(weights, steps[mistakes], table[i])
            counts[i] += 1
            mistakes += 1
    return mistakes, counts, weights


def bound_margin(x, sign, constant, weights):
    """Of one row: its margin, less what two sums of it can differ by."""
    terms = [sign * w * v for w, v in zip(weights, (*x, constant), strict=True)]
    return sum(terms) - 4 * (len(x) + 4) * Fraction(1, 2**53) * sum(map(abs, terms)) - Fraction(1, 2**1000)


def certain_signs(rows, signs, constant, weights):
    """The rows on the plane, the least margin of the others, and how many of those are wrong."""
    margins = [dot(weights, z) for z in signed(rows, signs, constant)]
    others = [margin for margin in margins if margin]
    ties = [i for i, margin in enumerate(margins) if not margin]
    return ties, min(others, default=float("inf")), sum(margin < 0 for margin in others)


def averaged_sweep(rows, signs, visit, constant, clock, late, weights):
    table, mistakes = signed(rows, signs, constant), 0
    for seen, i in enumerate(visit, start=clock):
        if wrong(weights, table[i]):
            weights = plus(weights, 1, table[i])
            late = plus(late, seen, table[i])
            mistakes += 1
    return mistakes, late, weights


def voted_sweep(rows, signs, visit, constant, lives, voters):
    table, lives, voters = signed(rows, signs, constant), list(lives), list(voters)
    for i in visit:
        if wrong(voters[-1], table[i]):
            voters.append(plus(voters[-1], 1, table[i]))
            lives.append(1)
        else:
            lives[-1] += 1
    return lives, voters


def pocket_sweep(rows, signs, visit, constant, runs, pocket, weights):
    table, (run, longest), mistakes = signed(rows, signs, constant), runs, 0
    for i in visit:
        if not wrong(weights, table[i]):
            run += 1
            continue
        if run > longest:
            longest, pocket = run, weights
        run = 0
        weights = plus(weights, 1, table[i])
        mistakes += 1
    return mistakes, (run, longest), pocket, weights


def kozinec_sweep(rows, signs, visit, share, constant, shares, point):
    """`point` is None before the first row; `shares` are its convex multipliers."""
    table, updates, mistakes = signed(rows, signs, constant), 0, 0
    for i in visit:
        z = table[i]
        inner, square = (dot(point, z), dot(point, point)) if point else (0, 0)
        if inner > share * square:
            continue
        updates += 1
        mistakes += not inner > 0
        if point is None:
            part, point = 1, z
        else:
            away = plus(point, -1, z)
            part = min(1, (square - inner) / dot(away, away))
            point = plus(point, -part, away)
        shares = [(1 - part) * v for v in shares]
        shares[i] += part
    return updates, mistakes, shares, point


def passive_aggressive_sweep(rows, signs, visit, constant, cap, soft, weights):
    table, updates, mistakes, squares = signed(rows, signs, constant), 0, 0, 0
    for i in visit:
        z = table[i]
        margin = dot(weights, z)
        loss = 1 - margin
        if margin >= 1:
            continue
        updates += 1
        mistakes += not margin > 0
        squares += loss * loss
        if dot(z, z) + soft > 0:
            weights = plus(weights, min(cap, loss / (dot(z, z) + soft)), z)
    return updates, mistakes, squares, weights


# The perceptron family.


class Run(NamedTuple):
    """`path` has every mistake: the number of the row, and the weights that made it."""

    weights: list
    mistakes: int
    passes: int
    counts: list
    path: list
    clean: bool


def perceptron(
    rows,
    signs,
    *,
    constant=1,
    order="cyclic",
    step=lambda k: 1,
    start=None,
    max_iter=1000,
    max_mistakes=float("inf"),
):
    """`order` is "cyclic", "first", "worst", or the row numbers of one pass."""
    table = signed(rows, signs, constant)
    weights = [0 * v for v in table[0]] if start is None else list(start)
    counts, path, passes, clean = [0] * len(table), [], 0, False
    while not clean and passes < max_iter and len(path) < max_mistakes:
        passes += 1
        before = len(path)
        for i in one_pass(table, weights, order):
            if wrong(weights, table[i]) and len(path) < max_mistakes:
                path.append((i, weights))
                weights = plus(weights, step(len(path) - 1), table[i])
                counts[i] += 1
        clean = len(path) == before
    return Run(weights, len(path), passes, counts, path, clean)


def one_pass(table, weights, order):
    if order == "cyclic":
        return range(len(table))
    if order in ("first", "worst"):
        violators = [i for i, z in enumerate(table) if wrong(weights, z)]
        if order == "worst":  # a stable sort: ties go to the first
            violators.sort(key=lambda i: dot(weights, table[i]))
        return violators[:1]
    return order


def averaged_perceptron(rows, signs, *, constant=1, max_iter=10):
    """The mean of the weights, taken after every row visited, up to the first pass without a mistake."""
    table = signed(rows, signs, constant)
    weights, seen, mistakes = [0 * v for v in table[0]], [], 1
    while mistakes and len(seen) < max_iter * len(table):
        mistakes = 0
        for z in table:
            if wrong(weights, z):
                weights, mistakes = plus(weights, 1, z), mistakes + 1
            seen.append(weights)
    return [sum(column) / len(seen) for column in zip(*seen, strict=True)]


def voted_perceptron(rows, signs, *, constant=1, max_iter=10):
    """Voters and how many rows each one got right."""
    table = signed(rows, signs, constant)
    voters, lives = [[0 * v for v in table[0]]], [0]
    for _ in range(max_iter):
        before = len(voters)
        lives, voters = voted_sweep(rows, signs, range(len(table)), constant, lives, voters)
        if len(voters) == before:
            break
    return voters, lives


def vote(voters, lives, x, constant=1):
    """Votes for +1 less votes for −1, as a share of all."""
    ballots = [1 if dot(v, [*x, constant]) > 0 else -1 for v in voters]
    return dot(ballots, lives) / sum(lives)


def errors(rows, signs, weights, constant=1):
    return sum(wrong(weights, z) for z in signed(rows, signs, constant))


def pocket_perceptron(rows, signs, *, constant=1, max_iter=100):
    """Errors and weights of the pocket: after a pass those of its longest run, or the last, if better."""
    weights = [0 * v for v in signed(rows, signs, constant)[0]]
    held, runs, best, mistakes = weights, (0, 0), (float("inf"), weights), 1
    while mistakes and max_iter:
        mistakes, runs, held, weights = pocket_sweep(
            rows, signs, range(len(rows)), constant, (runs[0], 0), held, weights
        )
        for candidate in (held, weights):
            best = min(best, (errors(rows, signs, candidate, constant), candidate), key=lambda pair: pair[0])
        max_iter -= 1
    return best


def batch_perceptron(rows, signs, *, constant=1, max_iter=1000):
    """Rounds that moved the weights, violators in all, and the weights."""
    weights, rounds, violators = [0 * v for v in signed(rows, signs, constant)[0]], 0, 0
    for _ in range(max_iter):
        found, total = add_violators(rows, signs, constant, weights, [0 * v for v in weights])
        if found == 0:
            break
        weights = plus(weights, Fraction(1, found), total)
        rounds, violators = rounds + 1, violators + found
    return rounds, violators, weights


def margin_perceptron(rows, signs, share, *, constant=1, max_iter=1000):
    """Kozinec's rule until a pass changes nothing: updates, and the point of the hull."""
    point, shares, total = None, [0.0] * len(rows), 0
    for _ in range(max_iter):
        updates, _, shares, point = kozinec_sweep(
            rows, signs, range(len(rows)), share, constant, shares, point
        )
        total += updates
        if updates == 0:
            break
    return total, point


def threshold_perceptron(rows, signs, threshold, *, constant=1):
    """Rosenblatt's rule with a mistake wherever w·z ≤ threshold, until there is none."""
    table = signed(rows, signs, constant)
    weights, moved = [0 * v for v in table[0]], True
    while moved:
        moved = False
        for z in table:
            if dot(weights, z) <= threshold:
                weights, moved = plus(weights, 1, z), True
    return weights


def passive_aggressive(rows, signs, *, constant=1, cap=float("inf"), soft=0.0, max_iter=100):
    """Updates, mistakes, the sum of squared losses, and the weights."""
    weights, totals = [0.0 for _ in signed(rows, signs, constant)[0]], [0, 0, 0.0]
    for _ in range(max_iter):
        *made, weights = passive_aggressive_sweep(rows, signs, range(len(rows)), constant, cap, soft, weights)
        totals = [a + b for a, b in zip(totals, made, strict=True)]
        if made[0] == 0:
            break
    return *totals, weights
