"""The one record every algorithm returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.fitting.history import History


@dataclass(frozen=True)
class Solution:
    """Weights with the evidence for them.

    ``weights`` has one entry per column and the intercept last (0.0 without one); a joint model of several
    classes has one such row per class. ``facts`` holds the quantities of the method's theorem, which become
    attributes of the fitted model, with a trailing underscore.
    """

    weights: np.ndarray
    certificate: Any
    history: History
    facts: dict[str, Any] = field(default_factory=dict)
    halfspace: Any = None  # carries whole numbers where doubles cannot hold the witness
    is_proof_expected: bool = True  # False: the method proves nothing, so a fit does not warn of that
