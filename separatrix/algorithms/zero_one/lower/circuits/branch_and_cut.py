"""Branch and cut on signed circuits.

**Idea.** h = 1 for an error. Rows that cannot all be right, given some that are wrong, are a circuit: at
least one of its decisions must change (`pool`). The fewest errors are at least what a covering program over
circuits says; where it does not say enough, a row is decided both ways. With many errors one tree of all rows
grows too slowly: then the rows are dealt out to parts, each with a tree of its own, for the fewest errors of
all rows are at least the sum of the fewest of each part.

**Theorem.** Every bound is weak duality in whole numbers (`tree`); a tree's leaves cover all halfspaces, so
the least bound of a leaf holds for all; bounds of disjoint parts add up.

**Certificate.** The trees, their circuits, their leaves' multipliers; open leaves prove what they prove, so
the search may stop at any time.

**Cost.** A walk step is O(m D), a step of the covering program linear in its entries; a tree is exponential
in the worst case.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from separatrix.algorithms.zero_one.interval import Interval
from separatrix.algorithms.zero_one.lower.circuits.best_first_search import Best, Search, offer_beside, part
from separatrix.algorithms.zero_one.lower.circuits.branching_tree import DENOMINATOR
from separatrix.algorithms.zero_one.problem import Problem
from separatrix.algorithms.zero_one.threads import start

PILOT = 10  # nodes of each tree before it is compared with others
SLICE = 32  # nodes of each tree in a turn
NARROW = 70  # percent: where the lower end is this share of the upper, the tree of all rows goes on alone
SHARE = 0.15  # of the time for the first look at all rows
SMALLEST = 6  # rows of a part, in units of D + 1


class Circuits:
    """Closes the interval from below, and from above where it meets better halfspaces.

    Parameters
    ----------
    random_state
        Seed of the walks.
    n_jobs
        Threads. With one, and a limit on nodes, the result is deterministic.
    proof
        An earlier proof of this method for the same problem: the search goes on where it stopped.
    """

    def __init__(self, random_state: int = 0, n_jobs: int = 1, proof: dict[str, Any] | None = None) -> None:
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.proof = proof

    def run(self, problem: Problem, interval: Interval) -> None:
        if problem.m == 0:
            offer_beside(problem, interval, [0] * problem.D)
        if problem.m == 0 or interval.should_stop():
            return
        self.problem, self.interval = problem, interval
        self.lock = threading.Lock()
        self.failure: BaseException | None = None
        self.spent, self.told, self.until = 0.0, time.perf_counter(), np.inf
        self.levels: list[list[Search]] = []
        try:
            self._search()
        except KeyboardInterrupt:
            interval.interrupt()
        self._report()

    def _search(self) -> None:
        """All rows first; where that leaves a wide gap, the number of parts that does best, then fewer."""
        parts = [] if self.proof is None else self.proof.get("parts", [])
        whole = self._whole(parts[0] if len(parts) == 1 else None)
        self.levels.append([whole])
        if len(parts) > 1:
            self.levels.append(self._resumed(parts))
        else:
            left = self.interval.seconds_left
            self.until = time.perf_counter() + (SHARE * left if left < np.inf else left)
            self._drive([whole], PILOT)
            self.until = np.inf
            if not whole.done and 100 * whole.lower < NARROW * self.interval.upper:
                self._pilot()
        order = sorted(range(len(self.levels)), key=lambda k: (-self._proven(self.levels[k]), k))
        for k in range(order[0], -1, -1):
            while not self.interval.should_stop() and not all(search.done for search in self.levels[k]):
                self._drive(self.levels[k], SLICE)

    def _pilot(self) -> None:
        """A first look at 2, 4, 8, ... parts."""
        count = 2
        errors = self.levels[0][0].lower - self.problem.offset
        while self.problem.m // count >= SMALLEST * (self.problem.D + 1) and errors >= 2 * count:
            self.levels.append(self._parts(self._dealt(count)))
            self._drive(self.levels[-1], PILOT)
            if self.interval.should_stop():
                break
            count *= 2

    def _dealt(self, count: int) -> list[np.ndarray]:
        """The rows, from the worst score of the best halfspace to the best, dealt out like cards."""
        scores = self.problem.floats @ self.problem.to_floats(self.interval.weights)
        scores /= np.maximum(np.linalg.norm(self.problem.floats, axis=1), 1e-300)
        order = np.argsort(scores, kind="stable")
        return [order[k::count] for k in range(count)]

    def _whole(self, proof: dict[str, Any] | None) -> Search:
        search = Search(self.problem, self.interval, self.random_state, self._stopping)
        if proof is None or self.proof is None:
            search.plant()
        else:
            search.replant(proof, int(self.proof["denominator"]))
        return search

    def _parts(self, groups: Sequence[np.ndarray]) -> list[Search]:
        searches = []
        for k, rows in enumerate(groups):
            problem = part(self.problem, rows)
            best = Best(problem, self.interval.weights)
            searches.append(Search(problem, best, self.random_state + 1000 * (k + 1), self._stopping))
            searches[-1].plant()
        return searches

    def _resumed(self, parts: list[dict[str, Any]]) -> list[Search]:
        """The parts of an earlier proof; rows that none of them speaks of join the first."""
        assert self.proof is not None
        places = {name: i for i, name in enumerate(self.problem.names)}
        spoken = [
            {name for right, wrong, _ in proof["circuits"] for name in (*right, *wrong)}
            | {name for name in proof["tree"] if name is not None}
            for proof in parts
        ]
        spoken[0] |= places.keys() - set().union(*spoken)
        searches = self._parts([np.array([places[name] for name in names], np.int64) for names in spoken])
        for search, proof in zip(searches, parts, strict=True):
            search.tree.open.clear()
            search.replant(proof, int(self.proof["denominator"]))
        return searches

    def _drive(self, searches: list[Search], nodes: int) -> None:
        """Up to so many more nodes of each search, on all threads."""
        quota = {id(search): search.nodes + nodes for search in searches}
        busy = {id(search): 0 for search in searches}

        def pick() -> Search | None:
            with self.lock:
                left = [s for s in searches if not s.done and s.nodes < quota[id(s)]]
                if not left:
                    return None
                chosen = min(left, key=lambda s: (busy[id(s)], s.nodes))
                busy[id(chosen)] += 1
                return chosen

        def work(thread: int) -> None:
            try:
                while not self._stopping() and time.perf_counter() < self.until:
                    search = pick()
                    if search is None:
                        break
                    solved = search.step(thread)
                    with self.lock:
                        busy[id(search)] -= 1
                    if self.interval.should_stop(solved):
                        break
                    if solved == 0 and not search.done:
                        time.sleep(0.001)
                    if thread == 0:
                        self._tell()
            except KeyboardInterrupt:
                self.interval.interrupt()
            except BaseException as error:
                self.failure = error

        def quietly(thread: int) -> None:
            with np.errstate(all="ignore"):  # floats only propose
                work(thread)

        others = [threading.Event() for _ in range(1, self.n_jobs)]
        for k, ended in enumerate(others, 1):
            start(quietly, k, ended)
        work(0)
        for ended in others:
            ended.wait()
        if self.failure is not None:
            raise self.failure

    def _stopping(self) -> bool:
        return self.failure is not None or self.interval.should_stop()

    def _proven(self, searches: list[Search]) -> int:
        """What disjoint parts prove together; the search of all rows counts the offset itself."""
        offset = self.problem.offset if len(searches) > 1 else 0
        return offset + sum(search.lower for search in searches)

    def _tell(self) -> None:
        """Hand over the bound now and then: writing the proof may cost a tenth of the time."""
        now = time.perf_counter()
        if now - self.told > max(0.5, 10 * self.spent):
            self._report()
            self.told = time.perf_counter()
            self.spent = self.told - now

    def _report(self) -> None:
        level = max(self.levels, key=self._proven, default=None)
        if level is None:
            return
        lower = min(self._proven(level), self.interval.upper)
        if lower > self.interval.lower:
            parts = [search.written(lambda: self.interval.overdue) for search in level]
            self.interval.raise_lower(
                lower, {"method": "circuits", "denominator": str(DENOMINATOR), "parts": parts}
            )
