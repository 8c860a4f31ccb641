"""Branch and cut on signed circuits.

**Idea.** h = 1 for an error. Rows that cannot all be right, given some that are wrong, are a circuit: at
least one of its decisions must change (`cut_pool`). The fewest errors are at least what a covering program
over circuits says; where it does not say enough, a row is decided both ways. With many errors one tree of all
rows grows too slowly: then the rows are dealt out to parts, each with a tree of its own, for the fewest
errors of all rows are at least the sum of the fewest of each part.

**Theorem.** Every bound is weak duality in whole numbers (`branching_tree`); a tree's leaves cover all
halfspaces, so the least bound of a leaf holds for all; bounds of disjoint parts add up.

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

from separatrix.algorithms.zero_one.flint_threads import start_thread
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.lower.circuits.best_first_search import (
    BestFirstSearch,
    PartIncumbent,
    offer_perturbed,
    restrict_problem,
)
from separatrix.algorithms.zero_one.lower.circuits.branching_tree import DENOMINATOR
from separatrix.algorithms.zero_one.problem import ReducedProblem

PILOT_NODES = 10  # nodes of each tree before it is compared with others
TURN_NODES = 32  # nodes of each tree in a turn
NARROW_PERCENT = 70  # of the upper end: from there on the tree of all rows goes on alone
FIRST_LOOK_SHARE = 0.15  # of the time for the first look at all rows
MIN_PART_MULTIPLES = 6  # rows of a part, in units of D + 1


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

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        if problem.m == 0:
            offer_perturbed(problem, interval, [0] * problem.D)
        if problem.m == 0 or interval.should_stop():
            return
        self.problem, self.interval = problem, interval
        self.lock = threading.Lock()
        self.failure: BaseException | None = None
        self.report_seconds, self.last_report, self.pass_deadline = 0.0, time.perf_counter(), np.inf
        self.levels: list[list[BestFirstSearch]] = []
        try:
            self._search()
        except KeyboardInterrupt:
            interval.interrupt()
        self._report()

    def _search(self) -> None:
        """All rows first; where that leaves a wide gap, the number of parts that does best, then fewer."""
        parts = [] if self.proof is None else self.proof.get("parts", [])
        whole_search = self._make_whole_search(parts[0] if len(parts) == 1 else None)
        self.levels.append([whole_search])
        if len(parts) > 1:
            self.levels.append(self._resume_parts(parts))
        else:
            seconds_left = self.interval.seconds_left
            self.pass_deadline = time.perf_counter() + (
                FIRST_LOOK_SHARE * seconds_left if seconds_left < np.inf else seconds_left
            )
            self._advance([whole_search], PILOT_NODES)
            self.pass_deadline = np.inf
            if not whole_search.is_done and 100 * whole_search.lower < NARROW_PERCENT * self.interval.upper:
                self._try_parts()
        order = sorted(range(len(self.levels)), key=lambda k: (-self._compute_lower(self.levels[k]), k))
        for k in range(order[0], -1, -1):
            while not self.interval.should_stop() and not all(search.is_done for search in self.levels[k]):
                self._advance(self.levels[k], TURN_NODES)

    def _try_parts(self) -> None:
        """A first look at 2, 4, 8, ... parts."""
        count = 2
        errors = self.levels[0][0].lower - self.problem.offset
        while self.problem.m // count >= MIN_PART_MULTIPLES * (self.problem.D + 1) and errors >= 2 * count:
            self.levels.append(self._make_part_searches(self._deal_rows(count)))
            self._advance(self.levels[-1], PILOT_NODES)
            if self.interval.should_stop():
                break
            count *= 2

    def _deal_rows(self, count: int) -> list[np.ndarray]:
        """The rows, from the worst score of the best halfspace to the best, dealt out like cards."""
        scores = self.problem.floats @ self.problem.to_floats(self.interval.weights)
        scores /= np.maximum(np.linalg.norm(self.problem.floats, axis=1), 1e-300)
        order = np.argsort(scores, kind="stable")
        return [order[k::count] for k in range(count)]

    def _make_whole_search(self, proof: dict[str, Any] | None) -> BestFirstSearch:
        search = BestFirstSearch(self.problem, self.interval, self.random_state, self._should_stop)
        if proof is None or self.proof is None:
            search.add_root()
        else:
            search.restore(proof, int(self.proof["denominator"]))
        return search

    def _make_part_searches(self, groups: Sequence[np.ndarray]) -> list[BestFirstSearch]:
        searches = []
        for k, rows in enumerate(groups):
            problem = restrict_problem(self.problem, rows)
            best = PartIncumbent(problem, self.interval.weights)
            searches.append(
                BestFirstSearch(problem, best, self.random_state + 1000 * (k + 1), self._should_stop)
            )
            searches[-1].add_root()
        return searches

    def _resume_parts(self, parts: list[dict[str, Any]]) -> list[BestFirstSearch]:
        """The parts of an earlier proof; rows that none of them speaks of join the first."""
        assert self.proof is not None
        places = {name: i for i, name in enumerate(self.problem.names)}
        part_names = [
            {name for right, wrong, _ in proof["circuits"] for name in (*right, *wrong)}
            | {name for name in proof["tree"] if name is not None}
            for proof in parts
        ]
        part_names[0] |= places.keys() - set().union(*part_names)
        searches = self._make_part_searches(
            [np.array([places[name] for name in names], np.int64) for names in part_names]
        )
        for search, proof in zip(searches, parts, strict=True):
            search.tree.open.clear()
            search.restore(proof, int(self.proof["denominator"]))
        return searches

    def _advance(self, searches: list[BestFirstSearch], nodes: int) -> None:
        """Up to so many more nodes of each search, on all threads."""
        quota = {id(search): search.nodes + nodes for search in searches}
        n_busy = {id(search): 0 for search in searches}

        def choose_search() -> BestFirstSearch | None:
            with self.lock:
                unfinished = [s for s in searches if not s.is_done and s.nodes < quota[id(s)]]
                if not unfinished:
                    return None
                chosen = min(unfinished, key=lambda s: (n_busy[id(s)], s.nodes))
                n_busy[id(chosen)] += 1
                return chosen

        def work(thread: int) -> None:
            try:
                while not self._should_stop() and time.perf_counter() < self.pass_deadline:
                    search = choose_search()
                    if search is None:
                        break
                    solved = search.step(thread)
                    with self.lock:
                        n_busy[id(search)] -= 1
                    if self.interval.should_stop(solved):
                        break
                    if solved == 0 and not search.is_done:
                        time.sleep(0.001)
                    if thread == 0:
                        self._report_if_due()
            except KeyboardInterrupt:
                self.interval.interrupt()
            except BaseException as error:
                self.failure = error

        def work_without_warnings(thread: int) -> None:
            with np.errstate(all="ignore"):  # floats only propose
                work(thread)

        others = [threading.Event() for _ in range(1, self.n_jobs)]
        for k, ended in enumerate(others, 1):
            start_thread(work_without_warnings, k, ended)
        work(0)
        for ended in others:
            ended.wait()
        if self.failure is not None:
            raise self.failure

    def _should_stop(self) -> bool:
        return self.failure is not None or self.interval.should_stop()

    def _compute_lower(self, searches: list[BestFirstSearch]) -> int:
        """What disjoint parts prove together; the search of all rows counts the offset itself."""
        offset = self.problem.offset if len(searches) > 1 else 0
        return offset + sum(search.lower for search in searches)

    def _report_if_due(self) -> None:
        """Hand over the bound now and then: writing the proof may cost a tenth of the time."""
        now = time.perf_counter()
        if now - self.last_report > max(0.5, 10 * self.report_seconds):
            self._report()
            self.last_report = time.perf_counter()
            self.report_seconds = self.last_report - now

    def _report(self) -> None:
        level = max(self.levels, key=self._compute_lower, default=None)
        if level is None:
            return
        lower = min(self._compute_lower(level), self.interval.upper)
        if lower > self.interval.lower:
            parts = [search.to_proof(lambda: self.interval.overdue) for search in level]
            self.interval.raise_lower(
                lower, {"method": "circuits", "denominator": DENOMINATOR, "parts": parts}
            )
