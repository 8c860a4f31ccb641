"""Files that cannot be used: each is refused in one sentence that says where it is wrong."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from written_files import numbers, one_sentence, walk, write

import separatrix as sx
from separatrix.rows import DataError, read

AT = r"t\.csv, row 2 \(line 3\)"
FIRST = r"t\.csv, row 1 \(line 2\), column 'a': "
CSV_REFUSALS = {
    "a,label\n1,x\n,y\n": AT + r", column 'a': the value is missing; drop the row or fill it in\.",
    "a,label\n1,x\nNA,y\n": AT + r", column 'a': the value is missing \('NA'\)",
    "a,label\n1,x\n\n\nnan,y\n": r"t\.csv, row 2 \(line 5\), column 'a': the value is NaN",
    "a,label\n1,x\n-inf,y\n": AT + r", column 'a': the value is infinite",
    "a,label\n1,x\n1e400,y\n": AT + r", column 'a': the value is infinite",
    "a,b,label\n1,2,x\n3,tall,y\n": AT + r", column 'b': 'tall' is no number; encode",
    "a,b,label\n1,2,x\n3,1_0,y\n": AT + r", column 'b': '1_0' is no number; write it as digits",
    "a;label\n1,5;x\n2,5;y\n": FIRST + r"'1,5' is no number; write it as digits",
    "a,label\n$1 000,x\n2,y\n": FIRST + r"'\$1 000' is no number; write it",
    "a,label\n2024-01-05,x\n2,y\n": FIRST + r"'2024-01-05' is no number; encode",
    "a,f,label\n1,true,x\n3,maybe,y\n": AT + r", column 'f': 'maybe' is neither true nor false",
    "a,label\n1,x\n9007199254740993,y\n": AT + r", column 'a': the whole number 9007199254740993 is",
    "a,label\n1,x\n2,\n": AT + r", column 'label': the label is missing",
    "a,label\n1,x\n2,x \n3,y\n": AT + r", column 'label': the label 'x ' differs from 'x' by spaces alone",
    "5.1,3,setosa\n4.9,3,virginica\n": r"t\.csv seems to begin without column names .* such as '5\.1'\)",
    "1,0,0,g\n0,1,2,b\n": r"t\.csv seems to begin without column names .* such as '0'\): pass header=False",
    "1,2,x\n3,4,x\n5,6,y\n": r"t\.csv seems to begin without column names .* such as 'x'\)",
    "a,label\n1,0\n2,1\n3,nan\n": r"t\.csv, row 3 \(line 4\), column 'label': the label is missing",
    "a,label\n1,0\n2,0.5\n": AT + r", column 'label': Unknown label type: continuous",
    "a,b,label\n1,2,x\n3,4\n": AT + r": the file ends in the middle of this row \(2 fields",
    "a,b,label\n1,2,x\n3,4\n5,6,y\n": AT + r": 2 fields where there are 3 columns; check",
    "a,b,label\n1,2,x\n3,4,y,5\n": AT + r": 4 fields where there are 3 columns; check",
    "a,label\n": r"t\.csv has no rows below its column names",
    "label\nx\ny\n": r"t\.csv has no feature columns besides the label 'label'",
    "a,a,label\n1,2,x\n": r"t\.csv has more than one column called 'a'",
    ",a,label\n0,1,x\n": r"t\.csv: column 1 has no name \(a row index\?\)",
    "a,b\n1,2\n": r"t\.csv has no column called label, y, target or class; its columns are a, b: pass",
    "": r"t\.csv is empty",
    "\n\n": r"t\.csv holds no text but blank lines",
}


@pytest.mark.parametrize(
    "text", ["-{0}.5,b,label\n1,2,x\n", "1,2,a{0}\n3,4,a{0}\n", "a{0},a{0},label\n1,2,x\n"]
)
def test_a_long_field_of_the_first_line_is_shortened(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text.format("9" * 5000))
    with pytest.raises(DataError) as refusal:
        read(path)
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize("memory", [0, 10**6])
@pytest.mark.parametrize("text", CSV_REFUSALS, ids=range(len(CSV_REFUSALS)))
def test_csv_refusals(tmp_path, text, memory):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=CSV_REFUSALS[text]) as caught:
        read(path, memory=memory)
    one_sentence(caught)


def test_a_late_fault_in_a_large_csv_is_found_again(tmp_path):
    path = tmp_path / "t.csv"
    lines = ["a,label", *(f"{i},{i % 2}" for i in range(400_000))]
    lines[300_001] = "oops,1"
    path.write_text("\n".join(lines))
    with pytest.raises(DataError, match=r"row 300001 \(line 300002\), column 'a': 'oops' is no number"):
        read(path, memory=0)


SVM_REFUSALS = {
    "1 1:2\n-1 1:\n": r"t\.svm, row 2 \(line 2\): '1:' is no index:value pair; the line may be cut short\.",
    "1 1:2\n-1 3": r"t\.svm, row 2 \(line 2\): '3' is no index:value pair",
    "1 1:2\n-1 1:2:3 4\n": r"t\.svm, row 2 \(line 2\): the value '2:3' at index 1 is no finite number",
    "1 1:2\n# c\n-1 2:tall\n": r"t\.svm, row 2 \(line 3\): the value 'tall' at index 2 is no finite number",
    "1 1:2\n-1 2:nan\n": r"t\.svm, row 2 \(line 2\): the value 'nan' at index 2",
    "1 1:2\n-1 2:1e999\n": r"t\.svm, row 2 \(line 2\): the value '1e999' at index 2",
    "1 1:2\n-1 3:1 2:1\n": r"t\.svm, row 2 \(line 2\): the index 2 comes after 3; sort the pairs",
    "1 1:2\n-1 2:1 2:1\n": r"t\.svm, row 2 \(line 2\): the index 2 comes after 2; sort the pairs",
    "1 1:2\n-1 -2:1\n": r"t\.svm, row 2 \(line 2\): '-2' in '-2:1' is no column index",
    "1 1:2\n-1 1.0:1\n": r"t\.svm, row 2 \(line 2\): '1\.0' in '1\.0:1' is no column index",
    "1 1:2\n-1 1e1:1\n": r"t\.svm, row 2 \(line 2\): '1e1' in '1e1:1' is no column index",
    "1 1:2\n  qid:7\n": r"t\.svm, row 2 \(line 2\): the line begins with the pair 'qid:7', not with a label",
    "1 1:2\n-1 1.5:1\n": r"t\.svm, row 2 \(line 2\): '1\.5' in '1\.5:1' is no column index",
    "1 1:2\n-1 99999999999:1\n": r"t\.svm, row 2 \(line 2\): '99999999999' in .* is no column index",
    "1 1:2\n1:3 2:1\n": r"t\.svm, row 2 \(line 2\): the line begins with the pair '1:3', not with a label",
    "1 1:2\n1,2 2:1\n": r"t\.svm, row 2 \(line 2\): the label '1,2' is no number; one label a row",
    "1 1:2\nspam 2:1\n": r"t\.svm, row 2 \(line 2\): the label 'spam' is no number",
    "1 1:2\n0.5 2:1\n": r"t\.svm, row 2: Unknown label type: continuous",
    "1 1:2\n0 2:9007199254740993\n": r"t\.svm, row 2 \(line 2\): index 2: the whole number 9007199254740993",
    "# nothing\n": r"t\.svm has no rows",
    "1\n2\n": r"t\.svm has no feature columns",
}


@pytest.mark.parametrize("text", SVM_REFUSALS, ids=range(len(SVM_REFUSALS)))
def test_svmlight_refusals(tmp_path, text):
    path = tmp_path / "t.svm"
    path.write_text(text)
    with pytest.raises(DataError, match=SVM_REFUSALS[text]) as caught:
        read(path)
    one_sentence(caught)


COLUMN_REFUSALS = {
    "missing": ({"a": [1.0, None], "y": [0, 1]}, r"row 2, column 'a': the value is missing; drop"),
    "nan": ({"a": [1.0, np.nan], "y": [0, 1]}, r"row 2, column 'a': the value is NaN"),
    "infinite": ({"a": [1.0, -np.inf], "y": [0, 1]}, r"row 2, column 'a': the value is infinite"),
    "text": (
        {"b": [1.0, 2.0], "a": ["x", "z"], "y": [0, 1]},
        r"row 1, column 'a': 'x' is no number; encode",
    ),
    "list": ({"a": [[1.0], [2.0]], "y": [0, 1]}, r"row 1, column 'a': '\[1.0\]' is no number"),
    "beyond": (
        {"a": [1, -(2**53) - 1], "y": [0, 1]},
        r"row 2, column 'a': the whole number -9007199254740993",
    ),
    "label missing": ({"a": [1.0, 2.0], "y": [None, 1]}, r"row 1, column 'y': the label is missing"),
    "label nan": ({"a": [1.0, 2.0], "y": [1.0, np.nan]}, r"row 2, column 'y': the label is missing"),
    "continuous": ({"a": [1.0, 2.0], "y": [1.0, 0.5]}, r"row 2, column 'y': Unknown label type: continuous"),
    "all missing": ({"a": pa.nulls(2), "y": [0, 1]}, r"row 1, column 'a': the value is missing"),
    "no rows": ({"a": pa.array([], pa.float64()), "y": pa.array([], pa.int64())}, r"has no rows"),
    "no features": ({"y": [0, 1]}, r"has no feature columns besides the label 'y'"),
    "no label": (
        {"a": [0, 1]},
        r"has no column called label, y, target or class; its columns are a: pass the label column as label",
    ),
}


@pytest.mark.parametrize("memory", [0, 10**6])
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("case", COLUMN_REFUSALS)
def test_refusals_in_typed_columns(tmp_path, case, kind, memory):
    columns, sentence = COLUMN_REFUSALS[case]
    path = tmp_path / f"t.{kind}"
    table = pa.table(columns)
    pq.write_table(table, path) if kind == "parquet" else pyarrow.feather.write_feather(table, path)
    with pytest.raises(DataError, match=rf"^t\.{kind}.*{sentence}") as caught:
        walk(read(path, memory=memory))
    one_sentence(caught)


def test_refusals_of_names(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([[1.0], [2.0], [0]], names=["a", "a", "y"]), path)
    with pytest.raises(DataError, match=r"more than one column called 'a'"):
        read(path)
    pq.write_table(pa.table({"a": [1.0], "b": [2.0], "y": [0]}), path)
    for options, sentence in [
        ({"label": "z"}, r"no column called 'z'; its columns are a, b, y\."),
        ({"label": 3}, r"no column number 3: it has 3 columns"),
        ({"features": ["a", "z"]}, r"no column called 'z' \(features\)"),
        ({"features": ["a", "a"]}, r"features names a column twice"),
        ({"features": ["a", "y"]}, r"label column 'y' cannot be a feature too"),
        ({"drop": ["z"]}, r"no column called 'z' \(drop\)"),
        ({"zero_based": True}, r"is a parquet file: zero_based is for svmlight"),
        ({"header": False}, r"is a parquet file: header is for csv, tsv"),
        ({"format": "excel"}, r"format must be one of csv, tsv, .*; got 'excel'"),
    ]:
        with pytest.raises(DataError, match=sentence) as caught:
            read(path, **options)
        one_sentence(caught)
    np.save(tmp_path / "t.npy", np.eye(3))
    for label, sentence in [
        (None, r"3 columns without names"),
        (3, "no column number 3"),
        ("a", "without names"),
    ]:
        with pytest.raises(DataError, match=sentence):
            read(tmp_path / "t.npy", label)
    with pytest.raises(DataError, match="label begins each line"):
        read(write(tmp_path, "svm", *numbers(5)), "label")


def test_refusals_of_paths(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "t.xlsx").write_text("x")
    (tmp_path / "bare").write_text("x")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress(b"PAR1"))
    (tmp_path / "latin.csv").write_bytes("a,label\n1,é\n".encode("latin-1"))
    (tmp_path / "utf16.csv").write_text("a,label\n1,x\n", encoding="utf-16")
    for name, sentence in [
        ("absent.csv", r"absent\.csv does not exist: check the path\."),
        ("folder.csv", r"folder\.csv is a directory: name one file in it\."),
        ("t.xlsx", r"t\.xlsx: unknown suffix \.xlsx; pass format, one of csv, tsv"),
        ("bare", r"bare: a name without a suffix has no format"),
        ("empty.parquet", r"empty\.parquet is empty: there is nothing to read\."),
        ("t.parquet.gz", r"t\.parquet\.gz: a parquet file is not read through gzip"),
        ("latin.csv", r"latin\.csv is not written in UTF-8"),
        ("utf16.csv", r"utf16\.csv is not written in UTF-8"),
    ]:
        with pytest.raises(DataError, match=sentence) as caught:
            read(tmp_path / name)
        one_sentence(caught)
    with pytest.raises(DataError, match="stream gives text: open it in binary mode"):
        read(io.StringIO("a,label\n1,x\n"))
    assert read(write(tmp_path, "csv", *numbers(5)).rename(tmp_path / "other.dat"), format="csv").n_rows == 5


def test_refusals_of_arrays(tmp_path):
    for array, sentence in [
        (np.zeros(3), r"an array of shape \(3,\)"),
        (np.zeros((0, 3)), r"has no rows"),
        (np.zeros((3, 0)), r"has no columns"),
        (np.array([["a", "b"]]), r"not plain numbers"),
        (np.array([[1.0, np.nan]]), r"row 1, column 1: the value is NaN"),
        (np.array([[1], [2**53 + 2]]), r"row 2, column 0: the whole number 9007199254740994"),
    ]:
        np.save(tmp_path / "t.npy", array)
        with pytest.raises(DataError, match=rf"^t\.npy.*{sentence}"):
            read(tmp_path / "t.npy", False)
    np.savez(tmp_path / "t.npz", X=np.eye(3), z=np.arange(2))
    with pytest.raises(
        DataError,
        match=r"t\.npz has no array of labels called y; .* X, z: pass its name as label, or label=False",
    ):
        read(tmp_path / "t.npz")
    with pytest.raises(DataError, match=r"X has 3 rows and z has shape \(2,\)"):
        read(tmp_path / "t.npz", "z")
    np.savez(tmp_path / "t.npz", A=np.eye(3))
    with pytest.raises(DataError, match=r"no array called X; its arrays are A"):
        read(tmp_path / "t.npz")
    np.save(tmp_path / "t.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(DataError, match=r"t\.npy cannot be read"):
        read(tmp_path / "t.npy")


INEXACT = {
    "list": [[2**53 + 1], [2**53]],
    "list of both": [[2**53 + 1, 0.5], [2**53, 0.5]],
    "list of arrays": [np.array([2**53 + 1]), np.array([2**53])],
    "array": np.array([[2**64 - 1], [2**64 - 2]], np.uint64),
    "objects": np.array([[10**30], [10**30 + 1]], object),
    "long doubles": np.array([[2.0**53], [1.0]], np.longdouble) + np.longdouble(1),
    "dates": np.array([[1], [2]], "M8[ns]"),
    "sparse": sp.csr_array(np.array([[2**53 + 1], [2**53]])),
    "frame": pd.DataFrame({"a": [2**53 + 1, 2**53]}),
    "frame of nullable": pd.DataFrame({"a": pd.array([2**53 + 1, 2**53], dtype="Int64")}),
    "frame of objects": pd.DataFrame({"a": [10**30, 10**30 + 1]}),
    "frame of dates": pd.DataFrame({"a": pd.to_datetime([1, 2])}),
}


@pytest.mark.parametrize("given", INEXACT.values(), ids=INEXACT)
@pytest.mark.parametrize(
    "use", [sx.Perceptron().fit, sx.separate, sx.Ridge().fit], ids=["fit", "ask", "regress"]
)
def test_what_no_double_equals_is_refused(given, use):
    """Rounded in silence, rows apart could become equal, and a verdict would be of other rows."""
    with pytest.raises(DataError, match=r"beyond 2|more digits than doubles|dates or times|is no number"):
        use(given, [0, 1])


FITTED = {
    "two classes": lambda X: sx.Perceptron().fit(X, [0, 1]),
    "three classes": lambda X: sx.PassiveAggressive(max_iter=1).partial_fit(X, [0, 1], classes=[0, 1, 2]),
    "voted": lambda X: sx.VotedPerceptron().fit(X, [0, 1]),
    "regression": lambda X: sx.Ridge().fit(X, [0, 1]),
}


@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")
@pytest.mark.parametrize("given", INEXACT.values(), ids=INEXACT)
@pytest.mark.parametrize("fit", FITTED.values(), ids=FITTED)
def test_what_no_double_equals_is_not_predicted(given, fit):
    columns = len(given[0]) if isinstance(given, list) else given.shape[1]
    fitted = fit(np.array([[1.0], [2.0]]) * np.ones(columns))
    for use in (fitted.predict, getattr(fitted, "decision_function", fitted.predict)):
        with pytest.raises(DataError, match=r"beyond 2|more digits than doubles|dates or times"):
            use(given)


@pytest.mark.parametrize("fit", FITTED.values(), ids=FITTED)
@pytest.mark.parametrize(("value", "said"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_what_is_not_finite_is_not_predicted(fit, value, said):
    """Rows, arrays, sparse matrices and tables alike, by row and column."""
    X = np.array([[1.0, 2.0], [3.0, -4.0]])
    bad = np.array([[1.0, 2.0], [3.0, value]])
    columns = {"a": bad[:, 0], "b": bad[:, 1]}
    for given in (bad, bad.astype(np.float32), np.asfortranarray(bad), sp.csr_array(bad), bad.tolist()):
        for form in (given, sx.as_rows(given)):
            with pytest.raises(DataError, match=rf"Input X contains {said} at row 1, column 1:") as caught:
                fit(X).predict(form)
            one_sentence(caught)
    named = fit(pd.DataFrame(X, columns=["a", "b"]))
    for frame in (
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        sx.as_rows(pa.table(columns)),
    ):
        with pytest.raises(DataError, match=rf"Input X contains {said} at row 1, column 1 \(b\):"):
            named.predict(frame)
    for frame in (pd.DataFrame({"a": [1.0], "b": ["x"]}), pl.DataFrame({"a": [1.0], "b": ["x"]})):
        with pytest.raises(DataError, match=r"[Rr]ow 0, column 1 \(b\)"):
            named.predict(frame)


def test_huge_scores_are_no_refusal():
    model = sx.Perceptron().fit([[1e300], [-1e300]], [1, 0])
    with np.errstate(over="ignore"):
        assert model.predict([[1e300], [-1e300]]).tolist() == [1, 0]


def test_a_lazy_frame_is_to_be_collected():
    lazy = pl.LazyFrame({"a": [1.0, 2.0]})
    fitted = sx.Perceptron().fit([[1.0], [2.0]], [0, 1])
    for use in (
        lambda: sx.Perceptron().fit(lazy, [0, 1]),
        lambda: fitted.partial_fit(lazy, [0, 1]),
        lambda: fitted.predict(lazy),
        lambda: sx.Ridge().fit(lazy, [0, 1]),
    ):
        with pytest.raises(DataError, match=r"X is a lazy frame: call \.collect\(\) on it first\."):
            use()


def test_columns_called_by_whole_numbers_have_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("0,1,2,target\n1,2,3,a\n4,5,6,b\n")
    assert read(path).columns == ("0", "1", "2")
