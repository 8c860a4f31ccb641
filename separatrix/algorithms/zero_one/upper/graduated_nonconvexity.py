"""The upper end where there are more than a few columns: a loss that is sharpened while it is being reduced.

**Idea** (graduated non-convexity; Blake and Zisserman 1987). The number of errors has no slope. A loss that
flattens out for rows far on the wrong side has one, and is near the number of errors when margins are
measured in small units. So begin with large units, in which every row pulls, and let them shrink. Sixteen
halfspaces go down side by side, each with random costs of the rows, a pace and a shape of the loss of its
own. A first round begins around the mean row; later ones near the best halfspaces of earlier rounds, with
units no larger than the step away from them.

**Certificate.** The halfspace. The best of each round is turned into whole numbers and counted exactly.

**Cost.** A round is some hundred steps, each two products of the rows with sixteen columns, in float32.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from separatrix.algorithms.zero_one.interval import Interval
from separatrix.algorithms.zero_one.problem import Problem
from separatrix.algorithms.zero_one.upper.graduated_nonconvexity_kernels import pull
from separatrix.algorithms.zero_one.upper.line_sweep_kernels import seed_draws
from separatrix.algorithms.zero_one.upper.vertex_search import Ground, Search, offer

SIDE_BY_SIDE = 16
STEPS, AGAIN = 1000, 0.6  # steps of a first round, and the share of that for a later one
FEWEST = 200
ROOM = 3_000_000  # margins that are kept at a time
SHARE = 0.05  # of the time left that a round may take, where time is what limits it
SHARPEST = 5000.0
FRESH = 3  # every third round is a first one
KEPT = 2 * SIDE_BY_SIDE  # halfspaces to begin near
LOOK = 50  # steps between two looks at the clock
TRIAL = 5  # steps to see how long one takes
WALKS = 40  # sweeps from the best of a round, where it is not far from the best of all
WORTH = 1.02


class Sharpening:
    """The engine.

    Parameters
    ----------
    random_state : int
    rounds : int or None
        How many; None: until the interval says stop.
    """

    def __init__(self, random_state: int = 0, rounds: int | None = 4) -> None:
        self.random_state = random_state
        self.rounds = rounds

    def run(self, problem: Problem, interval: Interval) -> None:
        for done, _ in enumerate(self.steps(problem, interval), 1):
            if interval.should_stop() or done == self.rounds:
                return

    def steps(self, problem: Problem, interval: Interval) -> Iterator[None]:
        """One round after another, without end where there is anything to fit."""
        if problem.m == 0:
            return
        descent = Descent(Ground(problem), interval, np.random.default_rng(self.random_state))
        if interval.node_limit is None:
            descent.keep_time()
        walks = Search(self.random_state)
        seed_draws(self.random_state)
        turn = 0
        while True:
            cost, plane = descent.round(fresh=turn % FRESH == 0)
            offer(descent.ground, interval, plane)
            upper, offset = map(problem.to_float_cost, (interval.upper, problem.offset))
            if cost / descent.unit <= (WORTH * upper + 1 - offset) / descent.ground.unit:
                walks.walk(descent.ground, interval, plane, WALKS)
            turn += 1
            yield


class Descent:
    """The rows in float32, and the halfspaces met that cost least."""

    def __init__(self, ground: Ground, interval: Interval, draws: np.random.Generator) -> None:
        self.ground, self.interval, self.draws = ground, interval, draws
        self.rows = (ground.rows * np.sqrt(ground.rows.shape[1])).astype(np.float32)
        self.unit = 1.0 / (float(ground.costs.mean()) or 1.0)
        self.weights = ground.costs * self.unit
        self.middle = self.weights @ self.rows
        self.middle /= np.linalg.norm(self.middle) or 1.0
        self.planes = np.zeros((self.rows.shape[1], 0), np.float32)
        self.costs = np.zeros(0)
        self.many = max(4, min(SIDE_BY_SIDE, ROOM // len(self.rows)))
        self.length = STEPS

    def keep_time(self) -> None:
        """Make rounds shorter where they would take too much of the time left."""
        trial = np.repeat(self.middle[:, None], self.many, axis=1).astype(np.float32)
        draws, self.draws = self.draws, np.random.default_rng(0)
        started = time.perf_counter()
        self._descend(trial, TRIAL, 1.0)
        spent = time.perf_counter() - started
        self.draws = draws
        if self.interval.seconds_left < np.inf:
            room = int(SHARE * self.interval.seconds_left / spent * TRIAL)
            self.length = max(FEWEST, min(STEPS, room))

    def round(self, *, fresh: bool) -> tuple[float, np.ndarray]:
        """One more; returns the least cost of its halfspaces, and the halfspace, in the ground's units."""
        draws, many, width = self.draws, self.many, self.rows.shape[1]
        steps, softest = self.length, 1.0
        begin = np.repeat(self.middle[:, None], many, axis=1)
        away = draws.uniform(0.3, 2.0, many)
        if not fresh:
            steps, softest = int(AGAIN * self.length), 10 ** draws.uniform(0.5, 1.7)
            better = np.argsort(self.costs, kind="stable")
            begin = self.planes[:, better[draws.integers(0, len(better) // 2 + 1, many)]]
            away = 10 ** draws.uniform(-2.5, -0.3, many)
        begin = begin + away * draws.standard_normal((width, many)) / np.sqrt(width)
        costs, planes = self._descend(begin.astype(np.float32), steps, softest)
        self.planes = np.concatenate([self.planes, planes], axis=1)
        self.costs = np.concatenate([self.costs, costs])
        kept = np.argsort(self.costs, kind="stable")[:KEPT]
        self.planes, self.costs = self.planes[:, kept], self.costs[kept]
        best = int(np.argmin(costs))
        return float(costs[best]), planes[:, best].astype(np.float64)

    def _descend(self, planes: np.ndarray, steps: int, softest: float) -> tuple[np.ndarray, np.ndarray]:
        """Adam's steps (Kingma and Ba 2015) on the sphere, as long as the units are; the best on the way."""
        draws, rows = self.draws, self.rows
        (n, width), many = rows.shape, planes.shape[1]
        noise = draws.uniform(0.1, 0.5, many) * draws.standard_normal((n, many))
        costs = (self.weights[:, None] * np.exp(noise)).astype(np.float32)
        flatness = np.asarray(draws.uniform(0.0, 1.0, many), np.float32)
        pace = 10 ** np.asarray(draws.uniform(-0.5, 0.4, many)) / np.sqrt(width)
        margins, pulls = np.empty((n, many), np.float32), np.empty((n, many), np.float32)
        wrong, least, best = np.empty(many), np.full(many, np.inf), planes.copy()
        first, second = np.zeros_like(planes), np.zeros_like(planes)
        for step in range(steps):
            if step % LOOK == 0 and self.interval.should_stop():
                break
            sharpness = softest * (SHARPEST / softest) ** (step / steps)
            planes = planes / np.sqrt((planes * planes).sum(axis=0) + np.float32(1e-30))
            np.dot(rows, planes, out=margins)
            pull(margins, costs, self.weights, sharpness, flatness, pulls, wrong)
            better = wrong < least
            if better.any():
                least[better], best[:, better] = wrong[better], planes[:, better]
            slope = rows.T @ pulls
            slope -= planes * (planes * slope).sum(axis=0)
            slope /= np.sqrt((slope * slope).sum(axis=0)) + np.float32(1e-20)
            first += np.float32(0.1) * (slope - first)
            second += np.float32(0.01) * (slope * slope - second)
            size = np.sqrt(second) + np.float32(1e-3 / np.sqrt(width))
            planes = planes + np.asarray(pace / sharpness, np.float32) * first / size
        return least, best
