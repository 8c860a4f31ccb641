"""The kernels of separation against plain twins; also run with the compiler switched off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from separatrix.algorithms.separation.active_set import NO_SIGNS, solve_min_norm
from separatrix.algorithms.separation.scan_kernels import find_doubtful, scan_block
from separatrix.rows import Csr

UNIT = 20 * 2.0**-52


def rows(seed, sparse):
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (40, 5)).astype(float) * random.integers(0, 2, (40, 5))
    signs = np.where(random.random(40) < 0.5, 1, -1).astype(np.int8)
    weights = random.integers(-2, 3, 6).astype(float)
    matrix = csr_array(X)
    block = Csr(matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)) if sparse else X
    return X, block, signs, weights


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_scan_is_what_it_says(seed, sparse):
    X, block, signs, weights = rows(seed, sparse)
    spanned = np.zeros(40, np.uint8)
    spanned[::7] = 1
    margins = signs * (X @ weights[:-1] + weights[-1])
    is_open = spanned == 0
    chosen, kept = np.empty(6, np.int64), np.empty(6)
    found, note = scan_block(block, signs, spanned, weights[-1], weights, UNIT, np.inf, chosen, kept)
    assert found == 6
    assert note.negative == np.count_nonzero(margins[is_open] < 0)
    assert note.doubtful == np.count_nonzero(margins[is_open] == 0)
    assert sorted(kept) == sorted(margins[is_open])[:6]
    assert np.array_equal(margins[chosen], kept)
    assert margins[is_open].min() - 1e-12 <= note.floor <= margins[is_open].min()
    places = np.empty(40, np.int64)
    count = find_doubtful(block, signs, spanned, weights[-1], weights, UNIT, places)
    assert places[:count].tolist() == np.flatnonzero(is_open & (margins <= 0)).tolist()


@pytest.mark.parametrize("classes", [False, True])
def test_min_norm_meets_the_optimality_condition(classes):
    random = np.random.default_rng(2)
    points = random.normal(size=(30, 4)) + 1.5
    signs = NO_SIGNS
    if classes:
        signs = np.where(np.arange(30) % 2, 1, -1).astype(np.int8)
        points[signs < 0] -= 4.0
    found = solve_min_norm(points, signs, 1e-10)
    x = found.nearest
    scores = points @ x
    lowest = scores[signs > 0].min() - scores[signs < 0].max() if classes else scores.min()
    assert lowest >= (1 - 1e-9) * (x @ x) > 0
    assert found.shares.sum() == pytest.approx(1.0)
    assert found.shares.min() > 0
    vertices = points[found.corral[:, 0]]
    if classes:
        vertices = vertices - points[found.corral[:, 1]]
    assert np.allclose(found.shares @ vertices, x)


def test_min_norm_finds_zero():
    points = np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [5.0, 5.0]])
    found = solve_min_norm(points, NO_SIGNS, 1e-2)
    assert np.abs(found.nearest).max() < 1e-14
    assert sorted(found.corral[:, 0].tolist()) == [0, 1, 2]
