"""What the cone kernel wrote, as a tree in whole numbers.

A tree only changes its form here: the kernel's error bound has settled its signs, and scores that it took for
0 are looked at one by one. Where one is not 0, or where doubles gave out, the tree is replayed in whole
numbers, and if a leaf turns out too cheap, the search goes on below it, in whole numbers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from separatrix.algorithms.zero_one.lower.conflicting_pairs import conflict, ratio_of, sides

if TYPE_CHECKING:
    from separatrix.algorithms.zero_one.lower.cones.cone_search import Field, Pass

Row = tuple[int, list[int]]  # place in the problem, scores at the vertices
Hint = tuple[int, int, int, int]  # places i and k, and ρ = a/2^e


class Split(NamedTuple):
    first: int
    second: int
    left: int  # multiplier of the first vertex; 0: the crossing of row `right`
    right: int


class Written(NamedTuple):
    """What the kernel wrote about one root."""

    root: int
    events: list[int]
    doubtful: bool  # some scores were taken for 0, or doubles gave out somewhere


class Mistaken(Exception):
    """A score that was taken for 0 is not."""


class Abandoned(Exception):
    """The time is up, and what is left to do in whole numbers would take much more."""


def confirmed(field: Field, tree: Written, effort: Pass) -> tuple[str, int]:
    """The tree as text, and its lowest leaf among those that were counted here, in whole numbers."""
    replay = Replay(field, effort)
    try:
        return " ".join(map(str, _tokens(field, tree, replay))), replay.lowest
    except Mistaken:
        replay = Replay(field, effort)
        return " ".join(map(str, replay.tokens(tree))), replay.lowest


def _tokens(field: Field, tree: Written, replay: Replay) -> Iterator[int]:
    """The kernel's events with amounts in full, and cuts as multipliers of whole-number vertices.

    Where scores were taken for 0, or doubles gave out, the vertices are followed in whole numbers. Each such
    score is looked at, and each such leaf is worked on.
    """
    coarse, events = field.coarse, tree.events
    corners = field.corners(tree.root) if tree.doubtful else []
    waiting = [([0] * field.dimension, corners)]
    at = 0
    while at < len(events):
        powers, corners = waiting.pop()
        pairs, cuts = events[at], events[at + 1]
        at += 2
        new = [events[at + 5 * p : at + 5 * p + 5] for p in range(pairs)]
        at += 5 * pairs
        less = [events[at + 2 * p : at + 2 * p + 2] for p in range(cuts)]
        at += 2 * cuts
        if events[at] == -2:
            at += 1
            yield from replay.go_on(corners, [(place, amount << coarse) for place, amount in less])
            continue
        yield pairs
        yield cuts
        for i, k, a, e, amount in new:
            yield from (i, k, a, field.exponent(i, k, e), amount << coarse)
        for place, amount in less:
            yield place
            yield amount << coarse
        if events[at] < 0:
            yield -1
            at += 1
            continue
        split, power = cut(field, events, at, powers)
        yield from split
        doubts = events[at + 6 : at + 6 + events[at + 5]]
        at += 6 + len(doubts)
        fresh: list[int] = []
        if tree.doubtful:
            fresh = _corner(field, split, corners)
            Z, place_of = field.problem.Z, field.place
            if any(sum(map(mul, Z[place_of[name]], fresh)) for name in doubts):
                raise Mistaken
        waiting.extend(
            (_with(powers, changed, power), _with(corners, changed, fresh))
            for changed in (split.second, split.first)
        )


def _with(values: list[Any], place: int, value: Any) -> list[Any]:
    """A copy with one entry changed; an empty list stays empty."""
    return [*values[:place], value, *values[place + 1 :]] if values else values


def _corner(field: Field, split: Split, corners: list[list[int]]) -> list[int]:
    """The new vertex in whole numbers."""
    j, k, left, right = split
    if left == 0:
        z = field.problem.Z[field.place[right]]
        left, right = abs(sum(map(mul, z, corners[k]))), abs(sum(map(mul, z, corners[j])))
    return [left * a + right * b for a, b in zip(corners[j], corners[k], strict=True)]


def cut(field: Field, events: list[int], at: int, powers: list[int]) -> tuple[Split, int]:
    """The split written at ``at``; vertex v of the kernel is the whole-number one over 2^powers[v]."""
    j, k, crossing, one, two = events[at : at + 5]
    if crossing:
        return Split(j, k, 0, one), two + field.shifts[field.place[one]] + powers[j] + powers[k]
    power = max(powers[j], powers[k])
    left = one << (power - powers[j])
    right = ((1 << two) - one) << (power - powers[k])
    low = (left | right) & -(left | right)
    return Split(j, k, left // low, right // low), power + two - low.bit_length() + 1


class Cone(NamedTuple):
    """Open rows with their scores at the corners, and what the decided ones cost."""

    rows: list[Row]
    base: int
    corners: list[list[int]]


class Replay:
    """One tree again, every score a whole number."""

    def __init__(self, field: Field, effort: Pass) -> None:
        self.field, self.effort = field, effort
        self.weights = field.problem.weights
        self.lowest = sum(field.problem.weights)

    def tokens(self, tree: Written) -> Iterator[int]:
        field, events = self.field, tree.events
        signs = field.signs(tree.root)
        rows = [(i, [s * a for s, a in zip(signs, row, strict=True)]) for i, row in enumerate(field.exact)]
        corners = field.corners(tree.root)
        root = Cone(*self._settled(rows, 0), corners)
        waiting: list[tuple[Cone, list[int], tuple[Hint, ...]]] = [(root, [0] * field.dimension, ())]
        at = 0
        while at < len(events):
            cone, powers, hints = waiting.pop()
            pairs, cuts = events[at], events[at + 1]
            found = [events[at + 2 + 5 * p : at + 6 + 5 * p] for p in range(pairs)]
            places = field.place
            hints = (
                *((places[i], places[k], a, field.exponent(i, k, e)) for i, k, a, e in reversed(found)),
                *hints,
            )
            at += 2 + 5 * pairs + 2 * cuts
            if events[at] < 0:  # also where doubles gave out
                at += 1
                yield from self._leaf(cone, hints)
                continue
            split, power = cut(field, events, at, powers)
            at += 6 + events[at + 5]
            yield 0
            yield 0
            yield from split
            for child, changed in zip(self._children(cone, split), (split.second, split.first), strict=True):
                waiting.append((child, _with(powers, changed, power), hints))

    def go_on(self, corners: list[list[int]], cuts: list[tuple[int, int]]) -> Iterator[int]:
        """Below a leaf at which doubles gave out; the pairs handed down to it are taken back first."""
        if self.effort.interval.overdue:
            raise Abandoned
        Z = self.field.problem.Z
        rows = [(i, [sum(map(mul, z, corner)) for corner in corners]) for i, z in enumerate(Z)]
        yield from self._leaf(Cone(*self._settled(rows, 0), corners), (), cuts)

    def _settled(self, rows: list[Row], base: int) -> tuple[list[Row], int]:
        """The rows still open, and what the others cost."""
        still = []
        for i, scores in rows:
            if max(scores) <= 0:
                base += self.weights[i]
            elif min(scores) < 0:
                still.append((i, scores))
        return still, base

    def _children(self, cone: Cone, split: Split) -> list[Cone]:
        """The second child, then the first: the order in which they are put aside."""
        j, k, left, right = split
        if left == 0:
            place = self.field.place[right]
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
            children.append(Cone(*self._settled(moved, cone.base), corners))
        return children

    def _leaf(
        self, cone: Cone, hints: tuple[Hint, ...], cuts: Sequence[tuple[int, int]] = ()
    ) -> Iterator[int]:
        """A leaf, or, where its bound falls short of the target, the search below it."""
        interval = self.effort.interval
        waiting = [cone]
        while waiting:
            if interval.overdue:
                raise Abandoned
            cone = waiting.pop()
            target = self.effort.full_target
            pairs, bound = self._pairs(cone, hints, target)
            if bound < target:
                cost = cone.base + sum(self.weights[i] for i, scores in cone.rows if sum(scores) <= 0)
                if cost < target and interval.offer(tuple(map(sum, zip(*cone.corners, strict=True)))):
                    target = self.effort.full_target
            stop = self.effort.cut_short or interval.should_stop(0)
            split = self._split(cone.rows) if bound < target and not stop else None
            names = self.field.problem.names
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
            waiting.extend(self._children(cone, split))

    def _pairs(
        self, cone: Cone, hints: tuple[Hint, ...], target: int
    ) -> tuple[list[tuple[int, int, int, int, int]], int]:
        left = {i: self.weights[i] for i, _ in cone.rows}
        scores = dict(cone.rows)
        chosen: list[tuple[int, int, int, int, int]] = []
        bound = cone.base
        for i, k, a, e in hints:
            if bound >= target:
                return chosen, bound
            if left.get(i, 0) and left.get(k, 0) and conflict(scores[i], scores[k], a, e):
                amount = min(left[i], left[k])
                left[i] -= amount
                left[k] -= amount
                bound += amount
                chosen.append((i, k, a, e, amount))
        if bound >= target or 2 * bound + sum(left.values()) < 2 * target:
            return chosen, bound
        ranked = sorted(scores, key=lambda i: -sum(s > 0 for s in scores[i]))
        above_below = {i: sides(scores[i]) for i in ranked}
        for x, i in enumerate(ranked):
            if self.effort.interval.should_stop():
                break
            above, below = above_below[i]
            for k in ranked[x + 1 :]:
                if not left[i] or bound >= target:
                    break
                if not left[k] or above & ~above_below[k][1] or above_below[k][0] & ~below:
                    continue
                ratio = ratio_of(scores[i], scores[k])
                if ratio is not None:
                    amount = min(left[i], left[k])
                    left[i] -= amount
                    left[k] -= amount
                    bound += amount
                    chosen.append((i, k, *ratio, amount))
        return chosen, bound

    def _split(self, rows: list[Row]) -> Split | None:
        """On the hyperplane of the row with the most zeros: it is settled after D − 1 such cuts at most."""
        if not rows:
            return None
        place, begun = max(rows, key=lambda row: (row[1].count(0), self.weights[row[0]]))
        edges = [
            (j, k)
            for j in range(len(begun) - 1)
            for k in range(j + 1, len(begun))
            if (begun[j] > 0 > begun[k]) or (begun[j] < 0 < begun[k])
        ]
        crossed = {
            (j, k): sum(self.weights[i] for i, s in rows if (s[j] > 0 > s[k]) or (s[j] < 0 < s[k]))
            for j, k in edges
        }
        j, k = max(edges, key=lambda edge: crossed[edge])
        return Split(j, k, 0, self.field.problem.names[place])
