"""The digest of the data: SHA-256 in a tree, over rows as they come.

A row is its number of non-zeros, each with its column and value, and its sign or target, little-endian with
32-bit integers and doubles. A leaf is a byte 0 and 4096 rows, a node a byte 1 and its two subtrees, of which
the left one is as large as a power of two allows.

Some leaves of the tree may be named. Their path is the hashes of the largest subtrees that hold no named
leaf, from left to right: with the named leaves it gives the root.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence

LEAF_ROWS = 4096
LEAF, NODE = b"\0", b"\1"


class HashTree:
    """Rows are added in order; `digest` is the root of the tree over those so far."""

    def __init__(self) -> None:
        self.rows = 0
        self._leaves: list[bytes] = []
        self._leaf = hashlib.sha256(LEAF)

    def add(self, values: Sequence[float], sign: float) -> None:
        pairs = [part for j, value in enumerate(values) if value for part in (j, value)]  # −0 is no non-zero
        count = len(pairs) // 2
        self._leaf.update(
            struct.pack("<I" + "Id" * count + "d", count, *pairs, sign + 0.0)
        )  # −0.0 + 0.0 is 0.0
        self.rows += 1
        if self.rows % LEAF_ROWS == 0:
            self._leaves.append(self._leaf.digest())
            self._leaf = hashlib.sha256(LEAF)

    def leaves(self) -> list[bytes]:
        unfinished = [self._leaf.digest()] if self.rows % LEAF_ROWS else []
        return self._leaves + unfinished

    def digest(self) -> str:
        return "sha256:" + root(self.leaves()).hex()


def root(leaves: Sequence[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    middle = half(len(leaves))
    return node(root(leaves[:middle]), root(leaves[middle:]))


def half(n_leaves: int) -> int:
    """How many of several leaves are on the left: the largest power of two below their number."""
    return 1 << (n_leaves - 1).bit_length() - 1


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(NODE + left + right).digest()


def named_leaves(rows: Iterable[int]) -> list[int]:
    return sorted({row // LEAF_ROWS for row in rows})


def path(leaves: Sequence[bytes], named: Collection[int]) -> list[str]:
    """The hashes that belong to the named leaves."""
    if not named:
        return [root(leaves).hex()]
    if len(leaves) == 1:
        return []
    middle = half(len(leaves))
    left = [leaf for leaf in named if leaf < middle]
    right = [leaf - middle for leaf in named if leaf >= middle]
    return path(leaves[:middle], left) + path(leaves[middle:], right)


def root_from(n_leaves: int, named: dict[int, bytes], hashes: Iterator[bytes]) -> bytes:
    """The root of a tree of so many leaves, of which some are known by their hashes, with the path for the
    others; ``StopIteration`` if the path is too short."""
    if not named:
        return next(hashes)
    if n_leaves == 1:
        return named[0]
    middle = half(n_leaves)
    left = root_from(middle, {leaf: known for leaf, known in named.items() if leaf < middle}, hashes)
    rest = {leaf - middle: known for leaf, known in named.items() if leaf >= middle}
    return node(left, root_from(n_leaves - middle, rest, hashes))
