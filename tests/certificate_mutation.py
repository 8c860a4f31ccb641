"""Small changes to a certificate's JSON values, at every path: slips, carelessness and forgeries."""

from __future__ import annotations

import copy
import json
import math
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from certificate_corpus import LABEL, Case, Data

from separatrix.certificates.fields import to_json_number

Path = tuple[str | int, ...]
REMOVED = object()
HUGE, BEYOND = hex(2**53 + 1), "0x" + "9" * 400
OTHERS: list[Any] = [None, True, False, 0, 1.0, "", "1", HUGE, [], [None], [[]], {}, {"0": 0}]
ODD_NUMBERS = ["0", "-1", "01", "1.0", "1e3", "inf", "1/2", "١", "0x1", "-0x0", "0x", "0x" + "9" * 5000]
ODD_NUMBERS += [hex(2**53), "-" + hex(2**53), "9" * 400, "20000000000001"]
# Other ways to write 2^53 + 1.
ODD_NUMBERS += [
    "0x020000000000001",
    "0X20000000000001",
    "+" + HUGE,
    HUGE + " ",
    "0x2_0000_0000_0001",
    "0x２0000000000001",
]


class Raw(str):
    """JSON text as it is, where other records are written as JSON."""


class Mutant(NamedTuple):
    """A changed certificate and the data that it is now checked against."""

    what: str
    record: Any
    data: Data

    @property
    def text(self) -> str:
        return self.record if isinstance(self.record, Raw) else json.dumps(self.record)


def mutants(
    case: Case, cases: list[Case], rng: random.Random, count: int, several: float = 0.2
) -> list[Mutant]:
    """So many mutants of a case, drawn from all single changes and, for a share of them, from several."""
    whole = [*rebound(case, cases), *joint_changes(case, cases)]
    once = [*every_change(case, cases), *whole]
    drawn = rng.sample(once, min(len(once), round(count * (1 - several))))
    return drawn + [_changed_again(case, whole, rng) for _ in range(count - len(drawn))]


def _changed_again(case: Case, whole: list[Mutant], rng: random.Random) -> Mutant:
    """A mutant after two changes, or after three."""
    found = rng.choice(whole if rng.random() < 0.4 else _changes_at_one_path(case, rng))
    for _ in range(rng.choice((1, 1, 2))):
        if not isinstance(found.record, dict) or not isinstance(found.record.get("about"), dict):
            return found
        further = rng.choice(_changes_at_one_path(Case(case.name, found.record, found.data), rng))
        found = Mutant(f"{found.what}; {further.what}", further.record, found.data)
    return found


def _changes_at_one_path(case: Case, rng: random.Random) -> list[Mutant]:
    path = rng.choice([path for path, _ in _paths(case.record) if path])
    return [_changed(case, path, value) for value in _replacements(case, path)]


def every_change(case: Case, cases: list[Case]) -> Iterator[Mutant]:
    """Every change of one part, every other kind with the parts it needs, and damaged text."""
    for path, _ in _paths(case.record):
        for value in _replacements(case, path):
            yield _changed(case, path, value)
    for other in {other.record["kind"]: other.record for other in cases}.values():
        kind = other["kind"]
        if kind != case.record["kind"]:
            borrowed = other | {name: case.record[name] for name in other.keys() & case.record.keys()}
            yield Mutant(f"kind {kind}", case.record | {"kind": kind}, case.data)
            yield Mutant(f"kind {kind}, with all it needs", borrowed | {"kind": kind}, case.data)
    for text in damaged(json.dumps(case.record)):
        yield Mutant(f"text {text[-30:]!r}", Raw(text), case.data)


def damaged(text: str) -> Iterator[str]:
    """JSON text that is cut, says something twice, or that only some readers take."""
    yield from (text[:-1], text[: len(text) // 2], text[1:], text + "}", text + ",", text * 2, f"[{text}]")
    yield from ("\ufeff" + text, text + "\0", "// a\n" + text, text[:-1] + ",}", text.replace('"', "'"))
    yield from (text[:-1] + ', "kind": "separable"}', text[:-1] + ', "about": {}}', "[" * 5000, "")
    first = re.search(r"(?<=[ \[])-?[0-9]+\.[0-9e+-]+", text)
    if first is not None:
        for odd in ("NaN", "Infinity", "-Infinity", "1e999", "01.5", "+1.5", ".5", "1.", "0x1p3"):
            yield text[: first.start()] + odd + text[first.end() :]


def rebound(case: Case, cases: list[Case]) -> Iterator[Mutant]:
    """The certificate beside other data: as it is, without a digest, and with the digest of that data."""
    digests = {other.data.name: other.record["about"]["digest"] for other in cases}
    others = {other.data.name: other.data for other in cases if other.data.measured == case.data.measured}
    for data in [*variants(case.data), *others.values()]:
        for digest in dict.fromkeys((case.record["about"]["digest"], None, digests.get(data.name))):
            for more in ({}, {"features": None}, {"rows": None}):
                about = {**case.record["about"], "digest": digest, **more}
                yield Mutant(f"bound to {data.name} {digest} {more}", {**case.record, "about": about}, data)


def joint_changes(case: Case, cases: list[Case]) -> Iterator[Mutant]:
    """Changes of several numbers at once that keep a certificate's form, and often what it proves."""
    record = case.record
    witness = {name: value for name, value in record.items() if name not in ("kind", "about", "claim")}
    for name, value in witness.items():
        for what, other in _moved(value):
            yield Mutant(f"{name} {what}", {**record, name: other}, case.data)
    for factor in (2, 3, 0.5, -1, 2.0**60, 1 + 2**-40):
        both = {name: _scaled(witness[name], factor) for name in ("weights", "intercept") if name in witness}
        yield Mutant(f"weights and intercept times {factor}", {**record, **both}, case.data)
    for length in {len(value) for value in witness.values() if isinstance(value, list)}:
        equal = [name for name, value in witness.items() if isinstance(value, list) and len(value) == length]
        for turn in range(1, length):
            turned = {name: witness[name][turn:] + witness[name][:turn] for name in equal}
            yield Mutant(f"{equal} turned by {turn}", {**record, **turned}, case.data)
    for other in cases:
        if other.record["kind"] == record["kind"] and other is not case:
            for name in witness.keys() & other.record.keys():
                yield Mutant(f"{name} of {other.name}", {**record, name: other.record[name]}, case.data)
            yield Mutant(
                f"all but about of {other.name}", other.record | {"about": record["about"]}, case.data
            )


def _moved(value: Any) -> Iterator[tuple[str, Any]]:
    """A list of numbers scaled, and with a part of one entry given to the next."""
    if not isinstance(value, list) or not all(type(item) in (int, float) for item in value):
        return
    for factor in (2, 3, 0.5, -1, 2.0**60, 1 + 2**-40):
        yield f"times {factor}", _scaled(value, factor)
    for place in range(len(value) - 1):
        for part in (1, -1, 2**-40, value[place]):
            pair = [value[place] - part, value[place + 1] + part]
            yield f"moved by {part} at {place}", [*value[:place], *pair, *value[place + 2 :]]


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_scaled(item, factor) for item in value]
    return value * factor if type(value) in (int, float) else value


def variants(data: Data) -> list[Data]:
    """The same table with a small change."""
    rows, labels = data.rows, data.labels
    moved = [list(row) for row in rows]
    moved[-1][0] = math.nextafter(moved[-1][0], math.inf)
    far = [list(row) for row in rows]
    far[0][-1] += 1.0
    swapped = {label: labels[(i + 1) % len(labels)] for i, label in enumerate(labels)}
    found = [
        data.other("rows reversed", rows[::-1], labels[::-1]),
        data.other("one cell by an ulp", moved),
        data.other("one cell by 1", far),
        data.other("columns reversed", [row[::-1] for row in rows]),
        data.other("one label changed", None, (swapped[labels[0]], *labels[1:])),
        data.other("labels rotated", None, labels[1:] + labels[:1]),
        data.other("other labels", None, [swapped[label] for label in labels]),
        data.other("a row repeated", rows + rows[:1], labels + labels[:1]),
    ]
    return found + [data.other("a row left out", rows[1:], labels[1:])] * (len(rows) > 1)


def _paths(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _paths(item, (*path, name))
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _paths(item, (*path, place))


def _at(record: Any, path: Path) -> Any:
    for step in path:
        record = record[step]
    return record


def _changed(case: Case, path: Path, value: Any) -> Mutant:
    shown = "removed" if value is REMOVED else f"{value!r:.60}"
    what = f"{'.'.join(map(str, path))} = {shown}"
    if not path:
        return Mutant(what, value, case.data)
    record = copy.copy(case.record)
    inner = record
    for step in path[:-1]:  # copy only what is on the way
        inner[step] = copy.copy(inner[step])
        inner = inner[step]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return Mutant(what, record, case.data)


def _replacements(case: Case, path: Path) -> Iterator[Any]:
    """What to put at a path instead."""
    value = _at(case.record, path)
    for new in _every_replacement(case, path, value):
        # 1, 1.0 and True are equal and differ as JSON.
        if new is REMOVED or type(new) is not type(value) or repr(new) != repr(value):
            yield new


def _every_replacement(case: Case, path: Path, value: Any) -> Iterator[Any]:
    if path and isinstance(path[-1], str):
        yield REMOVED
    yield from OTHERS
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from numbers(value)
    elif isinstance(value, str):
        yield from texts(value)
    elif isinstance(value, list):
        yield from lists(value)
    elif isinstance(value, dict):
        yield {**value, "more": 0}
        yield list(value)
        yield list(value.values())
    elif value is None:
        yield from ([1.0], [0.0, 1.0], [1], ["1"], 0, "0", 2.0, -1, 0.5)
        n = len(case.data.rows)
        yield from (
            [1.0] * n,
            [1] * n,
            ["1"] * n,
            [HUGE] * n,
            [0.0] * n,
            [2**53 + 1] * n,
            [1e300] * n,
            [0.5] + [1.0] * (n - 1),
        )
    if path[:1] == ("about",) and len(path) == 2:
        yield from abouts(case, str(path[1]))


def numbers(value: float | int) -> Iterator[Any]:
    """Other numbers, and other ways to write the same one."""
    yield from (value + 1, value - 1, -value, value * 2, value / 2, 0, 0.0, -0.0, 1, -1, 0.5, 2**53 + 1)
    yield from (math.nextafter(value, math.inf), math.nextafter(value, -math.inf), value * (1 + 1e-9))
    yield from (value * (1 - 1e-9), value + 1e-3, 1e308, -1e308, 5e-324, 1e-300, -1e-300, 2.0**53, 1e17)
    yield from (str(value), float(value), repr(float(value)), int(value), hex(int(value)), [value])
    yield from (int(value) + 1, HUGE, "-" + HUGE, BEYOND, "-" + BEYOND, *ODD_NUMBERS, {"value": value})


def texts(value: str) -> Iterator[Any]:
    yield from (value + " ", " " + value, value.upper(), value[:-1], value[1:], value + "0", [value])
    yield "é\n\x1b"
    if len(value) < 1000 and re.fullmatch("-?0x[0-9a-f]+", value):
        whole = int(value, 16)
        others = (whole + 1, whole - 1, -whole, whole * 2, whole * 3, whole // 2, 2**64)
        yield from map(to_json_number, others)
        yield from map(hex, others)
        yield from (whole, str(whole), value.upper(), value[2:], whole + 1, -whole, 0, *ODD_NUMBERS)
        yield from (HUGE, "-" + HUGE, BEYOND, "-" + BEYOND)
        if abs(whole) < 2**1000:
            yield float(whole)
    elif " " in value:  # a tree, or a sentence
        words = value.split()
        for place, word in enumerate(words):
            yield " ".join(words[:place] + words[place + 1 :])
            if word.lstrip("-").isdigit():
                for other in (int(word) + 1, int(word) - 1, -int(word), 0, 2**70):
                    yield " ".join([*words[:place], str(other), *words[place + 1 :]])


def lists(value: list[Any]) -> Iterator[Any]:
    for place in range(len(value)):
        yield value[:place] + value[place + 1 :]
        yield value[: place + 1] + value[place:]
        if place:
            yield [*value[: place - 1], value[place], value[place - 1], *value[place + 1 :]]
    yield from (value[::-1], [value], value * 2, dict(enumerate(map(str, value))))
    for item in (0, 1, "0", HUGE, None, [], 0.5):
        yield [*value, item]


def abouts(case: Case, name: str) -> Iterator[Any]:
    """Other values that a field of `about` might plausibly have."""
    data = case.data
    columns = data.columns
    if name in ("rows", "columns"):
        for whole in (len(data.rows), len(columns), len(columns) + 1):
            yield from (whole, str(whole), hex(whole), whole - 1, whole + 1, float(whole))
    elif name == "positive":
        for label in dict.fromkeys(data.labels):
            yield from (label, str(label), f" {label}", str(label).upper(), [label])
            if isinstance(label, (int, float)):
                yield from (float(label), f"{float(label)}", f"{label}e0", f"{label}00", -label, label + 0.5)
        yield from ("none of them", 17, 2.5, -1, "true", "True", "9" * 400, "9" * 5000, "1e400", "nan", "١")
    elif name == "label":
        yield from (*columns, LABEL, LABEL.upper(), "none", f" {LABEL}")
    elif name == "features":
        yield from (
            columns,
            columns[::-1],
            [*columns, LABEL],
            [LABEL],
            columns[:-1],
            columns[:1] * len(columns),
        )
        yield from ([LABEL, *columns[1:]], [*columns[:-1], "none"], [*columns, columns[0]], columns[0], "x0")
    elif name == "digest":
        digest = case.record["about"].get("digest")
        if isinstance(digest, str):
            yield from (
                digest[:-1] + "0",
                digest[:-1] + "1",
                digest.upper(),
                digest[7:],
                digest + "\n",
                digest + "0",
            )
        yield "sha256:" + "0" * 64
    elif name == "path":
        digest = case.record["about"].get("digest")
        digest = digest if isinstance(digest, str) else "sha256:"
        yield from ([digest[7:]], [digest[7:]] * 2, ["0" * 64], [digest], digest[7:], ["0" * 63], ["A" * 64])
