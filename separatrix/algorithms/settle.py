"""When a method ends without a separating halfspace: ask whether there is one."""

from __future__ import annotations

from separatrix.certificates import Certificate, Inseparable, Undecided
from separatrix.rows import Rows

SECONDS = 20.0  # the most that the answer may cost a fit that has ended


def settle(rows: Rows, positive: int, *, intercept: bool, reason: str) -> Certificate:
    """A certificate that no halfspace separates the rows; or `Undecided`, with what is known beside the
    reason."""
    from separatrix.algorithms.separation import separate

    assert rows.classes is not None
    answer = separate(rows, positive=rows.classes[positive], intercept=intercept, time_limit=SECONDS)
    if answer.conflict is not None:
        proof = next(c for c in answer.certificates if isinstance(c, Inseparable))
        return proof.bound_to(rows)
    margin, bound = answer.row_margin, answer.mistake_bound
    if margin is not None:
        known = (
            f"Yet a separating halfspace exists, with a margin of {margin.lower:.6g}; sx.separate returns one"
        )
        known += (
            f", and enough passes find one, after at most {_counted(bound)} mistakes."
            if bound is not None
            else "."
        )
        return Undecided(f"{reason} {known}")
    return Undecided(f"{reason} Whether the rows are separable was not settled in {SECONDS:g} s either.")


def _counted(bound: int) -> str:
    digits = len(str(bound))
    return str(bound) if digits <= 15 else f"10^{digits}"
