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
from separatrix.algorithms.zero_one.interval import Interval
from separatrix.algorithms.zero_one.problem import Problem

LARGE = 1e4  # cost of a unit of shortfall beside ½‖w‖², in units of a row's mean weight
COSTS = (1e2, 1e3, 1e4, 1e5)
GAP = 3e-5  # relative, of a fit
LOOKS = (
    1,
    1,
    1,
    1,
    1,
    6,
)  # of how many rows the one is left out without which the others are wrong by the least
NOISE = 0.3  # of the logarithm of a shortfall
ROOM = 400  # Newton steps of a fit
SPARE = 1.1  # an elimination that has left out more than this much of the best cost is given up
PATIENCE = 60  # eliminations without gain before a new beginning
FAST = 0.25  # of the rows wrong may be left out at once while there are many


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

    def run(self, problem: Problem, interval: Interval) -> None:
        for done, _ in enumerate(self.steps(problem, interval), 1):
            if interval.should_stop() or done == self.fits:
                return

    def steps(self, problem: Problem, interval: Interval) -> Iterator[None]:
        """One fit after another, without end where there is anything to fit."""
        if problem.m == 0:
            return
        fits = Fits(problem, interval)
        draws = np.random.default_rng(self.random_state)
        noise = 0.0
        while True:
            left_out = yield from self._eliminated(fits, np.ones(problem.m, bool), draws, noise, np.inf)
            yield from self._improved(fits, left_out, draws)
            noise = NOISE

    def _improved(self, fits: Fits, left_out: np.ndarray, draws: np.random.Generator) -> Iterator[None]:
        """Put some rows back and eliminate again, until that has been of no use for long."""
        cost = fits.cost(left_out)
        idle = 0
        while idle < PATIENCE and cost > 0:
            out = np.flatnonzero(left_out)
            back = draws.choice(out, int(draws.integers(1, max(2, len(out) // 2 + 1))), replace=False)
            keep = ~left_out
            keep[back] = True
            other = yield from self._eliminated(fits, keep, draws, NOISE, SPARE * cost + 1)
            idle += 1
            found = fits.cost(other)
            if found <= cost:
                idle = 0 if found < cost else idle
                left_out, cost = other, found

    def _eliminated(
        self, fits: Fits, keep: np.ndarray, draws: np.random.Generator, noise: float, most: float
    ) -> Generator[None, None, np.ndarray]:
        """Leave out rows until those kept are right; returns the rows that are errors then."""
        size = LARGE if noise == 0.0 else float(draws.choice(COSTS))
        looks = 1 if noise == 0.0 else int(draws.choice(LOOKS))
        weighed = np.exp(noise * draws.standard_normal(len(keep)))
        margins = fits.fit(keep, size * weighed)
        yield
        while (keep & (margins <= 0)).any():
            wrong = int((keep & (margins <= 0)).sum())
            short = np.where(keep, np.maximum(0.0, 1.0 - margins), 0.0)
            if looks == 1:
                short *= np.exp(noise * draws.standard_normal(len(keep)))
            worst = np.argsort(short)
            candidates = [worst[-max(1, int(FAST * (wrong - 40))) :]]
            if looks > 1 and wrong <= 40:
                candidates = [worst[-k:][:1] for k in range(1, looks + 1) if short[worst[-k]] > 0]
            least = np.inf
            for candidate in candidates:
                fewer = keep.copy()
                fewer[candidate] = False
                found = fits.fit(fewer, size * weighed)
                yield
                total = float(weighed[fewer] @ np.maximum(0.0, 1.0 - found[fewer]))
                if total < least:
                    least, chosen, margins = total, fewer, found
            keep = chosen
            if fits.cost(~keep) > most:
                return np.ones(len(keep), bool)
        return np.asarray(~keep & (margins <= 0))


class Fits:
    """The rows in standard units, and fits of parts of them, each offered."""

    def __init__(self, problem: Problem, interval: Interval) -> None:
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

    def cost(self, rows: np.ndarray) -> float:
        """Of some rows, in units of a row's mean weight."""
        return float(self.weights[rows].sum())

    def fit(self, keep: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """The margins of all rows at the fit of those kept."""
        chosen = np.flatnonzero(keep)
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
                GAP * 1e-3 * float(caps.sum()),
                intercept=self.problem.intercept,
                max_steps=ROOM,
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
        most = problem.to_float_cost(self.interval.upper - problem.offset)
        if cost <= most and np.isfinite(weights).all() and weights.any():
            self.interval.offer(problem.from_floats(weights))
