"""Test vectors of the frame: JSON text, what is said about the data, the data itself, and limits."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from typing import Any

from vector_file import NOTHING, VectorFile, table, whole

PLAIN = table((1.0, 0.5, 1), (-1.0, 2.0, 0), (1.5, -3.0, 1))
HALFSPACE = {"weights": [1.0, 0.0], "intercept": None}


def frame() -> VectorFile:
    file = VectorFile("format")
    file.add("plain", "separable", PLAIN, HALFSPACE, positive=1)
    for name in ("format", "version", "kind", "claim", "about"):
        reason = {"format": "version", "version": "version"}.get(name, "fields")
        file.vary(f"{name} missing", "plain", {}, reason, remove=(f"/{name}",))
    for name, values, reason in (
        ("format", (None, "", "separatrix-model", ["separatrix-certificate"]), "version"),
        ("version", (None, 0, 1, 3, 2.0, "2", True, [2]), "version"),
        ("kind", (None, 1, ["separable"], {}), "type"),
        ("kind", ("", "Separable", "separable ", "none"), "kind"),
        ("claim", (None, 1, [], {}), "type"),
        ("about", (None, [], "", 1), "type"),
    ):
        for place, value in enumerate(values):
            file.vary(f"{name} {reason} {place}", "plain", {name: value}, reason)
    file.vary("claim of any words", "plain", {"claim": 'é ☃ \\ " [[{ \n'})
    for other in ("inseparable", "errors-at-most", "overlapping", "gradient-at-most", "margin-at-least"):
        file.vary(f"the fields of another kind than {other}", "plain", {"kind": other}, "fields")
    text(file)
    return file


def undecided() -> VectorFile:
    file = VectorFile("undecided")
    file.add("out of time", "undecided", PLAIN, {"reason": "Out of time."}, "undecided", positive=1)
    return file


def text(file: VectorFile) -> None:
    """What is not JSON, or not the subset of it."""
    kept = {"spaces": [" \n\t", "@", "\r\n "], "not ASCII": ["@"]}
    for name, parts in kept.items():
        raw(file, name, parts)
    broken: dict[str, list[Any]] = {
        "a byte order mark": [{"hex": "efbbbf"}, "@"],
        "two": ["@", "@"],
        "a list": ["[", "@", "]"],
        "a comma": ["@", ","],
        "a zero byte": ["@", {"hex": "00"}],
        "a comment": ["// a\n", "@"],
        "invalid UTF-8": ["@", {"hex": "ff"}],
        "nothing": [""],
        "null": ["null"],
        "a text": ['"separable"'],
        "a number": ["2"],
        "one bracket": ["{"],
        "UTF-16": [{"hex": "fffe7b007d00"}],
    }
    for name, parts in broken.items():
        raw(file, name, parts, "json" if name not in ("a list", "null", "a text", "a number") else "version")
    for value in (
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "+1",
        "1.",
        ".5",
        "0x1",
        "1e",
        "'1'",
        "undefined",
        "True",
        "1_0",
        "١",
    ):
        file.written(f"a number written {value}", "plain", {"weights": f"[{value}, 0.0]"}, "json")
    for value in ("1e999", "-1e999", "9007199254740993", "1.0e400"):
        file.written(f"a number beyond {value}", "plain", {"weights": f"[{value}, 0.0]"}, "type")
    file.written(
        "a long whole number", "plain", {"weights": ["[1", {"repeat": "0", "times": 5000}, ", 0.0]"]}, "type"
    )
    for value in ("1", "1.0", "1e0", "10E-1", "0.1e+1", "1" + "0" * 16 + ".0", "9007199254740992", "1e308"):
        file.written(f"a number written {value}", "plain", {"weights": f"[{value}, 0.0]"})
    file.written("a name twice", "plain", {"weights": '[1.0, 0.0], "weights": [1.0, 0.0]'}, "json")
    file.written("the kind twice", "plain", {"kind": '"separable", "kind": "separable"'}, "json")
    file.written("a name twice in about", "plain", {"about": '{"rows": null, "rows": null}'}, "json")
    file.written(
        "a name twice, written differently",
        "plain",
        {"weights": '[1.0, 0.0], "weight\\u0073": [1.0, 0.0]'},
        "json",
    )
    file.written("a name written differently", "plain", {"claim": '"", "about": null'}, "json")
    file.written("a comma at the end", "plain", {"weights": "[1.0, 0.0,]"}, "json")
    file.written("a lone surrogate", "plain", {"claim": '"\\ud800"'})
    file.written("a line feed in a text", "plain", {"claim": '"\n"'}, "json")
    for size, reason in ((100, None), (101, "limit")):
        brackets = [{"repeat": "[", "times": size}, {"repeat": "]", "times": size}]
        inside = [{"repeat": "[", "times": size - 1}, {"repeat": "]", "times": size - 1}]
        file.written(f"brackets of depth {size} in a text", "plain", {"claim": ['"', *brackets, '\\""']})
        file.written(f"depth {size}", "plain", {"claim": inside}, reason or "type")


def raw(file: VectorFile, name: str, parts: list[Any], reason: str | None = None) -> None:
    """The plain certificate at "@" among other parts."""
    base = file.known["plain"]
    written = [json.dumps(base["certificate"]) if part == "@" else part for part in parts]
    file.keep({"name": f"text: {name}", "data": base["data"], "text": written}, reason)


def about() -> VectorFile:
    file = VectorFile("about")
    file.add("all said", "separable", PLAIN, HALFSPACE, positive=1)
    at = {name: f"/about/{name}" for name in NOTHING}
    file.vary("nothing said", "all said", dict.fromkeys(at.values()))
    for name, path in at.items():
        file.vary(f"{name} not said", "all said", {path: None})
        file.vary(f"{name} missing", "all said", {}, "fields", remove=(path,))
    file.vary("one more", "all said", {"/about/more": None}, "fields")
    for name, values in {
        "rows": (-1, 3.0, "3", True, [3], hex(2**53)),
        "columns": (-1, 2.0, "2", True, [2]),
        "positive": ([], {}, [1], 2**53 + 1),
        "label": (1, True, [], ["y"]),
        "features": ([], "x0", [1, 2], ["x0", None], {"x0": 0, "x1": 1}, ["x0", "x0"], ["x0", "x1", "x1"]),
        "digest": (
            1,
            "",
            "sha256:",
            "sha256:" + "0" * 63,
            "sha256:" + "0" * 65,
            "sha256:" + "0" * 63 + "A",
            "md5:" + "0" * 64,
            " sha256:" + "0" * 64,
            ["sha256:" + "0" * 64],
        ),
    }.items():
        for place, value in enumerate(values):
            file.vary(f"{name} of another type {place}", "all said", {at[name]: value}, "type")
    digest = file.known["all said"]["certificate"]["about"]["digest"]
    file.vary("a digest with a line feed", "all said", {at["digest"]: digest + "\n"}, "type")
    file.vary("a digest in capitals", "all said", {at["digest"]: digest.upper()}, "type")
    other = digest[:-1] + ("1" if digest[-1] == "0" else "0")
    file.vary("another digest", "all said", {at["digest"]: other}, "digest")
    for n in (0, 2, 4, whole(2**60)):
        file.vary(f"{n} rows", "all said", {at["rows"]: n}, "rows")
    for n in (0, 1, 3):
        file.vary(f"{n} columns", "all said", {at["columns"]: n, at["features"]: None}, "columns")
    for n in (1, 3):
        file.vary(
            f"{n} weights",
            "all said",
            {at["columns"]: None, at["features"]: None, "weights": [1.0] * n},
            "columns",
        )
    conflict = {"rows": [0, 1], "multipliers": [1, 1], "intercept": True}
    file.add("without weights", "inseparable", table((1.0, 2.0, 1), (1.0, 2.0, 0)), conflict, positive=1)
    for n in (0, 1, 3):
        file.vary(
            f"without weights, {n} columns",
            "without weights",
            {at["columns"]: n, at["features"]: None},
            "columns",
        )
    labels(file, at)
    names(file, at)
    return file


def labels(file: VectorFile, at: dict[str, str]) -> None:
    for value in ("1", 1.0, "1.0", " 1", "1e0", "+1", "01", True, "true", "TRUE"):
        file.vary(f"positive written {value!r}", "all said", {at["positive"]: value})
    for value in (0, "0", False, -0.0):
        file.vary(
            f"the other label {value!r}", "all said", {at["positive"]: value, at["digest"]: None}, "sign"
        )
    for value in (2, "one", "", 1.5, "1.0000000000000002", "1 1", -1, "yes"):
        file.vary(
            f"no row has the label {value!r}",
            "all said",
            {at["positive"]: value, at["digest"]: None},
            "positive",
        )
    backwards = {at["positive"]: 2, at["digest"]: None, "weights": [0, 0], "intercept": -1}
    file.vary("no row is positive, and none on the wrong side", "all said", backwards, "positive")
    words = table((1.0, "no"), (2.0, "yes"), (3.0, "yes"))
    side = {"weights": [1.0], "intercept": -1.5}
    file.add("words", "separable", words, side, positive="yes")
    file.vary("the later word", "words", {at["positive"]: None})
    for value in ("Yes", "yes ", "y", 1, True):
        file.vary(f"another word {value!r}", "words", {at["positive"]: value, at["digest"]: None}, "positive")
    for low, high in (
        ("2", "10"),
        ("-3", "-2"),
        ("B", "a"),
        ("false", "true"),
        ("False", "TRUE"),
        ("9", "a"),
        ("9007199254740993", "9007199254740994"),
        ("-9007199254740993", "9007199254740993"),
        ("a", "é"),
        ("Z", "a"),
    ):
        file.add(
            f"{high} is later than {low}", "separable", table((1.0, low), (2.0, high), (3.0, high)), side
        )
    file.add(
        "long labels",
        "separable",
        table((1.0, "9223372036854775806"), (2.0, "9223372036854775807")),
        side,
        positive="9223372036854775807",
    )
    for number in (2**53 + 1, 2**62 + 1, 2**63 - 1, 2**63, 10**18, 10**19, 10**20):
        rows = table((1.0, number - 1), (2.0, number))
        plus = {"about": {"label": "y", "positive": f"+{number}"}}
        file.add(f"+{number}", "separable", rows, side, None if number < 2**63 else "positive", **plus)
    beyond = table((1.0, "9223372036854775808"), (2.0, "9223372036854775809"))
    file.add("labels beyond 2^63 are texts", "separable", beyond, side, positive="9223372036854775809")
    file.vary(
        "labels beyond 2^63, as a double",
        "labels beyond 2^63 are texts",
        {at["positive"]: 2.0**63, at["digest"]: None},
        "positive",
    )
    for many in (("a", "b", "c"), ("a", "a", "a"), ("1", "1.0", "1e0")):
        rows = table(*((float(k), label) for k, label in enumerate(many)))
        certificate = {"weights": [1.0], "intercept": 0.5}
        file.add(f"not two labels: {', '.join(many)}", "separable", rows.csv, certificate, "data", about={})
    for spelled in (("0", "1", "1.0"), ("0.0", "1", "1")):
        rows = table(*((float(k), label) for k, label in enumerate(spelled)))
        file.add(
            f"one label in two spellings: {', '.join(spelled)}",
            "separable",
            rows,
            side | {"intercept": -0.5},
            positive=1,
        )


def names(file: VectorFile, at: dict[str, str]) -> None:
    text = "a,y,b\n1,1,9\n-1,0,8\n"
    one = {"weights": [1.0], "intercept": None}
    file.add("some features", "separable", text, one, about={"features": ["a"], "label": "y"})
    file.vary("features in another order", "some features", {at["features"]: ["b", "a"], "weights": [0, 1]})
    file.vary(
        "features in another order, weights not",
        "some features",
        {at["features"]: ["b", "a"], "weights": [1, 0]},
        "sign",
    )
    file.vary(
        "the label among the features",
        "some features",
        {at["features"]: ["a", "y"], "weights": [1, 0]},
        "features",
    )
    file.vary("the label alone", "some features", {at["features"]: ["y"]}, "features")
    file.vary("no such feature", "some features", {at["features"]: ["c"]}, "data")
    file.vary("a feature in capitals", "some features", {at["features"]: ["A"]}, "data")
    file.vary("no such label", "some features", {at["label"]: "c"}, "data")
    file.vary("another label", "some features", {at["label"]: "b", at["positive"]: 8}, "sign")
    file.vary("the label that the caller names", "some features", {}, label="y")
    file.vary("another label than the caller names", "some features", {}, "label", label="b")
    file.vary("a label only the caller names", "some features", {at["label"]: None}, label="y")
    file.vary("the caller names a label that is not there", "some features", {}, "data", label="c")
    file.vary(
        "the label as a feature",
        "some features",
        {at["label"]: "b", at["positive"]: 9, at["features"]: ["y"], "intercept": -0.5},
    )
    for header, label in (
        ("a,label,y", "label"),
        ("a,y,target", "y"),
        ("class,a,target", "target"),
        ("a,class,b", "class"),
        ("a,b,c", "c"),
        ("a,Y,c", "c"),
    ):
        where = header.split(",").index(label)
        cells = [["1", "1", "1"], ["-1", "-1", "-1"]]
        cells[1][where] = "0"
        data = "\n".join([header, *map(",".join, cells)]) + "\n"
        file.add(
            f"the label of {header}",
            "separable",
            data,
            {"weights": [1.0, 0.0], "intercept": None},
            about={"positive": 1, "columns": 2},
        )


def data() -> VectorFile:
    file = VectorFile("data")
    one = {"weights": [1.0], "intercept": None}
    said = {"positive": 1}
    held = {
        "plain": "a,y\n1,1\n-1,0\n",
        "no line at the end": "a,y\n1,1\n-1,0",
        "carriage returns": "a,y\r\n1,1\r\n-1,0\r\n",
        "blank lines": "a,y\n\n1,1\n\n-1,0\n\n",
        "quoted": '"a","y"\n"1","1"\n"-1","0"\n',
        "a comma in a name": '"a,b",y\n1,1\n-1,0\n',
        "a quotation mark in a name": '"a""b",y\n1,1\n-1,0\n',
        "a line in a name": '"a\nb",y\n1,1\n-1,0\n',
        "truth values": "a,b,y\ntrue,-1,1\nfalse,-1,0\n",
        "truth values in any case": "a,b,y\nTRUE,-1,1\nFalse,-1,0\n",
    }
    for name, text in held.items():
        weights = {"weights": [2.0, 1.0], "intercept": None} if "b,y" in text and '"' not in text else one
        file.add(name, "separable", text, weights, about=said)
    for number in (
        "1",
        "+1",
        "1.",
        ".5",
        "1e0",
        "1E+2",
        " 1",
        "1\t",
        " 1 ",
        "001",
        "9007199254740992",
        "9007199254740993.0",
        "1e308",
        "5e-324",
        "4.9406564584124654e-324",
    ):
        file.add(f"the number {number!r}", "separable", f"a,y\n{number},1\n-1,0\n", one, about=said)
    for number in (
        "",
        " ",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1e309",
        "0x1",
        "1_0",
        "1,0",
        "١",
        "1e",
        "e1",
        "--1",
        "1 1",
        "9007199254740993",
        "-9007199254740993",
        "x",
        "true",
        "1d0",
        "½",
        "1\u00a0",
        ".",
        "+",
    ):
        file.add(
            f"not a number {number!r}", "separable", f"a,y\n2,1\n{number},1\n-1,0\n", one, "data", about=said
        )
    file.add("a number that is not finite first", "separable", "a,y\ninf,1\n-1,0\n", one, "data", about=said)
    file.add("a truth value that is none", "separable", "a,y\ntrue,1\n2,0\n", one, "data", about=said)
    broken = {
        "empty": "",
        "a header alone": "a,y\n",
        "one column": "y\n1\n0\n",
        "a cell missing": "a,y\n1\n-1,0\n",
        "a cell too many": "a,y\n1,1,1\n-1,0\n",
        "a name twice": "a,a,y\n1,1,1\n-1,-1,0\n",
        "a label missing": "a,y\n1,1\n-1,\n",
        "no header": "1,2\n1,1\n-1,0\n",
        "an open quotation": 'a,y\n1,"1\n-1,0\n',
        "a name missing": ",y\n1,1\n-1,0\n",
        "a word for a missing label": "a,y\n1,1\n-1,NA\n",
        "two spellings of a word": "a,y\n1,1\n-1,no\n-1,no \n",
    }
    for name, text in broken.items():
        file.add(f"data: {name}", "separable", text, one, "data", about=said)
    for name, pieces in {
        "a zero byte": ["a,y\n1,1\n-1,0", {"hex": "00"}, "\n"],
        "invalid UTF-8": ["a,y\n1,1\n", {"hex": "ff"}, ",0\n"],
    }.items():
        file.keep(
            {"name": f"data: {name}", "data": pieces, "certificate": file.known["plain"]["certificate"]},
            "data",
        )
    file.vary("an open quotation at the end", "plain", {}, "data", data='a,y\n1,1\n-1,0\n2,"1')
    file.vary("invalid UTF-8 at the end", "plain", {}, "data", data=["a,y\n1,1\n-1,0\n2,", {"hex": "ff"}])
    file.vary("gzip", "plain", {}, gzip=True)
    packed = stored(b"a,y\n1,1\n-1,0\n")
    broken = packed[:-8] + bytes(8)
    for name, raw_bytes, reason in (
        ("whole", packed, None),
        ("without its end", packed[:-4], "data"),
        ("with a wrong sum", broken, "data"),
        ("its header alone", packed[:10], "data"),
        ("twice", packed + stored(b"2,1\n"), None),
        ("twice, the second on the wrong side", packed + stored(b"2,0\n"), "sign"),
    ):
        file.vary(f"gzip, {name}", "plain", {}, reason, data=[{"hex": raw_bytes.hex()}])
    file.vary("gzip that is none", "plain", {}, "data", data=[{"hex": "1f8b"}, "abc"])
    file.vary("gzip, refused", "plain", {"weights": [-1.0]}, "sign", gzip=True)
    zero = table((0.0, -0.0, 2.0, 1), (-0.0, -1.0, 0.0, 0))
    file.add("zeros in the digest", "separable", zero, {"weights": [0, 1, 1], "intercept": None}, positive=1)
    targets = table((0.0, -0.0), (1.0, -0.0), (2.0, 0.0))
    fit = {"weights": [0.0], "intercept": None, "alpha": 0.0, "gradient": 0.0, "sample_weight": None}
    file.add("targets of zero", "gradient-at-most", targets, fit)
    for name, cell in (
        ("text", "x"),
        ("missing", ""),
        ("not finite", "inf"),
        ("beyond 2^53", "9007199254740993"),
    ):
        file.add(
            f"a target that is {name}", "gradient-at-most", f"a,y\n1,0\n0,{cell}\n", fit, "data", about={}
        )
    trees(file, said)
    return file


def stored(text: bytes) -> bytes:
    """Text in gzip format, not compressed, so that it is the same everywhere."""
    head = bytes.fromhex("1f8b08000000000000ff01") + struct.pack("<HH", len(text), 0xFFFF - len(text))
    return head + text + struct.pack("<II", zlib.crc32(text), len(text))


def trees(file: VectorFile, said: dict[str, Any]) -> None:
    """Digests of several leaves."""
    base = file.known["plain"]["certificate"]
    for n in (4095, 4096, 4097, 8192, 8193, 12289, 16385):
        rows = [encoded(1.0, 1)] * (n - 1) + [encoded(-1.0, -1)]
        about = NOTHING | said | {"digest": "sha256:" + root(leaves(rows)).hex(), "rows": n}
        data = ["a,y\n", {"repeat": "1,1\n", "times": n - 1}, "-1,0\n"]
        file.keep({"name": f"{n} rows", "data": data, "certificate": {**base, "about": about}}, None)
    other = ["a,y\n", {"repeat": "1,1\n", "times": n - 2}, "2,1\n", "-1,0\n"]
    file.vary("one row of many changed", f"{n} rows", {}, "digest", data=other)


def encoded(value: float, sign: float) -> bytes:
    return struct.pack("<IIdd", 1, 0, value, sign) if value else struct.pack("<Id", 0, sign)


def leaves(rows: list[bytes]) -> list[bytes]:
    return [hashlib.sha256(b"\0" + b"".join(rows[k : k + 4096])).digest() for k in range(0, len(rows), 4096)]


def root(hashes: list[bytes]) -> bytes:
    n = len(hashes)
    if n == 1:
        return hashes[0]
    k = 1 << ((n - 1).bit_length() - 1)
    return hashlib.sha256(b"\1" + root(hashes[:k]) + root(hashes[k:])).digest()


def paths() -> VectorFile:
    """Claims about a few rows of three leaves: the path beside all rows, and beside their leaves alone."""
    file = VectorFile("path")
    values = [(2.0, 1)] * 4096 + [(1.0, -1)] * 4096 + [(1.0, 1), (3.0, -1), (2.0, 1)]
    lines = [f"{value:g},{sign}\n" for value, sign in values]
    hashes = leaves([encoded(*row) for row in values])
    digest = "sha256:" + root(hashes).hex()
    texts = [[{"repeat": lines[0], "times": 4096}], [{"repeat": lines[4096], "times": 4096}], lines[8192:]]
    everything = ["a,y\n", *texts[0], *texts[1], *texts[2]]
    a, b, c = (one.hex() for one in hashes)
    ab = hashlib.sha256(b"\1" + hashes[0] + hashes[1]).hexdigest()
    about = NOTHING | {
        "rows": 8195,
        "columns": 1,
        "positive": 1,
        "label": "y",
        "features": ["a"],
        "digest": digest,
        "path": [a],
    }
    witness = {"rows": [4096, 8192], "multipliers": [1, 1], "intercept": True}
    head = _head("inseparable")
    file.keep(
        {"name": "all rows", "data": everything, "certificate": {**head, "about": about, **witness}}, None
    )
    at = "/about/path"
    file.vary("the leaves", "all rows", {}, data=["a,y\n", *texts[1], *texts[2]], leaves=True)
    file.vary("no path", "all rows", {at: None})
    for name, path in {
        "empty": [],
        "of another leaf": [b],
        "longer": [a, b],
        "of all leaves": [a, b, c],
        "twice": [a, a],
        "of a node": [ab],
    }.items():
        file.vary(f"a path that is {name}", "all rows", {at: path}, "path")
        file.vary(
            f"the leaves and a path that is {name}",
            "the leaves",
            {at: path},
            "path",
            data=["a,y\n", *texts[1], *texts[2]],
            leaves=True,
        )
    for place, path in enumerate(
        (a, [1], [None], [a[:-1]], [a + "0"], [a.upper()], ["sha256:" + a], {}, [[a]])
    ):
        file.vary(f"a path of another type {place}", "all rows", {at: path}, "type")
    for name in ("rows", "positive", "digest"):
        file.vary(f"a path without {name}", "all rows", {f"/about/{name}": None}, "fields")
    file.vary("too many rows for a path", "all rows", {"/about/rows": whole(2**53 + 1)}, "type")
    file.vary("the most rows for a path", "all rows", {"/about/rows": 2**53}, "rows")
    last = {"rows": [8192, 8193], "multipliers": [1, 1], at: [ab]}
    file.vary("rows that do not cancel", "all rows", last, "sum")
    alone = ["a,y\n", *texts[2]]
    margin = {"rows": [8192], "multipliers": [1], "margin": 1, "geometric": False, "intercept": False}
    said = about | {"path": [ab]}
    file.keep(
        {
            "name": "margin, all rows",
            "data": everything,
            "certificate": {**_head("margin-at-most"), "about": said, **margin},
        },
        None,
    )
    held = {"data": alone, "leaves": True}
    file.vary("margin, its leaf", "margin, all rows", {}, **held)
    file.vary("margin, its leaf; too little", "margin, all rows", {"margin": 0.875}, "margin", **held)
    file.vary("margin, its leaf; last row", "margin, all rows", {"rows": [8194], "margin": 2}, **held)
    file.vary("margin, its leaf; no path", "margin, all rows", {at: None}, "path", **held)
    file.vary(
        "margin, its leaf; no rows", "margin, all rows", {"rows": [], "multipliers": []}, "path", **held
    )
    file.vary("margin, its leaf; a row beyond", "margin, all rows", {"rows": [8195]}, "row-number", **held)
    file.vary("margin, its leaf; other rows said", "margin, all rows", {"/about/rows": 8194}, "rows", **held)
    file.vary(
        "margin, its leaf; a leaf more said",
        "margin, all rows",
        {"/about/rows": 12291, at: [ab, c]},
        "rows",
        **held,
    )
    file.vary(
        "margin, its leaf; another digest",
        "margin, all rows",
        {"/about/digest": "sha256:" + a},
        "path",
        **held,
    )
    file.vary("margin, its leaf; another label", "margin, all rows", {"/about/positive": -1}, "path", **held)
    file.vary(
        "margin, its leaf; no such label", "margin, all rows", {"/about/positive": 7}, "positive", **held
    )
    file.vary(
        "margin, its leaf; a row changed",
        "margin, all rows",
        {},
        "path",
        data=["a,y\n1,1\n3,-1\n2.5,1\n"],
        leaves=True,
    )
    file.vary(
        "margin, its leaf; a row missing",
        "margin, all rows",
        {},
        "rows",
        data=["a,y\n1,1\n3,-1\n"],
        leaves=True,
    )
    more = [(2.0, 1)] * 4096 + [(1.0, -1)] * 4096 + [(3.0, 1)] * 4096 + [(1.0, 1)]
    four = leaves([encoded(*row) for row in more])
    first = hashlib.sha256(b"\1" + four[0] + four[1]).hexdigest()
    parts = [{"repeat": "2,1\n", "times": 4096}, {"repeat": "1,-1\n", "times": 4096}]
    parts += [{"repeat": "3,1\n", "times": 4096}, "1,1\n"]
    for row, way in ((8192, [first, four[3].hex()]), (12288, [first, four[2].hex()])):
        said = about | {"rows": 12289, "digest": "sha256:" + root(four).hex(), "path": way}
        certificate = {**_head("margin-at-most"), "about": said, **margin, "rows": [row], "margin": 3}
        name = f"row {row} of four leaves"
        file.keep({"name": name, "data": ["a,y\n", *parts], "certificate": certificate}, None)
        part = [parts[2] if row == 8192 else parts[3]]
        file.vary(f"{name}, its leaf", name, {}, data=["a,y\n", *part], leaves=True)
        file.vary(
            f"{name}, hashes swapped", name, {at: way[::-1]}, "path", data=["a,y\n", *part], leaves=True
        )
    small = file.known["all rows"]["certificate"]
    one = leaves([encoded(2.0, 1), encoded(2.0, -1)])
    certificate = {
        **small,
        "rows": [0, 1],
        "about": about | {"rows": 2, "digest": "sha256:" + one[0].hex(), "path": []},
    }
    file.keep(
        {"name": "one leaf has no path", "data": "a,y\n2,1\n2,-1\n", "certificate": certificate}, "path"
    )
    side = {key: value for key, value in small.items() if key not in ("rows", "multipliers")}
    file.keep(
        {
            "name": "a claim about all rows has no path",
            "data": everything,
            "certificate": {**side, "kind": "separable", "weights": [1.0], "intercept": None},
        },
        "fields",
    )
    return file


def _head(kind: str) -> dict[str, Any]:
    return {"format": "separatrix-certificate", "version": 2, "kind": kind, "claim": ""}


def sizes() -> VectorFile:
    file = VectorFile("limits")
    one = {"weights": [1.0], "intercept": None}
    text = "a,y\n1,1\n-1,0\n"
    file.add("plain", "separable", text, one, about={"positive": 1})
    for digits, reason in ((250_000, None), (250_001, "limit")):
        parts = ['["0x1', {"repeat": "0", "times": digits - 1}, '"]']
        file.written(f"a whole number of {digits} digits", "plain", {"weights": parts}, reason)
        file.written(
            f"a negative whole number of {digits} digits",
            "plain",
            {"weights": ['["-0x1', *parts[1:]]},
            reason or "sign",
        )
    for n, reason in ((10_000, None), (10_001, "limit")):
        label = {"repeat": "x", "times": n}
        said = [
            '{"rows": null, "columns": null, "positive": "',
            label,
            '", "label": null, "features": null, "digest": null',
            *more_about(),
            "}",
        ]
        file.written(f"a label of {n} characters", "plain", {"about": said}, reason)
        file.entries[-1]["data"] = ["a,y\n1,", label, "\n-1,0\n"]
        file.vary(
            f"a label of {n} characters in the data", "plain", {}, reason, data=["a,y\n1,1\n-1,", label, "\n"]
        )
    most = 6 * 2**20
    for n, reason in ((most, None), (most + 1, "limit")):
        row = ["1", {"repeat": " ", "times": n - 4}, ",1\n"]
        file.vary(f"a row of {n} bytes", "plain", {}, reason, data=["a,y\n", *row, "-1,0\n"])
        line = [{"repeat": " ", "times": 1023}, "\n"]
        lines = [
            {"repeat": line, "times": (n - 6) // 1024},
            {"repeat": " ", "times": (n - 6) % 1024},
            '",1\n',
        ]
        file.vary(
            f"a cell of many lines in {n} bytes",
            "plain",
            {},
            "limit" if reason else "data",
            data=['a,y\n"1', *lines, "-1,0\n"],
        )
    packed = ["a,y\n", {"repeat": "1,1\n", "times": 2**23 + 2**19}, "-1,0\n"]
    file.vary("gzip out of proportion", "plain", {}, "limit", data=packed, gzip=True)
    small = ["a,y\n", {"repeat": "1,1\n", "times": 1000}, "-1,0\n"]
    file.vary("gzip in proportion", "plain", {}, data=small, gzip=True)
    for limit, reason in (
        ("columns=2", None),
        ("columns=1", "limit"),
        ("line_bytes=5", None),
        ("line_bytes=4", "limit"),
        ("nesting=2", None),
        ("nesting=1", "limit"),
        ("label_characters=1", None),
        ("label_characters=0", "limit"),
    ):
        file.vary(f"with the limit {limit}", "plain", {}, reason, limits=[limit])
    for digits, reason in ((14, None), (13, "limit")):
        file.vary(
            f"with the limit digits={digits}",
            "plain",
            {"weights": [hex(2**53 + 1)]},
            reason,
            limits=[f"digits={digits}"],
        )
    file.written("of known length", "plain", {"claim": '""'})
    length = len(file.entries[-1]["text"][0]) + 2 + len(file.entries[-1]["text"][2])
    for size, reason in ((length, None), (length - 1, "limit")):
        file.written(
            f"with the limit certificate_bytes={size}",
            "plain",
            {"claim": '""'},
            reason,
            limits=[f"certificate_bytes={size}"],
        )
    return file


def more_about() -> list[str]:
    """Fields of `about` that the one above does not write."""
    known = {"rows", "columns", "positive", "label", "features", "digest"}
    return [f', "{name}": null' for name in NOTHING if name not in known]


FILES = (frame, about, data, paths, sizes)
