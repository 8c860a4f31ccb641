"""The compiled enclosures of the logistic proof: the bits of those that verify, and sums that hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import separatrix as sx
from separatrix.algorithms.logistic import enclosure_kernels as compiled
from separatrix.algorithms.logistic.certificate import sum_dense_piece
from separatrix.certificates.arithmetic import enclosures as plain
from separatrix.certificates.duality.logistic_likelihood import Duality, default_quantum


def test_the_bits_are_those_of_the_certificate():
    random = np.random.default_rng(0)
    margins = np.concatenate(
        [
            random.normal(size=3000) * 3,
            random.normal(size=3000) * 300,
            [0.0, -0.0, 690.0, -691.0, 1e-300, 1e300],
        ]
    )
    out, shares = np.empty((2, len(margins)))
    compiled.softplus_above(margins, out, shares)
    assert np.array_equal(out, plain.softplus_above(margins))
    assert np.allclose(shares, 1 / (1 + np.exp(np.clip(margins, -690, 690))), rtol=1e-13)
    parts = np.concatenate([random.random(3000), 10.0 ** -random.uniform(0, 300, 3000), [0.0, 0.5, 1.0]])
    wholes = np.ones(len(parts))
    wholes[:100], wholes[-3] = 7.0, 0.0
    out = np.empty(len(parts))
    compiled.entropy_below(parts, wholes, out)
    assert np.array_equal(out, plain.entropy_below(parts, wholes))


def test_a_share_that_may_not_be_normal_counts_as_none():
    """Rounded to a multiple of 2^-1074 such a share can be twice what it is."""
    parts = np.array([1e-305, 5e-324, 1e-320, 3.0])
    wholes = np.array([1.0, 1.0, 1.0, 1.7e308])
    out = np.empty(4)
    compiled.entropy_below(parts, wholes, out)
    assert not out.any()
    assert not plain.entropy_below(parts, wholes).any()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_proves_nothing(odd):
    out, shares = np.empty((2, 3))
    compiled.softplus_above(np.array([1.0, odd, 2.0]), out, shares)
    assert out[1] == np.inf
    assert np.isfinite(out[[0, 2]]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scales", [(1.0, 1.0), (0.75, 1.0)])
def test_the_sums_of_a_piece_are_those_of_the_certificate(dtype, scales):
    random = np.random.default_rng(1)
    X = random.normal(size=(1300, 4)).astype(dtype)
    signs = np.where(random.random(1300) < 0.4, 1, -1).astype(np.int8)
    v = random.integers(0, 4, 1300).astype(float)
    weights = random.normal(size=4)
    duality = Duality(weights, 0.25, default_quantum(1300, v), scales=scales)
    found, rounding_sums = sum_dense_piece(duality, X, signs, v, 70)
    same = duality.piece(X.astype(np.float64), signs, v, 70)
    assert found.loss == pytest.approx(same.loss, rel=1e-13)
    assert found.entropy == pytest.approx(same.entropy, rel=1e-13)
    assert np.allclose(found.g, same.g, rtol=1e-12)
    assert found.norm_sum == pytest.approx(same.norm_sum, rel=1e-12)
    assert found.multiples == pytest.approx(same.multiples, rel=1e-12)
    assert [(one.row, one.weight) for one in found.largest] == [(one.row, one.weight) for one in same.largest]
    assert [one.length for one in found.largest] == pytest.approx([one.length for one in same.largest])
    rows = X.astype(np.float64)
    norms, margins = np.linalg.norm(rows, axis=1), signs * (rows @ weights + 0.25)
    beta = v * np.where(signs > 0, scales[1], scales[0]) / (1 + np.exp(margins))
    curvature = np.divide(beta * (v - beta), v, out=np.zeros(1300), where=v > 0)
    error = norms * duality.norm + 0.25
    assert rounding_sums == pytest.approx(
        (
            curvature @ (error * norms),
            curvature @ error,
            curvature @ error**2,
            max(norms[one.row - 70] ** 2 for one in found.largest),
        )
    )


def test_the_loss_of_a_piece_is_not_below_the_exact_one():
    """Whole margins, so that the exact loss is known to many digits."""
    mp = pytest.importorskip("mpmath").mp
    mpf = mp.mpf

    mp.dps = 40
    X = np.arange(-20.0, 21.0)[:, None]
    signs = np.where(np.arange(41) % 3, 1, -1).astype(np.int8)
    duality = Duality(np.array([1.0]), 2.0, default_quantum(41, None))
    found, _ = sum_dense_piece(duality, X, signs, np.ones(41), 0)
    margins = [int(s) * (int(x) + 2) for s, x in zip(signs, X[:, 0], strict=True)]
    exact = sum(mp.log(1 + mp.exp(-mpf(m))) for m in margins)
    assert exact <= mpf(found.loss) <= exact * (1 + mpf("1e-12"))
    shares = [1 / (1 + mp.exp(mpf(m))) for m in margins]
    entropy = sum(-p * mp.log(p) - (1 - p) * mp.log(1 - p) for p in shares)
    assert mpf(found.entropy) <= entropy + mpf("1e-12")
    assert Fraction(found.multiples[0] + found.multiples[1], 2 ** default_quantum(41, None)) == pytest.approx(
        float(sum(shares)), rel=1e-12
    )


@pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning")
@pytest.mark.parametrize("C", [1.0, 1e6, 1e10])
@pytest.mark.parametrize("apart", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("size", [1.0, 1e6])
def test_scores_that_cancel_make_no_proof_that_is_refused(C, apart, size):
    """Nearly equal columns: the order in which a score is summed is felt in the dual variables."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        column = random.normal(size=(40, 1))
        X = size * np.hstack([column, column + apart * random.normal(size=(40, 2))])
        y = random.integers(0, 2, 40)
        for rows in (X, X.astype(np.float32)):
            model = sx.LogisticRegression(C=C).fit(rows, y)
            assert model.certificate_.verify(rows, y)
