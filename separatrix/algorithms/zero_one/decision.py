"""MinDisagreement, the decision problem: is there a halfspace with at most k errors?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from separatrix.algorithms.zero_one.confirmation import confirm
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.misclassified_rows import find_misclassified
from separatrix.algorithms.zero_one.reduce import reduce_problem, to_dense_arrays
from separatrix.algorithms.zero_one.strategy import (
    close_interval,
    count_threads,
    draw_seed,
    prepare_kernels,
)
from separatrix.certificates import Certificate, ErrorsAtLeast, ErrorsAtMost, Undecided
from separatrix.fitting.exact_errors import about
from separatrix.fitting.parameters import (
    is_whole,
    require_node_limit,
    require_random_state,
    require_time_limit,
    shown,
)
from separatrix.halfspace import Halfspace
from separatrix.rows import as_rows


@dataclass(frozen=True)
class Disagreement:
    """The answer, with its witness.

    Attributes
    ----------
    answer
        True: ``halfspace`` makes at most k errors. False: none does. None: not decided in the time given.
    halfspace
        The best one found.
    errors, lower_bound
        Of it; and of any, as far as proven.
    certificate
        `ErrorsAtMost`, `ErrorsAtLeast` or `Undecided`.
    """

    answer: bool | None
    halfspace: Halfspace
    errors: int
    lower_bound: int
    certificate: Certificate

    def __bool__(self) -> bool:
        if self.answer is None:
            raise ValueError("It is undecided: give more time, or look at .errors and .lower_bound.")
        return self.answer


def min_disagreement(
    X: Any,
    y: Any = None,
    k: int = 0,
    *,
    intercept: bool = False,
    time_limit: float | None = 60,
    node_limit: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Disagreement:
    """Whether some halfspace, through the origin unless ``intercept``, has at most k rows with s·score ≤ 0.

    Yes with a halfspace, no with a proof, or undecided in the time given.

    Examples
    --------
    >>> X, y = [[0, 1], [1, 0], [1, 1]], [1, 1, 0]
    >>> no = min_disagreement(X, y, 0)
    >>> no.answer, no.certificate.verify(X, y).holds
    (False, True)
    >>> min_disagreement(X, y, 1).answer
    True
    """
    if not (is_whole(k) and k >= 0):
        raise ValueError(f"k={shown(k)} makes no sense: it is a number of errors.")
    require_time_limit(time_limit)
    require_node_limit(node_limit)
    require_random_state(random_state)
    rows = as_rows(X, y, n_jobs=n_jobs)
    rows.require_two_classes()
    rows.require_finite()
    prepare_kernels(rows.n_columns + intercept)
    start_time = time.perf_counter()
    problem = reduce_problem(*to_dense_arrays(rows, 1), intercept=intercept)
    interval = ErrorInterval(problem, time_limit=time_limit, node_limit=node_limit, start_time=start_time)
    interval.target = k
    close_interval(problem, interval, draw_seed(random_state), count_threads(n_jobs))
    confirm(interval)
    numbers = problem.to_user(interval.weights)
    weights, bias = (numbers[:-1], numbers[-1]) if intercept else (numbers, None)
    errors = len(find_misclassified(rows, 1, weights, bias))
    about_rows = about(rows, 1)
    certificate: Certificate
    if errors <= k:
        answer, certificate = True, ErrorsAtMost(weights, bias, errors, about=about_rows)
    elif interval.lower > k:
        answer, certificate = (
            False,
            ErrorsAtLeast(interval.lower, None, interval.proof, intercept, about=about_rows),
        )
    else:
        answer = None
        certificate = Undecided(
            f"A halfspace makes {errors} errors, at least {interval.lower} are proven: "
            f"whether {k} suffice was not settled."
        )
    halfspace = Halfspace(weights, 0.0 if bias is None else bias)
    return Disagreement(answer, halfspace, errors, interval.lower, certificate.bound_to(rows))
