"""The upper end: halfspaces with few errors, found by walking and counted exactly.

**Idea.** Some vertex of the arrangement (D − 1 independent rows on the hyperplane) is as cheap as the
cheapest halfspace. A walk leaves one row at a time and takes the best vertex of the line that this frees,
found by one sweep (`line_sweep_kernels`). Convex fits give the starts: with few errors and many
columns, hinge losses whose rows are weighed again and again by how wrong they are (large violations count
less and less), which is what makes few rows wrong instead of all a little.

**Certificate.** The halfspace itself. Every proposal is turned into whole numbers and counted exactly.

**Cost.** A sweep is O(nD + n log n).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from separatrix.algorithms.zero_one.interval import Interval
from separatrix.algorithms.zero_one.problem import Problem
from separatrix.algorithms.zero_one.upper import line_sweep_kernels as kernels

TURNS = 300  # sweeps between looks at the clock, at most
ROWS = 1_000_000  # of all of them together, about


class Search:
    """The engine.

    Parameters
    ----------
    random_state : int
    rounds : int or None
        How many starts; None: until the interval says stop.
    effort : float
        About how many seconds' worth of sweeps each walk gets, counted in sweeps so that it is the same on
        every machine.
    """

    def __init__(self, random_state: int = 0, rounds: int | None = 4, effort: float = 1.0) -> None:
        self.random_state = random_state
        self.rounds = rounds
        self.effort = effort

    def run(self, problem: Problem, interval: Interval) -> None:
        for turn, _ in enumerate(self.steps(problem, interval), 1):
            if interval.should_stop() or turn == self.rounds:
                return

    def steps(self, problem: Problem, interval: Interval) -> Iterator[None]:
        """One walk after another, without end."""
        if problem.m == 0:
            interval.offer((0,) * (problem.D - 1) + (1,))
            return
        ground = Ground(problem)
        kernels.seed_draws(self.random_state)
        draws = np.random.default_rng(self.random_state)
        for start in starts(ground, interval, draws):
            self.walk(ground, interval, start)
            yield

    def walk(self, ground: Ground, interval: Interval, start: np.ndarray, turns: int | None = None) -> None:
        """From one start to the end of its sweeps."""
        Z, costs = ground.rows, ground.costs
        n, D = Z.shape
        offer(ground, interval, start)
        if D == 1:
            for sign in (1.0, -1.0):
                offer(ground, interval, np.array([sign]))
            return
        active = np.zeros(n, dtype=np.bool_)
        sets = np.zeros((3, D - 1), np.int64)
        planes = np.zeros((3, D))
        planes[kernels.HERE] = start / (np.linalg.norm(start) or 1.0)
        cost = kernels.descend_to_vertex(Z, costs, active, sets[kernels.HERE], planes[kernels.HERE])
        if not np.isfinite(cost):
            return
        course = np.array([cost, np.inf, np.inf, 0.0, 0.0, 0.0])
        planes[kernels.BEST], sets[kernels.BEST] = planes[kernels.HERE], sets[kernels.HERE]
        left = turns or int(self.effort * max(400, min(6000, 4_000_000 // (n + n * D // 8))))
        known = np.inf
        at_once = max(10, min(TURNS, ROWS // n))
        while left > 0:
            left -= at_once
            try:
                lowest = kernels.exchange(Z, costs, at_once, active, sets, planes, course)
            except np.linalg.LinAlgError:  # rows that floats take for dependent: on to the next start
                lowest, left = course[kernels.LOWEST], 0
            if lowest < known or known == np.inf:
                known = min(lowest, cost)
                self._settle(ground, interval, sets[kernels.BEST], planes[kernels.BEST])
            if interval.should_stop():
                return

    def _settle(self, ground: Ground, interval: Interval, rows: np.ndarray, plane: np.ndarray) -> None:
        """Turn a vertex a little, so that its own rows are right."""
        Z = ground.rows
        turn = np.linalg.lstsq(Z[rows], np.ones(len(rows)), rcond=None)[0]
        scores = Z @ plane
        scores[rows] = 0.0
        found = np.empty(1)
        kernels.best_step(scores, Z @ turn, ground.costs, found)
        offer(ground, interval, plane + found[0] * turn)


class Ground:
    """Rows of length 1 in coordinates in which they lie about evenly in all directions: for proposals."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        rows, self.units = problem.levelled
        _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
        kept = max(1, int((sizes > 1e-11 * sizes[0]).sum()))
        self.basis = directions[:kept].T / sizes[:kept]
        rows = rows @ self.basis
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        self.rows = np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1.0))
        self.unit = max(1.0, problem.float_weights.max() / 2.0**40)
        self.costs = problem.float_weights / self.unit


def _plane(ground: Ground, weights: tuple[int, ...]) -> np.ndarray:
    """The same halfspace in the ground's coordinates."""
    levelled = ground.units * ground.problem.to_floats(weights)
    return np.asarray(np.linalg.lstsq(ground.basis, levelled, rcond=None)[0])


def starts(ground: Ground, interval: Interval, draws: np.random.Generator) -> Iterator[np.ndarray]:
    """First halfspaces: the mean row, then convex fits, then fits around the best so far, without end."""
    Z, costs = ground.rows, ground.costs
    yield costs @ Z
    yield logistic(Z, costs)
    weighed = costs.copy()
    for turn in range(6):
        plane = hinge(Z, weighed)
        yield plane
        short = np.maximum(0.0, 1.0 - (Z @ plane))
        weighed = costs / (short + 0.1 * 0.7**turn)
    while True:
        plane = _plane(ground, interval.weights)
        scores = Z @ plane
        scores /= np.quantile(abs(scores), draws.uniform(0.05, 0.6)) or 1.0
        short = np.maximum(0.0, 1.0 - scores)
        yield hinge(Z, costs * draws.exponential(size=len(Z)) / (short + draws.uniform(0.02, 0.3)))


def logistic(Z: np.ndarray, costs: np.ndarray, turns: int = 25) -> np.ndarray:
    """Logistic regression through the origin by Newton's method, lightly penalised."""
    plane = np.zeros(Z.shape[1])
    share = costs / costs.mean()
    for _ in range(turns):
        p = 1.0 / (1.0 + np.exp(np.clip(Z @ plane, -30, 30)))
        slope = Z.T @ (share * p) - 1e-3 * plane
        curve = (Z * (share * p * (1 - p))[:, None]).T @ Z + 1e-3 * np.eye(Z.shape[1])
        step = np.linalg.solve(curve, slope)
        plane = plane + step * min(1.0, 10.0 / (np.linalg.norm(step) or 1.0))
        if np.linalg.norm(step) < 1e-6 * np.linalg.norm(plane):
            break
    return plane


def hinge(Z: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The halfspace of least Σ c·max(0, 1 − z·w), by linear programming."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity

    n, D = Z.shape
    wanted = hstack([csr_array(-Z), -identity(n, format="csr")], format="csr")
    objective = np.concatenate((np.zeros(D), costs / costs.max()))
    limits = [(-1e4, 1e4)] * D + [(0, None)] * n
    answer = linprog(objective, A_ub=wanted, b_ub=-np.ones(n), bounds=limits, method="highs")
    return np.asarray(answer.x[:D]) if answer.x is not None else costs @ Z


def offer(ground: Ground, interval: Interval, plane: np.ndarray) -> None:
    weights = ground.basis @ plane / ground.units
    if np.isfinite(weights).all() and weights.any():
        interval.offer(ground.problem.from_floats(weights))
