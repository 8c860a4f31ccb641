"""Lower bounds on errors by cones.

The basis b_1, ..., b_r and the null vectors, on which every row is 0, span the space. So every halfspace w
is, up to null vectors, a sum of c_j·v_j with c_j >= 0, where each v_j is b_j or -b_j: it lies in one of the
2^r root cones. A root is cut by a new vertex

    v = l·v_j + r·v_k,   l, r > 0:                                                                      (1)

what was in the cone of the old vertices is in that with v for v_j or in that with v for v_k.

A row z has the scores s_j = z·v_j. None positive: the row is an error on the whole cone. None negative: it
is left out, which can only lower the bound. Two rows with scores s and t are never both right on the cone if

    a·s_j + b·t_j <= 0 for all j, with a, b > 0,                                                        (2)

so a pair adds up to as much as both rows still cost. The bound is the least over all leaves.

A tree is written as whole numbers, a node before its children: how many new pairs, how many shortened ones;
each new pair as row, row, a, e, amount, where a/2^e is the ratio of the multipliers; each shortened one as
its place among the pairs, and by how much; then -1 for a leaf, or j, k, l, r for a cut. A cut with l = 0 is
where row r scores 0. The child with v for v_j comes first. Pairs of rows that are both still open are handed
down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from .combinations import PRIMES, integer, rank
from .field_types import fields, listed, text
from .record import Refused
from .table import Unreadable

if TYPE_CHECKING:
    from .errors import Groups

FORMS = {
    "method": text,
    "basis": listed(listed(integer)),
    "null": listed(listed(integer)),
    "trees": listed(text),
}
TREE = re.compile("[-0-9 ]*")
MAX_SHIFT_BITS = 100_000  # bits by which a multiplier may be shifted: no proof needs nearly as many
Row = tuple[int, tuple[int, ...]]


class ReplayedCone(NamedTuple):
    """A node of a tree: the scores of the rows that are open on it, what its errors cost, and its pairs, each
    as row, row, amount."""

    scores: dict[int, tuple[int, ...]]
    cost: int
    pairs: list[tuple[int, int, int]]


def least_bound(
    scores: dict[int, list[int]], trees: Sequence[str], weights: dict[int, int], width: int
) -> int:
    """The least of all leaves; ``scores`` are those at the basis."""
    lowest = sum(weights.values())
    for root, tree in enumerate(trees):
        signs = [1 if root >> j & 1 else -1 for j in range(width)]
        rows = [(name, tuple(map(mul, signs, row))) for name, row in scores.items()]
        try:
            numbers = iter(tree_numbers(tree))
            lowest = min(lowest, *leaves(rows, numbers, weights, width))
            if next(numbers, None) is not None:
                raise Refused("A tree goes on after its end.")
        except (KeyError, IndexError):
            raise Refused("A tree names a row, a pair or a vertex that is not there.") from None
        except (StopIteration, RuntimeError):
            raise Refused("A tree ends too early.") from None
        except ValueError:
            raise Unreadable("A tree of the certificate is damaged.") from None
    return lowest


def tree_numbers(tree: str) -> list[int]:
    """What the text of a tree says."""
    if not TREE.fullmatch(tree):
        raise ValueError
    return list(map(int, tree.split()))


def cones(proof: dict[str, Any], groups: Groups, least: Callable[..., int] = least_bound) -> int:
    """The bound that the cones prove, what is paid in any case included."""
    proof = fields(proof, FORMS)
    basis, null = proof["basis"], proof["null"]
    width = len(next(iter(groups.rows.values()), basis[0] if basis else []))
    if any(len(vector) != width for vector in basis + null) or len(basis) + len(null) != width:
        raise Refused(f"Its basis is not one of {width} dimensions.")
    if all(rank(basis + null, prime) < width for prime in PRIMES):
        raise Refused("Its basis does not span the space.")
    if any(sum(map(mul, row, vector)) for vector in null for row in groups.rows.values()):
        raise Refused("A row is not 0 on a null vector.")
    if len(proof["trees"]) != 1 << len(basis):
        raise Refused(f"It has {len(proof['trees'])} trees; {1 << len(basis)} cones cover the space.")
    scores = {name: [sum(map(mul, row, v)) for v in basis] for name, row in groups.rows.items()}
    return groups.offset + least(scores, proof["trees"], groups.weights, len(basis))


def cone_of(rows: Iterator[Row], weights: dict[int, int]) -> ReplayedCone:
    """A cone without pairs, from the scores of its rows: those that it decides are left out or cost."""
    undecided, cost = {}, 0
    for name, scores in rows:
        if max(scores) <= 0:
            cost += weights[name]
        elif min(scores) < 0:
            undecided[name] = scores
    return ReplayedCone(undecided, cost, [])


def leaves(rows: list[Row], numbers: Iterator[int], weights: dict[int, int], width: int) -> Iterator[int]:
    """The bound of each leaf of one tree."""
    waiting = [cone_of(iter(rows), weights)]
    while waiting:
        cone = waiting.pop()
        new, shortened = next(numbers), next(numbers)
        add_pairs(cone, new, numbers)
        shorten_pairs(cone, shortened, numbers)
        if new or shortened:
            require_affordable(cone, weights)
        j = next(numbers)
        if j == -1:
            yield cone.cost + sum(amount for _, _, amount in cone.pairs)
        else:
            waiting += children(cone, j, numbers, weights, width)


def add_pairs(cone: ReplayedCone, count: int, numbers: Iterator[int]) -> None:
    """Read pairs of rows that are never both right on the cone."""
    for _ in range(count):
        i, k, a, e, amount = (next(numbers) for _ in range(5))
        if i == k or a <= 0 or abs(e) > MAX_SHIFT_BITS or amount < 0:
            raise Refused("A pair is none.")
        a, b = (a, 1 << e) if e >= 0 else (a << -e, 1)
        for s, t in zip(cone.scores[i], cone.scores[k], strict=True):
            if a * s + b * t > 0:  # against (2) above
                raise Refused(f"Rows {i} and {k} (counted from 0) can both be right in a cone.")
        cone.pairs.append((i, k, amount))


def shorten_pairs(cone: ReplayedCone, count: int, numbers: Iterator[int]) -> None:
    """Read by how much some pairs count less than they did."""
    for _ in range(count):
        place, less = next(numbers), next(numbers)
        i, k, amount = cone.pairs[place]
        if place < 0 or not 0 <= less <= amount:
            raise Refused("A pair is shortened by more than it has.")
        cone.pairs[place] = (i, k, amount - less)


def require_affordable(cone: ReplayedCone, weights: dict[int, int]) -> None:
    used = dict.fromkeys(cone.scores, 0)
    for i, k, amount in cone.pairs:
        used[i] += amount
        used[k] += amount
    if any(amount > weights[name] for name, amount in used.items()):
        raise Refused("The pairs of a row add up to more than it costs.")


def children(
    cone: ReplayedCone, j: int, numbers: Iterator[int], weights: dict[int, int], width: int
) -> Iterator[ReplayedCone]:
    """Both cones of a cut, the one with the new vertex for v_j last, so that it is taken first."""
    k, left, right = next(numbers), next(numbers), next(numbers)
    if left == 0:
        crossing = cone.scores[right]
        if crossing[j] * crossing[k] >= 0:
            raise Refused("A cut is made where its row does not change sides.")
        left, right = abs(crossing[k]), abs(crossing[j])
    if left <= 0 or right <= 0 or not (0 <= j < width and 0 <= k < width and j != k):
        raise Refused("A cut is not on an edge of its cone.")
    fresh = [(name, s, left * s[j] + right * s[k]) for name, s in cone.scores.items()]  # scores at (1)
    for changed in (k, j):
        rows = ((name, (*s[:changed], score, *s[changed + 1 :])) for name, s, score in fresh)
        child = cone_of(rows, weights)
        kept = [
            pair for pair in cone.pairs if pair[2] and pair[0] in child.scores and pair[1] in child.scores
        ]
        yield ReplayedCone(child.scores, cone.cost + child.cost, kept)
