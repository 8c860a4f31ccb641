"""Passes that leave rows out make the same updates, bit for bit, as passes that read every row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import separatrix as sx
from separatrix.algorithms.online import loop

CASES = ["wide", "narrow", "noisy", "repeated", "zero rows", "huge", "tiny", "far"]


def rows_of(case, n=6000, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 7))
    u = random.standard_normal(7)
    scores = X @ u
    signs = np.where(scores > 0, 1, -1)
    X += (signs * {"wide": 1.0, "narrow": 0.01}.get(case, 0.1))[:, None] * u / np.linalg.norm(u)
    if case == "noisy":
        signs[random.random(n) < 0.02] *= -1
    if case == "repeated":
        X[n // 2 :], signs[n // 2 :] = X[: n // 2], signs[: n // 2]
    if case == "zero rows":
        X[::500] = 0.0
    return X * {"huge": 1e150, "tiny": 1e-150}.get(case, 1.0) + (50.0 if case == "far" else 0.0), signs


@pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse", "no intercept", "half step"])
def test_the_same_updates_as_reading_every_row(case, kind, monkeypatch):
    X, y = rows_of(case)
    if kind == "float32":
        X = (X / np.abs(X).max()).astype(np.float32)
    given = csr_matrix(X) if kind == "sparse" else X
    options = {"no intercept": {"fit_intercept": False}, "half step": {"step": 0.5}}.get(kind, {})
    lazy = sx.Perceptron(max_passes=12, **options).fit(given, y)
    monkeypatch.setattr(loop, "WORTH_A_FOCUS", 10**9)
    plain = sx.Perceptron(max_passes=12, **options).fit(given, y)
    assert lazy.history_["mistakes"] == plain.history_["mistakes"]
    np.testing.assert_array_equal(lazy.coef_, plain.coef_)
    np.testing.assert_array_equal(lazy.intercept_, plain.intercept_)
    if kind != "half step":
        assert lazy.mistake_run_.counts == plain.mistake_run_.counts


def test_most_rows_are_left_out():
    """Not only the same: after the first pass over easy rows nearly all are passed over."""
    from separatrix.algorithms.online.reach import Reach

    X, y = rows_of("wide", n=400_000)
    seen = []
    original = Reach.pass_over

    def watched(self):
        made = original(self)
        seen.append(self.share)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reach, "pass_over", watched)
        sx.Perceptron().fit(X, y)
    assert min(seen) < 0.2
