"""Test vectors of separation and margins: every inequality at its edge, on data of a few small numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from vector_file import VectorFile, above, below, last_double, table, whole

TINY = 5e-324
PRODUCT = (2**61 - 1) * (2**31 - 1) * (10**9 + 7)


def separable() -> VectorFile:
    file = VectorFile("separable")
    data = table((1.0, 1), (-1.0, 0), (1.5, 1), (-2.0, 0))
    file.add("intercept", "separable", data, {"weights": [1.0], "intercept": 0.0}, positive=1)
    file.edges("intercept", "intercept", below(1.0), 1.0, "sign")
    file.vary("another row at the edge", "intercept", {"intercept": -below(1.0)})
    file.vary("another row beyond the edge", "intercept", {"intercept": -1.0}, "sign")
    file.vary("far beyond", "intercept", {"intercept": -1.75}, "sign")
    file.vary("the wrong way", "intercept", {"weights": [-1.0]}, "sign")
    file.vary(
        "an intercept in whole numbers", "intercept", {"weights": [2**53], "intercept": whole(2**53 - 1)}
    )
    file.vary("no intercept", "intercept", {"intercept": None})
    file.edges("no intercept", "weights", [TINY], [0.0], "sign")
    file.vary("a double and a whole number", "intercept", {"weights": [1.5], "intercept": 1})
    for place in range(4):
        rows = [(1.0, 1), (-1.0, 0), (1.5, 1), (-2.0, 0)]
        rows[place] = (0.0, rows[place][1])
        file.add(
            f"row {place} on the hyperplane",
            "separable",
            table(*rows),
            {"weights": [1.0], "intercept": None},
            "sign",
            positive=1,
        )
    many = table((1.0, 1.0, 1), (2.0, 2.0, 1))
    w = {"weights": [whole(2**70 + 1), whole(-(2**70))], "intercept": None}
    file.add("whole numbers beyond doubles", "separable", many, w, positive=1)
    file.edges("whole numbers beyond doubles", "weights/0", whole(2**70 + 1), whole(2**70), "sign")
    file.vary(
        "doubles that round", "whole numbers beyond doubles", {"weights": [2.0**70, -(2.0**70)]}, "sign"
    )
    wide = table((1e300, 5e-324, 1), (-1e300, 1e-300, 0), (0.0, 1.0, 1))
    file.add("wide range", "separable", wide, {"weights": [1e300, 1.0], "intercept": None}, positive=1)
    file.vary("wide range, intercept", "wide range", {"intercept": below(1e-300)})
    file.vary("wide range, a row by little", "wide range", {"weights": [TINY, 1e300]}, "sign")
    # 1e300·2^-1000 and its neighbours decide, far from what a double holds.
    for place, row in enumerate(
        ((2.0**301, 1.0), (2.0**-301, 1.0), (2.0**300, 1.0), (2.0**-300, 1.0), (2.0**299, 2.0**-299))
    ):
        data = table((*row, 1), (-row[0], -row[1], 0))
        w0, w1 = Fraction(row[1]), -Fraction(row[0])
        scale = max(w0.denominator, w1.denominator)
        exact = [int(w0 * scale) * 2**60, int(w1 * scale) * 2**60]
        file.add(
            f"range {place}",
            "separable",
            data,
            {"weights": [whole(exact[0] + 1), whole(exact[1])], "intercept": None},
            positive=1,
        )
        file.edges(
            f"range {place}",
            "weights",
            [whole(exact[0] + 1), whole(exact[1])],
            list(map(whole, exact)),
            "sign",
        )
    decimals = table((0.1, 0.3, 1), (-0.1, -0.3, 0))
    a, b = Fraction(0.1), Fraction(0.3)
    scale = max(a.denominator, b.denominator)
    exact = [int(b * scale), int(-a * scale)]
    file.add(
        "decimals",
        "separable",
        decimals,
        {"weights": [whole(exact[0] + 1), whole(exact[1])], "intercept": None},
        positive=1,
    )
    file.edges(
        "decimals", "weights", [whole(exact[0]), whole(exact[1] + 1)], [whole(w) for w in exact], "sign"
    )
    file.vary(
        "decimals, as if they were exact",
        "decimals",
        {"weights": [3.0, -1.0]},
        "sign" if 3 * a <= b else None,
    )
    return file


def conflict(file: VectorFile, kind: str, more: dict[str, Any]) -> None:
    """What all claims with cancelling rows have in common."""
    pair = table((1.0, 1), (1.0, 0))
    good = {"rows": [0, 1], "multipliers": [1, 1], "intercept": True, **more}
    file.add("two equal rows", kind, pair, good, positive=1)
    file.vary("large multipliers", "two equal rows", {"multipliers": [whole(2**70)] * 2})
    file.vary("a multiplier one more", "two equal rows", {"multipliers": [2, 1]}, "sum")
    file.vary(
        "a large multiplier one more",
        "two equal rows",
        {"multipliers": [whole(2**70), whole(2**70 + 1)]},
        "sum",
    )
    file.vary("no rows", "two equal rows", {"rows": [], "multipliers": []}, "row-number")
    file.vary("one row", "two equal rows", {"rows": [0], "multipliers": [1]}, "sum")
    file.vary("a row that is not there", "two equal rows", {"rows": [0, 2]}, "row-number")
    file.vary("one of two lists longer", "two equal rows", {"multipliers": [1, 1, 1]}, "type")
    file.vary("rows longer than multipliers", "two equal rows", {"rows": [0, 1, 2]}, "type")


def inseparable() -> VectorFile:
    file = VectorFile("inseparable")
    conflict(file, "inseparable", {})
    ratio = table((1.0, 1), (2.0, 0))
    through = {"rows": [0, 1], "multipliers": [2, 1], "intercept": False}
    file.add("without intercept", "inseparable", ratio, through, positive=1)
    file.vary("the constant does not cancel", "without intercept", {"intercept": True}, "sum")
    three = table((0.0, 1.0, 1), (1.0, 0.0, 1), (0.5, 0.5, 0), (9.0, 9.0, 1))
    good = {"rows": [0, 1, 2], "multipliers": [1, 1, 2], "intercept": True}
    file.add("a point between two", "inseparable", three, good, positive=1)
    file.vary("another row in place of one", "a point between two", {"rows": [0, 1, 3]}, "sum")
    file.edges("a point between two", "multipliers/2", 2, 1, "sum")
    a, b = Fraction(0.1), Fraction(0.3)
    scale = max(a.denominator, b.denominator)
    decimals = table((0.1, 1), (0.3, 0))
    exact = [int(b * scale), int(a * scale)]
    file.add(
        "decimals", "inseparable", decimals, through | {"multipliers": [whole(m) for m in exact]}, positive=1
    )
    file.vary("decimals, as if they were exact", "decimals", {"multipliers": [3, 1]}, "sum")
    file.edges(
        "decimals", "multipliers", [whole(m) for m in exact], [whole(exact[0]), whole(exact[1] + 1)], "sum"
    )
    wide = table((1e300, 1.0, 1), (1e300, 1.0, 0), (1e300, above(1.0), 0), (5e-324, 0.0, 1), (5e-324, 0.0, 0))
    file.add("wide range", "inseparable", wide, good | {"rows": [0, 1], "multipliers": [3, 3]}, positive=1)
    file.vary("wide range, a small row", "wide range", {"rows": [3, 4]})
    file.vary("wide range, by an ulp", "wide range", {"rows": [0, 2]}, "sum")
    file.vary(
        "wide range, a small row alone", "wide range", {"rows": [0, 1, 3], "multipliers": [1, 1, 1]}, "sum"
    )
    return file


def overlapping() -> VectorFile:
    file = VectorFile("overlapping")
    zero = table((0.0, 1), (0.0, 0))
    good = {"rows": [0, 1], "multipliers": [1, 1], "normals": [[1, 0]], "intercept": True}
    file.add("on one point", "overlapping", zero, good, positive=1)
    file.edges("on one point", "normals", [[-1, 0]], [[1, 1]], "orthogonal")
    file.vary("no normal", "on one point", {"normals": []}, "rank")
    file.vary("a normal of zeros", "on one point", {"normals": [[0, 0]]}, "rank")
    file.vary("a normal too short", "on one point", {"normals": [[1]]}, "length")
    file.vary("a normal too long", "on one point", {"normals": [[1, 0, 0]]}, "length")
    file.vary("two normals that depend", "on one point", {"normals": [[1, 0], [2, 0]]}, "rank")
    file.vary("a normal too many", "on one point", {"normals": [[1, 0], [0, 1]]}, "orthogonal")
    file.vary("a large normal", "on one point", {"normals": [[whole(-(2**90)), 0]]})
    for prime in (2**61 - 1, 2**31 - 1, 10**9 + 7):
        file.vary(f"a normal that is 0 modulo {prime}", "on one point", {"normals": [[whole(prime), 0]]})
    for prime in ((2**61 - 1) * (2**31 - 1), (2**31 - 1) * (10**9 + 7), (2**61 - 1) * (10**9 + 7)):
        file.vary(
            f"a normal that is 0 modulo two primes {prime}", "on one point", {"normals": [[whole(prime), 0]]}
        )
    file.vary("a normal that is 0 modulo three primes", "on one point", {"normals": [[whole(PRODUCT), 0]]})
    origin = table((0.0, 0.0, 1), (0.0, 0.0, 0))
    both = good | {"normals": [[1, 0, 0], [0, 1, 0]]}
    file.add("on one point of the plane", "overlapping", origin, both, positive=1)
    for name, normals in (
        ("equal", [[1, 1, 0]] * 2),
        ("multiples", [[1, 1, 0], [2, 2, 0]]),
        ("opposite", [[1, 1, 0], [-1, -1, 0]]),
        ("large multiples", [[3, 1, 0], [whole(3 * 2**60), whole(2**60), 0]]),
    ):
        file.vary(f"normals that depend: {name}", "on one point of the plane", {"normals": normals}, "rank")
    for name, normals in (
        ("1", [[1, 1, 0], [1, -1, 0]]),
        ("2", [[1, 1, 0], [1, 2, 0]]),
        ("3", [[0, 1, 0], [1, 1, 0]]),
        ("4", [[2, 3, 0], [4, 7, 0]]),
    ):
        file.vary(f"normals that do not depend: {name}", "on one point of the plane", {"normals": normals})
    slanted = table((1.0, 1.0, 1), (2.0, 2.0, 0), (3.0, 3.0, 1))
    through = {"rows": [0, 1, 2], "multipliers": [1, 2, 1], "normals": [[1, -1]], "intercept": False}
    file.add("rows of one direction", "overlapping", slanted, through, positive=1)
    file.vary("rows of one direction, no normal", "rows of one direction", {"normals": []}, "rank")
    square = table((0.0, 0.0, 1), (1.0, 1.0, 1), (1.0, 0.0, 0), (0.0, 1.0, 0))
    full = {"rows": [0, 1, 2, 3], "multipliers": [1, 1, 1, 1], "normals": [], "intercept": True}
    file.add("xor", "overlapping", square, full, positive=1)
    conflict(file, "overlapping", {"normals": [[1, -1]]})
    file.vary("two equal rows: normals of their span", "two equal rows", {"normals": [[1, 1]]}, "orthogonal")
    through = table((1.0, 0.0, 1), (2.0, 0.0, 0), (3.0, 0.0, 1))
    witness = {"rows": [0, 1], "multipliers": [2, 1], "normals": [[0, 1]], "intercept": False}
    file.add("without intercept", "overlapping", through, witness, positive=1)
    file.vary(
        "without intercept, a normal for the constant",
        "without intercept",
        {"normals": [[0, 1, 0]]},
        "length",
    )
    file.vary("without intercept, rank left open", "without intercept", {"normals": []}, "rank")
    out = table((1.0, 0.0, 1), (2.0, 0.0, 0), (3.0, TINY, 1))
    file.add("a row outside by little", "overlapping", out, witness, "orthogonal", positive=1)
    cross = table((0.0, 0.0, 1), (0.0, 0.0, 0), (0.0, 1.0, 1), (0.0, 1.0, 0), (0.0, 7.0, 0))
    plane = {"rows": [0, 1, 2, 3], "multipliers": [2, 2, 1, 1], "normals": [[1, 0, 0]], "intercept": True}
    file.add("on a line", "overlapping", cross, plane, positive=1)
    file.vary("too few of the rows", "on a line", {"rows": [0, 1], "multipliers": [2, 2]}, "rank")
    file.vary(
        "two normals, one outside",
        "on a line",
        {"normals": [[1, 0, 0], [0, 1, 0]], "rows": [0, 1], "multipliers": [1, 1]},
        "orthogonal",
    )
    file.vary("a sum of columns", "on a line", {"normals": [[1, 1, 0]]}, "orthogonal")
    return file


def weakly_separable() -> VectorFile:
    file = VectorFile("weakly-separable")
    data = table((0.0, 0.0, 1), (0.0, 0.0, 0), (1.0, 0.0, 1), (-1.0, 0.0, 0))
    good = {
        "weights": [1.0, 0.0],
        "intercept": 0.0,
        "rows": [0, 1],
        "multipliers": [1, 1],
        "normals": [[1, 0, 0], [0, 1, 0]],
    }
    file.add("two tied rows", "weakly-separable", data, good, positive=1)
    file.edges("two tied rows", "intercept", -0.0, TINY, "sign")
    file.vary("the other class on the wrong side", "two tied rows", {"intercept": -TINY}, "sign")
    file.vary("the wrong way", "two tied rows", {"weights": [-1.0, 0.0]}, "sign")
    file.vary("weights by little", "two tied rows", {"weights": [TINY, 0.0]})
    file.vary("all on the hyperplane", "two tied rows", {"weights": [0.0, 0.0]}, "orthogonal")
    file.vary(
        "no row strictly on its side",
        "two tied rows",
        {"weights": [0.0, 1.0], "normals": [[0, 1, 0], [1, 0, 0]]},
        "orthogonal",
    )
    file.vary("a normal missing", "two tied rows", {"normals": [[1, 0, 0]]}, "rank")
    file.vary("normals that depend", "two tied rows", {"normals": [[1, 0, 0], [2, 0, 0]]}, "rank")
    file.vary("a normal too short", "two tied rows", {"normals": [[1, 0, 0], [0, 1]]}, "length")
    file.vary("no rows", "two tied rows", {"rows": [], "multipliers": []}, "row-number")
    file.vary("a row that is not there", "two tied rows", {"rows": [0, 4]}, "row-number")
    file.vary("rows that do not cancel", "two tied rows", {"multipliers": [1, 2]}, "sum")
    file.vary("one of two lists longer", "two tied rows", {"multipliers": [1]}, "type")
    same = table((0.0, 0.0, 1), (0.0, 0.0, 0))
    file.add("every row on the hyperplane", "weakly-separable", same, good, "sign", positive=1)
    more = table((0.0, 0.0, 1), (0.0, 0.0, 0), (1.0, 0.0, 1), (0.0, 1.0, 0))
    file.add("a row on it that need not be", "weakly-separable", more, good, "orthogonal", positive=1)
    file.vary(
        "a row on it that need not be, moved off", "a row on it that need not be", {"weights": [1.0, -1.0]}
    )
    through = table((1.0, 0.0, 1), (2.0, 0.0, 0), (0.0, 3.0, 1))
    witness = good | {"weights": [0.0, 1.0], "intercept": None, "multipliers": [2, 1], "normals": [[0, 1]]}
    file.add("without intercept", "weakly-separable", through, witness, positive=1)
    file.vary("without intercept, its constant not cancelled", "without intercept", {"intercept": 0.0}, "sum")
    file.vary("without intercept, on the wrong side", "without intercept", {"weights": [0.0, -1.0]}, "sign")
    for name, value, reason in (
        ("on its side", 2.0**-400, None),
        ("on the wrong side", -(2.0**-400), "sign"),
    ):
        rows = table((0.0, 0.0, 1), (0.0, 0.0, 0), (value, 0.0, 1))
        file.add(f"one row by little {name}", "weakly-separable", rows, good, reason, positive=1)
        rows = table((0.0, 0.0, 1), (0.0, 0.0, 0), (value, 0.0, 1), (1.0, 0.0, 1))
        file.add(f"one of two rows by little {name}", "weakly-separable", rows, good, reason, positive=1)
    big = table((0.0, 0.0, 1), (0.0, 0.0, 0), (1e300, 1e-300, 1), (-1e300, 1e-300, 0))
    file.add("wide range", "weakly-separable", big, good, positive=1)
    return file


def margin_at_least() -> VectorFile:
    file = VectorFile("margin-at-least")
    data = table((3.0, 4.0, 1), (-3.0, -4.0, 0), (6.0, 8.0, 1))
    good = {"weights": [3.0, 4.0], "intercept": None, "margin": 5.0, "geometric": False}
    file.add("3, 4, 5", "margin-at-least", data, good, positive=1)
    file.edges("3, 4, 5", "margin", 5, above(5.0), "margin")
    file.vary("3, 4, 5; a small margin", "3, 4, 5", {"margin": TINY})
    for name, margin in (("no", 0.0), ("a negative", -1.0), ("a negative whole", -5), ("a far too large", 6)):
        file.vary(f"3, 4, 5; {name} margin", "3, 4, 5", {"margin": margin}, "margin")
    file.vary("3, 4, 5; as geometric", "3, 4, 5", {"geometric": True})
    file.vary("3, 4, 5; the wrong way", "3, 4, 5", {"weights": [-3.0, -4.0]}, "margin")
    file.vary("3, 4, 5; weights of zero", "3, 4, 5", {"weights": [0.0, 0.0]}, "margin")
    file.vary(
        "3, 4, 5; weights of another length", "3, 4, 5", {"weights": [whole(3 * 2**70), whole(4 * 2**70)]}
    )
    file.edges("3, 4, 5; weights of another length", "margin", 5.0, above(5.0), "margin")
    shifted = table((2.0, 0.0, 1), (-2.0, 0.0, 0), (5.0, 1.0, 1))
    b = {"weights": [1.0, 0.0], "intercept": 1.0, "margin": 1.0, "geometric": True}
    file.add("geometric", "margin-at-least", shifted, b, positive=1)
    file.edges("geometric", "margin", 1, above(1.0), "margin")
    root = last_double(lambda m: 2 * m * m <= 1, 0.5, 1.0)
    file.vary("the intercept in the norm", "geometric", {"geometric": False, "margin": root})
    file.edges("the intercept in the norm", "margin", root, above(root), "margin")
    file.vary("a row on the hyperplane", "geometric", {"intercept": 2.0, "margin": TINY}, "margin")
    file.vary("a row of the other class on it", "geometric", {"intercept": -2.0, "margin": TINY}, "margin")
    alone = table((2.0, 0.0, 1), (5.0, 1.0, 1))
    nothing = b | {"weights": [0.0, 0.0]}
    file.add("only an intercept", "margin-at-least", alone, nothing | {"geometric": False}, positive=1)
    file.vary("only an intercept, geometric", "only an intercept", {"geometric": True}, "margin")
    for place in range(3):
        rows = [[9.0, 1], [9.0, 1], [9.0, 1]]
        rows[place][0] = 2.0
        witness = {"weights": [1.0], "intercept": None, "margin": 2.0, "geometric": False}
        file.add(f"row {place} decides", "margin-at-least", table(*map(tuple, rows)), witness, positive=1)
        file.edges(f"row {place} decides", "margin", 2, above(2.0), "margin")
    half = table((-0.5, 1), (0.5, 0))
    file.add(
        "on the wrong side by half", "margin-at-least", half, witness | {"margin": 0.25}, "margin", positive=1
    )
    small = table((5e-324, 1), (-5e-324, 0))
    file.add("the smallest double", "margin-at-least", small, witness | {"margin": TINY}, positive=1)
    file.edges("the smallest double", "margin", TINY, 1e-323, "margin")
    return file


def margin_at_most() -> VectorFile:
    file = VectorFile("margin-at-most")
    data = table((3.0, 4.0, 1), (-3.0, -4.0, 0), (6.0, 8.0, 1))
    good = {"rows": [0], "multipliers": [1], "margin": 5, "geometric": False, "intercept": False}
    file.add("one row", "margin-at-most", data, good, positive=1)
    file.edges("one row", "margin", 5.0, below(5.0), "margin")
    file.vary("one row, often", "one row", {"multipliers": [whole(2**70)]})
    file.edges("one row, often", "margin", 5.0, below(5.0), "margin")
    file.vary("a negative margin", "one row", {"margin": -5}, "margin")
    file.vary("a larger margin", "one row", {"margin": 6})
    file.vary("no rows", "one row", {"rows": [], "multipliers": []}, "row-number")
    file.vary("a row that is not there", "one row", {"rows": [3]}, "row-number")
    file.vary("lists of other lengths", "one row", {"rows": [0, 1]}, "type")
    file.vary("geometric, without intercept", "one row", {"geometric": True})
    file.vary("two rows", "one row", {"rows": [0, 2], "multipliers": [3, 1], "margin": 6.25})
    file.edges("two rows", "margin", 6.25, below(6.25), "margin")
    file.edges("two rows", "multipliers", [4, 1], [2, 1], "margin")
    file.vary(
        "geometric", "one row", {"geometric": True, "intercept": True, "rows": [0, 1], "multipliers": [1, 1]}
    )
    file.edges("geometric", "margin", 5, below(5.0), "margin")
    file.vary("classes that weigh differently", "geometric", {"multipliers": [1, 2], "margin": 100.0}, "sum")
    root = last_double(lambda m: m * m < 26, 5.0, 6.0)
    file.vary("the constant counts", "one row", {"intercept": True, "margin": above(root)})
    file.edges("the constant counts", "margin", above(root), root, "margin")
    touching = table((1.0, 1), (1.0, 0), (2.0, 1))
    zero = good | {"rows": [0, 1], "multipliers": [1, 1], "margin": 0.0, "intercept": True}
    file.add("rows that cancel", "margin-at-most", touching, zero, positive=1)
    file.edges("rows that cancel", "margin", 0, -TINY, "margin")
    file.vary("rows that cancel, geometric", "rows that cancel", {"geometric": True})
    small = table((5e-324, 1), (-5e-324, 0))
    file.add("the smallest double", "margin-at-most", small, good | {"margin": TINY}, positive=1)
    file.edges("the smallest double", "margin", TINY, 0.0, "margin")
    return file


def margin_between() -> VectorFile:
    file = VectorFile("margin-between")
    data = table((3.0, 4.0, 1), (-3.0, -4.0, 0), (6.0, 8.0, 1))
    good = {
        "weights": [3.0, 4.0],
        "intercept": None,
        "rows": [0],
        "multipliers": [1],
        "lower": 5.0,
        "upper": 5.0,
        "geometric": False,
    }
    file.add("3, 4, 5", "margin-between", data, good, positive=1)
    file.edges("3, 4, 5", "lower", 5, above(5.0), "margin")
    file.edges("3, 4, 5", "upper", 5, below(5.0), "margin")
    file.vary("no margin", "3, 4, 5", {"lower": 0.0}, "margin")
    file.vary("no rows", "3, 4, 5", {"rows": [], "multipliers": []}, "row-number")
    file.vary(
        "with intercept",
        "3, 4, 5",
        {"intercept": 0, "geometric": True, "rows": [0, 1], "multipliers": [1, 1]},
    )
    file.edges("with intercept", "upper", 5, below(5.0), "margin")
    file.edges("with intercept", "lower", 5, above(5.0), "margin")
    file.vary(
        "classes that weigh differently", "with intercept", {"multipliers": [2, 1], "upper": 99.0}, "sum"
    )
    root = last_double(lambda m: m * m < 26, 5.0, 6.0)
    file.vary("the constant counts", "3, 4, 5", {"intercept": 0.0, "upper": above(root)})
    file.edges("the constant counts", "upper", above(root), root, "margin")
    return file


def margin_share() -> VectorFile:
    file = VectorFile("margin-share")
    data = table((3.0, 4.0, 1), (-3.0, -4.0, 0), (6.0, 8.0, 1))
    good = {"weights": [3.0, 4.0], "intercept": None, "rows": [0], "multipliers": [1], "share": 1.0}
    file.add("all of it", "margin-share", data, good, positive=1)
    file.edges("all of it", "share", 1, above(1.0), "type")
    file.vary("a small share", "all of it", {"share": TINY})
    file.vary(
        "three fifths", "all of it", {"weights": [1, 0], "share": last_double(lambda t: 5 * t <= 3, 0.5, 1.0)}
    )
    inside = last_double(lambda t: 5 * t <= 3, 0.5, 1.0)
    file.edges("three fifths", "share", inside, above(inside), "margin")
    file.vary(
        "seven eighths of a bound that is too large",
        "all of it",
        {"rows": [0, 2], "multipliers": [1, 1]},
        "margin",
    )
    file.vary("two thirds of it", "all of it", {"rows": [0, 2], "multipliers": [1, 1], "share": 0.625})
    file.vary("no weights", "all of it", {"weights": [0.0, 0.0]}, "margin")
    file.vary("the wrong way", "all of it", {"weights": [-3.0, -4.0], "share": TINY}, "margin")
    file.vary("a row that is not there", "all of it", {"rows": [3]}, "row-number")
    file.vary("no rows", "all of it", {"rows": [], "multipliers": []}, "row-number")
    file.vary("lists of other lengths", "all of it", {"multipliers": []}, "type")
    file.vary(
        "one of two rows is not there",
        "all of it",
        {"rows": [0, 3], "multipliers": [1, 1], "share": 0.125},
        "row-number",
    )
    file.vary("weights that are no whole numbers", "all of it", {"weights": [0.375, 0.5]})
    half = table((-0.5, 1), (0.5, 0))
    alone = good | {"weights": [1.0], "share": 0.25}
    file.add("on the wrong side by half", "margin-share", half, alone, "margin", positive=1)
    small = table((5e-324, 1), (-5e-324, 0))
    file.add("the smallest double", "margin-share", small, alone | {"share": 1.0}, positive=1)
    touching = table((1.0, 1), (1.0, 0), (2.0, 1))
    cancel = {"weights": [1.0], "intercept": 0.0, "rows": [0, 1], "multipliers": [1, 1], "share": TINY}
    file.add("rows that cancel", "margin-share", touching, cancel, "margin", positive=1)
    shifted = table((1.0, 1), (-1.0, 0), (5.0, 1))
    unit = {"weights": [1.0], "intercept": 0.0, "rows": [0, 1], "multipliers": [1, 1], "share": 1.0}
    file.add("with intercept", "margin-share", shifted, unit, positive=1)
    file.edges("with intercept", "intercept", -0.0, TINY, "margin")
    root = last_double(lambda t: 2 * t * t <= 1, 0.5, 1.0)
    file.vary("one row with intercept", "with intercept", {"rows": [0], "multipliers": [3], "share": root})
    file.edges("one row with intercept", "share", root, above(root), "margin")
    return file


FILES = (
    separable,
    inseparable,
    overlapping,
    weakly_separable,
    margin_at_least,
    margin_at_most,
    margin_between,
    margin_share,
)
