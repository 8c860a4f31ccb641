"""Test vectors of optima: least squares, soft margins and likelihoods, every inequality at its edge."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
from vector_file import VectorFile, above, below, last_double, table, whole

TINY = 5e-324
HALF = Fraction(1, 2)


def gradient_at_most() -> VectorFile:
    file = VectorFile("gradient-at-most")
    data = table((1.0, 0.0, 3.0), (0.0, 1.0, 4.0))
    good = {"weights": [0.0, 0.0], "intercept": None, "alpha": 0.0, "gradient": 5.0, "sample_weight": None}
    file.add("3, 4, 5", "gradient-at-most", data, good)
    file.edges("3, 4, 5", "gradient", 5, below(5.0), "optimum")
    file.vary("an exact fit", "3, 4, 5", {"weights": [3, 4], "gradient": 0.0})
    file.edges("an exact fit", "weights/1", 4.0, above(4.0), "optimum")
    file.vary("a penalty", "3, 4, 5", {"weights": [3.0, 4.0], "alpha": 2.0, "gradient": 10.0})
    file.edges("a penalty", "gradient", 10.0, below(10.0), "optimum")
    file.vary("weights of rows", "3, 4, 5", {"sample_weight": [2.0, 0.0], "gradient": 6.0})
    file.edges("weights of rows", "gradient", 6, below(6.0), "optimum")
    for n, values in ((1, [1.0]), (3, [1.0, 1.0, 1.0])):
        file.vary(f"{n} weights of rows", "3, 4, 5", {"sample_weight": values, "gradient": 99.0}, "length")
    file.vary("an intercept", "3, 4, 5", {"intercept": 0.0, "gradient": above(math.sqrt(74))})
    root = last_double(lambda g: g * g < 74, 8.0, 9.0)
    file.edges("an intercept", "gradient", above(root), root, "optimum")
    file.vary("an intercept that helps", "3, 4, 5", {"intercept": 3.5, "gradient": 1.0})
    file.vary("a penalty and rests", "3, 4, 5", {"weights": [1.0, 1.0], "alpha": 2.0, "gradient": 1.0})
    file.edges("a penalty and rests", "gradient", 1, below(1.0), "optimum")
    file.vary("a penalty, rests and an intercept", "a penalty and rests", {"intercept": 2.5, "gradient": 3.0})
    wide = last_double(lambda g: g * g < Fraction(25, 4) + Fraction(9, 4), 0.0, 9.0)
    file.edges("a penalty, rests and an intercept", "gradient", above(wide), wide, "optimum")
    half = last_double(lambda g: 2 * g * g < 1, 0.5, 1.0)
    file.edges("an intercept that helps", "gradient", above(half), half, "optimum")
    file.vary("a positive label", "3, 4, 5", {"/about/positive": 3.0}, "positive")
    return file


def solution_within() -> VectorFile:
    file = VectorFile("solution-within")
    data = table((1.0, 0.0, 3.0), (0.0, 1.0, 4.0), (0.0, 0.0, 0.0))
    exact = {
        "weights": [3.0, 4.0],
        "intercept": None,
        "alpha": 0.0,
        "distance": 0.0,
        "within": [0.0, 0.0],
        "sample_weight": None,
    }
    file.add("exact", "solution-within", data, exact)
    file.vary("off by 3, 4 and 5", "exact", {"weights": [0.0, 8.0], "distance": 5.0, "within": [3.0, 4.0]})
    file.edges("off by 3, 4 and 5", "distance", 5, below(5.0), "optimum")
    file.edges("off by 3, 4 and 5", "within/0", 3, below(3.0), "optimum")
    file.edges("off by 3, 4 and 5", "within/1", 4, below(4.0), "optimum")
    file.edges("exact", "weights/0", 3, above(3.0), "optimum")
    file.vary("within of another length", "exact", {"within": [0.0]}, "type")
    file.vary("within of one more", "exact", {"within": [0.0, 0.0, 0.0]}, "type")
    file.vary("a penalty", "exact", {"alpha": 1.0, "weights": [1.5, 2.0]})
    file.edges("a penalty", "alpha", 1, above(1.0), "optimum")
    file.vary("an endless penalty", "exact", {"alpha": None, "weights": [0.0, 0.0]})
    file.edges("an endless penalty", "weights/0", -0.0, TINY, "optimum")
    file.vary(
        "weights of rows", "exact", {"alpha": 1.0, "sample_weight": [0.5, 3.0, 0.0], "weights": [1.0, 3.0]}
    )
    file.edges("weights of rows", "sample_weight/0", 0.5, above(0.5), "optimum")
    for n in (2, 4):
        file.vary(f"{n} weights of rows", "exact", {"sample_weight": [1.0] * n}, "length")
    file.vary("no row counts", "exact", {"sample_weight": [0.0] * 3, "weights": [0.0, 0.0]})
    file.edges("no row counts", "weights/1", 0, TINY, "optimum")
    line = table((0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 8.0))
    fit = exact | {
        "weights": [2.0],
        "intercept": 1.0,
        "within": [0.0, 0.0],
        "sample_weight": [1.0, 2.5, 1.0, 0.0],
    }
    file.add("with intercept", "solution-within", line, fit)
    file.edges("with intercept", "intercept", 1, above(1.0), "optimum")
    file.edges("with intercept", "weights/0", 2, below(2.0), "optimum")
    file.vary(
        "with intercept, no row counts",
        "with intercept",
        {"sample_weight": [0.0] * 4, "within": [9.0] * 2, "distance": 99.0},
        "optimum",
    )
    file.vary(
        "with intercept, an endless penalty",
        "with intercept",
        {"alpha": None, "weights": [0.0], "intercept": 3.0, "sample_weight": [1.0, 2.0, 1.0, 0.0]},
    )
    file.edges("with intercept, an endless penalty", "intercept", 3, below(3.0), "optimum")
    file.vary(
        "without intercept",
        "with intercept",
        {"intercept": None, "within": [0.0], "sample_weight": [1.0, 1.0, 0.0, 0.0], "weights": [3.0]},
    )
    file.edges("without intercept", "weights/0", 3, above(3.0), "optimum")
    file.vary(
        "one weight is alone",
        "with intercept",
        {"sample_weight": [0.0, 0.0, 1.0, 0.0], "weights": [0.0], "intercept": 5.0},
    )
    file.edges("one weight is alone", "weights/0", 0, TINY, "optimum")
    twice = table((1.0, 2.0, 5.0), (2.0, 4.0, 10.0), (-1.0, -2.0, -5.0))
    file.add("the shortest of many", "solution-within", twice, exact | {"weights": [1.0, 2.0]})
    file.edges("the shortest of many", "weights", [1, 2], [3.0, 1.0], "optimum")
    file.vary(
        "the shortest of many, centred", "the shortest of many", {"intercept": 0.0, "within": [0.0] * 3}
    )
    file.vary("many, and another", "the shortest of many", {"weights": [5.0, 0.0]}, "optimum")
    three = table((1.0, 0.0, 1.0, 2.0), (0.0, 0.0, 0.0, 0.0), (2.0, 0.0, 2.0, 4.0))
    file.add(
        "two free directions",
        "solution-within",
        three,
        exact | {"weights": [1.0, 0.0, 1.0], "within": [0.0] * 3},
    )
    file.edges("two free directions", "weights/1", 0.0, TINY, "optimum")
    late = table((0.0, 1.0, 1.0, 2.0), (0.0, 2.0, 2.0, 4.0), (0.0, 1.0, 3.0, 4.0))
    file.add(
        "the first column free",
        "solution-within",
        late,
        exact | {"weights": [0.0, 1.0, 1.0], "within": [0.0] * 3},
    )
    file.edges("the first column free", "weights/2", 1, above(1.0), "optimum")
    return file


def soft_margin_within() -> VectorFile:
    file = VectorFile("soft-margin-within")
    data = table((1.0, 1), (-1.0, 0))
    good = {
        "weights": [1.0],
        "intercept": 0.0,
        "C": 1.0,
        "loss": "hinge",
        "upper": 0.5,
        "lower": 0.5,
        "rows": [0, 1],
        "multipliers": [1, 1],
        "exponent": 1,
        "row_weights": None,
    }
    file.add("optimal", "soft-margin-within", data, good, positive=1)
    file.edges("optimal", "upper", 0.5, below(0.5), "objective")
    file.edges("optimal", "lower", 0.5, above(0.5), "lower")
    file.edges("optimal", "weights/0", 1, above(1.0), "objective")
    file.edges("optimal", "multipliers", [1, 1], [1, 2], "multipliers")
    file.vary("another exponent", "optimal", {"exponent": 64, "multipliers": [whole(2**63)] * 2})
    file.edges("another exponent", "multipliers", [whole(2**63)] * 2, [whole(2**63 - 1)] * 2, "lower")
    file.vary("the largest exponent", "optimal", {"exponent": 2**16, "lower": 0.0})
    file.vary("a larger exponent", "optimal", {"exponent": 2**16 + 1, "lower": 0.0}, "type")
    file.vary("a row that is not there", "optimal", {"rows": [0, 2], "lower": -9.0}, "row-number")
    file.vary(
        "a row that is not there, of no weight",
        "optimal",
        {"rows": [0, 1, 2], "multipliers": [1, 1, 0]},
        "row-number",
    )
    file.vary("lists of other lengths", "optimal", {"multipliers": [1]}, "type")
    file.vary("no rows", "optimal", {"rows": [], "multipliers": [], "lower": 0.0})
    file.edges("no rows", "lower", 0, TINY, "lower")
    file.vary("at its cost", "optimal", {"C": 0.5})
    file.edges("at its cost", "C", 0.5, below(0.5), "multipliers")
    file.vary("far beyond its cost", "optimal", {"multipliers": [3, 3], "lower": -99.0}, "multipliers")
    for n in (1, 3):
        file.vary(f"{n} row weights", "optimal", {"row_weights": [1.0] * n}, "length")
    file.vary("row weights", "optimal", {"row_weights": [0.5, 2.0]})
    file.edges("row weights", "row_weights/0", 0.5, below(0.5), "multipliers")
    # Rows that are not named: within the margin they cost C, on it nothing.
    file.vary(
        "from the weights",
        "optimal",
        {"weights": [0.5], "C": 0.5, "rows": [], "multipliers": [], "upper": 0.625},
    )
    file.edges("from the weights", "upper", 0.625, below(0.625), "objective")
    file.edges("from the weights", "lower", 0.5, above(0.5), "lower")
    file.vary(
        "on the margin nothing follows", "from the weights", {"weights": [1.0], "upper": 0.5, "lower": 0.0}
    )
    file.edges("on the margin nothing follows", "lower", 0, TINY, "lower")
    file.vary(
        "one class within the margin",
        "from the weights",
        {"intercept": 0.5, "upper": 9.0, "lower": -9.0},
        "multipliers",
    )
    file.vary(
        "classes in balance",
        "from the weights",
        {"row_weights": [1.0, 2.0], "upper": 9.0, "lower": -9.0},
        "multipliers",
    )
    file.vary(
        "no intercept, out of balance",
        "from the weights",
        {"intercept": None, "row_weights": [1.0, 2.0], "upper": 9.0, "lower": 0.375},
    )
    file.edges("no intercept, out of balance", "lower", 0.375, above(0.375), "lower")
    file.vary("one named, one not", "from the weights", {"rows": [1], "multipliers": [1]})
    file.vary("costs nothing", "from the weights", {"row_weights": [0.0, 0.0], "lower": 0.0, "upper": 0.125})
    file.edges("costs nothing", "upper", 0.125, below(0.125), "objective")
    squared(file, good)
    return file


def squared(file: VectorFile, good: dict[str, Any]) -> None:
    data = table((1.0, 1), (-1.0, 0))
    # With c = 1/2 and w = 1/2: ½·¼ + 2·½·¼ = 3/8; a = 1/2·... = 2c(1 − m) = ½ each: 1 − ½ − 2·¼/2 = ¼.
    square = good | {
        "loss": "squared_hinge",
        "weights": [0.5],
        "C": 0.5,
        "rows": [],
        "multipliers": [],
        "upper": 0.375,
        "lower": 0.25,
    }
    file.add("square", "soft-margin-within", data, square, positive=1)
    file.edges("square", "upper", 0.375, below(0.375), "objective")
    file.edges("square", "lower", 0.25, above(0.25), "lower")
    file.vary("square, multipliers named", "square", {"rows": [0, 1], "multipliers": [1, 1]})
    file.edges("square, multipliers named", "lower", 0.25, above(0.25), "lower")
    file.vary(
        "square, multipliers above the cost",
        "square, multipliers named",
        {"multipliers": [2, 2], "lower": -1.0},
    )
    file.edges("square, multipliers above the cost", "lower", -1.0, above(-1.0), "lower")
    file.vary(
        "square, out of balance",
        "square, multipliers named",
        {"multipliers": [1, 2], "lower": -9.0},
        "multipliers",
    )
    file.vary("square, no cost", "square", {"row_weights": [0.0, 0.0], "upper": 0.125, "lower": 0.0})
    file.vary(
        "square, a multiplier without cost",
        "square, no cost",
        {"rows": [0, 1], "multipliers": [1, 1], "lower": -9.0},
        "multipliers",
    )
    file.vary(
        "square, a multiplier of 0 without cost", "square, no cost", {"rows": [0, 1], "multipliers": [0, 0]}
    )
    file.vary(
        "square, two costs",
        "square",
        {"intercept": None, "row_weights": [1.0, 2.0], "upper": 0.5, "lower": -0.375},
    )
    # a = (½, 1): 1.5 − ½·1.5² − (¼/2 + 1/4) = 1.5 − 1.125 − 0.375 = 0.
    file.edges("square, two costs", "lower", 0, TINY, "lower")
    file.edges("square, two costs", "upper", 0.5, below(0.5), "objective")
    # 1 − m = 1 − w with w = 2^-31: k = 2^30 − 1 is rounded down.
    w, c = Fraction(1, 2**31), Fraction(1, 2)
    a = c * Fraction(2**30 - 1, 2**29)
    dual = 2 * a - (2 * a) ** 2 / 2 - 2 * a * a / (4 * c)
    edge = last_double(lambda lower: lower <= dual, -9.0, 9.0)
    upper = w * w / 2 + 2 * c * (1 - w) ** 2
    top = last_double(lambda value: value < upper, 0.0, 9.0)
    file.vary("square, rounded down", "square", {"weights": [float(w)], "lower": edge, "upper": above(top)})
    file.edges("square, rounded down", "lower", edge, above(edge), "lower")
    file.edges("square, rounded down", "upper", above(top), top, "objective")
    for n in (64, 65):
        costs = [1 + i / 8 for i in range(n)]
        rows = table(*((1.0, 1) for _ in range(n)))
        alphas = [2 * Fraction(cost) * HALF * HALF for cost in costs]
        mass = sum(alphas)
        exact = (
            mass
            - mass**2 / 2
            - sum(a * a / (2 * Fraction(cost)) for a, cost in zip(alphas, costs, strict=True))
        )
        edge = last_double(lambda lower, exact=exact: lower <= exact, -1e9, 1e9)
        witness = square | {"intercept": None, "row_weights": costs, "upper": 1e3, "lower": edge}
        file.add(f"square, {n} costs", "soft-margin-within", rows, witness, positive=1)
        file.edges(f"square, {n} costs", "lower", edge, above(edge), "lower")


def bracket(value: Any) -> tuple[float, float]:
    """The doubles on both sides of a number that is no double."""
    near = float(value)
    return (below(near), near) if mpmath.mpf(near) > value else (near, above(near))


def likelihood_within() -> VectorFile:
    file = VectorFile("likelihood-within")
    data = table((0.0, 1), (0.0, 0))
    with mpmath.workdps(60):
        log2 = mpmath.log(2)
        low, high = bracket(2 * log2)
        penalised = bracket(log2)
        third = [mpmath.log(1 + mpmath.exp(-m)) for m in (1, -1)]
        tilted = bracket(mpmath.mpf(1) / 2 + sum(third))
        far = bracket(mpmath.log(1 + mpmath.exp(-50)))
    good = {
        "weights": [0.0],
        "intercept": 0.0,
        "C": None,
        "upper": high,
        "lower": low,
        "row_weights": None,
        "rows": [0],
        "normals": [[1, 0]],
        "direction": None,
    }
    file.add("two rows in one place", "likelihood-within", data, good, positive=1)
    file.edges("two rows in one place", "upper", high, low, "objective")
    file.edges("two rows in one place", "lower", low, high, "lower")
    file.vary("nothing from below", "two rows in one place", {"lower": 0.0, "rows": [], "normals": []})
    file.vary("a negative lower end", "nothing from below", {"lower": -1})
    file.vary("no rows, no normals, and something from below", "nothing from below", {"lower": TINY}, "lower")
    for name, change, reason in (
        ("a normal missing", {"normals": []}, "rank"),
        ("a normal too many", {"normals": [[1, 0], [0, 1]]}, "rank"),
        ("a normal too short", {"normals": [[1]]}, "rank"),
        ("a normal of zeros", {"normals": [[0, 0]]}, "rank"),
        ("a row outside", {"normals": [[1, 1]]}, "orthogonal"),
        ("rows alone", {"rows": [0, 1], "normals": []}, "rank"),
        ("a row that is not there", {"rows": [2]}, "row-number"),
        ("a direction too short", {"direction": [0]}, "length"),
        ("a direction too long", {"direction": [0, 0, 0]}, "length"),
        ("a direction off all rows", {"direction": [0, 1]}, "row-number"),
    ):
        file.vary(name, "two rows in one place", change, reason)
    file.vary(
        "normals alone", "two rows in one place", {"rows": [], "normals": [[1, 0], [0, 1]]}, "orthogonal"
    )
    file.vary("the other row", "two rows in one place", {"rows": [1]})
    file.vary("a direction on all rows", "two rows in one place", {"direction": [1.0, 0.0]})
    for n in (1, 3):
        file.vary(f"{n} row weights", "two rows in one place", {"row_weights": [1.0] * n}, "length")
    file.vary(
        "row weights",
        "two rows in one place",
        {"row_weights": [0.5, 0.5], "lower": penalised[0], "upper": penalised[1]},
    )
    file.edges("row weights", "lower", penalised[0], penalised[1], "lower")
    file.edges("row weights", "upper", penalised[1], penalised[0], "objective")
    far_rows = table((0.0, 1), (0.0, 0), (3.0, 1), (-2.0, 0))
    quasi = good | {"direction": [1.0, 0.0], "lower": low, "upper": 9.0}
    file.add("a direction", "likelihood-within", far_rows, quasi, positive=1)
    file.edges("a direction", "lower", low, high, "lower")
    file.vary("a row off the direction", "a direction", {"rows": [2]}, "row-number")
    file.vary("without the direction", "a direction", {"direction": None}, "orthogonal")
    file.vary("rows of no weight", "a direction", {"direction": None, "row_weights": [1.0, 1.0, 0.0, 0.0]})
    file.vary("a named row of no weight", "rows of no weight", {"rows": [3]}, "row-number")
    file.vary("a wrong direction", "a direction", {"direction": [0.0, 1.0], "rows": [0]}, "row-number")
    taken_up(file, good)
    balanced(file, good | {"C": 1.0, "rows": [], "normals": []})
    tilt = table((1.0, 1), (1.0, 0))
    with mpmath.workdps(60):
        # C = 1 and weights 1: ½ + log(1 + e^-1) + log(1 + e).
        best = bracket(2 * log2)
    pen = good | {"C": 1.0, "rows": [], "normals": [], "weights": [1.0], "upper": tilted[1], "lower": 0}
    file.add("penalised", "likelihood-within", tilt, pen, positive=1)
    file.edges("penalised", "upper", tilted[1], tilted[0], "objective")
    file.vary(
        "penalised, at the optimum", "penalised", {"weights": [0.0], "upper": best[1], "lower": best[0]}
    )
    file.edges("penalised, at the optimum", "upper", best[1], best[0], "objective")
    file.edges("penalised, at the optimum", "lower", best[0], best[1], "lower")
    file.vary(
        "penalised, half the cost",
        "penalised, at the optimum",
        {"C": 0.5, "upper": penalised[1], "lower": penalised[0]},
    )
    file.edges("penalised, half the cost", "upper", penalised[1], penalised[0], "objective")
    file.edges("penalised, half the cost", "lower", penalised[0], penalised[1], "lower")
    apart = table((1.0, 1), (-1.0, 0))
    with mpmath.workdps(60):
        # At weights 0: b = ½ and g = 1, so 2·log 2 − ½; with C = 2: 4·log 2 − 2.
        gap, twice = bracket(2 * log2 - mpmath.mpf(1) / 2), bracket(4 * log2 - 2)
        below_it = bracket(2 * log2)
    file.add(
        "with a gap",
        "likelihood-within",
        apart,
        pen | {"weights": [0.0], "upper": below_it[1], "lower": gap[0]},
        positive=1,
    )
    file.edges("with a gap", "lower", gap[0], gap[1], "lower")
    file.vary("with a gap, twice the cost", "with a gap", {"C": 2.0, "upper": 9, "lower": twice[0]})
    file.edges("with a gap, twice the cost", "lower", twice[0], twice[1], "lower")
    file.vary("with a gap, no intercept", "with a gap", {"intercept": None})
    file.edges("with a gap, no intercept", "lower", gap[0], gap[1], "lower")
    alone = table((50.0, 1), (1.0, 1))
    small = pen | {"C": None, "weights": [1.0], "intercept": None, "row_weights": [1.0, 0.0], "upper": far[1]}
    file.add("a small loss", "likelihood-within", alone, small, positive=1)
    file.edges("a small loss", "upper", far[1], far[0], "objective")
    huge = table((1e308, 1), (-1e308, 0), (1e308, 0))
    loss, share = int(1e308), 10**268  # 10^-40 of it
    witness = small | {"row_weights": None, "upper": whole(loss + 2 * share)}
    file.add("a large loss", "likelihood-within", huge, witness, positive=1)
    file.edges("a large loss", "upper", whole(loss + 2 * share), whole(loss + share // 2), "objective")
    file.vary("a large loss, of a double", "a large loss", {"upper": above(1e308)})
    file.vary("a large loss, less than allowed for", "a large loss", {"upper": 1e308}, "objective")
    return file


def balanced(file: VectorFile, pen: dict[str, Any]) -> None:
    """Rows in one place, their classes of different weight: the heavier class is scaled down, its largest row
    alone made smaller, or the largest of the other class larger, whichever proves most."""
    for ones, zeros, intercept in (
        ([1.0] * 3, [1.0], 0.0),
        ([1.0] * 2, [1.0], 0.0),
        ([10.0, 0.125], [9.0], 0.0),
        ([10.0, 10.0], [19.0, 0.125], 0.0),
        ([1.0, 0.5], [8.0, 0.0], 0.0),
        ([0.25], [0.5, 0.125], 0.0),
        ([4.0], [1.0], 2.0),
        ([1.0], [4.0], -2.0),
        ([4.0, 1.0], [1.0], 2.0),
        ([1.0, 0.5], [4.0, 3.0], -2.0),
    ):
        data = table(*((0.0, 1) for _ in ones), *((0.0, 0) for _ in zeros))
        with mpmath.workdps(60):
            dual = (
                [(v, v / (1 + mpmath.exp(intercept))) for v in ones],
                [(v, v / (1 + mpmath.exp(-intercept))) for v in zeros],
            )
            light, heavy = sorted(dual, key=lambda rows: sum(b for _, b in rows))
            low, high = (sum(b for _, b in rows) for rows in (light, heavy))
            ways = [light + [(v, b * low / high) for v, b in heavy]]
            v, b = max(heavy, key=lambda row: row[1])
            ways.append(light + [row for row in heavy if row != (v, b)] + [(v, b + low - high)])
            v, b = max(light, key=lambda row: row[0] - row[1])
            ways.append(heavy + [row for row in light if row != (v, b)] + [(v, b + high - low)])
            n = len(data.rows)
            proven = max(
                sum(entropy(*row) for row in way)
                for way in ways
                if len(way) == n and all(0 <= b <= v for v, b in way)
            )
            total, share = sum(ones) + sum(zeros), sum(ones) / mpmath.mpf(sum(ones) + sum(zeros))
            best = total * entropy(1, share)
            inside, outside = bracket(proven)[0], bracket(best)[1]
        name = f"weights {ones} against {zeros}"
        witness = {
            "weights": [0.0],
            "intercept": intercept,
            "row_weights": [*ones, *zeros],
            "upper": 99,
            "lower": inside,
        }
        file.add(name, "likelihood-within", data, pen | witness, positive=1)
        file.vary(f"{name}; more than is true", name, {"lower": outside}, "lower")
        between = float(best + total * mpmath.log(2)) / 2
        file.vary(f"{name}; as if they were in balance", name, {"lower": between}, "lower")


def entropy(v: Any, b: Any) -> Any:
    """v·h(b/v)."""
    p = mpmath.mpf(b) / v if v else mpmath.mpf(0)
    return mpmath.mpf(0) if p in (0, 1) else -v * (p * mpmath.log(p) + (1 - p) * mpmath.log(1 - p))


def taken_up(file: VectorFile, good: dict[str, Any]) -> None:
    """Rows in pairs of both labels: those named take up so much that both of a pair have the same b."""
    for name, points, weights in (
        ("2 points", [(1.0,), (2.0,)], [1.0, 0.0]),
        ("2 points, in another order", [(2.0,), (-1.0,)], [0.5, 0.25]),
        ("3 points", [(0.0, 1.0), (1.0, 0.0), (2.0, 3.0)], [1.0, -0.5, 0.25]),
        (
            "4 points",
            [(0.0, 0.0, 3.0), (5.0, 0.0, 1.0), (1.0, 1.0, 1.0), (1.0, 0.5, 0.0)],
            [0.25, 0.5, -0.5, 0.125],
        ),
    ):
        data = table(*((*point, label) for point in points for label in (1, 0)))
        with mpmath.workdps(60):
            total, reached = mpmath.mpf(0), mpmath.mpf(0)
            for point in points:
                m = sum((w * x for w, x in zip(weights, (*point, 1.0), strict=True)), mpmath.mpf(0))
                p = 1 / (1 + mpmath.exp(m))
                total += 2 * (-p * mpmath.log(p) - (1 - p) * mpmath.log(1 - p))
                reached += mpmath.log(1 + mpmath.exp(m)) + mpmath.log(1 + mpmath.exp(-m))
            ends, upper = bracket(total), bracket(reached)[1]
        for which, first in (("first", 0), ("second", 1)):
            rows = list(range(first, 2 * len(points), 2))
            witness = {"weights": weights[:-1], "intercept": weights[-1], "rows": rows, "normals": []}
            made = good | witness | {"upper": upper, "lower": ends[0]}
            file.add(f"{name}, the {which} of each", "likelihood-within", data, made, positive=1)
            file.edges(f"{name}, the {which} of each", "lower", *ends, "lower")
    line = table((1.0, 1.0, 1), (1.0, 1.0, 0), (2.0, 2.0, 1), (2.0, 2.0, 0))
    witness = good | {
        "weights": [0.5, 0.0],
        "rows": [0, 2],
        "normals": [[1, -1, 0]],
        "upper": 9,
        "lower": 2.0,
    }
    file.add("points of a line", "likelihood-within", line, witness, positive=1)
    file.vary("points of a line, two in one place", "points of a line", {"rows": [0, 1]}, "rank")
    # 99 rows of (1) against one of (−1): it would have to take up more than its weight.
    many = table(*((1.0, 1) for _ in range(9)), (1.0, 0))
    too_much = good | {
        "weights": [0.0],
        "intercept": None,
        "rows": [9],
        "normals": [],
        "upper": 9,
        "lower": TINY,
    }
    file.add("more than a row can take up", "likelihood-within", many, too_much, "multipliers", positive=1)
    few = table((1.0, 1), *((1.0, 0) for _ in range(9)))
    file.add(
        "more than a row has", "likelihood-within", few, too_much | {"rows": [0]}, "multipliers", positive=1
    )


def joint_likelihood_within() -> VectorFile:
    file = VectorFile("joint-likelihood-within")
    data = table((0.0, "a"), (0.0, "b"), (0.0, "c"))
    with mpmath.workdps(60):
        log3 = mpmath.log(3)
        low, high = bracket(3 * log3)
        two = bracket(2 * mpmath.log(2))
        weighted = bracket(mpmath.mpf(4.5) * log3)
        gap = bracket(2 * mpmath.log(2) - mpmath.mpf(1) / 2)
        near = bracket(2 * mpmath.log(2) - mpmath.sqrt(2))
        tilted = bracket(mpmath.mpf(1) / 2 + mpmath.log(2 + mpmath.e) * 3 - 1)
    zero = [[0.0], [0.0], [0.0]]
    good = {
        "classes": ["a", "b", "c"],
        "coefficients": zero,
        "intercepts": [0.0, 0.0, 0.0],
        "C": 1.0,
        "upper": high,
        "lower": low,
        "row_weights": None,
        "radius": None,
        "quantum": None,
    }
    file.add("three rows in one place", "joint-likelihood-within", data, good, positive="c")
    file.edges("three rows in one place", "upper", high, low, "objective")
    file.edges("three rows in one place", "lower", low, high, "lower")
    file.vary("no intercepts", "three rows in one place", {"intercepts": None})
    file.vary("the positive label not said", "three rows in one place", {"/about/positive": None})
    file.vary(
        "another positive label",
        "three rows in one place",
        {"/about/positive": "a", "/about/digest": None},
        "positive",
    )
    for name, change, reason in (
        (
            "a class twice",
            {"classes": ["a", "b", "c", "c"], "coefficients": [[0.0]] * 4, "intercepts": [0.0] * 4},
            "classes",
        ),
        ("one class", {"classes": ["c"], "coefficients": [[0.0]], "intercepts": [0.0]}, "classes"),
        (
            "a class missing",
            {"classes": ["a", "c"], "coefficients": [[0.0]] * 2, "intercepts": [0.0] * 2},
            "classes",
        ),
        (
            "a class too many",
            {
                "classes": ["z", "a", "b", "c"],
                "coefficients": [[0.0]] * 4,
                "intercepts": [0.0] * 4,
                "lower": 0,
                "upper": 9,
            },
            None,
        ),
        ("too few coefficients", {"coefficients": zero[:2]}, "length"),
        ("too many coefficients", {"coefficients": [*zero, [0.0]]}, "length"),
        ("coefficients too long", {"coefficients": [[0.0], [0.0], [0.0, 0.0]]}, "length"),
        ("too few intercepts", {"intercepts": [0.0] * 2}, "length"),
        ("too many intercepts", {"intercepts": [0.0] * 4}, "length"),
        ("two row weights", {"row_weights": [1.0] * 2}, "length"),
        ("four row weights", {"row_weights": [1.0] * 4}, "length"),
    ):
        file.vary(name, "three rows in one place", change, reason)
    file.vary(
        "row weights",
        "three rows in one place",
        {"row_weights": [1.5, 1.5, 1.5], "lower": weighted[0], "upper": weighted[1]},
    )
    file.edges("row weights", "lower", weighted[0], weighted[1], "lower")
    file.edges("row weights", "upper", weighted[1], weighted[0], "objective")
    file.vary("no penalty", "three rows in one place", {"C": None, "lower": 0})
    file.vary("no penalty, something from below", "no penalty", {"lower": TINY}, "lower")
    file.vary("no penalty, a radius", "no penalty", {"radius": 1.0, "lower": low})
    file.edges("no penalty, a radius", "lower", low, high, "lower")
    for quantum in (60, 53, 50):
        held = quantum < 53
        file.vary(
            f"quantum {quantum}", "no penalty, a radius", {"quantum": quantum, "lower": 3.0 if held else 0.0}
        )
        if not held:
            file.vary(f"quantum {quantum}, nothing is left", f"quantum {quantum}", {"lower": TINY}, "lower")
    other = table((1.0, "a"), (-1.0, "b"))
    pair = good | {
        "classes": ["a", "b"],
        "coefficients": [[0.0]] * 2,
        "intercepts": [0.0] * 2,
        "upper": two[1],
        "lower": gap[0],
    }
    pair["lower"] = 0.0
    with mpmath.workdps(60):
        # g = (−1, 1) at weights 0, so |g|² = 2: 2·log 2 − 1; with a radius of 1, 2·log 2 − √2.
        square = bracket(2 * mpmath.log(2) - 1)
    file.add("two classes", "joint-likelihood-within", other, pair | {"lower": square[0]}, positive="b")
    file.edges("two classes", "lower", square[0], square[1], "lower")
    file.edges("two classes", "upper", two[1], two[0], "objective")
    file.vary("two classes, a radius", "two classes", {"C": None, "radius": 0.5, "lower": 0.0})
    with mpmath.workdps(60):
        half = bracket(2 * mpmath.log(2) - mpmath.sqrt(2) / 2)
    file.vary("two classes, half the radius", "two classes, a radius", {"lower": half[0]})
    file.edges("two classes, half the radius", "lower", half[0], half[1], "lower")
    file.vary(
        "two classes, a larger radius",
        "two classes, half the radius",
        {"radius": above(0.5)},
        "lower" if near else None,
    )
    for labels in ("aabc", "abbc", "abcc", "aaabbc", "aaaabc", "abbbbcc"):
        rows = table(*((0.0, label) for label in labels))
        with mpmath.workdps(60):
            shares = [mpmath.mpf(labels.count(one)) / len(labels) for one in "abc"]
            best = -len(labels) * sum(q * mpmath.log(q) for q in shares)
            most = float(len(labels) * log3)
        true = {"lower": float(best) / 2, "upper": most + 1}
        file.add(f"classes {labels}", "joint-likelihood-within", rows, good | true, positive="c")
        file.vary(
            f"classes {labels}; more than is true", f"classes {labels}", {"lower": bracket(best)[1]}, "lower"
        )
        out = {"lower": float(best) / 2 + most / 2}
        file.vary(f"classes {labels}; as if they were in balance", f"classes {labels}", out, "lower")
    three = table((1.0, "a"), (1.0, "b"), (1.0, "c"))
    tilt = good | {"coefficients": [[1.0], [0.0], [0.0]], "intercepts": None, "upper": tilted[1], "lower": 0}
    file.add("weights", "joint-likelihood-within", three, tilt, positive="c")
    file.edges("weights", "upper", tilted[1], tilted[0], "objective")
    return file


FILES = (gradient_at_most, solution_within, soft_margin_within, likelihood_within, joint_likelihood_within)
