"""Test vectors of single fields, from their declared types: missing, of another type, beyond a condition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vector_file import VectorFile

from separatrix.certificates import Certificate
from separatrix.certificates.certificate import forms_of

EDGE, WIDE = hex(2**53), hex(2**53 + 1)
NO_NUMBER: list[Any] = [
    True,
    "",
    "1",
    "-0x0",
    EDGE,
    WIDE + " ",
    WIDE.upper(),
    "0x0" + WIDE[2:],
    [1],
    {},
    2**53 + 1,
    -(2**53) - 1,
]
WRONG: dict[str, list[Any]] = {
    "double": [*NO_NUMBER, WIDE],
    "number": NO_NUMBER,
    "integer": [*NO_NUMBER, 1.0, 0.5],
    "whole": [*NO_NUMBER, 1.0, 0.5, -1, "-" + WIDE],
    "text": [1, True, [], {}, ["a"]],
    "flag": [0, 1, 0.0, "true", [], {}],
    "rows": [0, "0", {}, {"0": 0}, [0.0], ["0"], [-1], [None], [True], [1, 0], [0, 0], [0, 1, 1], [[0]]],
    "label": [[], {}, ["a"], 2**53 + 1],
    "proof": [0, "none", [], {}, {"method": None}, {"method": 1}, {"method": ["none"]}],
    "`hinge` or `squared_hinge`": [1, "", "Hinge", "hinge ", ["hinge"], {}],
}
BEYOND: dict[str, list[Any]] = {
    "> 0": [0, -0.0, -1, -5e-324],
    "≥ 0": [-1, -5e-324],
    "≤ 1": [1.0000000000000002, 2],
    "≤ 900": [901, WIDE],
    "≤ 2¹⁶": [2**16 + 1, WIDE],
    "< 2¹⁰²⁴": [hex(2**1024), -1],
}
LONG = 13_001 // 4  # hexadecimal digits


def wrong(name: str, now: Any) -> Iterator[Any]:
    """Values that are not of the type; in place of the last item of a list."""
    optional = name.endswith(" or null")
    name = name.removesuffix(" or null").removesuffix("†")
    if not optional:
        yield None
    outer, _, inner = name.partition(" ")
    if outer == "some" or name.startswith("list of "):
        items = inner.removeprefix("of ")
        items = items.replace("lists of", "list of", 1) if items.startswith("lists of list") else items
        if items.startswith("lists of "):
            items = items.removeprefix("lists of ") if outer == "some" else items.replace("lists", "list", 1)
        yield from ("1", {}, {"0": 1}, 1, *([[]] if outer == "some" else []))
        before = list(now or ())[:-1]
        last = (now or [None])[-1]
        for value in wrong(items, last):
            yield [*before, value]
        return
    base = next(known for known in sorted(WRONG, key=len, reverse=True) if name.startswith(known))
    yield from WRONG[base]
    for condition in name.removeprefix(base).strip().split(" and "):
        for value in BEYOND[condition] if condition else ():
            if base in ("whole", "integer") and isinstance(value, float):
                continue
            yield value


def add_fields(file: VectorFile) -> None:
    """Every field of the first certificate of a file: missing, and with each wrong value."""
    first = next(entry for entry in file.entries if entry["expected"] == "holds" or len(file.entries) == 1)
    like, certificate = first["name"], first["certificate"]
    forms = forms_of(Certificate.kinds[certificate["kind"]])
    file.vary("a field that is not of the kind", like, {"more": None}, "fields")
    for name, form in forms.items():
        if name == "about":
            continue
        file.vary(f"field {name} missing", like, {}, "fields", remove=(f"/{name}",))
        for place, value in enumerate(wrong(form.name, certificate[name])):
            file.vary(f"field {name} of another type {place}", like, {name: value}, "type")
        if form.name.removesuffix(" or null").endswith("†"):
            digits = [{"repeat": "0", "times": LONG}]
            file.written(f"field {name} too long", like, {name: ['"0x1', *digits, '"']}, "limit")
