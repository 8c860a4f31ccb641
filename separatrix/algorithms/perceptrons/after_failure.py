"""When a method ends without a separating halfspace: ask whether there is one."""

from __future__ import annotations

from collections.abc import Callable

from separatrix.certificates import Certificate, Inseparable, Undecided
from separatrix.rows import Rows

SECONDS = 2.0  # what the answer may cost a fit that has ended, or as long as the fit itself took
SMALL = 1_000_000  # values: up to here the best margin is worth its price too


def inseparable_or_undecided(
    rows: Rows,
    positive: int,
    *,
    intercept: bool,
    reason: str,
    spent: float,
    prospect: Callable[[float, float], str],
) -> Certificate:
    """A certificate that no halfspace separates the rows, or `Undecided` with what is known beside the
    reason.

    ``spent`` is what the fit has cost so far, in seconds: the answer may cost as much again.
    ``prospect(radius, margin)`` says what the method can hope for on separable rows with this R, from above,
    and best margin, from below.
    """
    from separatrix.algorithms.separation import separate

    assert rows.classes is not None
    limit = max(SECONDS, spent)
    answer = separate(rows, positive=rows.classes[positive], intercept=intercept, time_limit=limit)
    if answer.conflict is not None:
        proof = next(c for c in answer.certificates if isinstance(c, Inseparable))
        return proof.bound_to(rows)
    if not answer.separable:
        return Undecided(f"{reason} Whether the rows are separable was not settled in {limit:.3g} s either.")
    known = "Yet a separating halfspace exists; sx.separate returns one"
    margin = answer.row_margin if rows.n_rows * rows.n_columns <= SMALL else None
    if margin is None or not margin.lower > 0:
        return Undecided(f"{reason} {known}.")
    hope = prospect(answer.radius, margin.lower)
    return Undecided(f"{reason} {known}. The best margin is {margin.lower:.6g}, {hope}.")
