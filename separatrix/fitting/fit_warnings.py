"""Warnings of a fit, and the line they point at."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from sklearn.exceptions import ConvergenceWarning

PACKAGE = __name__.partition(".")[0]


class FitWarning(ConvergenceWarning):
    """A fit ended without the halfspace it was looking for; ``certificate_`` says what is known instead."""


class NothingProven(FitWarning):
    """A fit ended without a proof; the message has the numbers, and ``certificate_`` the reason."""


class NotSeparable(FitWarning):
    """No halfspace separates the rows: ``certificate_`` names the few that prove it."""


def warn(kind: type[FitWarning], message: str) -> None:
    """A warning that points at the first line outside this package: the caller's, however deep the fit is."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(kind(message), stacklevel=level)
