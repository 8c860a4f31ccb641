"""When a method ends without a separating halfspace: ask whether there is one."""

from __future__ import annotations

import math

import numpy as np

from separatrix.algorithms.perceptrons.measured_margins import is_in_safe_range
from separatrix.algorithms.perceptrons.training import Run
from separatrix.certificates import Certificate, Inseparable, Undecided
from separatrix.messages import Message, PythonOnly

MIN_SEARCH_SECONDS = 2.0  # what the answer may cost a fit that has ended, or as long as the fit itself took
MAX_MARGIN_VALUES = 1_000_000  # values: up to here the best margin is worth its price too


def inseparable_or_undecided(run: Run) -> Certificate:
    """A certificate that no halfspace separates the rows, or `Undecided` with what is known beside the
    reason.

    The answer may cost as much again as the fit has cost so far.
    """
    from separatrix.algorithms.separation import separate

    rows, reason = run.rows, _describe_failure(run)
    assert rows.classes is not None
    time_limit = max(MIN_SEARCH_SECONDS, sum(finished.seconds for finished in run.passes))
    answer = separate(
        rows,
        positive=rows.classes[run.positive],
        intercept=bool(run.learner.constant),
        time_limit=time_limit,
    )
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
    given_margin = run.plan.factor.given_length(margin.lower)
    prospect = _describe_prospect(run, answer.radius, margin.lower)
    return Undecided(Message("{} {}. The best margin is {:.6g}, {}.", reason, known, given_margin, prospect))


def _describe_failure(run: Run) -> str:
    last_mistakes = run.passes[-1].mistakes if run.passes else 0
    failure = (
        f"After {len(run.passes)} passes and {run.learner.mistakes} mistakes "
        f"({last_mistakes} in the last pass) the weights still err on {run.errors} of {run.rows.n_rows} "
        "rows, so nothing is proven."
    )
    return Message("{}{}", failure, run.learner.advice(run))


def _describe_prospect(run: Run, radius: float, margin: float) -> str:
    """What the theorem says of further passes over rows that some halfspace has this margin on."""
    learner, plan = run.learner, run.plan
    if not is_in_safe_range(radius, margin):
        return "though in these units no bound on the mistakes of this run can be had in doubles"
    bound = learner.bound(radius, margin)
    if bound is None or not bound < math.inf:
        obstacle = "no theorem bounds" if bound is None else "no double holds the bound on"
        return f"though {obstacle} the mistakes of this run"
    outcome, bound_phrase = learner.prospect
    if isinstance(plan.order, np.ndarray):  # rows that are never visited may stay wrong
        outcome = "its mistakes come to an end"
    if plan.centre is not None:  # this is the margin of the rows where they are, not where it sees them
        return f"and {outcome}"
    return f"and {outcome}, {bound_phrase.format(_format_bound(bound))}"


def _format_bound(bound: float) -> str:
    """A bound in words: a whole number, and of long ones their length."""
    digits = len(str(int(bound)))
    return str(int(bound)) if digits <= 15 else f"10^{digits}"
