"""The interval that closes: the best halfspace so far, the best proof so far, and when to stop.

One object is shared by all engines and by all threads. Costs are whole numbers in the problem's unit, the
offset included.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from numbers import Rational
from typing import Any, NamedTuple, Protocol

from separatrix.algorithms.zero_one.free_rows import Recession
from separatrix.algorithms.zero_one.problem import IntegerVector, ReducedProblem

MAX_SECONDS = 1e9  # seconds of a search, thirty years: sums and ratios of times are to be finite
GRACE_SECONDS = 0.6  # seconds to write down what was begun


class HistoryEntry(NamedTuple):
    """One line of the history: seconds since the start, and the interval in the user's unit."""

    seconds: float
    lower: Any
    upper: Any
    nodes: int


class ErrorInterval:
    """Lower and upper end, each with its witness.

    Parameters
    ----------
    problem
    time_limit
        Seconds, or None.
    node_limit
        How many nodes the engines may visit in all, or None. Deterministic where one thread works.
    tol
        Stop when upper − lower ≤ tol · upper.
    report
        Called with the interval after each change, and now and then between.
    start_time
        When the clock was started, if not now.
    """

    def __init__(
        self,
        problem: ReducedProblem,
        *,
        time_limit: float | None = None,
        node_limit: int | None = None,
        tol: float = 0.0,
        report: Callable[[ErrorInterval], None] | None = None,
        start_time: float | None = None,
    ) -> None:
        self.problem = problem
        self.start_time = time.perf_counter() if start_time is None else start_time
        self.deadline = None if time_limit is None else self.start_time + min(time_limit, MAX_SECONDS)
        self.node_limit = node_limit
        # Costs may be beyond all doubles; NumPy's float32 is no number that Fraction knows.
        self.tol = Fraction(tol) if isinstance(tol, Rational) else Fraction(float(tol))
        self.recession: Recession | None = None  # every halfspace offered is moved along it
        self.weights: IntegerVector = (0,) * problem.D
        self.upper = problem.compute_cost(self.weights)
        self.lower = problem.offset
        self.proof: dict[str, Any] = {"method": "none"}
        self.ties: list[IntegerVector] = []
        self.nodes = 0
        self.interrupted = False
        self._interrupt_time: float | None = None
        self.proofs_done = False  # nothing more can be proven: an endless search may end
        self.target: int | None = None
        self.history: list[HistoryEntry] = []
        self._reports = () if report is None else (report,)
        self._lock = threading.RLock()
        self._record()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start_time

    @property
    def closed(self) -> bool:
        """Nothing left to prove, or near enough, or the question asked is answered."""
        if self.target is not None and (self.upper <= self.target or self.lower > self.target):
            return True
        return self.upper - self.lower <= self.tol * self.upper

    def offer(self, weights: Sequence[int], cost: int | None = None) -> bool:
        """A halfspace in whole numbers for ``problem.Z``; True if it is the best so far.

        The cost is counted here, exactly, whatever the caller expects.
        """
        if cost is not None and cost > self.upper:
            return False
        if self.recession is not None:
            weights = self.recession.lift(weights)
        if self.problem.contradictions:
            weights = self.problem.avoid_contradictions(weights)
        cost = self.problem.compute_cost(weights)
        with self._lock:
            if cost == self.upper and len(self.ties) < 32 and any(weights):
                self.ties.append(tuple(weights))
            if cost >= self.upper:
                return False
            self.upper, self.weights, self.ties = cost, tuple(weights), [tuple(weights)]
            self._record()
        return True

    def raise_lower(self, value: int, proof: dict[str, Any]) -> bool:
        """A proven lower end with its proof; True if it is the best so far."""
        with self._lock:
            if value <= self.lower:
                return False
            self.lower, self.proof = value, proof
            self._record()
        return True

    def retract(self, value: int, proof: dict[str, Any]) -> None:
        """Lower the lower end to what was shown in the end, in the history too."""
        with self._lock:
            self.lower, self.proof = value, proof
            limit = convert_cost(value, self.problem.unit)
            self.history = [entry._replace(lower=min(entry.lower, limit)) for entry in self.history]

    def should_stop(self, nodes: int = 0) -> bool:
        """Count nodes just visited; True when the interval is closed or a limit is reached."""
        with self._lock:
            self.nodes += nodes
        self._report()
        if self.interrupted or self.proofs_done or self.closed:
            return True
        if self.node_limit is not None and self.nodes >= self.node_limit:
            return True
        return self.deadline is not None and time.perf_counter() >= self.deadline

    @property
    def seconds_left(self) -> float:
        return float("inf") if self.deadline is None else self.deadline - time.perf_counter()

    @property
    def overdue(self) -> bool:
        """Whether the time to finish what was begun is over, too."""
        ends = [end for end in (self.deadline, self._interrupt_time) if end is not None]
        return bool(ends) and time.perf_counter() >= min(ends) + GRACE_SECONDS

    def interrupt(self) -> None:
        """Ask every engine to come to an end."""
        self.interrupted = True
        self._interrupt_time = self._interrupt_time or time.perf_counter()

    def watch(self, *reports: Callable[[ErrorInterval], None] | None) -> None:
        """Call these after each change, too."""
        self._reports = (*self._reports, *(report for report in reports if report is not None))

    def _report(self) -> None:
        for report in self._reports:
            report(self)

    @contextmanager
    def snapshot(self) -> Iterator[tuple[int, int, IntegerVector, dict[str, Any]]]:
        """Both ends with their witnesses, while nothing changes them."""
        with self._lock:
            yield self.upper, self.lower, self.weights, self.proof

    def _record(self) -> None:
        unit = self.problem.unit
        lower, upper = convert_cost(self.lower, unit), convert_cost(self.upper, unit)
        self.history.append(HistoryEntry(self.seconds, lower, upper, self.nodes))
        self._report()


def convert_cost(cost: int, unit: Any) -> int | float:
    """A cost in the user's numbers: whole where it is whole, or where it is beyond all doubles."""
    exact = cost * unit
    return round(exact) if exact.denominator == 1 or exact >= 2**1023 else float(exact)


class Engine(Protocol):
    """Closes an interval, from below, from above or from both ends.

    ``run`` returns when ``interval.should_stop(nodes)`` says so or when there is nothing left to do; every
    bound it proves goes through ``interval.raise_lower``, every halfspace through ``interval.offer``.
    """

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None: ...
