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

from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.algorithms.zero_one.upper.graduated_nonconvexity_kernels import compute_pulls
from separatrix.algorithms.zero_one.upper.vertex_search import VertexSearch, WhitenedRows, offer_plane
from separatrix.algorithms.zero_one.upper.vertex_search_kernels import seed_draws

PARALLEL_HALFSPACES = 16
FIRST_ROUND_STEPS = 1000
LATER_ROUND_SHARE = 0.6  # of the steps of a first round
MIN_STEPS = 200
MAX_MARGIN_VALUES = 3_000_000  # margins that are kept at a time
ROUND_SHARE = 0.05  # of the time left that a round may take, where time is what limits it
MAX_SHARPNESS_FACTOR = 5000.0
FRESH_ROUNDS = 3  # every third round is a first one
KEPT_HALFSPACES = 2 * PARALLEL_HALFSPACES  # halfspaces to begin near
CLOCK_STEPS = 50  # steps between two looks at the clock
TRIAL_STEPS = 5  # steps to see how long one takes
WALK_SWEEPS = 40  # sweeps from the best of a round, where it is not far from the best of all
WALK_COST_FACTOR = 1.02


class GraduatedNonconvexity:
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

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        for done, _ in enumerate(self.steps(problem, interval), 1):
            if interval.should_stop() or done == self.rounds:
                return

    def steps(self, problem: ReducedProblem, interval: ErrorInterval) -> Iterator[None]:
        """One round after another, without end where there is anything to fit."""
        if problem.m == 0:
            return
        descent = ParallelDescent(WhitenedRows(problem), interval, np.random.default_rng(self.random_state))
        if interval.node_limit is None:
            descent.limit_round_time()
        vertex_search = VertexSearch(self.random_state)
        seed_draws(self.random_state)
        round_ = 0
        while True:
            cost, plane = descent.round(is_first=round_ % FRESH_ROUNDS == 0)
            offer_plane(descent.whitened, interval, plane)
            upper, offset = map(problem.to_float_cost, (interval.upper, problem.offset))
            if cost / descent.unit <= (WALK_COST_FACTOR * upper + 1 - offset) / descent.whitened.unit:
                vertex_search.walk(descent.whitened, interval, plane, WALK_SWEEPS)
            round_ += 1
            yield


class ParallelDescent:
    """The rows in float32, and the halfspaces met that cost least."""

    def __init__(self, whitened: WhitenedRows, interval: ErrorInterval, random: np.random.Generator) -> None:
        self.whitened, self.interval, self.random = whitened, interval, random
        self.rows = (whitened.rows * np.sqrt(whitened.rows.shape[1])).astype(np.float32)
        self.unit = 1.0 / (float(whitened.costs.mean()) or 1.0)
        self.weights = whitened.costs * self.unit
        self.middle = self.weights @ self.rows
        self.middle /= np.linalg.norm(self.middle) or 1.0
        self.planes = np.zeros((self.rows.shape[1], 0), np.float32)
        self.costs = np.zeros(0)
        self.n_planes = max(4, min(PARALLEL_HALFSPACES, MAX_MARGIN_VALUES // len(self.rows)))
        self.round_steps = FIRST_ROUND_STEPS

    def limit_round_time(self) -> None:
        """Make rounds shorter where they would take too much of the time left."""
        trial = np.repeat(self.middle[:, None], self.n_planes, axis=1).astype(np.float32)
        random, self.random = self.random, np.random.default_rng(0)
        start_time = time.perf_counter()
        self._descend(trial, TRIAL_STEPS, 1.0)
        seconds = time.perf_counter() - start_time
        self.random = random
        if self.interval.seconds_left < np.inf:
            n_steps = int(ROUND_SHARE * self.interval.seconds_left / seconds * TRIAL_STEPS)
            self.round_steps = max(MIN_STEPS, min(FIRST_ROUND_STEPS, n_steps))

    def round(self, *, is_first: bool) -> tuple[float, np.ndarray]:
        """One more; returns the least cost of its halfspaces, and the halfspace, in whitened units."""
        random, n_planes, width = self.random, self.n_planes, self.rows.shape[1]
        steps, min_sharpness = self.round_steps, 1.0
        starts = np.repeat(self.middle[:, None], n_planes, axis=1)
        distances = random.uniform(0.3, 2.0, n_planes)
        if not is_first:
            steps, min_sharpness = int(LATER_ROUND_SHARE * self.round_steps), 10 ** random.uniform(0.5, 1.7)
            better = np.argsort(self.costs, kind="stable")
            starts = self.planes[:, better[random.integers(0, len(better) // 2 + 1, n_planes)]]
            distances = 10 ** random.uniform(-2.5, -0.3, n_planes)
        starts = starts + distances * random.standard_normal((width, n_planes)) / np.sqrt(width)
        costs, planes = self._descend(starts.astype(np.float32), steps, min_sharpness)
        self.planes = np.concatenate([self.planes, planes], axis=1)
        self.costs = np.concatenate([self.costs, costs])
        kept = np.argsort(self.costs, kind="stable")[:KEPT_HALFSPACES]
        self.planes, self.costs = self.planes[:, kept], self.costs[kept]
        best = int(np.argmin(costs))
        return float(costs[best]), planes[:, best].astype(np.float64)

    def _descend(self, planes: np.ndarray, steps: int, min_sharpness: float) -> tuple[np.ndarray, np.ndarray]:
        """Adam's steps (Kingma and Ba 2015) on the sphere, as long as the units are; the best on the way."""
        random, rows = self.random, self.rows
        (n, width), n_planes = rows.shape, planes.shape[1]
        noise = random.uniform(0.1, 0.5, n_planes) * random.standard_normal((n, n_planes))
        costs = (self.weights[:, None] * np.exp(noise)).astype(np.float32)
        flatness = np.asarray(random.uniform(0.0, 1.0, n_planes), np.float32)
        pace = 10 ** np.asarray(random.uniform(-0.5, 0.4, n_planes)) / np.sqrt(width)
        margins, pulls = np.empty((n, n_planes), np.float32), np.empty((n, n_planes), np.float32)
        wrong, least, best = np.empty(n_planes), np.full(n_planes, np.inf), planes.copy()
        first_moment, second_moment = np.zeros_like(planes), np.zeros_like(planes)
        for step in range(steps):
            if step % CLOCK_STEPS == 0 and self.interval.should_stop():
                break
            sharpness = min_sharpness * (MAX_SHARPNESS_FACTOR / min_sharpness) ** (step / steps)
            planes = planes / np.sqrt((planes * planes).sum(axis=0) + np.float32(1e-30))
            np.dot(rows, planes, out=margins)
            compute_pulls(margins, costs, self.weights, sharpness, flatness, pulls, wrong)
            is_better = wrong < least
            if is_better.any():
                least[is_better], best[:, is_better] = wrong[is_better], planes[:, is_better]
            gradient = rows.T @ pulls
            gradient -= planes * (planes * gradient).sum(axis=0)
            gradient /= np.sqrt((gradient * gradient).sum(axis=0)) + np.float32(1e-20)
            first_moment += np.float32(0.1) * (gradient - first_moment)
            second_moment += np.float32(0.01) * (gradient * gradient - second_moment)
            size = np.sqrt(second_moment) + np.float32(1e-3 / np.sqrt(width))
            planes = planes + np.asarray(pace / sharpness, np.float32) * first_moment / size
        return least, best
