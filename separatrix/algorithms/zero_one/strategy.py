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

import numpy as np

from separatrix.algorithms.separation import separate_rows
from separatrix.algorithms.zero_one.interval import Engine, Interval
from separatrix.algorithms.zero_one.lower.basis import rank
from separatrix.algorithms.zero_one.lower.circuits import Circuits
from separatrix.algorithms.zero_one.lower.cones.cone_search import Cones
from separatrix.algorithms.zero_one.problem import Problem
from separatrix.algorithms.zero_one.reduce import reduced
from separatrix.algorithms.zero_one.threads import start
from separatrix.algorithms.zero_one.upper.elimination import Elimination
from separatrix.algorithms.zero_one.upper.graduated_nonconvexity import Sharpening
from separatrix.algorithms.zero_one.upper.vertex_search import Search
from separatrix.rows import as_rows
from separatrix.rows.rows import blas

PLANAR = 3  # dimensions up to which cones need no good halfspace to begin with
FEW = 6  # dimensions up to which cones alone are the choice
SOME = 7  # up to which they work beside the circuits
FEW_COLUMNS = 64  # columns among which dependent ones are looked for
VAST = 30  # from which on walks are slow
FITS = 200  # of an elimination with a limit on nodes
FIRST = 0.12  # of the time left that a first search may take, where time is what limits it
EAGER = 0.08  # of the time left without a better halfspace, after which a search works one part in four only


@cache
def compiled(many: bool = False) -> None:
    """Compile the kernels, or load them, on problems of no consequence: the clock starts after that.

    ``many`` stands for those that only problems in many dimensions need.
    """
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 5.0], [5.0, 2.0]])
    signs = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
    if many:
        X, signs = (
            np.random.default_rng(0).integers(-3, 4, (40, FEW + 2)).astype(float),
            np.tile(signs, 7)[:40],
        )
    problem = reduced(X, signs)
    interval = Interval(problem, node_limit=2 if many else 200)
    separate_rows(as_rows(X, signs), 1, intercept=True)
    separate_rows(as_rows(X, X[:, 0] > 1), 1, intercept=True)
    next(Sharpening(0).steps(problem, interval))
    if many:
        next(Elimination(0).steps(problem, interval))
        interval.upper = problem.total
        Circuits(0, 1, None).run(problem, interval)
    else:
        Search(0, rounds=1, effort=0.05).run(problem, interval)
        interval.upper += 1  # so that something is left to prove
        Cones().run(problem, interval)
    if interval.interrupted:  # which an engine takes for a wish about its own problem
        raise KeyboardInterrupt


def ready(columns: int) -> None:
    """Have the kernels that a problem of so many columns needs."""
    compiled()
    if columns > FEW:
        compiled(many=True)


def close(problem: Problem, interval: Interval, random_state: int, n_jobs: int) -> None:
    """Work until the interval is closed or a limit is reached; Ctrl-C ends the work, not the program."""
    side_by_side = n_jobs > 1 and interval.node_limit is None
    known = interval.proof if interval.proof.get("method") == "circuits" else None
    stages: list[list[Engine]] = []
    dimensions = _dimensions(problem)
    if interval.recession is not None and dimensions > SOME:  # cones speak of every row
        problem = interval.recession.rest
    if dimensions > PLANAR:
        stages.append([Brief(Sharpening(random_state).steps, 2 if dimensions <= FEW else 6)])
    stages.append([Brief(Search(random_state).steps, _walks(dimensions))])
    if PLANAR < dimensions <= FEW and problem.mixed and interval.node_limit is None:
        stages.append([Circuits(random_state, 1, known), Cones()])
    elif dimensions <= FEW:
        stages.append([Cones(n_jobs if side_by_side else 1)])
    elif side_by_side:
        if dimensions <= SOME:
            stages.append([Circuits(random_state, 1, known), Cones()])
        else:
            stages.append([Circuits(random_state, n_jobs, known), Alternation(random_state + 1)])
    else:
        stages.append([Sharpening(random_state + 1, rounds=8)])
        stages.append([Elimination(random_state + 1, FITS)])
        stages.append([Search(random_state + 1, rounds=8)])
        stages.append([Circuits(random_state, 1, known)])
    with blas().limit(limits=1):
        for engines in stages:
            if interval.should_stop():
                break
            _run(problem, interval, engines)
    if not any(interval.weights):
        _offer_constants(problem, interval)


def _offer_constants(problem: Problem, interval: Interval) -> None:
    """One class for all rows, and the other; without an intercept the sum of the rows: better than zero."""
    plain = [0] * (problem.D - 1) + [1]
    if not problem.intercept:
        plain = [sum(column) for column in zip(*problem.Z, strict=True)]
    for sign in (1, -1):
        if any(plain):
            interval.offer([sign * value for value in plain])


def _dimensions(problem: Problem) -> int:
    """Those of the rows, to choose by: fewer than columns where some depend on others. Few are counted."""
    if not FEW < problem.D <= FEW_COLUMNS or not problem.m:
        return problem.D
    return rank(problem.Z)


def _walks(dimensions: int) -> int:
    """How many walks come first: cones need few, and in very many dimensions elimination does better."""
    if dimensions <= PLANAR or dimensions >= VAST:
        return 1
    return 2 if dimensions <= FEW else 8


class Brief:
    """So many steps of a search, or as many as a small part of the time allows; one at least."""

    def __init__(self, steps: Callable[[Problem, Interval], Iterator[None]], count: int) -> None:
        self.steps, self.count = steps, count

    def run(self, problem: Problem, interval: Interval) -> None:
        until = np.inf if interval.node_limit else time.perf_counter() + FIRST * interval.seconds_left
        for done, _ in enumerate(self.steps(problem, interval), 1):
            if done == self.count or interval.should_stop() or time.perf_counter() > until:
                return


class Alternation:
    """The searches by turns, about as long each, and longer what has been of use; without end."""

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state

    def run(self, problem: Problem, interval: Interval) -> None:
        turns = [
            Sharpening(self.random_state).steps(problem, interval),
            Elimination(self.random_state).steps(problem, interval),
            Search(self.random_state).steps(problem, interval),
        ]
        spent = [0.0] * len(turns)
        last = time.perf_counter()
        patience = min(60.0, EAGER * interval.seconds_left)
        while not interval.should_stop():
            k = spent.index(min(spent))
            started, upper = time.perf_counter(), interval.upper
            if next(turns[k], self) is self:
                return
            now = time.perf_counter()
            spent[k] += now - started
            if interval.upper < upper:
                last = now
                spent[k] /= 2
            elif now > last + patience:
                rest = now + 3 * (now - started)
                while time.perf_counter() < rest and not interval.should_stop():
                    time.sleep(0.02)


def _run(problem: Problem, interval: Interval, engines: Sequence[Engine]) -> None:
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

    endless = [isinstance(engine, Alternation) for engine in engines]
    begun: list[threading.Event] = []
    try:
        for engine, done in zip(engines, ended, strict=True):
            start(work, engine, done)
            begun.append(done)
        _await([done for done, always in zip(ended, endless, strict=True) if not always], interval)
        interval.proofs_done = any(endless)
        _await(ended, interval)
    except BaseException:
        interval.interrupt()
        _await(begun, interval)
        raise
    if failures:
        raise failures[0]


def _await(events: Sequence[threading.Event], interval: Interval) -> None:
    """Until all have come; Ctrl-C ends the work that they wait for, not the waiting."""
    while not all(event.is_set() for event in events):
        try:
            for event in events:
                while not event.wait(0.1):
                    pass
        except KeyboardInterrupt:
            interval.interrupt()
