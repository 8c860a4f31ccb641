"""Passes that skip rows make the same updates, bit for bit, as passes that read them all."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from skipping_runs import make_pass, skipping_passes

import separatrix as sx
import separatrix.algorithms.perceptrons.skipping.passes as passes_module
import separatrix.algorithms.perceptrons.skipping.quantised as quantised_module
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.skipping.passes import SkippingPasses
from separatrix.algorithms.perceptrons.skipping.quantise_kernels import DEFAULT_SCALE_FACTOR, quantise_panels
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import (
    NEXT_ROW,
    PANEL_ROWS,
    PANELS_READ,
    WINDOW_ROWS,
)
from separatrix.algorithms.perceptrons.skipping.shared_rows import SharedRowData, is_readable_in_place
from separatrix.algorithms.perceptrons.sweep_kernels import sweep
from separatrix.rows.data_errors import DataError
from separatrix.rows.memory import DenseRows, SparseRows

CLASSES = np.array([-1, 1])


def normal_rows(seed, n, d, margin=0.0, noise=0.0, constant=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    plane = rng.standard_normal(d)
    plane /= np.linalg.norm(plane)
    scores = X @ plane + 0.2 * constant
    signs = np.where(scores > 0, 1, -1)
    X += np.outer(signs * margin, plane)
    signs = np.where(rng.random(n) < noise, -signs, signs)
    return X, (signs > 0).astype(np.int32)


def plain_run(rows, positive, constant, step, passes):
    counts, weights = np.zeros(rows.n_rows, np.int32), np.zeros(rows.n_columns + 1)
    mistakes = []
    for _ in range(passes):
        made = 0
        for block in rows.blocks():
            visit = np.arange(len(block), dtype=np.int32)
            steps = np.full(len(block), step)
            here = counts[block.start : block.stop]
            made += sweep(block.X, block.signs(positive), visit, steps, constant, here, weights)
        mistakes.append(made)
    return weights, counts, mistakes


def skipping_run(rows, positive, constant, step, passes, shared=None):
    learner, skipping = skipping_passes(rows, positive=positive, constant=constant, step=step, shared=shared)
    mistakes = [make_pass(learner, skipping) for _ in range(passes)]
    return (learner.weights, learner.counts, mistakes), skipping


def assert_same(rows, passes=12, constant=1.0, step=1.0, positive=1):
    """Returns the passes that skipped rows, and checks that they did what plain passes do."""
    expected = plain_run(rows, positive, constant, step, passes)
    found, skipping = skipping_run(rows, positive, constant, step, passes)
    assert found[2] == expected[2]
    np.testing.assert_array_equal(found[1], expected[1])
    assert found[0].tobytes() == expected[0].tobytes()
    assert_certain_signs(skipping, rows.block(0, rows.n_rows).signs(positive))
    return skipping


def assert_certain_signs(skipping, signs):
    """Rows that are told right are right, and the least margin is that of one of them."""
    certain = skipping.find_doubtful_rows()
    if certain is None or not isinstance(skipping.shared.rows, DenseRows):
        return
    X, weights = skipping.shared.rows.X.astype(np.longdouble), skipping.weights.astype(np.longdouble)
    rounding = 1e-14 * np.abs(weights).sum() * np.abs(X).max(initial=1.0)
    with np.errstate(all="ignore"):
        margins = signs * (X @ weights[:-1] + weights[-1] * skipping.constant)
    sure = np.delete(margins, certain[0])
    assert (sure > 0).all()
    assert certain[1] == pytest.approx(float(sure.min(initial=np.inf)), rel=1e-6, abs=float(rounding))


@pytest.fixture(autouse=True, params=["at once", "in two parts"])
def always_copy(request, monkeypatch):
    """The copy is made however many mistakes there are, so that all that follows is tested: in the second
    pass, or half of it in the first."""
    if request.param == "at once":
        monkeypatch.setattr(SkippingPasses, "_is_early_copy_worthwhile", lambda *_: False)
    monkeypatch.setattr(passes_module, "MAX_MISTAKES_SHARE", 1.0)
    monkeypatch.setattr(passes_module, "MIN_READ_BYTES", 0)
    monkeypatch.setattr(passes_module, "MIN_LATE_MISTAKES", 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("constant", [1.0, 0.0])
@pytest.mark.parametrize(("margin", "noise"), [(0.3, 0.0), (0.02, 0.0), (0.0, 0.0), (0.0, 0.01), (0.0, 0.3)])
def test_separable_or_not(dtype, constant, margin, noise):
    X, codes = normal_rows(1, 3 * WINDOW_ROWS + 77, 7, margin, noise, constant)
    skipping = assert_same(DenseRows(X.astype(dtype), codes, CLASSES), constant=constant)
    assert skipping._quantised_parts


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 20, 65, 300])
def test_numbers_of_columns(d):
    X, codes = normal_rows(d, WINDOW_ROWS + 130, d, 0.05)
    assert assert_same(DenseRows(X, codes, CLASSES))._quantised_parts


@pytest.mark.parametrize("extra", [0, 1, 7, 8, 63, 64, 65, WINDOW_ROWS - 1])
def test_last_window_of_any_size(extra):
    X, codes = normal_rows(extra, WINDOW_ROWS + extra, 4, 0.02)
    assert assert_same(DenseRows(X, codes, CLASSES))._quantised_parts


@pytest.mark.parametrize("scale", [1e150, 1e90, 1e40, 1e14, 1e-14, 1e-40, 1e-90, 1e-150, 1e-310])
@pytest.mark.parametrize("constant", [1.0, 0.0])
def test_scales(scale, constant):
    X, codes = normal_rows(2, WINDOW_ROWS + 300, 5, 0.1, constant=0.0)
    with np.errstate(all="ignore"):
        assert_same(DenseRows(X * scale, codes, CLASSES), constant=constant)
        assert_same(DenseRows(X, codes, CLASSES), constant=constant, step=scale)


def test_scales_side_by_side():
    rng = np.random.default_rng(3)
    X, codes = normal_rows(3, 3 * WINDOW_ROWS, 6, 0.1)
    for spread in (10.0 ** rng.uniform(-170, 90, (len(X), 1)), 10.0 ** rng.uniform(-160, 60, 6)):
        assert_same(DenseRows(X * spread, codes, CLASSES))
        assert_same(DenseRows(X * spread, codes, CLASSES), constant=0.0)


def test_heavy_tails():
    rng = np.random.default_rng(4)
    X = rng.standard_cauchy((4 * WINDOW_ROWS, 8)) ** 3
    codes = (X[:, 0] + X[:, 1] > 0).astype(np.int32)
    assert_same(DenseRows(X, codes, CLASSES), passes=20)


@pytest.mark.parametrize("d", [4, 5, 20])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_of_the_copy_are_within_half_a_unit(d, dtype):
    """Rows far out, and columns that are silent in the first window, get units of their own."""
    X, codes = normal_rows(d, 3 * WINDOW_ROWS + 20, d, 0.02)
    X[:WINDOW_ROWS, 1] = 0.0
    X[::97, 2] *= 1e6
    X[:, 3] *= 1e-35
    rows = DenseRows(X.astype(dtype), codes, CLASSES)
    quantised_parts = assert_same(rows)._quantised_parts
    for quantised in quantised_parts:
        assert_within_half_a_unit(quantised.X, quantised.packed)
    own = np.concatenate([quantised.packed.has_own_scales for quantised in quantised_parts])
    assert 0 < own.sum() < len(own)


def assert_within_half_a_unit(X, packed):
    d = X.shape[1]
    for p in range(len(packed.slots)):
        if packed.slots[p] < 0:
            quantise_panels(X, p, p + 1, np.inf, packed)
    for p, place in enumerate(packed.slots.tolist()):
        units = (packed.own_scales[place] if packed.has_own_scales[place] else packed.default_scales).astype(
            np.longdouble
        )
        chosen = X[packed.order[p * PANEL_ROWS : (p + 1) * PANEL_ROWS]].astype(np.longdouble)
        codes = packed.codes[place].T.astype("<i4", order="C").view(np.int8)[: len(chosen), :d]
        assert (abs(chosen - codes * units[:d]) <= (0.5 + 5e-5) * units[:d]).all()


def test_values_at_the_end_of_the_units():
    """As many late values as possible lie where a code of -128 or -129 would be the nearest."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, codes = normal_rows(seed, 4 * WINDOW_ROWS, 4)
        X = np.clip(X, -0.9, 0.9)
        X[:WINDOW_ROWS:7] = 1.0
        unit = float(np.float32(1.0) * np.float32(DEFAULT_SCALE_FACTOR))
        late = WINDOW_ROWS + np.flatnonzero(rng.random(3 * WINDOW_ROWS) < 0.2)
        X[late, seed % 4] = -unit * rng.uniform(127.4, 129.6, len(late))
        assert_same(DenseRows(X, codes, CLASSES), passes=15)


def test_duplicates_zeros_and_ties():
    rng = np.random.default_rng(5)
    X = rng.integers(-2, 3, (3 * WINDOW_ROWS, 3)).astype(float)
    X[::5] = 0.0
    X[1::7] = X[1]
    codes = (X.sum(1) > 0).astype(np.int32)
    for constant in (1.0, 0.0):
        assert_same(DenseRows(X, codes, CLASSES), constant=constant)
        assert_same(DenseRows(X * 0.1, codes, CLASSES), constant=constant)
    assert_same(DenseRows(np.zeros_like(X), codes, CLASSES), constant=0.0, passes=5)


def test_rows_on_the_plane_up_to_rounding():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((2 * WINDOW_ROWS, 4))
    plane = rng.standard_normal(4)
    X -= np.outer(X @ plane, plane) / (plane @ plane)
    codes = (X @ plane > 0).astype(np.int32)
    assert_same(DenseRows(X, codes, CLASSES), constant=0.0, passes=15)


def test_steps_run_out_within_a_pass(monkeypatch):
    monkeypatch.setattr(quantised_module, "MAX_CALL_MISTAKES", 3)
    X, codes = normal_rows(7, 2 * WINDOW_ROWS, 4, noise=0.2)
    assert_same(DenseRows(X, codes, CLASSES))


def test_small_blocks_and_other_layouts():
    X, codes = normal_rows(8, 2 * WINDOW_ROWS + 5, 6, 0.05)
    assert_same(DenseRows(X, codes, CLASSES, rows_in_block=50))
    assert not is_readable_in_place(DenseRows(np.asfortranarray(X), codes, CLASSES, rows_in_block=100))
    assert not is_readable_in_place(DenseRows(np.hstack([X, X])[:, ::2], codes, CLASSES))
    assert_same(DenseRows(X[:40], codes[:40], CLASSES))
    matrix = sp.csr_matrix(np.where(np.abs(X) > 1.0, X, 0.0))
    assert assert_same(SparseRows(matrix, codes, CLASSES, rows_in_block=100))._quantised_parts == []


def test_the_same_as_one_sweep_in_any_blocks():
    X, codes = normal_rows(9, 3 * WINDOW_ROWS + 5, 6, 0.05)
    one, _ = skipping_run(DenseRows(X, codes, CLASSES, rows_in_block=len(X)), 1, 1.0, 1.0, 9)
    many, _ = skipping_run(DenseRows(X, codes, CLASSES, rows_in_block=33), 1, 1.0, 1.0, 9)
    assert one[0].tobytes() == many[0].tobytes()


@pytest.mark.parametrize("seed", range(40))
def test_random_families(seed):
    rng = np.random.default_rng(seed + 100)
    n, d = int(rng.integers(WINDOW_ROWS, 4 * WINDOW_ROWS)), int(rng.integers(1, 40))
    margin, noise = float(rng.choice([0.0, 0.01, 0.1, 1.0])), float(rng.choice([0.0, 0.0, 0.02]))
    X, codes = normal_rows(seed, n, d, margin, noise)
    X = X * 10.0 ** rng.uniform(-3, 3, d) + rng.choice([0.0, 1.0, 100.0]) * rng.standard_normal(d)
    dtype = rng.choice([np.float64, np.float32])
    step = float(rng.choice([1.0, 0.1, 7.0]))
    assert_same(DenseRows(X.astype(dtype), codes, CLASSES), 15, float(rng.integers(0, 2)), step)


def test_learners_of_several_classes_share_a_copy():
    X, _ = normal_rows(10, 3 * WINDOW_ROWS, 5)
    codes = np.argmax(X[:, :3], axis=1).astype(np.int32)
    rows = DenseRows(X, codes, np.array([0, 1, 2]))
    shared = SharedRowData(rows)
    for positive in range(3):
        expected = plain_run(rows, positive, 1.0, 1.0, 10)
        found, skipping = skipping_run(rows, positive, 1.0, 1.0, 10, shared)
        assert found[0].tobytes() == expected[0].tobytes()
        assert found[2] == expected[2]
        assert skipping._quantised_parts
        for quantised, packed in zip(skipping._quantised_parts, shared.packed_parts, strict=True):
            assert quantised.packed.codes is packed.codes


def test_learners_with_and_without_constant_do_not_mix():
    X, codes = normal_rows(15, 3 * WINDOW_ROWS, 5, 0.02)
    rows = DenseRows(X, codes, CLASSES)
    shared = SharedRowData(rows)
    for constant in (0.0, 1.0, 0.0):
        found, _ = skipping_run(rows, 1, constant, 1.0, 10, shared)
        expected = plain_run(rows, 1, constant, 1.0, 10)
        assert found[0].tobytes() == expected[0].tobytes()
        assert found[2] == expected[2]


def test_new_reference_or_copy_changes_nothing_else():
    X, codes = normal_rows(11, 4 * WINDOW_ROWS, 10, 0.03)
    rows = DenseRows(X, codes, CLASSES)
    expected = plain_run(rows, 1, 1.0, 1.0, 20)
    learner, skipping = skipping_passes(rows)
    mistakes = []
    for k in range(20):
        mistakes.append(make_pass(learner, skipping))
        if skipping._quantised_parts and k % 3 == 0:
            skipping.shared.n_learners = 1 + k % 2
            skipping._is_stale = True
    assert mistakes == expected[2]
    assert learner.weights.tobytes() == expected[0].tobytes()


def test_most_panels_are_passed_over():
    X, codes = normal_rows(12, 40 * WINDOW_ROWS, 20, 0.1)
    skipping = assert_same(DenseRows(X, codes, CLASSES), passes=12)
    assert skipping._quantised_parts
    for quantised in skipping._quantised_parts:
        assert quantised.packed.progress[NEXT_ROW] == len(quantised.X)
        assert quantised.packed.progress[PANELS_READ] < len(quantised.packed.slack) / 2


def test_no_copy_for_a_few_passes():
    X, codes = normal_rows(13, 2 * WINDOW_ROWS, 4, 0.1)
    learner, skipping = skipping_passes(DenseRows(X, codes, CLASSES), passes=4)
    for _ in range(4):
        make_pass(learner, skipping)
    assert skipping._quantised_parts == []


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_measured_while_the_copy_is_made(dtype):
    """Lengths are summed in doubles whatever the rows are, also those of the rest of a first pass."""
    X, codes = normal_rows(18, 6 * WINDOW_ROWS, 6, 0.02)
    X += 30.0
    X[-1] *= 1e16
    X[-2] *= 1e-16
    rows = DenseRows(X.astype(dtype), codes, CLASSES)
    _, skipping = skipping_run(rows, 1, 1.0, 1.0, 6)
    exact = (rows.X.astype(np.longdouble) ** 2).sum(1)
    assert (exact <= skipping.shared.squares).all()
    assert (skipping.shared.squares <= exact * (1 + 3e-7)).all()
    np.testing.assert_allclose(
        skipping.shared.norms.largest, RowNorms(rows).measure_all().largest, rtol=1e-12
    )


def test_a_first_pass_that_is_cut_and_then_errs_often(monkeypatch):
    """The second pass is a plain one then, and what it leaves is counted anew."""
    monkeypatch.setattr(passes_module, "MAX_MISTAKES_SHARE", 1 / 50)
    d, n = 600, 20_000
    cut, random = n * 12 // 32, np.random.default_rng(0)
    column = np.concatenate([random.integers(0, 20, cut), random.integers(0, d, n - cut)])
    column[cut // 2 : cut // 2 + 110] = np.arange(20, 130)
    X = np.zeros((n, d), np.float32)
    X[np.arange(n), column] = 1
    rows = DenseRows(X, (column % 2).astype(np.int32), CLASSES)
    expected = plain_run(rows, 1, 0.0, 1.0, 2)
    found, skipping = skipping_run(rows, 1, 0.0, 1.0, 2)
    assert expected[2][1] == found[2][1] == 0
    assert found[0].tobytes() == expected[0].tobytes()
    certain = skipping.find_doubtful_rows()
    assert certain is None or len(certain[0]) < n
    y = np.where(column % 2, 1, -1)
    assert sx.Perceptron(fit_intercept=False).fit(X, y).certificate_.verify(X, y).holds


def test_squares_and_refusal_of_nan():
    X, codes = normal_rows(14, WINDOW_ROWS, 4)
    _, skipping = skipping_run(DenseRows(X, codes, CLASSES), 1, 1.0, 1.0, 1)
    squares = (X * X).sum(1)
    assert (squares <= skipping.shared.squares).all()
    assert (skipping.shared.squares <= squares * (1 + 3e-7)).all()
    X[700, 2] = np.nan
    with pytest.raises(DataError, match=r"NaN at row 700, column 2"):
        make_pass(*skipping_passes(DenseRows(X, codes, CLASSES)))


@pytest.mark.parametrize("short", [0.0, 1e-170, 1e-3])
@pytest.mark.parametrize("before", range(80, 112))
def test_a_first_pass_finds_the_radius_around_the_middle(before, short):
    """Rows near the origin may be the farthest of all from the middle, wherever the run of them begins."""
    X = np.append(np.full(before, 10.0), np.full(64, short))[:, None]
    rows = DenseRows(X, np.ones(len(X), np.int32), CLASSES)
    _, skipping = skipping_passes(rows)
    skipping.visit_block(rows.block(0, len(X)).X, 0, len(X))
    np.testing.assert_allclose(
        skipping.shared.norms.largest, RowNorms(rows).measure_all().largest, rtol=1e-12
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 20, 33, 65, 100, 129, 300])
@pytest.mark.parametrize("constant", [1.0, 0.3])
def test_every_kernel_rounds_a_score_alike(d, constant, dtype):
    """Weights too long to be moved by a step, and rows on their plane up to rounding: each row is decided by
    the last bits of its sum."""
    rng = np.random.default_rng(d)
    start, half = rng.standard_normal(d + 1).astype(np.float32).astype(float), d // 2
    X = rng.standard_normal((WINDOW_ROWS + 90, d))
    X[:, -1] -= (X @ start[:-1] + start[-1] * constant) / start[d - 1]
    if dtype is np.float32 and half:
        X[:, half : 2 * half], start[half : 2 * half] = -X[:, :half], start[:half]
        X[:, 2 * half :] = start[-1] = 0.0
        order = rng.permutation(d)
        X, start[:-1] = X[:, order], start[:-1][order] * 1.1
    rows = DenseRows(np.ascontiguousarray(X, dtype), rng.integers(0, 2, len(X)).astype(np.int32), CLASSES)
    signs, visit = rows.block(0, rows.n_rows).signs(1), np.arange(rows.n_rows, dtype=np.int32)
    expected, moved = np.zeros(rows.n_rows, np.int32), start.copy()
    learner, skipping = skipping_passes(rows, constant=constant, step=1e-300, start=start)
    for k in range(6):
        made = sweep(rows.X, signs, visit, np.full(rows.n_rows, 1e-300), constant, expected, moved)
        skipping._is_stale = k == 3
        assert make_pass(learner, skipping) == made
    np.testing.assert_array_equal(learner.counts, expected)
    assert learner.weights.tobytes() == moved.tobytes()
    assert np.abs(learner.weights - start).max() < 1e-290
    assert skipping._quantised_parts


def test_a_pass_that_fails_leaves_no_copy(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(quantised_module, "arranging_pass", interrupted)
    X, codes = normal_rows(16, 2 * WINDOW_ROWS, 6, 0.02)
    learner, skipping = skipping_passes(DenseRows(X, codes, CLASSES))
    with pytest.raises(KeyboardInterrupt):
        [make_pass(learner, skipping) for _ in range(2)]
    assert skipping._quantised_parts == []
    assert not any(skipping.shared.packed_parts)
    assert skipping.find_doubtful_rows() is None
