"""All trees from the roots down, many nodes at a time; for (1) and (2) see the package's docstring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from separatrix.certificates.check.errors_cone import MAX_SHIFT_BITS
from separatrix.certificates.check.record import Refused
from separatrix.certificates.replay.cones.forest import ABSENT, Cut, Forest, NotReplayable
from separatrix.certificates.replay.cones.replay_batch import Batch, expand_ranges
from separatrix.certificates.replay.cones.vertices import Vertices, scaled

U = 2.0**-53
ROUNDING_FACTOR = 1.0 + 1e-9  # for the rounding of the bounds themselves
UNDERFLOW, LEAST_SCORE = 1e-300, 1e-280
BATCH_ROWS = 30_000  # rows of all nodes that are looked at together


class ForestReplay:
    """All trees, from the roots down."""

    def __init__(
        self, scores: dict[int, list[int]], weights: dict[int, int], forest: Forest, width: int
    ) -> None:
        self.forest = forest
        names = np.array(sorted(scores))
        self.names = names
        self.weights = np.array([weights[name] for name in names.tolist()], np.int64)
        rows = [scores[name] for name in names.tolist()]
        power = max(1, max(abs(value) for row in rows for value in row).bit_length())
        self.vertices = Vertices(rows, width, power)
        self.basis = np.array([[scaled(value, -power) for value in row] for row in rows])
        if any(
            value and abs(near) < LEAST_SCORE
            for row, line in zip(rows, self.basis.tolist(), strict=True)
            for value, near in zip(row, line, strict=True)
        ):
            raise NotReplayable
        self.pair_rows = self._placed(forest.rows)
        self.lowest = sum(weights.values())
        if (forest.amounts > self.lowest).any():  # unless they are shortened at once, they are too large
            raise NotReplayable

    def least(self) -> int:
        for waiting in self._roots():
            while waiting:
                batch = waiting.pop()
                if len(batch.rows) > BATCH_ROWS and len(batch.nodes) > 1:
                    first = np.arange(len(batch.nodes)) < len(batch.nodes) // 2
                    waiting += (batch.part(half, half[batch.owner]) for half in (first, ~first))
                    continue
                batch = self._paired(batch)
                spent = np.bincount(batch.owner[batch.ends[:, 0]], batch.amounts, len(batch.nodes))
                inner = self.forest.children[batch.nodes, 0] >= 0
                bounds = (batch.costs + spent.astype(np.int64))[~inner]
                self.lowest = min(self.lowest, int(bounds.min(initial=self.lowest)))
                if inner.any():
                    waiting.append(self._cut(batch.part(inner, inner[batch.owner])))
        return self.lowest

    def _placed(self, names: np.ndarray) -> np.ndarray:
        """The places of some rows."""
        places = np.minimum(np.searchsorted(self.names, names), len(self.names) - 1)
        if (self.names[places] != names).any():
            raise Refused(ABSENT)
        return places

    def _roots(self) -> Iterator[list[Batch]]:
        """The cones around the basis, some at a time."""
        m, width = self.basis.shape
        at_once = max(1, BATCH_ROWS // m)
        roots = np.arange(1 << width)
        for some in (roots[k : k + at_once] for k in range(0, len(roots), at_once)):
            up = (some[:, None] >> np.arange(width) & 1).astype(bool)
            scores = (np.where(up, 1.0, -1.0)[:, None, :] * self.basis).reshape(-1, width)
            owner, rows = np.repeat(np.arange(len(some)), m), np.tile(np.arange(m), len(some))
            batch = Batch(
                np.array(self.forest.roots)[some],
                np.zeros(len(some), np.int64),
                np.arange(width) + width * ~up,
                owner,
                rows,
                scores,
                np.where(scores == 0.0, 0.0, 2 * U * abs(scores) + UNDERFLOW),
                np.zeros((0, 2), np.int64),
                np.zeros(0, np.int64),
            )
            yield [self._decided(batch, (scores > 0).any(axis=1), (scores < 0).any(axis=1))]

    def _decided(self, batch: Batch, above: np.ndarray, below: np.ndarray) -> Batch:
        """Without the rows that are right nowhere, which cost, or wrong nowhere."""
        costs = np.bincount(batch.owner[~above], self.weights[batch.rows[~above]], len(batch.nodes))
        batch = batch._replace(costs=batch.costs + costs.astype(np.int64))
        return batch.part(np.ones(len(batch.nodes), bool), above & below)

    def _find(self, batch: Batch, owner: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Where open rows stand in a batch."""
        keys, wanted = batch.owner * len(self.names) + batch.rows, owner * len(self.names) + rows
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        if len(wanted) and (not len(keys) or (keys[places] != wanted).any()):
            raise Refused(ABSENT)
        return places

    def _paired(self, batch: Batch) -> Batch:
        """With the pairs that the nodes add, checked, and those they shorten."""
        forest = self.forest
        owner, which = expand_ranges(forest.pairs[batch.nodes], forest.pairs[batch.nodes + 1])
        new = self._find(batch, np.repeat(owner, 2), self.pair_rows[which].ravel()).reshape(-1, 2)
        self._check(batch, owner, which, new)
        ends = np.concatenate([batch.ends, new])
        amounts = np.concatenate([batch.amounts, forest.amounts[which]])
        order = np.argsort(batch.owner[ends[:, 0]], kind="stable")
        ends, amounts = ends[order], amounts[order]
        owner, which = expand_ranges(forest.shortened[batch.nodes], forest.shortened[batch.nodes + 1])
        if len(which):
            place, less = forest.less[which].T
            start = np.searchsorted(batch.owner[ends[:, 0]], np.arange(len(batch.nodes) + 1))
            if ((place < 0) | (place >= np.diff(start)[owner])).any():
                raise Refused(ABSENT)
            cut = np.bincount(start[owner] + place, less, len(amounts))
            if (less < 0).any() or (cut > amounts).any():
                raise Refused("A pair is shortened by more than it has.")
            amounts = amounts - cut.astype(np.int64)
        used = sum(np.bincount(ends[:, side], amounts, len(batch.rows)) for side in (0, 1))
        if (used > self.weights[batch.rows]).any():
            raise Refused("The pairs of a row add up to more than it costs.")
        return batch._replace(ends=ends, amounts=amounts)

    def _check(self, batch: Batch, owner: np.ndarray, which: np.ndarray, ends: np.ndarray) -> None:
        """That no halfspace of its cone has both rows of a pair right."""
        ratio = self.forest.ratios[which][:, None]
        (s, t), (ds, dt) = batch.scores[ends.T], batch.errors[ends.T]
        with np.errstate(all="ignore"):
            error = (ratio * ds + dt + 4 * U * (ratio * abs(s) + abs(t))) * ROUNDING_FACTOR
            nothing = (s == 0.0) & (ds == 0.0) & (t == 0.0) & (dt == 0.0)
            error = np.where(nothing, 0.0, error + UNDERFLOW)
            # (2), with what (1) allows for it
            proven = (ratio * s + t <= -error) & (ratio > 1e-290) & (ratio < 1e290)
        for p, v in np.argwhere(~proven).tolist():
            vertex = int(batch.vertices[owner[p], v])
            first, second = (self.vertices.score(int(batch.rows[end]), vertex) for end in ends[p])
            a, e = self.forest.multipliers[which[p]], int(self.forest.powers[which[p]])
            if (a << max(0, -e)) * first + (second << max(0, e)) > 0:
                i, k = self.forest.rows[which[p]].tolist()
                raise Refused(f"Rows {i} and {k} (counted from 0) can both be right in a cone.")

    def _cut(self, batch: Batch) -> Batch:
        """The children of all nodes."""
        cuts = [self.forest.cuts[node] for node in batch.nodes.tolist()]
        j, k = (np.array([cut[side] for cut in cuts if cut is not None]) for side in (0, 1))
        (a, b, da, db), made, crossing = self._new_vertices(batch, [cut for cut in cuts if cut is not None])
        every, owner = np.arange(len(batch.rows)), batch.owner
        s, t = batch.scores[every, j[owner]], batch.scores[every, k[owner]]
        ds, dt = batch.errors[every, j[owner]], batch.errors[every, k[owner]]
        a, b, da, db = a[owner], b[owner], da[owner], db[owner]
        new = a * s + b * t
        # (1), raised below
        error = a * ds + b * dt + da * (abs(s) + ds) + db * (abs(t) + dt) + 4 * U * (a * abs(s) + b * abs(t))
        nothing = (s == 0) & (ds == 0) & (t == 0) & (dt == 0)
        nothing[crossing] = True
        new, error = np.where(nothing, 0.0, new), np.where(nothing, 0.0, error * ROUNDING_FACTOR + UNDERFLOW)
        for i in np.flatnonzero(~nothing & ~(abs(new) > error)).tolist():
            vertex = made[owner[i]]
            value = self.vertices.score(int(batch.rows[i]), vertex)
            new[i] = scaled(value, -self.vertices.powers[vertex])
            if value and not LEAST_SCORE < abs(new[i]) < 2.0:
                raise NotReplayable
            error[i] = 2 * U * abs(new[i]) + UNDERFLOW if value else 0.0
        above, below = (batch.scores > 0).sum(axis=1), (batch.scores < 0).sum(axis=1)
        children = []
        for place, changed, old in ((0, j, s), (1, k, t)):
            up = above - (old > 0) + (new > 0) > 0
            down = below - (old < 0) + (new < 0) > 0
            child = self._decided(batch, up, down)
            rows, column = np.arange(len(child.rows)), changed[child.owner]
            child.scores[rows, column], child.errors[rows, column] = new[up & down], error[up & down]
            child.vertices[np.arange(len(made)), changed] = made
            children.append(child._replace(nodes=self.forest.children[batch.nodes, place]))
        return children[0].joined_with(children[1])

    def _new_vertices(
        self, batch: Batch, cuts: list[Cut]
    ) -> tuple[tuple[np.ndarray, ...], list[int], np.ndarray]:
        """a, b, da and db of every cut, the vertices made, and where the rows stand that score 0 there."""
        crossed = [at for at, cut in enumerate(cuts) if cut.left == 0]
        rows = self._placed(np.array([cuts[at].right for at in crossed], np.int64))
        where = self._find(batch, np.array(crossed, np.int64), rows)
        shares = np.zeros((4, len(cuts)))
        powers = {}
        for at, row, place in zip(crossed, rows.tolist(), where.tolist(), strict=True):
            edge = [cuts[at].first, cuts[at].second]
            s, t = batch.scores[place, edge].tolist()
            if not (s > 0.0 > t or s < 0.0 < t):
                raise Refused("A cut is made where its row does not change sides.")
            ds, dt = batch.errors[place, edge].tolist()
            power = int(np.frexp(abs(s) + abs(t))[1])
            shares[:, at] = np.ldexp([abs(t), abs(s), dt, ds], -power)
            powers[at] = (row, power)
        made = []
        for at, (cut, ends) in enumerate(zip(cuts, batch.vertices.tolist(), strict=True)):
            first, second = ends[cut.first], ends[cut.second]
            p, q = self.vertices.powers[first], self.vertices.powers[second]
            if cut.left == 0:
                row, power = powers[at]
                made.append(self.vertices.add(first, second, 0, row, p + q + power))
                continue
            if max(abs(p - q), cut.left.bit_length(), cut.right.bit_length()) > MAX_SHIFT_BITS:
                raise NotReplayable
            left, right = cut.left << max(0, p - q), cut.right << max(0, q - p)
            power = (left + right).bit_length()
            a, b = scaled(left, -power), scaled(right, -power)
            shares[:, at] = a, b, 2 * U * a, 2 * U * b
            made.append(self.vertices.add(first, second, cut.left, cut.right, min(p, q) + power))
        return tuple(shares), made, where
