"""Families on which a perceptron works as hard as its theorem allows."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.problems.known_answer import Problem
from separatrix.problems.planted import RandomState

__all__ = ["exponential", "greater_than", "orthonormal", "planar_half", "shrinking_margin", "variable_steps"]


def orthonormal(d: int = 16) -> Problem:
    """The rows e₁ … e_d, without intercept: mistakes = d = (R/γ)², the bound attained.

    Why: an update on one row leaves the score of every other at 0, so each row is a mistake exactly once,
    in any order and for any labels. Signs s as weights give every row margin 1/‖s‖ = 1/√d, and Σ s·x/d has
    that norm. Labels alternate.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.orthonormal(9)
    >>> problem.least_mistakes, problem.mistake_bound
    (9, 9.0)
    """
    _at_least(d, 1, "orthonormal needs a column")
    y = np.where(np.arange(d) % 2 == 0, 1, -1)
    return Problem(
        X=np.eye(d),
        y=y,
        name="orthonormal",
        description=f"The {d} unit vectors, labels alternating.",
        separable=True,
        kind="complete",
        halfspace=(tuple(y.tolist()), 0),
        margin_squared=Fraction(1, d),
        intercept=False,
        fewest_errors=0,
        least_mistakes=d,
    )


def planar_half(n: int = 8) -> Problem:
    """Three whole-number rows in the plane, without intercept: 2n² + 1 mistakes of at most (R/γ)² = 4n² + 1.

    The signed rows are (1, n), (1, −2n), (1, 2n). Taken in turn, the second weight goes n, −n, n, … while
    the first counts mistakes; the k-th weights (k, ±n) err on the row (1, ∓2n) as long as k ≤ 2n². The
    halfway point (1, 0) of the last two rows shows γ = 1.

    **In the plane no sequence makes more than R²/(2γ²) + 1 mistakes**, so this family is the worst there
    is. Take R = 1, c² = 1 − γ², the best separator along the first axis, and w_j = (p_j, q_j) after j
    mistakes; then p_j ≥ jγ. A mistake (a, b) has a ≥ γ, ``|b| ≤ c``, and b against q_j in sign with
    ``|b|·|q_j| ≥ a·p_j``, so ``|q_j| ≥ jγ²/c`` and ``|b| ≥ jγ²/|q_j|``; by induction ``|q_j| ≤ c``. Suppose
    w_j and w_{j+1} both err. If q changes sign, ``c ≥ |b| = |q_j| + |q_{j+1}|``; if not,
    ``c ≥ |q_j| = |b| + |q_{j+1}|``. Either way c ≥ (2j + 1)γ²/c. With j = M − 2: M ≤ c²/(2γ²) + 3/2 =
    1/(2γ²) + 1.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.planar_half(10)
    >>> problem.least_mistakes, problem.mistake_bound
    (201, 401.0)
    """
    _at_least(n, 1, "planar_half needs n")
    return Problem(
        X=np.array([[1.0, n], [-1.0, 2.0 * n], [1.0, 2.0 * n]]),
        y=np.array([1, -1, 1]),
        name="planar_half",
        description="Three rows in the plane on which half of (R/γ)² is reached, the most possible there.",
        separable=True,
        kind="complete",
        halfspace=((1, 0), 0),
        margin_squared=Fraction(1),
        intercept=False,
        fewest_errors=0,
        least_mistakes=2 * n * n + 1,
        sequence=(0, 1, 2),
    )


def exponential(d: int = 8) -> Problem:
    """2d rows of −1, 0, 1 on which every perceptron makes at least 2^(d−1) mistakes.

    The rows are ±zᵢ with labels ±1, zᵢ = eᵢ − e₁ − … − eᵢ₋₁. Whole-number weights with ``zᵢ·w > |b|`` have
    w₁ ≥ 1, w₂ ≥ 2, w₃ ≥ 4, …, w_d ≥ 2^(d−1), and a mistake moves a weight by 1 at most: with or without
    intercept, in any order. Known too: γ² = 3/(4^d − 1), attained by w = (1, 2, 4, …), because w = Σαᵢzᵢ
    with αᵢ = wᵢ + Σ_{j>i} αⱼ > 0 while every zᵢ·w = 1; the mirrored rows keep the best intercept at 0.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.exponential(20)
    >>> len(problem.X), problem.least_mistakes
    (40, 524288)
    """
    _at_least(d, 1, "exponential needs a column")
    rows = np.eye(d) - np.tri(d, k=-1)
    return Problem(
        # Adding 0.0 turns the −0.0 of a negated zero into 0.0.
        X=np.stack([rows, -rows], axis=1).reshape(2 * d, d) + 0.0,
        y=np.tile([1, -1], d),
        name="exponential",
        description=f"Rows in {d} columns that only weights doubling from column to column separate.",
        separable=True,
        kind="complete",
        halfspace=(tuple(2**i for i in range(d)), 0),
        margin_squared=Fraction(3, 4**d - 1),
        fewest_errors=0,
        least_mistakes=2 ** (d - 1),
    )


def greater_than(k: int = 3, pairs: int | None = None, *, random_state: RandomState = 0) -> Problem:
    """Is a > b? Two k-bit numbers as 2k columns of 0 and 1, the lowest bit first, a before b.

    Known: 2a − 2b − 1 > 0 says so, and γ² = 3/(8(4^k − 1)): the rows (2ⁱ, 2ⁱ−1), (2ⁱ−1, 2ⁱ−1), (2ⁱ, 2ⁱ)
    touch that margin, and their differences are the vectors zᵢ of `exponential`, in a and (reversed) in b.
    Whole-number weights must reach 2^k: with (u, −v, −t), t ≥ 1, those rows give uᵢ ≥ Σ_{j<i} vⱼ + t + 1
    and vᵢ ≥ uᵢ − t + 1. So every perceptron makes 2^k mistakes at least.

    Parameters
    ----------
    pairs
        None: all 4^k pairs (k up to 10). A number: the rows named above and so many pairs at random beside
        them, every second one a near tie (k up to 60; floats fail here long before: see the weights).

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.greater_than(4)
    <greater_than: 256 × 8, complete, margin 0.038348>
    >>> problems.greater_than(50, pairs=100).halfspace[0][49] == 2**50
    True
    """
    _at_least(k, 1, "greater_than needs a bit")
    if k > (10 if pairs is None else 60):
        raise ValueError(f"{k} bits are too many; all pairs go to k = 10, a number of pairs to k = 60.")
    if pairs is None:
        a, b = (side.ravel() for side in np.indices((2**k, 2**k), dtype=np.int64))
    else:
        power = 2 ** np.arange(k, dtype=np.int64)
        rng = np.random.default_rng(random_state)
        drawn, other = rng.integers(0, 2**k, size=(2, pairs))
        other[::2] = np.clip(drawn[::2] + rng.integers(-1, 2, size=len(drawn[::2])), 0, 2**k - 1)
        a = np.concatenate([power, power - 1, power, drawn])
        b = np.concatenate([power - 1, power - 1, power, other])
    weights = tuple(2 ** (i + 1) for i in range(k))
    return Problem(
        X=np.hstack([_bits(a, k), _bits(b, k)]),
        y=(a > b).astype(np.int64),
        name="greater_than",
        description=f"Whether one {k}-bit number exceeds another.",
        separable=True,
        kind="complete",
        halfspace=(weights + tuple(-weight for weight in weights), -1),
        margin_squared=Fraction(3, 8 * (4**k - 1)),
        fewest_errors=0,
        least_mistakes=2**k,
        columns=tuple(f"{side}{i}" for side in "ab" for i in range(k)),
    )


def shrinking_margin(k: int = 8) -> tuple[Problem, ...]:
    """k + 1 problems, each the one before and two rows more: all separable, with margins 1, 1/2, 1/4, …

    The added rows of step i are (2⁻ⁱ, 1), positive, and (−2⁻ⁱ, 1), negative. The first column separates with
    margin 2⁻ⁱ, and that pair is 2·2⁻ⁱ apart; its signed rows have (2⁻ⁱ, 0) halfway, so the same holds without
    intercept. The radius stays √2. Adding rows, separable as they are, can shrink γ without end, and the
    bound (R/γ)² grows as 4ⁱ.

    Examples
    --------
    >>> from separatrix import problems
    >>> [problem.margin for problem in problems.shrinking_margin(3)]
    [1.0, 0.5, 0.25, 0.125]
    """
    if not 0 <= k <= 1000:
        raise ValueError(f"shrinking_margin takes k from 0 to 1000, not {k}.")
    half = 2.0 ** -np.arange(k + 1)
    X = np.column_stack([np.stack([half, -half], axis=1).ravel(), np.ones(2 * k + 2)])
    y = np.tile([1, -1], k + 1)
    return tuple(
        Problem(
            X=X[: 2 * i + 2].copy(),
            y=y[: 2 * i + 2].copy(),
            name=f"shrinking_margin {i}",
            description=f"Pairs of rows ever nearer to each other, the last at distance 2^{1 - i}.",
            separable=True,
            kind="complete",
            halfspace=((1, 0), 0),
            margin_squared=Fraction(1, 4**i),
            fewest_errors=0,
        )
        for i in range(k + 1)
    )


def variable_steps(ratio: float = 2.0) -> Problem:
    """Two separable rows, and steps ηₖ = ratioᵏ with which the perceptron errs on them for ever.

    For steps ηₖ the theorem says (Ση)²/Ση² ≤ (R/γ)², here 5. Geometric steps keep the left side below
    ``(ratio + 1)/|ratio − 1|`` however many mistakes there are, so it bounds nothing (for ratio 2: 3).

    The signed rows are (1, 2) and (1, −2), without intercept: γ = 1, R² = 5, and their product is −3.
    Growing steps, ratio > 5/3: the mistakes alternate, and after one with step η the score of the other row
    is η·(−3 + 5/r − 3/r² + 5/r³ − …) < 0. Shrinking steps, ratio < 3/8: the later steps add up to less than
    3/5, so the second row keeps a score below −3 + 5·3/5 = 0. (In doubles, steps overflow after about
    1000/log₂ ratio.)

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.variable_steps()
    >>> [problem.step(k) for k in range(4)]
    [1.0, 2.0, 4.0, 8.0]
    """
    if not (0 < ratio < 3 / 8 or 5 / 3 < ratio < np.inf):
        raise ValueError(f"The example holds for ratios below 3/8 or above 5/3, not for {ratio!r}.")
    return Problem(
        X=np.array([[1.0, 2.0], [-1.0, 2.0]]),
        y=np.array([1, -1]),
        name="variable_steps",
        description=f"Separable rows on which steps {ratio!r}^k never come to an end.",
        separable=True,
        kind="complete",
        halfspace=((1, 0), 0),
        margin_squared=Fraction(1),
        intercept=False,
        fewest_errors=0,
        sequence=(0, 1),
        step=partial(pow, float(ratio)),
    )


def _bits(numbers: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    return ((numbers[:, None] >> np.arange(k)) & 1).astype(np.float64)


def _at_least(value: int, least: int, what: str) -> None:
    if value < least:
        raise ValueError(f"{what} of at least {least}, not {value}.")
