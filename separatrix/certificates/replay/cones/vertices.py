"""Vertices of cones, in whole numbers where doubles do not suffice."""

from __future__ import annotations

from math import inf, ldexp
from operator import mul

from separatrix.certificates.replay.cones.forest import NotReplayable

MAX_KEPT_BITS = 10**8  # bits of all whole numbers that are kept


class Vertices:
    """The vertices of all cones by number, to be made in whole numbers where that is asked for.

    The first are those of the basis, then their opposites. The double of a score is near the whole number
    over 2 to the ``powers`` of its vertex.
    """

    def __init__(self, rows: list[list[int]], width: int, power: int) -> None:
        self.rows = rows
        self.powers = [power] * (2 * width)
        self._cuts: list[tuple[int, int, int, int]] = []
        self._made = {
            b + width * side: [(1 - 2 * side) * (b == c) for c in range(width)]
            for b in range(width)
            for side in (0, 1)
        }
        self._basis = 2 * width
        self._bits = 0

    def add(self, first: int, second: int, left: int, right: int, power: int) -> int:
        """A new one, l·first + r·second; l = 0: where row r, by place, scores 0. Returns its number."""
        self.powers.append(power)
        self._cuts.append((first, second, left, right))
        return len(self.powers) - 1

    def score(self, row: int, vertex: int) -> int:
        """In whole numbers."""
        return sum(map(mul, self.rows[row], self._whole(vertex)))

    def _whole(self, vertex: int) -> list[int]:
        waiting = [vertex]
        while waiting:
            v = waiting[-1]
            if v in self._made:
                waiting.pop()
                continue
            first, second, left, right = self._cuts[v - self._basis]
            missing = [end for end in (first, second) if end not in self._made]
            if missing:
                waiting += missing
                continue
            ends = self._made[first], self._made[second]
            if left == 0:
                row = self.rows[right]
                left, right = (abs(sum(map(mul, row, end))) for end in reversed(ends))
            self._made[v] = [left * a + right * b for a, b in zip(*ends, strict=True)]
            self._bits += sum(value.bit_length() for value in self._made[v])
            if self._bits > MAX_KEPT_BITS:
                raise NotReplayable
        return self._made[vertex]


def scaled(value: int, power: int) -> float:
    """Value times 2 to a power, to a share of 1.001·2⁻⁵³; 0 or inf where that is out of reach."""
    extra = max(0, value.bit_length() - 64)
    try:
        return ldexp(value >> extra, power + extra)
    except OverflowError:
        return inf
