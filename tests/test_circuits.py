"""Branch and cut on circuits: the optimum by brute force, and a proof that the checker believes."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.lower.circuits import Circuits
from separatrix.algorithms.zero_one.lower.circuits.best_first_search import (
    BestFirstSearch,
    PartIncumbent,
    restrict_problem,
)
from separatrix.algorithms.zero_one.lower.circuits.circuit_span import find_circuit_span
from separatrix.algorithms.zero_one.lower.circuits.covering_kernels import ascend, evaluate_duals
from separatrix.algorithms.zero_one.lower.circuits.cut_pool import CutPool
from separatrix.algorithms.zero_one.lower.circuits.walk_kernels import (
    Tableau,
    WalkLimits,
    is_certain_circuit,
    walk_circuits,
)
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.certificates.check.csv_text import Unreadable
from separatrix.certificates.check.errors import Groups
from separatrix.certificates.check.errors_circuits import circuits
from separatrix.certificates.check.record import Refused


def groups_of(problem: ReducedProblem) -> Groups:
    rows = {name: list(z) for name, z in zip(problem.names, problem.Z, strict=True)}
    return Groups(rows, dict(zip(problem.names, problem.weights, strict=True)), problem.offset)


def checked(interval: ErrorInterval) -> int:
    """What the checker says the proof proves, after a journey through JSON."""
    proof = json.loads(json.dumps(interval.proof))
    return (
        interval.problem.offset if proof["method"] == "none" else circuits(proof, groups_of(interval.problem))
    )


def solved(problem: ReducedProblem, **limits: Any) -> ErrorInterval:
    jobs, proof = limits.pop("n_jobs", 1), limits.pop("proof", None)
    interval = ErrorInterval(problem, **limits)
    Circuits(n_jobs=jobs, proof=proof).run(problem, interval)
    return interval


def fewest(problem: ReducedProblem) -> int:
    """Brute force: the lightest set of rows without which the others are strictly separable.

    Separable iff w with z·w ≥ 1 exists; small whole numbers leave a float program no room to err.
    """
    m = problem.m
    sets = [chosen for size in range(m + 1) for chosen in itertools.combinations(range(m), size)]
    sets.sort(key=lambda chosen: sum(problem.weights[i] for i in chosen))
    Z = np.array(problem.Z, dtype=float).reshape(m, problem.D)
    for chosen in sets:
        rest = np.delete(Z, chosen, axis=0)
        if not len(rest):
            return problem.total
        found = linprog(np.zeros(rest.shape[1]), A_ub=-rest, b_ub=-np.ones(len(rest)), bounds=(None, None))
        if found.status == 0:
            return problem.offset + sum(problem.weights[i] for i in chosen)
    raise AssertionError


def noisy(seed: int, n: int, d: int, flipped: float) -> ReducedProblem:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    signs = np.where(X @ rng.normal(size=d) > 0, 1, -1) * np.where(rng.random(n) < flipped, -1, 1)
    return reduce_problem(X, signs)


@pytest.mark.parametrize("seed", range(120))
def test_brute_force_on_small_degenerate_grids(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    X = rng.integers(-1, 2, size=(n, d)).astype(float)
    if seed % 3 == 0:
        X = np.column_stack([X, X[:, :1] - 2 * X[:, -1:]])  # dependent columns
    signs = np.where(rng.random(n) < 0.5, -1, 1)
    costs = rng.integers(0, 4, size=n).astype(float) if seed % 2 else None
    if costs is not None and not costs.any():
        costs[0] = 1.0
    problem = reduce_problem(X, signs, costs, intercept=bool(seed % 5))
    interval = solved(problem)
    assert interval.lower == interval.upper == problem.compute_cost(interval.weights) == fewest(problem)
    assert checked(interval) == interval.lower


@pytest.mark.parametrize("seed", range(12))
def test_noisy_rows_are_solved_and_proven(seed):
    problem = noisy(seed, 26, 2 + seed % 3, 0.2)
    interval = solved(problem)
    assert interval.lower == interval.upper == problem.compute_cost(interval.weights) == checked(interval)


@given(st.integers(0, 10**6))
def test_weighted_is_repeated(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(9, 2)).astype(float)
    signs = np.where(rng.random(9) < 0.5, -1, 1)
    costs = rng.integers(1, 4, size=9)
    weighted = solved(reduce_problem(X, signs, costs.astype(float)))
    repeated = solved(reduce_problem(np.repeat(X, costs, axis=0), np.repeat(signs, costs)))
    assert weighted.upper * weighted.problem.unit == repeated.upper
    assert (weighted.lower, repeated.lower) == (weighted.upper, repeated.upper)


@pytest.mark.parametrize("nodes", [1, 2, 5, 9, 30])
def test_a_stopped_search_proves_what_it_says_and_goes_on_to_the_same_end(nodes):
    problem = noisy(8, 60, 4, 0.3)
    stopped = solved(problem, node_limit=nodes)
    assert stopped.lower == checked(stopped)
    optimum = solved(problem)
    assert stopped.lower <= optimum.lower == optimum.upper <= stopped.upper
    resumed = ErrorInterval(problem)
    resumed.offer(stopped.weights)
    Circuits(proof=json.loads(json.dumps(stopped.proof))).run(problem, resumed)
    assert (resumed.lower, resumed.upper) == (optimum.lower, optimum.upper)
    assert checked(resumed) == resumed.lower


def test_parts_add_up_and_resume():
    problem = noisy(5, 90, 2, 0.25)
    stopped = solved(problem, node_limit=60)
    assert checked(stopped) == stopped.lower
    stopped.weights = stopped.weights if any(stopped.weights) else (1,) * problem.D
    rows = np.arange(problem.m)
    bounds = []
    for k in range(3):
        piece = restrict_problem(problem, rows[k::3])
        search = BestFirstSearch(piece, PartIncumbent(piece, stopped.weights), 0, lambda: False)
        search.add_root()
        while not search.is_done:
            search.step(0)
        bounds.append(search.lower)
        proof = {"method": "circuits", "denominator": 2**16, "parts": [search.to_proof()]}
        alone = circuits(proof, groups_of(piece))
        assert alone == search.lower
    assert sum(bounds) + problem.offset <= stopped.upper
    again = ErrorInterval(problem, node_limit=60)
    Circuits(proof=stopped.proof).run(problem, again)
    assert again.lower >= stopped.lower
    assert checked(again) == again.lower


def test_the_same_nodes_give_the_same_proof():
    problem = noisy(8, 70, 4, 0.25)
    assert solved(problem, node_limit=12).proof == solved(problem, node_limit=12).proof


def test_two_threads_agree_with_one():
    problem = noisy(11, 60, 3, 0.25)
    one, two = solved(problem), solved(problem, n_jobs=2)
    assert (one.lower, one.upper) == (two.lower, two.upper)
    assert checked(two) == two.lower


def test_an_interrupted_search_keeps_its_proof():
    problem = noisy(8, 120, 5, 0.3)
    asked = 0

    def report(interval: ErrorInterval) -> None:
        nonlocal asked
        asked += 1
        if asked == 40:
            raise KeyboardInterrupt

    interval = ErrorInterval(problem, report=report)
    Circuits().run(problem, interval)
    assert interval.interrupted
    assert checked(interval) == interval.lower <= interval.upper


@pytest.fixture(scope="module")
def proof_with_a_tree() -> tuple[ReducedProblem, dict[str, Any], int]:
    problem = noisy(8, 60, 4, 0.3)
    interval = solved(problem)
    assert len(interval.proof["parts"][0]["tree"]) > 1
    return problem, interval.proof, interval.lower


def test_forged_proofs_are_refused(proof_with_a_tree):
    problem, proof, lower = proof_with_a_tree
    groups = groups_of(problem)
    assert circuits(proof, groups) == lower

    def weaker(change: Any) -> bool:
        """The checker refuses the changed proof, or believes less of it."""
        forged = copy.deepcopy(proof)
        change(forged, forged["parts"][0])
        try:
            return circuits(forged, groups) < lower
        except (Refused, Unreadable):
            return True

    rng = np.random.default_rng(0)
    right, _, _ = proof["parts"][0]["circuits"][0]
    other = next(name for name in problem.names if name not in right)
    assert weaker(lambda whole, one: one["circuits"][0][0].__setitem__(0, other))
    assert weaker(lambda whole, one: one["circuits"][0].__setitem__(2, [1] * len(right)))
    assert weaker(lambda whole, one: one["circuits"].pop())
    assert weaker(lambda whole, one: one["leaves"].pop())
    assert weaker(lambda whole, one: one["leaves"].append([[], []]))
    assert weaker(lambda whole, one: one["tree"].pop())
    assert weaker(lambda whole, one: one["tree"].append(None))
    assert weaker(lambda whole, one: one["tree"].__setitem__(0, None))
    assert weaker(lambda whole, one: one["leaves"].__setitem__(0, [[], []]))
    assert weaker(lambda whole, one: one["leaves"][0][0].__setitem__(0, 10**6))
    assert weaker(lambda whole, one: one["leaves"][0][1].__setitem__(0, -5))
    assert weaker(lambda whole, one: one["leaves"][0][1].__setitem__(0, 0.5))
    assert weaker(lambda whole, one: whole.__setitem__("denominator", 0))
    assert weaker(lambda whole, one: whole.pop("parts"))
    assert weaker(lambda whole, one: whole["parts"].append(copy.deepcopy(one)))
    assert weaker(lambda whole, one: whole["parts"].__setitem__(0, 3))
    names = [k for k, name in enumerate(proof["parts"][0]["tree"]) if name is not None]
    for k in rng.choice(names, min(5, len(names)), replace=False).tolist():
        assert weaker(lambda whole, one, k=k: one["tree"].__setitem__(k, 10**9))


def test_multipliers_are_stored_for_many_columns_and_checked():
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, size=(70, 22)).astype(float)
    problem = reduce_problem(X, np.where(rng.random(70) < 0.5, -1, 1))
    interval = solved(problem, node_limit=3)
    part_ = interval.proof["parts"][0]
    assert all(multipliers for _, _, multipliers in part_["circuits"])
    assert checked(interval) == interval.lower >= 1
    forged = copy.deepcopy(interval.proof)
    forged["parts"][0]["circuits"][0][2][0] *= 10
    with pytest.raises(Refused, match="do not cancel"):
        circuits(forged, groups_of(problem))


@given(st.integers(0, 10**6))
def test_any_duals_prove_no_more_than_the_covering_program(seed):
    rng = np.random.default_rng(seed)
    sets = [np.sort(rng.choice(12, size=3, replace=False)) for _ in range(15)]
    start, places = np.arange(0, 46, 3), np.concatenate(sets)
    weights = rng.integers(1, 4, size=12).astype(float)
    matrix = np.zeros((15, 12))
    for k, chosen in enumerate(sets):
        matrix[k, chosen] = 1.0
    value = linprog(weights, A_ub=-matrix, b_ub=-np.ones(15), bounds=(0, 1)).fun
    duals, left = rng.random(15), np.zeros(12)
    plain = duals.sum() + np.minimum(weights - matrix.T @ duals, 0).sum()
    assert evaluate_duals(start, places, weights, duals, left) == pytest.approx(plain)
    point, duals = np.zeros(12), np.zeros(15)
    bound = ascend(start, places, weights, 2000, np.array([0.5]), point, duals)
    assert value * 0.97 <= bound <= value + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_a_walk_notes_rows_that_cancel(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, 4))
    columns = np.column_stack([rows, np.ones(40)])
    basis, right = np.arange(40, 45), np.array([1e-8, 2e-8, 1e-8, 3e-8, 1.0])
    found, price = np.zeros((20, 6), np.int64), np.zeros(5)
    limits, tableau = WalkLimits(0.1, 0.1, 500), Tableau(basis, np.eye(5), right.copy())
    noted = walk_circuits(columns, np.full(40, 0.1), rng.random(40), limits, tableau, price, found)
    assert noted > 0
    for line in found[:noted].tolist():
        chosen = line[: line.index(-1)]
        assert is_certain_circuit(np.ascontiguousarray(rows[chosen]))
        turned = rows[chosen]
        turned[2] *= -1
        assert not is_certain_circuit(turned)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_brute_force_deeper(seed):
    test_brute_force_on_small_degenerate_grids(seed)


@pytest.mark.parametrize("seed", range(6))
def test_circuits_lie_in_the_flat_that_is_found(seed):
    """One column tells some rows of a class from all others, another depends on two: neither counts."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(60, 4)).astype(float)
    signs = np.where(rng.random(60) < 0.5, -1, 1)
    telling = np.where((signs > 0) & (rng.random(60) < 0.2), 1.0, 0.0)
    problem = reduce_problem(np.column_stack([X, X[:, 0] - X[:, 3], telling]), signs)
    found = find_circuit_span(problem)
    assert found is not None
    assert found.dimension == 5
    assert not found.is_member[problem.floats[:, 5] > 0].any()
    quick, slow = CutPool(problem), CutPool(problem)
    quick._flat = found
    for _ in range(200):
        rows = rng.choice(problem.m, 6, replace=False)
        literals = [int(i) if rng.random() < 0.7 else -1 - int(i) for i in rows]
        assert quick.is_exact(quick.add(literals)) == slow.is_exact(slow.add(literals))
