"""Write the test vectors of certificates: ``python tests/make_vectors.py`` (``--issue``: also fit again).

Most are built by hand, so that what a checker has to say of them is known. ``issued-*.json`` are certificates
that fits have issued, kept as they are: other machines round differently.
"""

from __future__ import annotations

import sys

import vector_errors
import vector_format
import vector_optima
import vector_sides
from certificate_corpus import corpus
from vector_file import FOLDER, VectorFile
from vector_types import add_fields

MAKERS = [
    vector_format.undecided,
    *vector_sides.FILES,
    *vector_errors.FILES,
    *vector_optima.FILES,
    *vector_format.FILES,
]


def made(issue: bool = False) -> dict[str, str]:
    """The text of every file by its name; what was issued is taken as it is there, or made again."""
    texts: dict[str, str] = {}
    for make in MAKERS:
        file = make()
        if make not in vector_format.FILES:
            add_fields(file)
        texts |= file.parts()
    if issue:
        return texts | issued().parts()
    return texts | {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("issued*.json")}


def issued() -> VectorFile:
    """What fits prove of small data, each with the columns named or not."""
    file = VectorFile("issued")
    for case in corpus():
        expected = "undecided" if case.record["kind"] == "undecided" else None
        file.keep({"name": case.name, "data": case.data.csv, "certificate": case.record}, expected)
    return file


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    texts = made(issue="--issue" in sys.argv[1:])
    for path in FOLDER.glob("*.json"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(texts)} files, {sum(map(len, texts.values())):,} characters", file=sys.stderr)
