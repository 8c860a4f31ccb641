"""The JSON Schema of certificates, and the table of their kinds, from the fields that the claims declare.

``python -m separatrix.certificates.schema`` writes ``certificate.schema.json`` beside this file again;
``--table`` prints the table in ``docs/certificate-format.md``. A schema cannot say everything: not that names
are unique, that 3.0 is no whole number, that rows ascend, or that lists are equally long.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.certificates.certificate import FORMAT, VERSION, About, Certificate, forms_of
from separatrix.certificates.fields import DEFINITIONS
from separatrix.certificates.forms import object_schema
from separatrix.certificates.json_format import from_json as from_json  # which knows all kinds

PATH = Path(__file__).with_name("certificate.schema.json")


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a certificate of any kind."""
    kinds = sorted(Certificate.kinds)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Certificate, version {VERSION}",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds],
        "$defs": {
            **{kind: _certificate(kind) for kind in kinds},
            "about": object_schema(_schemas(About)),
            **DEFINITIONS,
        },
    }


def _certificate(kind: str) -> dict[str, Any]:
    head = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "kind": {"const": kind},
        "claim": {"type": "string"},
        "about": {"$ref": "#/$defs/about"},
    }
    return object_schema(head | _schemas(Certificate.kinds[kind]))


def _schemas(record: type) -> dict[str, Any]:
    return {name: form.schema for name, form in forms_of(record).items()}


def kinds_table() -> str:
    """Kind, class, title and fields of every claim, as a table in Markdown."""
    lines = ["| kind | class | about | fields |", "|---|---|---|---|"]
    for kind in sorted(Certificate.kinds):
        claim: type = Certificate.kinds[kind]
        fields = ", ".join(f"`{name}`: {form.name}" for name, form in forms_of(claim).items())
        lines.append(f"| `{kind}` | `{claim.__name__}` | {Certificate.kinds[kind].title} | {fields} |")
    return "\n".join(lines)
