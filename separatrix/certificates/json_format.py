"""Certificates read back from JSON: whole and of a version we know, or refused in a sentence."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from separatrix.certificates.certificate import FORMAT, VERSION, About, Certificate
from separatrix.certificates.check import limits
from separatrix.certificates.claims import (  # noqa: F401  (each adds its kinds)
    errors,
    margins,
    mistakes,
    separation,
    undecided,
)
from separatrix.certificates.claims.optimality import (  # noqa: F401  (likewise)
    gradient_at_most,
    joint_likelihood_within,
    likelihood_within,
    soft_margin_within,
    solution_within,
)
from separatrix.certificates.fields import MAX_JSON_INTEGER, CertificateError, shown

MAX_INTEGER_CHARACTERS = 17  # characters of -2^53 in decimal digits


def from_json(text: str | bytes) -> Certificate:
    """The certificate that :meth:`Certificate.to_json` wrote.

    Raises
    ------
    CertificateError
        If the text is damaged, of another format, or of a later version.

    Examples
    --------
    >>> from separatrix.certificates import Separable
    >>> proof = Separable(weights=(2**70, 0.5), intercept=None)
    >>> from_json(proof.to_json()) == proof
    True
    >>> from_json(proof.to_json()[:-9])
    Traceback (most recent call last):
        ...
    separatrix.certificates.fields.CertificateError: The file is not whole JSON.
    """
    known = limits.current()
    if len(text) > known.certificate_bytes:
        raise CertificateError(known.too_much("The certificate is too large", "certificate_bytes", len(text)))
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if limits.depth(raw) > known.nesting:
        raise CertificateError(known.too_much("The certificate nests lists too deeply", "nesting"))
    try:
        text = text if isinstance(text, str) else text.decode("utf-8")
        record = json.loads(
            text, parse_int=_integer, parse_constant=_refuse_constant, object_pairs_hook=_once_each
        )
    except CertificateError:
        raise
    except (ValueError, RecursionError):
        raise CertificateError("The file is not whole JSON.") from None
    return from_dict(record)


def from_dict(record: Any) -> Certificate:
    """The certificate that :meth:`Certificate.to_dict` gave."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise CertificateError(f"This is no certificate: its 'format' does not read {FORMAT!r}.")
    version = record.get("version")
    if type(version) is not int or version < 1:
        raise CertificateError(f"The certificate's 'version' is wrong: {shown(version)}.")
    if version != VERSION:
        raise CertificateError(
            f"The certificate is of version {shown(version)}; this library reads {VERSION}."
        )
    claim = Certificate.kinds.get(record["kind"]) if isinstance(record.get("kind"), str) else None
    if claim is None:
        raise CertificateError(f"No claim is of the kind {shown(record.get('kind'))}.")
    if not isinstance(record.get("claim"), str) or not isinstance(record.get("about"), dict):
        raise CertificateError("The certificate lacks its 'claim' or its 'about'.")
    about = record["about"]
    _same_fields(about, About)
    head = ("format", "version", "kind", "claim")
    witness = {name: value for name, value in record.items() if name not in head}
    _same_fields(witness, claim)
    return claim(**{**witness, "about": About(**about)})


def _same_fields(found: dict[str, Any], record: type) -> None:
    expected = {item.name for item in fields(record)}
    for name in sorted(expected - found.keys()):
        raise CertificateError(f"The certificate lacks {name!r}.")
    for name in sorted(found.keys() - expected):
        raise CertificateError(f"The certificate has {shown(name)}, which it should not.")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise CertificateError("The file says something twice.")
    return found


def _integer(text: str) -> int:
    if len(text) > MAX_INTEGER_CHARACTERS or abs(int(text)) > MAX_JSON_INTEGER:
        raise CertificateError(
            f"The file writes {text[:20]}..., beyond 2^53, as a number, not as text in hexadecimal digits."
        )
    return int(text)


def _refuse_constant(name: str) -> None:
    raise CertificateError(f"The file holds {name}, which is no finite number.")
