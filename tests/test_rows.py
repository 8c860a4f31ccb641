"""Rows: blocks of the same numbers however they are kept, six requests, and errors told in one sentence."""

from __future__ import annotations

import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix, dia_array, lil_array

import separatrix as sx
from separatrix.rows import Csr, DenseRows, SparseRows, as_rows, encode, jobs
from separatrix.rows import rows as sequence


def table(seed=0, n=41, d=4):
    return np.random.default_rng(seed).normal(size=(n, d))


def dense(block, rows):
    X = block.X
    if isinstance(X, Csr):
        return csr_array((X.data, X.indices, X.indptr), shape=(len(block), rows.n_columns)).toarray()
    return X


def values_of(rows):
    """All rows as one dense array, read block by block."""
    parts = []
    for block in rows.blocks():
        X = dense(block, rows)
        assert len(X) == len(block) == block.stop - block.start
        parts.append(X)
    return np.concatenate(parts)


def labelled(X, y, kind=DenseRows, **options):
    classes, codes = encode(y)
    return kind(X, codes, classes, **options)


# Blocks


def test_the_array_behind_rows_is_in_its_own_layout():
    X = np.asfortranarray(table())
    rows = DenseRows(X)
    assert np.shares_memory(rows.array, X)
    assert rows.array.flags.f_contiguous
    assert rows.weighted(np.ones(41)).array is rows.array
    assert rows.centred(X[0]).array is None
    assert SparseRows(csr_array(X)).array is None


@pytest.mark.parametrize("size", [1, 7, 41, 1000])
def test_blocks_are_the_rows_in_order(size):
    X, y = table(), np.arange(41) % 3
    for kind, given_ in ((DenseRows, X), (SparseRows, csr_array(X))):
        rows = labelled(given_, y, kind, rows_in_block=size)
        for _ in range(2):  # again and again
            starts = [(block.start, block.stop) for block in rows.blocks()]
            assert starts == [(a, min(a + size, 41)) for a in range(0, 41, size)]
            assert values_of(rows).tolist() == X.tolist()
        codes = np.concatenate([block.codes for block in rows.blocks()])
        assert codes.tolist() == y.tolist()
        for positive in range(3):
            signs = np.concatenate([block.signs(positive) for block in rows.blocks()])
            assert signs.dtype == np.int8
            assert signs.tolist() == np.where(y == positive, 1, -1).tolist()


@pytest.mark.parametrize("kind", [DenseRows, SparseRows])
def test_a_part_of_a_block_is_not_copied(kind):
    X, y = table(), np.arange(41) % 2
    weights = np.arange(41.0)
    given = X if kind is DenseRows else csr_array(X)
    *_, block = labelled(given, y, kind, rows_in_block=25).weighted(weights).blocks()
    for first, stop in ((0, 16), (3, 11), (5, 6), (7, 7)):
        part, expected = block.part(first, stop), slice(25 + first, 25 + stop)
        assert (part.span, len(part)) == (expected, stop - first)
        assert part.dense().tolist() == X[expected].tolist()
        assert part.codes.tolist() == y[expected].tolist()
        assert part.signs().tolist() == np.where(y == 1, 1, -1)[expected].tolist()
        assert part.weights.tolist() == weights[expected].tolist()
        assert part.stored.size == 0 or np.shares_memory(part.stored, block.stored)


def test_a_c_ordered_array_is_read_in_place_and_cannot_be_written():
    for dtype in (np.float32, np.float64):
        X = table().astype(dtype)
        rows = as_rows(X)
        (block,) = rows.blocks()
        assert np.shares_memory(block.X, X)
        assert block.X.dtype == rows.dtype == dtype
        with pytest.raises(ValueError, match="read-only"):
            block.X[0, 0] = 1.0
        assert X.flags.writeable
    matrix = csr_array(table())
    (block,) = as_rows(matrix).blocks()
    assert np.shares_memory(block.X.data, matrix.data)


def test_other_layouts_are_copied_a_block_at_a_time():
    X = table()
    wide = np.zeros((82, 8))
    wide[::2, ::2] = X
    for view in (np.asfortranarray(X), wide[::2, ::2], np.ascontiguousarray(X[::-1])[::-1]):
        rows = DenseRows(view, rows_in_block=10)
        assert np.shares_memory(rows.X, view)
        for block in rows.blocks():
            assert block.X.flags.c_contiguous
            assert not block.X.flags.writeable
            assert block.X.tolist() == X[block.start : block.stop].tolist()


def test_the_same_numbers_from_every_container():
    X = np.round(table() * 8) / 8
    names = list("abcd")
    frame = pandas.DataFrame(X, columns=names)
    containers = [
        X,
        X.tolist(),
        X.astype(np.float32),
        X.astype(">f8"),
        X.astype(object),
        csr_array(X),
        csr_matrix(X),
        csc_array(X),
        coo_array(X),
        frame,
        frame.astype("float32"),
        frame.astype({"a": "Float64"}),
        frame.assign(a=frame["a"].astype(object)),
        polars.DataFrame(X, schema=names),
        pyarrow.Table.from_pandas(frame),
        pyarrow.table({name: pyarrow.chunked_array([X[:9, i], X[9:, i]]) for i, name in enumerate(names)}),
    ]
    for container in containers:
        rows = as_rows(container, np.arange(41) % 2)
        assert (rows.n_rows, rows.n_columns, len(rows)) == (41, 4, 41)
        assert values_of(rows).tolist() == X.tolist()
        assert rows.dtype in (np.float32, np.float64)
        has_names = hasattr(container, "columns")
        assert rows.columns == (tuple(names) if has_names else None)
        assert repr(rows).endswith("2 classes>")
    whole = np.array([[1, 0], [2, 3]])
    for container in (whole, whole.astype(bool), whole.astype(np.uint8), whole.astype(np.float16)):
        assert values_of(as_rows(container)).tolist() == container.astype(float).tolist()
    money = [[decimal.Decimal("0.5"), 1], [2, 3]]
    assert values_of(as_rows(money)).tolist() == [[0.5, 1.0], [2.0, 3.0]]


def test_rows_pass_through():
    rows = as_rows(table(), np.arange(41) % 2)
    assert as_rows(rows).X is rows.X
    with pytest.raises(sx.DataError, match="without y"):
        as_rows(rows, [0, 1])


def test_sparse_matrices_with_long_indices_or_entries_twice():
    X = np.round(table() * 8) / 8
    matrix = csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    y = np.arange(41) % 2
    assert values_of(as_rows(matrix)).tolist() == X.tolist()
    assert sx.PocketPerceptron(random_state=0).fit(matrix, y).predict(matrix).shape == (41,)
    halves = np.repeat(csr_array(X).data / 2, 2), np.repeat(csr_array(X).indices, 2), 2 * csr_array(X).indptr
    assert values_of(as_rows(csr_array(halves, shape=X.shape))).tolist() == X.tolist()


def test_a_broken_sparse_matrix_is_refused():
    for part, place, value in (
        ("indices", 3, 99),
        ("indices", 3, -1),
        ("indptr", -1, 9999),
        ("indptr", 5, 0),
    ):
        matrix = csr_array(table())
        getattr(matrix, part)[place] = value
        with pytest.raises(sx.DataError, match="sparse matrix is broken"):
            SparseRows(matrix)


def changed(layout, **parts):
    """A matrix of 6 x 4 numbers with other arrays in the place of its own."""
    matrix = layout(np.arange(1.0, 25.0).reshape(6, 4))
    for name, change in parts.items():
        setattr(matrix, name, change(getattr(matrix, name)))
    return matrix


def first(value, kind=np.int32):
    return lambda array: np.concatenate([[value], array[1:]]).astype(kind)


def last(value):
    return lambda array: np.concatenate([array[:-1], [value]]).astype(np.int32)


def one_row_of(value):
    return lambda rows: np.array([[value], *rows[1:]], dtype=object)


BROKEN = {
    "row index": lambda: changed(csr_array, indices=first(10**9)),
    "row index of 64 bits": lambda: changed(csr_array, indices=first(2**32, np.int64)),
    "row index below": lambda: changed(csr_array, indices=first(-1)),
    "row pointer": lambda: changed(csr_array, indptr=last(10**9)),
    "row pointers lost": lambda: changed(csr_array, indptr=lambda pointers: pointers[:0]),
    "row pointers in a list": lambda: changed(csr_array, indptr=list),
    "indices in halves": lambda: changed(csr_array, indices=lambda indices: indices / 2),
    "column index": lambda: changed(csc_array, indices=first(10**9)),
    "column pointer": lambda: changed(csc_array, indptr=last(10**9)),
    "column values lost": lambda: changed(csc_array, data=lambda data: data[:1]),
    "block index": lambda: changed(bsr_array, indices=first(10**9)),
    "block pointer": lambda: changed(bsr_array, indptr=last(10**9)),
    "block size": lambda: changed(bsr_array, data=lambda data: data[:, :0]),
    "coordinate": lambda: changed(coo_array, coords=lambda places: (first(10**9)(places[0]), places[1])),
    "coordinate below": lambda: changed(coo_array, coords=lambda places: (places[0], first(-7)(places[1]))),
    "coordinates lost": lambda: changed(coo_array, data=lambda data: np.ones(10**5)),
    "diagonals": lambda: changed(dia_array, offsets=lambda offsets: offsets[:1]),
    "list index": lambda: changed(lil_array, rows=one_row_of([10**9]), data=one_row_of([1.0])),
    "lists of two lengths": lambda: changed(lil_array, data=one_row_of([1.0] * 99)),
    "lists lost": lambda: changed(lil_array, rows=lambda rows: rows[:1], data=lambda data: data[:1]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_matrix_of_any_layout_is_refused_wherever_it_is_given(name):
    X, y = np.arange(1.0, 25.0).reshape(6, 4), [0, 0, 0, 1, 1, 1]
    model, halfspace = sx.LogisticRegression().fit(X, y), sx.Halfspace([1.0, 1.0, 1.0, 1.0], 0.0)
    for use in (
        as_rows,
        halfspace.predict,
        model.predict,
        lambda broken: model.score(broken, y),
        lambda broken: sx.Perceptron().fit(broken, y),
        lambda broken: sx.Ridge().fit(broken, y),
        lambda broken: sx.separate(broken, y),
        lambda broken: sx.lift(broken, y),
    ):
        with pytest.raises(ValueError, match=r"^The sparse matrix is broken: .* Make the matrix again\.$"):
            use(BROKEN[name]())
    with pytest.raises(ValueError, match=r"^The sparse data is damaged: .*\. Make the matrix again\.$"):
        sx.certificates.Separable((1.0, 1.0, 1.0, 1.0), -50.0).verify(BROKEN[name](), y)


@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_a_matrix_changed_after_its_rows_were_made_is_refused(part):
    matrix, y = changed(csr_array), [0, 0, 0, 1, 1, 1]
    matrix.indptr = matrix.indptr.astype(np.int64)  # kept as it is, like indices of 32 bits
    model, rows = sx.LogisticRegression().fit(matrix, y), as_rows(matrix, y)
    measured = as_rows(matrix, y, regression=True)
    getattr(matrix, part)[-1] = 10**9
    for use in (model.predict, model.score, sx.Perceptron().fit, sx.separate, sx.diagnose, as_rows):
        with pytest.raises(sx.DataError, match="The sparse matrix is broken"):
            use(rows)
    with pytest.raises(sx.DataError, match="The sparse matrix is broken"):
        sx.Ridge().fit(measured)
    with pytest.raises(ValueError, match="The sparse data is damaged"):
        sx.certificates.Separable((1.0, 1.0, 1.0, 1.0), -50.0).verify(rows)


def test_room_that_a_sparse_matrix_does_not_use_may_hold_anything():
    matrix = changed(csr_array)
    matrix.data, matrix.indices = np.append(matrix.data, 9.0), np.append(matrix.indices, 10**6)
    assert values_of(as_rows(matrix)).tolist() == np.arange(1.0, 25.0).reshape(6, 4).tolist()


# Fold, sum, worst


def rows_of(X, y, size, n_jobs=1, sparse=False):
    kind, given_ = (SparseRows, csr_array(X)) if sparse else (DenseRows, X)
    return labelled(given_, y, kind, rows_in_block=size, n_jobs=n_jobs)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("size", [1, 6, 41])
def test_fold_threads_a_state_through_the_blocks_in_order(size, sparse):
    rows = rows_of(table(), np.arange(41) % 2, size, sparse=sparse)
    seen = rows.fold(lambda state, block: [*state, *range(block.start, block.stop)], [])
    assert seen == list(range(41))


@pytest.mark.parametrize("sparse", [False, True])
def test_sum_has_the_same_bits_for_any_number_of_threads(monkeypatch, sparse):
    monkeypatch.setattr(sequence, "MIN_THREADED_BYTES", 0)
    X, y = table(n=500), np.arange(500) % 2
    totals = []
    for n_jobs in (1, 2, 3, 7):
        rows = rows_of(X, y, 7, n_jobs, sparse)
        squares, signs, count = rows.sum(
            lambda block, rows=rows: (
                dense(block, rows).T @ dense(block, rows),
                block.signs().sum(),
                len(block),
            )
        )
        totals.append(squares.tolist())
        assert count == 500
        assert signs == 0
        np.testing.assert_allclose(squares, X.T @ X, rtol=1e-12)
    assert all(total == totals[0] for total in totals)


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 50), st.sampled_from([1, 3]), st.booleans()
)
def test_worst_are_the_smallest_margins_with_ties_by_row(seed, k, size, n_jobs, sparse):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, size=(41, 3)).astype(float), rng.permutation(np.arange(41) % 2)
    rows = rows_of(X, y, size, n_jobs, sparse)
    weights = rng.integers(-2, 3, size=3)

    def pick(block):
        margins = block.signs() * (dense(block, rows) @ weights)
        chosen = np.lexsort((np.arange(len(margins)), margins))[:k]
        return chosen, margins[chosen]

    before = sequence.MIN_THREADED_BYTES
    sequence.MIN_THREADED_BYTES = 0
    try:
        found = rows.worst(pick, k)
    finally:
        sequence.MIN_THREADED_BYTES = before
    margins = np.where(y == 1, 1, -1) * (X @ weights)
    expected = sorted(range(41), key=lambda i: (margins[i], i))[:k]
    assert found.indices.tolist() == expected
    assert found.margins.tolist() == margins[expected].tolist()
    assert found.X.tolist() == X[expected].tolist()
    assert found.codes.tolist() == y[expected].tolist()


def test_worst_of_nothing():
    rows = rows_of(table(), np.arange(41) % 2, 10)
    found = rows.worst(lambda block: (np.empty(0, np.int64), np.empty(0)), 3)
    assert len(found.indices) == len(found.margins) == len(found.X) == 0
    assert found.X.shape == (0, 4)


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(sequence, "MIN_THREADED_BYTES", 0)

    def fails(block):
        if block.start >= 30:
            raise ZeroDivisionError("in block three")
        return (1,)

    with pytest.raises(ZeroDivisionError, match="in block three"):
        rows_of(table(), np.arange(41) % 2, 10, n_jobs=2).sum(fails)


def test_numbers_of_threads():
    assert jobs(3) == 3
    assert jobs(-1) >= 1
    assert jobs(-1000) == 1
    assert jobs(None) == 1
    with pytest.raises(ValueError, match="n_jobs must be a number of threads, or -1 for all cores; got 0"):
        jobs(0)


def test_a_sample_is_spread_over_the_rows():
    X = table(n=100)
    for rows in (DenseRows(X), SparseRows(csr_array(X))):
        some = rows.sample(5).whole().dense()
        assert some.shape == (5, 4)
        assert {tuple(row) for row in some} <= {tuple(row) for row in X}
        assert some[0].tolist() == X[0].tolist()
        assert some[-1].tolist() == X[-1].tolist()
        assert rows.sample(1000).whole().dense().tolist() == X.tolist()
        drawn = rows.sample(5, seed=1).whole().dense()
        assert drawn.tolist() == rows.sample(5, seed=1).whole().dense().tolist() != some.tolist()


# Labels


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1, 1], [0, 1]),
        ([-1, 1, -1], [-1, 1]),
        ([3, 7, 3], [3, 7]),
        ([1.0, 0.0, 1.0], [0.0, 1.0]),
        ([True, False, True], [False, True]),
        (["spam", "ham", "ham"], ["ham", "spam"]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
        (np.array([True, False, True], dtype=object), [False, True]),
        (np.array([2, 1, 2], dtype=object), [1, 2]),
        (np.array([1, 2, 1], dtype=np.uint8), [1, 2]),
        (np.array([b"x", b"y", b"x"]), [b"x", b"y"]),
        (np.array(["ü", "a", "ü"], dtype=np.dtypes.StringDType()), ["a", "ü"]),
        (np.array([[0], [1], [1]]), [0, 1]),
        (pandas.Series(["p", "q", "p"]), ["p", "q"]),
        (pandas.Series(["p", "q", "p"], dtype="category"), ["p", "q"]),
        (pandas.Series([1, 2, 1], dtype="Int64"), [1, 2]),
        (pandas.Series([True, False, True], dtype="boolean"), [False, True]),
        (polars.Series(["p", "q", "p"]), ["p", "q"]),
        (polars.Series([1, 2, 1]), [1, 2]),
        (pyarrow.array(["p", "q", "p"]), ["p", "q"]),
        (pyarrow.chunked_array([[1], [2, 1]]), [1, 2]),
        ([2, 0, 1], [0, 1, 2]),
        (["c", "a", "b"], ["a", "b", "c"]),
        ([10**15, -(10**15), 0], [-(10**15), 0, 10**15]),
    ],
)
def test_labels_of_all_kinds(y, classes):
    """Sorted classes, the larger of two being +1; a fit predicts the labels it was given."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 3.0]])
    rows = as_rows(X, y)
    assert rows.classes.tolist() == classes
    (block,) = rows.blocks()
    assert rows.classes[block.codes].tolist() == np.asarray(y).ravel().tolist()
    if np.ndim(y) == 1 and len(classes) == 2:
        model = sx.Perceptron().fit(X, y)
        assert model.classes_.tolist() == classes
        assert model.predict(X).tolist() == np.asarray(y).tolist()
        assert model.decision_function(X[:1])[0] * (-1 if classes[0] == np.asarray(y)[0] else 1) > 0
        assert model.certificate_.verify(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            [0.5, 1.0, 2.0],
            r"Unknown label type: continuous\. y\[0\] is 0\.5; fit a regression to such a target",
        ),
        ([0.0, np.nan, 1.0], r"Input y contains NaN\. .*row 1"),
        ([0.0, np.inf, 1.0], "Input y contains infinity.*row 1"),
        ([None, "a", "b"], "label of row 0 is missing"),
        (np.array(["a", float("nan"), "b"], dtype=object), "label of row 1 is missing"),
        (np.array(["a", 1, "b"], dtype=object), "mixes int, str; use all numbers or all text"),
        ([[0, 1], [1, 0], [1, 1]], r"y should be a 1d array, got an array of shape \(3, 2\)"),
        ([0, 1], "inconsistent numbers of samples: X has 3 rows and y has 2"),
        ([], "y is empty"),
        (np.array(["2024-01-01"] * 3, dtype="datetime64[D]"), "Unknown label type: datetime64"),
        ([1j, 2j, 3j], "Unknown label type: complex"),
    ],
)
def test_labels_that_cannot_be_used(y, message):
    with pytest.raises(sx.DataError, match=message):
        as_rows(np.eye(3), y)


def test_labels_of_one_class_are_for_no_classifier():
    rows = as_rows(np.eye(3), ["only"] * 3)
    assert rows.classes.tolist() == ["only"]
    for model in (sx.Perceptron(), sx.BatchPerceptron()):
        with pytest.raises(sx.DataError, match=r"one class only \(only\): a classifier needs"):
            model.fit(rows)
        with pytest.raises(sx.DataError, match=r"one class only \(7\)"):
            model.fit(np.eye(3), [7, 7, 7])


# Values


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", ["float64", "float32", "csr", "fortran", "pandas", "polars", "arrow"])
def test_nan_and_infinity_are_named_by_row_and_column(form, value):
    X = table(n=300)
    X[170, 2] = X[200, 1] = value
    forms = {
        "float64": lambda: X,
        "float32": lambda: X.astype(np.float32),
        "csr": lambda: csr_array(X),
        "fortran": lambda: np.asfortranarray(X),
        "pandas": lambda: pandas.DataFrame(X, columns=list("abcd")),
        "polars": lambda: polars.DataFrame(X, schema=list("abcd")),
        "arrow": lambda: pyarrow.table({name: X[:, i] for i, name in enumerate("abcd")}),
    }
    what = "NaN" if np.isnan(value) else "infinity"
    where = f"Input X contains {what} at row 170, column 2"
    y = np.arange(300) % 2
    for model in (sx.Perceptron(), sx.BatchPerceptron(), sx.Perceptron(order="shuffled", random_state=0)):
        with pytest.raises(sx.DataError, match=where) as caught:
            model.fit(forms[form](), y)
        assert "column 2 (c)" in str(caught.value) or form not in ("pandas", "polars", "arrow")
    if form != "csr":
        with pytest.raises(sx.DataError, match=where):
            sx.Perceptron(center=True).fit(forms[form](), y)
    with pytest.raises(sx.DataError, match=where):
        as_rows(forms[form]()).require_finite()
    model = sx.Perceptron().fit(np.nan_to_num(X, posinf=0, neginf=0)[:2], [0, 1])
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.predict(X)


def test_missing_values_of_tables_are_nan():
    X = polars.DataFrame({"a": [1.0, None, 2.0], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(sx.DataError, match=r"NaN at row 1, column 0 \(a\)"):
        sx.Perceptron().fit(X, [0, 1, 0])
    with pytest.raises(sx.DataError, match=r"NaN at row 1, column 0 \(a\)"):
        sx.Perceptron().fit(X.to_arrow(), [0, 1, 0])


def test_large_finite_numbers_are_no_infinities():
    X = np.array([[1e308, 1.0], [1e308, -1.0], [-1e308, 2.0]])
    as_rows(X).require_finite()
    y = [1, 1, 0]
    model = sx.Perceptron().fit(X, y)
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([["1", "two"], ["3", "4"]], "'two' at row 0, column 1"),
        (np.array([[1.0, 2.0], [3.0, "red"]], dtype=object), "'red' at row 1, column 1"),
        (pandas.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}), r"column 1 \(colour\).*'red'"),
        (polars.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}), r"column 1 \(colour\).*'red'"),
        (pyarrow.table({"size": [1.0, 2.0], "colour": ["red", "blue"]}), r"column 1 \(colour\).*'red'"),
        (pyarrow.table({"day": pyarrow.array([1, 2], pyarrow.date32())}), r"column 0 \(day\)"),
        (np.array([[1j], [2j]]), "[Cc]omplex data not supported"),
        ([[1.0, 2.0], [3.0]], "cannot be read as a table of numbers"),
        ([1.0, 2.0], r"1 dimension; give a table .* X\.reshape\(1, -1\)"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.zeros((0, 3)), r"X has no rows \(shape \(0, 3\)\)"),
        (np.zeros((2, 0)), r"X has no columns \(shape \(2, 0\)\)"),
        (pandas.DataFrame({"a": []}), "no rows"),
        (polars.DataFrame(), "no rows|no columns"),
        (pandas.Series([1.0, 2.0]), "single column"),
        (polars.DataFrame({"a": [1.0]}).lazy(), r"lazy frame: call \.collect\(\)"),
        (polars.DataFrame({"a": [2**60 + 1, 0]}), r"beyond 2\^53"),
    ],
)
def test_values_that_cannot_be_used(X, message):
    with pytest.raises(sx.DataError, match=message):
        values_of(as_rows(X))


def test_text_in_a_column_of_an_estimator():
    y = [0, 1]
    for X in (
        np.array([[1.0, "red"], [2.0, "blue"]], dtype=object),
        pandas.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}),
        polars.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}),
    ):
        with pytest.raises(ValueError, match=r"(?s)red.*column 1|column 1.*red"):
            sx.Perceptron().fit(X, y)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_nothing_to_fit(shape):
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)|no (rows|columns)"):
        sx.Perceptron().fit(np.zeros(shape), np.arange(shape[0]) % 2)


def test_mismatched_lengths_in_an_estimator():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        sx.Perceptron().fit(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        sx.Perceptron().fit(polars.DataFrame(np.eye(3)), [0, 1])
    with pytest.raises(ValueError, match="requires y to be passed"):
        sx.Perceptron().fit(np.eye(3))


def test_a_data_error_is_one_sentence_and_a_value_error():
    assert issubclass(sx.DataError, ValueError)
    with pytest.raises(sx.DataError) as caught:
        as_rows(np.array([[np.nan]])).require_finite()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
