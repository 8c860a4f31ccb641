"""When a method ends without a separating halfspace: ask whether there is one."""

from __future__ import annotations

from collections.abc import Callable

from separatrix.certificates import Certificate, Inseparable, Undecided
from separatrix.messages import Message, PythonOnly
from separatrix.rows import Rows

MIN_SEARCH_SECONDS = 2.0  # what the answer may cost a fit that has ended, or as long as the fit itself took
MAX_MARGIN_VALUES = 1_000_000  # values: up to here the best margin is worth its price too


def inseparable_or_undecided(
    rows: Rows,
    positive: int,
    *,
    intercept: bool,
    reason: str,
    seconds_spent: float,
    describe_prospect: Callable[[float, float], str],
) -> Certificate:
    """A certificate that no halfspace separates the rows, or `Undecided` with what is known beside the
    reason.

    ``seconds_spent`` is what the fit has cost so far, in seconds: the answer may cost as much again.
    ``describe_prospect(radius, margin)`` says what the method can hope for on separable rows with this R,
    from above, and best margin, from below.
    """
    from separatrix.algorithms.separation import separate

    assert rows.classes is not None
    time_limit = max(MIN_SEARCH_SECONDS, seconds_spent)
    answer = separate(rows, positive=rows.classes[positive], intercept=intercept, time_limit=time_limit)
    if answer.conflict is not None:
        proof = next(c for c in answer.certificates if isinstance(c, Inseparable))
        return proof.bound_to(rows)
    if not answer.separable:
        unsettled = f"Whether the rows are separable was not settled in {time_limit:.3g} s either."
        return Undecided(Message("{} {}", reason, unsettled))
    known = Message("Yet a separating halfspace exists{}", PythonOnly("; sx.separate returns one"))
    margin = answer.row_margin if rows.n_rows * rows.n_columns <= MAX_MARGIN_VALUES else None
    if margin is None or not margin.lower > 0:
        return Undecided(Message("{} {}.", reason, known))
    prospect = describe_prospect(answer.radius, margin.lower)
    return Undecided(Message("{} {}. The best margin is {:.6g}, {}.", reason, known, margin.lower, prospect))
