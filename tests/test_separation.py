"""`separate` is never wrong: against brute force, on the failures of others, under exact changes."""

from __future__ import annotations

import pickle
from fractions import Fraction
from types import SimpleNamespace

import naive_separation as naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from separatrix import problems
from separatrix.algorithms.separation import scan, separate
from separatrix.rows import Rows, as_rows

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])

SMALL_WHOLE = st.integers(-3, 3).map(float)
NEAR_TIES = st.builds(lambda a, b: a + b * 2.0**-52, st.integers(0, 1), st.integers(-2, 2))
FAR_NEAR_TIES = st.builds(lambda a, b: a + b * 2.0**-26, st.integers(2**26, 2**26 + 1), st.integers(-2, 2))
SCALES = st.builds(lambda a, e: a * 2.0**e, st.integers(-2, 2), st.integers(-60, 60))
EXTREMES = st.builds(lambda a, e: float(np.ldexp(float(a), e)), st.integers(-2, 2), st.integers(-1074, 1020))
FLOATS = st.floats(-1e3, 1e3, width=32)


@st.composite
def instances(draw):
    values = draw(st.sampled_from([SMALL_WHOLE, NEAR_TIES, FAR_NEAR_TIES, SCALES, EXTREMES, FLOATS]))
    n, d = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    X = np.array(draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n)))
    if d > 1 and draw(st.booleans()):
        X[:, 1] = X[:, 0]
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    return X, y, draw(st.booleans())


def assert_right(X, y, intercept, *, coefficients=True):
    """The kind, the halfspace, the conflict and every certificate, against brute force."""
    rows = naive.signed_rows(X.tolist(), (2 * y - 1).tolist(), intercept)
    face = naive.in_conflict(rows)
    answer = separate(X, y, intercept=intercept)
    assert answer.kind == naive.kind_of(rows)
    assert answer.separable == (answer.kind == "complete")
    if face:
        places, weights = answer.conflict
        assert min(weights) > 0
        assert len(places) <= X.shape[1] + intercept + 1
        assert all(
            sum(w * rows[i][j] for i, w in zip(places, weights, strict=True)) == 0
            for j in range(len(rows[0]))
        )
        assert len(naive.dependencies([rows[i] for i in places])) == 1  # so that it is irreducible
    else:
        assert answer.conflict is None
    if answer.kind != "overlap":
        numbers = [Fraction(value) for value in answer.halfspace.numbers][: len(rows[0])]
        margins = [sum(a * b for a, b in zip(row, numbers, strict=True)) for row in rows]
        assert all(margin == 0 if i in face else margin > 0 for i, margin in enumerate(margins))
    verdict = answer.certificate.verify(X, y)
    assert verdict.holds, verdict.reason
    if coefficients:
        words = [*answer.unbounded, *([answer.unbounded.intercept] if intercept else [])]
        assert words == naive.unbounded(rows)
    return answer


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(instances())
@example((np.array([[0.0], [0.0]]), np.array([0, 1]), False))
@example((np.array([[5e-324], [-5e-324]]), np.array([0, 1]), True))
@example((np.array([[2.0**1020], [-(2.0**1020)]]), np.array([0, 1]), False))
def test_agrees_with_brute_force(instance):
    assert_right(*instance, coefficients=False)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances())
def test_every_coefficient_agrees_with_brute_force(instance):
    assert_right(*instance)


@pytest.mark.deep
@settings(max_examples=10_000, deadline=None)
@given(instances())
def test_agrees_with_brute_force_at_length(instance):
    assert_right(*instance)


# --- the failures of others ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        ([[20_000], [30_000], [60_000], [90_000]], [0, 0, 1, 1], "complete"),
        ([[0], [1], [1 + 1e-7], [2]], [0, 1, 0, 1], "overlap"),
        ([[0], [1], [1 + 1e-10], [2]], [-1, -1, 1, 1], "complete"),
        ([[0], [1], [1], [2]], [0, 0, 1, 1], "quasi"),
        (XOR.tolist(), [0, 1, 1, 0], "overlap"),
        ((XOR * 2.0**-1060).tolist(), [0, 1, 1, 0], "overlap"),
        ([[1e300], [1.0000000000000002e300]], [0, 1], "complete"),
        ([[1.0, 1.0], [1.0, 1.0]], [0, 1], "overlap"),
    ],
)
def test_where_floating_point_fails(X, y, kind):
    answer = separate(X, y)
    assert answer.kind == kind
    assert answer.certificate.verify(X, y).holds


@pytest.mark.parametrize("shift", [0.0, 100.0, 1e8])
def test_shifted_data_is_as_separable_as_before(shift):
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 5))
    w = np.array([1.0, -2.0, 0.5, 1.5, -1.0])
    scores = X @ w
    X += np.outer(np.sign(scores) * 0.1, w) / (w @ w)
    assert separate(X + shift, scores > 0).kind == "complete"


@pytest.mark.parametrize("bits", [12, 32, 40])
def test_greater_than_needs_weights_that_double(bits):
    """Comparing two k-bit numbers is linear with weights up to 2^k: where float solvers err."""
    random = np.random.default_rng(bits)
    rows, labels = [], []
    for place in range(bits):
        for a, b in (
            (1 << place, (1 << place) - 1),
            ((1 << place) - 1, 1 << place),
            (1 << place, 1 << place),
        ):
            rows.append([(v >> i) & 1 for v in (a, b) for i in range(bits)])
            labels.append(int(a > b))
    for a, b in random.integers(0, 2**bits, (60, 2)).tolist():
        rows.append([(v >> i) & 1 for v in (a, b) for i in range(bits)])
        labels.append(int(a > b))
    answer = separate(np.array(rows, float), labels)
    assert answer.kind == "complete"
    assert answer.certificate.verify(np.array(rows, float), labels).holds


def test_sixty_bits_are_settled_in_whole_numbers():
    problem = problems.greater_than(60, pairs=40)
    answer = separate(problem.X, problem.y)
    assert answer.kind == "complete"
    assert answer.certificate.verify(problem.X, problem.y).holds


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_contradictory_twins_are_the_conflict(form):
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 5))
    y = random.integers(0, 2, 400)
    X[311], y[311] = X[17], 1 - y[17]
    X[5, 0], X[6, 0], X[5, 1:], y[5], y[6] = 0.0, -0.0, X[6, 1:], 0, 1
    for intercept in (True, False):
        answer = separate(form(X), y, intercept=intercept)
        assert answer.conflict == ((5, 6), (1, 1))
        assert all(certificate.verify(X, y).holds for certificate in answer.certificates)
    assert separate(form(X), y).common_point == tuple(map(Fraction, X[5]))


@pytest.mark.parametrize("power", [61, 122, 610, 671])
def test_differences_that_vanish_modulo_a_mersenne_prime(power):
    """2^61 - 1 divides 2^61k - 1: whoever counts dimensions modulo it takes two columns for one."""
    x = 2.0**-power
    for X, y in (
        ([[1.0], [1.0], [x], [0.0], [0.0], [x]], [0, 1, 0, 0, 0, 1]),
        ([[1.0, 1.0], [1.0, x], [x, 1.0], [1.0, 1.0]], [0, 1, 0, 1]),
    ):
        assert_right(np.array(X), np.array(y), True)
        assert_right(np.array(X), np.array(y), False)


def test_labels_below_rounding():
    """Rows on a hyperplane up to the last bits, labelled by the exact sign."""
    random = np.random.default_rng(1)
    w = random.normal(size=6)
    X = random.normal(size=(400, 6))
    X[:, -1] = -(X[:, :-1] @ w[:-1]) / w[-1]
    exact = [
        sum(Fraction(a) * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in X.tolist()
    ]
    keep = [i for i, value in enumerate(exact) if value]
    y = np.array([exact[i] > 0 for i in keep])
    answer = separate(X[keep], y, intercept=False)
    assert answer.kind == "complete"
    assert answer.certificate.verify(X[keep], y).holds


def test_witness_beyond_doubles():
    p = 2**53
    X, y = np.array([[p - 1, -(p - 2)], [p, -(p - 1)]], float), [1, 0]
    answer = separate(X, y, intercept=False)
    assert answer.kind == "complete"
    assert all(isinstance(value, int) for value in answer.halfspace.numbers[:-1])
    assert answer.certificate.verify(X, y).holds


def test_more_columns_than_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 200))
    y = random.integers(0, 2, 30)
    assert separate(X, y).kind == "complete"
    doubled = np.vstack([X, X])
    assert separate(doubled, np.append(y, 1 - y)).kind == "overlap"
    assert separate(np.vstack([X, X[:1]]), np.append(y, 1 - y[0])).kind == "quasi"


def test_more_columns_than_rows_beyond_floats():
    """Independent rows of wild sizes: plain to floats as points, not as a hyperplane in doubles."""
    random = np.random.default_rng(9)
    for _ in range(20):
        X = np.ldexp(random.integers(-2, 3, (6, 11)).astype(float), random.integers(-1000, 1000, (6, 11)))
        y = np.array([0, 1, 0, 1, 0, 1])
        answer = separate(X, y, intercept=False)
        assert answer.certificate.verify(X, y).holds


def test_sparse_rows_in_more_columns_than_rows():
    """Independent sparse rows need no search; margins asked for later are those of the same rows, dense."""
    random = np.random.default_rng(6)
    X = random.integers(1, 9, (12, 40)) * (random.random((12, 40)) < 0.3)
    X = np.ldexp(X.astype(float), random.integers(-30, 30, 40))
    y = random.integers(0, 2, 12)
    for intercept in (True, False):
        answer = separate(csr_array(X), y, intercept=intercept)
        assert answer.kind == "complete"
        assert answer.certificate.verify(X, y).holds
        full = separate(X, y, intercept=intercept)
        assert answer.margin.lower <= full.margin.upper
        assert full.margin.lower <= answer.margin.upper
        assert answer.unbounded == full.unbounded
    twins = csr_array(np.vstack([X, X[:1]]))
    assert separate(twins, np.append(y, 1 - y[0])).kind == "quasi"
    empty = X.copy()
    empty[0] = 0.0
    assert separate(csr_array(empty), y, intercept=False).kind == "quasi"
    assert separate(csr_array(empty), y).kind == "complete"
    assert separate(csr_array(X * 2.0**900), y).kind == "complete"


# --- invariance ---------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None, derandomize=True)
@given(instances(), st.randoms(use_true_random=False), st.integers(-40, 40))
def test_exact_changes_do_not_change_the_verdict(instance, random, power):
    X, y, intercept = instance
    sizes = np.abs(X[X != 0])
    if sizes.min(initial=1.0) < 1e-200 or sizes.max(initial=1.0) > 1e200:
        return
    kind = separate(X, y, intercept=intercept).kind
    order = list(range(len(y)))
    random.shuffle(order)
    again = [*order, order[0]]
    columns = [*range(X.shape[1]), 0]
    random.shuffle(columns)
    changed = X[again][:, columns] * 2.0 ** np.array([power * (j % 2) for j in range(len(columns))])
    assert separate(changed, y[again], intercept=intercept).kind == kind
    assert separate(X, 1 - y, intercept=intercept).kind == kind
    if intercept:
        assert separate(np.column_stack([X, np.full(len(y), 8.0)]), y).kind == kind


def test_sparse_dense_and_narrow_agree():
    random = np.random.default_rng(5)
    X = random.integers(0, 2, (200, 12)).astype(np.float32)
    y = random.integers(0, 2, 200)
    answers = [
        separate(X, y),
        separate(X.astype(np.float64), y),
        separate(csr_array(X), y),
        separate(as_rows(X, y)),
    ]
    assert {answer.kind for answer in answers} == {answers[0].kind}
    assert len({answer.conflict for answer in answers}) == 1


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (
            "complete",
            {"SmallestMargins", "MarginSigns", "BlockRanges", "StandardisedMoments", "LargestSquare"},
        ),
        ("quasi", {"SmallestMargins", "ExactViolators"}),
        ("overlap", {"Fingerprints"}),
    ],
)
def test_what_is_asked_of_blocks_may_be_asked_in_another_process(kind, asked, form, monkeypatch):
    random = np.random.default_rng(3)
    X = random.integers(-9, 10, (400, 3)).astype(float)
    X[:, 0] += np.where(X[:, 0] == 0, kind == "complete", 0)
    y = X[:, 0] > 0
    changed = {"complete": [], "quasi": np.flatnonzero(X[:, 0] == 0), "overlap": range(0, 400, 20)}[kind]
    y[changed] = random.random(len(changed)) < 0.5

    def answers():
        answer = separate(form(X), y)
        squared = answer.squared_margin()
        return answer.kind, answer.conflict, answer.margin, answer.standardised_margin, squared, answer.radius

    expected = answers()
    terms = set()

    def pickled(rows, term, *, parallel_blas=False):
        content = pickle.dumps(term)
        terms.add(type(getattr(term, "pick", term)).__name__)
        return (pickle.loads(content)(block) for block in rows.blocks())

    monkeypatch.setattr(Rows, "each", pickled)
    assert answers() == expected
    assert expected[0] == kind
    assert asked <= terms


def test_one_class_against_the_rest():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "c"]
    assert separate(X, y, positive="c").kind == "complete"
    assert separate(X, y, positive="b").kind == "overlap"


def test_time_limit_gives_undecided_and_never_a_guess():
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 20))
    answer = separate(X, X @ random.normal(size=20) > 0, time_limit=0.0)
    assert answer.kind == "undecided"
    assert not answer.certificate.verify(X, X[:, 0] > 0).holds
    assert answer.halfspace is None
    assert answer.conflict is None


@pytest.mark.parametrize("seed", range(12))
def test_unbounded_coefficients_of_few_rows(seed):
    """More columns than rows, some of them dependent or zero: against brute force."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (int(rng.integers(2, 5)), 5)).astype(float)
    X[:, 1] = X[:, 0] if seed % 3 else 0.0
    X[-1] = X[0] * (seed % 4 > 0)
    y = np.arange(len(X)) % 2
    answer = separate(X, y, intercept=bool(seed % 2))
    words = [*answer.unbounded, *([answer.unbounded.intercept] if seed % 2 else [])]
    assert words == naive.unbounded(naive.signed_rows(X.tolist(), (2 * y - 1).tolist(), bool(seed % 2)))


def test_a_first_run_that_compiles_kernels_proves_as_much(monkeypatch):
    """A minute of compiling is no part of a time limit of two seconds."""
    clock, compiled = iter(np.arange(0.0, 1e6, 60.0)), iter(np.arange(0.0, 1e6, 60.0))
    monkeypatch.setattr(scan, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(scan, "seconds_compiling", lambda: next(compiled))
    assert separate([[0.0], [1.0], [0.0]], [0, 1, 1], time_limit=2).kind == "quasi"
    monkeypatch.setattr(scan, "seconds_compiling", lambda: 0.0)
    assert separate([[0.0], [1.0], [0.0]], [0, 1, 1], time_limit=2).kind == "undecided"
