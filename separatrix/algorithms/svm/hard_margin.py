"""The widest margin of separable rows, with its certificate."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.separation import Separation
from separatrix.algorithms.separation.margins import Bracket
from separatrix.certificates import Certificate, MarginBetween, Separable
from separatrix.fitting import Solution
from separatrix.fitting.exact_errors import about
from separatrix.fitting.history import History
from separatrix.halfspace import Halfspace
from separatrix.rows import Rows


def solve_hard_margin(
    rows: Rows, positive: int, separation: Separation, *, intercept: bool, free: bool, tol: float
) -> Solution | None:
    """The halfspace of the widest margin, to the relative gap ``tol``; None for rows that nothing separates.

    With a ``free`` intercept the margin is the geometric one, else that of the rows (x, 1). The margin is 0,
    and the certificate `Separable`, where it is below the least double.
    """
    bracket = separation.bracket(geometric=free, tol=float(tol), canonical=True)
    if bracket is None:
        return None
    *weights, bias = bracket.plane.to_numbers()
    witness = tuple(weights), bias if intercept else None
    certificate: Certificate = Separable(*witness, about=about(rows, positive))
    if bracket.lower > 0:
        certificate = MarginBetween(
            *witness,
            bracket.rows,
            bracket.multipliers,
            bracket.lower,
            bracket.upper,
            bracket.geometric,
            about=about(rows, positive),
        )
    certificate = certificate.bound_to(rows)
    halfspace = Halfspace(weights, bias)
    float_weights = np.append(halfspace.weights, halfspace.intercept)
    facts = {
        "margin": bracket.lower,
        "upper_bound": bracket.upper,
        "gap": bracket.gap,
        "support": np.array(bracket.rows, np.int64),
        "dual_coef": compute_dual_coefficients(bracket),
    }
    return Solution(float_weights, certificate, History(), facts, halfspace)


def compute_dual_coefficients(bracket: Bracket) -> np.ndarray:
    """α·s with w = Σ α s x for the w whose nearest rows score ±1."""
    total = sum(bracket.multipliers)
    shares = np.array([value / total for value in bracket.multipliers])
    with np.errstate(over="ignore"):  # infinite where margins are beyond the inverse roots of doubles
        return shares * bracket.signs / bracket.upper / bracket.upper
