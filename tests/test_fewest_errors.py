"""The fewest errors: engines against each other, graphs, kills, forgeries, public data."""

from __future__ import annotations

import copy
import csv
import json
import signal
import subprocess
import sys
import time
from itertools import combinations

import numpy as np
import pytest

import separatrix as sx
from separatrix.algorithms.zero_one.circuits import Circuits
from separatrix.algorithms.zero_one.cone import Cones
from separatrix.algorithms.zero_one.elimination import Elimination
from separatrix.algorithms.zero_one.interval import Interval
from separatrix.algorithms.zero_one.reduce import reduced
from separatrix.algorithms.zero_one.search import Search
from separatrix.certificates import ErrorsAtLeast, FewestErrors, from_json
from separatrix.certificates.check.__main__ import main as check
from separatrix.theory.hardness import is_cover, smallest_vertex_cover, vertex_cover


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
        interval = Interval(problem)
        Search(0, rounds=1, effort=0.05).run(problem, interval)
        engine.run(problem, interval)
        assert interval.lower == interval.upper == problem.cost_of(interval.weights)
        found.append(interval)
    return found


@pytest.mark.parametrize("seed", range(24))
def test_cones_and_circuits_agree(seed):
    draws = np.random.default_rng(seed)
    n, d = int(draws.integers(15, 45)), int(draws.integers(1, 4))
    X = draws.normal(size=(n, d)) if seed % 2 else draws.integers(-3, 4, (n, d)).astype(float)
    signs = np.where(X[:, 0] + draws.normal(size=n) > 0, 1.0, -1.0)
    costs = draws.integers(1, 5, n).astype(float) if seed % 3 == 0 else None
    problem = reduced(X, signs, costs, intercept=bool(seed % 5))
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
    problem = reduced(
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
    problem = reduced(X, np.where(y == 1, 1.0, -1.0), costs, intercept=intercept)
    ends = []
    for _ in range(2):
        interval = Interval(problem)
        Elimination(3, fits=40).run(problem, interval)
        assert problem.cost_of(interval.weights) == interval.upper
        ends.append((interval.upper, interval.weights))
    assert ends[0] == ends[1]
    plain = Interval(problem)
    plain.offer(problem.from_floats(problem.float_weights @ problem.floats))
    assert ends[0][0] < plain.upper


def test_elimination_finds_the_errors_that_were_planted():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(400, 15))
    X = X[abs(X @ np.ones(15)) > 1.0]
    y = (X @ np.ones(15) > 0).astype(int)
    flipped = draws.choice(len(y), 6, replace=False)
    y[flipped] = 1 - y[flipped]
    problem = reduced(X, np.where(y == 1, 1.0, -1.0))
    interval = Interval(problem)
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


# Ends that come early

SEARCH = """
import sys
import numpy as np
import separatrix as sx
from separatrix.algorithms.zero_one import checkpoint
checkpoint.PAUSE = 0.0
table = np.load(sys.argv[1])
sx.ZeroOne(time_limit=None, checkpoint=sys.argv[2]).fit(table[:, :-1], table[:, -1])
"""


def proves_something(path):
    return path.exists() and int(json.loads(path.read_text())["lower"]) > 0


def test_a_killed_search_is_taken_up_by_another_process(tmp_path):
    X, y = noisy(120, 9, 5, flips=0.05)
    rows, path = tmp_path / "rows.npy", tmp_path / "kept.json"
    np.save(rows, np.column_stack([X, y]))
    running = subprocess.Popen([sys.executable, "-c", SEARCH, str(rows), str(path)])
    try:
        until = time.monotonic() + 100
        while not proves_something(path) and running.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == -signal.SIGKILL
    kept = json.loads(path.read_text())
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
    problem = reduced(X, signs)
    interval = Interval(problem)
    Search(0, rounds=1).run(problem, interval)
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
    proof["parts"][0]["leaves"][0][1][0] = "-7"


def _large_multiplier(proof):
    multipliers = proof["parts"][0]["leaves"][0][1]
    multipliers[0] = str(int(multipliers[0]) * 1000 + 10**9)


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


# Public data

KNOWN = {"iris": 1, "banknote": 7, "haberman": 66, "voicepath": 19, "vaso": 3, "endometrial": 8, "sex2": 82}


def public(folder, name):
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if all(row)]
    if name == "iris":
        rows = [row for row in rows if row[-1] != "setosa"]
    return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])


@pytest.mark.parametrize("name", KNOWN)
def test_public_sets_have_the_errors_known(name, data_folder, tmp_path):
    X, y = public(data_folder, name)
    model = sx.ZeroOne(time_limit=120).fit(X, y)
    assert model.errors_ == model.lower_bound_ == KNOWN[name]
    assert len(model.misclassified_) == KNOWN[name]
    assert model.certificate_.verify(X, y).holds
    assert check(written(tmp_path, X, y, model.certificate_)) == 0


@pytest.mark.parametrize("name", ["breast_cancer_wdbc", "sonar"])
def test_separable_public_sets_have_none(name, data_folder):
    X, y = public(data_folder, name)
    model = sx.ZeroOne(max_margin=False).fit(X, y)
    assert (model.errors_, model.optimal_) == (0, True)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("ionosphere", 2, 6),
        ("heart_statlog", 12, 26),
        ("pima_diabetes", 55, 154),
        ("heart_cleveland", 15, 33),
    ],
)
def test_hard_public_sets_stay_within_what_was_seen(name, least, most, data_folder):
    X, y = public(data_folder, name)
    y = y if name != "heart_cleveland" else (y != "0").astype(int)
    model = sx.ZeroOne(time_limit=30).fit(X, y)
    assert least <= model.lower_bound_ <= model.errors_ <= most
    assert model.certificate_.verify(X, y).holds


@pytest.mark.deep
def test_nines_among_the_digits_need_one_error(data_folder):
    X, y = public(data_folder, "digits")
    model = sx.ZeroOne().fit(X, (y == "9").astype(int))
    assert (model.errors_, model.lower_bound_) == (1, 1)
    assert model.certificate_.verify(X, (y == "9").astype(int)).holds
