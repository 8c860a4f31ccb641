"""What the cone kernel wrote, as a tree in whole numbers.

A tree only changes its form here: the kernel's error bound has settled its signs, and scores that it took for
0 are looked at one by one. Where one is not 0, or where doubles gave out, the tree is replayed in whole
numbers, and if a leaf turns out too cheap, the search goes on below it, in whole numbers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from separatrix.algorithms.zero_one.lower.conflicting_pairs import find_ratio, find_sides, is_conflict

if TYPE_CHECKING:
    from separatrix.algorithms.zero_one.lower.cones.cone_search import BasisCoordinates, ConeSweep

Row = tuple[int, list[int]]  # place in the problem, scores at the vertices
Hint = tuple[int, int, int, int]  # places i and k, and ρ = a/2^e


class ConeSplit(NamedTuple):
    first: int
    second: int
    left: int  # multiplier of the first vertex; 0: the crossing of row `right`
    right: int


class KernelTree(NamedTuple):
    """What the kernel wrote about one root."""

    root: int
    events: list[int]
    doubtful: bool  # some scores were taken for 0, or doubles gave out somewhere


class NonzeroScore(Exception):
    """A score that was taken for 0 is not."""


class Abandoned(Exception):
    """The time is up, and what is left to do in whole numbers would take much more."""


def confirm_tree(coordinates: BasisCoordinates, tree: KernelTree, sweep: ConeSweep) -> tuple[str, int]:
    """The tree as text, and its lowest leaf among those that were counted here, in whole numbers."""
    replay = ExactReplay(coordinates, sweep)
    try:
        return " ".join(map(str, _write_tokens(coordinates, tree, replay))), replay.lowest
    except NonzeroScore:
        replay = ExactReplay(coordinates, sweep)
        return " ".join(map(str, replay.write_tokens(tree))), replay.lowest


def _write_tokens(coordinates: BasisCoordinates, tree: KernelTree, replay: ExactReplay) -> Iterator[int]:
    """The kernel's events with amounts in full, and cuts as multipliers of whole-number vertices.

    Where scores were taken for 0, or doubles gave out, the vertices are followed in whole numbers. Each such
    score is looked at, and each such leaf is worked on.
    """
    cost_shift, events = coordinates.cost_shift, tree.events
    corners = coordinates.find_corners(tree.root) if tree.doubtful else []
    pending = [([0] * coordinates.dimension, corners)]
    at = 0
    while at < len(events):
        powers, corners = pending.pop()
        pairs, cuts = events[at], events[at + 1]
        at += 2
        new_pairs = [events[at + 5 * p : at + 5 * p + 5] for p in range(pairs)]
        at += 5 * pairs
        shortened = [events[at + 2 * p : at + 2 * p + 2] for p in range(cuts)]
        at += 2 * cuts
        if events[at] == -2:
            at += 1
            yield from replay.search_below(
                corners, [(place, amount << cost_shift) for place, amount in shortened]
            )
            continue
        yield pairs
        yield cuts
        for i, k, a, e, amount in new_pairs:
            yield from (i, k, a, coordinates.shift_exponent(i, k, e), amount << cost_shift)
        for place, amount in shortened:
            yield place
            yield amount << cost_shift
        if events[at] < 0:
            yield -1
            at += 1
            continue
        split, power = read_cut(coordinates, events, at, powers)
        yield from split
        doubtful_names = events[at + 6 : at + 6 + events[at + 5]]
        at += 6 + len(doubtful_names)
        new_corner: list[int] = []
        if tree.doubtful:
            new_corner = _make_corner(coordinates, split, corners)
            Z, place_of = coordinates.problem.Z, coordinates.places
            if any(sum(map(mul, Z[place_of[name]], new_corner)) for name in doubtful_names):
                raise NonzeroScore
        pending.extend(
            (_replace(powers, changed, power), _replace(corners, changed, new_corner))
            for changed in (split.second, split.first)
        )


def _replace(values: list[Any], place: int, value: Any) -> list[Any]:
    """A copy with one entry changed; an empty list stays empty."""
    return [*values[:place], value, *values[place + 1 :]] if values else values


def _make_corner(coordinates: BasisCoordinates, split: ConeSplit, corners: list[list[int]]) -> list[int]:
    """The new vertex in whole numbers."""
    j, k, left, right = split
    if left == 0:
        z = coordinates.problem.Z[coordinates.places[right]]
        left, right = abs(sum(map(mul, z, corners[k]))), abs(sum(map(mul, z, corners[j])))
    return [left * a + right * b for a, b in zip(corners[j], corners[k], strict=True)]


def read_cut(
    coordinates: BasisCoordinates, events: list[int], at: int, powers: list[int]
) -> tuple[ConeSplit, int]:
    """The split written at ``at``; vertex v of the kernel is the whole-number one over 2^powers[v]."""
    j, k, is_crossing, one, two = events[at : at + 5]
    if is_crossing:
        shift = coordinates.shifts[coordinates.places[one]]
        return ConeSplit(j, k, 0, one), two + shift + powers[j] + powers[k]
    power = max(powers[j], powers[k])
    left = one << (power - powers[j])
    right = ((1 << two) - one) << (power - powers[k])
    low = (left | right) & -(left | right)
    return ConeSplit(j, k, left // low, right // low), power + two - low.bit_length() + 1


class Cone(NamedTuple):
    """Open rows with their scores at the corners, and what the decided ones cost."""

    rows: list[Row]
    base: int
    corners: list[list[int]]


class ExactReplay:
    """One tree again, every score a whole number."""

    def __init__(self, coordinates: BasisCoordinates, sweep: ConeSweep) -> None:
        self.coordinates, self.sweep = coordinates, sweep
        self.weights = coordinates.problem.weights
        self.lowest = sum(coordinates.problem.weights)

    def write_tokens(self, tree: KernelTree) -> Iterator[int]:
        coordinates, events = self.coordinates, tree.events
        signs = coordinates.find_signs(tree.root)
        rows = [
            (i, [s * a for s, a in zip(signs, row, strict=True)]) for i, row in enumerate(coordinates.exact)
        ]
        corners = coordinates.find_corners(tree.root)
        root = Cone(*self._find_open_rows(rows, 0), corners)
        pending: list[tuple[Cone, list[int], tuple[Hint, ...]]] = [(root, [0] * coordinates.dimension, ())]
        at = 0
        while at < len(events):
            cone, powers, hints = pending.pop()
            pairs, cuts = events[at], events[at + 1]
            found = [events[at + 2 + 5 * p : at + 6 + 5 * p] for p in range(pairs)]
            places = coordinates.places
            hints = (
                *(
                    (places[i], places[k], a, coordinates.shift_exponent(i, k, e))
                    for i, k, a, e in reversed(found)
                ),
                *hints,
            )
            at += 2 + 5 * pairs + 2 * cuts
            if events[at] < 0:  # also where doubles gave out
                at += 1
                yield from self._search_leaf(cone, hints)
                continue
            split, power = read_cut(coordinates, events, at, powers)
            at += 6 + events[at + 5]
            yield 0
            yield 0
            yield from split
            for child, changed in zip(
                self._make_children(cone, split), (split.second, split.first), strict=True
            ):
                pending.append((child, _replace(powers, changed, power), hints))

    def search_below(self, corners: list[list[int]], cuts: list[tuple[int, int]]) -> Iterator[int]:
        """Below a leaf at which doubles gave out; the pairs handed down to it are taken back first."""
        if self.sweep.interval.overdue:
            raise Abandoned
        Z = self.coordinates.problem.Z
        rows = [(i, [sum(map(mul, z, corner)) for corner in corners]) for i, z in enumerate(Z)]
        yield from self._search_leaf(Cone(*self._find_open_rows(rows, 0), corners), (), cuts)

    def _find_open_rows(self, rows: list[Row], base: int) -> tuple[list[Row], int]:
        """The rows still open, and what the others cost."""
        open_rows = []
        for i, scores in rows:
            if max(scores) <= 0:
                base += self.weights[i]
            elif min(scores) < 0:
                open_rows.append((i, scores))
        return open_rows, base

    def _make_children(self, cone: Cone, split: ConeSplit) -> list[Cone]:
        """The second child, then the first: the order in which they are put aside."""
        j, k, left, right = split
        if left == 0:
            place = self.coordinates.places[right]
            scores = next(scores for i, scores in cone.rows if i == place)
            left, right = abs(scores[k]), abs(scores[j])
        new = [left * scores[j] + right * scores[k] for _, scores in cone.rows]
        corner = [left * a + right * b for a, b in zip(cone.corners[j], cone.corners[k], strict=True)]
        children = []
        for changed in (k, j):
            moved = [
                (i, [*scores[:changed], s, *scores[changed + 1 :]])
                for (i, scores), s in zip(cone.rows, new, strict=True)
            ]
            corners = [*cone.corners[:changed], corner, *cone.corners[changed + 1 :]]
            children.append(Cone(*self._find_open_rows(moved, cone.base), corners))
        return children

    def _search_leaf(
        self, cone: Cone, hints: tuple[Hint, ...], cuts: Sequence[tuple[int, int]] = ()
    ) -> Iterator[int]:
        """A leaf, or, where its bound falls short of the target, the search below it."""
        interval = self.sweep.interval
        pending = [cone]
        while pending:
            if interval.overdue:
                raise Abandoned
            cone = pending.pop()
            target = self.sweep.full_target
            pairs, bound = self._pair_rows(cone, hints, target)
            if bound < target:
                cost = cone.base + sum(self.weights[i] for i, scores in cone.rows if sum(scores) <= 0)
                if cost < target and interval.offer(tuple(map(sum, zip(*cone.corners, strict=True)))):
                    target = self.sweep.full_target
            stop = self.sweep.cut_short or interval.should_stop(0)
            split = self._choose_split(cone.rows) if bound < target and not stop else None
            names = self.coordinates.problem.names
            pairs = pairs if split is None else []
            yield len(pairs)
            yield len(cuts)
            for i, k, a, e, amount in pairs:
                yield from (names[i], names[k], a, e, amount)
            for place_and_amount in cuts:
                yield from place_and_amount
            cuts = ()
            if split is None:
                self.lowest = min(self.lowest, bound)
                yield -1
                continue
            interval.should_stop(1)
            yield from split
            pending.extend(self._make_children(cone, split))

    def _pair_rows(
        self, cone: Cone, hints: tuple[Hint, ...], target: int
    ) -> tuple[list[tuple[int, int, int, int, int]], int]:
        unpaired_costs = {i: self.weights[i] for i, _ in cone.rows}
        scores = dict(cone.rows)
        chosen: list[tuple[int, int, int, int, int]] = []
        bound = cone.base
        for i, k, a, e in hints:
            if bound >= target:
                return chosen, bound
            if (
                unpaired_costs.get(i, 0)
                and unpaired_costs.get(k, 0)
                and is_conflict(scores[i], scores[k], a, e)
            ):
                amount = min(unpaired_costs[i], unpaired_costs[k])
                unpaired_costs[i] -= amount
                unpaired_costs[k] -= amount
                bound += amount
                chosen.append((i, k, a, e, amount))
        if bound >= target or 2 * bound + sum(unpaired_costs.values()) < 2 * target:
            return chosen, bound
        ranked = sorted(scores, key=lambda i: -sum(s > 0 for s in scores[i]))
        above_below = {i: find_sides(scores[i]) for i in ranked}
        for x, i in enumerate(ranked):
            if self.sweep.interval.should_stop():
                break
            above, below = above_below[i]
            for k in ranked[x + 1 :]:
                if not unpaired_costs[i] or bound >= target:
                    break
                if not unpaired_costs[k] or above & ~above_below[k][1] or above_below[k][0] & ~below:
                    continue
                ratio = find_ratio(scores[i], scores[k])
                if ratio is not None:
                    amount = min(unpaired_costs[i], unpaired_costs[k])
                    unpaired_costs[i] -= amount
                    unpaired_costs[k] -= amount
                    bound += amount
                    chosen.append((i, k, *ratio, amount))
        return chosen, bound

    def _choose_split(self, rows: list[Row]) -> ConeSplit | None:
        """On the hyperplane of the row with the most zeros: it is settled after D − 1 such cuts at most."""
        if not rows:
            return None
        place, row_scores = max(rows, key=lambda row: (row[1].count(0), self.weights[row[0]]))
        edges = [
            (j, k)
            for j in range(len(row_scores) - 1)
            for k in range(j + 1, len(row_scores))
            if (row_scores[j] > 0 > row_scores[k]) or (row_scores[j] < 0 < row_scores[k])
        ]
        crossed = {
            (j, k): sum(self.weights[i] for i, s in rows if (s[j] > 0 > s[k]) or (s[j] < 0 < s[k]))
            for j, k in edges
        }
        j, k = max(edges, key=lambda edge: crossed[edge])
        return ConeSplit(j, k, 0, self.coordinates.problem.names[place])
