"""Proofs that every halfspace makes so many errors: what their records hold.

A record is read where it is checked, with the rows at hand: ``check/errors.py`` and the files beside it.
"""

from __future__ import annotations

from typing import Any

from separatrix.certificates.fields import ANY_WHOLE, INTEGER, POSITIVE_WHOLE, SHORT_WHOLE
from separatrix.certificates.forms import Form, listed, object_schema, optional


def _proof(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("method"), str):
        raise ValueError("it does not name its method")
    return value


def _sequence(*items: Form) -> dict[str, Any]:
    """The schema of a list with one item of each form."""
    count = {"minItems": len(items), "maxItems": len(items)}
    return {"type": "array", "prefixItems": [item.schema for item in items], **count}


_NAMES = listed(SHORT_WHOLE)
_PART = {
    "circuits": {"type": "array", "items": _sequence(_NAMES, _NAMES, listed(POSITIVE_WHOLE))},
    "tree": listed(optional(SHORT_WHOLE)).schema,
    "leaves": {"type": "array", "items": _sequence(_NAMES, listed(ANY_WHOLE))},
}
_METHODS = {
    "none": {},
    "cones": {
        "basis": listed(listed(INTEGER)).schema,
        "null": listed(listed(INTEGER)).schema,
        "trees": {"type": "array", "items": {"type": "string", "pattern": "^[-0-9 ]*$"}},
    },
    "circuits": {
        "denominator": POSITIVE_WHOLE.schema,
        "parts": {"type": "array", "items": object_schema(_PART)},
    },
}
PROOF = Form(
    _proof,
    "proof",
    {"oneOf": [object_schema({"method": {"const": name}, **rest}) for name, rest in _METHODS.items()]},
)
