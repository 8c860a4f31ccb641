"""How test vectors are written: each as it is known to be, true claims only where the oracle agrees."""

from __future__ import annotations

import copy
import csv
import io
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from certificate_corpus import LABEL, Data
from certificate_truth import Seen, falsehood, larger, same
from certificate_truth_optima import MEASURED

from separatrix.certificates.certificate import FORMAT, VERSION, About, forms_of
from separatrix.certificates.check.vectors import completed

FOLDER = Path(__file__).with_name("vectors")
MAX_CHARACTERS = 17_000  # of a file
NOTHING: dict[str, Any] = dict.fromkeys(forms_of(About))
UNREADABLE = ("json", "version", "kind", "fields", "type", "limit", "data")
REFUSED = (
    "label",
    "features",
    "columns",
    "rows",
    "positive",
    "digest",
    "path",
    "undecided",
    "row-number",
    "length",
    "classes",
    "sign",
    "sum",
    "rank",
    "orthogonal",
    "margin",
    "mistakes",
    "count",
    "proof",
    "bound",
    "optimum",
    "multipliers",
    "objective",
    "lower",
)


def above(value: float) -> float:
    return math.nextafter(value, math.inf)


def below(value: float) -> float:
    return math.nextafter(value, -math.inf)


def last_double(holds: Any, low: float, high: float) -> float:
    """The largest double from ``low``, where it holds, to ``high``, where it does not."""
    assert holds(Fraction(low))
    assert not holds(Fraction(high))
    while above(low) < high:
        middle = low / 2 + high / 2
        middle = middle if low < middle < high else above(low)
        low, high = (middle, high) if holds(Fraction(middle)) else (low, middle)
    return low


def whole(number: int) -> int | str:
    return number if abs(number) <= 2**53 else hex(number)


def table(*rows: Any) -> Data:
    """Rows of values with the label, or target, last."""
    return Data("vector", tuple(tuple(map(float, row[:-1])) for row in rows), tuple(row[-1] for row in rows))


def bound(data: Data, positive: Any, measured: bool = False) -> dict[str, Any]:
    """All that `about` can say, with a digest that the oracle computed."""
    seen = Seen.by_names(data, None, None)
    assert seen is not None
    if measured:
        signs: Any = [float(text) for text in seen.labels]
    else:
        plus = larger(seen.labels) if positive is None else positive
        signs = [1 if same(text, plus) else -1 for text in seen.labels]
    return {
        **NOTHING,
        "rows": len(data.rows),
        "columns": len(data.rows[0]),
        "positive": positive,
        "label": LABEL,
        "features": data.columns,
        "digest": seen.digest(signs),
    }


class VectorFile:
    """Vectors of one file, in order."""

    def __init__(self, name: str) -> None:
        self.entries: list[dict[str, Any]] = []
        self.known: dict[str, Any] = {}
        self.name = name

    def add(
        self,
        name: str,
        kind: str,
        data: Data | str,
        witness: dict[str, Any],
        reason: str | None = None,
        *,
        positive: Any = None,
        about: dict[str, Any] | None = None,
    ) -> None:
        """A certificate with its data; bound to it if `about` is not given."""
        given = bound(data, positive, kind in MEASURED) if about is None else NOTHING | about
        head = {"format": FORMAT, "version": VERSION, "kind": kind, "claim": "", "about": given}
        text = data if isinstance(data, str) else data.csv
        self.keep({"name": name, "data": text, "certificate": {**head, **witness}}, reason)

    def vary(
        self,
        name: str,
        like: str,
        change: dict[str, Any],
        reason: str | None = None,
        *,
        remove: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        """An earlier one with changed fields: of the witness, or by their path."""
        pointers = {key if key.startswith("/") else f"/{key}": value for key, value in change.items()}
        entry: dict[str, Any] = {"name": name, "like": like, **more}
        entry |= {"set": pointers} if pointers else {}
        self.keep(entry | ({"remove": list(remove)} if remove else {}), reason)

    def edges(self, like: str, field: str, inside: Any, outside: Any, reason: str, **more: Any) -> None:
        """A field at the edge of what holds, and just beyond."""
        self.vary(f"{like}; {field} at the edge", like, {field: inside, **more})
        self.vary(f"{like}; {field} beyond the edge", like, {field: outside, **more}, reason)

    def written(
        self, name: str, like: str, change: dict[str, Any], reason: str | None = None, **more: Any
    ) -> None:
        """An earlier one as text, with parts of text in place of some fields of the witness."""
        record = copy.deepcopy(self.known[like]["certificate"])
        record |= {field: f"@{place}" for place, field in enumerate(change)}
        text = [json.dumps(record)]
        for place, parts in enumerate(change.values()):
            before, after = text.pop().split(f'"@{place}"')
            text += [before, *([parts] if isinstance(parts, str) else parts), after]
        self.keep({"name": name, "data": self.known[like]["data"], "text": text, **more}, reason)

    def keep(self, entry: dict[str, Any], reason: str | None) -> None:
        assert entry["name"] not in self.known, entry["name"]
        assert reason is None or reason in UNREADABLE + REFUSED, reason
        expected = "holds" if reason is None else "unreadable" if reason in UNREADABLE else "refused"
        entry |= {"expected": expected, "reason": reason}
        self.entries.append(entry)
        # A copy: what varies it must not change it.
        if "text" in entry:
            return
        vector = self.known[entry["name"]] = completed(copy.deepcopy(entry), self.known)
        data = parsed(vector["data"]) if expected == "holds" else None
        if data is not None:
            false = falsehood(vector["certificate"], data)
            assert false is None, f"{self.name}: {entry['name']}: {false}"

    def parts(self) -> dict[str, str]:
        """The texts of its files, none too long; each has what its vectors are like."""
        texts: list[dict[str, str]] = [{}]
        for entry in self.entries:
            needed = self._with_bases(entry)
            if sum(map(len, (texts[-1] | needed).values())) > MAX_CHARACTERS:
                texts.append({})
            texts[-1] |= needed
        names = [self.name] if len(texts) == 1 else [f"{self.name}-{k}" for k in range(1, len(texts) + 1)]
        return {
            f"{name}.json": "[\n" + ",\n".join(text.values()) + "\n]\n"
            for name, text in zip(names, texts, strict=True)
        }

    def _with_bases(self, entry: dict[str, Any]) -> dict[str, str]:
        bases = {}
        if "like" in entry:
            bases = self._with_bases(next(one for one in self.entries if one["name"] == entry["like"]))
        return bases | {entry["name"]: json.dumps(entry, ensure_ascii=False)}


def parsed(text: Any) -> Data | None:
    """The CSV text as data for the oracle; None if it is not plain numbers with the label last."""
    if not isinstance(text, str):
        return None
    header, *lines = [line for line in csv.reader(io.StringIO(text)) if line]
    try:
        rows = tuple(tuple(map(float, line[:-1])) for line in lines)
    except ValueError:
        return None
    labels = tuple(line[-1] for line in lines)
    return Named("parsed", rows, labels, names=tuple(header[:-1])) if header[-1] == LABEL else None


class Named(Data):
    """Data whose columns have other names."""

    def __init__(self, *values: Any, names: tuple[str, ...]) -> None:
        super().__init__(*values)
        object.__setattr__(self, "names", names)

    @property
    def columns(self) -> list[str]:
        return list(self.names)  # type: ignore[attr-defined]
