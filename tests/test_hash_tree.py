"""The digest of the data: one tree, whatever the storage, the pieces and the program."""

from __future__ import annotations

import struct
from hashlib import sha256

import numpy as np
import pytest
from scipy.sparse import csr_array

from separatrix.certificates.check.hash_tree import HashTree
from separatrix.certificates.data.digest import LEAF_ROWS, digest_of, hash_piece, join_leaves, root_of
from separatrix.certificates.data.reading import Piece, read

SIZES = [(1, 1), (5, 3), (LEAF_ROWS - 1, 2), (LEAF_ROWS, 2), (LEAF_ROWS + 1, 2), (5 * LEAF_ROWS + 7, 3)]


def make_data(n_rows, n_columns):
    random = np.random.default_rng(n_rows)
    X = random.normal(size=(n_rows, n_columns))
    X[random.random(X.shape) < 0.4] = 0.0
    X[random.random(X.shape) < 0.1] = -0.0
    return X, np.append(1, random.integers(0, 2, n_rows - 1))


def plain_digest(X, numbers):
    """From the definition: rows, leaves, and the tree from its root down."""
    rows = []
    for x, number in zip(X.tolist(), numbers, strict=True):
        pairs = [(column, value) for column, value in enumerate(x) if value != 0]
        packed = b"".join(struct.pack("<Id", *pair) for pair in pairs)
        rows.append(struct.pack("<I", len(pairs)) + packed + struct.pack("<d", number + 0.0))
    starts = range(0, len(rows), LEAF_ROWS)
    leaves = [sha256(b"\0" + b"".join(rows[start : start + LEAF_ROWS])).digest() for start in starts]

    def node(part):
        if len(part) == 1:
            return part[0]
        left = max(2**k for k in range(20) if 2**k < len(part))
        return sha256(b"\1" + node(part[:left]) + node(part[left:])).digest()

    return f"sha256:{node(leaves).hex()}"


@pytest.mark.parametrize("size", SIZES)
def test_the_digest_is_the_root_of_the_tree_in_both_checkers(size):
    X, y = make_data(*size)
    signs = np.where(y == 1, 1.0, -1.0)
    expected = plain_digest(X, signs)
    assert digest_of(X, y, positive=1) == expected
    assert digest_of(csr_array(X), y, positive=1) == expected
    tree = HashTree()
    for row, sign in zip(X.tolist(), signs, strict=True):
        tree.add(row, sign)
    assert tree.digest() == expected


def test_stored_zeros_and_the_order_of_entries_do_not_count():
    data, columns, starts = np.array([2.0, 0.0, 1.0, 3.0]), np.array([2, 1, 0, 1]), np.array([0, 3, 4])
    sparse = csr_array((data, columns, starts), shape=(2, 3))
    assert digest_of(sparse, [0, 1]) == digest_of(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), [0, 1])


def test_where_pieces_are_cut_does_not_count():
    X, y = make_data(5 * LEAF_ROWS + 7, 3)
    signs = np.where(y == 1, 1, -1)
    random = np.random.default_rng(0)
    for n_cuts in (0, 1, 3, 40):
        cuts = np.unique(random.integers(1, len(X), n_cuts)).tolist()
        if n_cuts == 3:
            cuts = [LEAF_ROWS, 2 * LEAF_ROWS + 1, 4 * LEAF_ROWS]
        ends = zip([0, *cuts], [*cuts, len(X)], strict=True)
        pieces = [Piece(a, b, lambda a=a, b=b: X[a:b], lambda a=a, b=b: signs[a:b]) for a, b in ends]
        assert root_of(list(join_leaves(map(hash_piece, pieces)))) == digest_of(X, y), n_cuts


def test_each_number_each_sign_and_the_order_of_rows_count():
    X, y = make_data(LEAF_ROWS + 5, 2)
    seen = {digest_of(X, y), digest_of(X[::-1], y[::-1]), digest_of(X, 1 - y), digest_of(X[:-1], y[:-1])}
    for row in (0, LEAF_ROWS - 1, LEAF_ROWS, LEAF_ROWS + 4):
        changed = X.copy()
        changed[row, 1] += 1.0
        seen.add(digest_of(changed, y))
    assert len(seen) == 8


def test_damaged_data_is_refused_from_every_thread():
    X, y = make_data(5 * LEAF_ROWS, 2)
    objects = X.astype(object)
    objects[-1, 0] = "text"
    with pytest.raises(ValueError, match="no number"):
        digest_of(objects, y)
    assert digest_of(read(X, y)) == digest_of(X, y)
