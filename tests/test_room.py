"""Memory of a copy that serves the next one."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.algorithms.perceptrons.skipping import buffer_pool


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(buffer_pool, "_kept", [])


def place(array):
    return array.__array_interface__["data"][0]


def test_memory_that_is_let_go_is_lent_again():
    first = buffer_pool.borrowed(5, 3, 64)
    at = place(first)
    assert first.shape == (5, 3, 64)
    assert first.dtype == np.int32
    second = buffer_pool.borrowed(5, 3, 64)
    assert place(second) != at  # the first is still in use
    del first
    assert place(buffer_pool.borrowed(4, 3, 64)) == at


def test_much_larger_memory_is_not_taken_for_little():
    large = buffer_pool.borrowed(100, 64)
    at = place(large)
    del large
    assert place(buffer_pool.borrowed(2, 64)) != at
    assert place(buffer_pool.borrowed(100, 64)) == at


def test_no_more_is_kept_than_the_limit(monkeypatch):
    monkeypatch.setattr(buffer_pool, "MOST_KEPT", 1000)
    several = [buffer_pool.borrowed(k) for k in (100, 120, 140)]
    several.clear()
    assert sum(saved_state.nbytes for saved_state in buffer_pool._kept) <= 1000
    buffer_pool.borrowed(10**6)  # let go at once
    assert sum(saved_state.nbytes for saved_state in buffer_pool._kept) <= 1000
