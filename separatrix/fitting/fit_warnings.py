"""Warnings of a fit, and the line they point at."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from separatrix.certificates import Inseparable, Undecided
from separatrix.messages import Message

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


def warn_unproven(certificates: Sequence[Any], classes: Any) -> None:
    """One warning for a fit that did not find what it looked for, with the first task's reason."""
    unproven = [(k, c) for k, c in enumerate(certificates) if isinstance(c, Undecided | Inseparable)]
    if not unproven:
        return
    first, certificate = unproven[0]
    category: type[FitWarning] = NothingProven if isinstance(certificate, Undecided) else NotSeparable
    message = certificate.reason if isinstance(certificate, Undecided) else _describe_conflict(certificate)
    if len(certificates) > 1:
        message = Message(
            "No separating hyperplane found for {} of {} classes. Class {} against the rest: {}",
            len(unproven),
            len(certificates),
            classes[first],
            message,
        )
    warn(category, message)


def _describe_conflict(proof: Inseparable) -> str:
    row_list = ", ".join(map(str, proof.rows[:6])) + (", ..." if len(proof.rows) > 6 else "")
    return (
        f"No halfspace has every row strictly on its side: rows {row_list} prove it. "
        "The returned weights misclassify at least one row."
    )
