"""What a wide margin is worth, whatever the dimension."""

from __future__ import annotations

import math
from typing import SupportsFloat, SupportsIndex

from separatrix.bounds.arguments import amount, between_zero_and_one, difficulty, positive
from separatrix.bounds.bound import Bound
from separatrix.messages import ParameterError


def fat_shattering(radius: SupportsFloat, margin: SupportsFloat) -> int:
    """The fat-shattering dimension of halfspaces through the origin: (R/γ)², rounded down.

    Points with ‖x‖ <= R are shattered with margin γ if every labelling has a unit vector u with s(u·x) >= γ
    on all of them. No more than (R/γ)² points are, in any dimension; orthogonal points of length R, (R/γ)² of
    them, are. The dimension d is a bound too, so min(d, (R/γ)²).

    The proof: u·Σs_i x_i >= nγ for every labelling, so ‖Σs_i x_i‖ >= nγ; over random signs the mean of
    ‖Σs_i x_i‖² is Σ‖x_i‖² <= nR².

    Source: P. L. Bartlett and J. Shawe-Taylor, in Advances in Kernel Methods (1999), chapter 4; a like
    statement in V. N. Vapnik, Statistical Learning Theory (1998), chapter 8.

    Examples
    --------
    >>> fat_shattering(radius=1.0, margin=0.25)
    16
    """
    ratio = difficulty(radius, margin)
    if not ratio < 1e150:
        raise ValueError(
            f"a margin of {margin} is too small beside a radius of {radius} to square their ratio"
        )
    return math.floor(ratio * ratio * (1 + 1e-9))


def rademacher_margin(
    m: SupportsIndex,
    radius: SupportsFloat,
    margin: SupportsFloat,
    short: SupportsIndex = 0,
    delta: SupportsFloat = 0.05,
) -> Bound:
    """The Rademacher margin bound, for all halfspaces and all margins at once.

    Let every possible row have ‖z‖ <= R. With probability 1 - δ, for every unit vector u and every k >= 0,
    with ρ = R/2^k,

        risk(u) <= #{rows with u·z < ρ}/m + 2R/(ρ√m) + √(ln((k + 1)(k + 2)/δ)/2m).

    Evaluated at the largest such ρ up to the margin given, of which `short` rows fall short.

    The proof: a ramp of slope 1/ρ lies between the zero-one loss and the count of rows short of ρ; its
    Rademacher complexity is at most 1/ρ times that of unit vectors, R/√m (Talagrand's contraction lemma);
    McDiarmid; and the failure probabilities δ/((k + 1)(k + 2)) add up to δ.

    Source: V. Koltchinskii and D. Panchenko, Annals of Statistics 30 (2002), Theorem 2; with these constants,
    for one ρ, M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018), section
    5.4. The union over ρ is done here.

    Examples
    --------
    >>> print(rademacher_margin(m=10_000, radius=1.0, margin=0.25))
    Rademacher margin: risk <= 0.09655 (with probability 0.95)
    """
    (rows,), (less,) = amount(1, m=m), amount(0, short=short)
    (failure,), (gap, length) = between_zero_and_one(delta=delta), positive(margin=margin, radius=radius)
    if less > rows:
        raise ParameterError("short", less, f"<= m ({rows})")
    place = max(0, math.ceil(math.log2(length / gap) - 1e-12))
    level = length * 0.5**place
    complexity = 2 * length / (level * math.sqrt(rows)) if level else math.inf
    deviation = math.sqrt((math.log((place + 1) * (place + 2)) - math.log(failure)) / (2 * rows))
    assumptions = (
        "The m rows are drawn independently from the distribution of which the risk is.",
        "Every row that can be drawn has ‖z‖ <= R: not only those that were.",
        "The margin is that of a unit vector, on rows that absorb the constant if there is one.",
    )
    source = (
        "V. Koltchinskii and D. Panchenko, Annals of Statistics 30 (2002), Theorem 2; constants: M. Mohri, "
        "A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018), section 5.4"
    )
    value = less / rows + complexity + deviation
    return Bound(
        value, "with probability", assumptions, source, "Rademacher margin", "risk", failure, trivial=1.0
    )


def sample_margin(
    m: SupportsIndex,
    length: SupportsFloat,
    margin: SupportsFloat,
    short: SupportsIndex = 0,
    delta: SupportsFloat = 0.05,
) -> Bound:
    """The Rademacher margin bound with the lengths of the rows that were drawn, and of no others.

    Let r² be the mean of ‖z‖² over the m rows drawn. With probability 1 - δ, for every unit vector u and
    every whole number k, positive or not, with ρ = 2^k, ::

        risk(u) <= #{rows with u·z < ρ}/m + 2r/(ρ√m) + 3 √(ln(3(|k| + 1)(|k| + 2)/δ)/2m).

    Evaluated at the largest such ρ up to the margin given, of which `short` rows fall short. Nothing is
    assumed of rows that were not drawn; `rademacher_margin` has 1 in place of 3, and needs their lengths.

    The proof is that of `rademacher_margin` with McDiarmid's inequality once more, for the complexity of the
    sample, which for unit vectors is at most √(Σ‖z‖²)/m; both fail with δ_k/2, and the
    ``δ_k = 2δ/(3(|k| + 1)(|k| + 2))`` add up to δ. The levels ρ do not depend on the rows, as they must not.

    Source: P. L. Bartlett and S. Mendelson, Journal of Machine Learning Research 3 (2002); with these
    constants, for one ρ, M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018),
    sections 3.1 and 5.4. The union over ρ is done here.

    Parameters
    ----------
    length : r, the root of the mean squared length of the rows.

    Examples
    --------
    >>> print(sample_margin(m=10_000, length=1.0, margin=0.25))
    sample margin: risk <= 0.1344 (with probability 0.95)
    """
    (rows,), (less,) = amount(1, m=m), amount(0, short=short)
    (failure,), (gap, size) = between_zero_and_one(delta=delta), positive(margin=margin, length=length)
    if less > rows:
        raise ParameterError("short", less, f"<= m ({rows})")
    place = math.frexp(gap)[1] - 1
    far = abs(place) + 1
    complexity = 2 * (size / 2.0**place) / math.sqrt(rows) if place > -1022 else math.inf
    deviation = 3 * math.sqrt((math.log(3 * far * (far + 1)) - math.log(failure)) / (2 * rows))
    assumptions = (
        "The m rows are drawn independently from the distribution of which the risk is.",
        "The margin is that of a unit vector, on rows that absorb the constant if there is one.",
    )
    source = (
        "P. L. Bartlett and S. Mendelson, Journal of Machine Learning Research 3 (2002); constants: "
        "M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018), section 5.4"
    )
    value = less / rows + complexity + deviation
    return Bound(
        value, "with probability", assumptions, source, "sample margin", "risk", failure, trivial=1.0
    )
