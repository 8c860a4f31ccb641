"""The replay of `check.errors_cone` in arrays: the same trees and refusals, many nodes at a time.

**Scores.** A score at a vertex is kept as a double near the exact one over 2^p, p a whole number of the
vertex, with a bound on its error; 0 with an error of 0 is exact. A cut makes the score a·s + b·t of two,
where a and b, rounded or read off a row's scores, are known up to da and db. With u = 2⁻⁵³, products and sum
rounded, it is off by at most

    a·ds + b·dt + da(|s| + ds) + db(|t| + dt) + 2u(a|s| + b|t|)(1 + …),                                 (1)

which is computed larger than that. 2^p is chosen so that a + b ≤ 1 + u: no score is much above 1 in size.
Underflow takes 2⁻¹⁰⁷⁴ from a product at most; TINY is added to every error that is not 0.

**Signs.** A sign counts only beyond the error. Where it is within, the vertex is made in whole numbers, as
the cuts say, and the score too. The same goes for the condition of a pair,

    a·s + b·t ≤ 0.                                                                                      (2)

So nothing is decided in doubles that whole numbers would decide otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.certificates.check.errors_cone import least_bound
from separatrix.certificates.replay.cones.forest import Forest, NotReplayable
from separatrix.certificates.replay.cones.replay import ForestReplay

__all__ = ["least"]

MAX_EXACT_COST = 2**52  # costs up to here, and their sums, are exact in doubles


def least(scores: dict[int, list[int]], trees: Sequence[str], weights: dict[int, int], width: int) -> int:
    """What `least_bound` returns, or a refusal."""
    if scores and width and sum(weights.values()) < MAX_EXACT_COST:
        try:
            return ForestReplay(scores, weights, Forest(trees, width), width).least()
        except NotReplayable:
            pass
    return least_bound(scores, trees, weights, width)
