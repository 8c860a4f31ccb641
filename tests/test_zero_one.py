"""The fewest errors: brute force, degenerate rows, costs, limits, checkpoints, forgeries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from naive_zero_one import fewest_errors

import separatrix as sx
from separatrix.algorithms.zero_one.checkpoint import Checkpoint
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.lower.cones.cone_search import Cones
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.algorithms.zero_one.upper.vertex_search import VertexSearch
from separatrix.certificates import CertificateError, ErrorsAtLeast, FewestErrors, from_json
from separatrix.certificates.check.__main__ import main as check
from separatrix.theory import hardness


def instance(draws):
    """A few rows on a grid, of decimals or in general position, with dependent columns and costs at times."""
    n, d = int(draws.integers(2, 12)), int(draws.integers(1, 4))
    kind = int(draws.integers(0, 4))
    if kind == 3:
        X = draws.normal(size=(n, d))
    else:
        X = draws.integers(-kind, 3, (n, d)) * (0.1 if kind == 2 else 1.0)
    if d > 1 and draws.random() < 0.2:
        X[:, -1] = 2 * X[:, 0]
    signs = draws.choice([-1.0, 1.0], n)
    signs[:2] = -1.0, 1.0
    costs = None
    if draws.random() < 0.4:
        costs = draws.random(n) if draws.random() < 0.5 else draws.integers(1, 4, n).astype(float)
    return X, signs, costs, bool(draws.integers(0, 2))


def agrees_with_brute_force(draws):
    X, signs, costs, intercept = instance(draws)
    wanted = fewest_errors(X.tolist(), signs.tolist(), None if costs is None else costs.tolist(), intercept)
    problem = reduce_problem(X, signs, costs, intercept=intercept)
    interval = ErrorInterval(problem)
    VertexSearch(0, rounds=1, effort=0.05).run(problem, interval)
    Cones().run(problem, interval)
    assert interval.upper * problem.unit == wanted
    assert interval.lower * problem.unit == wanted
    assert problem.compute_cost(interval.weights) == interval.upper
    proof = ErrorsAtLeast(interval.lower, costs, interval.proof, intercept)
    assert proof.verify(X, signs).holds


@pytest.mark.parametrize("seed", range(10))
def test_cones_agree_with_brute_force(seed):
    draws = np.random.default_rng(seed)
    for _ in range(25):
        agrees_with_brute_force(draws)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(100, 140))
def test_cones_agree_with_brute_force_thousands_of_times(seed):
    draws = np.random.default_rng(seed)
    for _ in range(100):
        agrees_with_brute_force(draws)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_estimator_agrees_with_brute_force(intercept):
    draws = np.random.default_rng(7)
    for _ in range(6):
        X, signs, _, _ = instance(draws)
        model = sx.ZeroOne(node_limit=5000, fit_intercept=intercept).fit(X, signs)
        wanted = fewest_errors(X.tolist(), signs.tolist(), None, intercept)
        assert (model.errors_, model.lower_bound_, model.optimal_) == (wanted, wanted, True)
        assert len(model.misclassified_) == wanted
        assert model.certificate_.verify(X, signs).holds


def noisy(n, d, seed, flips=0.15):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n, d))
    y = (X[:, 0] + 0.5 * draws.normal(size=n) > 0) ^ (draws.random(n) < flips)
    return X, y.astype(int)


def test_weights_are_repetitions():
    X, y = noisy(40, 2, 3)
    times = np.random.default_rng(0).integers(0, 4, 40)
    times[[int(np.argmax(y)), int(np.argmin(y))]] = 1
    weighted = sx.ZeroOne(node_limit=20000).fit(X, y, sample_weight=times)
    repeated = sx.ZeroOne(node_limit=20000).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.optimal_
    assert repeated.optimal_
    assert weighted.errors_ == repeated.errors_
    assert weighted.certificate_.verify(X, y).holds


def test_costs_by_class():
    X, y = noisy(60, 2, 4)
    model = sx.ZeroOne(node_limit=20000, class_weight={0: 1, 1: 2.5}).fit(X, y)
    wrong = y[model.misclassified_]
    assert model.optimal_
    assert model.errors_ == (wrong == 0).sum() + 2.5 * (wrong == 1).sum()
    assert model.certificate_.verify(X, y).holds
    assert "cost" in model.certificate_.claim


def test_contradicting_twins_cost_one_each():
    X = [[0.0, 1.0]] * 4 + [[2.0, 3.0]] * 3
    y = [0, 0, 0, 1, 1, 1, 0]
    model = sx.ZeroOne(node_limit=100).fit(X, y)
    assert (model.errors_, model.lower_bound_) == (2, 2)
    assert model.certificate_.proof == {"method": "none"}


def test_twins_on_the_hyperplane_are_two_errors():
    problem = reduce_problem(np.array([[1.0], [1.0]]), np.array([1.0, -1.0]))
    assert problem.m == 0
    assert (problem.compute_cost((1, -1)), problem.compute_cost((1, 0)), problem.compute_cost((0, 0))) == (
        2,
        1,
        2,
    )
    model = sx.ZeroOne(node_limit=10).fit([[1.0], [1.0]], [0, 1])
    assert (model.errors_, model.lower_bound_, len(model.misclassified_)) == (1, 1, 1)


def test_separable_rows_have_no_errors():
    X, y = noisy(300, 4, 5, flips=0.0)
    y = (X @ np.array([1.0, -2.0, 0.5, 0.0]) > 0.1).astype(int)
    model = sx.ZeroOne(node_limit=10).fit(X, y)
    assert (model.errors_, model.optimal_, model.margin_ > 0) == (0, True, True)
    assert model.score(X, y) == 1.0


def test_order_of_rows_and_units_change_nothing():
    X, y = noisy(50, 2, 6)
    order = np.random.default_rng(1).permutation(50)
    plain = sx.ZeroOne(node_limit=20000).fit(X, y)
    moved = sx.ZeroOne(node_limit=20000).fit(X[order] * [1024.0, 0.25], y[order])
    swapped = sx.ZeroOne(node_limit=20000).fit(X, 1 - y)
    assert plain.errors_ == moved.errors_ == swapped.errors_
    assert plain.optimal_
    assert moved.optimal_
    assert swapped.optimal_


def test_a_limit_on_nodes_is_deterministic_and_leaves_both_ends_proven():
    X, y = noisy(120, 5, 8)
    first, second = (sx.ZeroOne(node_limit=300, n_jobs=1).fit(X, y) for _ in range(2))
    assert np.array_equal(first.coef_, second.coef_)
    assert (first.errors_, first.lower_bound_) == (second.errors_, second.lower_bound_)
    assert first.lower_bound_ <= first.errors_
    assert first.certificate_.verify(X, y).holds
    lower = [step.lower for step in first.history_]
    upper = [step.upper for step in first.history_]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)


def test_an_interrupt_keeps_the_interval():
    X, y = noisy(150, 5, 9)
    stopped = []

    def stop(interval):
        if interval.nodes > 500 and not stopped:
            stopped.append(interval.nodes)
            interval.interrupt()

    model = sx.ZeroOne(time_limit=60, progress=stop).fit(X, y)
    assert stopped
    assert model.certificate_.verify(X, y).holds


def test_a_search_is_taken_up_from_its_checkpoint(tmp_path):
    X, y = noisy(90, 3, 10)
    path = tmp_path / "kept.json"
    first = sx.ZeroOne(node_limit=40, n_jobs=1, checkpoint=path).fit(X, y)
    assert json.loads(path.read_text())["upper"] == str(first.errors_)
    second = sx.ZeroOne(checkpoint=path).fit(X, y)
    fresh = sx.ZeroOne().fit(X, y)
    assert second.optimal_
    assert second.errors_ == fresh.errors_
    again = sx.ZeroOne(checkpoint=path).fit(X, y)
    assert again.optimal_
    assert again.nodes_ == 0
    with pytest.raises(ValueError, match="other data"):
        sx.ZeroOne(checkpoint=path).fit(X, 1 - y)
    path.write_text("{")
    with pytest.raises(ValueError, match="cannot be read"):
        sx.ZeroOne(checkpoint=path).fit(X, y)


def test_a_checkpoint_with_a_forged_proof_is_refused(tmp_path):
    X, y = noisy(40, 2, 11)
    path = tmp_path / "kept.json"
    sx.ZeroOne(checkpoint=path).fit(X, y)
    kept = json.loads(path.read_text())
    kept["proof"]["trees"][0] += " 5"
    path.write_text(json.dumps(kept))
    problem = reduce_problem(X, np.where(y == 1, 1.0, -1.0))
    with pytest.raises(ValueError, match="damaged"):
        Checkpoint(path, problem).resume(ErrorInterval(problem))


def written(folder: Path, X, y, certificate):
    data, proof = folder / "data.csv", folder / "proof.json"
    lines = [",".join([*(repr(float(a)) for a in row), str(label)]) for row, label in zip(X, y, strict=True)]
    header = ",".join([*(f"x{j}" for j in range(len(X[0]))), "label"])
    data.write_text("\n".join([header, *lines]) + "\n")
    proof.write_text(certificate.to_json())
    return [str(proof), str(data)]


@pytest.mark.usefixtures("no_schema")
def test_the_independent_checker_agrees_and_forgeries_are_refused(tmp_path):
    X, y = noisy(45, 2, 12)
    model = sx.ZeroOne().fit(X, y)
    proof = model.certificate_
    assert model.optimal_
    assert proof.proof["method"] == "cones"
    assert check(written(tmp_path, X, y, proof)) == 0
    assert from_json(proof.to_json()).verify(X, y).holds
    assert check(written(tmp_path, X, y, proof.at_least)) == 0
    assert proof.at_most.verify(X, y).holds

    def refused(**change):
        fields = {name: getattr(proof, name) for name in ("weights", "intercept", "errors", "bound", "costs")}
        forged = FewestErrors(**{**fields, "proof": proof.proof, **change})
        assert not forged.verify(X, y).holds
        assert check(written(tmp_path, X, y, forged)) in (2, 4)

    refused(errors=proof.errors - 1, bound=0)
    refused(bound=proof.bound + 1, errors=proof.errors + 1)
    refused(weights=tuple(-w for w in proof.weights), intercept=-proof.intercept)
    basis, trees = proof.proof["basis"], proof.proof["trees"]
    refused(proof={**proof.proof, "basis": [basis[0], *basis[:-1]]})
    refused(proof={**proof.proof, "trees": trees[:-1]})
    refused(proof={**proof.proof, "method": "hearsay"})
    longest = max(range(len(trees)), key=lambda k: len(trees[k]))
    numbers = trees[longest].split()
    changed = 0
    for place in range(0, len(numbers), max(1, len(numbers) // 40)):
        for other in ("-1", str(int(numbers[place]) + 1), "0"):
            forged = [*numbers[:place], other, *numbers[place + 1 :]]
            text = [*trees[:longest], " ".join(forged), *trees[longest + 1 :]]
            verdict = ErrorsAtLeast(proof.bound, None, {**proof.proof, "trees": text}, True).verify(X, y)
            changed += not verdict.holds
    assert changed > 20  # many changes of a multiplier by 1 leave a proof a proof
    with pytest.raises(CertificateError):
        FewestErrors((1.0, 1.0), 0.0, errors=1, bound=2, costs=None, proof={"method": "none"})


def test_min_disagreement_answers_with_a_witness():
    X, y = noisy(40, 2, 13)
    best = sx.ZeroOne(fit_intercept=False).fit(X, y)
    assert best.optimal_
    yes = sx.min_disagreement(X, y, best.errors_)
    no = sx.min_disagreement(X, y, best.errors_ - 1)
    assert yes.answer is True
    assert yes.certificate.verify(X, y).holds
    assert no.answer is False
    assert no.certificate.verify(X, y).holds
    with pytest.raises(ValueError, match="undecided"):
        bool(sx.min_disagreement(*noisy(200, 5, 1), 30, node_limit=1))


def test_the_widest_of_the_best_keeps_the_errors():
    X, y = noisy(60, 2, 14)
    wide = sx.ZeroOne().fit(X, y)
    plain = sx.ZeroOne(max_margin=False).fit(X, y)
    assert wide.errors_ == plain.errors_

    def margin(model):
        right = np.ones(len(X), bool)
        right[model.misclassified_] = False
        signs = np.where(y == 1, 1, -1)
        return (signs * model.decision_function(X))[right].min() / np.linalg.norm(model.coef_)

    assert margin(wide) == pytest.approx(wide.margin_, rel=1e-5)
    assert margin(wide) >= margin(plain) * (1 - 1e-9)


def test_models_are_saved_and_read_back(tmp_path):
    X, y = noisy(30, 2, 15)
    model = sx.ZeroOne(node_limit=1000).fit(X, y)
    sx.save(model, tmp_path / "m.json")
    again = sx.load(tmp_path / "m.json")
    assert again.errors_ == model.errors_
    assert again.certificate_.verify(X, y).holds


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time_limit": 0}, "time_limit must be > 0 or None; got 0"),
        ({"node_limit": 0}, "node_limit must be an integer >= 1 or None; got 0"),
        ({"tol": 1.5}, "tol must be >= 0 and < 1; got 1.5"),
        (
            {"class_weight": [1, 2]},
            r"class_weight must be 'balanced', None or \{label: weight > 0\}; got \[1, 2\]",
        ),
        ({"class_weight": {0: None}}, "class_weight must be"),
    ],
)
def test_senseless_parameters_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        sx.ZeroOne(**change).fit([[0.0], [1.0]], [0, 1])


TERMINATED = """
import os, signal, threading, time
import numpy as np
import separatrix as sx

def stop(*_):
    raise SystemExit

signal.signal(signal.SIGTERM, stop)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(400, 9)), rng.integers(0, 2, 400)
threading.Timer(6.0, os.kill, (os.getpid(), signal.SIGTERM)).start()
try:
    sx.ZeroOne(time_limit=40).fit(X, y)
except SystemExit:
    time.sleep(0.5)
    print(*(thread.name for thread in threading.enumerate() if "work" in thread.name))
"""


def test_a_search_that_is_left_leaves_no_thread_behind():
    """One inside a C++ library would abort the process when Python ends."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", TERMINATED], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


def test_a_vertex_cover_does_not_come_of_an_interrupted_search():
    triangle = hardness.vertex_cover([(0, 1), (1, 2), (2, 0), (2, 3)])
    with pytest.raises(KeyboardInterrupt):
        hardness.solve(triangle, progress=lambda interval: interval.interrupt())


def test_the_fewest_errors_on_blobs_are_few_on_new_blobs():
    """What scikit-learn's checks ask of a classifier that has no tag ``poor_score``."""
    from sklearn.datasets import make_blobs

    X, y = make_blobs(n_samples=600, centers=3, random_state=0)
    model = sx.ZeroOne(node_limit=200, random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.83
