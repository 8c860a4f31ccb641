"""One test a theorem of separation, named after it."""

from __future__ import annotations

from fractions import Fraction

import naive_separation as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.algorithms.separation import separate


@st.composite
def tables(draw):
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    entry = st.integers(-2, 2).map(float)
    X = np.array(draw(st.lists(st.lists(entry, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    return X, y


def signed(X, y):
    return naive.signed_rows(X.tolist(), (2 * y - 1).tolist(), True)


def rank(rows):
    return len(rows) - len(naive.dependencies(rows))


@settings(max_examples=60)
@given(tables())
def test_gordan(table):
    """Exactly one: a strict separator, or positive multipliers that cancel."""
    answer = separate(*table)
    assert (answer.halfspace is not None and answer.separable) != (answer.conflict is not None)


@settings(max_examples=60)
@given(tables())
def test_caratheodory(table):
    """A conflict needs at most one row more than there are dimensions, here d + 2, and is irreducible."""
    X, y = table
    answer = separate(X, y)
    if answer.conflict is not None:
        assert len(answer.conflict.rows) <= X.shape[1] + 2
        assert len(naive.dependencies([signed(X, y)[i] for i in answer.conflict.rows])) == 1


@settings(max_examples=60)
@given(tables())
def test_stiemke_with_the_size_of_steinitz(table):
    """Overlap has at most 2(d + 1) rows with positive multipliers that cancel and span all rows."""
    X, y = table
    answer = separate(X, y)
    if answer.kind == "overlap":
        certificate, rows = answer.certificate, signed(X, y)
        assert len(certificate.rows) <= 2 * (X.shape[1] + 1)
        assert rank([rows[i] for i in certificate.rows]) == rank(rows)


@settings(max_examples=60)
@given(tables())
def test_albert_anderson(table):
    """Three kinds; the rows on a maximal weak separator are those of all conflicts."""
    X, y = table
    answer, rows = separate(X, y), signed(X, y)
    assert answer.kind == naive.kind_of(rows)
    if answer.kind == "quasi":
        w = [Fraction(v) for v in answer.halfspace.numbers]
        on = {i for i, row in enumerate(rows) if sum(a * b for a, b in zip(row, w, strict=True)) == 0}
        assert on == naive.in_conflict(rows)


def test_strong_duality_of_the_margin():
    """The largest margin is the least norm of a mixture of rows: both ends meet in one rational number."""
    X, y = np.array([[0.0, 0.0], [1.0, 3.0], [4.0, 1.0], [6.0, 6.0]]), np.array([0, 0, 1, 1])
    answer = separate(X, y)
    for geometric in (True, False):
        square = answer.squared_margin(geometric=geometric)
        bracket = answer.bracket(geometric=geometric)
        assert Fraction(bracket.lower) ** 2 <= square <= Fraction(bracket.upper) ** 2
        assert bracket.upper == pytest.approx(bracket.lower, rel=1e-12)


def test_farkas():
    """w_j is never negative on the recession cone exactly when e_j is in the cone of the rows."""
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 1.0]]), np.array([0, 0, 1, 1, 1])
    answer = separate(X, y)
    assert [*answer.unbounded, answer.unbounded.intercept] == naive.unbounded(signed(X, y))
