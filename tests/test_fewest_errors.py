"""The fewest errors: engines against each other, graphs, kills, forgeries, public data."""

from __future__ import annotations

import copy
import json
import signal
import subprocess
import sys
import time
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.lower.circuits import Circuits
from separatrix.algorithms.zero_one.lower.cones.cone_search import Cones
from separatrix.algorithms.zero_one.lower.conflicting_pairs import find_ratio, is_conflict
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.algorithms.zero_one.upper.elimination import Elimination
from separatrix.algorithms.zero_one.upper.vertex_search import VertexSearch
from separatrix.certificates import ErrorsAtLeast, FewestErrors, from_json
from separatrix.certificates.check.__main__ import main as check
from separatrix.cli.model_options import make_estimator
from separatrix.theory.hardness import is_cover, smallest_vertex_cover, vertex_cover

wholes = st.one_of(st.integers(-3, 3), st.integers(-(10**20), 10**20))


def noisy(n, d, seed, flips=0.15):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n, d))
    y = (X[:, 0] + 0.5 * draws.normal(size=n) > 0) ^ (draws.random(n) < flips)
    return X, y.astype(int)


# Engines


def both(problem):
    """The optimum as either engine proves it alone."""
    found = []
    for engine in (Cones(), Circuits()):
        interval = ErrorInterval(problem)
        VertexSearch(0, rounds=1, effort=0.05).run(problem, interval)
        engine.run(problem, interval)
        assert interval.lower == interval.upper == problem.compute_cost(interval.weights)
        found.append(interval)
    return found


@pytest.mark.parametrize("seed", range(24))
def test_cones_and_circuits_agree(seed):
    draws = np.random.default_rng(seed)
    n, d = int(draws.integers(15, 45)), int(draws.integers(1, 4))
    X = draws.normal(size=(n, d)) if seed % 2 else draws.integers(-3, 4, (n, d)).astype(float)
    signs = np.where(X[:, 0] + draws.normal(size=n) > 0, 1.0, -1.0)
    costs = draws.integers(1, 5, n).astype(float) if seed % 3 == 0 else None
    problem = reduce_problem(X, signs, costs, intercept=bool(seed % 5))
    cones, circuits = both(problem)
    assert cones.upper == circuits.upper
    for interval in (cones, circuits):
        proof = ErrorsAtLeast(interval.lower, costs, interval.proof, bool(seed % 5))
        assert proof.verify(X, signs).holds


@pytest.mark.parametrize("seed", range(6))
def test_both_engines_find_the_smallest_vertex_cover(seed):
    draws = np.random.default_rng(seed)
    edges = [edge for edge in combinations(range(5), 2) if draws.random() < 0.6] or [(0, 1)]
    instance = vertex_cover(edges, 5, intercept=bool(seed % 2))
    problem = reduce_problem(
        np.asarray(instance.X, float), np.where(instance.y > 0, 1.0, -1.0), intercept=bool(seed % 2)
    )
    wanted = len(smallest_vertex_cover(edges))
    assert [interval.upper for interval in both(problem)] == [wanted, wanted]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
def test_covers_of_larger_graphs(seed):
    draws = np.random.default_rng(seed)
    edges = [edge for edge in combinations(range(12), 2) if draws.random() < 0.4]
    instance = vertex_cover(edges, 12)
    model = sx.ZeroOne(fit_intercept=False).fit(instance.X, instance.y)
    assert model.errors_ == model.lower_bound_ == len(smallest_vertex_cover(edges))
    assert is_cover(instance.decode(model), instance.edges)


@pytest.mark.parametrize("intercept", [True, False])
def test_elimination_is_deterministic_and_counts_exactly(intercept):
    X, y = noisy(150, 9, 1)
    costs = np.random.default_rng(0).integers(1, 4, 150).astype(float)
    problem = reduce_problem(X, np.where(y == 1, 1.0, -1.0), costs, intercept=intercept)
    ends = []
    for _ in range(2):
        interval = ErrorInterval(problem)
        Elimination(3, fits=40).run(problem, interval)
        assert problem.compute_cost(interval.weights) == interval.upper
        ends.append((interval.upper, interval.weights))
    assert ends[0] == ends[1]
    plain = ErrorInterval(problem)
    plain.offer(problem.from_floats(problem.float_weights @ problem.floats))
    assert ends[0][0] < plain.upper


def test_elimination_finds_the_errors_that_were_planted():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(400, 15))
    X = X[abs(X @ np.ones(15)) > 1.0]
    y = (X @ np.ones(15) > 0).astype(int)
    flipped = draws.choice(len(y), 6, replace=False)
    y[flipped] = 1 - y[flipped]
    problem = reduce_problem(X, np.where(y == 1, 1.0, -1.0))
    interval = ErrorInterval(problem)
    Elimination(0, fits=30).run(problem, interval)
    assert 0 < interval.upper <= 6


def test_weights_are_repetitions_with_many_columns():
    X, y = noisy(60, 9, 4, flips=0.03)
    times = np.random.default_rng(1).integers(1, 4, 60)
    weighted = sx.ZeroOne(node_limit=400).fit(X, y, sample_weight=times)
    repeated = sx.ZeroOne(node_limit=400).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.optimal_
    assert repeated.optimal_
    assert weighted.errors_ == repeated.errors_
    assert weighted.certificate_.verify(X, y).holds


def room_for(first, second):
    """The ratios ρ ≥ 0 with ρ·first + second ≤ 0 everywhere, as an interval, or None."""
    low, high = Fraction(0), None
    for s, t in zip(first, second, strict=True):
        if s > 0:
            high = Fraction(-t, s) if high is None else min(high, Fraction(-t, s))
        elif s < 0:
            low = max(low, Fraction(t, -s))
        elif t > 0:
            return None
    return None if high is not None and (low > high or high <= 0) else (low, high)


@given(st.lists(st.tuples(wholes, wholes), min_size=1, max_size=4))
def test_the_ratio_of_two_rows_that_conflict(pairs):
    first, second = ([pair[k] for pair in pairs] for k in range(2))
    ratio, room = find_ratio(first, second), room_for(first, second)
    if ratio is not None:
        assert is_conflict(first, second, *ratio)
        assert room is not None
    elif room is not None:
        low, high = room
        assert low == high
        assert low.denominator & (low.denominator - 1)  # no power of two


def test_many_points_on_few_lines_of_the_plane(tmp_path):
    """Cones in the plane on rows that are equal, collinear and half noise."""
    draws = np.random.default_rng(3)
    along = np.round(draws.normal(size=300), 2)
    X = np.column_stack([along, np.round(2 * along, 2) + draws.integers(0, 3, 300)])
    y = draws.integers(0, 2, 300)
    model = sx.ZeroOne().fit(X, y)
    assert model.optimal_
    assert model.certificate_.verify(X, y).holds
    assert check(written(tmp_path, X, y, model.certificate_)) == 0
    turned = sx.ZeroOne().fit(X[::-1] @ np.array([[0.0, 2.0], [-1.0, 0.0]]), y[::-1])
    assert (turned.errors_, turned.optimal_) == (model.errors_, True)


def test_the_command_line_knows_balanced_costs():
    model = make_estimator("zero-one", {"class_weight": "balanced", "time_limit": 3.0})
    assert model.class_weight == "balanced"


# Ends that come early

SEARCH = """
import sys
import numpy as np
import separatrix as sx
from separatrix.algorithms.zero_one import checkpoint
checkpoint.PAUSE_SECONDS = 0.0
table = np.load(sys.argv[1])
sx.ZeroOne(time_limit=None, checkpoint=sys.argv[2]).fit(table[:, :-1], table[:, -1])
"""


def proves_something(path):
    return path.exists() and int(json.loads(path.read_text())["lower"]) > 0


def test_a_killed_search_is_taken_up_by_another_process(tmp_path):
    X, y = noisy(120, 9, 5, flips=0.05)
    rows, path = tmp_path / "rows.npy", tmp_path / "kept.json"
    np.save(rows, np.column_stack([X, y]))
    for _ in range(5):  # on a busy machine the search may end before it is killed
        path.unlink(missing_ok=True)
        running = subprocess.Popen([sys.executable, "-c", SEARCH, str(rows), str(path)])
        try:
            until = time.monotonic() + 100
            while not proves_something(path) and running.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
        finally:
            running.kill()
            running.wait()
        kept = json.loads(path.read_text())
        if running.returncode == -signal.SIGKILL and int(kept["lower"]) < int(kept["upper"]):
            break
    assert 0 < int(kept["lower"]) < int(kept["upper"])
    resumed = sx.ZeroOne(time_limit=None, checkpoint=path).fit(X, y)
    fresh = sx.ZeroOne(time_limit=None).fit(X, y)
    assert resumed.errors_ == resumed.lower_bound_ == fresh.errors_
    assert resumed.certificate_.verify(X, y).holds


def test_the_time_given_is_kept():
    """Six columns and much noise: cones that must be written down when the time is up."""
    X, y = noisy(400, 5, 7, flips=0.4)
    started = time.perf_counter()
    model = sx.ZeroOne(time_limit=1.5).fit(X, y)
    assert time.perf_counter() - started < 20  # of a machine with much else to do
    assert model.lower_bound_ <= model.errors_
    assert model.certificate_.verify(X, y).holds


# Forgeries


def written(folder, X, y, certificate):
    data, proof = folder / "data.csv", folder / "proof.json"
    lines = [",".join([*(repr(float(a)) for a in row), str(label)]) for row, label in zip(X, y, strict=True)]
    header = ",".join([*(f"x{j}" for j in range(len(X[0]))), "label"])
    data.write_text("\n".join([header, *lines]) + "\n")
    proof.write_text(certificate.to_json())
    return [str(proof), str(data)]


@pytest.fixture(scope="module")
def proven():
    X, y = noisy(60, 4, 3, flips=0.1)
    signs = np.where(y == 1, 1.0, -1.0)
    problem = reduce_problem(X, signs)
    interval = ErrorInterval(problem)
    VertexSearch(0, rounds=1).run(problem, interval)
    Circuits().run(problem, interval)
    assert interval.lower == interval.upper > 2
    *weights, bias = problem.to_user(interval.weights)
    parts = interval.proof["parts"]
    assert len(parts[0]["tree"]) > 1
    return X, y, FewestErrors(tuple(weights), bias, interval.upper, interval.lower, None, interval.proof)


def _circuit(proof):
    """One row of one circuit replaced by another."""
    right = proof["parts"][0]["circuits"][0][0]
    right[0] = next(name for name in range(60) if name not in right)


def _leaf(proof):
    proof["parts"][0]["leaves"][-1] = [[], []]


def _lost_leaf(proof):
    proof["parts"][0]["leaves"].pop()


def _multiplier(proof):
    proof["parts"][0]["leaves"][0][1][0] = -7


def _large_multiplier(proof):
    multipliers = proof["parts"][0]["leaves"][0][1]
    multipliers[0] = multipliers[0] * 1000 + 10**9


def _index(proof):
    proof["parts"][0]["leaves"][0][0][0] = 10**6


def _row_of_the_tree(proof):
    proof["parts"][0]["tree"][0] = 10**6


FORGERIES = [_circuit, _leaf, _lost_leaf, _multiplier, _large_multiplier, _index, _row_of_the_tree]


def test_a_proof_by_circuits_is_believed(proven, tmp_path):
    X, y, certificate = proven
    assert certificate.verify(X, y).holds
    assert from_json(certificate.to_json()).verify(X, y).holds
    assert check(written(tmp_path, X, y, certificate)) == 0
    assert check(written(tmp_path, X, y, certificate.at_least)) == 0


@pytest.mark.usefixtures("no_schema")
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__.strip("_"))
def test_a_forged_proof_by_circuits_is_refused_by_both_checkers(forge, proven, tmp_path):
    X, y, true = proven
    proof = copy.deepcopy(true.proof)
    forge(proof)
    forged = FewestErrors(true.weights, true.intercept, true.errors, true.bound, None, proof)
    assert not forged.verify(X, y).holds
    assert check(written(tmp_path, X, y, forged)) in (2, 4)
    assert not forged.at_least.verify(X, y).holds


def test_proofs_hold_for_no_other_labels(proven, tmp_path):
    X, y, true = proven
    other = y.copy()
    other[:20] = 1 - other[:20]
    assert not true.verify(X, other).holds
    assert check(written(tmp_path, X, other, true)) in (2, 4)
