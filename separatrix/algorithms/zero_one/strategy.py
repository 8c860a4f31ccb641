"""Which engines work on a problem, in what order, and how they are stopped.

First a short search for a good halfspace: a loss that is sharpened, and walks from vertex to vertex. Then a
proof: cones where there are few dimensions, circuits where there are many, and both where neither is sure to
be the better one. Where columns mix magnitudes, both: cones are then cut in whole numbers, which is slow.
While circuits work alone the searches, elimination too, go on beside them. With a limit on nodes everything
runs one after the other, so that the same limit gives the same answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from separatrix.algorithms.separation import separate_rows
from separatrix.algorithms.zero_one.flint_threads import start_thread
from separatrix.algorithms.zero_one.interval import Engine, ErrorInterval
from separatrix.algorithms.zero_one.lower.basis import compute_rank
from separatrix.algorithms.zero_one.lower.circuits import Circuits
from separatrix.algorithms.zero_one.lower.cones.cone_search import Cones
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.algorithms.zero_one.upper.elimination import Elimination
from separatrix.algorithms.zero_one.upper.graduated_nonconvexity import GraduatedNonconvexity
from separatrix.algorithms.zero_one.upper.vertex_search import VertexSearch
from separatrix.rows import as_rows, jobs
from separatrix.rows.threads import blas

PLANAR_DIMENSIONS = 3  # dimensions up to which cones need no good halfspace to begin with
MAX_CONE_DIMENSIONS = 6  # dimensions up to which cones alone are the choice
MAX_MIXED_DIMENSIONS = 7  # up to which they work beside the circuits
MAX_RANK_COLUMNS = 64  # columns among which dependent ones are looked for
MANY_DIMENSIONS = 30  # from which on walks are slow
ELIMINATION_FITS = 200  # of an elimination with a limit on nodes
FIRST_SEARCH_SHARE = 0.12  # of the time left that a first search may take, where time is what limits it
# Of the time left without a better halfspace, after which a search works one part in four only.
PATIENCE_SHARE = 0.08


@cache
def compile_kernels(high_dimensional: bool = False) -> None:
    """Compile the kernels, or load them, on problems of no consequence: the clock starts after that.

    ``high_dimensional`` stands for those that only problems in many dimensions need.
    """
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 5.0], [5.0, 2.0]])
    signs = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
    if high_dimensional:
        X, signs = (
            np.random.default_rng(0).integers(-3, 4, (40, MAX_CONE_DIMENSIONS + 2)).astype(float),
            np.tile(signs, 7)[:40],
        )
    problem = reduce_problem(X, signs)
    interval = ErrorInterval(problem, node_limit=2 if high_dimensional else 200)
    separate_rows(as_rows(X, signs), 1, intercept=True)
    separate_rows(as_rows(X, X[:, 0] > 1), 1, intercept=True)
    next(GraduatedNonconvexity(0).steps(problem, interval))
    if high_dimensional:
        next(Elimination(0).steps(problem, interval))
        interval.upper = problem.total
        Circuits(0, 1, None).run(problem, interval)
    else:
        VertexSearch(0, rounds=1, effort=0.05).run(problem, interval)
        interval.upper += 1  # so that something is left to prove
        Cones().run(problem, interval)
    if interval.interrupted:  # which an engine takes for a wish about its own problem
        raise KeyboardInterrupt


def prepare_kernels(columns: int) -> None:
    """Have the kernels that a problem of so many columns needs."""
    compile_kernels()
    if columns > MAX_CONE_DIMENSIONS:
        compile_kernels(high_dimensional=True)


def close_interval(problem: ReducedProblem, interval: ErrorInterval, random_state: int, n_jobs: int) -> None:
    """Work until the interval is closed or a limit is reached; Ctrl-C ends the work, not the program."""
    side_by_side = n_jobs > 1 and interval.node_limit is None
    known = interval.proof if interval.proof.get("method") == "circuits" else None
    stages: list[list[Engine]] = []
    dimensions = _count_dimensions(problem)
    if interval.recession is not None and dimensions > MAX_MIXED_DIMENSIONS:  # cones speak of every row
        problem = interval.recession.remaining
    if dimensions > PLANAR_DIMENSIONS:
        count = 2 if dimensions <= MAX_CONE_DIMENSIONS else 6
        stages.append([LimitedSteps(GraduatedNonconvexity(random_state).steps, count)])
    stages.append([LimitedSteps(VertexSearch(random_state).steps, _count_walks(dimensions))])
    if (
        PLANAR_DIMENSIONS < dimensions <= MAX_CONE_DIMENSIONS
        and problem.is_badly_scaled
        and interval.node_limit is None
    ):
        stages.append([Circuits(random_state, 1, known), Cones()])
    elif dimensions <= MAX_CONE_DIMENSIONS:
        stages.append([Cones(n_jobs if side_by_side else 1)])
    elif side_by_side:
        if dimensions <= MAX_MIXED_DIMENSIONS:
            stages.append([Circuits(random_state, 1, known), Cones()])
        else:
            stages.append([Circuits(random_state, n_jobs, known), Alternation(random_state + 1)])
    else:
        stages.append([GraduatedNonconvexity(random_state + 1, rounds=8)])
        stages.append([Elimination(random_state + 1, ELIMINATION_FITS)])
        stages.append([VertexSearch(random_state + 1, rounds=8)])
        stages.append([Circuits(random_state, 1, known)])
    with blas().limit(limits=1):
        for engines in stages:
            if interval.should_stop():
                break
            _run(problem, interval, engines)
    if not any(interval.weights):
        _offer_constants(problem, interval)


def _offer_constants(problem: ReducedProblem, interval: ErrorInterval) -> None:
    """One class for all rows, and the other; without an intercept the sum of the rows: better than zero."""
    weights = [0] * (problem.D - 1) + [1]
    if not problem.intercept:
        weights = [sum(column) for column in zip(*problem.Z, strict=True)]
    for sign in (1, -1):
        if any(weights):
            interval.offer([sign * value for value in weights])


def _count_dimensions(problem: ReducedProblem) -> int:
    """Those of the rows, to choose by: fewer than columns where some depend on others. Few are counted."""
    if not MAX_CONE_DIMENSIONS < problem.D <= MAX_RANK_COLUMNS or not problem.m:
        return problem.D
    return compute_rank(problem.Z)


def _count_walks(dimensions: int) -> int:
    """How many walks come first: cones need few, and in very many dimensions elimination does better."""
    if dimensions <= PLANAR_DIMENSIONS or dimensions >= MANY_DIMENSIONS:
        return 1
    return 2 if dimensions <= MAX_CONE_DIMENSIONS else 8


class LimitedSteps:
    """So many steps of a search, or as many as a small part of the time allows; one at least."""

    def __init__(self, steps: Callable[[ReducedProblem, ErrorInterval], Iterator[None]], count: int) -> None:
        self.steps, self.count = steps, count

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        deadline = (
            np.inf
            if interval.node_limit
            else time.perf_counter() + FIRST_SEARCH_SHARE * interval.seconds_left
        )
        for done, _ in enumerate(self.steps(problem, interval), 1):
            if done == self.count or interval.should_stop() or time.perf_counter() > deadline:
                return


class Alternation:
    """The searches by turns, about as long each, and longer what has been of use; without end."""

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        searches = [
            GraduatedNonconvexity(self.random_state).steps(problem, interval),
            Elimination(self.random_state).steps(problem, interval),
            VertexSearch(self.random_state).steps(problem, interval),
        ]
        seconds = [0.0] * len(searches)
        last_gain = time.perf_counter()
        patience = min(60.0, PATIENCE_SHARE * interval.seconds_left)
        while not interval.should_stop():
            k = seconds.index(min(seconds))
            start_time, upper = time.perf_counter(), interval.upper
            if next(searches[k], self) is self:
                return
            now = time.perf_counter()
            seconds[k] += now - start_time
            if interval.upper < upper:
                last_gain = now
                seconds[k] /= 2
            elif now > last_gain + patience:
                pause_end = now + 3 * (now - start_time)
                while time.perf_counter() < pause_end and not interval.should_stop():
                    time.sleep(0.02)


def _run(problem: ReducedProblem, interval: ErrorInterval, engines: Sequence[Engine]) -> None:
    """The engines on threads of their own; the last to prove something ends the others.

    An interrupt while a thread is joined can leave the thread's lock in disorder, so events tell the end.
    No thread is left behind: one inside a C++ library when Python ends would abort the process.
    """
    failures: list[BaseException] = []
    ended = [threading.Event() for _ in engines]

    def work(engine: Engine) -> None:
        try:
            with np.errstate(all="ignore"):  # floats only propose
                engine.run(problem, interval)
        except np.linalg.LinAlgError:
            pass  # this engine has nothing more to propose
        except BaseException as failure:
            failures.append(failure)
            interval.interrupt()

    is_endless = [isinstance(engine, Alternation) for engine in engines]
    started_events: list[threading.Event] = []
    try:
        for engine, event in zip(engines, ended, strict=True):
            start_thread(work, engine, event)
            started_events.append(event)
        _await(
            [event for event, never_ends in zip(ended, is_endless, strict=True) if not never_ends], interval
        )
        interval.proofs_done = any(is_endless)
        _await(ended, interval)
    except BaseException:
        interval.interrupt()
        _await(started_events, interval)
        raise
    if failures:
        raise failures[0]


def _await(events: Sequence[threading.Event], interval: ErrorInterval) -> None:
    """Until all have come; Ctrl-C ends the work that they wait for, not the waiting."""
    while not all(event.is_set() for event in events):
        try:
            for event in events:
                while not event.wait(0.1):
                    pass
        except KeyboardInterrupt:
            interval.interrupt()


def draw_seed(random_state: Any) -> int:
    """The seed of the searches."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31))


def count_threads(n_jobs: int | None) -> int:
    """Two unless said otherwise: one for proofs, one for halfspaces."""
    return 2 if n_jobs is None else jobs(n_jobs)
