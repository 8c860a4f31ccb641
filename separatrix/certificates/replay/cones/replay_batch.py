"""Some nodes of the trees, with their rows and pairs, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Batch(NamedTuple):
    """Some nodes with their open rows, node by node, rows in order.

    Attributes
    ----------
    nodes, costs : int64, (B,)
        What they are called in the forest, and what their decided rows cost.
    vertices : int64, (B, D)
        By number: see `Vertices`.
    owner, rows : int64, (N,)
        Whose row it is, by place in ``nodes``, and which.
    scores, errors : float64, (N, D)
    ends : int64, (P, 2); amounts : int64, (P,)
        The pairs, by places in ``rows``, node by node.
    """

    nodes: np.ndarray
    costs: np.ndarray
    vertices: np.ndarray
    owner: np.ndarray
    rows: np.ndarray
    scores: np.ndarray
    errors: np.ndarray
    ends: np.ndarray
    amounts: np.ndarray

    def part(self, nodes: np.ndarray, rows: np.ndarray) -> Batch:
        """Some of the nodes, with some of their rows, and the pairs of those that are worth something."""
        pairs = rows[self.ends[:, 0]] & rows[self.ends[:, 1]] & (self.amounts > 0)
        places = np.flatnonzero(rows)
        return Batch(
            self.nodes[nodes],
            self.costs[nodes],
            self.vertices[nodes],
            (np.cumsum(nodes) - 1)[self.owner[places]],
            self.rows[places],
            self.scores.take(places, axis=0),
            self.errors.take(places, axis=0),
            (np.cumsum(rows) - 1)[self.ends[pairs]],
            self.amounts[pairs],
        )

    def joined_with(self, other: Batch) -> Batch:
        """The nodes of both."""
        moved = other._replace(owner=other.owner + len(self.nodes), ends=other.ends + len(self.rows))
        return Batch(*(np.concatenate(both) for both in zip(self, moved, strict=True)))


def expand_ranges(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers from first to last of each place, and the place of each.

    >>> expand_ranges(np.array([5, 9]), np.array([7, 10]))
    (array([0, 0, 1]), array([5, 6, 9]))
    """
    counts = last - first
    place = np.repeat(np.arange(len(counts)), counts)
    return place, np.arange(len(place)) + (first - np.cumsum(counts) + counts)[place]
