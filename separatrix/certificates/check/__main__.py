"""The verdict: exit status 0 if the claim holds of the data, 4 if it is refused, 2 if a file cannot be read.

With ``--vectors`` all test vectors of a folder: exit status 1 if a verdict is not the expected one.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from reprlib import repr as short
from typing import Any

if not __package__:  # run as a folder, wherever it was copied to
    spec = spec_from_file_location("check", Path(__file__).with_name("__init__.py"))
    sys.modules["check"] = module_from_spec(spec)  # type: ignore[arg-type]
    __package__, __spec__ = "check", None  # Python 3.13 warns where the two disagree

from . import (
    errors,
    hash_tree,
    joint_likelihood,
    least_squares,
    likelihood,
    limits,
    margins,
    mistakes,
    separation,
    soft_margin,
)
from .field_types import fields, text
from .preparation import REMEDY, Preparation
from .record import HEAD, WITH_PATH, Refused, read
from .table import Table, Unreadable
from .vectors import failures

CLAIMS = {
    **separation.CLAIMS,
    **margins.CLAIMS,
    **mistakes.CLAIMS,
    **errors.CLAIMS,
    **least_squares.CLAIMS,
    **joint_likelihood.CLAIMS,
    **likelihood.CLAIMS,
    **soft_margin.CLAIMS,
}
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def verdict(certificate: str, data: str, label: str | None = None, leaves: bool = False) -> str:
    """What the certificate proves of the data, in a sentence; :class:`Refused` if it proves nothing of it.

    ``leaves``: the data is those leaves of the hash tree, in order, that hold the rows it names."""
    record = read(certificate)
    witness = {name: value for name, value in record.items() if name not in HEAD}
    if record["kind"] == "undecided":
        raise Refused(f"It proves nothing: {fields(witness, {'reason': text})['reason']}")
    if record["kind"] not in CLAIMS:
        raise Unreadable(f"This checker knows no claim of the kind {short(record['kind'])}.")
    check, forms = CLAIMS[record["kind"]]
    witness = fields(witness, forms)
    for name in ("counts", "multipliers"):
        if name in witness and len(witness[name]) != len(witness["rows"]):
            raise Unreadable(f"The certificate's 'rows' and {name!r} differ in length.")

    about = record["about"]
    preparation = None if about["preparation"] is None else Preparation(about["preparation"])
    if preparation is not None:
        preparation.require_features(about)
    try:
        chosen = about["label"] if label is None else label
        n_rows, table = described_data(record, witness, data, chosen, preparation, leaves)
    except (Refused, Unreadable) as error:
        if preparation is None or preparation.repeatable:
            raise
        raise type(error)(f"{str(error).rstrip('.')}; {REMEDY}.") from None
    return f"of {n_rows} rows, {check(witness, table)}"


def described_data(
    record: dict[str, Any],
    witness: dict[str, Any],
    data: str,
    label: str | None,
    preparation: Preparation | None,
    leaves: bool,
) -> tuple[int, Table]:
    """The data, and its number of rows, once it is known to be what the certificate speaks of."""
    about, measured = record["about"], record["kind"] in least_squares.CLAIMS
    positive = about["positive"]
    if "classes" in witness:
        positive = joint_likelihood.last_class(witness, positive)
    if measured and positive is not None:
        raise Refused(f"It calls the label {short(positive)} positive; this data has real targets.")
    kind = least_squares.TargetTable if measured else Table
    named = hash_tree.named_leaves(witness["rows"] if record["kind"] in WITH_PATH else ())
    expected = among_leaves(about, witness, named) if leaves else about["rows"]
    table = kind(data, label, about["features"], positive, preparation)
    require_same_columns(about, witness, table)
    table.wanted = frozenset(witness["rows"] if "multipliers" in witness else ())
    n_rows, seen, hashes = table.count_and_leaves(hashed=about["digest"] is not None)
    if n_rows == 0:
        raise Unreadable(f"{data} has no rows.")
    if expected not in (None, n_rows):
        raise Refused(f"It speaks of {expected} rows; this data has {n_rows}.")
    if not seen:
        raise Refused(f"No row has the label {short(positive)}, which it calls positive.")
    (require_same_leaves if leaves else require_same_digest)(about, named, hashes)
    return n_rows, table


def require_same_digest(about: dict[str, Any], named: list[int], hashes: list[bytes]) -> None:
    """Refuse other data, and a path that is not that of the leaves it names."""
    if about["digest"] is None:
        return
    if about["digest"] != "sha256:" + hash_tree.root(hashes).hex():
        raise Refused("The digest differs: it speaks of other data, or of the same data with other labels.")
    if about["path"] is not None:
        known = [leaf for leaf in named if leaf < len(hashes)]
        if len(hashes) == 1 or about["path"] != hash_tree.path(hashes, known):
            raise Refused("Its path does not lead from its rows to the digest.")


def require_same_leaves(about: dict[str, Any], named: list[int], hashes: list[bytes]) -> None:
    """Refuse leaves that, with the path, do not give the digest."""
    path = iter(map(bytes.fromhex, about["path"]))
    n_leaves = -(-about["rows"] // hash_tree.LEAF_ROWS)
    try:
        root = hash_tree.root_from(n_leaves, dict(zip(named, hashes, strict=True)), path)
    except StopIteration:
        raise Refused("Its path has fewer hashes than there are subtrees beside its leaves.") from None
    if next(path, None) is not None or about["digest"] != "sha256:" + root.hex():
        raise Refused("The digest differs: these are not its leaves, or not of that data.")


def among_leaves(about: dict[str, Any], witness: dict[str, Any], named: list[int]) -> int:
    """Number the rows of the witness among those of its leaves; how many rows these have."""
    if about["path"] is None or not witness["rows"]:
        raise Refused("It has no path through the hash tree: check it against all rows.")
    if witness["rows"][-1] >= about["rows"]:
        raise Refused(f"It names row {witness['rows'][-1]} of {about['rows']}.")
    size = hash_tree.LEAF_ROWS
    starts = {leaf: place * size for place, leaf in enumerate(named)}
    witness["rows"] = [starts[row // size] + row % size for row in witness["rows"]]
    return sum(min(size, about["rows"] - size * leaf) for leaf in named)


def require_same_columns(about: dict[str, Any], witness: dict[str, Any], table: Table) -> None:
    """Refuse columns other than those the certificate speaks of, and a label among the features."""
    features = about["features"] or []
    if about["label"] not in (None, table.label):
        raise Refused(
            f"It speaks of the label column {short(about['label'])}; the one read is {short(table.label)}."
        )
    if table.label in features:
        raise Refused(f"It counts the label column {short(table.label)} among the features.")
    widths = [about["columns"], len(witness["weights"]) if "weights" in witness else None]
    wrong = [width for width in widths if width not in (None, table.columns)]
    if wrong:
        raise Refused(f"It speaks of {wrong[0]} columns; this data has {table.columns}.")


def shown(message: object) -> str:
    """Words for a terminal: a name in them may hold characters that it would act on."""
    return UNSAFE.sub(lambda found: ascii(found[0])[1:-1], str(message))


def run_vectors(folder: str) -> int:
    """Exit status 0 if there are vectors and every verdict is as expected, else 1."""
    verdicts = list(failures(folder, verdict))
    wrong = [failure for failure in verdicts if failure is not None]
    for failure in wrong:
        print(shown(failure))
    print(f"{len(verdicts)} vectors, {len(wrong)} with another verdict than expected.")
    return 0 if verdicts and not wrong else 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="check", description="Check a separatrix certificate against a CSV file, exactly."
    )
    parser.add_argument("certificate", nargs="?", help="the certificate, a JSON file")
    parser.add_argument("data", nargs="?", help="the data, a CSV file with a header, possibly gzipped")
    parser.add_argument(
        "--label", help="name of the label column; otherwise the certificate's, the usual one or the last"
    )
    parser.add_argument(
        "--leaves",
        action="store_true",
        help="the data is only the rows of those leaves of the hash tree that the claim is about, in order",
    )
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help=f"allow larger files: one of {', '.join(limits.NAMES)}",
    )
    parser.add_argument("--vectors", metavar="FOLDER", help="run the test vectors of this folder instead")
    asked = parser.parse_args(arguments)
    if asked.vectors is not None:
        return run_vectors(asked.vectors)
    if asked.data is None:
        parser.error("it needs a certificate and a data file")
    try:
        with limits.changed(asked.limit):
            print(f"Holds: {shown(verdict(asked.certificate, asked.data, asked.label, asked.leaves))}")
    except Refused as refused:
        print(f"Refused: {shown(refused)}")
        return 4
    except (Unreadable, limits.LimitError) as unreadable:
        print(f"Unreadable: {shown(unreadable)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
