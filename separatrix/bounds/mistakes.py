"""How many mistakes an online learner can make.

The perceptron's bounds share one proof. With u a unit vector of margin γ, every mistake moves w·u up by γ or
more and ‖w‖² up by R² or less, since s·w·x <= 0 where a mistake is made; w·u <= ‖w‖ does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, SupportsFloat

import numpy as np

from separatrix.bounds.arguments import difficulty, nonnegative, numbers, positive
from separatrix.bounds.bound import Bound
from separatrix.bounds.safe_rounding import root, sums, up
from separatrix.messages import ParameterError

_NOVIKOFF = (
    "A. B. J. Novikoff, On convergence proofs on perceptrons, "
    "Symposium on the Mathematical Theory of Automata 12 (1962), 615-622"
)

_AT_MISTAKES = "The weights move at mistakes alone, s·w·x <= 0, and at every one of them."
_FROM_ZERO = "The weights start at zero."
_EQUAL_STEPS = "Every step adds the row s·x times one and the same positive number."
_RUN = (_AT_MISTAKES, _FROM_ZERO, _EQUAL_STEPS)


def novikoff(radius: SupportsFloat, margin: SupportsFloat, norm: SupportsFloat = 1.0) -> Bound:
    """Novikoff's theorem (1962): the perceptron makes at most R²‖w*‖²/γ² mistakes.

    Let every row have ‖z‖ <= R, and let some w* have w*·z >= γ > 0 on every row. Then the perceptron from
    w = 0, with equal steps, makes at most (R‖w*‖/γ)² mistakes, on any sequence of these rows in any order,
    however long and whoever chose it. With ‖w*‖ = 1 this is (R/γ)², least at the maximum-margin w*.

    The proof: after M mistakes w·w* >= Mγ and ‖w‖² <= MR², so Mγ <= ‖w‖‖w*‖ <= √M·R‖w*‖. Orthonormal rows
    e₁ ... e_d attain it: d mistakes, R = 1, γ = 1/√d.

    Source: A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata 12 (1962), 615-622.

    Parameters
    ----------
    radius : R, the length of the longest row.
    margin : γ, the smallest w*·z; the geometric margin when w* is a unit vector.
    norm : ‖w*‖

    Examples
    --------
    >>> print(novikoff(radius=5.0, margin=0.5))
    Novikoff: mistakes <= 100 (certain)
    """
    ratio = difficulty(radius, margin, norm)
    rows = ("Every row has ‖z‖ <= R.", "Some w* has w*·z >= γ > 0 on every row.")
    return Bound(up(ratio**2), "certain", (*rows, *_RUN), _NOVIKOFF, "Novikoff")


def novikoff_unit(margin: SupportsFloat) -> Bound:
    """Novikoff's theorem for rows in the unit ball and a unit w*: at most 1/γ² mistakes.

    Rows of length at most R come to it divided by R; so does their margin.

    Source: A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata 12 (1962), 615-622.

    >>> novikoff_unit(0.1).value
    100.0
    """
    ratio = difficulty(1.0, margin)
    rows = ("Every row has ‖z‖ <= 1.", "Some unit vector w* has w*·z >= γ > 0 on every row.")
    return Bound(up(ratio**2), "certain", (*rows, *_RUN), _NOVIKOFF, "Novikoff, unit")


def novikoff_inverse(radius: SupportsFloat, inverse_margin: SupportsFloat) -> Bound:
    """Novikoff's theorem with B = min{‖w‖ : w·z >= 1 on every row}: at most (RB)² mistakes.

    B is the inverse of the largest margin, so this is the least value that `novikoff` takes over all w*.

    Source: S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), Theorem 9.1.

    >>> novikoff_inverse(radius=5.0, inverse_margin=2.0).value
    100.0
    """
    (length,), (norm,) = nonnegative(radius=radius), positive(inverse_margin=inverse_margin)
    rows = ("Every row has ‖z‖ <= R.", "Some w of length B has w·z >= 1 on every row.")
    source = "S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), Theorem 9.1"
    value = up((Fraction(length) * Fraction(norm)) ** 2)
    return Bound(value, "certain", (*rows, *_RUN), source, "Novikoff, inverse")


def novikoff_squares(squared_norm: SupportsFloat, squared_radius: SupportsFloat) -> Bound:
    """Novikoff's theorem in squares: at most min‖u‖²·max‖z‖² mistakes, over u with u·z >= 1 on every row.

    Source: A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata 12 (1962), 615-622.

    >>> novikoff_squares(squared_norm=4.0, squared_radius=25.0).value
    100.0
    """
    (norm,), (length,) = positive(squared_norm=squared_norm), nonnegative(squared_radius=squared_radius)
    rows = (
        "The longest row has squared length max‖z‖².",
        "Some u of squared length min‖u‖² has u·z >= 1 on every row.",
    )
    value = up(Fraction(norm) * Fraction(length))
    return Bound(value, "certain", (*rows, *_RUN), _NOVIKOFF, "Novikoff, squares")


def novikoff_from_start(
    radius: SupportsFloat, margin: SupportsFloat, start_norm: SupportsFloat, start_alignment: SupportsFloat
) -> Bound:
    """Novikoff's theorem from a start w₀, with a = w₀·u for the unit vector u whose margin is γ.

    Let every row have ‖z‖ <= R and u·z >= γ > 0, ‖u‖ = 1. With unit steps the mistakes are at most

        M = [R² - 2aγ + √((R² - 2aγ)² + 4γ²(‖w₀‖² - a²))] / (2γ²).

    The proof: w·u >= a + Mγ and ‖w‖² <= ‖w₀‖² + MR² give (a + Mγ)² <= ‖w₀‖² + MR² where the left base is
    positive; elsewhere M < -a/γ, which is below the root too. Rows e₁ ... e_d from w₀ = c·e_(d+1), with u
    along e₁ + ... + e_d + c·e_(d+1), attain it. Steps η other than 1 are unit steps from w₀/η.

    Source: A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata 12 (1962), 615-622;
    the form for other starts: the proof above.

    Examples
    --------
    >>> novikoff_from_start(radius=1.0, margin=0.5, start_norm=0.0, start_alignment=0.0).value
    4.0
    >>> novikoff_from_start(radius=1.0, margin=0.5, start_norm=10.0, start_alignment=-10.0).value
    44.0
    """
    ratio = difficulty(radius, margin)
    (length,), (gap,) = nonnegative(start_norm=start_norm), positive(margin=margin)
    (alignment,) = numbers(start_alignment=start_alignment)
    if not abs(alignment) <= length * (1 + 1e-9):
        size = f"between -start_norm and start_norm ({start_norm})"
        raise ParameterError("start_alignment", start_alignment, size)
    start, along = Fraction(length) / Fraction(gap), Fraction(alignment) / Fraction(gap)
    half, rest = ratio**2 / 2 - along, max(Fraction(0), start * start - along * along)
    square = half * half + rest
    # For a good start `half` is negative: the other form of the root does not cancel, with √ from below.
    value = half + root(square) if half >= 0 else rest / (square / root(square) - half)
    rows = (
        "Every row has ‖z‖ <= R.",
        "Some unit vector u has u·z >= γ > 0 on every row.",
        "The weights start at w₀, of which start_norm is the length and start_alignment is w₀·u.",
    )
    run = (_AT_MISTAKES, "Every step adds the row s·x.")
    return Bound(up(value), "certain", (*rows, *run), _NOVIKOFF, "Novikoff, start")


def steps_bound(radius: SupportsFloat, margin: SupportsFloat, steps: Iterable[SupportsFloat]) -> Bound:
    """Novikoff's theorem for steps η₁, η₂, ...: a statement about the steps taken.

    Let every row have ‖z‖ <= R and u·z >= γ > 0, ‖u‖ = 1. If the k-th mistake adds η_k·z, from w = 0, then
    after every mistake (Ση)²/Ση² <= (R/γ)², the sums over the steps taken so far; for w·u >= γΣη and
    ‖w‖² <= R²Ση².

    The bound on the mistakes is the first k at which the steps given break this, less one. If they never do
    it is infinite, and says nothing: geometric steps q^k keep (Ση)²/Ση² below ``(1 + q)/|1 - q|`` for ever,
    and where (R/γ)² is above that there are rows on which the mistakes never end.

    Source: A. B. J. Novikoff, Symposium on the Mathematical Theory of Automata 12 (1962), 615-622;
    the form for steps: the proof above.

    Examples
    --------
    >>> steps_bound(radius=1.0, margin=0.5, steps=[0.3] * 10).value
    4.0
    >>> steps_bound(radius=1.0, margin=0.5, steps=(2.0**-k for k in range(1000))).vacuous
    True
    """
    if not isinstance(steps, Iterable):
        raise ParameterError("steps", steps, "a sequence of numbers > 0")
    most = up(difficulty(radius, margin))
    total = length = 0.0
    value = math.inf
    for taken, step in enumerate(steps):
        (size,) = positive(step=step)
        total, length = total + size, math.hypot(length, size)
        # One part in 10⁹, and a few ulps a step, keep rounding from calling a tie broken; sums that overflow
        # and lengths near the least doubles tell nothing.
        slack = 1 + 1e-9 + taken * 2.0**-50
        if length > 1e-290 and most * slack < total / length < math.inf:
            value = float(taken)
            break
    if not total:
        raise ValueError("steps must hold at least one step")
    rows = ("Every row has ‖z‖ <= R.", "Some unit vector u has u·z >= γ > 0 on every row.")
    run = (_AT_MISTAKES, _FROM_ZERO, "The k-th mistake adds the row s·x times the k-th step.")
    return Bound(value, "certain", (*rows, *run), _NOVIKOFF, "Novikoff, steps")


def freund_schapire(
    radius: SupportsFloat, margin: SupportsFloat, deviation: SupportsFloat, passes: SupportsFloat = 1
) -> Bound:
    """Freund and Schapire's theorem (1999): at most ((R + D)/γ)² mistakes on rows that need not be separable.

    Let every row have ‖z‖ <= R. For any unit vector u and any γ > 0, let d_i = max(0, γ - u·z_i) be how far
    row i falls short of margin γ, and D² = Σd_i² over the sequence of rows *seen*. The perceptron from
    w = 0 with equal steps makes at most ((R + D)/γ)² mistakes on it. Seeing the same rows in T passes makes
    D larger by a factor √T.

    The proof adds to the i-th row a coordinate of its own, of size Δ, in which u makes up for d_i; then
    `novikoff`, with Δ = √(RD). A row with both signs in turn and u across it comes as near to the bound as
    one likes, for large γ.

    Source: Y. Freund and R. E. Schapire, Machine Learning 37 (1999), Theorem 2.

    Parameters
    ----------
    deviation : D of one pass.
    passes : T

    Examples
    --------
    >>> print(freund_schapire(radius=1.0, margin=0.5, deviation=1.5))
    Freund and Schapire: mistakes <= 25 (certain)
    >>> freund_schapire(radius=1.0, margin=0.5, deviation=1.5, passes=4).value
    64.0
    """
    length, short = nonnegative(radius=radius, deviation=deviation)
    gap, times = positive(margin=margin, passes=passes)
    longest, spread = Fraction(length), Fraction(short)
    squares = longest**2 + Fraction(times) * spread**2
    value = (squares + 2 * root(Fraction(times) * (longest * spread) ** 2)) / Fraction(gap) ** 2
    assumptions = (
        "Every row has ‖z‖ <= R.",
        "D is the root of the sum of squared shortfalls max(0, γ - u·z), for a unit vector u, over one pass.",
        *_RUN,
    )
    source = "Y. Freund and R. E. Schapire, Machine Learning 37 (1999), Theorem 2"
    return Bound(up(value), "certain", assumptions, source, "Freund and Schapire")


def passive_aggressive(
    radius: SupportsFloat,
    norm: SupportsFloat,
    losses: Any = 0.0,
    *,
    C: SupportsFloat = 1.0,
    variant: str = "PA",
) -> Bound:
    """Crammer, Dekel, Keshet, Shalev-Shwartz and Singer's theorems (2006) on the passive-aggressive learners.

    Let every row have ‖z‖ <= R. Take any u, and let ℓ*_t = max(0, 1 - u·z_t) be its hinge losses on the
    sequence of rows seen, all 0 where u has margin 1 or more. The learner starts at w = 0 and at each row,
    with loss ℓ = max(0, 1 - w·z), adds τz.

    - PA, τ = ℓ/‖z‖²: the sum of its squared losses is at most R²‖u‖² where all ℓ* are 0 (Theorem 2). Where
      they are not, and all rows have length R exactly, it is at most (U + √(R²‖u‖² + U²))², U² = Σℓ*²
      (Theorem 3, for R = 1, goes one step further, to (‖u‖ + 2U)²).
    - PA-I, τ = min(C, ℓ/‖z‖²): it makes at most max(R², 1/C)(‖u‖² + 2CΣℓ*) mistakes (Theorem 4).
    - PA-II, τ = ℓ/(‖z‖² + 1/2C): the sum of its squared losses is at most (R² + 1/2C)(‖u‖² + 2CΣℓ*²)
      (Theorem 5).

    A mistake has a loss of 1 or more, so each is also a bound on mistakes. All rest on one lemma, that
    Στ(2ℓ - τ‖z‖² - 2ℓ*) <= ‖u‖². Orthonormal rows attain PA, PA-I (C = 1) and PA-II (at its best u).

    Source: K. Crammer et al., Journal of Machine Learning Research 7 (2006), Theorems 2 to 5.

    Parameters
    ----------
    norm : ‖u‖; where rows have margin γ with a unit vector, u = (1/γ) times it has losses 0 and length 1/γ.
    losses : the ℓ*, one for each row seen.

    Examples
    --------
    >>> print(passive_aggressive(radius=1.0, norm=2.0))
    PA: sum of squared hinge losses <= 4 (certain)
    >>> print(passive_aggressive(radius=1.0, norm=2.0, losses=[0.0, 1.5], C=0.5, variant="PA-I"))
    PA-I: mistakes <= 11 (certain)
    """
    length, size = nonnegative(radius=radius, norm=norm)
    (slack,) = positive(C=C)
    try:
        regret = np.atleast_1d(np.asarray(losses, dtype=np.float64)).ravel()
    except (TypeError, ValueError):
        raise ValueError("losses must be zero or positive numbers") from None
    if not (np.isfinite(regret) & (regret >= 0)).all():
        raise ValueError("losses must be zero or positive numbers")
    total, squares = sums(regret.tolist())
    row, u, rate = Fraction(length) ** 2, Fraction(size) ** 2, Fraction(slack)
    exactly = "exactly" if variant == "PA" and squares else "at most"
    assumptions = (
        f"Every row has length {exactly} R.",
        "The losses are the hinge losses of u on every row seen.",
        "The weights start at zero.",
        f"Every row with a hinge loss moves them by the step of {variant}.",
    )
    quantity = "sum of squared hinge losses"
    if variant == "PA":
        value, theorem = row * u + 2 * squares + 2 * root(squares * (row * u + squares)), 3 if squares else 2
    elif variant == "PA-I":
        value, theorem = max(row, 1 / rate) * (u + 2 * rate * total), 4
        quantity = "mistakes"
    elif variant == "PA-II":
        value, theorem = (row + 1 / (2 * rate)) * (u + 2 * rate * squares), 5
    else:
        raise ParameterError("variant", variant, "'PA', 'PA-I' or 'PA-II'")
    source = f"K. Crammer et al., Journal of Machine Learning Research 7 (2006), Theorem {theorem}"
    return Bound(up(value), "certain", assumptions, source, variant, quantity)
