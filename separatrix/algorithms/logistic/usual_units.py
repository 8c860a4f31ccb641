"""Logistic regression of rows in extreme units: a fit of 2^k times the rows, whose answer is scaled back.

**Idea.** With x′ = 2^k·x and w′ = 2^(−k)·w all scores stay. (1) ½‖w‖² + C Σ v·loss is 4^k times
½‖w′‖² + C′ Σ v·loss with C′ = C/4^k. (2) The determinant of the information in Firth's penalty is 4^(−kd)
times that of x′ with d columns.

**Certificate.** That of the weights for the rows as given, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import frexp, isinf, log
from typing import Any

import numpy as np

from separatrix.algorithms.convex.gap_proof import describe_gap
from separatrix.algorithms.logistic.certificate import certify
from separatrix.algorithms.logistic.divided_objective import find_cost_exponent
from separatrix.algorithms.logistic.existence import scale_to_doubles
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.algorithms.logistic.solver import SolverOptions
from separatrix.certificates import JointLikelihoodWithin, LikelihoodWithin
from separatrix.fitting import Solution
from separatrix.fitting.common_factor import CommonFactor, find_size_exponent, ldexp
from separatrix.fitting.whole_numbers import to_whole_numbers
from separatrix.rows import Rows

MAX_COST_EXPONENT = 1000  # beyond 2^1000 no penalty is felt

Solve = Callable[[Rows, int, SolverOptions, np.ndarray | None], Solution]


def solve_in_usual_units(
    solve: Solve, rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None
) -> Solution:
    """The solution of these rows, by a fit of 2^k times the rows where their sizes are unusual."""
    factor = CommonFactor(_choose_exponent(rows, options.C), degree=-1, has_intercept=True)
    if not factor.exponent:
        return solve(rows, positive, options, start)
    start = None if start is None else factor.scaled_weights(start)
    scaled_options = replace(options, C=_scale_cost(options.C, factor.exponent))
    solution = solve(factor.scaled_rows(rows), positive, scaled_options, start)
    weights = factor.given_weights(solution.weights)
    if not np.isfinite(weights).all():
        refuse_overflow(rows)
    cost_shift = frexp(options.C)[1] - frexp(scaled_options.C)[1]
    facts = _restore_facts(solution, rows.n_columns, options.intercept, factor.exponent, cost_shift)
    certificate: Any = solution.certificate
    if isinstance(certificate, JointLikelihoodWithin):
        from separatrix.algorithms.logistic.multinomial import certify as certify_jointly

        certificate = certify_jointly(rows, options, weights)
    elif isinstance(certificate, LikelihoodWithin):
        restoration = _restore_witnesses(certificate, factor.exponent, options.intercept)
        C = None if isinf(options.C) else options.C
        certificate = certify(
            rows, positive, weights, C, intercept=options.intercept, restoration=restoration
        )
    if solution.is_proof_expected:
        facts |= describe_gap(certificate)
    return replace(solution, weights=weights, certificate=certificate, facts=facts)


def _choose_exponent(rows: Rows, C: float) -> int:
    """k; a penalty holds the weights of tiny rows at almost 0 unless the cost is as large."""
    size_exponent = find_size_exponent(rows, in_every_column=isinf(C))
    if isinf(C) or size_exponent > 0:
        return -size_exponent
    return min(-size_exponent, max(0, find_cost_exponent(rows, C) // 2))


def _scale_cost(C: float, exponent: int) -> float:
    """C′ of (1) above."""
    mantissa, cost_exponent = frexp(C)  # inf and 0 of an infinite C
    return float(ldexp(mantissa, min(cost_exponent - 2 * exponent, MAX_COST_EXPONENT)))


def _restore_facts(
    solution: Solution, n_columns: int, intercept: bool, exponent: int, cost_shift: int
) -> dict[str, Any]:
    facts, width = dict(solution.facts), n_columns + intercept
    facts["objectives"] = ldexp(facts["objectives"], cost_shift)  # (1) above
    if facts.get("recession") is not None:
        facts["recession"] = scale_to_doubles(_scale_direction(facts["recession"], exponent, True))
    if "covariance" in facts:
        units = np.where(np.arange(len(facts["covariance"])) % width < n_columns, exponent, 0)
        facts["covariance"] = ldexp(facts["covariance"], units + units[:, None])
    is_firth = not solution.is_proof_expected
    if is_firth and facts["rank"] == width:
        change = exponent * n_columns * log(2.0)  # (2) above, of the root
        facts |= {name: facts[name] + change for name in ("objective", "objectives")}
        facts |= {name: facts[name] - change for name in ("log_likelihood", "null_log_likelihood")}
    return facts


def _restore_witnesses(claim: LikelihoodWithin, exponent: int, intercept: bool) -> dict[str, Any]:
    """What restores feasibility, in whole numbers, for the rows as given."""
    direction = claim.direction
    return {
        "rows": claim.rows,
        "normals": tuple(_scale_direction(normal, exponent, intercept) for normal in claim.normals),
        "direction": None if direction is None else _scale_direction(direction, exponent, intercept),
    }


def _scale_direction(values: Sequence[Any], exponent: int, intercept: bool) -> tuple[int, ...]:
    """2^exponent times the entries of the columns, as whole numbers."""
    exact = [Fraction(value) for value in values]
    for j in range(len(exact) - intercept):
        exact[j] *= Fraction(2) ** exponent
    return to_whole_numbers(exact)
