"""A canonical digest of signed rows: the root of a hash tree over the numbers, wherever they are stored.

**Row.** Encoded as the number of its non-zeros (32 bits), each non-zero in column order as its column (32
bits, counted from 0) and its value (a double), and then its sign, +1 or −1, or its target (a double), all
little-endian. −0 counts as zero, so that dense and sparse arrays, CSV and Parquet files of the same numbers
agree.

**Leaf.** SHA-256 of a byte 0 and the encodings of `LEAF_ROWS` consecutive rows of the whole data; the last
leaf may have fewer. Where rows are cut into pieces does not matter, so pieces are hashed in parallel, and
partitions where they are.

**Tree.** A node is SHA-256 of a byte 1 and the hashes of its two subtrees. The left one holds the largest
power of two of leaves that leaves some for the right one (as in RFC 6962). One leaf is its own root. The two
prefixes keep a leaf from being passed off as a node.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from separatrix.certificates.data.reading import Piece, RowSource, cache_sized_slices, read

LEAF_ROWS = 4096
LEAF, NODE = b"\0", b"\1"
PAIR = np.dtype([("column", "<u4"), ("value", "<f8")])
COUNT_WORDS, PAIR_WORDS, SIGN_WORDS = 1, 3, 2  # words of 32 bits
MAX_THREADS = 4


def digest_of(X: Any, y: Any = None, *, positive: Any = None) -> str:
    """The digest of ``X, y``, or of labelled rows alone.

    >>> digest_of([[0.5, -0.0]], [1], positive=1)
    'sha256:ef9ea773ce9367a9b9e282d396bb42e5f416b93d5fc0185875d9f480dbf1aa67'
    """
    return root_of(leaves_of(read(X, y, positive=positive)))


def leaves_of(source: RowSource) -> list[bytes]:
    """The hashes of the leaves of these rows, in order."""
    return list(join_leaves(_hash_in_parallel(source.pieces(), source.n_rows)))


def root_of(leaves: Sequence[bytes]) -> str:
    """The digest of the data whose leaves have these hashes."""
    return f"sha256:{subtree_hash(0, len(leaves), leaves.__getitem__).hex()}"


def subtree_hash(first: int, stop: int, leaf: Callable[[int], bytes]) -> bytes:
    """The hash of the tree over leaves ``first`` to ``stop - 1``."""
    if stop - first == 1:
        return leaf(first)
    middle = split_place(first, stop)
    return sha256(NODE + subtree_hash(first, middle, leaf) + subtree_hash(middle, stop, leaf)).digest()


def split_place(first: int, stop: int) -> int:
    """Where the right subtree of these leaves begins."""
    return first + (1 << (stop - first - 1).bit_length() - 1)


@dataclass(frozen=True)
class PieceHashes:
    """What a piece contributes to the tree: whole leaves hashed, the rows at both ends encoded.

    Attributes
    ----------
    start, stop
        Its rows among all rows.
    head
        Rows of a leaf that begins before the piece.
    leaves
        Hashes of the leaves that lie within the piece.
    tail
        Rows of a leaf that begins in the piece and does not end in it.
    """

    start: int
    stop: int
    head: bytes
    leaves: tuple[bytes, ...]
    tail: bytes

    @property
    def ends_a_leaf(self) -> bool:
        """Whether the leaf that begins before the piece ends in it."""
        return self.start % LEAF_ROWS > 0 and self.start // LEAF_ROWS < self.stop // LEAF_ROWS


def hash_piece(piece: Piece) -> PieceHashes:
    """The leaves of a piece."""
    start, stop = piece.start, piece.stop
    first = min(_next_leaf(start), stop)
    last = max(first, stop - stop % LEAF_ROWS)
    leaves = []
    for begin in range(first, last, LEAF_ROWS):
        running = sha256(LEAF)
        for part in _encode(piece, begin, begin + LEAF_ROWS):
            running.update(part)
        leaves.append(running.digest())
    head, tail = b"".join(_encode(piece, start, first)), b"".join(_encode(piece, last, stop))
    return PieceHashes(start, stop, head, tuple(leaves), tail)


def join_leaves(pieces: Iterable[PieceHashes]) -> Iterator[bytes]:
    """The leaves of all rows, from what their pieces contribute, in order."""
    running, stop = sha256(LEAF), 0
    for piece in pieces:
        running.update(piece.head)
        if piece.ends_a_leaf:
            yield running.digest()
            running = sha256(LEAF)
        yield from piece.leaves
        running.update(piece.tail)
        stop = piece.stop
    if stop % LEAF_ROWS:
        yield running.digest()


def _next_leaf(row: int) -> int:
    return -(-row // LEAF_ROWS) * LEAF_ROWS


def _encode(piece: Piece, start: int, stop: int) -> Iterator[bytes]:
    """Rows ``start`` to ``stop - 1`` of all rows, which the piece holds, a few at a time."""
    if start == stop:
        return
    X, signs = piece.X[start - piece.start : stop - piece.start], piece.signs[start - piece.start :]
    for part in cache_sized_slices(X):
        yield encode_rows(X[part], signs[part]).tobytes()


def encode_rows(X: Any, signs: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The encodings of some rows, as words of 32 bits.

    >>> encode_rows(np.array([[0.0, 1.0]]), np.array([-1])).tobytes().hex()
    '0100000001000000000000000000f03f000000000000f0bf'
    """
    counts, pairs = _pairs_of(X)
    lengths = COUNT_WORDS + PAIR_WORDS * counts + SIGN_WORDS
    ends = np.cumsum(lengths)
    words = np.empty(int(ends[-1]), "<u4")
    is_pair = np.ones(len(words), bool)
    places = ((ends - lengths, counts), (ends - 2, _words(signs)[0::2]), (ends - 1, _words(signs)[1::2]))
    for place, values in places:
        words[place] = values
        is_pair[place] = False
    words[is_pair] = pairs.view("<u4")
    return words


def _words(values: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    doubles = np.ascontiguousarray(values, "<f8") + 0.0  # turns −0 into +0 and changes nothing else
    return doubles.view("<u4")


def _pairs_of(X: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """How many non-zeros each row has, and all of them, with their columns."""
    if isinstance(X, np.ndarray):
        is_stored = X != 0
        counts = np.count_nonzero(is_stored, axis=1)
        if counts.sum() == X.size:
            columns, values = np.tile(np.arange(X.shape[1]), X.shape[0]), X.ravel()
        else:
            columns, values = np.nonzero(is_stored)[1], X[is_stored]
    else:
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        counts, columns, values = np.diff(X.indptr), X.indices, X.data
    pairs = np.empty(len(values), PAIR)
    pairs["column"], pairs["value"] = columns, values
    return counts, pairs


def _hash_in_parallel(pieces: Iterator[Piece], n_rows: int) -> Iterator[PieceHashes]:
    """`hash_piece` of each piece in order, on threads where there is more than one leaf."""
    n_threads = min(MAX_THREADS, os.cpu_count() or 1)
    if n_rows <= LEAF_ROWS or n_threads == 1:
        yield from map(hash_piece, pieces)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        waiting: deque[Future[PieceHashes]] = deque()
        for piece in pieces:
            waiting.append(pool.submit(hash_piece, piece))
            if len(waiting) > n_threads:  # no more pieces in memory than that
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
