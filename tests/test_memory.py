"""What a fit needs beside the rows: some blocks and a few numbers a row, in every layout of the array."""

from __future__ import annotations

import gc
import os
import tracemalloc

import numpy as np
import pytest

import separatrix as sx

N, D = 160_000, 50  # 64 MB; two large blocks, the one in use and the next, are about 8
FEW = 3_000  # enough for the same kernels, which are compiled before the measurement

LAYOUTS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "rows from last to first": lambda X: np.ascontiguousarray(X[::-1])[::-1],
}
MODELS = [
    sx.Perceptron(),
    sx.Perceptron(center=True),
    sx.Perceptron(order="shuffled", random_state=0),
    sx.Perceptron(order="worst violator", max_iter=5),
    sx.PocketPerceptron(max_iter=2, random_state=0),
    sx.AveragedPerceptron(max_iter=3),
    sx.VotedPerceptron(max_iter=1),
    sx.BatchPerceptron(max_iter=3),
    sx.MarginPerceptron(max_iter=3),
    sx.PassiveAggressive(max_iter=3),
    sx.MaxMargin(),
    sx.LinearSVM(),
    sx.LogisticRegression(),
    sx.LinearRegression(),
    sx.Ridge(),
]


@pytest.fixture(scope="module")
def planted():
    """Rows that are right by 1 or more in their first column, and noise in the others."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = rng.standard_normal((N, D))
    X[:, 0] = np.where(y == 1, 1.0, -1.0) * (1.0 + np.abs(X[:, 0]))
    return X, y


@pytest.fixture(scope="module", params=LAYOUTS)
def laid_out(request, planted):
    X, y = planted
    given = LAYOUTS[request.param](X)
    assert given.flags.c_contiguous == (request.param == "C order")
    assert np.array_equal(given, X)
    return given, y


@pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_fit_never_copies_the_whole_array(model, laid_out):
    X, y = laid_out
    model.fit(X[:FEW], y[:FEW])
    tracemalloc.start()
    try:
        model.fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 2


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads the memory in use from /proc")
@pytest.mark.filterwarnings("ignore:Doubles cannot tell all rows:separatrix.fitting.fit_warnings.FitWarning")
def test_many_fits_of_fewest_errors_need_no_more_memory_than_one():
    """Large integers that a thread has freed are given back to the system when it ends."""

    def fit() -> None:
        X = draws.choice([0.0, 1.0, -1.0, 2.0**16, 2.0**-16, 1e300], size=(8, 3))
        sx.ZeroOne().fit(X, [0, 1] * 4)

    def kilobytes() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

    draws = np.random.default_rng(0)
    for _ in range(20):
        fit()
    before = kilobytes()
    for _ in range(60):
        fit()
    assert kilobytes() - before < 60 * 60
