"""Claims about optima: objectives and gradients in fractions, and lower ends refuted by a better point.

A lower end is false if some weights have a smaller objective. The minima are found in exact arithmetic, for
likelihoods in 50 digits, so that no false lower end is taken for a true one but for the last digits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from certificate_minima import least_joint, least_logistic, least_soft_margin, soft_margin
from certificate_truth_sides import plane
from exact_numbers import Vector, dot, number, solution, vector


def _row_weights(record: Any, rows: Any) -> Vector | None:
    given = record["row_weights"]
    v = (Fraction(1),) * len(rows) if given is None else vector(given)
    return v if len(v) == len(rows) and min(v) >= 0 else None


def soft_margin_within(record: Any, rows: Any, signs: Any) -> str | None:
    v = _row_weights(record, rows)
    if v is None or number(record["C"]) <= 0:
        return "costs that are none"
    costs = tuple(number(record["C"]) * one for one in v)
    kept, squared = plane(record, rows, signs), record["loss"] == "squared_hinge"
    constant = record["intercept"] is not None
    if soft_margin(kept.w, kept.z, costs, constant, squared) > number(record["upper"]):
        return "the objective is larger"
    least = least_soft_margin(kept.z, costs, constant, squared, kept.w)
    return None if number(record["lower"]) <= least else f"{float(least)!r} can be reached"


def likelihood_within(record: Any, rows: Any, signs: Any) -> str | None:
    v = _row_weights(record, rows)
    cost = None if record["C"] is None else number(record["C"])
    if v is None or (cost is not None and cost <= 0):
        return "costs that are none"
    kept = plane(record, rows, signs)
    seek = number(record["lower"]) > 0
    reached, least = least_logistic(kept.z, v, cost, record["intercept"] is not None, kept.w, seek)
    if reached > number(record["upper"]):
        return "the objective is larger"
    return None if number(record["lower"]) <= max(least, 0) else f"{float(least)!r} can be reached"


def joint_likelihood_within(record: Any, rows: Any, own: tuple[int, ...]) -> str | None:
    v = _row_weights(record, rows)
    cost = None if record["C"] is None else number(record["C"])
    if v is None or (cost is not None and cost <= 0):
        return "costs that are none"
    constant = record["intercepts"] is not None
    intercepts = record["intercepts"] if constant else [None] * len(record["classes"])
    W = tuple(
        (*vector(row), *([number(b)] if constant else []))
        for row, b in zip(record["coefficients"], intercepts, strict=True)
    )
    x = tuple((*row, Fraction(1)) if constant else row for row in rows)
    radius = None if record["radius"] is None else number(record["radius"])
    seek = number(record["lower"]) > 0
    reached, least = least_joint(x, own, v, cost, constant, W, radius, seek)
    if reached > number(record["upper"]):
        return "the objective is larger"
    return None if number(record["lower"]) <= max(least, 0) else f"{float(least)!r} can be reached"


def _heights(record: Any, rows: Any) -> Vector | None:
    given = record["sample_weight"]
    s = (Fraction(1),) * len(rows) if given is None else vector(given)
    return s if len(s) == len(rows) and min(s) >= 0 else None


@cache
def least_squares(x: Any, y: Vector, s: Vector, alpha: Fraction | None, constant: bool) -> Vector | None:
    """The exact solution, the shortest w of several; None if any intercept is as good."""
    total = sum(s)
    if constant and not total:
        return None
    d = len(x[0])
    mean = [dot(s, [row[j] for row in x]) / total if constant else Fraction(0) for j in range(d)]
    middle = dot(s, y) / total if constant else Fraction(0)
    columns = [[row[j] - mean[j] for row in x] for j in range(d)]
    C = [
        [sum((a * b * c for a, b, c in zip(s, p, q, strict=True)), Fraction(0)) for q in columns]
        for p in columns
    ]
    c = [sum((a * b * (t - middle) for a, b, t in zip(s, p, y, strict=True)), Fraction(0)) for p in columns]
    w = [Fraction(0)] * d
    if alpha is not None:
        A = [[C[i][j] + (alpha if i == j else 0) for j in range(d)] for i in range(d)]
        # The shortest solution of A w = c is A u for any u with A A u = c.
        AA = [[dot(A[i], A[j]) for j in range(d)] for i in range(d)]
        u = solution([[*row, value] for row, value in zip(AA, c, strict=True)])
        w = [dot(row, u) for row in A]
    return (*w, middle - dot(w, mean)) if constant else tuple(w)


def solution_within(record: Any, rows: Any, targets: Vector) -> str | None:
    s, constant = _heights(record, rows), record["intercept"] is not None
    alpha = None if record["alpha"] is None else number(record["alpha"])
    if s is None or (alpha is not None and alpha < 0):
        return "weights that are none"
    exact = least_squares(rows, targets, s, alpha, constant)
    if exact is None:
        return "any intercept is as good"
    given = (*vector(record["weights"]), *([number(record["intercept"])] if constant else []))
    errors = [abs(a - b) for a, b in zip(given, exact, strict=True)]
    if any(error > number(bound) for error, bound in zip(errors, record["within"], strict=True)):
        return "a coefficient is further away"
    return (
        None
        if dot(errors, errors) <= number(record["distance"]) ** 2
        else "the coefficients are further away"
    )


def gradient_at_most(record: Any, rows: Any, targets: Vector) -> str | None:
    s, constant, alpha = _heights(record, rows), record["intercept"] is not None, number(record["alpha"])
    if s is None or alpha < 0 or number(record["gradient"]) < 0:
        return "weights that are none"
    w = vector(record["weights"])
    b = number(record["intercept"]) if constant else Fraction(0)
    rests = [h * (y - b - dot(w, row)) for h, y, row in zip(s, targets, rows, strict=True)]
    half = [alpha * wj - dot(rests, [row[j] for row in rows]) for j, wj in enumerate(w)]
    half += [sum(rests)] if constant else []
    return None if dot(half, half) <= number(record["gradient"]) ** 2 else "the gradient is longer"


SIGNED = {"soft-margin-within": soft_margin_within, "likelihood-within": likelihood_within}
LABELLED = {"joint-likelihood-within": joint_likelihood_within}
MEASURED = {"solution-within": solution_within, "gradient-at-most": gradient_at_most}
