"""Points that cancel with positive multipliers: what floats prove, whole numbers confirm."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.certificates.check import dependency
from separatrix.certificates.replay import circuits

entries = (
    st.integers(-4, 4) | st.integers(-(2**53), 2**53) | st.sampled_from([2**900, -(2**900), 1, 2**60 + 1])
)


@st.composite
def points(draw):
    n = draw(st.integers(4, 7))
    return draw(st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n + 1, max_size=n + 1))


@settings(max_examples=300)
@given(points())
def test_floats_never_claim_what_whole_numbers_deny(given):
    exact = dependency._cancel_exactly(given)
    for surely in (dependency.cancel_in_floats, circuits._cancel_in_floats):
        assert exact or not surely(given)
    assert dependency.cancel(given) == circuits.cancel(given) == exact


def planted(n: int, seed: int, least: float) -> list[list[int]]:
    """n + 1 points that cancel with multipliers down to ``least``, up to the rounding of the last point."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n, n))
    multipliers = np.append(random.random(n - 1) + 0.1, least)
    last = -(multipliers @ rows)
    return [[int(Fraction(v) * 2**1074) for v in row] for row in [*rows.tolist(), last.tolist()]]


@pytest.mark.parametrize("n", [4, 9, 25])
@pytest.mark.parametrize("seed", range(4))
def test_a_clear_dependency_needs_no_elimination(n, seed):
    rows = planted(n, seed, 0.2)
    assert dependency.cancel_in_floats(rows)
    assert circuits._cancel_in_floats(rows)
    assert dependency._cancel_exactly(rows)


@pytest.mark.parametrize("least", [1e-17, -1e-17, 0.0, -1e-3, -0.5])
def test_one_that_is_not_clear_is_left_to_whole_numbers(least):
    for seed in range(5):
        rows = planted(9, seed, least)
        assert not dependency.cancel_in_floats(rows)
        assert not circuits._cancel_in_floats(rows)
        assert dependency.cancel(rows) == circuits.cancel(rows) == dependency._cancel_exactly(rows)


def test_rows_of_less_than_full_rank_are_not_for_floats():
    rows = planted(6, 0, 0.3)
    rows = [[*row[:5], row[4]] for row in rows]
    assert not dependency.cancel_in_floats(rows)
    assert not circuits._cancel_in_floats(rows)


def test_what_doubles_do_not_hold_is_not_for_floats():
    rows = planted(6, 0, 0.3)
    rows[0][0] = rows[0][0] * 2**60 + 1
    assert dependency.in_doubles(rows) is None
    assert dependency.in_doubles(planted(6, 0, 0.3)[:-1]) is None
    far = planted(6, 0, 0.3)
    far[0][0] = far[1][0] << 2000
    assert dependency.in_doubles(far) is None


@pytest.mark.parametrize("seed", range(40))
def test_flint_agrees_with_elimination_on_points_of_a_subspace(seed):
    """Fewer points than columns: true circuits, wrong signs, a wrong digit, and dependent points."""
    draws = np.random.default_rng(seed)
    count, large = int(draws.integers(1, 6)), int(10 ** draws.integers(0, 15))
    width = count + int(draws.integers(0, 3))
    others = draws.integers(-large, large + 1, (count, width)).tolist()
    if seed % 8 == 7 and count > 1:
        others[0] = [2 * value for value in others[1]]
    multipliers = draws.integers(1 if seed % 2 else -3, 50, count).tolist()
    last = [-sum(m * point[j] for m, point in zip(multipliers, others, strict=True)) for j in range(width)]
    last[0] += int(seed % 5 == 0)
    given = [*others, last]
    assert circuits._solved(given) == dependency._cancel_exactly(given)
    assert circuits.cancel(given) == dependency.cancel(given)
