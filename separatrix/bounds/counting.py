"""How many ways a hyperplane can divide points: exact whole numbers, no assumption but general position."""

from __future__ import annotations

import math
from typing import SupportsIndex

from scipy.special import betainc

from separatrix.bounds.arguments import whole

_MAX_EXACT_POINTS = 20_000


def vc_dimension(d: SupportsIndex, intercept: bool = True) -> int:
    """The Vapnik-Chervonenkis dimension of halfspaces of R^d: d + 1 with an intercept, d without.

    The largest number of points that halfspaces shatter, that is, label in all possible ways. Unit vectors
    (and the origin, with an intercept) are shattered: w = (s₁, ..., s_d) has w·e_i = s_i. One point more is
    always dependent, Σa_i z_i = 0, and the signs of the a_i cannot be had: Σ|a_i|(s_i w·z_i) would be 0.

    Source: R. M. Dudley, Annals of Probability 6 (1978), Theorem 7.2, for vector spaces of functions;
    S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), Theorems 9.2 and 9.3.

    Examples
    --------
    >>> vc_dimension(2), vc_dimension(2, intercept=False)
    (3, 2)
    """
    (columns,) = whole(1, d=d)
    return columns + bool(intercept)


def dichotomies(n: SupportsIndex, d: SupportsIndex, intercept: bool = True) -> int:
    """Cover's count: how many labellings of n points of R^d in general position a hyperplane can separate.

    2 Σ_(k < D) C(n - 1, k), where D = d + 1 with an intercept and D = d for hyperplanes through the origin.
    General position: any D of the rows (x, 1), or x without an intercept, are linearly independent, or all
    of them if there are fewer. In any other position there are fewer.

    The proof: a new point splits the labellings that some hyperplane through it separates, which are those
    of the other points in one dimension less: C(n + 1, D) = C(n, D) + C(n, D - 1).

    Source: T. M. Cover, IEEE Transactions on Electronic Computers EC-14 (1965), Theorem 1.

    Examples
    --------
    Four points of the plane: of 16 labellings two, the diagonals, cannot be separated.

    >>> dichotomies(4, 2), dichotomies(3, 2), dichotomies(4, 2, intercept=False)
    (14, 8, 8)
    """
    (points,) = whole(1, n=n)
    dimension = vc_dimension(d, intercept)
    return 2 * _sum_of_binomials(points - 1, dimension - 1)


def growth_function(n: SupportsIndex, d: SupportsIndex, intercept: bool = True) -> int:
    """The largest number of labellings that halfspaces of R^d give to any n points: Cover's count.

    Points in general position attain it, and in any position there are at most as many: a point on a
    hyperplane through D - 1 others splits fewer labellings, never more. It is 2^n up to the
    Vapnik-Chervonenkis dimension D and a polynomial of degree D - 1 in n beyond, one below Sauer's.

    Source: T. M. Cover, IEEE Transactions on Electronic Computers EC-14 (1965), Theorem 1; the maximum over
    positions: R. O. Winder, SIAM Journal on Applied Mathematics 14 (1966).

    Examples
    --------
    >>> [growth_function(n, 2) for n in range(1, 6)]
    [2, 4, 8, 14, 22]
    """
    return dichotomies(n, d, intercept)


def sauer(n: SupportsIndex, dimension: SupportsIndex) -> int:
    """Sauer's lemma: a class of Vapnik-Chervonenkis dimension D labels n points in at most Σ_(k <= D) C(n, k)
    ways.

    2^n for n <= D, and at most (en/D)^D beyond.

    Source: N. Sauer, Journal of Combinatorial Theory A 13 (1972), Theorem 1; V. N. Vapnik and A. Ya.
    Chervonenkis, Theory of Probability and its Applications 16 (1971), Theorem 1, with a weaker sum.

    Examples
    --------
    >>> [sauer(n, 3) for n in range(6)]
    [1, 2, 4, 8, 15, 26]
    """
    (points,), (limit,) = whole(0, n=n), whole(0, dimension=dimension)
    return _sum_of_binomials(points, limit)


def separability_probability(n: SupportsIndex, d: SupportsIndex, intercept: bool = True) -> float:
    """The share of the 2^n labellings of n points in general position that a hyperplane can separate.

    Also the probability that labels drawn by fair coins can be. It is 1 up to n = D, exactly 1/2 at n = 2D,
    and falls from 1 to 0 around there, the more sharply the larger D is: D = d + 1 with an intercept, d
    without. So 2D is the capacity of a halfspace.

    Source: T. M. Cover, IEEE Transactions on Electronic Computers EC-14 (1965), 326-334.

    Examples
    --------
    >>> separability_probability(3, 2), separability_probability(6, 2), separability_probability(4, 2)
    (1.0, 0.5, 0.875)
    """
    (points,), dimension = whole(1, n=n), vc_dimension(d, intercept)
    if points <= max(_MAX_EXACT_POINTS, dimension):
        return dichotomies(n, d, intercept) / 2**points if points > dimension else 1.0
    # A binomial tail, as an incomplete beta function: its numbers would be too long to add up.
    return 0.5 if points == 2 * dimension else float(betainc(points - dimension, dimension, 0.5))


def log_growth(n: int, dimension: int) -> float:
    """ln of `growth_function` in terms of the Vapnik-Chervonenkis dimension D of the halfspaces."""
    return math.log(2) + _log_sum(n - 1, dimension - 1)


def log_sauer(n: int, dimension: int) -> float:
    """ln of `sauer`, to rounding, for numbers of any size.

    >>> round(log_sauer(1000, 3), 9) == round(math.log(sauer(1000, 3)), 9)
    True
    """
    return _log_sum(n, dimension)


def log_binomial(n: int, k: int) -> float:
    """ln C(n, k), to rounding, for numbers of any size.

    The difference of ln n! and ln (n - k)! cancels for large n; in Stirling's series it does so on paper.

    >>> abs(log_binomial(10**20, 2) - math.log(math.comb(10**20, 2))) < 1e-13
    True
    """
    few = min(k, n - k)
    if few <= 60:
        return math.log(math.comb(n, few))
    rest = n - few
    falling = few * math.log(n) - rest * math.log1p(-few / n) - few + 0.5 * math.log(n / rest)
    return falling + _stirling(n) - _stirling(rest) - math.lgamma(few + 1)


def _stirling(n: int) -> float:
    """ln n! less ln(√(2πn)(n/e)^n), below 10^-17 of it for n above 60."""
    return 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5)


def _sum_of_binomials(n: int, last: int) -> int:
    if last >= n:
        return 2**n
    total = term = 1
    for k in range(1, last + 1):
        term = term * (n - k + 1) // k
        total += term
    return total


def _log_sum(n: int, last: int) -> float:
    if last >= n:
        return n * math.log(2)
    if last <= 60:
        return math.log(_sum_of_binomials(n, last))
    if 2 * last >= n:  # all 2^n but the other tail
        return n * math.log(2) + math.log1p(-math.exp(_log_sum(n, n - last - 1) - n * math.log(2)))
    total = part = 1.0
    for k in range(last, 0, -1):
        part *= k / (n - k + 1)
        total += part
        if part < 1e-18 * total:
            break
    return log_binomial(n, last) + math.log(total)
