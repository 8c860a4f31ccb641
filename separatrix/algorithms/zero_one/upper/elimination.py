"""The upper end where there are many columns: leave out the worst row until no row kept is wrong.

**Idea** (Chinneck 2001, for the smallest set of constraints whose removal leaves a feasible system). Hinge
losses with a large cost on the rows kept; the row with the largest shortfall is left out; and so on until the
rows kept are separated; at times some of the worst rows are tried in turn, and the one is left out without
which least is lacking. Then a part of the rows left out comes back and the elimination is repeated with
shortfalls, costs and their size varied at random: a search in large neighbourhoods.

**Certificate.** The halfspace of every fit, turned into whole numbers and counted exactly.

**Cost.** A fit is some tens of Newton steps, each O(nD²) at most; a first elimination takes about as many
fits as there are errors.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet, solve
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.problem import ReducedProblem

LARGE_COST = 1e4  # cost of a unit of shortfall beside ½‖w‖², in units of a row's mean weight
COSTS = (1e2, 1e3, 1e4, 1e5)
FIT_TOLERANCE = 3e-5  # relative, of a fit
CANDIDATE_ROWS = (
    1,
    1,
    1,
    1,
    1,
    6,
)  # of how many rows the one is left out without which the others are wrong by the least
LOG_NOISE_SIZE = 0.3  # of the logarithm of a shortfall
MAX_NEWTON_STEPS = 400  # Newton steps of a fit
MAX_COST_FACTOR = 1.1  # an elimination that has left out more than this much of the best cost is given up
MAX_IDLE_ROUNDS = 60  # eliminations without gain before a new beginning
BATCH_SHARE = 0.25  # of the rows wrong may be left out at once while there are many


class Elimination:
    """The engine.

    Parameters
    ----------
    random_state : int
    fits : int or None
        How many fits in all; None: until the interval says stop.
    """

    def __init__(self, random_state: int = 0, fits: int | None = 200) -> None:
        self.random_state = random_state
        self.fits = fits

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        for done, _ in enumerate(self.steps(problem, interval), 1):
            if interval.should_stop() or done == self.fits:
                return

    def steps(self, problem: ReducedProblem, interval: ErrorInterval) -> Iterator[None]:
        """One fit after another, without end where there is anything to fit."""
        if problem.m == 0:
            return
        fits = HingeFits(problem, interval)
        random = np.random.default_rng(self.random_state)
        noise = 0.0
        while True:
            is_left_out = yield from self._eliminate(fits, np.ones(problem.m, bool), random, noise, np.inf)
            yield from self._improve(fits, is_left_out, random)
            noise = LOG_NOISE_SIZE

    def _improve(
        self, fits: HingeFits, is_left_out: np.ndarray, random: np.random.Generator
    ) -> Iterator[None]:
        """Put some rows back and eliminate again, until that has been of no use for long."""
        cost = fits.sum_costs(is_left_out)
        n_idle = 0
        while n_idle < MAX_IDLE_ROUNDS and cost > 0:
            left_out_rows = np.flatnonzero(is_left_out)
            returned = random.choice(
                left_out_rows, int(random.integers(1, max(2, len(left_out_rows) // 2 + 1))), replace=False
            )
            is_kept = ~is_left_out
            is_kept[returned] = True
            other = yield from self._eliminate(
                fits, is_kept, random, LOG_NOISE_SIZE, MAX_COST_FACTOR * cost + 1
            )
            n_idle += 1
            found = fits.sum_costs(other)
            if found <= cost:
                n_idle = 0 if found < cost else n_idle
                is_left_out, cost = other, found

    def _eliminate(
        self, fits: HingeFits, is_kept: np.ndarray, random: np.random.Generator, noise: float, max_cost: float
    ) -> Generator[None, None, np.ndarray]:
        """Leave out rows until those kept are right; returns the rows that are errors then."""
        size = LARGE_COST if noise == 0.0 else float(random.choice(COSTS))
        n_candidates = 1 if noise == 0.0 else int(random.choice(CANDIDATE_ROWS))
        cost_factors = np.exp(noise * random.standard_normal(len(is_kept)))
        margins = fits.fit(is_kept, size * cost_factors)
        yield
        while (is_kept & (margins <= 0)).any():
            wrong = int((is_kept & (margins <= 0)).sum())
            shortfalls = np.where(is_kept, np.maximum(0.0, 1.0 - margins), 0.0)
            if n_candidates == 1:
                shortfalls *= np.exp(noise * random.standard_normal(len(is_kept)))
            worst = np.argsort(shortfalls)
            candidates = [worst[-max(1, int(BATCH_SHARE * (wrong - 40))) :]]
            if n_candidates > 1 and wrong <= 40:
                candidates = [worst[-k:][:1] for k in range(1, n_candidates + 1) if shortfalls[worst[-k]] > 0]
            least = np.inf
            for candidate in candidates:
                is_kept_then = is_kept.copy()
                is_kept_then[candidate] = False
                found = fits.fit(is_kept_then, size * cost_factors)
                yield
                total = float(cost_factors[is_kept_then] @ np.maximum(0.0, 1.0 - found[is_kept_then]))
                if total < least:
                    least, chosen, margins = total, is_kept_then, found
            is_kept = chosen
            if fits.sum_costs(~is_kept) > max_cost:
                return np.ones(len(is_kept), bool)
        return np.asarray(~is_kept & (margins <= 0))


class HingeFits:
    """The rows in standard units, and fits of parts of them, each offered."""

    def __init__(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        self.problem, self.interval = problem, interval
        self.weights = problem.float_weights / (problem.float_weights.mean() or 1.0)
        Z = problem.floats
        self.signs = np.zeros(problem.m)
        self.centre = np.zeros(problem.D)
        if problem.intercept:
            self.signs = np.sign(Z[:, -1])
            X = Z[:, :-1] * self.signs[:, None]
            self.centre = np.append(X.mean(axis=0), 0.0)
            Z = Z - self.signs[:, None] * self.centre
            self.unit = Z[0, -1] * self.signs[0]
            Z = Z[:, :-1]
        spread = np.sqrt((Z * Z).mean(axis=0))
        self.spread = np.where(spread > 0, spread, 1.0)
        self.rows = np.ascontiguousarray(Z / self.spread)

    def sum_costs(self, rows: np.ndarray) -> float:
        """Of some rows, in units of a row's mean weight."""
        return float(self.weights[rows].sum())

    def fit(self, is_kept: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """The margins of all rows at the fit of those kept."""
        chosen = np.flatnonzero(is_kept)
        caps = self.weights[chosen] * costs[chosen]
        working_set = WorkingSet(
            chosen, self.rows[chosen], self.signs[chosen], caps, np.full(len(chosen), 0.5)
        )
        start = np.zeros(self.rows.shape[1] + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            plane = solve(
                working_set,
                np.zeros(len(start)),
                start,
                0.25,
                FIT_TOLERANCE * 1e-3 * float(caps.sum()),
                intercept=self.problem.intercept,
                max_steps=MAX_NEWTON_STEPS,
            ).weights
        margins = self.rows @ plane[:-1] + self.signs * plane[-1]
        self._offer(plane, margins)
        return np.asarray(margins)

    def _offer(self, plane: np.ndarray, margins: np.ndarray) -> None:
        problem = self.problem
        cost = float(problem.float_weights[margins <= 0].sum())
        weights = plane[:-1] / self.spread
        if problem.intercept:
            weights = np.append(weights, (plane[-1] - weights @ self.centre[:-1]) / self.unit)
        max_cost = problem.to_float_cost(self.interval.upper - problem.offset)
        if cost <= max_cost and np.isfinite(weights).all() and weights.any():
            self.interval.offer(problem.from_floats(weights))
