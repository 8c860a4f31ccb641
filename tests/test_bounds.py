"""The bounds: plain runs obey them, extremal runs meet them, and every assumption is needed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count, cycle, islice, repeat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from separatrix import bounds

ROUNDING = 1 + 1e-9


def perceptron(stream, start=None, steps=None, update=lambda margin: margin <= 0):
    """Weights and number of mistakes of a plain perceptron on a finite stream of rows z = s·x."""
    weights, mistakes = start, 0
    steps = iter(steps) if steps is not None else repeat(1.0)
    for row in stream:
        weights = np.zeros(len(row)) if weights is None else weights
        margin = row @ weights
        mistakes += margin <= 0
        if update(margin):
            weights = weights + next(steps) * row
    return weights, mistakes


def until_clean(rows, **options):
    """The same, cycling through the rows until they are separated."""
    weights, mistakes = perceptron(rows, **options)
    passes = 1
    while (rows @ weights <= 0).any():
        passes += 1
        weights, mistakes = perceptron(np.tile(rows, (passes, 1)), **options)
    return mistakes


def separated_rows(seed, n=30, d=3, gap=0.2):
    """Rows with s·u·x >= gap for a unit vector u; returned with u, radius and the margin of u."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    rows = rng.normal(size=(n, d))
    rows += np.outer(np.abs(rows @ u) + gap - rows @ u, u)
    return rows, u, np.linalg.norm(rows, axis=1).max(), (rows @ u).min()


seeds = st.integers(0, 2**32 - 1)

# Margin 1 along (0, 1), radius √5; each row is far on the wrong side of the other.
STEEP = np.array([[2.0, 1.0], [-2.0, 1.0]])


# The record


def test_a_bound_is_a_number_with_its_reasons():
    bound = bounds.novikoff(5.0, 0.5)
    assert float(bound) == bound.value == 100.0
    assert bound.kind == "certain"
    assert bound.delta is None
    assert not bound.vacuous
    assert bound.quantity == "mistakes"
    assert "Novikoff" in bound.source
    assert all(sentence.endswith(".") for sentence in bound.assumptions)
    assert str(bound) == "Novikoff: mistakes <= 100 (certain)"
    with pytest.raises(AttributeError):
        bound.value = 3.0


def test_bounds_compare_as_numbers():
    small, large = bounds.novikoff(1.0, 0.5), bounds.novikoff(2.0, 0.5)
    assert small < large
    assert large > small >= 4
    assert 3 <= small <= 4.0
    assert not small < 4
    assert sorted([large, small]) == [small, large]
    assert min(small, large) is small


def test_kinds_and_confidence():
    likely = bounds.Bound(
        0.2, kind="with probability", delta=0.05, name="held out", quantity="risk", trivial=1
    )
    assert str(likely) == "held out: risk <= 0.2 (with probability 0.95)"
    mean = bounds.Bound(0.2, kind="in expectation", name="n", quantity="risk", trivial=1.0)
    assert str(mean) == "n: risk <= 0.2 (in expectation)"
    with pytest.raises(ValueError, match="delta"):
        bounds.Bound(0.2, kind="with probability")
    with pytest.raises(ValueError, match="delta"):
        bounds.Bound(0.2, kind="with probability", delta=1.0)
    with pytest.raises(ValueError, match="delta"):
        bounds.Bound(0.2, kind="certain", delta=0.1)
    with pytest.raises(ValueError, match="kind"):
        bounds.Bound(0.2, kind="probably")
    with pytest.raises(ValueError, match="not a number"):
        bounds.Bound(math.nan)


def test_vacuous_says_nothing():
    assert bounds.Bound(math.inf).vacuous
    assert bounds.novikoff(1e200, 1e-200).vacuous
    assert bounds.Bound(1.0, trivial=1.0).vacuous
    assert bounds.Bound(0.99, trivial=1.0).vacuous is False
    assert "says nothing" in str(bounds.Bound(math.inf, name="n"))


# Novikoff


@given(seeds)
def test_novikoff_holds(seed):
    rows, _, radius, margin = separated_rows(seed)
    assert until_clean(rows) <= bounds.novikoff(radius, margin)


@pytest.mark.parametrize("d", [1, 2, 9, 50])
def test_novikoff_is_attained_by_orthonormal_rows(d):
    mistakes = until_clean(np.eye(d))
    assert mistakes == d == pytest.approx(bounds.novikoff(1.0, 1 / math.sqrt(d)).value)


@given(seeds)
def test_four_forms_are_one_theorem(seed):
    rows, u, radius, margin = separated_rows(seed)
    value = bounds.novikoff(radius, margin).value
    longer = 7.0 * u
    assert bounds.novikoff_unit(margin / radius).value == pytest.approx(value)
    assert bounds.novikoff(radius, (rows @ longer).min(), norm=7.0).value == pytest.approx(value)
    assert bounds.novikoff_inverse(radius, 1 / margin).value == pytest.approx(value)
    assert bounds.novikoff_squares(1 / margin**2, radius**2).value == pytest.approx(value)


def test_another_separator_gives_a_larger_number():
    rows = np.eye(2)
    best, other = np.array([1.0, 1.0]), np.array([1.0, 2.0])
    radius = 1.0
    of_best = bounds.novikoff(radius, (rows @ best).min(), norm=np.linalg.norm(best))
    of_other = bounds.novikoff(radius, (rows @ other).min(), norm=np.linalg.norm(other))
    assert of_best.value == pytest.approx(bounds.novikoff_inverse(radius, math.sqrt(2)).value)
    assert of_other > of_best


# Certain to the last digit

sizes = st.floats(1e-3, 1e3)


@given(sizes, sizes, sizes, sizes)
def test_certain_bounds_are_never_below_their_theorem(a, b, c, share):
    small, middle, large = sorted((a, b, c))
    epsilon = share / 1e3
    r, g, n, e = map(Fraction, (large, small, middle, epsilon))
    certain = {
        bounds.novikoff(large, small): (r / g) ** 2,
        bounds.novikoff(large, small, norm=middle + 1): (r * Fraction(middle + 1) / g) ** 2,
        bounds.novikoff_unit(epsilon): 1 / e**2,
        bounds.novikoff_inverse(large, middle): (r * n) ** 2,
        bounds.novikoff_squares(large, middle): r * n,
        bounds.batch_perceptron(large, small): (r / g) ** 2,
        bounds.kozinec(large, small, epsilon): ((r / g) ** 2 - 1) / e**2,
        bounds.freund_schapire(large, small, middle, passes=4): ((r + 2 * n) / g) ** 2,
        bounds.novikoff_from_start(large, small, middle, -middle): (r / g) ** 2 + 2 * n / g,
        bounds.passive_aggressive(large, middle): (r * n) ** 2,
        bounds.passive_aggressive(large, middle, [small, epsilon], variant="PA-I", C=share): max(
            r**2, 1 / Fraction(share)
        )
        * (n**2 + 2 * Fraction(share) * (g + e)),
        bounds.passive_aggressive(large, middle, [small, epsilon], variant="PA-II", C=share): (
            r**2 + 1 / (2 * Fraction(share))
        )
        * (n**2 + 2 * Fraction(share) * (g**2 + e**2)),
    }
    for bound, exact in certain.items():
        assert exact <= bound.value
        assert Fraction(math.nextafter(bound.value, 0.0)) < exact or bound.value == exact == 0


@given(sizes, sizes, sizes, st.floats(-1, 1))
def test_certain_bounds_with_a_root_are_never_below_their_theorem(a, b, c, along):
    """M is at least the root of a quadratic equation where that has the right sign there."""
    (small, large), alignment = sorted((a, b)), along * c
    r, g, n, start = map(Fraction, (large, small, c, alignment))
    found = Fraction(bounds.novikoff_from_start(large, small, c, alignment).value)
    assert (start + found * g) ** 2 >= n**2 + found * r**2
    reached = Fraction(bounds.freund_schapire(large, small, c, passes=2).value) * g**2
    squares = reached - r**2 - 2 * n**2  # at least 2√2·RD
    assert squares >= 0 <= squares**2 - 8 * (r * n) ** 2
    total = Fraction(bounds.passive_aggressive(large, small, [c]).value)
    rest = total - (r * g) ** 2 - 2 * n**2  # at least 2U√(R²‖u‖² + U²)
    assert rest >= 0 <= rest**2 - 4 * n**2 * ((r * g) ** 2 + n**2)


def test_values_that_doubles_hold_are_exact():
    assert bounds.novikoff(2.0, 1.0).value == 4.0
    assert bounds.novikoff_from_start(1.0, 0.25, 3.0, 3.0).value == 0.0
    assert bounds.freund_schapire(1.0, 0.5, 1.5, passes=4).value == 64.0
    assert bounds.passive_aggressive(3.0, 0.0, np.ones(99)).value == 396.0
    assert bounds.passive_aggressive(1.0, 0.0, [], variant="PA-I").value == 0.0


def test_steps_that_overflow_or_vanish_break_nothing():
    assert bounds.steps_bound(1.0, 0.1, [1.5e308] * 5).vacuous
    assert bounds.steps_bound(1.0, 0.6, [5e-324] * 2).vacuous


# Novikoff, one assumption dropped at a time


def test_novikoff_needs_the_radius_of_every_row():
    rows = np.array([[100.0, 1.0], [-1.0, 1.0]])
    short, long = np.linalg.norm(rows, axis=1).min(), np.linalg.norm(rows, axis=1).max()
    assert bounds.novikoff(short, 1.0) < until_clean(rows) <= bounds.novikoff(long, 1.0)


def test_novikoff_needs_separable_rows():
    contradiction = islice(cycle([np.array([1.0]), np.array([-1.0])]), 1000)
    assert perceptron(contradiction)[1] > bounds.novikoff(1.0, 0.1)


def test_novikoff_needs_the_margin_on_every_row():
    rows = np.array([[1.0, 0.0], [-1.0, 0.05]])
    u = np.array([1.0, 2.0]) / math.sqrt(5)
    assert until_clean(rows) > bounds.novikoff(1.01, (rows[:1] @ u).min())


def test_novikoff_needs_the_margin_of_a_unit_vector():
    rows = np.eye(9)
    assert until_clean(rows) > bounds.novikoff(1.0, 1.0, norm=1.0)
    assert until_clean(rows) <= bounds.novikoff(1.0, 1.0, norm=3.0)


def test_novikoff_needs_the_start_at_zero():
    rows = np.array([[1.0]])
    assert until_clean(rows, start=np.array([-50.0])) == 51 > bounds.novikoff(1.0, 1.0)


def test_novikoff_needs_equal_steps():
    stream = [STEEP[0], *repeat(STEEP[1], 1000)]
    shrinking = (4.0**-k for k in count())
    assert perceptron(stream)[1] <= bounds.novikoff(math.sqrt(5), 1.0)
    assert perceptron(stream, steps=shrinking)[1] == 1001 > bounds.novikoff(math.sqrt(5), 1.0)


def test_novikoff_needs_updates_at_mistakes_alone():
    stream = np.repeat(STEEP, 1000, axis=0)
    assert perceptron(stream)[1] <= bounds.novikoff(math.sqrt(5), 1.0)
    assert perceptron(stream, update=lambda margin: True)[1] > bounds.novikoff(math.sqrt(5), 1.0)


def test_novikoff_needs_every_mistake_to_update():
    stream = list(repeat(np.array([1.0]), 100))
    assert perceptron(stream, update=lambda margin: margin < 0)[1] == 100 > bounds.novikoff(1.0, 1.0)


# Other starts


@given(seeds, st.floats(0.01, 10))
def test_novikoff_from_start_holds(seed, length):
    rows, u, radius, margin = separated_rows(seed)
    start = length * np.random.default_rng(seed + 1).normal(size=3)
    bound = bounds.novikoff_from_start(radius, margin, np.linalg.norm(start), start @ u)
    assert until_clean(rows, start=start) <= bound.value * ROUNDING


@pytest.mark.parametrize(("d", "c"), [(1, 0.5), (4, 2.0), (25, 0.1), (25, 30.0)])
def test_novikoff_from_start_is_attained(d, c):
    """Rows e_1 ... e_d, start c·e_(d+1), u along their sum: both inequalities of the proof are equalities."""
    rows = np.eye(d, d + 1)
    start = np.append(np.zeros(d), c)
    length = math.sqrt(d + c * c)
    bound = bounds.novikoff_from_start(1.0, 1 / length, c, c * c / length)
    assert until_clean(rows, start=start) == d == pytest.approx(bound.value)


@given(st.floats(0.1, 10), st.floats(0.01, 0.1))
def test_from_zero_the_start_changes_nothing(radius, margin):
    from_start = bounds.novikoff_from_start(radius, margin, 0.0, 0.0)
    assert from_start.value == pytest.approx(bounds.novikoff(radius, margin).value)


def test_a_good_start_needs_few_mistakes():
    assert bounds.novikoff_from_start(1.0, 0.01, 1e6, 1e6).value == 0
    nearly = bounds.novikoff_from_start(1.0, 0.01, 1e9, 1e9 * (1 - 1e-14))
    root = (1e9**2 - (1e9 * (1 - 1e-14)) ** 2) / (2 * 1e9 * 0.01)
    assert nearly.value == pytest.approx(root, rel=0.1)


def test_start_cannot_align_beyond_its_length():
    with pytest.raises(ValueError, match="alignment"):
        bounds.novikoff_from_start(1.0, 0.1, 1.0, -2.0)


# Other steps


@given(seeds, st.lists(st.floats(0.1, 10), min_size=200, max_size=200))
def test_steps_obey_the_inequality_at_every_mistake(seed, steps):
    rows, _, radius, margin = separated_rows(seed, gap=0.5)
    stream = islice(cycle(rows), 300)
    _, mistakes = perceptron(stream, steps=[*steps, *repeat(1.0, 300)])
    taken = np.array([*steps, *repeat(1.0, 300)])[:mistakes]
    assert taken.sum() ** 2 / (taken**2).sum() <= (radius / margin) ** 2 * ROUNDING
    assert mistakes <= bounds.steps_bound(radius, margin, [*steps, *repeat(1.0, 300)])


@pytest.mark.parametrize("step", [1.0, 0.1, 7.0])
def test_equal_steps_give_back_novikoff(step):
    assert bounds.steps_bound(1.0, 1 / 3, [step] * 20).value == 9
    assert bounds.steps_bound(1.0, 0.3, [step] * 20).value == math.floor(1 / 0.3**2)


def test_steps_like_one_over_k_are_bounded():
    harmonic = [1 / k for k in range(1, 5000)]
    bound = bounds.steps_bound(1.0, 0.3, harmonic)
    taken = np.array(harmonic[: int(bound.value) + 1])
    assert taken.sum() ** 2 / (taken**2).sum() > (1 / 0.3) ** 2
    assert not bound.vacuous


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_geometric_steps_are_bounded_by_nothing(ratio):
    """(Ση)²/Ση² stays below (1 + q)/|1 - q|, here 3: the inequality holds for ever."""
    steps = [ratio**k for k in range(1000)]
    assert bounds.steps_bound(1.0, 0.55, steps).vacuous
    assert not bounds.steps_bound(1.0, 0.65, steps).vacuous


def test_steps_may_come_from_an_unending_iterator():
    assert bounds.steps_bound(1.0, 0.5, (k + 1.0 for k in count())).value == 4


def test_with_geometric_steps_mistakes_need_not_end():
    shrinking = [STEEP[0], *repeat(STEEP[1], 900)]
    assert perceptron(shrinking, steps=(4.0**-k for k in count()))[1] == 901
    growing = islice(cycle(STEEP), 900)
    assert perceptron(growing, steps=(2.0**k for k in count()))[1] == 900


# Inseparable streams


@given(seeds, st.integers(1, 5), st.floats(0.1, 5))
def test_freund_schapire_holds(seed, passes, margin):
    rng = np.random.default_rng(seed)
    rows, u = rng.normal(size=(20, 3)), rng.normal(size=3)
    u /= np.linalg.norm(u)
    deviation = np.linalg.norm(np.maximum(0, margin - rows @ u))
    radius = np.linalg.norm(rows, axis=1).max()
    _, mistakes = perceptron(np.tile(rows, (passes, 1)))
    assert mistakes <= bounds.freund_schapire(radius, margin, deviation, passes=passes)


@pytest.mark.parametrize(("n", "passes"), [(2, 1), (10, 1), (10, 7)])
def test_freund_schapire_is_approached(n, passes):
    """One row with both signs in turn and u across it: every row is a mistake, short by γ."""
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]] * (n // 2))
    _, mistakes = perceptron(np.tile(rows, (passes, 1)))
    margin = 1e6
    bound = bounds.freund_schapire(1.0, margin, margin * math.sqrt(n), passes=passes)
    assert mistakes == n * passes <= bound
    assert bound.value == pytest.approx(n * passes, rel=1e-4)


def test_freund_schapire_counts_the_deviation_of_every_pass():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]])
    _, mistakes = perceptron(np.tile(rows, (50, 1)))
    one_pass = bounds.freund_schapire(1.0, 10.0, 10.0 * math.sqrt(2))
    assert mistakes > one_pass
    assert mistakes <= bounds.freund_schapire(1.0, 10.0, 10.0 * math.sqrt(2), passes=50)


def test_without_deviation_freund_schapire_is_novikoff():
    assert bounds.freund_schapire(3.0, 0.2, 0.0, passes=9).value == bounds.novikoff(3.0, 0.2).value


# Whole batches


def batch_turns(rows, combine):
    weights, turns = np.zeros(rows.shape[1]), 0
    while (rows @ weights <= 0).any():
        weights = weights + combine(rows[rows @ weights <= 0])
        turns += 1
    return turns


def mean(violators):
    return violators.mean(axis=0)


def direction(violators):
    return mean(violators) / np.linalg.norm(mean(violators))


@given(seeds)
def test_batch_perceptron_holds(seed):
    rows, _, radius, margin = separated_rows(seed, d=4)
    bound = bounds.batch_perceptron(radius, margin)
    assert batch_turns(rows, mean) <= bound
    assert batch_turns(rows, direction) <= bound
    assert batch_turns(rows, lambda violators: violators[0]) <= bound


def test_batch_perceptron_is_attained_one_violator_at_a_time():
    turns = batch_turns(np.eye(16), lambda violators: violators[0])
    assert turns == bounds.batch_perceptron(1.0, 0.25).value


def test_batch_perceptron_needs_the_mean_and_not_the_sum():
    rows = np.array([*repeat([1.0, 0.0], 500), [-0.9, 0.4]])
    u = np.array([0.38, 1.0]) / math.hypot(0.38, 1.0)
    bound = bounds.batch_perceptron(1.0, (rows @ u).min())
    assert batch_turns(rows, mean) <= bound < batch_turns(rows, lambda violators: violators.sum(axis=0))


# Kozinec


def kozinec(rows, epsilon):
    """Schlesinger and Kozinec's algorithm, first violator first: weights and number of updates."""
    weights, updates = rows[0], 0
    while True:
        violators = np.flatnonzero(rows @ weights <= (1 - epsilon) * (weights @ weights) * (1 - 1e-13))
        if not violators.size:
            return weights, updates
        row = rows[violators[0]]
        share = min(1.0, weights @ (weights - row) / ((weights - row) @ (weights - row)))
        weights, updates = (1 - share) * weights + share * row, updates + 1


def best_margin(rows):
    """The largest margin, from the shortest w with rows·w >= 1 (Lawson and Hanson's LDP by NNLS)."""
    system = np.vstack([rows.T, np.ones(len(rows))])
    solution, _ = nnls(system, np.eye(len(system))[-1])
    residual = system @ solution - np.eye(len(system))[-1]
    weights = -residual[:-1] / residual[-1]
    return (rows @ weights).min() / np.linalg.norm(weights)


@given(seeds, st.sampled_from([0.1, 0.25, 0.5, 0.9, 1.0]))
def test_kozinec_holds_and_delivers_its_share(seed, epsilon):
    rows, _, radius, _ = separated_rows(seed, n=12)
    margin = best_margin(rows)
    weights, updates = kozinec(rows, epsilon)
    assert updates <= bounds.kozinec(radius, margin, epsilon)
    assert (rows @ weights).min() >= (1 - epsilon) * margin * np.linalg.norm(weights) / ROUNDING


@given(seeds, st.floats(0.05, 1.0))
def test_each_kozinec_update_adds_to_the_inverse_square(seed, epsilon):
    rng = np.random.default_rng(seed)
    weights, row = rng.normal(size=(2, 3))
    radius = max(np.linalg.norm(weights), np.linalg.norm(row))
    if row @ weights <= (1 - epsilon) * (weights @ weights):
        share = min(1.0, weights @ (weights - row) / ((weights - row) @ (weights - row)))
        after = (1 - share) * weights + share * row
        assert 1 / (after @ after) * ROUNDING >= 1 / (weights @ weights) + epsilon**2 / radius**2


@pytest.mark.parametrize("d", [2, 9, 30])
def test_kozinec_is_attained_by_orthonormal_rows(d):
    _, updates = kozinec(np.eye(d), 1.0)
    assert updates == d - 1 == pytest.approx(bounds.kozinec(1.0, 1 / math.sqrt(d), 1.0).value)


@pytest.mark.parametrize("epsilon", [0.1, 0.3])
def test_kozinec_needs_the_square_of_epsilon(epsilon):
    """An adversary in the plane, whose rows violate by a hair on either side in turn, reaches half of it."""
    weights, rows = np.array([0.0, 0.5]), [np.array([0.0, 0.5])]
    for turn in range(round(40 / epsilon**2)):
        along = (1 - epsilon) * weights
        across = np.array([weights[1], -weights[0]]) / np.linalg.norm(weights)
        row = along + (-1) ** turn * math.sqrt(1 - along @ along) * across
        share = weights @ (weights - row) / ((weights - row) @ (weights - row))
        weights = (1 - share) * weights + share * row
        rows.append(row)
    bound = bounds.kozinec(1.0, best_margin(np.array(rows)), epsilon)
    assert bound.value / 2 < turn <= bound


def test_kozinec_needs_separable_rows():
    """Without a positive margin ‖w‖ falls to zero: no number of updates is enough."""
    rows = np.array([[1.0, 0.1], [-1.0, 0.1], [0.3, -0.1]])
    weights = rows[0]
    for _ in range(2000):
        row = rows[np.argmin(rows @ weights)]
        assert row @ weights <= 0.5 * (weights @ weights)
        share = min(1.0, weights @ (weights - row) / ((weights - row) @ (weights - row)))
        weights = (1 - share) * weights + share * row
    assert np.linalg.norm(weights) < 0.05


# Passive-aggressive


def passive_aggressive(stream, variant="PA", C=1.0):
    """Mistakes and summed squared hinge losses of the three rules, from zero."""
    weights, mistakes, total = np.zeros(stream.shape[1]), 0, 0.0
    for row in stream:
        loss = max(0.0, 1 - row @ weights)
        mistakes += row @ weights <= 0
        total += loss**2
        length = row @ row
        step = {"PA": loss / length, "PA-I": min(C, loss / length), "PA-II": loss / (length + 1 / (2 * C))}
        weights = weights + step[variant] * row
    return mistakes, total


@given(seeds, st.sampled_from([0.01, 0.3, 1.0, 20.0]))
def test_passive_aggressive_holds_on_separable_rows(seed, C):
    rows, _, radius, margin = separated_rows(seed)
    stream = np.tile(rows, (5, 1))
    for variant in ("PA", "PA-I", "PA-II"):
        bound = bounds.passive_aggressive(radius, 1 / margin, variant=variant, C=C)
        mistakes, total = passive_aggressive(stream, variant, C)
        assert mistakes <= bound
        assert variant == "PA-I" or total <= bound


@given(seeds, st.sampled_from([0.01, 0.3, 1.0, 20.0]))
def test_passive_aggressive_holds_against_any_vector(seed, C):
    rng = np.random.default_rng(seed)
    stream, u = rng.normal(size=(60, 3)), 2 * rng.normal(size=3)
    radius, losses = np.linalg.norm(stream, axis=1).max(), np.maximum(0, 1 - stream @ u)
    for variant in ("PA-I", "PA-II"):
        bound = bounds.passive_aggressive(radius, np.linalg.norm(u), losses, variant=variant, C=C)
        mistakes, total = passive_aggressive(stream, variant, C)
        assert mistakes <= bound
        assert variant == "PA-I" or total <= bound
    equal = 3.0 * stream / np.linalg.norm(stream, axis=1, keepdims=True)
    bound = bounds.passive_aggressive(3.0, np.linalg.norm(u), np.maximum(0, 1 - equal @ u))
    assert passive_aggressive(equal)[1] <= bound


@pytest.mark.parametrize("d", [1, 4, 25])
def test_passive_aggressive_is_attained_by_orthonormal_rows(d):
    """For PA-II at the best vector c(1, ..., 1), c = 2C/(1 + 2C), which errs by 1 - c on every row."""
    norm, C = math.sqrt(d), 0.7
    assert passive_aggressive(np.eye(d))[1] == d == pytest.approx(bounds.passive_aggressive(1.0, norm).value)
    at_one = bounds.passive_aggressive(1.0, norm, variant="PA-I", C=1.0)
    assert passive_aggressive(np.eye(d), "PA-I", 1.0)[0] == d == pytest.approx(at_one.value)
    share = 2 * C / (1 + 2 * C)
    best = bounds.passive_aggressive(1.0, share * norm, np.full(d, 1 - share), variant="PA-II", C=C)
    assert passive_aggressive(np.eye(d), "PA-II", C)[1] == d == pytest.approx(best.value)


def test_passive_aggressive_one_is_approached_against_one_wrong_vector():
    """u = 0 errs by 1 on each of n rows; with C = 1/R² the bound is 2n, and the run makes n mistakes."""
    stream = np.array([[1.0], [-1.0]] * 50)
    assert passive_aggressive(stream, "PA-I", 1.0)[0] == 100
    assert bounds.passive_aggressive(1.0, 0.0, np.ones(100), variant="PA-I", C=1.0).value == 200


def test_formulas_of_the_paper():
    assert bounds.passive_aggressive(3.0, 2.0, [0.5, 1.5], variant="PA-I", C=0.05).value == pytest.approx(
        20 * 4.2
    )
    assert bounds.passive_aggressive(3.0, 2.0, [0.5, 1.5], variant="PA-I", C=2.0).value == pytest.approx(
        9 * 12
    )
    paper = (9 + 0.25) * (4 + 4 * 2.5)
    assert bounds.passive_aggressive(3.0, 2.0, [0.5, 1.5], variant="PA-II", C=2.0).value == pytest.approx(
        paper
    )
    assert bounds.passive_aggressive(3.0, 2.0).value == 36
    assert bounds.passive_aggressive(1.0, 2.0, [0.6, 0.8]).value == pytest.approx((1 + math.sqrt(5)) ** 2)
    assert (1 + math.sqrt(5)) ** 2 <= (2 + 2 * 1) ** 2


def test_passive_aggressive_is_approached_against_the_zero_vector():
    """One row with both signs in turn: its losses are 1, 2, 2, ..., those of u = 0 are all 1."""
    stream = np.array([[3.0], [-3.0]] * 50)
    assert passive_aggressive(stream)[1] == pytest.approx(1 + 4 * 99)
    assert bounds.passive_aggressive(3.0, 0.0, np.ones(100)).value == pytest.approx(4 * 100)


def test_passive_aggressive_without_slack_needs_rows_of_one_length():
    """A short row that u gets wrong throws the weights far off: PA has no bound by R and the losses then."""
    u = np.array([1.0, 1.0])
    stream = np.array([[-1e-3, 0.0], *repeat([1.0, 0.1], 5), *repeat([0.1, 1.0], 5)])
    losses = np.maximum(0, 1 - stream @ u)
    assert passive_aggressive(stream)[1] > bounds.passive_aggressive(1.1, math.sqrt(2), losses)


def test_passive_aggressive_two_needs_its_slack():
    stream = np.tile([[1.0, 0.0], [-1.0, 0.0]], (50, 1))
    bound = bounds.passive_aggressive(1.0, 0.0, np.ones(100), variant="PA-II", C=0.1)
    assert passive_aggressive(stream, "PA-II", 0.1)[1] <= bound
    assert passive_aggressive(stream, "PA")[1] > bound


# Arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.novikoff(-1.0, 1.0), "radius must be >= 0 and finite; got -1.0"),
        (lambda: bounds.novikoff(1.0, 0.0), "margin must be > 0 and finite; got 0.0"),
        (lambda: bounds.novikoff(1.0, math.nan), "margin must be > 0 and finite; got nan"),
        (lambda: bounds.novikoff(math.nan, 1.0), "radius must be >= 0 and finite; got nan"),
        (lambda: bounds.novikoff(math.inf, 1.0), "radius must be >= 0 and finite; got inf"),
        (lambda: bounds.novikoff(1.0, 2.0), r"margin \(2.0\) cannot exceed radius \(1.0\)"),
        (lambda: bounds.novikoff(1.0, 2.0, norm=1.5), r"margin \(2.0\) cannot exceed radius · norm \(1.5\)"),
        (lambda: bounds.novikoff_unit(1.5), r"margin \(1.5\) cannot exceed radius \(1.0\)"),
        (lambda: bounds.novikoff_unit(-0.5), "margin"),
        (lambda: bounds.novikoff_inverse(1.0, 0.0), "inverse_margin must be > 0 and finite"),
        (lambda: bounds.novikoff_squares(-1.0, 1.0), "squared_norm"),
        (lambda: bounds.novikoff_from_start(1.0, 0.1, -1.0, 0.0), "start_norm"),
        (lambda: bounds.novikoff_from_start(1.0, 0.1, 1.0, math.nan), "start_alignment"),
        (lambda: bounds.steps_bound(1.0, 0.1, []), "at least one step"),
        (lambda: bounds.steps_bound(1.0, 0.1, [1.0, 0.0]), "step must be > 0 and finite; got 0.0"),
        (lambda: bounds.freund_schapire(1.0, 0.1, -1.0), "deviation"),
        (lambda: bounds.freund_schapire(1.0, 0.1, 1.0, passes=0), "passes must be > 0 and finite"),
        (lambda: bounds.batch_perceptron(1.0, -1.0), "margin"),
        (lambda: bounds.kozinec(1.0, 0.1, 0.0), "epsilon must be > 0 and <= 1; got 0.0"),
        (lambda: bounds.kozinec(1.0, 0.1, 1.1), "epsilon"),
        (lambda: bounds.passive_aggressive(1.0, 1.0, C=0.0), "C must be > 0 and finite"),
        (lambda: bounds.passive_aggressive(1.0, 1.0, [-0.1], variant="PA-I"), "losses"),
        (
            lambda: bounds.passive_aggressive(1.0, 1.0, variant="PA-III"),
            "variant must be 'PA', 'PA-I' or 'PA-II'; got 'PA-III'",
        ),
    ],
)
def test_bad_arguments_get_their_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rounding_of_a_margin_as_long_as_the_row_is_forgiven():
    assert bounds.novikoff(1.0, math.nextafter(1.0, 2.0)).value == pytest.approx(1.0)
    assert bounds.kozinec(1.0, math.nextafter(1.0, 2.0), 1.0).value == 0


def test_numpy_numbers_overflow_in_silence():
    assert bounds.novikoff(np.float64(1e200), np.float64(1e-200)).vacuous
    assert isinstance(bounds.novikoff(np.float32(1), np.float32(0.5)).value, float)


def test_a_margin_that_is_the_length_of_its_row_up_to_rounding_bounds_by_one():
    assert bounds.novikoff(1.0, 1.0 + 1e-10).value == 1.0
