"""Uniform convergence, seen: the largest gap between risk and training error over *all* halfspaces.

Where the distribution has finitely many points, halfspaces are finitely many labellings of them, and the
largest gap is the maximum over the list of `dichotomies_of`: no halfspace is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.bounds import vapnik_chervonenkis, vc_dimension
from separatrix.bounds.arguments import between_zero_and_one, whole
from separatrix.theory.distributions import FiniteDistribution


@dataclass(frozen=True, eq=False)
class UniformConvergence:
    """Gaps between risk and training error, by the number of rows.

    Attributes
    ----------
    sizes : ndarray
    gaps : ndarray of shape (sizes, repeats)
        For each sample, the largest over all halfspaces.
    single : ndarray of shape (sizes, repeats)
        For the same samples, that of one halfspace chosen beforehand.
    chosen : ndarray of shape (sizes, repeats)
        How much worse than the best halfspace the one with the fewest training errors is: twice the gap at
        most.
    bound : ndarray
        Vapnik and Chervonenkis's bound of the gap, with probability 1 - δ; 1 where it says nothing.
    delta : float
    """

    sizes: NDArray[np.int64]
    gaps: NDArray[np.float64]
    single: NDArray[np.float64]
    chosen: NDArray[np.float64]
    bound: NDArray[np.float64]
    delta: float


def uniform_convergence(
    distribution: FiniteDistribution,
    sizes: Any,
    *,
    repeats: int = 50,
    delta: float = 0.05,
    random_state: int = 0,
) -> UniformConvergence:
    """Draw samples and find the halfspace whose training error is farthest from its risk.

    A class of binary rules is learnable if and only if its Vapnik-Chervonenkis dimension is finite, and then
    every rule with the fewest training errors is a learner: for the largest gap goes to zero as the sample
    grows, whatever the distribution, and the risk of such a rule exceeds the best by at most twice the gap.

    Source: V. N. Vapnik and A. Ya. Chervonenkis, Theory of Probability and its Applications 16 (1971),
    Theorem 2; the equivalence: A. Blumer, A. Ehrenfeucht, D. Haussler and M. K. Warmuth, Journal of the ACM
    36 (1989), Theorem 2.1; S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), Theorem
    6.7.

    Examples
    --------
    >>> corners = FiniteDistribution([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> seen = uniform_convergence(corners, [10, 100, 1000], repeats=20)
    >>> gaps = seen.gaps.mean(axis=1)
    >>> bool((np.diff(gaps) < 0).all()), bool((seen.chosen <= 2 * seen.gaps + 1e-12).all())
    (True, True)
    """
    between_zero_and_one(delta=delta)
    (rounds,) = whole(1, repeats=repeats)
    counts = [whole(1, size=size)[0] for size in sizes]
    if not isinstance(distribution, FiniteDistribution):
        raise ValueError(
            "uniform_convergence needs a FiniteDistribution: only there can all halfspaces be listed"
        )
    points, negative, positive = distribution.masses
    predicted_plus = distribution.dichotomies.signs > 0
    true_minus, true_plus = np.array(negative, dtype=float), np.array(positive, dtype=float)
    risks = predicted_plus @ true_minus + ~predicted_plus @ true_plus
    random = np.random.default_rng(random_state)
    shape = (len(counts), rounds)
    gaps, single, chosen = np.empty(shape), np.empty(shape), np.empty(shape)
    probabilities = np.concatenate([true_minus, true_plus])
    for place, m in enumerate(counts):
        for k in range(rounds):
            drawn = random.multinomial(m, probabilities / probabilities.sum()) / m
            errors = predicted_plus @ drawn[: len(points)] + ~predicted_plus @ drawn[len(points) :]
            away = np.abs(errors - risks)
            gaps[place, k], single[place, k] = away.max(), away[0]
            chosen[place, k] = risks[int(np.argmin(errors))] - risks.min()
    dimension = vc_dimension(distribution.points.shape[1])
    bound = np.array([min(1.0, vapnik_chervonenkis(0, m, dimension, delta).value) for m in counts])
    return UniformConvergence(np.array(counts), gaps, single, chosen, bound, float(delta))
