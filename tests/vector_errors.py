"""Test vectors of mistakes and errors: every inequality at its edge, and proofs written by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from math import prod
from typing import Any

from certificate_corpus import Data
from vector_file import VectorFile, above, below, last_double, table, whole

TINY = 5e-324
U, T = Fraction(1, 2**53), Fraction(1, 2**1022)


def mistakes_at_most() -> VectorFile:
    file = VectorFile("mistakes-at-most")
    data = table((3.0, 4.0, 1), (-3.0, -4.0, 0))
    good = {"weights": [3.0, 4.0], "intercept": None, "mistakes": 1}
    file.add("one mistake", "mistakes-at-most", data, good, positive=1)
    file.edges("one mistake", "mistakes", 2, 0, "mistakes")
    file.vary("large weights", "one mistake", {"weights": [whole(3 * 2**70), whole(4 * 2**70)]})
    file.vary("many mistakes", "one mistake", {"mistakes": whole(2**60)})
    file.vary("the wrong way", "one mistake", {"weights": [-3.0, -4.0], "mistakes": 99}, "mistakes")
    file.vary("no weights", "one mistake", {"weights": [0.0, 0.0], "mistakes": 99}, "mistakes")
    half = table((-0.5, 1), (0.5, 0))
    wrong = good | {"weights": [1.0], "mistakes": 10**9}
    file.add("on the wrong side by half", "mistakes-at-most", half, wrong, "mistakes", positive=1)
    far = table((1.0, 1), (-3.0, 0), (2.0, 1))
    # m = 1, R² = 9: below 9 is 9·(8 + 1)/9.
    file.add(
        "a long row",
        "mistakes-at-most",
        far,
        {"weights": [1.0], "intercept": None, "mistakes": 9},
        positive=1,
    )
    file.edges("a long row", "mistakes", 9, 8, "mistakes")
    # With the constant R² = 10, and (1, 0) has margins 1: 10 mistakes, and not 9.
    file.vary("with intercept", "a long row", {"intercept": 0.0, "mistakes": 10})
    file.edges("with intercept", "mistakes", 10, 9, "mistakes")
    file.vary(
        "an intercept that is no use", "with intercept", {"intercept": -1.0, "mistakes": 10**9}, "mistakes"
    )
    root = last_double(lambda b: (1 - b) ** 2 * 41 > 10 * (1 + b * b), 0.0, 1.0)
    file.vary("a negative intercept", "with intercept", {"intercept": -root, "mistakes": 40})
    file.edges("a negative intercept", "intercept", -root, -above(root), "mistakes")
    return file


def mistake_run() -> VectorFile:
    file = VectorFile("mistake-run")
    data = table((1.0, 0.0, 1), (-1.0, 0.5, 0), (3.0, -2.0, 1))
    good = {
        "rows": [0],
        "counts": [1],
        "mistakes": 1,
        "weights": [1.0, 0.0],
        "intercept": None,
        "converged": True,
    }
    file.add("one mistake", "mistake-run", data, good, positive=1)
    file.edges("one mistake", "weights/0", below(1.0), above(1.0), "sum")
    file.edges("one mistake", "weights/1", 2.0**-1022, above(2.0**-1022), "sum")
    file.vary("a weight below by more", "one mistake", {"weights": [below(below(1.0)), 0.0]}, "sum")
    file.vary("a weight below 0 by little", "one mistake", {"weights": [1.0, -(2.0**-1022)]})
    file.vary("a weight below 0 by more", "one mistake", {"weights": [1.0, -above(2.0**-1022)]}, "sum")
    file.vary("a count one more", "one mistake", {"counts": [2]}, "sum")
    file.vary("a mistake more", "one mistake", {"mistakes": 2}, "sum")
    file.vary("a mistake less", "one mistake", {"mistakes": 0}, "sum")
    file.vary("a row that is not there", "one mistake", {"rows": [3]}, "row-number")
    file.vary("counts of another length", "one mistake", {"counts": [1, 1]}, "type")
    file.vary("converged or not", "one mistake", {"converged": False})
    file.vary(
        "no mistakes",
        "one mistake",
        {"rows": [], "counts": [], "mistakes": 0, "weights": [0.0, 0.0], "converged": False},
    )
    file.edges("no mistakes", "converged", False, True, "sign")
    file.edges("no mistakes", "weights/0", -0.0, TINY, "sum")
    negative = table((-1.0, 0.0, 1), (1.0, 0.5, 0))
    file.add("negative entries", "mistake-run", negative, good | {"weights": [-1.0, 0.0]}, positive=1)
    file.vary("the other class", "negative entries", {"rows": [1], "weights": [-1.0, -0.5]})
    file.vary(
        "the other class with the wrong sign", "negative entries", {"rows": [1], "weights": [1.0, 0.5]}, "sum"
    )
    wide = table((2.0**60, 0.0, 1), (2.0**-500, 2.0**-1060, 1))
    # k·u·a = 2^7 for the first weight; k·(u·2^-1060 + t) for the second is t and a little.
    exact = good | {"weights": [whole(2**60 + 128), 0.0]}
    file.add("whole weights", "mistake-run", wide, exact, positive=1)
    file.edges("whole weights", "weights/0", whole(2**60 - 128), whole(2**60 + 129), "sum")
    file.vary("whole weights; too low", "whole weights", {"weights": [whole(2**60 - 129), 0.0]}, "sum")
    file.vary(
        "whole weights; several",
        "whole weights",
        {"counts": [3], "mistakes": 3, "weights": [whole(3 * 2**60 + 9 * 128), 0]},
        "mistakes",
    )
    through = table((1.0, 1), (1.0, 0), (4.0, 1))
    run = good | {
        "rows": [0, 1],
        "counts": [1, 1],
        "mistakes": 2,
        "weights": [0.0],
        "intercept": 0.0,
        "converged": False,
    }
    file.add("with intercept", "mistake-run", through, run, positive=1)
    file.edges("with intercept", "intercept", 2.0**-51, above(2.0**-51), "sum")
    file.vary("it has not converged", "with intercept", {"converged": True}, "sign")

    # Two rows with products above 0: the longer the sum, the fewer mistakes can have made it.
    def allowed(e: Fraction, rows: int = 2, constant: bool = False) -> bool:
        rows_z = [(Fraction(1), Fraction(0)), (e, Fraction(1))]
        W = [sum(z[j] for z in rows_z) for j in range(2)]
        k, D = 2, 2
        S = sum(x * x for z in rows_z for x in z)
        a2 = sum(sum(abs(z[j]) for z in rows_z) ** 2 for j in range(2))
        return sum(w * w for w in W) - S <= 2 * (2 * D + k) * U * a2 + 2 * k * D * (1 + k) * T

    edge = last_double(allowed, 0.0, 1e-3)
    for name, e, reason in (("at", edge, None), ("beyond", above(edge), "mistakes")):
        rows = table((1.0, 0.0, 1), (e, 1.0, 1))
        pair = good | {"rows": [0, 1], "counts": [1, 1], "mistakes": 2, "weights": [1.0 + e, 1.0]}
        file.add(f"the sum {name} the edge", "mistake-run", rows, pair, reason, positive=1)

    two = {"rows": [0, 3], "counts": [1, 1], "mistakes": 2, "converged": False}
    file.vary("one of two rows is not there", "one mistake", two, "row-number")
    # Rows 1 and −1, c and d times: (c − d)² is at most c + d.
    opposite = table((1.0, 1), (1.0, 0))
    for c, d, reason in (
        (3, 1, None),
        (4, 2, None),
        (3, 0, "mistakes"),
        (4, 1, "mistakes"),
        (1, 3, None),
        (1, 4, "mistakes"),
    ):
        rows = {"rows": [0, 1], "counts": [c, d]} if d else {"rows": [0], "counts": [c]}
        pair = good | rows | {"mistakes": c + d, "weights": [c - d], "converged": False}
        file.add(f"{c} and {d} mistakes", "mistake-run", opposite, pair, reason, positive=1)
    file.vary("2 and 2 mistakes", "3 and 1 mistakes", {"counts": [2, 2], "weights": [2.0**-49]})
    file.edges("2 and 2 mistakes", "weights/0", 2.0**-49, above(2.0**-49), "sum")
    # All products underflow, and only what is lost by that is allowed for, in claims of rows (e) and (e).
    for c in (1, 2, 3):

        def underflow(e: Fraction, c: int = c) -> bool:
            k = 2 * c
            return (k * k - k) * e * e <= 2 * (2 + k) * U * (k * e) ** 2 + 2 * k * (1 + k) * T

        edge = last_double(underflow, 0.0, 1.0)
        for name, e, reason in (("at", edge, None), ("beyond", above(edge), "mistakes")):
            pair = good | {"rows": [0, 1], "counts": [c, c], "mistakes": 2 * c, "weights": [2 * c * e]}
            data = table((e, 1), (e, 1))
            file.add(f"underflow {name} the edge, {c}", "mistake-run", data, pair, reason, positive=1)
    zero = table((0.0, 1), (0.0, 0), (1.0, 1))
    most = good | {"counts": [2**40], "mistakes": 2**40, "weights": [0.0], "converged": False}
    file.add("2^40 mistakes", "mistake-run", zero, most, positive=1)
    file.vary(
        "more than 2^40 mistakes", "2^40 mistakes", {"counts": [2**40 + 1], "mistakes": 2**40 + 1}, "mistakes"
    )
    return file


def errors_at_most() -> VectorFile:
    file = VectorFile("errors-at-most")
    data = table((1.0, 1), (-1.0, 0), (0.0, 1), (0.0, 0), (-2.0, 1), (3.0, 0))
    good = {"weights": [1.0], "intercept": None, "errors": 4}
    file.add("two on the hyperplane", "errors-at-most", data, good, positive=1)
    file.edges("two on the hyperplane", "errors", 5, 3, "count")
    file.vary("many are allowed", "two on the hyperplane", {"errors": whole(2**64)})
    for digits in ("0x8" + "0" * 3249, "0x20000000000001"):
        file.vary(f"{len(digits)} digits of errors", "two on the hyperplane", {"errors": digits})
    file.vary("moved by little", "two on the hyperplane", {"intercept": TINY, "errors": 3})
    file.edges("moved by little", "errors", 3, 2, "count")
    file.vary("the other way by little", "two on the hyperplane", {"intercept": -TINY, "errors": 3})
    file.edges("the other way by little", "errors", 3, 2, "count")
    file.vary("no weights", "two on the hyperplane", {"weights": [0.0], "errors": 6})
    file.edges("no weights", "errors", 6, 5, "count")
    return file


TRIANGLE = table((2.0, -1.0, 1), (-1.0, 2.0, 1), (-1.0, -1.0, 1), (-5.0, 7.0, 0))
AXES = [[1, 0], [0, 1]]
LEAF = "0 0 -1"
TREES = ["1 0 0 1 1 0 1 -1", LEAF, LEAF, LEAF]


def cones(trees: list[str] = TREES, basis: Any = AXES, null: Any = ()) -> dict[str, Any]:
    return {"method": "cones", "basis": basis, "null": list(null), "trees": trees}


def circuits(*parts: Any, denominator: Any = 1) -> dict[str, Any]:
    return {"method": "circuits", "denominator": denominator, "parts": list(parts)}


def part(known: Any, tree: Any = (None,), leaves: Any = ([[0], [1]],)) -> dict[str, Any]:
    return {"circuits": known, "tree": list(tree), "leaves": list(leaves)}


def three(name: str = "t") -> Data:
    """Three rows around the origin: any halfspace has one of them wrong."""
    return table((2.0, -1.0, "p"), (-1.0, 2.0, "p"), (-1.0, -1.0, "p"))


def errors_at_least() -> VectorFile:
    file = VectorFile("errors-at-least")
    none = {"bound": 0, "costs": None, "proof": {"method": "none"}, "intercept": False}
    groups(file, none)
    pairs(file, none)
    cuts(file, none)
    return file


def groups(file: VectorFile, none: dict[str, Any]) -> None:
    """What is paid in any case, and costs."""
    data = table((1.0, 2.0, 1), (2.0, 4.0, 0), (0.0, 0.0, 1), (3.0, 6.0, 1), (5.0, 1.0, 1))
    # Rows 0 and 3 are one group, row 1 is opposite, row 2 is wrong in any case.
    file.add("paid", "errors-at-least", data, none | {"bound": 2}, positive=1)
    file.edges("paid", "bound", 2, 3, "bound")
    file.vary("paid, with intercept", "paid", {"intercept": True, "bound": 0})
    file.edges("paid, with intercept", "bound", 0, 1, "bound")
    file.vary("costs", "paid", {"costs": [3, 1, 4, 2, 9], "bound": 5})
    file.edges("costs", "bound", 5, 6, "bound")
    file.vary("the group is lighter", "paid", {"costs": [1, 7, 4, 2, 9], "bound": 7})
    file.edges("the group is lighter", "bound", 7, 8, "bound")
    file.vary("the group weighs the same", "paid", {"costs": [1, 3, 4, 2, 9], "bound": 7})
    file.edges("the group weighs the same", "bound", 7, 8, "bound")
    file.vary("a unit that is no whole number", "paid", {"costs": [0.75, 0.25, 1.0, 0.5, 2.25], "bound": 5})
    file.edges("a unit that is no whole number", "bound", 5, 6, "bound")
    file.vary("a common divisor", "paid", {"costs": [6, 2, 8, 4, 18], "bound": 5})
    file.edges("a common divisor", "bound", 5, 6, "bound")
    file.vary("rows of cost 0", "paid", {"costs": [0, 1, 0, 0, 1], "bound": 0})
    file.edges("rows of cost 0", "bound", 0, 1, "bound")
    file.vary("all of cost 0", "paid", {"costs": [0, 0, 0.0, 0, -0.0], "bound": 0})
    file.edges("all of cost 0", "bound", 0, 1, "bound")
    huge = whole(2**1024 - 1)
    file.vary("a large cost", "paid", {"costs": [0, 0, huge, 0, 1], "bound": huge})
    file.edges("a large cost", "costs/2", huge, hex(2**1024), "type")
    file.vary(
        "costs that doubles round",
        "paid",
        {"costs": [0, 0, whole(2**60 + 1), 0, 1], "bound": whole(2**60 + 1)},
    )
    file.edges("costs that doubles round", "bound", whole(2**60 + 1), whole(2**60 + 2), "bound")
    file.vary("too few costs", "paid", {"costs": [1, 1, 1, 1]}, "length")
    file.vary("too many costs", "paid", {"costs": [1, 1, 1, 1, 1, 1]}, "length")
    file.vary("an unknown proof", "paid", {"proof": {"method": "faith"}}, "proof")
    file.vary("a proof without method", "paid", {"proof": {}}, "type")
    file.vary("a field too many", "paid", {"proof": {"method": "none", "trees": []}}, "fields")
    opposite = table((1.0, 2.0, 0), (2.0, 4.0, 1), (1.0, 2.0, 1), (1.0, -1.0, 1))
    file.add("opposite, the later ones heavier", "errors-at-least", opposite, none | {"bound": 1}, positive=1)
    file.edges("opposite, the later ones heavier", "bound", 1, 2, "bound")
    fine = table((0.5, 0.1, 1), (-1.0, -0.2, 1), (0.5, 0.125, 1), (1.0, 0.25, 0), (0.25, 0.2, 0))
    file.add("columns of fractions", "errors-at-least", fine, none | {"bound": 2}, positive=1)
    file.edges("columns of fractions", "bound", 2, 3, "bound")


def pairs(file: VectorFile, none: dict[str, Any]) -> None:
    """Cones whose pairs of open rows are never both right."""
    file.add("three rows", "errors-at-least", three(), none | {"bound": 1, "proof": cones()}, positive="p")
    file.edges("three rows", "bound", 1, 2, "bound")
    open_, refused = {}, {}
    for name, a, e, ok in (
        ("1:1", 1, 0, 1),
        ("2:1", 2, 0, 1),
        ("3:1", 3, 0, 0),
        ("1:2", 1, 1, 1),
        ("1:4", 1, 2, 0),
        ("4:2", 4, 1, 1),
        ("5:2", 5, 1, 0),
        ("1:½", 1, -1, 1),
        ("2:½", 2, -1, 0),
        ("1:¼", 1, -2, 0),
        ("3:2", 3, 1, 1),
    ):
        (open_ if ok else refused)[name] = f"1 0 0 1 {a} {e} 1 -1"
    odd = {
        "a = 0": "1 0 0 1 0 0 1 -1",
        "a < 0": "1 0 0 1 -1 0 1 -1",
        "amount < 0": "1 0 0 1 1 0 -1 -1",
        "one row twice": "1 0 0 0 1 0 1 -1",
        "a row that is right": "1 0 0 2 1 0 1 -1",
        "a row that is not there": "1 0 0 3 1 0 1 -1",
        "more than it costs": "1 0 0 1 1 0 2 -1",
        "twice": "2 0 0 1 1 0 1 0 1 1 0 1 -1",
        "e beyond 100000": "1 0 0 1 1 100001 1 -1",
        "e below -100000": "1 0 0 1 1 -100001 1 -1",
    }
    cut_short = {
        "it ends too early": "1 0 0 1 1 0 1",
        "it ends within a pair": "1 0 0 1 1",
        "empty": "",
        "it goes on": "1 0 0 1 1 0 1 -1 0",
        "j is -2": "0 0 -2 1 1 1 0 0 -1 0 0 -1",
    }
    damaged = {
        "letters": "1 0 0 1 1 0 1 x",
        "a point": "1 0 0 1 1 0 1. -1",
        "a sign alone": "1 0 0 1 1 0 1 - 1",
        "two signs": "1 0 0 1 1 0 1 --1",
        "a tab": "1\t0 0 1 1 0 1 -1",
        "a plus": "1 0 0 1 1 0 +1 -1",
        "other digits": "١ 0 0 1 1 0 1 -1",
        "a line": "1 0 0 1 1 0 1 -1\n",
        "long": "1 0 0 1 1 0 " + "1" * 4301 + " -1",
    }
    for name, tree in open_.items():
        file.vary(f"pair: {name}", "three rows", {"proof/trees/0": tree})
    for name, tree in (refused | odd | cut_short).items():
        file.vary(f"pair: {name}", "three rows", {"proof/trees/0": tree}, "proof")
    for name, tree in damaged.items():
        file.vary(f"tree: {name}", "three rows", {"proof/trees/0": tree}, "type")
    file.vary("spaces", "three rows", {"proof/trees/0": "  1 0 0   1 1 0 1 -1 "})
    file.vary("pair: less than it may", "three rows", {"proof/trees/0": "1 0 0 1 1 0 0 -1"}, "bound")
    file.vary("no pair", "three rows", {"proof/trees/0": LEAF}, "bound")
    file.vary("two pairs, one of nothing", "three rows", {"proof/trees/0": "2 0 0 1 1 0 0 1 0 2 0 1 -1"})
    for place in range(4):
        file.vary(
            f"tree {place} goes on", "three rows", {f"proof/trees/{place}": TREES[place] + " -1"}, "proof"
        )
    file.vary("trees in another order", "three rows", {"proof/trees": TREES[::-1]}, "proof")
    file.vary("a tree missing", "three rows", {"proof/trees": TREES[:3]}, "proof")
    file.vary("a tree too many", "three rows", {"proof/trees": [*TREES, LEAF]}, "proof")
    file.vary(
        "basis the other way", "three rows", {"proof/basis": [[-1, 0], [0, -1]], "proof/trees": TREES[::-1]}
    )
    file.vary("basis swapped", "three rows", {"proof/basis": AXES[::-1]})
    file.vary(
        "basis large",
        "three rows",
        {"proof/basis": [[whole(2**70), 0], [0, 3]]},
    )
    file.vary(
        "basis of one vector", "three rows", {"proof/basis": [[1, 0]], "proof/trees": TREES[:2]}, "proof"
    )
    file.vary("basis that depends", "three rows", {"proof/basis": [[1, 0], [2, 0]]}, "proof")
    file.vary("basis too short", "three rows", {"proof/basis": [[1], [0]]}, "proof")
    file.vary(
        "a null vector on which rows are not 0",
        "three rows",
        {"proof/basis": [[1, 0]], "proof/null": [[0, 1]], "proof/trees": TREES[:2]},
        "proof",
    )
    for field, values in {
        "basis": (None, {}, [1, 0], [["1", 0], [0, 1]], [[1.0, 0], [0, 1]]),
        "null": (None, [[None]], [[0.0, 0]]),
        "trees": (None, [1, 2, 3, 4], "0 0 -1"),
    }.items():
        for place, value in enumerate(values):
            file.vary(f"{field} of another type {place}", "three rows", {f"proof/{field}": value}, "type")
    for field in ("basis", "null", "trees"):
        file.vary(f"{field} missing", "three rows", {}, "fields", remove=(f"/proof/{field}",))
    file.vary("a field too many in cones", "three rows", {"proof/more": 0}, "fields")
    file.vary(
        "three rows with costs",
        "three rows",
        {"costs": [2, 3, 4], "bound": 2, "proof/trees/0": "1 0 0 1 1 0 2 -1"},
    )
    file.edges("three rows with costs", "bound", 2, 3, "bound")
    file.vary(
        "a pair beyond the first row's cost",
        "three rows with costs",
        {"proof/trees/0": "1 0 0 1 1 0 3 -1"},
        "proof",
    )
    file.vary(
        "a pair beyond the second row's cost",
        "three rows with costs",
        {"costs": [3, 2, 4], "proof/trees/0": "1 0 0 1 1 0 3 -1"},
        "proof",
    )
    file.vary("the shortened one", "three rows with costs", {"proof/trees/0": "1 1 0 1 1 0 3 0 1 -1"})
    for name, tree in {
        "by more than it has": "1 1 0 1 1 0 2 0 3 -1",
        "by less than nothing": "1 1 0 1 1 0 1 0 -1 -1",
        "that is not there": "1 1 0 1 1 0 2 1 1 -1",
        "of a negative place": "1 1 0 1 1 0 2 -1 0 -1",
    }.items():
        file.vary(f"shortened {name}", "three rows with costs", {"proof/trees/0": tree}, "proof")
    file.vary(
        "shortened by all it has",
        "three rows with costs",
        {"bound": 0, "proof/trees/0": "1 1 0 1 1 0 2 0 2 -1"},
    )
    file.edges("shortened by all it has", "bound", 0, 1, "bound")
    flat = table((2.0, -1.0, 0.0, "p"), (-1.0, 2.0, 0.0, "p"), (-1.0, -1.0, 0.0, "p"))
    proof = cones(basis=[[1, 0, 0], [0, 1, 0]], null=[[0, 0, -3]])
    file.add("a null vector", "errors-at-least", flat, none | {"bound": 1, "proof": proof}, positive="p")
    file.vary("a null vector that depends", "a null vector", {"proof/null": [[0, 0, 0]]}, "proof")
    file.vary("a null vector too short", "a null vector", {"proof/null": [[0, 0]]}, "proof")
    file.vary("no null vector", "a null vector", {"proof/null": []}, "proof")
    file.vary("a null vector off by one", "a null vector", {"proof/null": [[1, 0, -3]]}, "proof")
    paid = table((1.0, 1), (1.0, 0))
    nothing = none | {"bound": 1, "proof": cones(["0 0 -1"] * 2, [[1]])}
    file.add("no groups", "errors-at-least", paid, nothing, positive=1)
    file.edges("no groups", "bound", 1, 2, "bound")


def cuts(file: VectorFile, none: dict[str, Any]) -> None:
    """Cones that are cut."""
    cut = "0 0 0 1 1 1 0 0 -1 0 0 -1"
    file.add(
        "a cut",
        "errors-at-least",
        three(),
        none | {"bound": 1, "proof": cones([cut, LEAF, LEAF, LEAF])},
        positive="p",
    )
    file.edges("a cut", "bound", 1, 2, "bound")
    held = {
        "the other way": "0 0 1 0 1 1 0 0 -1 0 0 -1",
        "where row 0 is 0": "0 0 0 1 0 0 0 0 -1 0 0 -1",
        "where row 1 is 0": "0 0 0 1 0 1 0 0 -1 0 0 -1",
        "at a large vertex": f"0 0 0 1 {2**70} {2**70} 0 0 -1 0 0 -1",
        "with a pair that ends there": "1 0 0 1 1 0 1 0 1 1 1 0 0 -1 0 0 -1",
        "with a pair handed down": "1 0 0 1 1 0 1 0 1 100 1 0 0 -1 0 0 -1",
        "and cut again": "0 0 0 1 100 1 0 0 0 1 1 100 0 0 -1 0 0 -1 0 0 -1",
    }
    short = {
        "too little for a row": "0 0 0 1 100 1 0 0 -1 0 0 -1",
        "with a pair of nothing": "1 0 0 1 1 0 0 0 1 100 1 0 0 -1 0 0 -1",
        "with a pair shortened": "1 0 0 1 1 0 1 0 1 100 1 0 1 0 1 -1 0 0 -1",
    }
    refused = {
        "at one vertex": "0 0 0 0 1 1 0 0 -1 0 0 -1",
        "l negative": "0 0 0 1 -1 1 0 0 -1 0 0 -1",
        "r is 0": "0 0 0 1 1 0 0 0 -1 0 0 -1",
        "r negative": "0 0 0 1 1 -1 0 0 -1 0 0 -1",
        "j too large": "0 0 2 1 1 1 0 0 -1 0 0 -1",
        "k too large": "0 0 0 2 1 1 0 0 -1 0 0 -1",
        "k negative": "0 0 0 -1 1 1 0 0 -1 0 0 -1",
        "at a row that is right": "0 0 0 1 0 2 0 0 -1 0 0 -1",
        "one child missing": "0 0 0 1 1 1 0 0 -1",
        "a child too many": cut + " 0 0 -1",
        "a pair handed to one child only": "1 0 0 1 1 0 1 0 1 100 1 0 0 -1 0 1 0 1 -1",
    }
    for names, reason in ((held, None), (short, "bound"), (refused, "proof")):
        for name, tree in names.items():
            file.vary(f"a cut {name}", "a cut", {"proof/trees/0": tree}, reason)
    file.vary("a cut at a row on the edge", "a cut", {"proof/trees/1": "0 0 0 1 0 1 0 0 -1 0 0 -1"}, "proof")
    # A row that is 0 at one vertex does not change sides.
    edge = table((2.0, -1.0, "p"), (-1.0, 2.0, "p"), (-1.0, -1.0, "p"), (1.0, -1.0, "p"))
    file.add(
        "four rows",
        "errors-at-least",
        edge,
        none | {"bound": 1, "proof": cones([cut, LEAF, LEAF, LEAF])},
        positive="p",
    )
    file.edges("four rows", "bound", 1, 2, "bound")


def more_cones() -> VectorFile:
    """Cones of two and three dimensions in which each condition decides."""
    file = VectorFile("errors-at-least-cones")
    none = {"bound": 1, "costs": None, "intercept": False}
    least = table((1.0, -1.0, "p"), (-1.0, 2.0, "p"), (-1.0, -1.0, "p"))
    file.add("least scores", "errors-at-least", least, none | {"proof": cones()}, positive="p")
    at_row = "0 0 0 1 0 0 0 0 -1 0 0 -1"
    file.vary("a cut at scores of 1 and -1", "least scores", {"proof/trees/0": at_row})
    four = table((2.0, -1.0, "p"), (-1.0, 2.0, "p"), (-1.0, -1.0, "p"), (-2.0, 1.0, "p"))
    opposite = none | {
        "bound": 3,
        "costs": [3, 4, 5, 1],
        "proof": cones(["1 0 0 1 1 0 2 -1", LEAF, LEAF, LEAF]),
    }
    file.add("an opposite row", "errors-at-least", four, opposite, positive="p")
    file.edges("an opposite row", "bound", 3, 4, "bound")
    file.vary(
        "an opposite row, more than the rest costs",
        "an opposite row",
        {"proof/trees/0": "1 0 0 1 1 0 3 -1"},
        "proof",
    )
    same = table((2.0, -1.0, "p"), (-1.0, 2.0, "p"), (-1.0, -1.0, "p"), (1.0, -1.0, "p"))
    file.add("two that can be right", "errors-at-least", same, none | {"proof": cones()}, positive="p")
    file.vary(
        "two that can be right, a < 0",
        "two that can be right",
        {"proof/trees/3": "1 0 0 3 -1 0 1 -1"},
        "proof",
    )
    file.vary(
        "one row twice, a < 0", "two that can be right", {"proof/trees/3": "1 0 0 0 -1 0 1 -1"}, "proof"
    )
    file.vary(
        "an amount below 0",
        "two that can be right",
        {"proof/trees/0": "2 0 0 1 1 0 2 0 1 1 0 -1 -1"},
        "proof",
    )
    file.vary("shortened by nothing", "two that can be right", {"proof/trees/0": "1 1 0 1 1 0 1 0 0 -1"})
    inner = "1 0 0 1 1 0 1 -1"
    file.vary(
        "a cut at an old vertex",
        "two that can be right",
        {"proof/trees/0": f"0 0 0 1 1 0 {inner} 0 0 -1"},
        "proof",
    )
    costs = {"costs": [2, 3, 4, 9], "proof/trees/0": "2 0 0 1 1 0 0 0 1 1 0 2 0 1 100 1 0 1 0 1 -1 0 0 -1"}
    file.vary("a pair of nothing is not handed down", "two that can be right", costs)
    solid = table(
        (3.0, -1.0, -1.0, "p"), (-1.0, 3.0, -1.0, "p"), (-1.0, -1.0, 3.0, "p"), (-1.0, -1.0, -1.0, "p")
    )
    axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    pair = "1 0 {} {} 1 0 1 -1"
    first = "0 0 0 1 0 0 " + pair.format(1, 2) + " 0 0 0 2 0 0 " + pair.format(1, 2) + " 0 0 -1"
    trees = [first, pair.format(1, 2), pair.format(0, 2), LEAF, pair.format(0, 1), LEAF, LEAF, LEAF]
    file.add("three dimensions", "errors-at-least", solid, none | {"proof": cones(trees, axes)}, positive="p")
    file.edges("three dimensions", "bound", 1, 2, "bound")
    halves = pair.format(0, 2) + " " + pair.format(0, 1)
    file.vary("a cut at the sum", "three dimensions", {"proof/trees/0": f"0 0 1 2 1 1 {halves}"})
    file.vary(
        "a cut where its row stays", "three dimensions", {"proof/trees/0": f"0 0 1 2 0 0 {halves}"}, "proof"
    )
    return file


def circuit_proofs() -> VectorFile:
    file = VectorFile("errors-at-least-circuits")
    none = {"bound": 1, "costs": None, "intercept": False}
    abc = [[0, 1, 2], [], [1, 1, 1]]
    file.add("one circuit", "errors-at-least", three(), none | {"proof": circuits(part([abc]))}, positive="p")
    file.edges("one circuit", "bound", 1, 2, "bound")
    at = "proof/parts/0"
    file.vary("multipliers left out", "one circuit", {f"{at}/circuits/0/2": []})
    file.vary("large multipliers", "one circuit", {f"{at}/circuits/0/2": [whole(2**70)] * 3})
    file.edges("large multipliers", f"{at}/circuits/0/2/1", whole(2**70), whole(2**70 + 1), "proof")
    for name, known in {
        "too few multipliers": [[0, 1, 2], [], [1, 1]],
        "rows that do not cancel": [[0, 1], [], [1, 1]],
        "rows that do not cancel, multipliers left out": [[0, 1], [], []],
        "a row twice": [[0, 1, 2, 2], [], [2, 2, 1, 1]],
        "a row on both sides": [[0, 1, 2], [2], [2, 2, 3, 1]],
        "no right row": [[], [0, 1, 2], [1, 1, 1]],
        "a row that is not there": [[0, 1, 3], [], [1, 1, 1]],
        "one row alone": [[0], [], []],
        "a multiplier too many": [[0, 1, 2], [], [1, 1, 1, 1]],
        "a negative side": [[0, 1], [2], [1, 1, 1]],
        "a negative side, multipliers left out": [[0, 1], [2], []],
    }.items():
        file.vary(name, "one circuit", {f"{at}/circuits": [known]}, "proof")
        file.vary(f"beside a circuit: {name}", "one circuit", {f"{at}/circuits": [abc, known]}, "proof")
    for place, value in enumerate(
        (
            None,
            [],
            [[0, 1, 2], []],
            [[0, 1, 2], [], [1, 1, 0]],
            [[0, 1, 2], [], [1, 1, 1.0]],
            [[0, 1, 2], [], None],
            [[0, 1, -2], [], []],
            [["0", 1, 2], [], []],
            [[0, 1, 2], [], [1, 1, 1], []],
        )
    ):
        file.vary(f"a circuit of another type {place}", "one circuit", {f"{at}/circuits": [value]}, "type")
    for place, value in enumerate((None, [[0]], [[0], [-1]], [[0], [1.0]], [[-1], [1]], {}, [[0], [1], []])):
        file.vary(f"a leaf of another type {place}", "one circuit", {f"{at}/leaves": [value]}, "type")
    for field, values in {
        "denominator": (0, -1, 1.0, None, "1"),
        "parts": (None, {}, [None], [[]]),
        f"{'parts'}/0/tree": ([1.0], [-1], None, [True]),
        "parts/0/leaves": (None, 3),
    }.items():
        for place, value in enumerate(values):
            file.vary(
                f"{field} of another type {place}",
                "one circuit",
                {f"proof/{field}": value},
                "fields" if isinstance(value, list) and value in ([None], [[]]) else "type",
            )
    for field in ("denominator", "parts", "parts/0/circuits", "parts/0/tree", "parts/0/leaves"):
        file.vary(f"{field} missing", "one circuit", {}, "fields", remove=(f"/proof/{field}",))
    file.vary("a field too many in circuits", "one circuit", {"proof/more": 0}, "fields")
    file.vary("a field too many in a part", "one circuit", {f"{at}/more": 0}, "fields")
    file.vary("no parts", "one circuit", {"proof/parts": []}, "bound")
    file.vary("a half is rounded up", "one circuit", {"proof/denominator": 2})
    file.edges("a half is rounded up", "bound", 1, 2, "bound")
    file.vary(
        "a half too much", "one circuit", {"proof/denominator": 2, f"{at}/leaves": [[[0], [3]]]}, "bound"
    )
    file.vary("twice the denominator", "one circuit", {"proof/denominator": 2, f"{at}/leaves": [[[0], [2]]]})
    file.vary("multiplied too much", "one circuit", {f"{at}/leaves": [[[0], [2]]]}, "bound")
    file.vary("multiplied by nothing", "one circuit", {f"{at}/leaves": [[[0], [0]]]}, "bound")
    file.vary("less than nothing is nothing", "one circuit", {f"{at}/leaves": [[[0], [9]]], "bound": 0})
    file.vary("a leaf of no circuits", "one circuit", {f"{at}/leaves": [[[], []]], "bound": 0})
    file.vary("the circuit twice in a leaf", "one circuit", {f"{at}/leaves": [[[0, 0], [1, 1]]]}, "bound")
    for name, leaf in {
        "a circuit that is not there": [[1], [1]],
        "lists of other lengths": [[0], []],
        "more places": [[0, 0], [1]],
    }.items():
        file.vary(f"a leaf with {name}", "one circuit", {f"{at}/leaves": [leaf]}, "proof")
    for name, change in {
        "empty": {"tree": []},
        "too short": {"tree": [0]},
        "too long": {"tree": [None, None]},
        "of too few leaves": {"leaves": []},
        "of too many leaves": {"leaves": [[[0], [1]]] * 2},
        "that decides a row twice": {"tree": [0, 0, None, None, None], "leaves": [[[0], [1]]] * 3},
        "of a row that is not there": {"tree": [3, None, None], "leaves": [[[0], [1]]] * 2},
    }.items():
        file.vary(
            f"a tree {name}", "one circuit", {f"{at}/{key}": value for key, value in change.items()}, "proof"
        )
    file.vary(
        "a tree that decides row 0",
        "one circuit",
        {f"{at}/tree": [0, None, None], f"{at}/leaves": [[[0], [1]], [[], []]]},
    )
    file.edges("a tree that decides row 0", "bound", 1, 2, "bound")
    file.vary(
        "decided the other way",
        "a tree that decides row 0",
        {f"{at}/leaves": [[[], []], [[0], [1]]]},
        "bound",
    )
    file.vary(
        "decided, with costs",
        "a tree that decides row 0",
        {"costs": [5, 2, 3], "bound": 2, f"{at}/leaves": [[[0], [2]], [[], []]]},
    )
    file.edges("decided, with costs", "bound", 2, 3, "bound")
    file.vary(
        "decided wrong, and multiplied", "decided, with costs", {f"{at}/leaves": [[[0], [2]], [[0], [2]]]}
    )
    file.vary(
        "decided right, its cost not spared", "decided, with costs", {f"{at}/leaves": [[[0], [3]], [[], []]]}
    )
    file.vary(
        "decided right, far too much",
        "decided, with costs",
        {f"{at}/leaves": [[[0], [5]], [[], []]], "bound": 1},
        "bound",
    )
    twice = {f"{at}/tree": [0, 0, None, None, None], f"{at}/leaves": [[[0], [1]], [[], []], [[], []]]}
    file.vary("a row decided twice", "one circuit", twice, "proof")
    short = {f"{at}/tree": [0, 0, None], f"{at}/leaves": [[[], []]]}
    file.vary("a row decided twice, with one leaf", "one circuit", short, "proof")
    wrong = {"costs": [1, 5, 6], f"{at}/leaves": [[[0], [5]], [[], []]]}
    file.vary("decided wrong, without circuits", "a tree that decides row 0", wrong)
    file.edges("decided wrong, without circuits", "bound", 1, 2, "bound")
    quarters = {"costs": [3, 4, 5], "bound": 3, "proof/denominator": 4, f"{at}/leaves": [[[0], [12]]]}
    file.vary("quarters", "one circuit", quarters)
    file.edges("quarters", "bound", 3, 4, "bound")
    four = table((2.0, -1.0, "p"), (-1.0, 2.0, "p"), (-2.0, -3.0, "p"), (1.0, 1.0, "p"))
    known = [[[0, 1, 2], [], [7, 8, 3]], [[0, 1], [3], [1, 1, 1]]]
    both = part(known, [3, None, None], [[[0], [1]], [[1], [1]]])
    file.add(
        "a circuit with a wrong row", "errors-at-least", four, none | {"proof": circuits(both)}, positive="p"
    )
    file.edges("a circuit with a wrong row", "bound", 1, 2, "bound")
    alone = {f"{at}/tree": [None], f"{at}/leaves": [[[1], [1]]]}
    file.vary("a circuit with a wrong row, alone", "a circuit with a wrong row", alone, "bound")
    more = {"costs": [5, 6, 7, 1], f"{at}/leaves": [[[0], [5]], [[1], [3]]], "bound": 4}
    file.vary("a circuit with a wrong row, its cost", "a circuit with a wrong row", more)
    file.edges("a circuit with a wrong row, its cost", "bound", 4, 5, "bound")
    file.vary(
        "its multipliers left out",
        "a circuit with a wrong row",
        {f"{at}/circuits/1/2": [], f"{at}/circuits/0/2": []},
    )
    file.vary(
        "its wrong row on the right side",
        "a circuit with a wrong row",
        {f"{at}/circuits/1": [[0, 1, 3], [], [1, 1, 1]]},
        "proof",
    )
    file.vary(
        "costs for a wrong row",
        "a circuit with a wrong row",
        {
            "costs": [1, 1, 2, 1],
            f"{at}/tree": [2, None, 3, None, None],
            f"{at}/leaves": [[[0], [1]], [[], []], [[1], [1]]],
            "bound": 1,
        },
    )
    file.edges("costs for a wrong row", "bound", 1, 2, "bound")
    twice = table(
        (2.0, -1.0, 0.0, 0.0, "p"),
        (-1.0, 2.0, 0.0, 0.0, "p"),
        (-1.0, -1.0, 0.0, 0.0, "p"),
        (0.0, 0.0, 2.0, -1.0, "p"),
        (0.0, 0.0, -1.0, 2.0, "p"),
        (0.0, 0.0, -1.0, -1.0, "p"),
    )
    proof = circuits(part([abc]), part([[[3, 4, 5], [], []]]))
    file.add("two parts", "errors-at-least", twice, none | {"bound": 2, "proof": proof}, positive="p")
    file.edges("two parts", "bound", 2, 3, "bound")
    file.vary(
        "two parts with a row in common",
        "two parts",
        {"proof/parts/1": part([[[3, 4, 5], [], []]], [0, None, None], [[[0], [1]], [[0], [1]]])},
        "proof",
    )
    file.vary("one part twice", "two parts", {"proof/parts/1": part([abc])}, "proof")
    file.vary(
        "one part proves less than nothing", "two parts", {"proof/parts/1/leaves": [[[0], [9]]], "bound": 1}
    )
    file.vary("one part alone", "two parts", {"proof/parts": [part([[[3, 4, 5], [], []]])], "bound": 1})
    file.vary(
        "both in one part",
        "two parts",
        {"proof/parts": [part([abc, [[3, 4, 5], [], []]], [None], [[[0, 1], [1, 1]]])]},
    )
    lone(file, none)
    return file


def lone(file: VectorFile, none: dict[str, Any]) -> None:
    """Circuits without multipliers: one dependency alone, and it is positive."""

    def simplex(name: str, last: list[float], reason: str | None, others: Any = None) -> None:
        n = len(last)
        rows = others or [[float(i == j) for j in range(n)] for i in range(n)]
        data = table(*((*row, "p") for row in [*rows, last]))
        proof = circuits(part([[list(range(len(rows) + 1)), [], []]]))
        file.add(f"left out: {name}", "errors-at-least", data, none | {"proof": proof}, reason, positive="p")

    for n in (2, 3, 4, 5):
        simplex(f"{n} columns", [-1.0] * n, None)
        simplex(f"{n} columns, one 0", [-1.0] * (n - 1) + [0.0], "proof")
        simplex(f"{n} columns, one below 0", [-1.0] * (n - 1) + [2.0**-20], "proof")
        simplex(f"{n} columns, one hardly above 0", [-1.0] * (n - 1) + [-(2.0**-20)], None)
    for power in (45, 52, 60, 200, 850, 950, 1070):
        simplex(f"one multiplier 2^-{power}", [-1.0, -1.0, -1.0, -(2.0**-power)], None)
        simplex(f"one multiplier -2^-{power}", [-1.0, -1.0, -1.0, 2.0**-power], "proof")
        simplex(f"one multiplier 2^{power}", [-1.0, -1.0, -1.0, -(2.0 ** min(power, 1000))], None)
    rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
    simplex("more than one dependency", [-1.0, -1.0, -1.0, 0.0], "proof", rows)
    simplex("no dependency", [-1.0, -1.0, -1.0, 1.0], "proof", rows[:3])
    close = [
        [1.0, 1.0, 0.0, 0.0],
        [1.0, above(above(1.0)), 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
    simplex("nearly dependent", [-2.0, -1.0 - above(above(1.0)), -1.0, -1.0], None, close)
    simplex("nearly dependent, one below 0", [-2.0, -3.0, -1.0, -1.0], "proof", close)
    dense = [[3.0, 1.0, -1.0, 2.0], [1.0, -4.0, 2.0, 1.0], [-2.0, 1.0, 5.0, -1.0], [1.0, 2.0, 1.0, -6.0]]
    simplex("dense", [-sum(column) for column in zip(*dense, strict=True)], None, dense)
    uneven = [
        sum(k * v for k, v in zip((7, 1, 300, 2), column, strict=True)) for column in zip(*dense, strict=True)
    ]
    simplex("dense, uneven", [-v for v in uneven], None, dense)
    uneven = [
        sum(k * v for k, v in zip((7, 1, -300, 2), column, strict=True))
        for column in zip(*dense, strict=True)
    ]
    simplex("dense, one below 0", [-v for v in uneven], "proof", dense)
    simplex("dense, all below 0", [sum(column) for column in zip(*dense, strict=True)], "proof", dense)
    simplex("a negative lead", [1.0, -1.0], None, [[-1.0, 0.0], [0.0, 1.0]])
    simplex("a negative lead, one 0", [1.0, 0.0], "proof", [[-1.0, 0.0], [0.0, 1.0]])
    source = random.Random(20)
    for n in (2, 3, 3, 4, 4, 5, 5, 6):
        for size in (9, 2**20):
            rows = [[float(source.randint(-size, size)) for _ in range(n)] for _ in range(n)]
            if size > 9:  # two rows that nearly agree
                rows[1] = [value + source.randint(-1, 1) for value in rows[0]]
            multipliers = [source.choice((1, 2, 5, 1000)) for _ in range(n)]
            assert naive_rank(rows) == n
            for place in (None, 0, 1, n - 1):
                signs = [-1 if k == place else 1 for k in range(n)]
                terms = [[m * s * v for v in row] for m, s, row in zip(multipliers, signs, rows, strict=True)]
                last = [-sum(column) for column in zip(*terms, strict=True)]
                name = f"{n} columns up to {size}, {multipliers}, {place}"
                if f"left out: {name}" not in file.known:
                    simplex(name, last, None if place is None else "proof", rows)


def naive_rank(rows: list[list[float]]) -> int:
    """The rank of square rows, if it is full; less otherwise."""
    d = len(rows)
    total = Fraction(0)
    for order in permutations(range(d)):
        sign = (-1) ** sum(order[i] > order[j] for j in range(d) for i in range(j))
        total += sign * prod(Fraction(rows[i][j]) for i, j in enumerate(order))
    return d if total else d - 1


def fewest_errors() -> VectorFile:
    file = VectorFile("fewest-errors")
    good = {
        "weights": [1.0, 1.0],
        "intercept": None,
        "errors": 1,
        "bound": 1,
        "costs": None,
        "proof": cones(),
    }
    file.add("three rows", "fewest-errors", three(), good, positive="p")
    file.edges("three rows", "bound", 0, 2, "bound")
    file.edges("three rows", "errors", 2, 0, "count")
    file.vary("a halfspace with two errors", "three rows", {"weights": [1.0, 0.5]}, "count")
    file.vary("a halfspace with two errors, as it says", "three rows", {"weights": [1.0, 0.5], "errors": 2})
    file.vary("no weights", "three rows", {"weights": [0.0, 0.0], "errors": 3})
    file.edges("no weights", "errors", 3, 2, "count")
    file.vary(
        "costs",
        "three rows",
        {"costs": [1.5, 2.5, 2.0], "errors": 4, "bound": 3, "proof/trees/0": "1 0 0 1 1 0 3 -1"},
    )
    file.edges("costs", "errors", 4, 3, "count")
    file.edges("costs", "bound", 3, 4, "bound")
    file.vary("too few costs", "three rows", {"costs": [1, 1]}, "length")
    file.vary("too many costs", "three rows", {"costs": [1, 1, 1, 1]}, "length")
    file.vary("by circuits", "three rows", {"proof": circuits(part([[[0, 1, 2], [], []]]))})
    tied = table((1.0, 1), (1.0, 0), (1.0, 1))
    witness = good | {"weights": [1.0], "intercept": 0.0, "proof": {"method": "none"}}
    file.add("with intercept", "fewest-errors", tied, witness, positive=1)
    file.edges("with intercept", "intercept", -below(1.0), -1.0, "count")
    shifted = table((1.0, 1), (2.0, 0))
    file.add("without intercept", "fewest-errors", shifted, witness | {"intercept": None}, positive=1)
    file.vary("the constant is a column", "without intercept", {"intercept": 0.0}, "bound")
    return file


FILES = (
    mistakes_at_most,
    mistake_run,
    errors_at_most,
    errors_at_least,
    more_cones,
    circuit_proofs,
    fewest_errors,
)
