"""Proofs by cones: the replay in arrays finds what the replay in whole numbers finds, forgeries included."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.lower.cones.cone_search import Cones
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.algorithms.zero_one.upper.vertex_search import VertexSearch
from separatrix.certificates import ErrorsAtLeast
from separatrix.certificates.check.errors import Groups, grouped, lower_bound
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.claims.errors import FAST_METHODS
from separatrix.certificates.replay import cones

KINDS = ["normal", "grid", "thin grid", "twenty digits", "units"]


def drawn(kind, seed, n=40):
    """A problem, its rows as the checker has them, and a proof of its optimum by cones."""
    draws = np.random.default_rng(seed)
    d = int(draws.integers(1, 4))
    X = draws.normal(size=(n, d))
    if kind == "grid":
        X = draws.integers(-3, 4, (n, d)).astype(float)
    elif kind == "thin grid":
        X = draws.integers(0, 2, (n, d)).astype(float) + 2.0**-40 * draws.integers(0, 2, (n, d))
    elif kind == "twenty digits":
        X = draws.integers(0, 4, (n, d)) * 1e20 + draws.integers(-2, 3, (n, d)) * 2.0**16
    elif kind == "units":
        X *= 10.0 ** draws.uniform(-30, 30, d)
    signs = np.where(X[:, 0] / abs(X[:, 0]).max() + 0.5 * draws.normal(size=n) > 0, 1.0, -1.0)
    costs = draws.integers(1, 5, n).astype(float) if seed % 2 else None
    problem = reduce_problem(X, signs, costs, intercept=bool(seed % 3))
    interval = ErrorInterval(problem)
    VertexSearch(0, rounds=1, effort=0.02).run(problem, interval)
    Cones().run(problem, interval)
    assert interval.lower == interval.upper
    rows = {name: list(row) for name, row in zip(problem.names, problem.Z, strict=True)}
    weights = dict(zip(problem.names, problem.weights, strict=True))
    return Groups(rows, weights, problem.offset), interval


def outcome(proof, groups, **given):
    """The bound; None where the proof is refused."""
    try:
        return lower_bound(proof, groups, **given)
    except (Refused, Unreadable):
        return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_both_replays_find_the_same_bound(kind, seed, monkeypatch):
    groups, interval = drawn(kind, seed)
    if interval.proof["method"] != "cones":
        return
    assert lower_bound(interval.proof, groups) == interval.lower
    monkeypatch.setattr(cones, "least_bound", None)  # the arrays alone
    for at_once in (1, 50, 10**6):
        monkeypatch.setattr(cones.replay, "BATCH_ROWS", at_once)
        assert lower_bound(interval.proof, groups, FAST_METHODS) == interval.lower


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_both_replays_refuse_the_same_forgeries(kind, seed):
    groups, interval = drawn(kind, seed, n=25)
    if interval.proof["method"] != "cones":
        return
    draws = np.random.default_rng(seed)
    trees = interval.proof["trees"]
    refused = 0
    for _ in range(60):
        forged = [tree.split() for tree in trees]
        tree = forged[int(draws.integers(len(forged)))]
        at = int(draws.integers(len(tree)))
        change = int(draws.integers(8))
        if change == 0:
            del tree[at]
        elif change == 1:
            tree.insert(at, str(draws.integers(-2, 9)))
        elif change == 2:
            tree[at] = str(10**30)
        else:
            tree[at] = str(int(tree[at]) + int(draws.choice([-2, -1, 1, 2])))
        proof = {**interval.proof, "trees": [" ".join(tree) for tree in forged]}
        expected = outcome(proof, groups)
        refused += expected is None or expected < interval.lower
        assert outcome(proof, groups, methods=FAST_METHODS) == expected
    assert refused > 10


def hand_made(X, y, trees, basis=None):
    """Rows through the origin, and a proof in the cones of the axes, or of others."""
    signs = [1 if label else -1 for label in y]
    groups = grouped(iter(list(zip(X, signs, strict=True))), False, [1] * len(X))
    width = len(X[0])
    axes = [[int(j == k) for k in range(width)] for j in range(width)] if basis is None else basis
    return {"method": "cones", "basis": axes, "null": [], "trees": trees}, groups


def test_a_product_that_underflows_is_not_taken_for_zero():
    """The rows are separable: w = (2^160, 1, 2^-940). A false pair must not pass."""
    E = 925
    X = [[2.0**-150, -1, -1], [0, 2.0**-E, -1], [1, 0, 0], [0, 1, 0], [0, 0, -1]]
    basis = [[hex(2 ** (E - 150)), 0, 0], [0, 1, 0], [0, 0, hex(2**E)]]
    trees = ["0 0 -1"] * 7 + [f"1 0 0 1 1 {E - 1} 1 -1"]
    proof, groups = hand_made(X, [1, 1, 1, 1, 0], trees, basis)
    assert outcome(proof, groups) is None
    assert outcome(proof, groups, methods=FAST_METHODS) is None
    claim = ErrorsAtLeast(1, None, proof, intercept=False)
    assert not claim.verify(X, [1, 1, 1, 1, 0]).holds


@pytest.mark.parametrize("e", [-(2**63), 2**63 - 1, -(2**63) - 1, 100_001, -100_001])
def test_shifts_beyond_reason_are_refused(e):
    trees = ["0 0 -1"] * 3 + [f"1 0 0 1 1 {e} 1 -1"]
    proof, groups = hand_made([[1, -1], [-1, 0.5], [-0.3, -1]], [1, 1, 0], trees)
    assert outcome(proof, groups) is None
    assert outcome(proof, groups, methods=FAST_METHODS) is None


@pytest.mark.parametrize("amount", [3, 9, 2**60])
def test_a_pair_may_be_shortened_where_it_is_made(amount):
    trees = ["0 0 -1"] * 3 + [f"1 1 0 1 1 0 {amount} 0 {amount - 1} -1"]
    proof, groups = hand_made([[1, -1], [-1, 0.5], [-0.3, -1]], [1, 1, 0], trees)
    assert outcome(proof, groups, methods=FAST_METHODS) == outcome(proof, groups)


def test_whole_numbers_are_kept_only_up_to_a_size(monkeypatch):
    groups, interval = drawn("thin grid", 0)
    monkeypatch.setattr(cones.vertices, "MAX_KEPT_BITS", 100)
    assert lower_bound(interval.proof, groups, FAST_METHODS) == interval.lower


def test_rows_of_other_data_are_refused_alike():
    groups, interval = drawn("normal", 1)
    for name in list(groups.rows)[:10]:
        moved = {**groups.rows, name: [-value for value in groups.rows[name]]}
        other = groups._replace(rows=moved)
        assert outcome(interval.proof, other, methods=FAST_METHODS) == outcome(interval.proof, other)


def test_costs_beyond_doubles_and_no_rows_are_left_to_whole_numbers():
    groups, interval = drawn("normal", 2)
    large = groups._replace(weights={name: weight << 60 for name, weight in groups.weights.items()})
    assert outcome(interval.proof, large, methods=FAST_METHODS) == outcome(interval.proof, large)
    nothing = {"method": "cones", "basis": [[1]], "null": [], "trees": ["0 0 -1", "0 0 -1"]}
    assert (
        lower_bound(nothing, Groups({}, {}, 3), FAST_METHODS) == lower_bound(nothing, Groups({}, {}, 3)) == 3
    )


@pytest.mark.parametrize(
    "tokens",
    [
        "",
        "0",
        "0 0",
        "0 0 0",
        "1 0 5 6",
        "0 0 -1 7",
        "0 0 0 0 1 1",
        "x",
        "0 0 0 9 1 1",
        "0 0\n-1",
        "0 0 -１",
        "+0 0 -1",
    ],
)
def test_broken_trees_are_refused(tokens):
    groups, interval = drawn("normal", 3)
    proof = {**interval.proof, "trees": [tokens, *interval.proof["trees"][1:]]}
    with pytest.raises((Refused, Unreadable)):
        lower_bound(proof, groups, FAST_METHODS)
