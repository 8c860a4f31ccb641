"""Risk of whatever halfspace was chosen: bounds that hold for all of them at once."""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

from separatrix.bounds.arguments import amount, between_zero_and_one
from separatrix.bounds.bound import Bound
from separatrix.bounds.counting import log_growth
from separatrix.messages import ParameterError

INDEPENDENT = "The m rows are drawn independently from the distribution of which the risk is."
_ALL = "The model is a halfspace of Vapnik-Chervonenkis dimension `dimension`, chosen in whatever way."


def double_sample(m: SupportsIndex, dimension: SupportsIndex, delta: SupportsFloat = 0.05) -> Bound:
    """Vapnik and Chervonenkis's bound for halfspaces without training errors.

    With probability 1 - δ every halfspace that is right on all m rows has risk at most
    (2/m)(log₂ G(2m) + log₂(2/δ)), where G is the `growth_function` of halfspaces of this dimension D.

    The proof: if some consistent halfspace has risk ε or more, εm >= 1, then with probability 1/2 or more it
    makes εm/2 errors or more on m further rows, since the median of a binomial variable is its mean, rounded
    up or down; given all 2m rows, chance puts all these errors into the second half with probability at most
    2^(-εm/2), and there are G(2m) cases. The value has εm >= 4, whatever m is.

    Source: A. Blumer, A. Ehrenfeucht, D. Haussler and M. K. Warmuth, Journal of the ACM 36 (1989),
    appendix, there with Sauer's sum in place of G and for εm >= 8.

    Examples
    --------
    >>> print(double_sample(m=2000, dimension=3))
    double sample: risk <= 0.02926 (with probability 0.95)
    """
    (rows, size), (failure,) = amount(1, m=m, dimension=dimension), between_zero_and_one(delta=delta)
    value = 2 * (log_growth(2 * rows, size) + math.log(2 / failure)) / (math.log(2) * rows)
    assumptions = (INDEPENDENT, _ALL, "It makes no error on the m rows.")
    source = (
        "A. Blumer, A. Ehrenfeucht, D. Haussler and M. K. Warmuth, Journal of the ACM 36 (1989), appendix"
    )
    return Bound(
        value, "with probability", assumptions, source, "double sample", "risk", failure, trivial=1.0
    )


def vapnik_chervonenkis(
    errors: SupportsIndex, m: SupportsIndex, dimension: SupportsIndex, delta: SupportsFloat = 0.05
) -> Bound:
    """Vapnik and Chervonenkis's theorem (1971): training errors and risks of all halfspaces come together.

    ``P(some halfspace has |risk - errors/m| > ε) <= 4 G(2m) e^(-mε²/8)``, with G the `growth_function` of
    halfspaces of this dimension. So with probability 1 - δ, for all of them,
    risk <= errors/m + √(8(ln G(2m) + ln(4/δ))/m).

    Source: Theory of Probability and its Applications 16 (1971), Theorem 2; with these constants M. Anthony
    and P. L. Bartlett, Neural Network Learning (1999), Theorem 4.3.

    Examples
    --------
    >>> print(vapnik_chervonenkis(errors=100, m=10_000, dimension=3))
    Vapnik and Chervonenkis: risk <= 0.1491 (with probability 0.95)
    """
    wrong, rows, size, failure = _arguments(errors, m, dimension, delta)
    value = wrong / rows + math.sqrt(8 * (log_growth(2 * rows, size) + math.log(4 / failure)) / rows)
    source = "V. N. Vapnik and A. Ya. Chervonenkis, Theory of Probability and its Applications 16 (1971)"
    name = "Vapnik and Chervonenkis"
    return Bound(value, "with probability", (INDEPENDENT, _ALL), source, name, "risk", failure, trivial=1.0)


def rademacher(
    errors: SupportsIndex, m: SupportsIndex, dimension: SupportsIndex, delta: SupportsFloat = 0.05
) -> Bound:
    """The Rademacher bound with Massart's lemma, for all halfspaces at once.

    With probability 1 - δ every halfspace has risk <= errors/m + √(2 ln G(m)/m) + √(ln(1/δ)/2m), with G the
    `growth_function` of halfspaces of this dimension.

    Source: P. L. Bartlett and S. Mendelson, Journal of Machine Learning Research 3 (2002), 463-482; with
    these constants M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018),
    sections 3.1 and 3.2.

    Examples
    --------
    >>> print(rademacher(errors=100, m=10_000, dimension=3))
    Rademacher: risk <= 0.08294 (with probability 0.95)
    """
    wrong, rows, size, failure = _arguments(errors, m, dimension, delta)
    luck = math.sqrt(-math.log(failure) / (2 * rows))
    value = wrong / rows + math.sqrt(2 * log_growth(rows, size) / rows) + luck
    source = (
        "P. L. Bartlett and S. Mendelson, Journal of Machine Learning Research 3 (2002); constants: "
        "M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018), section 3.2"
    )
    return Bound(
        value, "with probability", (INDEPENDENT, _ALL), source, "Rademacher", "risk", failure, trivial=1.0
    )


def _arguments(
    errors: SupportsIndex, m: SupportsIndex, dimension: SupportsIndex, delta: SupportsFloat
) -> tuple[int, int, int, float]:
    (wrong,), (rows, size) = amount(0, errors=errors), amount(1, m=m, dimension=dimension)
    (failure,) = between_zero_and_one(delta=delta)
    if wrong > rows:
        raise ParameterError("errors", wrong, f"<= m ({rows})")
    return wrong, rows, size, failure
