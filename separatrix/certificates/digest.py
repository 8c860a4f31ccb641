"""A canonical digest of signed rows: the same for the same numbers, wherever they are kept.

SHA-256 over the rows in order; a row is its d values and then its sign, +1 or −1, all as little-endian
float64, with −0 written as 0. A CSV file, a Parquet file, float32 and sparse arrays of the same numbers agree.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from .source import in_cache, read


def digest_of(X: Any, y: Any = None, *, positive: Any = None) -> str:
    """The digest of ``X, y``, or of labelled rows alone.

    >>> digest_of([[0.5, -0.0]], [1], positive=1)
    'sha256:96c1ea7ceec2cf7ec72d4e8db12dc6d29a5ea3ea35a4b8a5c8b9a8ea1bb2e87f'
    """
    running = sha256()
    for piece in read(X, y, positive=positive).pieces():
        # A sparse piece is small in non-zeros only; written out, it is cut once more.
        for part in in_cache(np.broadcast_to(0.0, piece.X.shape)):
            values = piece.X[part]
            record = np.empty((values.shape[0], values.shape[1] + 1), dtype="<f8")
            # Adding +0 turns −0 into +0 and changes nothing else.
            record[:, :-1] = (values if isinstance(values, np.ndarray) else values.toarray()) + 0.0
            record[:, -1] = piece.signs[part]
            running.update(record.data)
    return f"sha256:{running.hexdigest()}"
