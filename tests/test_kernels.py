"""Every kernel against its plain twin, compiled and (NUMBA_DISABLE_JIT=1) not; and the cache on disk.

Entries are eighths of small whole numbers, so no sum of products rounds, in whatever order a kernel adds:
there twin and kernel agree in every bit. Where a rule divides they agree to rounding.
"""

from __future__ import annotations

import ast
import importlib
import math
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import naive
import numba
import numpy as np
import pytest
from scipy.sparse import csr_array

from separatrix.algorithms.perceptrons import variant_kernels
from separatrix.algorithms.perceptrons.skipping import (
    angle_bound_kernels,
    angle_bound_signs_kernels,
    angle_state_kernels,
    int8_product_kernels,
    quantise_kernels,
    quantised_pass_kernels,
    quantised_state_kernels,
)
from separatrix.algorithms.perceptrons.sweep_kernels import bound_margin, sweep
from separatrix.kernels import POLICY, certain_signs, disk_cache, scores
from separatrix.kernels.disk_cache import kernel_sources
from separatrix.rows import as_rows
from separatrix.rows.block import read_only

ROOT = Path(__file__).resolve().parents[1]
FORMS = ("float64", "float32", "csr float64", "csr float32")
SHAPES = ((1, 1), (1, 6), (9, 1), (12, 5), (30, 17))
CASES = [(form, shape) for form in FORMS for shape in SHAPES]
compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


class Case:
    """Rows as a kernel gets them, and as a twin does, with all that the rules need besides."""

    def __init__(self, form, shape, seed=0):
        rng = np.random.default_rng([seed, *shape])
        n, d = shape
        table = rng.integers(-16, 17, size=shape) / 8.0
        table[rng.random(shape) < 0.3] = 0.0
        if n > 3:
            table[3] = 0.0  # in CSR a row that stores nothing
        values = table.astype(form.split()[-1])
        given = csr_array(values) if form.startswith("csr") else values
        (block,) = as_rows(given, np.arange(n) % 2).blocks()
        self.X = block.X
        self.rows = naive.exact(table)
        self.signs = rng.choice(np.array([-1, 1], np.int8), size=n)
        self.visit = rng.integers(0, n, size=3 * n).astype(np.int32)
        self.start = rng.integers(-8, 9, size=d + 1) / 8.0
        self.centre = rng.integers(-8, 9, size=d) / 8.0
        self.steps = rng.choice([0.5, 1.0, 2.0], size=len(self.visit))

    def starts(self):
        """Weights at zero, where every row is a tie, and elsewhere; with the constant and without."""
        for constant in (1.0, 0.0):
            for weights in (np.zeros_like(self.start), self.start):
                yield constant, weights.copy(), naive.exact(weights)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1][0]}x{case[1][1]}")
def case(request):
    return Case(*request.param)


# One test a kernel


def test_measure_norms(case):
    squares = np.full(len(case.rows), np.nan)
    largest = np.zeros(2)
    assert scores.measure_norms(case.X, case.centre, squares, largest) == 0
    assert (Fraction(largest[1]), naive.exact(squares)) == naive.measure_norms(
        case.rows, naive.exact(case.centre)
    )
    assert largest[0] == squares.max()


def test_scores(case):
    for constant, weights, exact in case.starts():
        out = np.full(len(case.rows), np.nan)
        largest = scores.scores(case.X, constant, weights, out)
        assert (Fraction(largest), naive.exact(out)) == naive.scores(case.rows, Fraction(constant), exact)
        assert naive.exact(weights) == exact


def test_add_violators(case):
    for constant, weights, exact in case.starts():
        total = case.start.copy()
        found = scores.add_violators(case.X, case.signs, constant, weights, total)
        expected = naive.add_violators(
            case.rows, case.signs, Fraction(constant), exact, naive.exact(case.start)
        )
        assert (found, naive.exact(total)) == expected
        assert naive.exact(weights) == exact


def test_sweep(case):
    for constant, weights, exact in case.starts():
        counts = np.arange(len(case.rows), dtype=np.int32)
        mistakes = sweep(case.X, case.signs, case.visit, case.steps, constant, counts, weights)
        expected = naive.sweep(
            case.rows,
            case.signs,
            case.visit,
            naive.exact(case.steps),
            Fraction(constant),
            range(len(case.rows)),
            exact,
        )
        assert (mistakes, counts.tolist(), naive.exact(weights)) == expected


def test_least_margin(case):
    for constant, weights, exact in case.starts():
        for i, row in enumerate(case.rows):
            for sign in (1.0, -1.0):
                found = bound_margin(part_of(case.X, i, i + 1), sign, constant, weights)
                margin = naive.dot(exact, [*row, Fraction(constant)]) * int(sign)
                expected = naive.bound_margin(row, int(sign), Fraction(constant), exact)
                assert expected - (margin - expected) / 8 <= Fraction(found) <= margin


@pytest.mark.parametrize("exponent", [0, -540, -1070, 500, 511])
def test_a_least_margin_above_zero_is_no_mistake(exponent):
    """Also of rows whose two sums round apart, or underflow, or overflow."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        d = int(rng.integers(1, 40))
        X = np.ldexp(rng.choice([0.1, 0.2, 0.3, -0.1, -0.3, 0.7], size=(1, d)), exponent)
        weights = np.ldexp(rng.choice([0.1, 0.2, -0.3, 0.7, -0.7], size=d + 1), exponent)
        X[0, -1], weights[-2] = -np.vdot(X[0, :-1], weights[:-2]), 1.0  # a score of 0 but for rounding
        sign = rng.choice([-1.0, 1.0])
        with np.errstate(all="ignore"):
            least = bound_margin(read_only(X), sign, 0.0, weights)
            place, counts = np.zeros(1, np.int32), np.zeros(1, np.int32)
            made = sweep(read_only(X), np.array([sign], np.int8), place, np.ones(1), 0.0, counts, weights)
        assert not (least > 0 and made)
    for value in (np.nan, np.inf, -np.inf):
        for sign in (1.0, -1.0):
            with np.errstate(all="ignore"):
                assert not bound_margin(read_only(np.array([[1.0, value]])), sign, 1.0, np.ones(3)) > -np.inf


def angle_state(n, d, constant, step):
    return angle_state_kernels.make_angle_state(np.empty(n, np.float32), d, d, constant, step)


def part_of(X, start, stop):
    """Some rows of a block, as a block."""
    if isinstance(X, np.ndarray):
        return X[start:stop]
    span = slice(X.indptr[start], X.indptr[stop])
    return type(X)(X.data[span], X.indices[span], read_only(X.indptr[start : stop + 1] - X.indptr[start]))


@pytest.mark.parametrize("size", [30, 7])
def test_recording_pass(case, size):
    """The first pass in one reading is `measure_norms` and `sweep` in two, in one block or in several."""
    n = len(case.rows)
    for constant, weights, exact in case.starts():
        state = angle_state(n, len(case.centre), constant, 0.5)
        largest, counts, mistakes = np.zeros(3), np.zeros(n, np.int32), 0
        for start in range(0, n, size):
            part = slice(start, start + size)
            here = state._replace(squares=state.squares[part], angle_budgets=state.angle_budgets[part])
            block = part_of(case.X, start, min(start + size, n))
            given = (block, case.signs[part], case.centre, here, largest, counts[part], weights)
            with np.errstate(all="ignore"):
                mistakes += angle_bound_kernels.recording_pass(*given)
        steps = [Fraction(1, 2)] * n
        expected = naive.sweep(case.rows, case.signs, range(n), steps, Fraction(constant), [0] * n, exact)
        assert (mistakes, counts.tolist(), naive.exact(weights)) == expected
        moved, squares = naive.measure_norms(case.rows, naive.exact(case.centre))
        if isinstance(case.X, np.ndarray):
            assert Fraction(largest[1]) == moved
            for noted, square in zip(naive.exact(state.squares), squares, strict=True):
                assert square <= noted <= square * (1 + Fraction(3, 10**7))
        assert (Fraction(largest[0]), largest[2]) == (max(squares), 0.0)
        assert (state.first_pass["rows"], state.first_pass["mistakes"]) == (n, mistakes)


def assert_certain_signs(rows, signs, constant, weights, doubtful, found):
    """No row that is wrong is told right, and the least margin of the others is told."""
    margins = [naive.dot(weights, z) for z in naive.signed(rows, signs, Fraction(constant))]
    assert len(set(doubtful)) == len(doubtful)
    assert {i for i, margin in enumerate(margins) if margin <= 0} <= set(doubtful)
    sure = [margin for i, margin in enumerate(margins) if i not in doubtful]
    assert found[certain_signs.LOWEST] == pytest.approx(float(min(sure, default=math.inf)), rel=1e-12)


@pytest.mark.parametrize("reads_all", [False, True])
def test_skipping_pass_and_certain_signs(case, reads_all):
    """Passes that leave rows out are plain passes; in the end all rows are told right from wrong."""
    n = len(case.rows)
    signs = np.array([1 if sum(row) > -1 else -1 for row in case.rows], np.int8)
    for constant, weights, exact in case.starts():
        state = angle_state(n, len(case.centre), constant, 0.5)
        counts, expected = np.zeros(n, np.int32), (None, [0] * n, exact)
        for number in range(6):
            with np.errstate(all="ignore"):
                if number == 0:
                    given = (case.X, signs, case.centre, state, np.zeros(3), counts, weights)
                    mistakes = angle_bound_kernels.recording_pass(*given)
                    state.angle_budgets[: state.first_pass["invalid_rows"]] = -np.inf
                else:
                    if not angle_state_kernels.set_reference(weights, state) < np.inf:
                        state.angle_budgets[:] = -np.inf
                    given = (case.X, signs, reads_all, state, counts, weights)
                    mistakes = angle_bound_kernels.skipping_pass(*given)
            steps = [Fraction(1, 2)] * n
            expected = naive.sweep(
                case.rows, signs, range(n), steps, Fraction(constant), expected[1], expected[2]
            )
            assert (mistakes, counts.tolist(), naive.exact(weights)) == expected
        doubtful, found = np.empty(n, np.int32), np.full(1, np.inf)
        with np.errstate(all="ignore"):
            left = angle_bound_signs_kernels.skipping_certain_signs(
                case.X, signs, state, weights, doubtful, found
            )
        assert_certain_signs(case.rows, signs, constant, expected[2], doubtful[:left], found)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (64, 3), (150, 6), pytest.param(1100, 2, marks=compiled)])
def test_quantised_pass(dtype, n, d):
    """Passes over a quantised copy are plain passes; a new order or reference changes nothing else."""
    case = Case(dtype, (n, d), seed=1)
    signs = np.array([1 if sum(row) > -1 else -1 for row in case.rows], np.int8)
    squares, largest = np.zeros(n, np.float32), np.zeros(3)
    quantised = quantised_state_kernels.allocate_copy(n, d)
    for constant, weights, exact in case.starts():
        counts, expected = np.zeros(n, np.int32), (None, [0] * n, exact)
        for number in range(6):
            with np.errstate(all="ignore"):
                if number % 2 == 0:  # all panels drawn at once, none, and in the order that they have
                    steps = np.full(quantised_state_kernels.WINDOW_ROWS, 0.5)
                    anew, soon = ((True, np.inf), (True, 0.0), (False, 0.0))[number // 2]
                    quantised.reference.weights[:] = (weights, weights[::-1], 0.0)[number // 2]
                    given = (case.X, signs, squares, steps, constant, np.zeros(d), largest)
                    mistakes = quantise_kernels.arranging_pass(*given, anew, soon, quantised, counts, weights)
                    sizes = [float(naive.dot(x, x)) for x in case.rows]
                    assert squares.tolist() == pytest.approx(sizes, rel=3e-7)
                    assert largest.tolist() == pytest.approx([max(sizes), max(sizes), 0.0])
                else:
                    quantised.progress["next_row"] = mistakes = 0
                    while quantised.progress["next_row"] < n:
                        given = (case.X, signs, np.full(50, 0.5), constant, quantised)
                        mistakes += quantised_pass_kernels.quantised_pass(*given, counts, weights)
            steps = [Fraction(1, 2)] * n
            expected = naive.sweep(
                case.rows, signs, range(n), steps, Fraction(constant), expected[1], expected[2]
            )
            assert (mistakes, counts.tolist(), naive.exact(weights)) == expected
        doubtful, found = np.empty(n, np.int32), np.full(1, np.inf)
        with np.errstate(all="ignore"):
            left = quantised_pass_kernels.quantised_certain_signs(
                case.X, signs, squares, constant, quantised, weights, doubtful, found
            )
        assert_certain_signs(case.rows, signs, constant, expected[2], doubtful[:left], found)


PRODUCTS = {
    "as called": lambda: numba.njit(lambda *given: int8_product_kernels.add_products(*given)),
    "one by one": lambda: numba.njit(int8_product_kernels.add_products_in_loop),
    "four pairs": lambda: numba.njit(int8_product_kernels.make_pairwise_adder(4)),
    "eight pairs": lambda: numba.njit(int8_product_kernels.make_pairwise_adder(8)),
    "sixteen pairs": lambda: numba.njit(int8_product_kernels.make_pairwise_adder(16)),
}


@pytest.mark.parametrize("way", PRODUCTS)
@pytest.mark.parametrize("n_words", [1, 2, 25, 1024])
def test_add_products(way, n_words):
    """Every way to the sums, whether or not it is the one that this processor goes; the largest included."""
    lanes = {"four pairs": 4, "eight pairs": 8, "sixteen pairs": 16}.get(way, 0)
    if lanes > int8_product_kernels.count_lanes() or (lanes and numba.config.DISABLE_JIT):
        pytest.skip("This processor has no such instruction, or nothing is compiled.")
    random = np.random.default_rng(n_words)
    most = min(32767, 2**24 // (4 * n_words) - 1)
    add = PRODUCTS[way]()
    cases = [
        (random.integers(-128, 128, (n_words, 64, 4)), random.integers(-most, most + 1, 4 * n_words)),
        (np.full((n_words, 64, 4), -128), np.full(4 * n_words, most)),
        (np.full((n_words, 64, 4), -128), np.full(4 * n_words, -most)),
    ]
    words, sums = np.zeros((3, n_words, 64), np.int32), np.full(64, 7, np.int32)
    for panel, (values, factors) in enumerate(cases):
        words[panel] = values.astype(np.int8).view("<i4")[..., 0]
        assert add(words, panel, factors.astype(np.int16), sums) == n_words
        assert sums.tolist() == [
            naive.dot(factors.tolist(), values[:, r].ravel().tolist()) for r in range(64)
        ]


def test_certain_signs(case):
    """Entries are eighths: a margin is far from zero, or zero and in doubt."""
    for _, weights, exact in case.starts():
        doubtful, found = np.empty(len(case.rows), np.int32), np.array([np.inf, 0.0])
        n = certain_signs.certain_signs(case.X, case.signs, weights, doubtful, found)
        expected = naive.certain_signs(case.rows, case.signs, Fraction(1), exact)
        assert (doubtful[:n].tolist(), found[certain_signs.LOWEST], found[certain_signs.WRONG]) == expected


def test_averaged_sweep(case):
    for constant, weights, exact in case.starts():
        late = case.start.copy()
        mistakes = variant_kernels.averaged_sweep(
            case.X, case.signs, case.visit, constant, 7.0, late, weights
        )
        expected = naive.averaged_sweep(
            case.rows, case.signs, case.visit, Fraction(constant), 7, naive.exact(case.start), exact
        )
        assert (mistakes, naive.exact(late), naive.exact(weights)) == expected


def test_voted_sweep(case):
    for constant, weights, exact in case.starts():
        room = 2 + len(case.visit)
        voters, lives = np.zeros((room, len(weights))), np.zeros(room, np.int64)
        voters[1], lives[:2] = weights, (4, 2)
        last = variant_kernels.voted_sweep(case.X, case.signs, case.visit, constant, lives, voters, 1)
        expected = naive.voted_sweep(
            case.rows, case.signs, case.visit, Fraction(constant), [4, 2], [[0] * len(exact), exact]
        )
        assert (lives[: last + 1].tolist(), naive.exact(voters[: last + 1])) == expected
        assert not voters[last + 1 :].any()
        assert not lives[last + 1 :].any()


def test_pocket_sweep(case):
    for constant, weights, exact in case.starts():
        runs, pocket = np.array([2, 3]), case.start.copy()
        mistakes = variant_kernels.pocket_sweep(
            case.X, case.signs, case.visit, constant, runs, pocket, weights
        )
        expected = naive.pocket_sweep(
            case.rows, case.signs, case.visit, Fraction(constant), (2, 3), naive.exact(case.start), exact
        )
        assert (mistakes, tuple(runs), naive.exact(pocket), naive.exact(weights)) == expected


@pytest.mark.parametrize("share", [0.25, 0.9])
@pytest.mark.parametrize("constant", [1.0, 0.0])
def test_kozinec_sweep(case, constant, share):
    # Rows on one side of a plane through the origin: the hull of the signed ones keeps away from it.
    sides = [1 if constant else sum(row) for row in case.rows]
    signs = np.array([1 if side > 0 else -1 for side in sides], np.int8)
    visit = np.array([i for i in case.visit if sides[i]], np.int32)
    rows, first = [[float(v) for v in row] for row in case.rows], 3
    state, shares = np.array([0.0, 0.0, constant, 0.0, first]), np.zeros(first + len(rows))
    weights = np.zeros(len(case.start))
    updates = variant_kernels.kozinec_sweep(case.X, signs, visit, share, state, shares, weights)
    expected = naive.kozinec_sweep(rows, signs, visit, share, constant, [0.0] * len(rows), None)
    assert (updates, state[3]) == expected[:2]
    point = [0.0] * len(weights) if expected[3] is None else expected[3]
    np.testing.assert_allclose(state[0] * shares[first:], expected[2], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(state[0] * weights, point, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(state[1], naive.dot(point, point), rtol=1e-9, atol=1e-12)
    assert not shares[:first].any()


@pytest.mark.parametrize(("cap", "soft"), [(math.inf, 0.0), (0.125, 0.0), (math.inf, 0.5)])
def test_passive_aggressive_sweep(case, cap, soft):
    # Each row once: a row that comes again at once has margin 1 to rounding, and rounding says on which side.
    visit = np.random.default_rng(0).permutation(len(case.rows)).astype(np.int32)
    for constant, weights, exact in case.starts():
        tally = np.array([1.0, 2.0])
        updates = variant_kernels.passive_aggressive_sweep(
            case.X, case.signs, visit, constant, cap, soft, tally, weights
        )
        expected = naive.passive_aggressive_sweep(
            case.rows, case.signs, visit, Fraction(constant), cap, Fraction(soft), exact
        )
        assert (updates, tally[0] - 1) == expected[:2]
        np.testing.assert_allclose(tally[1] - 2, float(expected[2]), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(weights, naive.floats(expected[3]), rtol=1e-9, atol=1e-12)


def test_every_kernel_has_a_twin():
    for module in (scores, variant_kernels):
        kernels = {
            name
            for name, value in vars(module).items()
            if getattr(value, "__module__", "") == module.__name__
        }
        assert kernels
        assert kernels <= set(vars(naive))


# The numeric policy


@pytest.mark.parametrize("form", FORMS)
def test_a_score_that_is_no_number_is_a_mistake(form):
    """So that no pass over weights that overflowed ends clean."""
    table = np.ones((1, 2), dtype=form.split()[-1])
    (block,) = as_rows(csr_array(table) if form.startswith("csr") else table).blocks()
    signs, visit = np.ones(1, np.int8), np.zeros(1, np.int32)

    def rules(weights):
        counts, lives, room = np.zeros(1, np.int32), np.zeros(2, np.int64), np.zeros((2, 3))
        room[0] = weights
        yield sweep(block.X, signs, visit, np.ones(1), 1.0, counts, weights.copy())
        yield variant_kernels.averaged_sweep(block.X, signs, visit, 1.0, 0.0, np.zeros(3), weights.copy())
        yield variant_kernels.voted_sweep(block.X, signs, visit, 1.0, lives, room, 0)
        yield variant_kernels.pocket_sweep(block.X, signs, visit, 1.0, lives, np.zeros(3), weights.copy())
        yield scores.add_violators(block.X, signs, 1.0, weights, np.zeros(3))

    with np.errstate(invalid="ignore"):
        assert list(rules(np.array([np.inf, -np.inf, 0.0]))) == [1] * 5
    assert list(rules(np.array([1.0, 1.0, 0.0]))) == [0] * 5


@pytest.mark.parametrize("form", FORMS)
def test_nan_and_infinity_keep_their_meaning(form):
    table = np.array([[np.nan, 1.0], [np.inf, 1.0], [-np.inf, 1.0], [2.0, 1.0]], dtype=form.split()[-1])
    (block,) = as_rows(csr_array(table) if form.startswith("csr") else table).blocks()
    out, squares = np.empty(4), np.empty(4)
    with np.errstate(invalid="ignore"):
        scores.scores(block.X, 1.0, np.array([1.0, 1.0, 0.5]), out)
        scores.measure_norms(block.X, np.zeros(2), squares, np.zeros(2))
    np.testing.assert_array_equal(out, [np.nan, np.inf, -np.inf, 3.5])
    np.testing.assert_array_equal(squares, [np.nan, np.inf, np.inf, 5.0])


@compiled
def test_one_policy_for_all_kernels_but_those_that_say_so():
    found, strict = set(), set()
    for path in kernel_sources():
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for value in vars(module).values():
            if isinstance(value, numba.core.registry.CPUDispatcher):
                assert value.targetoptions["nogil"] is True
                assert value.targetoptions["error_model"] == "numpy"
                fast = value.targetoptions["fastmath"]
                name = f"{value.__module__}.{value.__name__}"
                if fast:
                    assert set(fast) == set(POLICY["fastmath"]), name
                else:
                    strict.add(name)
                found.add(name)
    sources = [path.read_text(encoding="utf-8") for path in kernel_sources()]
    assert len(found) == sum(len(re.findall(r"^@(?:strict_|inner_)?kernel$", text, re.M)) for text in sources)
    strict_ones = {name for name in found if ".svmlight_kernels." in name}
    enclosures = "separatrix.algorithms.logistic.enclosure_kernels"
    strict_ones |= {f"{enclosures}.softplus_above", f"{enclosures}.entropy_below"}
    assert strict == strict_ones
    assert not {"nnan", "ninf", "fast"} & set(POLICY["fastmath"])


# The cache on disk, in a fresh process each time: what a second run, a cluster or a read-only home would see.

PROGRAM = """
import sys
import numpy as np
from separatrix.kernels import disk_cache as cache
from separatrix.kernels.scores import scores
said = []
cache.announce = said.append
X = np.arange(6.0, dtype=sys.argv[1]).reshape(3, 2)
X.flags.writeable = False
out = np.empty(3)
scores(X, 1.0, np.array([1.0, 2.0, 0.5]), out)
assert out.tolist() == [2.5, 8.5, 14.5], out
print(sum(scores.stats.cache_hits.values()), len(said))
"""
COMPILED, FOUND = "0 1", "1 0"


def start(folder, program=PROGRAM, dtype="float64", path=ROOT, prefix=()):
    environment = {**os.environ, "SEPARATRIX_CACHE_DIR": str(folder), "PYTHONPATH": str(path)}
    return subprocess.Popen(
        [*prefix, sys.executable, "-W", "error", "-c", program, dtype],
        env=environment,
        cwd=path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process, said=""):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert re.fullmatch(said, err), err
    return out.strip()


ALOUD = PROGRAM.replace("cache.announce = said.append\n", "")
KEPT = r"separatrix: compiling kernels for this CPU \(once; they are kept for the next run\)\n"
NOT_KEPT = r"separatrix: compiling kernels for this CPU \(in every run: .*cache cannot be written, .*\)\n"


@compiled
def test_compiling_is_said_where_there_is_no_terminal_too(tmp_path):
    """In one line on standard error, which says whether it is for this run alone."""
    folder, file = tmp_path / "cache", tmp_path / "file"
    file.write_text("in the way")
    assert answer(start(folder, ALOUD), KEPT) == "0 0"
    assert answer(start(folder, ALOUD)) == "1 0"
    assert answer(start(file / "cache", ALOUD), NOT_KEPT) == "0 0"


def test_who_is_told_of_compiling():
    assert disk_cache.announce is None
    with disk_cache.announcing(print):
        assert disk_cache.announce is print
    assert disk_cache.announce is None


@compiled
def test_compiled_once_and_damage_only_means_compiling_again(tmp_path):
    folder = tmp_path / "not there yet" / "cache"
    assert answer(start(folder)) == COMPILED
    (file,) = folder.glob("*.nbc")
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 5] ^= 0xFF
    harm = {"cut": whole[: len(whole) // 2], "empty": b"", "flipped": bytes(flipped)}
    folders = {"whole": folder}
    for name, content in harm.items():
        folders[name] = tmp_path / name
        folders[name].mkdir()
        (folders[name] / file.name).write_bytes(content)
    running = {name: start(place) for name, place in folders.items()}
    answers = {name: answer(process) for name, process in running.items()}
    assert answers == dict.fromkeys(harm, COMPILED) | {"whole": FOUND}
    assert answer(start(folders["cut"])) == FOUND


@compiled
def test_a_folder_that_cannot_be_made_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert answer(start(tmp_path / "file" / "cache")).startswith("0")
    assert (tmp_path / "file").read_text() == "in the way"


def heeding_permissions():
    """What to start a process with, so that the permissions of a folder hold for it: root is above them."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    return ("setpriv", "--bounding-set", "-dac_override")


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="a folder has no such permissions there")
def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path):
    tmp_path.chmod(0o500)
    try:
        assert answer(start(tmp_path, prefix=heeding_permissions())).startswith("0")
        assert not any(tmp_path.iterdir())
    finally:
        tmp_path.chmod(0o700)


@compiled
def test_processes_that_start_cold_at_once(tmp_path):
    running = [start(tmp_path, dtype=dtype) for dtype in ("float64", "float32", "float64")]
    for process in running:
        assert answer(process) in (COMPILED, FOUND)
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    assert not list(tmp_path.glob("*.tmp*"))
    assert answer(start(tmp_path, dtype="float32")) == FOUND


def a_package(folder, *chapters):
    """A package of the cache alone, for kernels of a test's own; returns its folder."""
    package = folder / "separatrix"
    for part in (package, package / "kernels", *(package / name for name in chapters)):
        part.mkdir()
        (part / "__init__.py").touch()
    for name in ("__init__.py", "disk_cache.py", "private_folder.py", "interrupts.py"):
        (package / "kernels" / name).write_bytes((ROOT / "separatrix" / "kernels" / name).read_bytes())
    return package


@compiled
@pytest.mark.parametrize("changed", ["shared", "inlined"])
def test_changed_source_is_compiled_anew(changed, tmp_path):
    """Also where the change is in another file than the kernel: a shared one, or an inlined one of a
    chapter."""
    package = a_package(tmp_path, "chapter")
    inner = "from separatrix.kernels import {0}\n\n@{0}\ndef {1}(x):\n    return x + {2}\n"
    (package / "chapter" / "outer_kernels.py").write_text(
        "from separatrix.chapter.inner_kernels import inlined\n"
        "from separatrix.kernels import kernel\n"
        "from separatrix.kernels.inner import shared\n\n"
        "@kernel\ndef outer(x):\n    return shared(x) * inlined(x)\n"
    )
    program = (
        "from separatrix.chapter.outer_kernels import outer\nfrom separatrix.kernels import disk_cache\n"
        "disk_cache.announce = str\nprint(outer(1.0), sum(outer.stats.cache_hits.values()))"
    )
    answers = []
    for addend in (1, 1, 4):
        of_shared, of_inlined = (addend, 1) if changed == "shared" else (1, addend)
        (package / "kernels" / "inner.py").write_text(inner.format("kernel", "shared", of_shared))
        (package / "chapter" / "inner_kernels.py").write_text(
            inner.format("inner_kernel", "inlined", of_inlined)
        )
        answers.append(answer(start(tmp_path / "cache", program, path=tmp_path)))
    assert answers == ["4.0 0", "4.0 1", "10.0 0"]


ADDING = "from separatrix.kernels import kernel\n\n@kernel\ndef add(x):\n    return x + {}\n"


@compiled
def test_kernels_of_one_name_in_two_chapters_are_kept_apart(tmp_path):
    """Their bytecode is the same, too: numbers that a function names are not part of it."""
    package = a_package(tmp_path, "first", "second")
    (package / "first" / "row_kernels.py").write_text(ADDING.format(1))
    (package / "second" / "row_kernels.py").write_text(ADDING.format(20))
    program = (
        "from separatrix.first import row_kernels as first\nfrom separatrix.kernels import disk_cache\n"
        "from separatrix.second import row_kernels as second\ndisk_cache.announce = str\n"
        "print(first.add(0), second.add(0), sum(second.add.stats.cache_hits.values()))"
    )
    answers = [answer(start(tmp_path / "cache", program, path=tmp_path)) for _ in range(2)]
    assert answers == ["1 20 0", "1 20 1"]


@compiled
def test_source_that_changes_during_a_run_leaves_the_cache_alone(tmp_path):
    """Chapters are imported when they are used; what is compiled is then no longer what the stamp says."""
    package = a_package(tmp_path, "first", "second")
    (package / "first" / "row_kernels.py").write_text(ADDING.format(1))
    late = package / "second" / "late_kernels.py"
    late.write_text(ADDING.format(1))
    program = (
        "import sys\nfrom pathlib import Path\nfrom separatrix.first.row_kernels import add\n"
        "from separatrix.kernels import disk_cache\ndisk_cache.announce = str\n"
        "late = Path('separatrix/second/late_kernels.py')\n"
        "late.write_text(late.read_text().replace('x + 1', sys.argv[1]))\n"
        "from separatrix.second.late_kernels import add\nprint(add(0))"
    )
    changed = answer(start(tmp_path / "cache", program, "x + 20", path=tmp_path))
    late.write_text(ADDING.format(1))
    kept = answer(start(tmp_path / "cache", program, "x + 1", path=tmp_path))
    changed_again = answer(start(tmp_path / "cache", program, "x + 20", path=tmp_path))
    assert (changed, kept, changed_again) == ("20", "1", "20")


def test_kernels_import_kernels_and_numpy_alone():
    """So that a chapter's kernels can be read, compiled and tested without the chapter."""
    allowed = {"__future__", "collections", "llvmlite", "math", "numba", "numpy", "typing"}
    for path in (ROOT / "separatrix").rglob("*_kernels.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            named = [node.module] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in named:
                ours = name.startswith("separatrix.kernels") or name.endswith("_kernels")
                assert ours or name.split(".")[0] in allowed, f"{path.name} imports {name}"


WIDE = "+avx2,+avx512f,+avx512bw"
FEATURES = ["+avx2,-avx2", "+avx2,-avx", "+avx2,+avx,-sse4.2", "", "+avx2"]
FEATURES += [f"{WIDE},-{name}" for name in ("avx2", "avx512f", "avx512bw")]


@compiled
@pytest.mark.parametrize("features", FEATURES)
def test_no_instruction_is_named_that_is_switched_off(features, tmp_path):
    """LLVM ends the process at one that it may not use."""
    code = (
        "import numpy as np, numba\n"
        "from separatrix.algorithms.perceptrons.skipping.int8_product_kernels import add_products\n"
        "add = numba.njit(lambda *given: add_products(*given))\n"
        "words, sums = np.full((1, 2, 64), 0x01010101, np.int32), np.zeros(64, np.int32)\n"
        "add(words, 0, np.ones(8, np.int16), sums)\n"
        "print(sums.sum())"
    )
    environment = os.environ | {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": features,
        "SEPARATRIX_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    needed = 16 if features.startswith(WIDE) else 8 if features == "+avx2" else 0
    if int8_product_kernels.count_lanes() < needed:
        pytest.skip("This processor has no such instruction.")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "512\n"), done.stderr


@compiled
def test_products_of_arrays_in_any_layout():
    random = np.random.default_rng(0)
    words = random.integers(-(2**31), 2**31, (2, 3, 64)).astype(np.int32)
    factors, sums = random.integers(-9, 10, 24).astype(np.int16)[::2], np.zeros(64, np.int32)
    expected = np.zeros(64, np.int32)
    numba.njit(lambda *given: int8_product_kernels.add_products(*given))(words, 1, factors, sums)
    int8_product_kernels.add_products(words, 1, np.ascontiguousarray(factors), expected)
    np.testing.assert_array_equal(sums, expected)
