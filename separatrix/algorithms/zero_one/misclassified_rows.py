"""Which rows a halfspace gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.separation.scan_picks import MarginSigns
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import Rows


def find_misclassified(rows: Rows, positive: int, weights: Any, bias: Any) -> np.ndarray:
    """The rows with s·score ≤ 0, exactly."""
    signs = np.concatenate(list(rows.each(MarginSigns(Margins(weights, bias), positive))))
    return np.flatnonzero(signs <= 0)
