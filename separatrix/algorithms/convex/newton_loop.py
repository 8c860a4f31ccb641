"""Newton's method, exact or inexact: the loop that the convex solvers share.

**Idea.** Solve Hv = −g for the Hessian H and the gradient g at the current point, or nearly so, and move
along v. (1) ½ g·H⁻¹g = −½ g·v is about what the objective is above its least value.

**Theorem** (Newton; Kantorovich, 1948). Near the optimum of a strictly convex, smooth objective the error of
one step is a constant times the square of the error before it. From anywhere, with a line search that makes
the slope along the direction small, the objective falls in every step (Boyd and Vandenberghe, *Convex
Optimization*, 9.5). If systems are solved only until the residual is a share η < 1 of the gradient, the
gradient shrinks by η a step in the end, and superlinearly when η goes to 0 (Dembo, Eisenstat and Steihaug,
1982).

**Certificate.** None: a chapter proves the gap of the weights that this ends with.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Protocol, TypeVar

import numpy as np

from separatrix.fitting.progress import report_step

MIN_RIDGE_VALUE = 2.0**-80  # a smaller penalty is lost in the rounding of the gradient, 2^-52, squared


class Iterations:
    """How many steps over all rows were made, and the objective at the start and after each."""

    def __init__(self, max_iter: int, *, reported: bool = True) -> None:
        self.max_iter = max_iter
        self.next_report = 0 if reported else max_iter + 1  # the next step that is reported
        self.n_steps = 0
        self.objectives: list[float] = []

    def record(self, objective: float) -> None:
        """Record the objective after the steps made so far."""
        self.objectives[self.n_steps :] = [objective]

    def report(self, gap: float) -> None:
        """Report the steps made so far, once, and about what they leave open."""
        if self.n_steps >= self.next_report:
            self.next_report = self.n_steps + 1
            report_step(self.n_steps, self.max_iter, gap, self.objectives[-1])

    @property
    def has_steps_left(self) -> bool:
        return self.n_steps < self.max_iter


class Point(Protocol):
    """The objective and its gradient somewhere."""

    @property
    def objective(self) -> float: ...

    @property
    def gradient(self) -> np.ndarray: ...


P = TypeVar("P", bound=Point)
Trial = TypeVar("Trial")


class Descent(Protocol[P]):
    """What a solver supplies: directions, and how to move along one."""

    def find_direction(self, current: P) -> np.ndarray:
        """The solution of the Newton system, or about that."""

    def estimate_gap(self, current: P, decrement: float) -> float:
        """About what the objective is above its least value; ``decrement`` is (1) above."""

    def take_step(self, current: P, direction: np.ndarray, slope: float, gap: float) -> P | None:
        """Move, count the step, and return where it led; None if only rounding is left.

        Returns a point with the same weights, and counts nothing, where the direction has to be better first.
        """


def descend(descent: Descent[P], current: P, tol: float, iterations: Iterations, *, n_final: int = 0) -> bool:
    """Step until the gap is at most ``tol`` times the objective, and ``n_final`` times more.

    False if the steps ran out, or rounding ended them.
    """
    n_closed = 0
    while True:
        iterations.record(current.objective)
        direction = descent.find_direction(current)
        slope = float(np.vdot(current.gradient, direction))
        gap = descent.estimate_gap(current, -0.5 * slope)  # (1) above
        iterations.report(gap)
        n_closed += gap <= tol * current.objective
        if n_closed > n_final:
            return True
        if not iterations.has_steps_left or not isfinite(gap):
            return False
        following = descent.take_step(current, direction, slope, gap)
        if following is None:
            return False
        current = following


def estimate_gap(gradient: np.ndarray, ridge: float, decrement: float) -> float:
    """About what a certificate's gap will be: ½ Σ g²/ρ for a penalty ρ that the rounding of the gradient does
    not hide, and what is left to gain; without a penalty the latter alone."""
    if not ridge > MIN_RIDGE_VALUE:
        return decrement
    return max(0.5 * float(np.sum(gradient**2 / ridge)), decrement)


def backtrack(
    evaluate: Callable[[float], Trial], is_accepted: Callable[[float, Trial], bool], max_halvings: int
) -> tuple[float, Trial] | None:
    """The first of the steps 1, ½, ¼, ... that is accepted, and the value there; None if no step is."""
    step = 1.0
    for _ in range(max_halvings):
        trial = evaluate(step)
        if is_accepted(step, trial):
            return step, trial
        step *= 0.5
    return None
