"""The one record every algorithm returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from separatrix.predictor.history import History


class FitWarning(ConvergenceWarning):
    """A fit ended without the halfspace it was looking for; ``certificate_`` says what is known instead."""


class NothingProven(FitWarning):
    """A fit ended without a proof; the message has the numbers, and ``certificate_`` the reason."""


class NotSeparable(FitWarning):
    """No halfspace separates the rows: ``certificate_`` names the few that prove it."""


@dataclass(frozen=True)
class Solution:
    """Weights with the evidence for them.

    ``weights`` has one entry per column and the intercept last (0.0 without one). ``facts`` holds the
    quantities of the method's theorem, which become attributes of the fitted model, with a trailing
    underscore.
    """

    weights: np.ndarray
    certificate: Any
    history: History
    facts: dict[str, Any] = field(default_factory=dict)
    halfspace: Any = None  # carries whole numbers where doubles cannot hold the witness
