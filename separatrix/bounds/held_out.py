"""What rows that a fit never saw say about its risk."""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

from scipy.special import betainccinv

from separatrix.bounds.arguments import amount, between_zero_and_one
from separatrix.bounds.bound import Bound
from separatrix.messages import ParameterError

_FRESH = (
    "The held-out rows are drawn independently from the distribution of which the risk is.",
    "Nothing about the model was chosen by looking at them.",
)


def clopper_pearson(errors: SupportsIndex, m: SupportsIndex, delta: SupportsFloat = 0.05) -> Bound:
    """Clopper and Pearson's bound (1934): the largest risk at which so few errors are not a surprise.

    A rule of risk p makes a binomial number of errors on m fresh rows. The bound is the largest p at which
    `errors` or fewer have probability δ or more; the risk is above it with probability at most δ. It is a
    quantile of a beta distribution, and with no errors it is 1 - δ^(1/m), about ln(1/δ)/m. No bound for all
    distributions that only sees the number of errors can be smaller.

    Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413, one-sided; as a test set bound:
    J. Langford, Journal of Machine Learning Research 6 (2005), section 3.

    Examples
    --------
    >>> print(clopper_pearson(errors=0, m=100))
    Clopper and Pearson: risk <= 0.0295 (with probability 0.95)
    """
    (wrong,), (rows,) = amount(0, errors=errors), amount(1, m=m)
    (failure,) = between_zero_and_one(delta=delta)
    if wrong > rows:
        raise ParameterError("errors", wrong, f"<= m ({rows})")
    value = binomial_tail_inverse(wrong, rows, math.log(failure))
    source = "C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413"
    return Bound(
        value, "with probability", _FRESH, source, "Clopper and Pearson", "risk", failure, trivial=1.0
    )


def hoeffding(errors: SupportsIndex, m: SupportsIndex, delta: SupportsFloat = 0.05) -> Bound:
    """Hoeffding's inequality (1963): risk <= errors/m + √(ln(1/δ)/2m), for a rule fixed beforehand.

    Simpler than `clopper_pearson` and never smaller.

    Source: W. Hoeffding, Journal of the American Statistical Association 58 (1963), Theorem 1.

    Examples
    --------
    >>> print(hoeffding(errors=0, m=100))
    Hoeffding: risk <= 0.1224 (with probability 0.95)
    """
    (wrong,), (rows,) = amount(0, errors=errors), amount(1, m=m)
    (failure,) = between_zero_and_one(delta=delta)
    if wrong > rows:
        raise ParameterError("errors", wrong, f"<= m ({rows})")
    value = wrong / rows + math.sqrt(-math.log(failure) / (2 * rows))
    source = "W. Hoeffding, Journal of the American Statistical Association 58 (1963), Theorem 1"
    return Bound(value, "with probability", _FRESH, source, "Hoeffding", "risk", failure, trivial=1.0)


def binomial_tail_inverse(errors: int, m: int, log_delta: float) -> float:
    """The largest p with P(at most `errors` successes in m) >= δ, for δ as small as e^(-10⁶)."""
    if errors >= m:
        return 1.0
    if errors == 0:
        return -math.expm1(log_delta / m)
    if log_delta > -600:
        return float(betainccinv(errors + 1, m - errors, math.exp(log_delta)))
    # Chernoff's bound, m·kl(errors/m, p) = ln(1/δ), is above the inverse and does not underflow.
    share, low, high = errors / m, errors / m, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        distance = share * math.log(share / middle) + (1 - share) * math.log((1 - share) / (1 - middle))
        low, high = (low, middle) if m * distance >= -log_delta else (middle, high)
    return high
