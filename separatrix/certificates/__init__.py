"""What was proven, as records that anyone can check.

A certificate is a frozen record that holds a witness and nothing else. It says its claim in one sentence,
checks it against raw data with ``verify(X, y) -> Verdict``, and is written to JSON and read back. Every
verdict is about the numbers as given, exactly: floats only filter, with a proven bound on their error, and
what they leave open is settled in whole numbers.

Nothing here imports another part of the library. Some algorithms import the arithmetic here, so that a
mistake in it could be in a fit and in ``verify``; ``docs/trust.md`` lists what is shared. The folder
``check`` goes further: the standard library alone, to be copied out and read.

Names load on first use, so that ``python -m separatrix.certificates.check`` needs no NumPy.

>>> from separatrix.certificates import Separable
>>> proof = Separable(weights=(1.0,), intercept=-2.5)
>>> proof.verify([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
Verdict(holds=True, reason='All 4 rows are strictly on their side.')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.certificates.certificate import About as About
    from separatrix.certificates.certificate import Certificate as Certificate
    from separatrix.certificates.certificate import Verdict as Verdict
    from separatrix.certificates.certificate_sequence import Certificates as Certificates
    from separatrix.certificates.claims.errors import ErrorsAtLeast as ErrorsAtLeast
    from separatrix.certificates.claims.errors import ErrorsAtMost as ErrorsAtMost
    from separatrix.certificates.claims.errors import FewestErrors as FewestErrors
    from separatrix.certificates.claims.margins import MarginAtLeast as MarginAtLeast
    from separatrix.certificates.claims.margins import MarginAtMost as MarginAtMost
    from separatrix.certificates.claims.margins import MarginBetween as MarginBetween
    from separatrix.certificates.claims.margins import MarginShare as MarginShare
    from separatrix.certificates.claims.mistakes import MistakeRun as MistakeRun
    from separatrix.certificates.claims.mistakes import MistakesAtMost as MistakesAtMost
    from separatrix.certificates.claims.optimality.gradient_at_most import GradientAtMost as GradientAtMost
    from separatrix.certificates.claims.optimality.joint_likelihood_within import (
        JointLikelihoodWithin as JointLikelihoodWithin,
    )
    from separatrix.certificates.claims.optimality.likelihood_within import (
        LikelihoodWithin as LikelihoodWithin,
    )
    from separatrix.certificates.claims.optimality.soft_margin_within import (
        SoftMarginWithin as SoftMarginWithin,
    )
    from separatrix.certificates.claims.optimality.solution_within import SolutionWithin as SolutionWithin
    from separatrix.certificates.claims.separation import Inseparable as Inseparable
    from separatrix.certificates.claims.separation import Overlapping as Overlapping
    from separatrix.certificates.claims.separation import Separable as Separable
    from separatrix.certificates.claims.separation import WeaklySeparable as WeaklySeparable
    from separatrix.certificates.claims.undecided import Undecided as Undecided
    from separatrix.certificates.data.digest import digest_of as digest_of
    from separatrix.certificates.fields import CertificateError as CertificateError
    from separatrix.certificates.json_format import from_dict as from_dict
    from separatrix.certificates.json_format import from_json as from_json

_HOMES = {
    "About": "certificate",
    "Certificate": "certificate",
    "CertificateError": "fields",
    "Certificates": "certificate_sequence",
    "ErrorsAtLeast": "claims.errors",
    "ErrorsAtMost": "claims.errors",
    "FewestErrors": "claims.errors",
    "GradientAtMost": "claims.optimality.gradient_at_most",
    "Inseparable": "claims.separation",
    "JointLikelihoodWithin": "claims.optimality.joint_likelihood_within",
    "LikelihoodWithin": "claims.optimality.likelihood_within",
    "MarginAtLeast": "claims.margins",
    "MarginAtMost": "claims.margins",
    "MarginBetween": "claims.margins",
    "MarginShare": "claims.margins",
    "MistakeRun": "claims.mistakes",
    "MistakesAtMost": "claims.mistakes",
    "Overlapping": "claims.separation",
    "Separable": "claims.separation",
    "SoftMarginWithin": "claims.optimality.soft_margin_within",
    "SolutionWithin": "claims.optimality.solution_within",
    "Undecided": "claims.undecided",
    "Verdict": "certificate",
    "WeaklySeparable": "claims.separation",
    "digest_of": "data.digest",
    "from_dict": "json_format",
    "from_json": "json_format",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
