"""From mistakes on a stream to the risk of a hypothesis."""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

from separatrix.bounds.arguments import amount, between_zero_and_one
from separatrix.bounds.bound import Bound
from separatrix.messages import ParameterError

_STREAM = (
    "The m rows are drawn independently from the distribution of which the risk is.",
    "Every row is predicted before its label is seen, and seen once: `mistakes` is of a single pass.",
)
_PAPER = (
    "N. Cesa-Bianchi, A. Conconi and C. Gentile, IEEE Transactions on Information Theory 50 (2004), 2050-2057"
)


def online_to_batch(
    mistakes: SupportsIndex, m: SupportsIndex, delta: SupportsFloat = 0.05, *, selected: bool = False
) -> Bound:
    """Cesa-Bianchi, Conconi and Gentile's theorem (2004): few mistakes on a stream mean a small risk.

    An online learner of any kind sees m independent rows once and makes M mistakes, with hypotheses
    h₀, ..., h_(m-1) in turn. With probability 1 - δ

    - the mean of their risks, which is the risk of one drawn at random, is at most M/m + √(2 ln(1/δ)/m);
    - the risk of the one with the least penalised error on the rows that came after it is at most
      M/m + 6 √(ln(2(m + 1)/δ)/m). That is ``selected=True``, and `one_pass` of `separatrix.theory` picks it.

    The proof of the first: the risk of h_t less its error on row t + 1 is a martingale difference of size at
    most 1; Azuma and Hoeffding do the rest. In expectation it is M/m with no second term. Of the second: by
    Hoeffding, the risks of all h_t are within their penalties of their errors on later rows, so the risk of
    the one selected is at most the mean of risk plus two penalties, and the penalties √(ln(m(m + 1)/δ)/2x)
    over x = 1, ..., m add up to less than 4√(m ln(2(m + 1)/δ)) when doubled.

    Together with `novikoff`, M <= (R/γ)²: a mistake bound for adversaries becomes a sample size.

    Source: IEEE Transactions on Information Theory 50 (2004), 2050-2057.

    Examples
    --------
    >>> print(online_to_batch(mistakes=30, m=10_000))
    Cesa-Bianchi, Conconi and Gentile: mean risk <= 0.02748 (with probability 0.95)
    >>> print(online_to_batch(mistakes=30, m=10_000, selected=True))
    Cesa-Bianchi, Conconi and Gentile: risk <= 0.219 (with probability 0.95)
    """
    (wrong,), (rows,) = amount(0, mistakes=mistakes), amount(1, m=m)
    (failure,) = between_zero_and_one(delta=delta)
    if wrong > rows:
        raise ParameterError("mistakes", wrong, f"at most m ({rows}): one pass makes no more")
    if selected:
        value = wrong / rows + 6 * math.sqrt(math.log(2 * (rows + 1) / failure) / rows)
        which = "The hypothesis is the one of least penalised error on the rows after it."
        quantity = "risk"
    else:
        value = wrong / rows + math.sqrt(-2 * math.log(failure) / rows)
        which = "It is about the mean risk of the m hypotheses of the pass, not about the last one."
        quantity = "mean risk"
    source, name = _PAPER, "Cesa-Bianchi, Conconi and Gentile"
    return Bound(value, "with probability", (*_STREAM, which), source, name, quantity, failure, trivial=1.0)
