"""The hinge loss on all rows: a working set near the margin, the rest summed once.

**Idea.** A row clearly inside the margin has α = C, one clearly outside α = 0; both pull on the weights by a
constant, which one look at all rows adds up. What is left is a small problem of the rows near the margin.
Solutions of samples, each eight times as large as the one before, tell where the margin is, and how far it
may still move. After a solve one look at all rows finds those that went astray: they join, or the duality gap
is closed.

**Cost.** Two to four looks at all rows; memory for the rows near the margin, about a twelfth of the data or
2 MB (of float32 half of that, unless more of them matter), and for two numbers a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.svm.augmented_lagrangian import Near, solve
from separatrix.algorithms.svm.best_intercept import best_shift
from separatrix.algorithms.svm.hinge_kernels import (
    ASTRAY,
    EXCESS,
    FULL,
    IDLE,
    LOSS,
    NEAR,
    hinge_slope,
    margins_and_astray,
    margins_and_pull,
)
from separatrix.algorithms.svm.objective import Outcome, Task
from separatrix.algorithms.svm.row_space import Wide
from separatrix.algorithms.svm.sampled_start import FEWEST, SAMPLE, START, Guess, given, sampled
from separatrix.algorithms.svm.segment_minimum import lowest_along
from separatrix.algorithms.svm.working_rows import Single, centred, gathered, in_single, joined, single
from separatrix.fitting.progress import report_step
from separatrix.rows import Block

ROOMY = 2 << 20  # bytes of gathered rows that are always allowed
WIDE = 3.0  # the working set reaches this many times as far as margins are expected to move
WARM = 4.0  # the sharpness to begin with at weights that are nearly right
FINEST = 1e-9  # margins that differ by less are the same up to rounding
FIRST = 1e-5  # the relative gap of the first solve on a part of the rows
ROUNDS = 60
MORE_SINGLE, MOST_SINGLE = 1.5, 1.7  # of float32: a fifth of the data has to do for all there is


def minimise(task: Task, tolerance: float, room: int, start: np.ndarray | None = None) -> Outcome:
    """Weights and multipliers with a duality gap below ``tolerance`` times the objective."""
    capacity = _capacity(task)
    counting = task.counting()
    # A sample with fewer rows than weights says nothing about the margin.
    fewest = FEWEST * (task.rows.n_columns + 1)
    if len(counting) <= capacity or min(capacity, len(counting) // SAMPLE) < fewest:
        return _at_once(task, counting, tolerance, room, start)
    guess = sampled(task, counting, capacity, room) if start is None else given(task, counting, start)
    del counting  # as large as a column
    search = _Search(task, capacity)
    search.gather(guess)
    steps, share, sharpness = 0, FIRST, 0.5 / guess.spread
    for rounds in range(1, ROUNDS + 1):
        target = max(share, 0.3 * tolerance) * min(search.objective, task.ceiling)
        reached = solve(
            search.near,
            search.pull,
            search.weights,
            sharpness,
            target,
            intercept=task.intercept,
            room=room - steps,
        )
        steps += reached.steps
        sharpness = reached.sharpness
        trial = search.look(reached.weights)
        report_step(steps, room, reached.gap + trial.excess, trial.objective)
        # A gap that did not close although no row went astray is rounding.
        closed = reached.gap + trial.excess <= tolerance * min(trial.objective, task.ceiling)
        rounding = trial.astray == 0 and share == 0.0 and target <= tolerance * trial.objective
        if closed or steps >= room or rounds == ROUNDS or rounding:
            search.settle(trial)
            break
        if len(search.near.signs) + trial.astray > search.most:
            # The margin moved past too many rows: gather anew around the best point on the way there.
            guess = search.restart(trial)
            del trial
            search.gather(guess)
            sharpness = 0.5 / guess.spread
        else:
            search.extend(trial)
            share = 0.0
    return search.outcome(steps)


def _capacity(task: Task) -> int:
    rows = task.rows
    room = max(ROOMY, rows.n_bytes // 12)
    stored = rows.n_columns if centred(rows) else rows.n_bytes / 12 / rows.n_rows
    return int(max(1000, room / (8 * (stored + 4))))


def _at_once(
    task: Task, counting: np.ndarray, tolerance: float, room: int, start: np.ndarray | None
) -> Outcome:
    """All rows are few: one solve, to the last digit."""
    Z, signs = gathered(task.rows, task.positive, counting, task.centre)
    near = Near(counting, Z, signs, task.costs(counting), np.full(len(counting), 0.5))
    wide = Wide.of(near) if start is None else None
    if wide is not None:
        near = wide.near
    d = near.Z.shape[1]
    weights = np.zeros(d + 1) if start is None else task.moved(start)
    sharpness = 1.0 / START
    if start is not None:
        sharpness = WARM
        near.shares = np.clip(0.5 + sharpness * (1.0 - near.margins(weights)), 0.0, 1.0)
    nothing = np.zeros(d + 1)
    steps = 0
    for share in (0.3 * tolerance, 1e-15):
        loss = near.caps @ np.maximum(0.0, 1.0 - near.margins(weights))
        objective = min(0.5 * weights[:-1] @ weights[:-1] + loss, task.ceiling)
        if steps == 0:  # an objective of the start says little of that of the end
            objective = min(objective, 1e-3 * task.ceiling)
        reached = solve(
            near, nothing, weights, sharpness, share * objective, intercept=task.intercept, room=room - steps
        )
        weights, sharpness, steps = reached.weights, reached.sharpness, steps + reached.steps
        report_step(steps, room, reached.gap, objective)
        if steps >= room:
            break
    if wide is not None:
        weights, near = wide.unfolded(weights), wide.given
    margins = np.zeros(task.rows.n_rows)
    margins[counting] = near.margins(weights)
    full = np.zeros(len(margins), bool)
    return _held(task.plain(weights), margins, steps, full, near)


def _held(weights: np.ndarray, margins: np.ndarray, steps: int, full: np.ndarray, near: Near) -> Outcome:
    """The outcome once the rows near the margin have told theirs; ``full`` is of the others."""
    full[near.numbers[near.shares >= 1.0]] = True
    inner = np.flatnonzero((near.shares > 0.0) & (near.shares < 1.0))
    return Outcome(weights, margins, steps, full, near.numbers[inner], near.alpha[inner])


class Trial(NamedTuple):
    """Weights looked at on all rows."""

    weights: np.ndarray
    objective: float
    excess: float
    astray: int


class _Search:
    """What is known between looks: the working set, where the other rows are held, and their pull."""

    near: Near
    pull: np.ndarray
    objective: float

    def __init__(self, task: Task, capacity: int) -> None:
        self.task = task
        self.capacity = capacity
        self.plenty, self.single = capacity, in_single(task.rows)
        self.most = int((MOST_SINGLE if self.single else 2.0) * capacity)  # rows, with those that join
        self.restarts = 0
        self.margins = np.empty(task.rows.n_rows)
        self.held = np.empty(task.rows.n_rows, np.int8)
        self.weights = np.zeros(task.rows.n_columns + 1)

    def gather(self, guess: Guess, *, again: bool = True) -> None:
        """Look at all rows from the guess; keep those near the margin, add up the pull of the others.

        If the rows kept cannot balance the pull on the intercept, nothing keeps it from running away. At the
        best intercept for the same weights they can: those inside the margin do.
        """
        task, rows = self.task, self.task.rows
        half = WIDE * guess.spread
        if guess.sample is not None:
            share = min(1.0, 0.8 * self.capacity / rows.n_rows)
            half = max(FINEST, min(half, float(np.quantile(np.abs(guess.sample - 1.0), share))))
        plain = task.plain(guess.weights)
        limits = np.array([plain[-1], 1.0 - half])

        def look(block: Block) -> tuple[float, np.ndarray]:
            pull = np.zeros(rows.n_columns + 1)
            part = slice(block.start, block.stop)
            costs, signs = task.costs_of(block), block.signs(task.positive)
            margins, held = self.margins[part], self.held[part]
            loss = margins_and_pull(block.X, signs, costs, limits, plain[:-1], margins, pull)
            # The limit as the kernel has it: a row on it must not both pull and be kept.
            held[:] = np.where(margins < limits[1], FULL, IDLE)
            held[(margins >= limits[1]) & (margins <= 1.0 + half)] = NEAR
            return loss, pull

        loss, pull = rows.sum(look)
        self.weights = guess.weights
        self.objective = 0.5 * float(plain[:-1] @ plain[:-1]) + loss
        pull[:-1] -= pull[-1] * task.centre
        self.pull = pull
        chosen, left_out = np.flatnonzero(self.held == NEAR), np.empty(0, np.int64)
        if len(chosen) > self.capacity:
            closest = np.argpartition(np.abs(self.margins[chosen] - 1.0), self.capacity)[: self.capacity]
            left_out = np.delete(chosen, closest)
            self.held[left_out] = IDLE
            self._hold(left_out[self.margins[left_out] < 1.0], FULL)
            chosen = np.sort(chosen[closest])
        self.held[chosen] = NEAR
        Z, signs = self._taken(chosen)
        self.near = Near(chosen, Z, signs, task.costs(chosen), np.full(len(chosen), 0.5))
        if not task.intercept:
            self.pull[-1] = 0.0
        elif again and not self._holds_intercept():
            del self.near, Z
            turned = task.signs()
            costs = None if task.weights is None else task.costs(slice(0, rows.n_rows))
            moved = guess.weights.copy()
            moved[-1] += best_shift(self.margins, turned, costs)
            self.gather(guess._replace(weights=moved), again=False)
        elif not self._holds_intercept():
            self._lean(left_out)

    def _taken(self, numbers: np.ndarray) -> tuple[Any, np.ndarray]:
        """Rows in doubles, which are faster; more float32 rows than there is room for so stay as they are."""
        take = gathered if len(numbers) <= self.plenty else single
        return take(self.task.rows, self.task.positive, numbers, self.task.centre)

    def _holds_intercept(self) -> bool:
        near = self.near
        heavier = float(near.caps[near.signs * self.pull[-1] < 0.0].sum())
        return abs(float(self.pull[-1])) <= 0.8 * heavier

    def _lean(self, left_out: np.ndarray) -> None:
        """Of rows on the margin for which there was no room, as many change sides as it takes for those kept
        to balance the pull: at w = 0 all rows of a class lie there, and rounding alone tells their sides."""
        near, even = self.near, float(self.pull[-1])
        against = float(near.caps[near.signs * even < 0.0].sum())
        excess = abs(even) - 0.4 * against if against else abs(even) + 0.4 * float(near.caps.sum())
        along = self.task.signs()[left_out] * even > 0.0
        chosen = left_out[along == (self.held[left_out] == FULL)]
        chosen = chosen[np.argsort(np.abs(self.margins[chosen] - 1.0), kind="stable")]
        enough = int(np.searchsorted(np.cumsum(self.task.costs(chosen)), excess))
        chosen = np.sort(chosen[:enough])
        was_full = self.held[chosen] == FULL
        self._hold(chosen[was_full], IDLE)
        self._hold(chosen[~was_full], FULL)

    def _hold(self, numbers: np.ndarray, how: int) -> None:
        """Rows that were idle pull with all their cost, or the other way round."""
        for first in range(0, len(numbers), self.capacity):
            some = numbers[first : first + self.capacity]
            Z, signs = gathered(self.task.rows, self.task.positive, some, self.task.centre)
            costs = self.task.costs(some) if how == FULL else -self.task.costs(some)
            self.pull += np.append(Z.T @ costs, signs @ costs)
            self.held[some] = how

    def look(self, weights: np.ndarray) -> Trial:
        """The margins of all rows, from now on in ``margins``, and which of the held ones went astray."""
        task, margins = self.task, self.margins
        plain = task.plain(weights)

        def see(block: Block) -> tuple[int, np.ndarray]:
            sums = np.zeros(2)
            part = slice(block.start, block.stop)
            costs, signs = task.costs_of(block), block.signs(task.positive)
            astray = margins_and_astray(
                block.X, signs, costs, plain[-1], plain[:-1], margins[part], self.held[part], sums
            )
            return astray, sums

        astray, sums = task.rows.sum(see)
        objective = 0.5 * float(plain[:-1] @ plain[:-1]) + float(sums[LOSS])
        return Trial(weights, objective, float(sums[EXCESS]), astray)

    def extend(self, trial: Trial) -> None:
        """The rows that went astray join the working set, with the multipliers they were held at."""
        added = np.flatnonzero(self.held & ASTRAY)
        if len(added):
            task, near = self.task, self.near
            Z, signs = single(task.rows, task.positive, added, task.centre)
            joins = Near(added, Z, signs, task.costs(added), (self.held[added] & FULL).astype(np.float64))
            released = joins.combined(joins.alpha)
            released[-1] *= task.intercept
            self.pull -= released
            numbers = np.append(near.numbers, added)
            if isinstance(Z, Single):  # both sets and their union at once would take too much room
                near.Z = joins.Z = Z = None
                Z = self._taken(numbers)[0]
            else:
                Z = joined(near.Z, Z)
            self.near = Near(
                numbers,
                Z,
                np.append(near.signs, signs),
                np.append(near.caps, joins.caps),
                np.append(near.shares, joins.shares),
            )
            self.held[added] = NEAR
        self.weights, self.objective = trial.weights, trial.objective

    def restart(self, trial: Trial) -> Guess:
        """The best point between the last and the trial, and how far it is from there."""
        del self.near
        move = trial.weights - self.weights
        along, self.margins = self.margins, np.empty_like(self.margins)
        self.look(self.weights)
        along -= self.margins
        costs = self.task.costs(slice(0, len(along)))
        flat, square = float(move[:-1] @ self.weights[:-1]), float(move[:-1] @ move[:-1])
        self._make_room()
        t = lowest_along(lambda t: flat + t * square + hinge_slope(self.margins, along, costs, t))
        spread = max(t, 0.05) * float(np.sqrt(along @ along / len(along)))
        some = slice(None, None, max(1, len(along) // 2000))
        margins = self.margins[some] + t * along[some]
        spread = max(min(spread, 1.0 + 2.0 * float(np.std(margins))), 1e-6)
        return Guess(self.weights + t * move, spread, margins)

    def _make_room(self) -> None:
        """A second restart shows that the rows that matter are more than there was room for."""
        self.restarts += 1
        if self.restarts == 2 and self.single:
            self.capacity = int(MORE_SINGLE * self.capacity)
        elif self.restarts > 1:
            self.capacity *= 2
            self.most = 2 * self.capacity

    def settle(self, trial: Trial) -> None:
        self.held &= FULL | NEAR
        self.weights, self.objective = trial.weights, trial.objective

    def outcome(self, steps: int) -> Outcome:
        full = self.held == FULL
        if self.task.weights is not None:
            full &= self.task.weights > 0.0
        return _held(self.task.plain(self.weights), self.margins, steps, full, self.near)
