"""Risk of a fit that depends on few of its rows: compression and leave-one-out.

A perceptron run from zero is what its rows with updates make it: without the others it would run the same. A
maximum-margin halfspace is that of its support rows. The rows that do not matter are as good as held out.
"""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

from separatrix.bounds.arguments import amount, between_zero_and_one, difficulty, nonnegative
from separatrix.bounds.bound import Bound
from separatrix.bounds.counting import log_binomial
from separatrix.bounds.held_out import binomial_tail_inverse
from separatrix.messages import ParameterError

_INDEPENDENT = "The m rows are drawn independently from the distribution of which the risk is."


def compression(
    m: SupportsIndex, size: SupportsIndex, errors: SupportsIndex = 0, delta: SupportsFloat = 0.05
) -> Bound:
    """Littlestone and Warmuth's theorem (1986): a fit that k of its m rows determine is tested by the others.

    Let the fit to m rows be a function of k of them alone, k and which ones being up to the fit, and let it
    make e errors on the other m - k. With probability 1 - δ its risk is at most the largest p at which e or
    fewer errors in m - k have probability δ/(m·C(m, k)) or more. With e = 0 this is below
    (ln C(m, k) + ln m + ln(1/δ))/(m - k).

    The proof: for each of the C(m, k) choices the other rows are fresh, and `clopper_pearson` fails with
    probability at most δ/(m·C(m, k)); there are m sizes k < m.

    Source: N. Littlestone and M. K. Warmuth, Relating data compression and learnability (1986); S. Floyd and
    M. K. Warmuth, Machine Learning 21 (1995), 269-304; for the perceptron T. Graepel, R. Herbrich and R. C.
    Williamson, From margin to sparsity (2000), 210-216; with errors and the exact tail J. Langford, Journal
    of Machine Learning Research 6 (2005), section 4.

    Examples
    --------
    >>> print(compression(m=1000, size=10))
    compression: risk <= 0.06244 (with probability 0.95)
    """
    (rows,), (kept, wrong) = amount(1, m=m), amount(0, size=size, errors=errors)
    (failure,) = between_zero_and_one(delta=delta)
    if kept > rows:
        raise ParameterError("size", kept, f"<= m ({rows})")
    left = rows - kept
    if wrong > left:
        raise ParameterError("errors", wrong, f"<= m - size ({left})")
    value = 1.0
    if left:
        level = math.log(failure) - log_binomial(rows, kept) - math.log(rows)
        value = binomial_tail_inverse(wrong, left, level)
    assumptions = (
        _INDEPENDENT,
        "The fit to all m rows is the fit to `size` of them.",
        "`errors` are those on the other rows.",
    )
    source = "N. Littlestone and M. K. Warmuth, Relating data compression and learnability (1986)"
    return Bound(value, "with probability", assumptions, source, "compression", "risk", failure, trivial=1.0)


def stable_compression(m: SupportsIndex, size: SupportsIndex, delta: SupportsFloat = 0.05) -> Bound:
    """Bousquet, Hanneke, Moran and Zhivotovskiy's theorem (2020): no ln m where the choice of rows is stable.

    Let the fit be a function of at most k of its rows, k known beforehand, that does not change when any
    other rows are left out, and let it make no error. With probability 1 - δ its risk is at most
    2(k ln 4 + ln(1/δ))/(m - 2k). The maximum-margin halfspace has k = d + 1 (d without an intercept), so it
    needs no ln(1/ε) in its sample size; there are consistent halfspaces that do (`plain_sample_complexity`).

    The proof: cut the rows into 2k blocks. Some k of the blocks hold all that matters, the fit to them is the
    fit to all, and the other k blocks, (m - 2k)/2 rows at least, are fresh; C(2k, k) <= 4^k choices.

    Source: O. Bousquet, S. Hanneke, S. Moran and N. Zhivotovskiy, Proper learning, Helly number, and an
    optimal SVM bound, Conference on Learning Theory (2020), 582-609.

    Examples
    --------
    >>> print(stable_compression(m=1000, size=3))
    stable compression: risk <= 0.0144 (with probability 0.95)
    """
    (rows, kept), (failure,) = amount(1, m=m, size=size), between_zero_and_one(delta=delta)
    value = math.inf
    if rows > 2 * kept:
        value = 2 * (kept * math.log(4) - math.log(failure)) / (rows - 2 * kept)
    assumptions = (
        _INDEPENDENT,
        "The fit is that of at most `size` of its rows, and stays the same when any others are left out.",
        "`size` is known before the rows are: the dimension, not the number of support rows found.",
        "The fit makes no error on its rows.",
    )
    source = "O. Bousquet et al., Proper learning, Helly number, and an optimal SVM bound (2020), 582-609"
    return Bound(
        value, "with probability", assumptions, source, "stable compression", "risk", failure, trivial=1.0
    )


def leave_one_out(m: SupportsIndex, rows_that_matter: SupportsFloat) -> Bound:
    """Vapnik and Chervonenkis's theorem (1974): the mean risk is at most the mean share of rows that matter.

    Let a learner fit m rows, and call a row idle if leaving it out would not change the fit and the fit is
    right on it. Then the risk of the fit to m - 1 rows is on average, over the draws of the rows, at most
    E[rows that are not idle]/m. For the maximum-margin halfspace those are support rows, at most d + 1 (d
    without an intercept); for the perceptron run from zero until it is right on all rows, those with updates,
    at most (R/γ)². The count of one sample is not that mean: it may be above or below it.

    The proof: the risk of the fit to m - 1 rows is the probability of an error on the m-th, which by symmetry
    is the mean leave-one-out error; leaving out an idle row makes no error on it.

    Source: V. N. Vapnik and A. Ya. Chervonenkis, Theory of Pattern Recognition (1974); V. N. Vapnik,
    Statistical Learning Theory (1998), chapter 10; the perceptron: Y. Freund and R. E. Schapire, Machine
    Learning 37 (1999), section 3, after D. P. Helmbold and M. K. Warmuth (1995).

    Examples
    --------
    >>> print(leave_one_out(m=200, rows_that_matter=4))
    leave one out: mean risk <= 0.02 (in expectation)
    """
    (rows,), (count,) = amount(1, m=m), nonnegative(rows_that_matter=rows_that_matter)
    assumptions = (
        _INDEPENDENT,
        "On average over such draws, at most `rows_that_matter` rows are not idle.",
        "It is about the mean risk of fits to m - 1 rows, not about this one.",
    )
    source = "V. N. Vapnik and A. Ya. Chervonenkis, Theory of Pattern Recognition (1974)"
    return Bound(
        count / rows, "in expectation", assumptions, source, "leave one out", "mean risk", trivial=1.0
    )


def margin_compression(
    m: SupportsIndex, radius: SupportsFloat, margin: SupportsFloat, delta: SupportsFloat = 0.05
) -> Bound:
    """Graepel, Herbrich and Williamson's theorem (2000): a large margin is a short description.

    If some unit vector has margin γ on all m rows, ‖z‖ <= R, then the perceptron from zero is right on all of
    them after updates on at most (R/γ)² rows, and `compression` bounds its risk. The margin is of the sample,
    so nothing need be known of the distribution.

    Source: From margin to sparsity, Advances in Neural Information Processing Systems 13 (2000), 210-216.

    Examples
    --------
    >>> print(margin_compression(m=10_000, radius=1.0, margin=0.2))
    margin compression: risk <= 0.01832 (with probability 0.95)
    """
    (rows,), ratio = amount(1, m=m), difficulty(radius, margin)
    size = int(min(ratio * ratio * (1 + 1e-9), rows))
    # The bound for fewer rows is smaller only up to half of them; beyond, it says little anyway.
    found = compression(rows, size if 2 * size <= rows else rows, 0, delta)
    assumptions = (
        _INDEPENDENT,
        "Every row has ‖z‖ <= R, and some unit vector has u·z >= γ > 0 on every row.",
        "The fit is a perceptron's, from zero, until it was right on every row.",
    )
    source = "T. Graepel, R. Herbrich and R. C. Williamson, From margin to sparsity (2000), 210-216"
    return Bound(
        found.value,
        "with probability",
        assumptions,
        source,
        "margin compression",
        "risk",
        found.delta,
        trivial=1.0,
    )
