"""The upper end: halfspaces with few errors, found by walking and counted exactly.

**Idea.** Some vertex of the arrangement (D − 1 independent rows on the hyperplane) is as cheap as the
cheapest halfspace. A walk leaves one row at a time and takes the best vertex of the line that this frees,
found by one sweep (`vertex_search_kernels`). Convex fits give the starts: with few errors and many
columns, hinge losses whose rows are weighed again and again by how wrong they are (large violations count
less and less), which is what makes few rows wrong instead of all a little.

**Certificate.** The halfspace itself. Every proposal is turned into whole numbers and counted exactly.

**Cost.** A sweep is O(nD + n log n).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.algorithms.zero_one.upper import vertex_search_kernels as kernels
from separatrix.algorithms.zero_one.upper.line_kernels import find_best_step
from separatrix.algorithms.zero_one.upper.vertex_search_kernels import Vertex

MAX_SWEEPS = 300  # sweeps between looks at the clock, at most
MAX_SWEPT_ROWS = 1_000_000  # of all of them together, about


class VertexSearch:
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

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        for n_starts, _ in enumerate(self.steps(problem, interval), 1):
            if interval.should_stop() or n_starts == self.rounds:
                return

    def steps(self, problem: ReducedProblem, interval: ErrorInterval) -> Iterator[None]:
        """One walk after another, without end."""
        if problem.m == 0:
            interval.offer((0,) * (problem.D - 1) + (1,))
            return
        whitened = WhitenedRows(problem)
        kernels.seed_draws(self.random_state)
        random = np.random.default_rng(self.random_state)
        for start in generate_starts(whitened, interval, random):
            self.walk(whitened, interval, start)
            yield

    def walk(
        self,
        whitened: WhitenedRows,
        interval: ErrorInterval,
        start: np.ndarray,
        max_sweeps: int | None = None,
    ) -> None:
        """From one start to the end of its sweeps."""
        Z, costs = whitened.rows, whitened.costs
        n, D = Z.shape
        offer_plane(whitened, interval, start)
        if D == 1:
            for sign in (1.0, -1.0):
                offer_plane(whitened, interval, np.array([sign]))
            return
        here, best, accepted = (Vertex(np.zeros(D - 1, np.int64), np.zeros(D)) for _ in range(3))
        active = np.zeros(n, dtype=np.bool_)
        here.plane[:] = start / (np.linalg.norm(start) or 1.0)
        cost = kernels.descend_to_vertex(Z, costs, active, here.rows, here.plane)
        if not np.isfinite(cost):
            return
        best.rows[:], best.plane[:] = here.rows, here.plane
        state = np.array([(cost, np.inf, np.inf, 0, 0, 0.0)], kernels.WALK_TYPE)[0]
        walk = kernels.VertexWalk(here, best, accepted, active, state)
        sweeps_left = max_sweeps or int(self.effort * max(400, min(6000, 4_000_000 // (n + n * D // 8))))
        best_known = np.inf
        batch_sweeps = max(10, min(MAX_SWEEPS, MAX_SWEPT_ROWS // n))
        while sweeps_left > 0:
            sweeps_left -= batch_sweeps
            try:
                lowest = kernels.exchange_rows(Z, costs, batch_sweeps, walk)
            except np.linalg.LinAlgError:  # rows that floats take for dependent: on to the next start
                lowest, sweeps_left = float(state["lowest"]), 0
            if lowest < best_known or best_known == np.inf:
                best_known = min(lowest, cost)
                self._offer_vertex(whitened, interval, best)
            if interval.should_stop():
                return

    def _offer_vertex(self, whitened: WhitenedRows, interval: ErrorInterval, vertex: Vertex) -> None:
        """Turn a vertex a little, so that its own rows are right."""
        Z, rows = whitened.rows, vertex.rows
        perturbation = np.linalg.lstsq(Z[rows], np.ones(len(rows)), rcond=None)[0]
        scores = Z @ vertex.plane
        scores[rows] = 0.0
        _, t = find_best_step(scores, Z @ perturbation, whitened.costs)
        offer_plane(whitened, interval, vertex.plane + t * perturbation)


class WhitenedRows:
    """Rows of length 1 in coordinates in which they lie about evenly in all directions: for proposals."""

    def __init__(self, problem: ReducedProblem) -> None:
        self.problem = problem
        rows, self.units = problem.equilibrated
        _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
        rank = max(1, int((sizes > 1e-11 * sizes[0]).sum()))
        self.basis = directions[:rank].T / sizes[:rank]
        rows = rows @ self.basis
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        self.rows = np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1.0))
        self.unit = max(1.0, problem.float_weights.max() / 2.0**40)
        self.costs = problem.float_weights / self.unit


def _to_plane(whitened: WhitenedRows, weights: tuple[int, ...]) -> np.ndarray:
    """The same halfspace in whitened coordinates."""
    balanced = whitened.units * whitened.problem.to_floats(weights)
    return np.asarray(np.linalg.lstsq(whitened.basis, balanced, rcond=None)[0])


def generate_starts(
    whitened: WhitenedRows, interval: ErrorInterval, random: np.random.Generator
) -> Iterator[np.ndarray]:
    """First halfspaces: the mean row, then convex fits, then fits around the best so far, without end."""
    Z, costs = whitened.rows, whitened.costs
    yield costs @ Z
    yield fit_logistic(Z, costs)
    row_costs = costs.copy()
    for iteration in range(6):
        plane = fit_hinge(Z, row_costs)
        yield plane
        shortfalls = np.maximum(0.0, 1.0 - (Z @ plane))
        row_costs = costs / (shortfalls + 0.1 * 0.7**iteration)
    while True:
        plane = _to_plane(whitened, interval.weights)
        scores = Z @ plane
        scores /= np.quantile(abs(scores), random.uniform(0.05, 0.6)) or 1.0
        shortfalls = np.maximum(0.0, 1.0 - scores)
        yield fit_hinge(Z, costs * random.exponential(size=len(Z)) / (shortfalls + random.uniform(0.02, 0.3)))


def fit_logistic(Z: np.ndarray, costs: np.ndarray, max_newton_steps: int = 25) -> np.ndarray:
    """Logistic regression through the origin by Newton's method, lightly penalised."""
    plane = np.zeros(Z.shape[1])
    relative_costs = costs / costs.mean()
    for _ in range(max_newton_steps):
        p = 1.0 / (1.0 + np.exp(np.clip(Z @ plane, -30, 30)))
        gradient = Z.T @ (relative_costs * p) - 1e-3 * plane
        hessian = (Z * (relative_costs * p * (1 - p))[:, None]).T @ Z + 1e-3 * np.eye(Z.shape[1])
        step = np.linalg.solve(hessian, gradient)
        plane = plane + step * min(1.0, 10.0 / (np.linalg.norm(step) or 1.0))
        if np.linalg.norm(step) < 1e-6 * np.linalg.norm(plane):
            break
    return plane


def fit_hinge(Z: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The halfspace of least Σ c·max(0, 1 − z·w), by linear programming."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity

    n, D = Z.shape
    constraints = hstack([csr_array(-Z), -identity(n, format="csr")], format="csr")
    objective = np.concatenate((np.zeros(D), costs / costs.max()))
    bounds = [(-1e4, 1e4)] * D + [(0, None)] * n
    solution = linprog(objective, A_ub=constraints, b_ub=-np.ones(n), bounds=bounds, method="highs")
    return np.asarray(solution.x[:D]) if solution.x is not None else costs @ Z


def offer_plane(whitened: WhitenedRows, interval: ErrorInterval, plane: np.ndarray) -> None:
    weights = whitened.basis @ plane / whitened.units
    if np.isfinite(weights).all() and weights.any():
        interval.offer(whitened.problem.from_floats(weights))
