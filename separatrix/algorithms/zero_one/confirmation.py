"""The lower end that its own proof confirms: nothing else is claimed.

The engines decide in floats with error bounds, and in whole numbers where these do not suffice. Here the
proof that they wrote is replayed as `ErrorsAtLeast.verify` replays it. Only the multipliers of circuits are
not solved for again: that was done exactly before a circuit was used, and takes longer than all the rest.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.certificates.check.errors import Groups, lower_bound
from separatrix.certificates.check.errors_circuits import circuits
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.claims.errors import FAST_METHODS

FAST_CHECKS = {**FAST_METHODS, "circuits": partial(circuits, cancels=lambda points: True)}


def confirm(interval: ErrorInterval) -> None:
    """Lower the lower end to what its proof shows; to what is paid in any case where the proof is refused."""
    problem, proof = interval.problem, interval.proof
    try:
        proven = lower_bound(_drop_multipliers(proof), to_groups(problem), FAST_CHECKS)
    except (Refused, Unreadable):
        proven, proof = problem.offset, {"method": "none"}
    if proven < interval.lower:
        interval.retract(proven, proof)


def to_groups(problem: ReducedProblem) -> Groups:
    """The rows that a proof speaks of."""
    rows = {name: list(z) for name, z in zip(problem.names, problem.Z, strict=True)}
    return Groups(rows, dict(zip(problem.names, problem.weights, strict=True)), problem.offset)


def _drop_multipliers(proof: dict[str, Any]) -> dict[str, Any]:
    if proof["method"] != "circuits":
        return proof
    parts = [
        {**part, "circuits": [[right, wrong, []] for right, wrong, _ in part["circuits"]]}
        for part in proof["parts"]
    ]
    return {**proof, "parts": parts}
