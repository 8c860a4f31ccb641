"""What a certificate says, what checking it gave, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix.certificates import Certificate, Undecided

NEW_ROWS = "how the model does on other rows"
LEFT_OPEN = {
    "separable": "that no halfspace has a larger margin",
    "margin-share": None,
    "errors-at-most": "that no halfspace makes fewer errors",
    "inseparable": "that no halfspace makes fewer errors",
    "overlapping": "that no halfspace makes fewer errors",
    "weakly-separable": "that no halfspace makes fewer errors",
    "undecided": "anything about these weights",
    "none": "anything about this vote",
}


@dataclass(frozen=True)
class Evidence:
    """One certificate as a report tells it.

    Attributes
    ----------
    kind : str
        The kind of the certificate; "none" where a model has no certificate by its nature.
    claim : str
        What is claimed, or why nothing is.
    holds : bool or None
        What checking it against the rows gave; None if it was not checked, or claims nothing.
    reason : str or None
        The reason of that verdict.
    open : tuple of str
        What it does not prove.
    """

    kind: str
    claim: str
    holds: bool | None
    reason: str | None
    open: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """Whether it claims something, and was not refused."""
        return self.kind not in ("undecided", "none") and self.holds is not False


def evidence_of(certificate: Certificate | None, X: Any = None, y: Any = None) -> Evidence:
    """What a certificate proves, checked against the rows where they are given."""
    if certificate is None:
        return _evidence("none", "A vote of halfspaces is no halfspace, so it carries no certificate.")
    if isinstance(certificate, Undecided):
        return _evidence(certificate.kind, certificate.reason)
    if X is None:
        return _evidence(certificate.kind, certificate.claim)
    verdict = certificate.verify(X, y)
    return _evidence(certificate.kind, certificate.claim, verdict.holds, verdict.reason)


def _evidence(kind: str, claim: str, holds: bool | None = None, reason: str | None = None) -> Evidence:
    left = LEFT_OPEN.get(kind)
    return Evidence(kind, claim, holds, reason, (NEW_ROWS,) if left is None else (left, NEW_ROWS))
