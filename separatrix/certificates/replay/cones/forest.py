"""What the text of a proof by cones says, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from separatrix.certificates.check.errors_cone import MAX_SHIFT_BITS, tree_numbers
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable

ABSENT = "A tree names a row, a pair or a vertex that is not there."


class NotReplayable(Exception):
    """Numbers of a length that doubles do not hold."""


class Cut(NamedTuple):
    """An edge, and the multipliers of its two ends; 0 and a row's name where that row scores 0."""

    first: int
    second: int
    left: int
    right: int


class Forest:
    """The trees as they are written: nodes in the order of the text, with what each says.

    ``children`` has two numbers a node, -1 where it is a leaf; ``pairs`` and ``shortened`` where the node's
    own begin. Of a pair, ``rows`` has two names, ``ratios`` what the scores of the first are multiplied by,
    and ``multipliers`` and ``powers`` the whole numbers of that.
    """

    def __init__(self, trees: Sequence[str], width: int) -> None:
        self.roots: list[int] = []
        self.cuts: list[Cut | None] = []
        self._children: list[list[int]] = []
        self._pairs, self._shortened = [0], [0]
        self._new: list[int] = []
        self._less: list[int] = []
        for tree in trees:
            try:
                numbers = tree_numbers(tree)
            except ValueError:
                raise Unreadable("A tree of the certificate is damaged.") from None
            try:
                end = self._plant(numbers, width)
            except (IndexError, TypeError):
                raise Refused("A tree ends too early.") from None
            if end < len(numbers):
                raise Refused("A tree goes on after its end.")
        self.multipliers = self._new[2::5]
        try:
            self.children = np.array(self._children, np.int64).reshape(-1, 2)
            self.pairs, self.shortened = np.array(self._pairs), np.array(self._shortened)
            self.rows, self.powers, self.amounts = self._columns(0, 1), *self._columns(3, 4).T
            self.less = np.array(self._less, np.int64).reshape(-1, 2)
            multipliers = np.array(self.multipliers, np.float64)
        except OverflowError:
            raise NotReplayable from None
        if (self.rows[:, 0] == self.rows[:, 1]).any() or min(*self.multipliers, 1, 1) <= 0:
            raise Refused("A pair is none.")
        if (
            self.amounts.min(initial=0) < 0
            or ((self.powers < -MAX_SHIFT_BITS) | (self.powers > MAX_SHIFT_BITS)).any()
        ):
            raise Refused("A pair is none.")
        with np.errstate(all="ignore"):
            self.ratios = np.ldexp(multipliers, -self.powers)

    def _columns(self, *places: int) -> np.ndarray:
        """What stands in these places of each pair."""
        return np.array([self._new[place::5] for place in places], np.int64).T

    def _plant(self, numbers: list[int], width: int) -> int:
        """One tree; returns where it ends."""
        at = 0
        parents: list[tuple[int, int]] = [(-1, 0)]
        while parents:
            parent, place = parents.pop()
            node = len(self.cuts)
            if parent < 0:
                self.roots.append(node)
            else:
                self._children[parent][place] = node
            middle = at + 2 + 5 * max(numbers[at], 0)
            end = middle + 2 * max(numbers[at + 1], 0)
            self._new += numbers[at + 2 : middle]
            self._less += numbers[middle:end]
            at = end
            self._pairs.append(len(self._new) // 5)
            self._shortened.append(len(self._less) // 2)
            self._children.append([-1, -1])
            if numbers[at] == -1:
                at += 1
                self.cuts.append(None)
                continue
            cut = Cut(*numbers[at : at + 4])
            at += 4
            if not (0 <= cut.first < width and 0 <= cut.second < width and cut.first != cut.second):
                raise Refused("A cut is not on an edge of its cone.")
            if cut.left < 0 or (cut.left > 0 and cut.right <= 0):
                raise Refused("A cut is not on an edge of its cone.")
            if cut.left == 0 and not 0 <= cut.right < 2**62:
                raise Refused(ABSENT)
            self.cuts.append(cut)
            parents += ((node, 1), (node, 0))
        return at
