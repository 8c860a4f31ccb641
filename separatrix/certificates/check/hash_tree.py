"""The digest of the data: SHA-256 in a tree, over rows as they come.

A row is its number of non-zeros, each with its column and value, and its sign or target, little-endian with
32-bit integers and doubles. A leaf is a byte 0 and 4096 rows, a node a byte 1 and its two subtrees, of which
the left one is as large as a power of two allows.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

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

    def digest(self) -> str:
        unfinished = [self._leaf.digest()] if self.rows % LEAF_ROWS else []
        return "sha256:" + root(self._leaves + unfinished).hex()


def root(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    middle = 1
    while 2 * middle < len(leaves):
        middle *= 2
    return hashlib.sha256(NODE + root(leaves[:middle]) + root(leaves[middle:])).digest()
