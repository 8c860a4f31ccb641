"""How many rows are enough: named bounds with their constants, and their inverses.

Realizable: some halfspace of the class has risk zero, and ε is the risk. Agnostic: nothing is assumed of the
distribution, and ε is how much worse the fit may be than the best halfspace of the class.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

from separatrix.bounds.arguments import amount, between_zero_and_one, positive
from separatrix.bounds.bound import Bound
from separatrix.bounds.counting import log_sauer

_CONSISTENT = "any halfspace without training errors"
_ERM = "any halfspace with the fewest training errors"


@dataclass(frozen=True)
class SampleSize:
    """A published sample size: a formula, who proved it, and for which learners.

    ``rows(ε, δ, D)`` rows are enough for the Vapnik-Chervonenkis dimension D.
    """

    name: str
    realizable: bool
    formula: str
    learner: str
    source: str
    rows: Callable[[float, float, int], float]

    def bound(self, epsilon: SupportsFloat, delta: SupportsFloat, dimension: SupportsIndex) -> Bound:
        """The sample size, a whole number, for these ε, δ and D."""
        accuracy, failure = between_zero_and_one(epsilon=epsilon, delta=delta)
        (size,) = amount(1, dimension=dimension)
        value = self.rows(accuracy, failure, size)
        value = float(math.ceil(value)) if math.isfinite(value) else value
        assumptions = self._assumptions("ε")
        return Bound(
            value, "with probability", assumptions, self.source, self.name, "rows that suffice", failure
        )

    def accuracy(self, m: SupportsIndex, delta: SupportsFloat, dimension: SupportsIndex) -> Bound:
        """The inverse: the smallest ε for which m rows are enough; 1, vacuous, if there is none."""
        (failure,), (rows, size) = between_zero_and_one(delta=delta), amount(1, m=m, dimension=dimension)
        value = _smallest(lambda epsilon: self.rows(epsilon, failure, size) <= rows, 1e-100)
        quantity = "risk" if self.realizable else "excess risk"
        return Bound(
            value,
            "with probability",
            self._assumptions("The value"),
            self.source,
            self.name,
            quantity,
            failure,
            trivial=1.0,
        )

    def failure(self, m: SupportsIndex, epsilon: SupportsFloat, dimension: SupportsIndex) -> Bound:
        """The inverse: the smallest δ for which m rows are enough; 1, vacuous, if there is none."""
        (accuracy,), (rows, size) = between_zero_and_one(epsilon=epsilon), amount(1, m=m, dimension=dimension)
        value = _smallest(lambda delta: self.rows(accuracy, delta, size) <= rows, 1e-300)
        # ln δ is a difference of terms no larger than εm, each to a few ulps; the value is told from above.
        value = min(1.0, value * (1 + 1e-10 + 1e-14 * accuracy * rows))
        assumptions = self._assumptions("ε")
        return Bound(
            value, "certain", assumptions, self.source, self.name, "probability of failure", trivial=1.0
        )

    def _assumptions(self, what: str) -> tuple[str, ...]:
        world = "Some halfspace of the class has risk zero." if self.realizable else "Any distribution."
        meant = "the risk" if self.realizable else "the risk less that of the best halfspace of the class"
        return (
            "The rows are drawn independently from one distribution.",
            world,
            f"{what} bounds {meant}.",
            f"The learner is {self.learner}.",
        )


def _smallest(is_sufficient: Callable[[float], bool], least: float) -> float:
    """The smallest number from ``least`` to 1 that is enough, from above, to rounding; 1 if none is."""
    low, high = math.log(least), 0.0
    if not is_sufficient(math.exp(-1e-12)):
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if is_sufficient(math.exp(middle)) else (middle, high)
    return math.exp(high)


def _blumer(epsilon: float, delta: float, dimension: int) -> float:
    return max(4 * math.log2(2 / delta), 8 * dimension * math.log2(13 / epsilon)) / epsilon


def _double_sample(epsilon: float, delta: float, dimension: int) -> float:
    def is_sufficient(m: int) -> bool:
        return log_sauer(2 * m, dimension) + math.log(2 / delta) <= epsilon * m * math.log(2) / 2

    return _fewest(is_sufficient, 8 / epsilon)


def _shalev_shwartz(epsilon: float, delta: float, dimension: int) -> float:
    # Stated for δ < 1/4; what holds with a smaller δ holds with a larger one.
    delta = min(delta, math.nextafter(0.25, 0.0))
    return 8 / epsilon * (2 * dimension * math.log(16 * math.e / epsilon) + math.log(2 / delta))


def _maximum_margin(epsilon: float, delta: float, dimension: int) -> float:
    return 2 * dimension + 2 / epsilon * (dimension * math.log(4) + math.log(1 / delta))


def _vapnik(epsilon: float, delta: float, dimension: int) -> float:
    def is_sufficient(m: int) -> bool:
        return log_sauer(2 * m, dimension) + math.log(4 / delta) <= m * epsilon * epsilon / 32

    return _fewest(is_sufficient, 8 / epsilon / epsilon)


def _anthony_bartlett(epsilon: float, delta: float, dimension: int) -> float:
    return 64 / epsilon / epsilon * (2 * dimension * math.log(12 / epsilon) + math.log(4 / delta))


def _rademacher(epsilon: float, delta: float, dimension: int) -> float:
    def is_sufficient(m: int) -> bool:
        luck = math.sqrt(2 * math.log(2 / delta) / m)
        return math.sqrt(2 * log_sauer(m, dimension) / m) + luck <= epsilon

    return _fewest(is_sufficient, 1)


def _fewest(is_sufficient: Callable[[int], bool], start: float) -> float:
    """The first m from ``start`` on for which `is_sufficient` holds; it fails below it and holds above."""
    if start > 2**200:
        return math.inf
    low, high = math.ceil(start) - 1, math.ceil(start)
    while not is_sufficient(high):
        low, high = high, 2 * high
        if high > 2**200:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_sufficient(middle) else (middle, high)
    return float(high)


SAMPLE_SIZES: dict[str, SampleSize] = {
    size.name: size
    for size in (
        SampleSize(
            "Blumer et al.",
            True,
            "max(4 log2(2/δ), 8D log2(13/ε))/ε",
            _CONSISTENT,
            "A. Blumer, A. Ehrenfeucht, D. Haussler and M. K. Warmuth, Journal of the ACM 36 (1989), "
            "Theorem 2.1",
            _blumer,
        ),
        SampleSize(
            "double sample",
            True,
            "least m >= 8/ε with 2 S(2m) 2^(-εm/2) <= δ",
            _CONSISTENT,
            "A. Blumer et al., Journal of the ACM 36 (1989), appendix, solved for m; S is Sauer's sum",
            _double_sample,
        ),
        SampleSize(
            "Shalev-Shwartz and Ben-David",
            True,
            "8(2D ln(16e/ε) + ln(2/δ))/ε, for δ < 1/4",
            _CONSISTENT,
            "S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), Theorem 28.4",
            _shalev_shwartz,
        ),
        SampleSize(
            "maximum margin",
            True,
            "2D + 2(D ln 4 + ln(1/δ))/ε",
            "the maximum-margin halfspace, and no other",
            "O. Bousquet et al., Proper learning, Helly number, and an optimal SVM bound (2020), 582-609",
            _maximum_margin,
        ),
        SampleSize(
            "Vapnik and Chervonenkis",
            False,
            "least m with 4 S(2m) e^(-mε²/32) <= δ",
            _ERM,
            "V. N. Vapnik and A. Ya. Chervonenkis, Theory of Probability and its Applications 16 (1971), "
            "at ε/2",
            _vapnik,
        ),
        SampleSize(
            "Anthony and Bartlett",
            False,
            "64(2D ln(12/ε) + ln(4/δ))/ε²",
            _ERM,
            "M. Anthony and P. L. Bartlett, Neural Network Learning (1999), chapter 4: Vapnik and "
            "Chervonenkis's inequality, solved for m",
            _anthony_bartlett,
        ),
        SampleSize(
            "Rademacher",
            False,
            "least m with √(2 ln S(m)/m) + √(2 ln(2/δ)/m) <= ε",
            _ERM,
            "M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018), "
            "section 3.2, with Hoeffding's inequality for the best halfspace",
            _rademacher,
        ),
    )
}
"""The published sample sizes, by name."""


def plain_sample_complexity(
    epsilon: SupportsFloat,
    delta: SupportsFloat,
    dimension: SupportsIndex,
    realizable: bool = True,
    *,
    C: SupportsFloat = 1.0,
) -> float:
    """The textbook form: C(D + ln(1/δ))/ε in the realizable case, C(D + ln(1/δ))/ε² in the agnostic.

    Some constant C makes the agnostic form hold for every halfspace with the fewest training errors (M.
    Talagrand, Annals of Probability 22 (1994)). None makes the realizable form hold for every halfspace
    without training errors, from the plane on. Let all points of a circle be negative, and m of them be seen:
    a halfspace that cuts off the widest gap between them is right on all, and its risk is on average
    (1 + 1/2 + ... + 1/m)/m, about ln(m)/m. With a constant C it holds for S. Hanneke's majority vote of
    consistent halfspaces (Journal of Machine Learning Research 17 (2016), 1-15), which is no halfspace,
    and for the maximum-margin halfspace with 2(1 + ln 4) < 5 in place of C (`stable_compression`).

    D is the Vapnik-Chervonenkis dimension: d + 1 for halfspaces of R^d with an intercept.

    Source: S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), Theorem 6.8, there with
    D ln(1/ε) in the realizable case; and those above.

    Examples
    --------
    >>> round(plain_sample_complexity(0.1, 0.05, 3)), round(plain_sample_complexity(0.1, 0.05, 3, False, C=8))
    (60, 4797)
    """
    accuracy, failure = between_zero_and_one(epsilon=epsilon, delta=delta)
    (size,), (constant,) = amount(1, dimension=dimension), positive(C=C)
    value = constant * (size - math.log(failure)) / accuracy
    return value if realizable else value / accuracy
