"""What was proven, as records that anyone can check.

A certificate is a frozen record that holds a witness and nothing else. It says its claim in one sentence,
checks it against raw data with ``verify(X, y) -> Verdict``, and is written to JSON and read back. Every
verdict is about the numbers as given, exactly: floats only filter, with a proven bound on their error, and
what they leave open is settled in whole numbers.

Nothing here imports another part of the library. Some algorithms import the arithmetic here, so that a
mistake in it could be in a fit and in ``verify``; ``docs/how-to-be-sure.md`` lists what is shared. The folder
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
    from separatrix.certificates.digest import digest_of as digest_of
    from separatrix.certificates.errors_at_least import ErrorsAtLeast as ErrorsAtLeast
    from separatrix.certificates.errors_at_most import ErrorsAtMost as ErrorsAtMost
    from separatrix.certificates.fewest_errors import FewestErrors as FewestErrors
    from separatrix.certificates.gradient_at_most import GradientAtMost as GradientAtMost
    from separatrix.certificates.inseparable import Inseparable as Inseparable
    from separatrix.certificates.joint_likelihood_within import JointLikelihoodWithin as JointLikelihoodWithin
    from separatrix.certificates.likelihood_within import LikelihoodWithin as LikelihoodWithin
    from separatrix.certificates.margin_at_least import MarginAtLeast as MarginAtLeast
    from separatrix.certificates.margin_at_most import MarginAtMost as MarginAtMost
    from separatrix.certificates.margin_between import MarginBetween as MarginBetween
    from separatrix.certificates.margin_share import MarginShare as MarginShare
    from separatrix.certificates.mistake_run import MistakeRun as MistakeRun
    from separatrix.certificates.mistakes_at_most import MistakesAtMost as MistakesAtMost
    from separatrix.certificates.overlapping import Overlapping as Overlapping
    from separatrix.certificates.separable import Separable as Separable
    from separatrix.certificates.sequence import Certificates as Certificates
    from separatrix.certificates.soft_margin_within import SoftMarginWithin as SoftMarginWithin
    from separatrix.certificates.solution_within import SolutionWithin as SolutionWithin
    from separatrix.certificates.store import from_dict as from_dict
    from separatrix.certificates.store import from_json as from_json
    from separatrix.certificates.undecided import Undecided as Undecided
    from separatrix.certificates.weakly_separable import WeaklySeparable as WeaklySeparable
    from separatrix.certificates.witness import CertificateError as CertificateError

_HOMES = {
    "About": "certificate",
    "Certificate": "certificate",
    "CertificateError": "witness",
    "Certificates": "sequence",
    "ErrorsAtLeast": "errors_at_least",
    "ErrorsAtMost": "errors_at_most",
    "FewestErrors": "fewest_errors",
    "GradientAtMost": "gradient_at_most",
    "Inseparable": "inseparable",
    "JointLikelihoodWithin": "joint_likelihood_within",
    "LikelihoodWithin": "likelihood_within",
    "MarginAtLeast": "margin_at_least",
    "MarginAtMost": "margin_at_most",
    "MarginBetween": "margin_between",
    "MarginShare": "margin_share",
    "MistakeRun": "mistake_run",
    "MistakesAtMost": "mistakes_at_most",
    "Overlapping": "overlapping",
    "Separable": "separable",
    "SoftMarginWithin": "soft_margin_within",
    "SolutionWithin": "solution_within",
    "Undecided": "undecided",
    "Verdict": "certificate",
    "WeaklySeparable": "weakly_separable",
    "digest_of": "digest",
    "from_dict": "store",
    "from_json": "store",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
