"""The proof of a gap: both ends of the least objective, and the weights that bring them closest.

**Idea.** The objective of some weights is an upper end of the least one, a dual bound is a lower end. Each
chapter encloses both in exact or interval arithmetic. (1) The relative gap is (upper − lower)/upper.

**Certificate.** A claim with both ends, or `Undecided` where they leave the range of doubles. Other libraries
for products of matrices round otherwise, so (2) both ends give way by a share of the objective before they
are written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nextafter
from typing import Any, TypeVar

from separatrix.certificates import Undecided

MAX_OBJECTIVE_VALUE = 1e308
SLACK_SHARE = 1e-12  # of the objective
TOO_LARGE_REASON = (
    "The objective or its error bound is too large for doubles: multiply the columns or row weights by a "
    "power of ten."
)

S = TypeVar("S")


def widen_ends(upper: float, lower: float) -> dict[str, float] | None:
    """The ends of a certificate, (2) above; None where the objective leaves the range of doubles."""
    slack = SLACK_SHARE * upper
    if not upper + slack < MAX_OBJECTIVE_VALUE:
        return None
    return {"upper": nextafter(upper + slack, inf), "lower": max(0.0, nextafter(lower - slack, -inf))}


def get_gap(certificate: Any) -> float:
    """(1) above; infinite where nothing is proven."""
    return inf if isinstance(certificate, Undecided) else float(certificate.gap)


def choose_smallest_gap(attempts: Iterable[tuple[S, Any]], tol: float) -> tuple[S, Any]:
    """The first solution whose certificate has a gap of at most ``tol``, else that with the smallest gap.

    Attempts are made one by one; none is made after the one that is chosen for its gap.
    """
    best: tuple[S, Any] | None = None
    for solution, certificate in attempts:
        if best is None or get_gap(certificate) < get_gap(best[1]):
            best = solution, certificate
        if get_gap(certificate) <= tol:
            break
    assert best is not None
    return best


def describe_gap(certificate: Any) -> dict[str, float]:
    """What a fitted model says of its gap."""
    if isinstance(certificate, Undecided):
        return {"gap": inf, "objective": inf, "lower_bound": 0.0}
    return {
        "gap": float(certificate.gap),
        "objective": float(certificate.upper),
        "lower_bound": float(certificate.lower),
    }
