"""Every claim of `separatrix.problems`, checked by an oracle that shares no code with it."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from separatrix import problems

FLOWERS, GROWERS = ("setosa", "versicolor", "virginica"), ("class_0", "class_1", "class_2")
REAL = [problems.iris(one, other) for one in FLOWERS for other in (None, *FLOWERS) if one != other]
REAL += [problems.wine(one, other) for one in GROWERS for other in (None, *GROWERS) if one != other]
REAL += [problems.breast_cancer(), *(problems.digits(digit) for digit in range(10))]


def exact_rows(problem, constant=None):
    """z = s·(x, 1), or s·x without intercept, in fractions."""
    constant = problem.intercept if constant is None else constant
    return [
        [Fraction(float(value)) * int(s) for value in x] + [Fraction(int(s))] * constant
        for x, s in zip(problem.X, problem.signs, strict=True)
    ]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def solve(matrix, right):
    """The solution of a square system in fractions, or None if it is singular."""
    n = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next((r for r in range(i, n) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def largest_margin_squared(X, signs, intercept):
    """1/‖w‖² at the least ‖w‖ with s(w·x + b) ≥ 1: the KKT conditions of every small set of rows."""
    X = [[Fraction(float(value)) for value in row] for row in X]
    signs = [int(s) for s in signs]
    for size in range(1, len(X[0]) + 1 + intercept):
        for rows in itertools.combinations(range(len(X)), size):
            gram = [[signs[i] * signs[j] * dot(X[i], X[j]) for j in rows] for i in rows]
            right = [Fraction(1)] * size
            if intercept:
                gram = [[*line, Fraction(signs[i])] for line, i in zip(gram, rows, strict=True)]
                gram.append([Fraction(signs[i]) for i in rows] + [Fraction(0)])
                right.append(Fraction(0))
            found = solve(gram, right)
            if found is None or min(found[:size]) < 0:
                continue
            weights = [dot(found[:size], [signs[i] * X[i][j] for i in rows]) for j in range(len(X[0]))]
            b = found[size] if intercept else Fraction(0)
            if any(weights) and all(s * (dot(weights, x) + b) >= 1 for x, s in zip(X, signs, strict=True)):
                return 1 / dot(weights, weights)
    return None


def verdict(problem):
    """Complete, quasi or overlap, by two linear programs on columns scaled, exactly, to about 1."""
    X = problem.X.astype(np.float64)
    X /= 2.0 ** np.ceil(np.log2(np.maximum(np.abs(X).max(axis=0), 1e-300)))
    Z = problem.signs[:, None] * np.hstack([X, np.ones((len(X), int(problem.intercept)))])
    n, D = Z.shape
    strict = linprog(
        np.r_[np.zeros(D), -1],
        A_ub=np.hstack([-Z, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * D + [(None, 1)],
    )
    if strict.x[-1] > 1e-6:
        return "complete"
    weak = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(n), bounds=[(-1, 1)] * D)
    return "quasi" if -weak.fun > 1e-6 else "overlap"


def conflict(problem):
    """Whether rows chosen by a linear program have positive whole multipliers λ with Σ λ·z = 0 exactly."""
    Z = exact_rows(problem)
    scale = math.lcm(*(value.denominator for row in Z for value in row))
    n = len(Z)
    floats = np.array([[float(value) for value in row] for row in Z])
    floats /= np.maximum(np.abs(floats).max(axis=0), 1e-300)
    cost = np.random.default_rng(0).random(n)
    found = linprog(cost, A_eq=np.vstack([floats.T, np.ones(n)]), b_eq=np.r_[np.zeros(len(Z[0])), 1.0])
    support = np.flatnonzero(found.x > 1e-12)
    columns = [[int(Z[i][j] * scale) for i in support] for j in range(len(Z[0]))]
    kernel, nullity = flint.fmpz_mat(columns).nullspace()
    multipliers = [int(kernel[i, 0]) for i in range(len(support))]
    return nullity == 1 and (min(multipliers) > 0 or max(multipliers) < 0)


def perceptron(problem, order=None, *, intercept=None, step=None, limit=10**6):
    """Mistakes until a pass without any (None if the limit comes first), in whole numbers."""
    intercept = problem.intercept if intercept is None else intercept
    rows = [[int(v) for v in row] for row in exact_rows(problem, intercept)]
    order = range(len(rows)) if order is None else order
    weights, mistakes = [0] * len(rows[0]), 0
    while mistakes < limit:
        before = mistakes
        for i in order:
            if sum(w * z for w, z in zip(weights, rows[i], strict=True)) <= 0:
                eta = 1 if step is None else step(mistakes)
                weights = [w + eta * z for w, z in zip(weights, rows[i], strict=True)]
                mistakes += 1
        if mistakes == before:
            return mistakes
    return None


def attained(problem):
    """min s(w·x + b)/‖w‖ of the planted halfspace, squared and with its sign, in fractions."""
    weights, intercept = problem.halfspace
    w = [Fraction(value) for value in weights] + [Fraction(intercept)] * problem.intercept
    least = min(dot(row, w) for row in exact_rows(problem))
    return least * abs(least) / dot(w[: len(weights)], w[: len(weights)])


SMALL = [
    problems.separable(7, 1, 0.3),
    problems.separable(7, 2, 0.1, random_state=3),
    problems.separable(7, 3, 0.1, dtype=np.float32),
    problems.separable(7, 4, 0.25, direction="diagonal"),
    problems.barely_separable(7, 2),
    problems.barely_separable(7, 2, dtype=np.float32),
    problems.shifted(problems.separable(7, 2, 0.25), 100.0),
    problems.shifted(problems.separable(7, 4, 0.25, direction="diagonal"), 0.5),
    *(problems.exponential(d) for d in (1, 2, 3)),
    problems.greater_than(1),
    problems.greater_than(2, pairs=2),
    problems.orthonormal(5),
    problems.planar_half(3),
    *problems.shrinking_margin(3),
    problems.variable_steps(),
    problems.incomes(),
    problems.near_ties(separable=True),
    problems.beyond_doubles(),
    *(problems.boolean(name) for name in problems.BOOLEAN if name not in {"true", "false", "xor", "xnor"}),
]


@pytest.mark.parametrize("problem", SMALL, ids=repr)
def test_the_margin_is_exactly_the_largest(problem):
    found = largest_margin_squared(problem.X, problem.signs, problem.intercept)
    assert found == problem.margin_squared == attained(problem)
    assert problem.margin == pytest.approx(math.sqrt(found), rel=1e-15)


@pytest.mark.parametrize("problem", SMALL[:4] + list(problems.shrinking_margin(2)), ids=repr)
def test_a_margin_planted_about_the_origin_holds_without_intercept_and_for_extended_rows(problem):
    extended = np.column_stack([problem.X, np.ones(len(problem.X))])
    assert largest_margin_squared(problem.X, problem.signs, False) == problem.margin_squared
    assert largest_margin_squared(extended, problem.signs, False) == problem.margin_squared


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(2, 40),
    d=st.integers(1, 20),
    margin=st.floats(2.0**-12, 4.0),
    direction=st.sampled_from(["axis", "diagonal"]),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 2**32),
)
def test_a_planted_margin_is_attained_and_two_rows_are_twice_as_far_apart(
    n, d, margin, direction, dtype, seed
):
    d = max(d, 4) if direction == "diagonal" else d
    problem = problems.separable(n, d, margin, direction=direction, dtype=dtype, random_state=seed)
    assert problem.X.dtype == dtype
    assert problem.X.flags.c_contiguous
    assert attained(problem) == problem.margin_squared == Fraction(problem.margin) ** 2
    assert abs(problem.margin - margin) <= (2.0**-15 if dtype == np.float32 or direction == "diagonal" else 0)
    X, s = problem.X.astype(np.float64), problem.signs
    pairs = itertools.product(np.flatnonzero(s > 0), np.flatnonzero(s < 0))
    i, j = min(pairs, key=lambda pair: np.linalg.norm(X[pair[0]] - X[pair[1]]))
    gap = [Fraction(a) - Fraction(b) for a, b in zip(X[i].tolist(), X[j].tolist(), strict=True)]
    assert dot(gap, gap) == 4 * problem.margin_squared


@pytest.mark.parametrize("direction", ["axis", "diagonal", "random"])
def test_many_rows_keep_their_margin(direction):
    problem = problems.separable(150_000, 16, 0.0625, direction=direction, random_state=2)
    least = float((problem.signs * (problem.X @ np.array(problem.halfspace[0]))).min())
    assert least == pytest.approx(0.0625, rel=1e-13 if direction == "random" else 0, abs=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_rotated_margin_is_planted_to_rounding_and_says_so(dtype):
    problem = problems.separable(500, 7, 0.125, direction="random", dtype=dtype, random_state=5)
    assert problem.margin_squared is None
    assert "to rounding" in repr(problem)
    assert float(attained(problem)) == pytest.approx(0.125**2, rel=64 * float(np.finfo(dtype).eps))
    with pytest.raises(ValueError, match="rounds away"):
        problems.separable(10, 7, 1e-9, direction="random", dtype=np.float32)


# Not for linear programs in floats; their verdicts are checked exactly elsewhere in this file.
FINER_THAN_FLOATS = {
    "barely_separable",
    "beyond_doubles",
    "breast_cancer",
    "near_ties",
    "near_ties_separable",
}


@pytest.mark.parametrize("name", sorted(set(problems.ALL) - FINER_THAN_FLOATS - {"diabetes"}))
def test_the_verdict_is_that_of_a_linear_program(name):
    problem = problems.ALL[name]()
    assert verdict(problem) == problem.kind
    assert problem.separable == (problem.kind == "complete")


@pytest.mark.parametrize("problem", REAL, ids=repr)
def test_the_verdicts_on_real_sets_are_proven_exactly(problem):
    assert problem.separable == (problem.kind == "complete")
    if not problem.separable:
        assert conflict(problem)
        return
    Z = problem.signs[:, None] * np.column_stack([problem.X, np.ones(len(problem.X))])
    n, D = Z.shape
    found = linprog(np.zeros(D), A_ub=-Z, b_ub=-np.ones(n), bounds=[(None, None)] * D)
    weights = [Fraction(value) for value in found.x.tolist()]
    assert min(dot(row, weights) for row in exact_rows(problem)) > 0


@pytest.mark.parametrize("name", ["near_ties", "noisy", "quasi", "xor"])
def test_inseparable_rows_have_an_exact_conflict(name):
    problem = problems.ALL[name]()
    assert problem.separable is False
    assert conflict(problem)


@pytest.mark.parametrize(
    "problem", [problems.iris("virginica"), problems.iris("virginica", "versicolor")], ids=repr
)
def test_one_error_is_enough_for_virginica(problem):
    assert problem.fewest_errors == 1
    # Row 84 of the whole set, a versicolor that looks like virginica.
    row = np.flatnonzero((problems.iris().X[83] == problem.X).all(axis=1))[0]
    rest = problems.Problem(np.delete(problem.X, row, 0), np.delete(problem.y, row), "", "")
    assert verdict(rest) == "complete"


@pytest.mark.parametrize("problem", [problems.iris("versicolor"), *map(problems.digits, (0, 8, 9))], ids=repr)
def test_the_kind_of_real_sets_is_that_of_a_linear_program(problem):
    assert verdict(problem) == problem.kind


@pytest.mark.parametrize("digit", [8, 9])
def test_the_weak_separator_of_digits(digit):
    problem = problems.digits(digit)
    scores = problem.signs * (problem.X @ np.array(problem.halfspace[0]))
    assert scores.min() == 0 < scores.max()


@settings(max_examples=25, deadline=None)
@given(d=st.integers(1, 4), seed=st.integers(0, 10**6), dtype=st.sampled_from([np.float32, np.float64]))
def test_quasi_and_noisy_rows_need_exactly_the_errors_stated(d, seed, dtype):
    weak = problems.quasi(9, d, dtype=dtype, random_state=seed)
    assert attained(weak) == 0
    assert sum(dot(row, [Fraction(1)] + [Fraction(0)] * d) > 0 for row in exact_rows(weak)) == 6
    noisy = problems.noisy(14, d, flips=2, margin=0.1, dtype=dtype, random_state=seed)
    assert noisy.kind in {None, "overlap"}
    errors = [i for i, row in enumerate(exact_rows(noisy)) if row[0] <= 0]
    assert errors == noisy.flipped.tolist()
    for problem, stated in ((weak, 1), (noisy, 2)):
        assert problem.fewest_errors == stated
        for given_up in itertools.combinations(range(len(problem.X)), stated - 1):
            rest = problems.Problem(np.delete(problem.X, given_up, 0), np.delete(problem.y, given_up), "", "")
            assert conflict(rest)
    removed = np.flatnonzero((weak.X[:, 0] == 0) & (weak.y < 0))
    assert (
        verdict(problems.Problem(np.delete(weak.X, removed, 0), np.delete(weak.y, removed), "", ""))
        == "complete"
    )


def test_ordinary_label_noise_claims_no_more_than_it_knows():
    problem = problems.noisy(100, 3, flips=8, proven=False)
    assert (problem.separable, problem.kind, problem.fewest_errors) == (None, None, None)
    assert np.array_equal(np.flatnonzero(np.sign(problem.X[:, 0]) != problem.y), problem.flipped)


def test_fourteen_of_the_sixteen_functions_are_halfspaces():
    tables = [tuple(problems.boolean(name).y.tolist()) for name in problems.BOOLEAN]
    assert tables == list(itertools.product((0, 1), repeat=4))
    assert sum(verdict(problems.boolean(name)) == "complete" for name in problems.BOOLEAN) == 14
    for table in tables:
        problem = problems.boolean(table)
        if problem.separable:
            (u, v), b = problem.halfspace
            assert [int(u * x + v * y + b > 0) for x, y in problem.X] == list(table)


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_orthonormal_rows_attain_the_bound_in_any_order(d):
    problem = problems.orthonormal(d)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(d)
        assert perceptron(problem, order) == d == problem.least_mistakes == problem.mistake_bound


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_planar_half_reaches_half_the_bound_and_no_more(n):
    problem = problems.planar_half(n)
    mistakes = perceptron(problem, problem.sequence)
    assert mistakes == problem.least_mistakes == 2 * n * n + 1
    assert problem.mistake_bound == 4 * n * n + 1
    assert mistakes == math.floor(problem.mistake_bound / 2 + 1)


@settings(max_examples=200, deadline=None)
@given(gamma=st.floats(0.03, 0.9), seed=st.integers(0, 10**6))
def test_in_the_plane_no_adversary_gets_more_than_half_plus_one(gamma, seed):
    rng = np.random.default_rng(seed)
    (p, q), mistakes = (gamma, math.sqrt(1 - gamma**2) * rng.uniform(0.3, 0.7)), 1
    for _ in range(10**4):
        a = gamma * (1 + rng.exponential(rng.choice([1e-9, 0.1])))
        if a >= 1:
            continue
        most = math.sqrt(1 - a * a)
        b = -math.copysign(most * rng.choice([1.0, rng.uniform()]), q)
        if a * p + b * q > 0:
            if gamma * p > math.sqrt(1 - gamma**2) * abs(q):
                break
            continue
        p, q, mistakes = p + a, q + b, mistakes + 1
    assert mistakes <= 1 / (2 * gamma**2) + 1 + 1e-9


@pytest.mark.parametrize("intercept", [False, True])
def test_exponential_mistakes_at_least_double_with_every_column(intercept):
    counts = []
    for d in range(1, 8):
        problem = problems.exponential(d)
        orders = [None, list(np.random.default_rng(d).permutation(2 * d)), list(range(2 * d))[::-1]]
        mistakes = [perceptron(problem, order, intercept=intercept) for order in orders]
        assert 2 ** (d - 1) == problem.least_mistakes <= min(mistakes)
        assert max(mistakes) <= problem.mistake_bound
        counts.append(min(mistakes))
    assert all(later >= 2 * earlier for earlier, later in itertools.pairwise(counts[1:]))


@pytest.mark.parametrize(("k", "pairs"), [(1, None), (3, None), (4, 0), (5, 30), (60, 40)])
def test_greater_than(k, pairs):
    problem = problems.greater_than(k, pairs)
    powers = [2**i for i in range(k)]
    for x, y in zip(problem.X, problem.y, strict=True):
        bits = [int(value) for value in x]
        assert (dot(bits[:k], powers) > dot(bits[k:], powers)) == y
    assert attained(problem) == problem.margin_squared
    if k <= 5:
        assert 2**k <= perceptron(problem) <= problem.mistake_bound


def test_added_rows_shrink_the_margin_and_keep_the_radius():
    family = problems.shrinking_margin(6)
    for smaller, larger in itertools.pairwise(family):
        assert np.array_equal(larger.X[: len(smaller.X)], smaller.X)
        assert larger.margin == smaller.margin / 2
        assert larger.radius == smaller.radius == math.sqrt(2)


@pytest.mark.parametrize(("ratio", "step"), [(2, lambda k: 2**k), (0.25, lambda k: 4 ** (600 - k))])
def test_geometric_steps_bound_nothing(ratio, step):
    problem = problems.variable_steps(ratio)
    assert perceptron(problem, problem.sequence, step=step, limit=600) is None
    steps = [Fraction(problem.step(k)) for k in range(400)]
    assert sum(steps) ** 2 / dot(steps, steps) < 3 < problem.mistake_bound == 5
    assert perceptron(problem, problem.sequence) <= 5


def test_a_shift_that_rounds_claims_less():
    exact = problems.shifted(problems.separable(50, 3, 0.25), 100.0)
    assert attained(exact) == exact.margin_squared == Fraction(1, 16)
    for offset in (100.0, 1e6, 1e15):
        rounded = problems.shifted(problems.separable(20, 2, 0.1), offset)
        assert rounded.separable
        found = largest_margin_squared(rounded.X, rounded.signs, True)
        assert found == rounded.margin_squared == attained(rounded) != Fraction(0.1) ** 2
        assert rounded.margin == pytest.approx(math.sqrt(found), rel=1e-15)
    assert rounded.margin == 0.125
    turned = problems.separable(50, 3, 0.1, direction="random")
    near, far = problems.shifted(turned, 100.0), problems.shifted(turned, 1e14)
    assert near.separable
    assert near.margin == pytest.approx(0.1, rel=1e-9)
    assert "to rounding" in repr(near)
    assert far.separable
    assert (far.margin, far.margin_squared) == (None, None)
    assert attained(far) > 0
    lost = problems.shifted(problems.barely_separable(50, 3), 100.0)
    assert (lost.separable, lost.margin, lost.halfspace) == (None, None, None)
    assert problems.shifted(problems.xor(), 3.0).kind == "overlap"
    with pytest.raises(ValueError, match="through the origin"):
        problems.shifted(problems.orthonormal(3), 1.0)


@pytest.mark.parametrize("offset", [0.0, 100.0, 1e6, 1e15])
@pytest.mark.parametrize("direction", ["axis", "diagonal", "random"])
def test_the_mistake_bound_is_that_of_the_rows_as_they_are(offset, direction):
    problem = problems.shifted(problems.separable(30, 4, 0.1, direction=direction), offset)
    if not problem.separable:
        assert problem.mistake_bound is None
        return
    weights, intercept = problem.halfspace
    w = [*map(Fraction, weights), Fraction(intercept)]
    rows = exact_rows(problem)
    exact = max(dot(row, row) for row in rows) * dot(w, w) / min(dot(row, w) for row in rows) ** 2
    assert math.nextafter(problem.mistake_bound, 0.0) < exact <= problem.mistake_bound


def test_no_doubles_separate_beyond_doubles():
    z1, z2 = exact_rows(problems.beyond_doubles())
    p = 2**53
    # b/a must lie strictly between p/(p-1) and (p-1)/(p-2): only the doubles next to a come near.
    for a in [1.0, *np.random.default_rng(0).uniform(1, 2, 500).tolist(), 2 - 2.0**-52, 2 - 2.0**-51]:
        for b in (a, math.nextafter(a, 4), math.nextafter(math.nextafter(a, 4), 4)):
            pair = [Fraction(a), Fraction(b)]
            assert not (dot(z1, pair) > 0 and dot(z2, pair) > 0)
    assert (p - 1) ** 2 - p * (p - 2) == 1


@settings(max_examples=50, deadline=None)
@given(rule=st.sampled_from(["perceptron", "halving", "random"]), root=st.integers(1, 6), b=st.floats(-2, 2))
def test_the_adversary_forces_the_bound_on_every_learner(rule, root, b):
    stream = problems.adversarial_stream(margin=1.0, radius=float(root))
    assert stream.forced == stream.columns == root**2
    rng, weights, wrong = np.random.default_rng(root), np.zeros(root**2), 0
    for x, s in itertools.islice(stream.against(lambda: (weights, b)), root**2):
        wrong += s * (weights @ x + b) <= 0
        if rule == "halving":
            weights[:] /= 2
        weights[:] += rng.normal(size=root**2) if rule == "random" else s * x
    assert wrong == stream.forced
    shown = stream.problem()
    assert attained(shown) == shown.margin_squared == 1
    assert shown.mistake_bound == stream.forced


def test_the_stream_never_ends_and_never_contradicts_itself():
    stream = problems.adversarial_stream(margin=0.3, columns=20)
    assert stream.forced == 11
    seen = {}
    for x, s in itertools.islice(stream, 100):
        assert seen.setdefault(tuple(x), s) == s
        assert np.linalg.norm(x) == 1
    x, s = stream.next(-stream.problem().halfspace[0][0] * np.eye(20)[0])
    assert (x[0], s) == (1.0, 1)
    with pytest.raises(ValueError, match="20 columns"):
        stream.next(np.zeros(3))


@pytest.mark.parametrize("name", ["spam_words", "faces"])
@pytest.mark.parametrize("seed", [0, 1])
def test_lookalikes_are_separated_by_the_planted_halfspace(name, seed):
    problem = getattr(problems, name)(random_state=seed)
    weights, intercept = problem.halfspace
    scores = problem.signs * (problem.X @ np.array(weights) + intercept)
    assert scores.min() >= (1 if name == "spam_words" else 2 * problem.X.shape[1])
    assert set(problem.signs) == {-1, 1}
    assert problem.columns is None or len(problem.columns) == problem.X.shape[1]


@pytest.mark.parametrize("name", problems.names())
def test_the_catalogue(name):
    first, again = problems.ALL[name](), problems.ALL[name]()
    X, y = first
    assert np.array_equal(X, again.X)
    assert np.array_equal(y, again.y)
    assert X.ndim == 2
    assert len(X) == len(y)
    assert np.isfinite(X).all()
    assert first.description.endswith(".")
    if first.separable is not None:
        assert set(first.signs.tolist()) == {-1, 1}
        assert first.radius == pytest.approx(np.linalg.norm(X.astype(float), axis=1).max())


def test_other_seeds_give_other_rows():
    for make in (
        problems.separable,
        problems.quasi,
        problems.noisy,
        problems.barely_separable,
        problems.faces,
    ):
        assert not np.array_equal(make().X, make(random_state=1).X)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: problems.separable(1, 2),
        lambda: problems.separable(margin=0.0),
        lambda: problems.separable(margin=1e-60, dtype=np.float32),
        lambda: problems.separable(d=3, direction="diagonal"),
        lambda: problems.separable(direction="up"),
        lambda: problems.separable(dtype=np.int32),
        lambda: problems.noisy(10, 2, flips=5),
        lambda: problems.boolean("maybe"),
        lambda: problems.boolean([0, 1, 2, 0]),
        lambda: problems.greater_than(11),
        lambda: problems.variable_steps(1.0),
        lambda: problems.iris("rose"),
        lambda: problems.iris("setosa", "setosa"),
        lambda: problems.digits(10),
        lambda: problems.adversarial_stream(margin=2.0),
        lambda: problems.diabetes().signs,
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(wrong):
    with pytest.raises(ValueError, match=r"\.$"):
        wrong()


def test_importing_needs_numpy_alone():
    code = "import sys, separatrix.problems; sys.exit(bool({'sklearn', 'scipy', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
