"""What a certificate says, what checking it gave, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix.certificates import Certificate, Undecided

NEW_ROWS = "how the model does on other rows"
NO_CERTIFICATE = "none"


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
    def is_claim(self) -> bool:
        """Whether something is claimed at all."""
        return self.kind not in (Undecided.kind, NO_CERTIFICATE)

    @property
    def proven(self) -> bool:
        """Whether it claims something, and was not refused."""
        return self.is_claim and self.holds is not False


def evidence_of(certificate: Certificate | None, X: Any = None, y: Any = None) -> Evidence:
    """What a certificate proves, checked against the rows where they are given."""
    if certificate is None:
        claim = "A vote of halfspaces is no halfspace, so it carries no certificate."
        return Evidence(NO_CERTIFICATE, claim, None, None, ("anything about this vote", NEW_ROWS))
    left = (NEW_ROWS,) if certificate.leaves_open is None else (certificate.leaves_open, NEW_ROWS)
    if isinstance(certificate, Undecided):
        return Evidence(certificate.kind, certificate.reason, None, None, left)
    if X is None:
        return Evidence(certificate.kind, certificate.claim, None, None, left)
    verdict = certificate.verify(X, y)
    return Evidence(certificate.kind, certificate.claim, verdict.holds, verdict.reason, left)
