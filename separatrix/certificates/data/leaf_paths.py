"""The hashes that lead from the leaves of some rows to the digest of all rows.

Some leaves of the tree of `digest` are named. Their path is the hashes of the largest subtrees that hold no
named leaf, from left to right. Named leaves and path give the root, so that these leaves are known to be part
of the data without the rest of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from hashlib import sha256

from separatrix.certificates.data.digest import LEAF_ROWS, NODE, split_place, subtree_hash


def leaf_numbers(rows: Sequence[int]) -> list[int]:
    """The leaves that hold these rows, in order."""
    return sorted({row // LEAF_ROWS for row in rows})


def leaf_ranges(rows: Sequence[int], n_rows: int) -> list[range]:
    """The rows of the leaves that hold these rows, of ``n_rows`` in all.

    >>> leaf_ranges([5, 4095, 8200], 8300)
    [range(0, 4096), range(8192, 8300)]
    """
    starts = [LEAF_ROWS * number for number in leaf_numbers(rows)]
    return [range(start, min(start + LEAF_ROWS, n_rows)) for start in starts]


def path_of(leaves: Sequence[bytes], rows: Sequence[int]) -> tuple[str, ...] | None:
    """The path of the leaves that hold these rows; None where there is one leaf alone."""
    if len(leaves) == 1:
        return None
    path: list[str] = []

    def outside(first: int, stop: int) -> bytes:
        found = subtree_hash(first, stop, leaves.__getitem__)
        path.append(found.hex())
        return found

    named = [number for number in leaf_numbers(rows) if number < len(leaves)]
    _fold(0, len(leaves), named, outside, leaves.__getitem__)
    return tuple(path)


def root_along(path: Sequence[str], leaves: Sequence[bytes], rows: Sequence[int], n_rows: int) -> str | None:
    """The digest of ``n_rows`` rows whose leaves with these ``rows`` have these hashes; None if the path has
    more hashes or fewer than there are subtrees."""
    numbers, count = leaf_numbers(rows), -(-n_rows // LEAF_ROWS)
    known, rest = dict(zip(numbers, leaves, strict=True)), iter(path)
    try:
        root = _fold(0, count, numbers, lambda first, stop: bytes.fromhex(next(rest)), known.__getitem__)
    except StopIteration:
        return None
    return None if next(rest, None) is not None else f"sha256:{root.hex()}"


def _fold(
    first: int,
    stop: int,
    named: list[int],
    outside: Callable[[int, int], bytes],
    inside: Callable[[int], bytes],
) -> bytes:
    """The hash of the leaves ``first`` to ``stop - 1``, of which some are named."""
    if not named:
        return outside(first, stop)
    if stop - first == 1:
        return inside(first)
    middle = split_place(first, stop)
    cut = bisect_left(named, middle)
    left = _fold(first, middle, named[:cut], outside, inside)
    return sha256(NODE + left + _fold(middle, stop, named[cut:], outside, inside)).digest()
