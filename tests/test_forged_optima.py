"""Claims about optima at the edge of what they prove, over numbers of every size: `verify`, the independent
checker and a naive evaluation in fractions give one and the same verdict.
"""

from __future__ import annotations

import itertools
import json
import math
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separatrix as sx
from separatrix.certificates import (
    CertificateError,
    GradientAtMost,
    SoftMarginWithin,
    SolutionWithin,
    from_dict,
)
from separatrix.certificates.check.__main__ import verdict
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable

MAX, MIN, TINY = 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308
EXTREME = [0.0, MIN, TINY, 1e-300, 2.0**-700, 1e-160, 1e-20, 1e20, 1e160, 1e300, MAX]
plain = st.integers(-8, 8).map(float) | st.floats(-4, 4, width=16) | st.floats(-3, 3)
entries = plain | st.sampled_from([s * v for v in EXTREME for s in (1.0, -1.0)])
sizes = st.sampled_from([1.0, 0.5, 3.0, 0.1, 1e-3, 1e6, *EXTREME[1:]])


def judged(record: dict[str, Any], X: list[list[float]], y: list[Any]) -> bool:
    """Whether it holds; both checks say the same. One that cannot be read does not hold."""
    try:
        ours = from_dict(record).verify(X, y).holds
    except CertificateError:
        ours = False
    with tempfile.TemporaryDirectory() as folder:
        certificate, data = Path(folder, "c.json"), Path(folder, "d.csv")
        certificate.write_text(json.dumps(record))
        header = [f"x{j}" for j in range(len(X[0]))] + ["y"]
        lines = [header, *([*map(repr, row), repr(label)] for row, label in zip(X, y, strict=True))]
        data.write_text("\n".join(map(",".join, lines)))
        try:
            theirs = bool(verdict(str(certificate), str(data)))
        except (Refused, Unreadable):
            theirs = False
    assert ours == theirs, record
    return ours


def below(value: Fraction) -> float:
    """The largest double not above a value."""
    near = _near(value)
    return near if math.isinf(near) or Fraction(near) <= value else math.nextafter(near, -math.inf)


def _near(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def soft_margin(claim: SoftMarginWithin, X: list[list[float]], signs: list[int]) -> tuple[Fraction, Any]:
    """The primal and the dual value of a witness, read off their definitions; None: it proves nothing."""
    squared, bias = claim.loss == "squared_hinge", Fraction(claim.intercept or 0.0)
    listed = dict(zip(claim.rows, claim.multipliers, strict=True))
    primal = sum(Fraction(w) ** 2 for w in claim.weights) / 2
    value, balance, feasible = Fraction(0), Fraction(0), True
    total = [Fraction(0)] * len(claim.weights)
    for i, (x, s) in enumerate(zip(X, signs, strict=True)):
        cost = Fraction(claim.C) * (1 if claim.row_weights is None else Fraction(claim.row_weights[i]))
        score = sum(Fraction(w) * Fraction(v) for w, v in zip(claim.weights, x, strict=True)) + bias
        short = max(Fraction(0), 1 - s * score)
        primal += cost * (short**2 if squared else short)
        follows = cost * (Fraction(math.floor(short * 2**30), 2**29) if squared else short > 0)
        alpha = Fraction(listed[i], 2**claim.exponent) if i in listed else follows
        feasible &= alpha <= cost if not squared else bool(cost or not alpha)
        value += alpha - (alpha**2 / (4 * cost) if squared and cost else 0)
        balance += s * alpha
        total = [t + s * alpha * Fraction(v) for t, v in zip(total, x, strict=True)]
    dual = value - sum(t * t for t in total) / 2
    return primal, dual if feasible and (claim.intercept is None or not balance) else None


@st.composite
def margins(draw: Any) -> tuple[list[Any], list[list[float]], list[int]]:
    n, d = draw(st.integers(2, 5)), draw(st.integers(1, 2))
    row = st.lists(entries, min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n, max_size=n))
    signs = [1, -1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    C, squared = draw(sizes.filter(lambda c: c > 0)), draw(st.booleans())
    weighed = st.none() | st.lists(
        st.sampled_from([0.0, 1.0, 2.0, 0.3, 1e-300, 1e300]), min_size=n, max_size=n
    )
    rows = sorted(draw(st.sets(st.integers(0, n - 1))))
    exponent = draw(st.sampled_from([0, 1, 30, 700, 1100]))
    top = 2**exponent
    counts = st.sampled_from([0, 1, top // 2, top, int(Fraction(C) * top), 10**400])
    loss = "squared_hinge" if squared else "hinge"
    witness = [draw(row), draw(st.none() | entries), C, loss, 0.0, 0.0, rows, [draw(counts) for _ in rows]]
    return [*witness, exponent, draw(weighed)], X, signs


@settings(max_examples=250, deadline=None)
@given(margins(), st.sampled_from([(0, 0), (1, 0), (0, 1), (1, 1), (-1, -1)]))
def test_a_soft_margin_claim_is_judged_to_the_last_bit(drawn: Any, moves: tuple[int, int]) -> None:
    """Bounds next to the exact values, or one double beyond them on either side."""
    witness, X, signs = drawn
    claim = SoftMarginWithin(*witness)
    primal, dual = soft_margin(claim, X, signs)
    upper, lower = below(primal), below(0 if dual is None else dual)
    for _ in range(abs(moves[0])):
        upper = math.nextafter(upper, math.copysign(math.inf, moves[0]))
    for _ in range(abs(moves[1])):
        lower = math.nextafter(lower, math.copysign(math.inf, moves[1]))
    upper, lower = (max(-MAX, min(MAX, value)) for value in (upper, lower))
    record = {**claim.to_dict(), "upper": upper, "lower": lower}
    record["about"] = {**record["about"], "positive": 1}
    true = dual is not None and primal <= Fraction(upper) and dual >= Fraction(lower)
    assert judged(record, X, signs) == true


def solved(X: Any, y: Any, constant: bool, alpha: Fraction, weights: Any) -> list[Fraction] | None:
    """One column: the coefficients by the formula; None where every row weighs nothing."""
    s = [Fraction(v) for v in weights or [1.0] * len(y)]
    x, y = [Fraction(row[0]) for row in X], [Fraction(v) for v in y]
    total = sum(s)
    if constant and not total:
        return None
    mean = [
        sum(a * b for a, b in zip(s, v, strict=True)) / total if constant else Fraction(0) for v in (x, y)
    ]
    moved = [(a, b - mean[0], c - mean[1]) for a, b, c in zip(s, x, y, strict=True)]
    square, product = sum(a * b * b for a, b, _ in moved) + alpha, sum(a * b * c for a, b, c in moved)
    w = product / square if square else Fraction(0)
    return [w, mean[1] - w * mean[0]] if constant else [w]


@st.composite
def fits(draw: Any) -> tuple[Any, ...]:
    n = draw(st.integers(1, 4))
    X = [[draw(entries)] for _ in range(n)]
    y = [draw(entries) for _ in range(n)]
    weights = draw(
        st.none()
        | st.lists(st.sampled_from([0.0, 1.0, 3.0, 0.1, MIN, 1e-300, 1e300]), min_size=n, max_size=n)
    )
    return X, y, draw(st.booleans()), draw(st.sampled_from([0.0, 0.0, 1.0, 0.1, 1e-300, 1e300])), weights


@settings(max_examples=250, deadline=None)
@given(fits(), st.lists(entries, min_size=2, max_size=2), st.booleans(), st.sampled_from([-1, 0, 1, 9]))
def test_a_distance_is_judged_to_the_last_bit(drawn: Any, guess: list[float], near: bool, move: int) -> None:
    X, y, constant, alpha, weights = drawn
    exact = solved(X, y, constant, Fraction(alpha), weights)
    given = [guess[j] if not near or exact is None else _near(exact[j]) for j in range(1 + constant)]
    given = [max(-MAX, min(MAX, value)) for value in given]
    errors = (
        [Fraction(0)] if exact is None else [abs(Fraction(g) - e) for g, e in zip(given, exact, strict=True)]
    )
    allowed = []
    for error in errors if exact is not None else [Fraction(1)] * len(given):
        bound = below(error)
        for _ in range(abs(move)):
            bound = math.nextafter(bound, math.copysign(math.inf, move))
        allowed.append(max(0.0, min(MAX, bound)))
    distance = min(MAX, 2 * max(allowed))
    claim = SolutionWithin(
        given[:1], given[1] if constant else None, alpha, distance, allowed, sample_weight=weights
    )
    true = exact is not None and all(e <= Fraction(a) for e, a in zip(errors, allowed, strict=True))
    true = true and sum(e * e for e in errors) <= Fraction(distance) ** 2
    assert judged(claim.to_dict(), X, y) == true


@settings(max_examples=150, deadline=None)
@given(fits(), st.lists(entries, min_size=2, max_size=2), st.sampled_from([-1, 0, 1]))
def test_a_gradient_is_judged_to_the_last_bit(drawn: Any, guess: list[float], move: int) -> None:
    X, y, constant, alpha, weights = drawn
    w, b = Fraction(guess[0]), Fraction(guess[1] if constant else 0.0)
    rest = [
        Fraction(s) * (Fraction(t) - w * Fraction(x[0]) - b)
        for x, t, s in zip(X, y, weights or [1.0] * len(y), strict=True)
    ]
    slope = Fraction(alpha) * w - sum(r * Fraction(x[0]) for r, x in zip(rest, X, strict=True))
    square = slope**2 + (sum(rest) ** 2 if constant else 0)
    root = Fraction(math.isqrt(square.numerator << 4600), math.isqrt(square.denominator << 4600))
    bound = below(root)
    for _ in range(abs(move)):
        bound = math.nextafter(bound, math.copysign(math.inf, move))
    bound = max(0.0, min(MAX, bound))
    claim = GradientAtMost(guess[:1], guess[1] if constant else None, alpha, bound, sample_weight=weights)
    assert judged(claim.to_dict(), X, y) == (square <= Fraction(bound) ** 2)


X = [[0.0, 1.0], [2.0, 0.5], [1.0, 1.0], [3.0, -2.0], [1.5, 0.25], [1.5, 0.25]]
CLAIMS = {
    "hinge": (sx.LinearSVM(C=0.7), [0, 1, 0, 1, 1, 0], None),
    "squared hinge": (sx.LinearSVM(C=0.7, loss="squared_hinge"), [0, 1, 0, 1, 1, 0], [1, 2, 0.3, 1, 1, 0]),
    "least squares": (sx.LinearRegression(), [0.5, 1.0, -2.0, 0.25, 3.0, 1.0], [1, 2, 0.3, 1, 1, 0]),
    "ridge": (sx.Ridge(alpha=0.3), [0.5, 1.0, -2.0, 0.25, 3.0, 1.0], None),
}
WRONG: list[Any] = ["nan", "inf", "1", "1.5", "0x1", "", None, True, [], {}, [[1.0]], "9" * 400]
WRONG += ["0x" + "9" * 400, "-0x" + "9" * 14]


@pytest.mark.parametrize("name", CLAIMS)
def test_no_field_can_be_changed_and_hold(name: str) -> None:
    """Each field in turn: dropped, doubled, of a wrong kind, or moved so that the claim is false."""
    model, y, weights = CLAIMS[name]
    certificate = model.fit(X, y, sample_weight=weights).certificate_
    record = certificate.to_dict()
    assert judged(record, X, y)
    head = {"format", "version", "kind", "claim", "about"}
    for field in record.keys() - head:
        dropped = {key: value for key, value in record.items() if key != field}
        assert not judged(dropped, X, y)
        for wrong in WRONG:
            if wrong is None and field in {"intercept", "row_weights", "sample_weight"}:
                continue
            if wrong == [] and record[field] == []:
                continue
            assert not judged({**record, field: wrong}, X, y), (field, wrong)
        if isinstance(record[field], list) and record[field]:
            for wrong in ("nan", None, [1.0], "1", "9" * 400, "0x" + "9" * 400):
                changed = [*record[field][:-1], wrong]
                assert not judged({**record, field: changed}, X, y), (field, wrong)
            assert not judged({**record, field: [*record[field], record[field][-1]]}, X, y)
            assert not judged({**record, field: record[field][:-1]}, X, y)
    for about in ({"digest": "sha256:" + "0" * 64}, {"rows": 7}, {"columns": 3}, {"digest": "sha256:1"}):
        assert not judged({**record, "about": {**record["about"], **about}}, X, y)
    assert not judged(record, [*X[:-1], [1.5, 0.26]], y)
    assert not judged(record, X, [*y[:-1], 1 - y[-1]])


@pytest.mark.parametrize("model", [sx.Ridge(alpha=1.0), sx.LinearRegression()])
def test_a_target_of_minus_zero_is_zero(model: Any) -> None:
    points = [[1.0], [2.0], [-0.0]]
    record = model.fit(points, [-0.0, 1.0, 2.0]).certificate_.to_dict()
    assert record["about"] == model.fit(points, [0.0, 1.0, 2.0]).certificate_.to_dict()["about"]
    for zero in (-0.0, 0.0):
        assert judged(record, points, [zero, 1.0, 2.0])
        assert not judged(record, points, [zero + 5e-324, 1.0, 2.0])


def test_multipliers_must_be_feasible() -> None:
    points, signs = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    record = SoftMarginWithin((1.0,), -1.5, 1.0, "hinge", 6.0, 0.0, (0, 3), (0, 0), 0).to_dict()
    assert judged(record, points, signs)
    for change in (
        {"multipliers": [0, -1]},
        {"rows": [3, 3]},
        {"rows": [3, 0]},
        {"rows": [0, 4]},
        {"loss": "Hinge"},
        {"loss": "logistic"},
        {"exponent": -1},
        {"exponent": 1 << 17},
        {"C": 0.0},
        {"C": -1.0},
        {"row_weights": [1.0, 1.0, 1.0, -1.0]},
        {"row_weights": [1.0, 1.0, 1.0]},
        {"row_weights": [1.0, 1.0, 1.0, hex(2**53 + 1)]},
    ):
        assert not judged({**record, **change}, points, signs), change
    for counts, feasible in (([1, 1], True), ([2, 2], False), ([1, 0], False)):
        assert judged({**record, "multipliers": counts}, points, signs) == feasible
    written = {**record, "C": 1, "upper": 6, "weights": [1], "row_weights": [1, 1, 1.0, 1]}
    assert judged(written, points, signs)


def best_hinge(X: list[list[int]], signs: list[int], C: Fraction) -> Fraction:
    """The least soft margin of one or two columns with a free intercept, by every split of its multipliers
    into 0, C and between: those between have margin 1, an exact system of equations.
    """
    from flint import fmpq, fmpq_mat

    n, d = len(X), len(X[0])
    kernel = [
        [sum(a * b for a, b in zip(p, q, strict=True)) * s * t for q, t in zip(X, signs, strict=True)]
        for p, s in zip(X, signs, strict=True)
    ]
    found: list[Fraction] = []
    for states in itertools.product((0, 1, 2), repeat=n):
        free = [i for i in range(n) if states[i] == 2]
        full = [i for i in range(n) if states[i] == 1]
        if len(free) > d + 1:
            continue
        k = len(free)
        A, c = fmpq_mat(k + 1, k + 1), fmpq_mat(k + 1, 1)
        cost = fmpq(C.numerator, C.denominator)
        for a, i in enumerate(free):
            for b, j in enumerate(free):
                A[a, b] = fmpq(kernel[i][j])
            A[a, k] = A[k, a] = fmpq(signs[i])
            c[a, 0] = 1 - sum((cost * kernel[i][j] for j in full), fmpq(0))
        c[k, 0] = -sum((cost * signs[j] for j in full), fmpq(0))
        if (k and A.det() == 0) or (not k and c[0, 0] != 0):
            continue
        alpha = [Fraction(0)] * n
        for j in full:
            alpha[j] = C
        if k:
            solution = A.solve(c)
            for a, i in enumerate(free):
                alpha[i] = Fraction(int(solution[a, 0].p), int(solution[a, 0].q))
        if all(0 <= a <= C for a in alpha) and sum(s * a for s, a in zip(signs, alpha, strict=True)) == 0:
            pull = [sum(a * s * x[j] for a, s, x in zip(alpha, signs, X, strict=True)) for j in range(d)]
            found.append(sum(alpha) - sum(p * p for p in pull) / 2)
    return max(found)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_the_bracket_holds_the_optimum_of_every_active_set(data: Any) -> None:
    """The largest dual value over all vertices of the conditions is the optimum: it lies in the bracket."""
    n, d = data.draw(st.integers(3, 6)), data.draw(st.integers(1, 2))
    row = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    points = data.draw(st.lists(row, min_size=n, max_size=n))
    signs = [1, -1, *data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    C = data.draw(st.sampled_from([Fraction(1, 8), Fraction(1), Fraction(7, 2), Fraction(64)]))
    model = sx.LinearSVM(C=float(C)).fit([[float(v) for v in p] for p in points], signs)
    best = best_hinge(points, signs, C)
    assert Fraction(model.lower_bound_) <= best <= Fraction(model.objective_)
    assert model.gap_ <= 1e-8
