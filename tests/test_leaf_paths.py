"""Claims about a few rows, checked against the leaves of the hash tree that hold them."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.certificates import (
    About,
    CertificateError,
    Inseparable,
    MarginAtMost,
    Separable,
    from_dict,
    from_json,
)
from separatrix.certificates.check import hash_tree
from separatrix.certificates.check.__main__ import main
from separatrix.certificates.data.digest import LEAF_ROWS, root_of, subtree_hash
from separatrix.certificates.data.leaf_paths import leaf_numbers, leaf_ranges, path_of, root_along
from separatrix.certificates.schema import schema

N_ROWS = 5 * LEAF_ROWS + 100
FIRST, LAST = 17, N_ROWS - 3
SAME = (FIRST, 2 * LEAF_ROWS, 2 * LEAF_ROWS + 5, LAST)  # leaves 0, 2 and 5, the last one short


@pytest.fixture(scope="module")
def data():
    """Rows 0 and 2 of the four named are equal but for their labels, and so are the others."""
    X = np.random.default_rng(0).normal(size=(N_ROWS, 2))
    y = (X[:, 0] > 0).astype(int)
    X[list(SAME)], y[list(SAME)] = [[1.0, 2.0], [3.0, -0.0], [1.0, 2.0], [3.0, 0.0]], [0, 1, 1, 0]
    return X, y


@pytest.fixture(scope="module", params=["conflict", "margin"])
def certificate(request, data):
    proof = {
        "conflict": Inseparable(SAME, (1, 2, 1, 2), True),
        "margin": MarginAtMost(SAME, (1, 1, 1, 1), 0.0, True, True),
    }[request.param]
    return from_json(proof.bound_to(*data).to_json())


@pytest.fixture
def both(tmp_path):
    """Whether a record holds of some rows alone, by ``verify_leaves`` and the checker."""

    def judged(record, X, y) -> bool:
        (tmp_path / "certificate.json").write_text(json.dumps(record))
        lines = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
        (tmp_path / "leaves.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
        code = main([str(tmp_path / "certificate.json"), str(tmp_path / "leaves.csv"), "--leaves"])
        try:
            ours = from_dict(record).verify_leaves(X, y).holds
        except CertificateError:
            assert code == 2
            return False
        assert (code == 0) == ours
        return ours

    return judged


def rows_of(data, ranges):
    places = [row for part in ranges for row in part]
    return data[0][places], data[1][places]


def test_the_leaves_of_its_rows_are_enough(certificate, data, both):
    ranges = certificate.leaves()
    assert ranges == [
        range(LEAF_ROWS),
        range(2 * LEAF_ROWS, 3 * LEAF_ROWS),
        range(5 * LEAF_ROWS, N_ROWS),
    ]
    assert len(certificate.about.path) == 3  # leaves 1, 3 and 4
    jsonschema.validate(certificate.to_dict(), schema())
    assert both(certificate.to_dict(), *rows_of(data, ranges))
    assert certificate.verify(*data)


def test_other_rows_are_refused(certificate, data, both):
    record, ranges = certificate.to_dict(), certificate.leaves()
    X, y = rows_of(data, ranges)
    first, middle, last = ranges
    for others in (
        [middle, first, last],
        [first, middle],
        [first, middle, last, last],
        [first, range(LEAF_ROWS, 2 * LEAF_ROWS), last],
        [first, middle, range(5 * LEAF_ROWS - 1, N_ROWS)],
        [first, middle, range(5 * LEAF_ROWS, N_ROWS - 1)],
        [range(N_ROWS)],
    ):
        assert not both(record, *rows_of(data, others)), others
    for row in (0, FIRST, LEAF_ROWS, len(y) - 1):
        moved, flipped = X.copy(), y.copy()
        moved[row, 1] += 1.0
        flipped[row] = 1 - flipped[row]
        assert not both(record, moved, y)
        assert not both(record, X, flipped)
    assert not both(record, X[:, ::-1], y)
    assert not both(record, X, np.zeros_like(y))


def test_forged_paths_are_refused(certificate, data, both):
    record, some = certificate.to_dict(), rows_of(data, certificate.leaves())
    path, digest = record["about"]["path"], record["about"]["digest"]
    other = sha256(b"").hexdigest()
    for about in (
        {"path": path[::-1]},
        {"path": path[:-1]},
        {"path": [*path, path[-1]]},
        {"path": [*path, other]},
        {"path": [other, *path[1:]]},
        {"path": []},
        {"path": [digest[7:]]},
        {"path": None},
        {"path": [path[0].upper(), *path[1:]]},
        {"path": [path[0][:-1], *path[1:]]},
        {"path": "".join(path)},
        {"digest": f"sha256:{other}"},
        {"digest": None},
        {"positive": None},
        {"positive": "cow"},
        {"rows": None},
        {"rows": N_ROWS + 1},
        {"rows": N_ROWS + LEAF_ROWS},
        {"rows": 4 * LEAF_ROWS},
        {"rows": 2**53},
        {"rows": hex(2**5000)},
        {"columns": 3},
    ):
        changed = {**record, "about": {**record["about"], **about}}
        assert not both(changed, *some), about
    for rows in ([1, 2, 3, 4], [*SAME[:3], N_ROWS], [FIRST, FIRST + 1, *SAME[2:]], [*SAME[:3], LAST - 1]):
        assert not both({**record, "rows": rows}, *some), rows


def test_a_forged_path_is_refused_beside_all_rows_too(certificate, data, tmp_path):
    X, y = data
    lines = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    record = certificate.to_dict()
    path = record["about"]["path"]
    for other in (path, None, path[::-1], [], [*path, path[0]]):
        holds = other in (path, None)
        record["about"]["path"] = other
        (tmp_path / "certificate.json").write_text(json.dumps(record))
        assert from_dict(record).verify(X, y).holds == holds
        assert main([str(tmp_path / "certificate.json"), str(tmp_path / "data.csv")]) == (0 if holds else 4)


def test_one_leaf_needs_no_path(data, both):
    X, y = data[0][:LEAF_ROWS], data[1][:LEAF_ROWS]
    X, y = np.append(X[1:], X[FIRST : FIRST + 1], axis=0), np.append(y[1:], 1)
    proof = from_json(Inseparable((FIRST - 1, LEAF_ROWS - 1), (1, 1), True).bound_to(X, y).to_json())
    assert proof.about.path is None
    assert proof.verify(X, y)
    assert not both(proof.to_dict(), X, y)
    forged = replace(proof, about=replace(proof.about, path=()))
    assert not forged.verify(X, y)
    X, y = np.append(X, [[0.0, 0.0]], axis=0), np.append(y, 1)
    proof = Inseparable((FIRST - 1, LEAF_ROWS - 1), (1, 1), True).bound_to(X, y).sealed()
    assert len(proof.about.path) == 1
    assert both(proof.to_dict(), X[:LEAF_ROWS], y[:LEAF_ROWS])


def test_a_claim_about_all_rows_has_no_path(data, tmp_path):
    path = ("0" * 64,)
    about = About(rows=N_ROWS, positive=1, digest=f"sha256:{'0' * 64}", path=path)
    with pytest.raises(CertificateError, match="about all rows"):
        Separable((1.0, 1.0), 0.0, about=about)
    with pytest.raises(CertificateError, match="a path but not rows"):
        About(positive=1, digest=f"sha256:{'0' * 64}", path=path)
    record = Separable((1.0, 0.0), 0.0).bound_to(*data).to_dict()
    record["about"]["path"] = list(path)
    (tmp_path / "certificate.json").write_text(json.dumps(record))
    (tmp_path / "data.csv").write_text("a,b,y\n1,0,1\n-1,0,0\n")
    assert main([str(tmp_path / "certificate.json"), str(tmp_path / "data.csv")]) == 2
    assert main([str(tmp_path / "certificate.json"), str(tmp_path / "data.csv"), "--leaves"]) == 2


def test_the_number_of_rows_must_be_known():
    with pytest.raises(ValueError, match="how many rows"):
        Inseparable((0, 1), (1, 1), True).leaves()


@given(st.integers(2, 40), st.data())
def test_paths_in_both_checkers(count, draws):
    """The path is as defined; with its leaves it gives the root; no other number of hashes does."""
    leaves = [sha256(bytes([number])).digest() for number in range(count)]
    named = sorted(draws.draw(st.sets(st.integers(0, count - 1), min_size=1)))
    rows, n_rows = [LEAF_ROWS * number + number for number in named], LEAF_ROWS * count
    path = path_of(leaves, rows)
    assert leaf_numbers(rows) == named == hash_tree.named_leaves(rows)
    assert list(path) == hash_tree.path(leaves, named)
    assert len(leaf_ranges(rows, n_rows)) == len(named)
    assert all(known.hex() not in path for known in (leaves[number] for number in named))
    shares = [range(count)]
    while any(len(part) > 1 and set(part) & set(named) for part in shares):
        shares = [half for part in shares for half in halves(part, named)]
    others = [part for part in shares if not set(part) & set(named)]
    outside = [subtree_hash(part[0], part[-1] + 1, leaves.__getitem__).hex() for part in others]
    assert list(path) == outside
    known = [leaves[number] for number in named]
    assert root_along(path, known, rows, n_rows) == root_of(leaves)
    assert hash_tree.root_from(count, dict(zip(named, known, strict=True)), map(bytes.fromhex, path)) == (
        hash_tree.root(leaves)
    )
    assert root_along([*path, "0" * 64], known, rows, n_rows) is None
    if path:
        assert root_along(path[1:], known, rows, n_rows) is None


def halves(part: range, named: list[int]) -> list[range]:
    if len(part) == 1 or not set(part) & set(named):
        return [part]
    left = max(2**k for k in range(10) if 2**k < len(part))
    return [part[:left], part[left:]]
