"""The certificates of several classes: a tuple with a verdict over all of them."""

from __future__ import annotations

from typing import Any

from separatrix.certificates.certificate import Certificate, Verdict


class Certificates(tuple[Certificate, ...]):
    """One certificate per class, each of that class against the rest.

    >>> from separatrix.certificates import Separable, Undecided
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> both = Certificates([Separable((1.0,), -0.5), Separable((-1.0,), 0.5)])
    >>> both[0].verify(X, y).holds, both.verify(X, y).holds
    (True, False)
    """

    __slots__ = ()

    def verify(self, X: Any, y: Any = None) -> Verdict:
        """Check every certificate against the data, exactly.

        Parameters
        ----------
        X, y
            The data, as for one certificate.

        Returns
        -------
        Verdict
            Refused if any certificate is, with the reason of the first that is.
        """
        for place, certificate in enumerate(self):
            verdict = certificate.verify(X, y)
            if not verdict:
                label = certificate.about.positive
                which = f"certificate_[{place}]" if label is None else f"Class {label} against the rest"
                return Verdict(False, f"{which}: {verdict.reason}")
        return Verdict(True, f"All {len(self)} certificates hold.")
