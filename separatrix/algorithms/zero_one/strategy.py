"""Which engines work on a problem, in what order, and how they are stopped.

First a short search for a good halfspace. Then a proof: cones where there are few dimensions, circuits where
there are many, and both where neither is sure to be the better one. While circuits work alone the search goes
on beside them. With a limit on nodes everything runs one after the other, so that the same limit gives the
same answer.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from separatrix.algorithms.zero_one.circuits import Circuits
from separatrix.algorithms.zero_one.cone import Cones
from separatrix.algorithms.zero_one.interval import Engine, Interval
from separatrix.algorithms.zero_one.problem import Problem
from separatrix.algorithms.zero_one.reduce import reduced
from separatrix.algorithms.zero_one.search import Search

FEW = 6  # dimensions up to which cones alone are the choice
SOME = 9  # up to which they work beside the circuits


@cache
def compiled() -> None:
    """Compile the kernels, or load them, on a problem of no consequence: the clock starts after that."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 5.0], [5.0, 2.0]])
    problem = reduced(X, np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0]))
    interval = Interval(problem, node_limit=200)
    Search(0, rounds=1, effort=0.05).run(problem, interval)
    interval.upper += 1  # so that something is left to prove
    Cones().run(problem, interval)


def close(problem: Problem, interval: Interval, random_state: int, n_jobs: int) -> None:
    """Work until the interval is closed or a limit is reached; Ctrl-C ends the work, not the program."""
    side_by_side = n_jobs > 1 and interval.node_limit is None
    known = interval.proof if interval.proof.get("method") == "circuits" else None
    first = Search(random_state, rounds=4)
    stages: list[list[Engine]] = [[first]]
    if problem.D <= FEW:
        stages.append([Cones(n_jobs if side_by_side else 1)])
    elif side_by_side:
        beside = Cones() if problem.D <= SOME else Search(random_state + 1, rounds=None)
        stages.append([Circuits(random_state, 1, known), beside])
    else:
        stages.append([Search(random_state + 1, rounds=8)])
        stages.append([Circuits(random_state, 1, known)])
    for engines in stages:
        if interval.should_stop():
            return
        _run(problem, interval, engines)


def _run(problem: Problem, interval: Interval, engines: Sequence[Engine]) -> None:
    """The engines on threads of their own; the last to prove something ends the others."""
    failures: list[BaseException] = []
    endless = [engine for engine in engines if isinstance(engine, Search) and engine.rounds is None]
    proving = [engine for engine in engines if engine not in endless]

    def work(engine: Engine) -> None:
        try:
            engine.run(problem, interval)
        except BaseException as failure:
            failures.append(failure)
            interval.interrupt()

    threads = {id(engine): threading.Thread(target=work, args=(engine,), daemon=True) for engine in engines}
    for thread in threads.values():
        thread.start()
    waiting: list[Any] = [threads[id(engine)] for engine in proving]
    while waiting:
        try:
            while waiting:
                waiting[0].join(0.1)
                if not waiting[0].is_alive():
                    waiting.pop(0)
            interval.proofs_done = bool(endless)
            waiting = [thread for thread in threads.values() if thread.is_alive()]
            for thread in waiting:
                thread.join()
            waiting = []
        except KeyboardInterrupt:
            interval.interrupt()
    if failures:
        raise failures[0]
