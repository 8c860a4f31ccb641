"""Nothing was proven, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.fields import Text


@dataclass(frozen=True, repr=False)
class Undecided(Certificate):
    """What a fit returns in place of a proof: the reason it has none. It never verifies.

    >>> Undecided("The passes ran out at 1000.").verify([[0.0]], [1])
    Verdict(holds=False, reason='The passes ran out at 1000.')
    """

    title = "no proof"
    leaves_open = "anything about these weights"

    reason: Text

    @property
    def claim(self) -> str:
        return "Nothing was proven."

    def __repr__(self) -> str:
        return f"<Undecided: {self.reason}>"

    def verify(self, X: Any = None, y: Any = None) -> Verdict:
        return Verdict(False, self.reason)
