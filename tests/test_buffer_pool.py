"""Memory of a copy that serves the next one."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.algorithms.perceptrons.skipping import buffer_pool


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(buffer_pool, "_free_buffers", [])


def address(array):
    return array.__array_interface__["data"][0]


def test_freed_memory_is_borrowed_again():
    first = buffer_pool.borrow(5, 3, 64)
    first_address = address(first)
    assert first.shape == (5, 3, 64)
    assert first.dtype == np.int32
    second = buffer_pool.borrow(5, 3, 64)
    assert address(second) != first_address  # the first is still in use
    del first
    assert address(buffer_pool.borrow(4, 3, 64)) == first_address


def test_much_larger_memory_is_not_taken_for_little():
    large = buffer_pool.borrow(100, 64)
    first_address = address(large)
    del large
    assert address(buffer_pool.borrow(2, 64)) != first_address
    assert address(buffer_pool.borrow(100, 64)) == first_address


def test_no_more_is_kept_than_the_limit(monkeypatch):
    monkeypatch.setattr(buffer_pool, "MAX_KEPT_BYTES", 1000)
    several = [buffer_pool.borrow(k) for k in (100, 120, 140)]
    several.clear()
    assert sum(buffer.nbytes for buffer in buffer_pool._free_buffers) <= 1000
    buffer_pool.borrow(10**6)  # let go at once
    assert sum(buffer.nbytes for buffer in buffer_pool._free_buffers) <= 1000
