"""A lower bound on the number of errors from a tree of circuits.

A row z is an error of w iff z·w ≤ 0. Let h be 1 for an error and 0 for a right answer.

*Circuit.* Let P not be empty, and

    Σ_P λ z = Σ_N μ z   with λ, μ > 0.                                                                  (1)

No w is right on all of P and wrong on all of N: the left side times w would be positive and the right side
not. So Σ_P h + Σ_N (1 − h) ≥ 1 for every w.

*Leaf.* Some rows are fixed right, some wrong. Take whole numbers m ≥ 0, one for each circuit, a denominator
q > 0, and for each row r = q·weight − Σ m·(1 in P, −1 in N). Then q·(cost of w) = Σ q·weight·h ≥
Σ m·(1 − |N|) + Σ r·h, which is at least

    Σ m·(1 − |N|) + Σ_wrong r + Σ_free min(0, r).                                                       (2)

*Parts.* The proof has a tree for each of some parts. No row is spoken of in two of them, so the costs of the
parts add up, and their bounds do.

*Tree.* Written from the root down, right before wrong: the name of a row that is decided, or null for a leaf.
Every w is in some leaf, so the least bound of a leaf holds for every w; a cost is whole, so it is rounded up.

A circuit is written [P, N, multipliers], the multipliers in the order P, N. It may go without them: then the
rows must have one dependency alone, and it is solved for here (`dependency`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .dependency import cancel
from .field_types import any_whole, fields, listed, optional, positive, text, whole
from .record import Refused

Points = list[list[int]]


def circuits(proof: dict[str, Any], groups: Any, cancels: Callable[[Points], bool] = cancel) -> int:
    """The cost that the proof shows no halfspace to be below, what is paid in any case included."""
    parts = fields(proof, FORMS)
    total, named = groups.offset, set[int]()
    for record in parts["parts"]:
        tree = fields(record, PART)
        names = {name for name in tree["tree"] if name is not None}
        names.update(*(right + wrong for right, wrong, _ in tree["circuits"]))
        if named & names:
            raise Refused(f"Two parts speak of row {min(named & names)}.")
        if not groups.rows.keys() >= names:
            raise Refused(f"It speaks of row {min(names - groups.rows.keys())}, which is not there.")
        named |= names
        for place, circuit in enumerate(tree["circuits"]):
            _check(circuit, place, groups.rows, cancels)
        total += max(0, _least(tree, groups.weights, parts["denominator"]))
    return int(total)


def _check(
    circuit: tuple[list[int], list[int], list[int]],
    place: int,
    rows: dict[int, list[int]],
    cancels: Callable[[Points], bool],
) -> None:
    right, wrong, multipliers = circuit
    if not right or len({*right, *wrong}) < len(right) + len(wrong):
        raise Refused(f"Circuit {place} names no row that is right, or a row twice.")
    points = [rows[name] for name in right] + [[-value for value in rows[name]] for name in wrong]
    if multipliers:
        if len(multipliers) != len(points) or any(_combined(points, multipliers)):  # (1) above
            raise Refused(f"The multipliers of circuit {place} do not cancel its rows.")
    elif not cancels(points):
        raise Refused(f"The rows of circuit {place} do not cancel with positive multipliers.")


def _least(tree: dict[str, Any], weights: dict[int, int], denominator: int) -> int:
    """The least bound of a leaf, rounded up."""
    bounds = []
    leaves, entries = iter(tree["leaves"]), iter(tree["tree"])
    stack: list[dict[int, bool]] = [{}]
    while stack:
        decided = stack.pop()
        name = _next(entries, "The tree ends too early.")
        if name is None:
            leaf = _next(leaves, "A leaf lacks its multipliers.")
            bounds.append(_bound(leaf, tree["circuits"], decided, weights, denominator))
        elif name in decided:
            raise Refused(f"The tree decides row {name} twice.")
        else:
            stack.append({**decided, name: True})  # wrong
            stack.append({**decided, name: False})
    if next(entries, _END) is not _END or next(leaves, _END) is not _END:
        raise Refused("The tree is complete and yet goes on.")
    return -(-min(bounds) // denominator)


def _bound(
    leaf: tuple[list[int], list[int]],
    known: list[tuple[list[int], list[int], list[int]]],
    decided: dict[int, bool],
    weights: dict[int, int],
    denominator: int,
) -> int:
    """What the multipliers of a leaf prove, times the denominator: (2) above."""
    places, multipliers = leaf
    if len(places) != len(multipliers) or any(place >= len(known) for place in places):
        raise Refused("A leaf names a circuit that is not there.")
    total = 0
    rest: dict[int, int] = {}
    for place, m in zip(places, multipliers, strict=True):
        right, wrong, _ = known[place]
        total += m * (1 - len(wrong))
        for name in right:
            rest[name] = rest.get(name, 0) - m
        for name in wrong:
            rest[name] = rest.get(name, 0) + m
    for name, is_wrong in decided.items():
        change = rest.pop(name, 0)
        if is_wrong:
            total += denominator * weights[name] + change
    return total + sum(min(0, denominator * weights[name] + change) for name, change in rest.items())


def _combined(points: list[list[int]], multipliers: list[int]) -> list[int]:
    return [
        sum(m * a for m, a in zip(multipliers, column, strict=True)) for column in zip(*points, strict=True)
    ]


_END = object()


def _next(values: Iterator[Any], complaint: str) -> Any:
    value = next(values, _END)
    if value is _END:
        raise Refused(complaint)
    return value


def _circuit(value: Any) -> tuple[list[int], list[int], list[int]]:
    right, wrong, multipliers = value
    return listed(whole)(right), listed(whole)(wrong), listed(positive)(multipliers)


def _leaf(value: Any) -> tuple[list[int], list[int]]:
    places, multipliers = value
    return listed(whole)(places), listed(any_whole)(multipliers)


FORMS = {"method": text, "denominator": positive, "parts": listed(lambda part: part)}
PART = {"circuits": listed(_circuit), "tree": listed(optional(whole)), "leaves": listed(_leaf)}
