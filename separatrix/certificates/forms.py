"""Types of fields: how a value is read, what the type is called, and its JSON Schema.

The names are those of ``docs/certificate-format.md``. The schema of the format, and the table of its fields,
are made from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Form:
    """A type of field.

    Attributes
    ----------
    read
        Returns a value in its normal form, or raises a ``ValueError``.
    name
        What the specification calls the type.
    schema
        The JSON Schema of the values as they are written.
    """

    read: Callable[[Any], Any]
    name: str
    schema: dict[str, Any]

    def __call__(self, value: Any) -> Any:
        return self.read(value)


def shown(value: Any) -> str:
    """A value in a message, however long it is."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a whole number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}..."


def limited(form: Form, name: str, allowed: Callable[[Any], bool], **schema: Any) -> Form:
    """The form for those values only that are ``allowed``."""

    def read(value: Any) -> Any:
        value = form(value)
        if not allowed(value):
            raise ValueError(f"{shown(value)} is not a {name}")
        return value

    return Form(read, name, {**form.schema, **schema})


def one_of(*words: str) -> Form:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"{shown(value)} is not one of {', '.join(words)}")
        return str(value)

    return Form(read, " or ".join(f"`{word}`" for word in words), {"enum": list(words)})


def optional(form: Form) -> Form:
    def read(value: Any) -> Any:
        return None if value is None else form(value)

    return Form(read, f"{form.name} or null", {"anyOf": [form.schema, {"type": "null"}]})


def listed(form: Form, quickly: Callable[[Any], Any] = lambda values: None) -> Form:
    """A list; ``quickly`` reads one without a call for each item, or returns None."""

    def read(values: Any) -> tuple[Any, ...]:
        if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
            raise ValueError("it is not a list")
        found = quickly(values)
        if found is not None:
            return tuple(found)
        return tuple(map(form, values.tolist() if hasattr(values, "tolist") else values))

    items = form.name.replace("list of", "lists of", 1)
    return Form(read, f"list of {items}", {"type": "array", "items": form.schema})


def some(form: Form, quickly: Callable[[Any], Any] = lambda values: None) -> Form:
    """A list of at least one."""
    any_number = listed(form, quickly)

    def read(values: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = any_number(values)
        if not found:
            raise ValueError("it is an empty list")
        return found

    items = f"lists of {form.name}" if form.name.startswith("some") else form.name
    return Form(read, f"some {items}", {**any_number.schema, "minItems": 1})


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has these fields and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
