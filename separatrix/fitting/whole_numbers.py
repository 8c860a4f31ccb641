"""Evidence in whole numbers, where the doubles nearest to some weights do not separate what these do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from separatrix.certificates import Separable
from separatrix.fitting.exact_errors import about, count_errors
from separatrix.fitting.fit_warnings import FitWarning, warn
from separatrix.fitting.solution import Solution
from separatrix.halfspace import Halfspace
from separatrix.rows import Rows


def to_whole_numbers(weights: Iterable[Fraction]) -> tuple[int, ...]:
    """The same hyperplane in whole numbers, without rounding; the denominators are powers of two."""
    exact = list(weights)
    common = max(weight.denominator for weight in exact)  # a multiple of all others
    return tuple(int(weight * common) for weight in exact)


def separate_in_whole_numbers(
    solution: Solution, rows: Rows, positive: int, numbers: tuple[int, ...], *, intercept: bool
) -> Solution:
    """The solution with these numbers, the intercept last, as its evidence; itself if they make an error."""
    *witness, bias = numbers
    if count_errors(rows, positive, witness, bias).errors:
        return solution
    certificate = Separable(
        weights=tuple(witness), intercept=bias if intercept else None, about=about(rows, positive)
    )
    warn(
        FitWarning,
        "The rows are separated by whole numbers that doubles cannot hold: halfspace_ and "
        "certificate_ carry them. Those of coef_, by which predict goes, do not separate the rows.",
    )
    return replace(solution, certificate=certificate.bound_to(rows), halfspace=Halfspace(witness, bias))
