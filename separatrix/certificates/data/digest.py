"""A canonical digest of signed rows: the same for the same numbers, wherever they are kept.

SHA-256 over the rows in order; a row is its d values and then its sign, +1 or −1, all as little-endian
float64, with −0 written as 0; a target stands in the place of the sign. A CSV file, a Parquet file, dense and
sparse arrays of the same numbers agree.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from separatrix.certificates.data.reading import cache_sized_slices, read


def digest_of(X: Any, y: Any = None, *, positive: Any = None) -> str:
    """The digest of ``X, y``, or of labelled rows alone.

    >>> digest_of([[0.5, -0.0]], [1], positive=1)
    'sha256:afef9cfadd1e0c21adc0a7a76d1e6890522fd931dc032c8a77f6f21aabd3ac13'
    """
    running = sha256()
    for piece in read(X, y, positive=positive).pieces():
        # A sparse piece is small in non-zeros only; written out, it is cut once more.
        for part in cache_sized_slices(np.broadcast_to(0.0, piece.X.shape)):
            values = piece.X[part]
            record = np.empty((values.shape[0], values.shape[1] + 1), dtype="<f8")
            record[:, :-1] = values if isinstance(values, np.ndarray) else values.toarray()
            record[:, -1] = piece.signs[part]
            record += 0.0  # turns −0 into +0, in entries and in targets, and changes nothing else
            running.update(record.data)
    return f"sha256:{running.hexdigest()}"
