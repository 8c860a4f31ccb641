"""The best halfspace between two normal classes with two covariances, by a search along one angle.

**Theorem** (after Anderson and Bahadur). Let a halfspace (w, b) have the least risk, w not 0. With m and s
the mean and spread of w·x + b in either class, the risk is (1 - π)Φ(m₋/s₋) + πΦ(-m₊/s₊). Its derivative by b
is zero, so both densities, with their priors, are the same c at the threshold; then that by w is
c(μ₋ - μ₊ - (m₋/s₋²)Σ₋w + (m₊/s₊²)Σ₊w) = 0. So (αΣ₊ + βΣ₋)w = μ₊ - μ₋ for two numbers α and β, and up to its
length w depends on their angle alone. Where the table is singular w may be an eigenvector of the pair
instead.

In coordinates in which Σ₋ is the identity and Σ₊ diagonal, λ₁ ... λ_d, w is (δ_j/(αλ_j + β)). For each w the
best thresholds are the roots of a quadratic. To keep all risks in view the angle is tried all around, and the
best few stretches are searched more finely: a search in doubles, not a proof.

References
----------
T. W. Anderson and R. R. Bahadur, *Classification into two multivariate normal distributions with different
covariance matrices*, Annals of Mathematical Statistics 33 (1962), 420-431.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

Doubles = NDArray[np.float64]

_GRID_ANGLES = 1440
_REFINED_INTERVALS = 5


def best_discriminant(
    means: Doubles, covariances: tuple[Doubles, Doubles], prior: float
) -> tuple[Doubles, float]:
    """Weights and intercept of a halfspace of least risk; zero weights where no threshold helps.

    >>> weights, intercept = best_discriminant(np.array([[0.0], [4.0]]), (np.eye(1), np.eye(1)), 0.5)
    >>> round(-intercept / float(weights[0]), 9)
    2.0
    """
    spreads, frame = eigh(covariances[1], covariances[0])
    centres = means @ frame

    def at(angle: float) -> Doubles:
        below = math.cos(angle) * spreads + math.sin(angle)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            weights = (centres[1] - centres[0]) / below
        largest = np.abs(weights).max()
        return weights / largest if 0 < largest < math.inf else np.zeros_like(weights)

    def least(angle: float) -> float:
        return _threshold(at(angle), centres, spreads, prior)[0]

    angles = np.linspace(-math.pi, math.pi, _GRID_ANGLES + 1)
    risks = np.array([least(angle) for angle in angles])
    step = angles[1] - angles[0]
    tried = []
    for place in np.argsort(risks, kind="stable")[:_REFINED_INTERVALS].tolist():
        around = (angles[place] - step, angles[place] + step)
        finer = minimize_scalar(least, bounds=around, method="bounded", options={"xatol": 1e-12})
        tried += [at(angles[place]), at(float(finer.x))]
    axes = np.eye(len(spreads))
    tried += [*axes, *-axes]
    found = [(*_threshold(weights, centres, spreads, prior), weights) for weights in tried]
    _, bias, weights = min(found, key=lambda one: one[0])
    if math.isinf(bias):
        return np.zeros_like(weights), math.copysign(1.0, bias)
    return frame @ weights, bias


def _threshold(weights: Doubles, centres: Doubles, spreads: Doubles, prior: float) -> tuple[float, float]:
    """The least risk over all intercepts, and that intercept: a root of a quadratic, or infinite."""
    constant = min((1 - prior, math.inf), (prior, -math.inf))
    first, second = math.sqrt(float(weights @ weights)), math.sqrt(float(weights @ (spreads * weights)))
    if not (first > 0 and second > 0):
        return constant
    low, high = (centres @ weights).tolist()
    square = 0.5 / second**2 - 0.5 / first**2
    linear = high / second**2 - low / first**2
    rest = 0.5 * (high / second) ** 2 - 0.5 * (low / first) ** 2
    rest += math.log((1 - prior) * second / (prior * first))
    tried = [constant]
    for bias in _roots(square, linear, rest):
        risk = (1 - prior) * ndtr((low + bias) / first) + prior * ndtr(-(high + bias) / second)
        tried.append((float(risk), bias))
    return min(tried)


def _roots(square: float, linear: float, rest: float) -> list[float]:
    """Real roots, by the form that does not cancel."""
    inside = linear * linear - 4 * square * rest
    if inside < 0:
        return []
    half = -0.5 * (linear + math.copysign(math.sqrt(inside), linear))
    found = [half / square] if square else []
    found += [rest / half] if half else []
    return [root for root in found if math.isfinite(root)]
