"""Arrow tables, polars and pandas frames give the rows of the array they hold."""

from __future__ import annotations

import decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_files import matrix_of, numbers, same_bits

from separatrix.rows import DataError, as_rows
from separatrix.rows.memory import DenseRows
from separatrix.rows.tables import TableRows, rows_of_table

NAMES = ["a", "b", "c"]


def arrow(X):
    return pa.table([pa.array(column) for column in X.T], names=NAMES)


def in_chunks(X):
    cuts = [0, 1, len(X) // 3, len(X) // 3, len(X)]
    return pa.concat_tables([arrow(X).slice(i, j - i) for i, j in pairwise(cuts)])


def apart(X):
    frame = pd.DataFrame({"a": X[:, 0].copy()})
    for place in (1, 2):
        frame[NAMES[place]] = X[:, place].copy()
    return frame


HOLDERS = {
    "arrow": arrow,
    "arrow in chunks": in_chunks,
    "record batch": lambda X: arrow(X).combine_chunks().to_batches()[0],
    "record batch reader": lambda X: arrow(X).to_reader(100),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES, orient="row"),
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas, columns apart": apart,
    "pandas, nullable": lambda X: pd.DataFrame(X, columns=NAMES).astype(X.dtype.name.capitalize()),
    "pandas, rows reversed": lambda X: pd.DataFrame(X[::-1], columns=NAMES).iloc[::-1],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("holder", HOLDERS)
def test_tables_give_the_bits_of_the_array(holder, dtype):
    X, y = numbers(30_000)
    X = X.astype(dtype)
    rows = as_rows(HOLDERS[holder](X), y)
    found, codes = matrix_of(rows)
    assert same_bits(found, X)
    assert np.array_equal(codes, y)
    assert rows.columns == ("a", "b", "c")
    assert [len(block) for block in rows.blocks()] == [len(block) for block in as_rows(X, y).blocks()]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 7))
def test_chunks_and_blocks_may_begin_anywhere(sizes, rows_in_block):
    total = sum(sizes)
    if total == 0:
        return
    X = np.arange(2.0 * total).reshape(total, 2)
    edges = np.cumsum([0, *sizes])
    chunks = [X[start:stop] for start, stop in pairwise(edges)]
    table = pa.table(
        [pa.chunked_array([chunk[:, place] for chunk in chunks]) for place in (0, 1)], names=["a", "b"]
    )
    assert same_bits(matrix_of(TableRows(table, rows_in_block=rows_in_block))[0], X)


def test_one_array_behind_a_frame_is_not_copied():
    X = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    rows = as_rows(pd.DataFrame(X, columns=NAMES, copy=False))
    assert isinstance(rows, DenseRows)
    assert np.shares_memory(rows.X, X)


def test_columns_of_a_table_are_not_copied():
    table = arrow(np.arange(12.0).reshape(4, 3))
    before = pa.total_allocated_bytes()
    rows = as_rows(table)
    assert pa.total_allocated_bytes() == before
    assert rows.n_rows == 4


def test_other_numbers_become_doubles():
    columns = {
        "whole": [2**53, -(2**53)],
        "flag": [True, False],
        "price": [decimal.Decimal("0.1"), decimal.Decimal("2.50")],
        "single": pa.array([0.1, 0.5], pa.float32()),
        "coded": pa.array([3, 4]).dictionary_encode(),
    }
    expected = [[2.0**53, 1.0, 0.1, float(np.float32(0.1)), 3.0], [-(2.0**53), 0.0, 2.5, 0.5, 4.0]]
    assert matrix_of(as_rows(pa.table(columns)))[0].tolist() == expected
    frame = pd.DataFrame({"whole": [1, 2], "flag": [True, False], "mixed": pd.Series([1, 2.5], dtype=object)})
    frame["category"] = pd.Categorical([7, 9])
    assert matrix_of(as_rows(frame))[0].tolist() == [[1, 1, 1, 7], [2, 0, 2.5, 9]]
    frame = pl.DataFrame({"whole": [1, 2], "flag": [True, False], "small": pl.Series([1, 2], dtype=pl.Int8)})
    assert matrix_of(as_rows(frame))[0].tolist() == [[1, 1, 1], [2, 0, 2]]


def test_names_that_are_no_text_are_left_out():
    assert as_rows(pd.DataFrame(np.eye(2))).columns is None
    assert as_rows(pd.DataFrame({0: [1, 2], 1: [True, False]})).columns is None


def test_repeated_names_are_repeated_columns():
    table = pa.table([[1.0, 2.0], [3, 4]], names=["a", "a"])
    assert matrix_of(as_rows(table))[0].tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, pd.DataFrame])
def test_a_missing_value_is_found_by_the_finiteness_check(make):
    with pytest.raises(DataError, match=r"contains NaN at row 1, column 1 \(b\)"):
        as_rows(make({"a": [1, 2], "b": [1.0, None]})).require_finite()


REFUSALS = {
    "text": (pa.table({"a": [1.0], "b": ["x"]}), r"Row 0, column 1 \(b\): 'x' is no number; encode"),
    "text in pandas": (pd.DataFrame({"a": [1.0], "b": ["x"]}), r"column 1 \(b\): 'x' is no number"),
    "mixed in pandas": (pd.DataFrame({"b": [1, "tall"]}), r"Row 1, column 0 \(b\): 'tall' is no number"),
    "text in polars": (pl.DataFrame({"b": ["x"]}), r"column 0 \(b\): 'x' is no number"),
    "date": (
        pl.DataFrame({"b": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 2), eager=True)}),
        "'2020-01-01'",
    ),
    "no rows": (pa.table({"a": pa.array([], pa.float64())}), r"X has no rows \(shape \(0, 1\)\)"),
    "no columns": (pd.DataFrame(index=[0, 1]), r"X has no columns \(shape \(2, 0\)\)"),
    "series": (pd.Series([1.0, 2.0]), r"X is a single column"),
    "polars series": (pl.Series([1.0, 2.0]), r"X is a single column"),
    "array": (pa.array([1.0, 2.0]), r"X is a single column"),
    "lazy": (pl.LazyFrame({"a": [1.0]}), r"call \.collect\(\) on it first"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(case):
    table, sentence = REFUSALS[case]
    with pytest.raises(DataError, match=sentence):
        rows_of_table(table)


def test_whole_numbers_beyond_doubles_are_refused():
    for table in (
        pa.table({"b": [1, 2**53 + 1]}),
        pa.table({"b": pa.array([1, 2**64 - 1], pa.uint64())}),
        pa.table({"b": pa.array([1, 2**53 + 1]).cast(pa.decimal128(20, 0))}),
        pd.DataFrame({"b": [1, 2**53 + 1]}),
        pl.DataFrame({"b": [1, -(2**53) - 1]}),
    ):
        with pytest.raises(
            DataError, match=r"Row 1, column 0 \(b\): the whole number -?[0-9]+ is beyond 2\^53"
        ):
            matrix_of(as_rows(table))


def test_lengths_must_agree():
    with pytest.raises(DataError, match="X has 2 rows and y has 3"):
        as_rows(pa.table({"a": [1.0, 2.0]}), [0, 1, 0])
