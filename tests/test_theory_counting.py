"""Shattering and dichotomies, against all 2^n labellings tried one by one."""

from __future__ import annotations

import csv
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_separation import dependencies, signed_rows
from scipy.optimize import linprog
from scipy.stats import binom

import separatrix as sx
from separatrix.certificates import About, Inseparable, Separable, from_json
from separatrix.certificates.check.__main__ import main
from separatrix.theory import arrangement


def separable_by_programme(points, signs, intercept):
    """Whether s(w·x + b) >= 1 can be had, by a linear programme: for whole numbers of moderate size."""
    rows = np.column_stack([points, np.ones(len(points))]) if intercept else np.asarray(points, dtype=float)
    answer = linprog(
        np.zeros(rows.shape[1]),
        A_ub=-rows * np.asarray(signs)[:, None],
        b_ub=-np.ones(len(rows)),
        bounds=(None, None),
        method="highs",
    )
    return answer.status == 0


def separable_by_circuits(points, signs, intercept):
    """Gordan's theorem in fractions: no minimal dependent set of signed rows has a dependency of one sign."""
    rows = signed_rows(points, signs, intercept)
    for size in range(1, len(rows[0]) + 2):
        for chosen in combinations(rows, size):
            basis = dependencies(chosen)
            if len(basis) == 1 and (all(a > 0 for a in basis[0]) or all(a < 0 for a in basis[0])):
                return False
    return True


def labellings_by(decide, points, intercept):
    return [signs for signs in product((-1, 1), repeat=len(points)) if decide(points, signs, intercept)]


def general(rng, n, d):
    return rng.normal(size=(n, d))


# Counting


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_vc_dimension_is_attained_and_never_passed(d, intercept):
    """The unit vectors (and the origin, with an intercept) are shattered; no set of one point more is."""
    D = sx.theory.vc_dimension(d, intercept)
    assert d + intercept == D
    simplex = np.vstack([np.zeros((1, d)), np.eye(d)]) if intercept else np.eye(d)
    answer = sx.theory.shatters(simplex, intercept)
    assert answer
    assert len(simplex) == D
    found = list(answer)
    assert len(found) == 2**D == len({signs for signs, _ in found})
    for signs, proof in found:
        assert proof.verify(simplex, signs).holds
    rng = np.random.default_rng(d)
    for _ in range(5):
        assert not sx.theory.shatters(rng.normal(size=(D + 1, d)), intercept)


def test_growth_function_is_two_to_the_n_up_to_the_dimension_and_below_sauer_beyond():
    for d, intercept, n in product((1, 2, 3, 5), (True, False), range(1, 15)):
        D = sx.theory.vc_dimension(d, intercept)
        growth = sx.theory.growth_function(n, d, intercept)
        assert growth == sx.theory.dichotomies(n, d, intercept)
        assert (growth == 2**n) == (n <= D)
        assert growth <= sx.theory.sauer(n, D)
        assert sx.theory.sauer(n, D) == sum(math.comb(n, k) for k in range(D + 1))
        if n > D:
            assert sx.theory.sauer(n, D) <= (math.e * n / D) ** D


def test_cover_recursion():
    for n, d in product(range(1, 12), range(2, 6)):
        left = sx.theory.dichotomies(n + 1, d, intercept=False)
        right = sx.theory.dichotomies(n, d, intercept=False) + sx.theory.dichotomies(
            n, d - 1, intercept=False
        )
        assert left == right
        assert sx.theory.dichotomies(n, d) == sx.theory.dichotomies(n, d + 1, intercept=False)


@pytest.mark.parametrize("d", [1, 2, 10, 100, 1000])
def test_capacity_is_twice_the_dimension(d):
    assert sx.theory.separability_probability(2 * (d + 1), d) == 0.5
    assert sx.theory.separability_probability(2 * d, d, intercept=False) == 0.5
    assert sx.theory.separability_probability(d + 1, d) == 1.0
    sharp = [
        sx.theory.separability_probability(round(share * 2 * (d + 1)), d) for share in (0.5, 0.8, 1.2, 1.5)
    ]
    assert sharp == sorted(sharp, reverse=True)
    if d >= 100:
        assert sharp[1] > 0.99
        assert sharp[2] < 0.01


def test_large_counts_in_logarithms():
    from separatrix.bounds.counting import log_growth, log_sauer

    for n, D in ((10, 3), (1000, 300), (5000, 2400), (600, 500), (2000, 1999), (300, 400)):
        assert log_sauer(n, D) == pytest.approx(math.log(sx.theory.sauer(n, D)), rel=1e-11)
        assert log_growth(n, D) == pytest.approx(
            math.log(sx.theory.dichotomies(n, D, intercept=False)), rel=1e-11
        )


# Enumeration


@pytest.mark.parametrize(("n", "d"), [(1, 1), (6, 1), (5, 2), (8, 2), (7, 3), (6, 4), (4, 6)])
@pytest.mark.parametrize("intercept", [True, False])
def test_general_position_has_covers_count(n, d, intercept):
    points = general(np.random.default_rng(n * d), n, d)
    found = sx.theory.dichotomies_of(points, intercept)
    assert len(found) == sx.theory.dichotomies(n, d, intercept)
    assert found.signs.tolist() == sorted(map(list, labellings_by(separable_by_programme, points, intercept)))


@given(
    points=st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=1, max_size=6)
    ),
    intercept=st.booleans(),
)
def test_dichotomies_of_points_in_any_position(points, intercept):
    """Small grids are full of collinear, repeated and zero points."""
    found = sx.theory.dichotomies_of(points, intercept)
    wanted = labellings_by(separable_by_circuits, points, intercept)
    assert [one.signs for one in found] == sorted(wanted)
    assert len(found) <= sx.theory.dichotomies(len(points), len(points[0]), intercept)
    for one in found:
        assert one.certificate.verify(points, one.signs).holds
        assert one.signs in found
        negated = tuple(-sign for sign in one.signs)
        assert negated in found
    assert bool(sx.theory.shatters(points, intercept)) == (len(wanted) == 2 ** len(points))


@pytest.mark.parametrize(
    ("points", "count"),
    [
        ([[0, 0], [1, 1], [2, 2], [3, 3]], 8),  # on a line: 2n
        ([[5, 5], [5, 5], [5, 5]], 2),  # one point three times
        ([[0, 0], [0, 0], [1, 0]], 4),
        ([[0, 0], [2, 0], [0, 2], [2, 2], [1, 1]], 18),  # the middle of a square
        ([[x, y] for x in range(3) for y in range(3)], 58),  # a grid
    ],
)
def test_dichotomies_of_degenerate_points(points, count):
    found = sx.theory.dichotomies_of(points)
    assert len(found) == count == len(labellings_by(separable_by_programme, points, True))


def test_doubles_of_all_sizes_are_taken_exactly():
    """A point off the line by the last bit of a double is off the line."""
    step = 2.0**-52
    straight = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    bent = [[0.0, 0.0], [1.0, 1.0 + step], [2.0, 2.0]]
    far = [[0.0, 0.0], [1e300, 1e300], [2e300, 2e300], [5e-324, 0.0]]
    assert len(sx.theory.dichotomies_of(straight)) == 6
    assert len(sx.theory.dichotomies_of(bent)) == 8
    assert bool(sx.theory.shatters(bent))
    assert not sx.theory.shatters(straight)
    for points in (straight, bent, far):
        for one in sx.theory.dichotomies_of(points):
            assert one.certificate.verify(points, one.signs).holds


def test_order_units_and_repetition_change_nothing():
    rng = np.random.default_rng(5)
    points = rng.integers(-3, 4, size=(7, 2)).astype(float)
    signs = {one.signs for one in sx.theory.dichotomies_of(points)}
    order = rng.permutation(7)
    assert {tuple(np.array(s)[order].tolist()) for s in signs} == {
        one.signs for one in sx.theory.dichotomies_of(points[order])
    }
    scaled = points * [2.0**40, 2.0**-30]
    assert signs == {one.signs for one in sx.theory.dichotomies_of(scaled)}
    twice = sx.theory.dichotomies_of(np.vstack([points, points]))
    assert {s + s for s in signs} == {one.signs for one in twice}


def test_a_point_at_the_origin_has_no_side_without_an_intercept():
    assert len(sx.theory.dichotomies_of([[0, 0], [1, 2]], intercept=False)) == 0
    assert len(sx.theory.dichotomies_of([[0, 0], [1, 2]])) == 4
    assert not sx.theory.shatters([[0.0, 0.0]], intercept=False)


def test_dichotomies_are_a_sequence():
    found = sx.theory.dichotomies_of([[0.0], [1.0], [2.0]])
    assert len(found) == 6 == len(list(found))
    assert found[-1].signs == (1, 1, 1)
    assert [one.signs for one in found[1:3]] == [(-1, -1, 1), (-1, 1, 1)]
    assert (1, -1, 1) not in found
    assert (1, 1) not in found
    assert found[2] in found
    assert repr(found) == "<Dichotomies: 6 of 3 points in R^1>"
    with pytest.raises(IndexError):
        found[6]


def test_recursion_makes_no_more_cells_than_it_must(monkeypatch):
    """Time proportional to the dichotomies: over all depths at most D cells are made for each of them."""
    made = 0
    original = arrangement._nudged

    def counted(*arguments):
        nonlocal made
        made += 1
        return original(*arguments)

    monkeypatch.setattr(arrangement, "_nudged", counted)
    for n, d in ((30, 2), (14, 3)):
        made = 0
        found = sx.theory.dichotomies_of(general(np.random.default_rng(1), n, d))
        assert len(found) == sx.theory.dichotomies(n, d)
        assert made <= (d + 1) * len(found)


def test_a_list_of_dichotomies_has_a_limit_and_says_how_far_it_is():
    points, told = general(np.random.default_rng(2), 20, 3), []
    count = sx.theory.dichotomies(20, 3)
    assert len(sx.theory.dichotomies_of(points, limit=count, progress=told.append)) == count
    assert len(told) == 20
    assert told[-1] == f"20 of 20 points: {count:,} labellings"
    for intercept in (True, False):
        for limit in (1, 100, sx.theory.dichotomies(20, 3, intercept) - 1):
            with pytest.raises(ValueError, match=rf"have more than {limit:,} labellings; raise limit"):
                sx.theory.dichotomies_of(points, intercept, limit=limit)
    assert len(sx.theory.dichotomies_of(points[:4], limit=None)) == 16
    with pytest.raises(ValueError, match="limit must be an integer >= 1; got 0"):
        sx.theory.dichotomies_of(points, limit=0)


def test_thirty_points_of_the_plane_and_twenty_of_space():
    rng = np.random.default_rng(0)
    for n, d in ((30, 2), (20, 3)):
        points = general(rng, n, d)
        found = sx.theory.dichotomies_of(points)
        assert len(found) == sx.theory.dichotomies(n, d)
        for place in range(0, len(found), 97):
            assert found[place].certificate.verify(points, found[place].signs).holds


# Shattering


@given(
    points=st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=1, max_size=5)
    ),
    intercept=st.booleans(),
)
def test_every_answer_of_shatters_is_proven(points, intercept):
    answer = sx.theory.shatters(points, intercept)
    everything = labellings_by(separable_by_circuits, points, intercept)
    assert answer.shattered == (len(everything) == 2 ** len(points))
    if answer:
        assert answer.conflict is answer.radon is answer.labelling is None
        for signs, proof in answer:
            assert isinstance(proof, Separable)
            assert proof.verify(points, signs).holds
    else:
        assert list(answer) == [] == list(answer.certificates)
        assert answer.labelling not in everything
        assert isinstance(answer.conflict, Inseparable)
        assert answer.conflict.verify(points, answer.labelling).holds
        assert len(answer.conflict.rows) <= len(points[0]) + intercept + 1
        if intercept:
            check_radon(points, answer.radon)


def check_radon(points, partition):
    groups = (partition.left, partition.left_weights), (partition.right, partition.right_weights)
    assert not set(partition.left) & set(partition.right)
    for group, weights in groups:
        assert group
        assert sum(weights) == 1
        assert all(weight > 0 for weight in weights)
        mean = [
            sum(weight * Fraction(points[i][j]) for i, weight in zip(group, weights, strict=True))
            for j in range(len(points[0]))
        ]
        assert tuple(mean) == partition.point


@given(
    d=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_radon(d, seed):
    points = np.random.default_rng(seed).normal(size=(d + 2, d)).tolist()
    check_radon(points, sx.theory.radon(points))


def test_radon_of_fewer_points():
    assert sx.theory.radon([[1.0, 2.0], [1.0, 2.0]]).point == (1, 2)
    line = sx.theory.radon([[0.0, 0.0], [3.0, 3.0], [1.0, 1.0]])
    assert {line.left, line.right} == {(2,), (0, 1)}
    with pytest.raises(
        ValueError, match="affinely independent and have no Radon partition; any 4 points of R"
    ):
        sx.theory.radon([[0, 0], [1, 0], [0, 1]])


def test_shattering_in_many_dimensions_lists_nothing_before_it_is_asked():
    points = np.eye(100)
    answer = sx.theory.shatters(points)
    assert answer
    signs = tuple(np.random.default_rng(0).choice((-1, 1), size=100).tolist())
    assert answer.certificate(signs).verify(points, signs).holds
    assert answer.certificates[-1].verify(points, [1] * 100).holds
    assert answer.labellings[2**100 - 1] == (1,) * 100
    assert answer.labellings
    assert answer.certificates
    for many in (answer.labellings, answer.certificates):
        with pytest.raises(
            OverflowError, match=r"^There are 2\*\*100 labellings, more than len\(\) can return"
        ):
            len(many)
    assert not sx.theory.shatters([[0], [1], [2]]).certificates
    with pytest.raises(ValueError, match="signs must be 100 times -1 or \\+1"):
        answer.halfspace([1])
    with pytest.raises(ValueError, match="not shattered: The hulls of points"):
        sx.theory.shatters([[0.0], [1.0], [2.0]]).halfspace([1, -1, 1])


def test_reasons():
    assert sx.theory.shatters([[0, 0], [1, 0]]).reason == (
        "The 2 points are affinely independent, so all 4 labellings can be separated."
    )
    assert sx.theory.shatters([[1.0], [-1.0]], intercept=False).reason == (
        "Points [0, 1] cancel with positive weights under one labelling."
    )
    assert "meet" in repr(sx.theory.shatters([[0], [1], [2]]))


# Certificates


def checked(folder, proof, points, signs):
    """The independent checker's exit status."""
    (folder / "certificate.json").write_text(proof.to_json(), encoding="utf-8")
    with open(folder / "data.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j}" for j in range(len(points[0]))), "y"])
        writer.writerows([*map(float, row), sign] for row, sign in zip(points, signs, strict=True))
    return main([str(folder / "certificate.json"), str(folder / "data.csv")])


def test_certificates_pass_the_independent_checker_and_forged_ones_do_not(tmp_path, capsys):
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    for one in sx.theory.dichotomies_of(square):
        assert checked(tmp_path, one.certificate, square, one.signs) == 0
        again = from_json(one.certificate.to_json())
        assert again.verify(square, one.signs).holds
        other = [-sign for sign in one.signs]
        assert not one.certificate.verify(square, other).holds
        assert checked(tmp_path, one.certificate, square, other) != 0
        forged = replace(one.certificate, weights=tuple(-w for w in one.certificate.weights), intercept=0)
        assert not forged.verify(square, one.signs).holds
        assert checked(tmp_path, forged, square, one.signs) != 0
    answer = sx.theory.shatters(square)
    assert checked(tmp_path, answer.conflict, square, answer.labelling) == 0
    weights = list(answer.conflict.multipliers)
    forged = replace(answer.conflict, multipliers=(weights[0] + 1, *weights[1:]))
    assert not forged.verify(square, answer.labelling).holds
    assert checked(tmp_path, forged, square, answer.labelling) != 0
    bare = Inseparable(answer.conflict.rows, answer.conflict.multipliers, True, about=About(positive=1))
    assert not bare.verify(square, [1, 1, 1, -1]).holds
    capsys.readouterr()
    assert json.loads(answer.conflict.to_json())["about"]["digest"].startswith("sha256:")


@pytest.mark.parametrize("intercept", [True, False])
def test_separability_near_the_transition_and_far_beyond(intercept):
    """The share is a binomial tail; beyond 20,000 points it is computed as one."""
    for n, d in ((1, 5), (5, 5), (200, 99), (20_000, 9_950), (20_001, 9_950), (60_000, 30_100)):
        tail = binom.cdf(d + intercept - 1, n - 1, 0.5)
        assert sx.theory.separability_probability(n, d, intercept) == pytest.approx(tail, rel=1e-9)
    for d in (3, 5_000, 10**6):
        assert sx.theory.separability_probability(2 * (d + intercept), d, intercept) == 0.5
        assert sx.theory.separability_probability(d + intercept, d, intercept) == 1.0
    assert sx.theory.separability_probability(10**9, 10, intercept) == 0.0


# Arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sx.theory.vc_dimension(0), "d must be an integer >= 1; got 0"),
        (lambda: sx.theory.vc_dimension(2.5), "d must be an integer >= 1; got 2.5"),
        (lambda: sx.theory.dichotomies(0, 2), "n must be an integer >= 1; got 0"),
        (lambda: sx.theory.sauer(-1, 2), "n must be an integer >= 0; got -1"),
        (lambda: sx.theory.sauer(1, -2), "dimension must be an integer >= 0; got -2"),
        (lambda: sx.theory.separability_probability(0, 2), "n must be an integer >= 1"),
        (lambda: sx.theory.shatters([[0.0, math.nan]]), "point 0 has nan in column 1: points must be finite"),
        (lambda: sx.theory.dichotomies_of([[0.0], [math.inf]]), "point 1 has inf in column 0"),
        (lambda: sx.theory.dichotomies_of([[2**53 + 1]]), "9007199254740993 is no double"),
        (lambda: sx.theory.shatters(np.array([[np.longdouble(2) ** 0.5]])), "is no double"),
        (lambda: sx.theory.shatters(np.empty((3, 0))), "points must be a table"),
        (lambda: sx.theory.shatters([]), "points must be a table"),
        (lambda: sx.theory.shatters(np.empty((0, 2))), "there must be at least one point"),
        (lambda: sx.theory.shatters([1.0, 2.0]), "points must be a table of numbers, one point a row"),
        (lambda: sx.theory.radon([["a", "b"]]), "points must be a table of numbers"),
        (lambda: sx.theory.radon([[1, 2], [3]]), "points must be a table of numbers"),
    ],
)
def test_bad_arguments_get_their_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


MODULES = ("bayes", "hardness")


@pytest.mark.parametrize("name", [n for n in sx.theory.__all__ if n[0].islower() and n not in MODULES])
def test_every_function_has_its_source_and_an_example(name):
    said = getattr(sx.theory, name).__doc__
    assert re.search(r"Source: .*(\d{4}|definition|`source`|sample_complexity|SAMPLE_SIZES)", said, re.DOTALL)
    assert ">>> " in said


def test_names_of_the_module_are_complete_and_load_when_used():
    assert set(sx.theory.__all__) <= set(dir(sx.theory))
    assert all(
        callable(getattr(sx.theory, name))
        for name in sx.theory.__all__
        if name not in ("SAMPLE_SIZES", *MODULES)
    )
    with pytest.raises(AttributeError, match=r"'separatrix.theory' has no attribute 'vcdim'"):
        _ = sx.theory.vcdim
    program = (
        "import sys; from separatrix import theory; theory.dichotomies_of([[0], [1]]); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"numba", "sklearn"} & set(run.stdout.split())
