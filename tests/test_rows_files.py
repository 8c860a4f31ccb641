"""Rows from files: the same numbers give the same bits and the same classes in every format."""

from __future__ import annotations

import csv
import gzip
import io
import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_files import matrix_of, numbers, same_bits, write

from separatrix.rows import DataError, as_rows, read
from separatrix.rows.files.svmlight import parse_with_arrow


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "svm"])
def test_streamed_and_kept_rows_have_the_same_blocks(tmp_path, kind):
    X, y = numbers(100_000)
    path = write(tmp_path, kind, X, y)
    kept, streamed = read(path), read(path, memory=0)
    edges = [(block.start, block.stop) for block in kept.blocks()]
    assert len(edges) > 2
    assert edges == [(block.start, block.stop) for block in streamed.blocks()]
    assert same_bits(matrix_of(kept)[0], matrix_of(streamed)[0])

    def add(block):
        return block.X.data.sum() if kind == "svm" else block.X.sum(axis=0), block.signs().sum()

    for one, other in zip(kept.sum(add), streamed.sum(add), strict=True):
        assert np.array_equal(one, other)
    assert same_bits(kept.sample(5).whole().dense(), streamed.sample(5).whole().dense())


@settings(max_examples=40)
@given(
    cells=st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False), st.floats(-1, 1), st.sampled_from([-1, 1])
        ),
        min_size=1,
        max_size=30,
    )
)
def test_text_and_binary_agree_on_any_finite_doubles(tmp_path_factory, cells):
    folder = tmp_path_factory.mktemp("cells")
    X, y = np.array([cell[:2] for cell in cells]), np.array([cell[2] for cell in cells])
    for kind in ("csv", "parquet", "svm", "npz"):
        rows = read(write(folder, kind, X, y))
        found, codes = matrix_of(rows)
        assert same_bits(found, X)
        assert np.array_equal(rows.classes[codes], y)


def test_float32_stays_and_other_numbers_become_doubles(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array([1.5, 2.5], pa.float32()), "y": ["no", "yes"]}), path)
    assert read(path).dtype == np.float32
    mixed = {
        "single": pa.array([0.1, 2.5], pa.float32()),
        "whole": pa.array([2**53, -3]),
        "small": pa.array([200, 3], pa.uint8()),
        "flag": pa.array([True, False]),
        "half": pa.array(np.array([0.5, 2], np.float16)),
        "price": pa.array(["0.1", "123456789.123456789"]).cast(pa.decimal128(30, 9)),
        "coded": pa.array([7, 9]).dictionary_encode(),
        "y": pa.array([True, False]),
    }
    pq.write_table(pa.table(mixed), path)
    for memory in (0, 10**6):
        rows = read(path, memory=memory)
        X, codes = matrix_of(rows)
        assert X.dtype == np.float64
        expected = [
            [np.float32(0.1), 2.0**53, 200, 1, 0.5, 0.1, 7],
            [2.5, -3, 3, 0, 2, 123456789.123456789, 9],
        ]
        assert X.tolist() == [list(map(float, row)) for row in expected]
        assert rows.classes.tolist() == [False, True]
        assert codes.tolist() == [1, 0]


def test_columns_are_chosen_ordered_and_dropped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name,b,"c, d",class\nann,1,2,x\n"bob\nlee",3,4,y\n')
    rows = read(path, drop=["name"])
    assert rows.columns == ("b", "c, d")
    assert rows.label == "class"
    rows = read(path, features=["c, d", "b"])
    assert matrix_of(rows)[0].tolist() == [[2, 1], [4, 3]]
    rows = read(path, label=False, features=["b"])
    assert rows.classes is None
    assert matrix_of(rows)[1] is None
    assert read(path, -1, drop=("name",)).label == "class"
    assert read(path, "b", drop="name", features=["c, d"]).classes.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("texts", "classes", "kind"),
    [
        (["1", "-1", "+1"], [-1, 1], "i"),
        (["1.0", "0", "1"], [0.0, 1.0], "f"),
        (["true", "False"], [False, True], "b"),
        (["b", "a", "10"], ["10", "a", "b"], "U"),
        (["NA", "ok"], ["NA", "ok"], "U"),
    ],
)
def test_labels_in_text_are_numbers_when_all_are(tmp_path, texts, classes, kind):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"1,{text}\n" for text in texts))
    for memory in (0, 10**6):
        found = read(path, memory=memory).classes
        assert found.tolist() == classes
        assert found.dtype.kind == kind


def test_labels_agree_with_those_of_arrays(tmp_path):
    X = np.arange(6.0).reshape(3, 2)
    for y in ([3, 1, 2], ["b", "a", "a"], [True, False, True], [1.0, -1.0, 1.0]):
        np.savez(tmp_path / "t.npz", X=X, y=np.array(y))
        pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "y": y}), tmp_path / "t.parquet")
        expected = as_rows(X, y)
        for name in ("t.npz", "t.parquet"):
            rows = read(tmp_path / name)
            assert rows.classes.tolist() == expected.classes.tolist()
            assert matrix_of(rows)[1].tolist() == expected.codes.tolist()


def test_labels_of_other_types_become_text(tmp_path):
    days = pa.array([1, 0, 1], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"a": [1.0, 2.0, 3.0], "y": days}), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").classes.tolist() == ["1970-01-01", "1970-01-02"]
    categories = pa.DictionaryArray.from_arrays([2, 0, 2], ["x", "unused", "z"])
    pq.write_table(pa.table({"a": [1.0, 2.0, 3.0], "y": categories}), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").classes.tolist() == ["x", "z"]


@pytest.mark.parametrize("memory", [0, 10**6])
def test_a_positive_class_against_the_rest(tmp_path, memory):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,b\n2,a\n3,c\n")
    rows = read(path, positive="a", memory=memory)
    assert rows.classes.tolist() == ["not a", "a"]
    assert next(rows.blocks()).signs().tolist() == [-1, 1, -1]
    path.write_text("a,y\n1,0\n2,1\n")
    rows = read(path, positive="0", memory=memory)
    assert rows.classes.tolist() == [1, 0]
    assert next(rows.blocks()).signs().tolist() == [1, -1]
    with pytest.raises(DataError, match=r"t\.csv: positive must be one of the labels 0, 1; got 7"):
        read(path, positive=7)


def test_csv_dialects(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfa;b;label\r\n1;2;x\r\n\r\n 3 ;-4e-1;y")
    assert matrix_of(read(path))[0].tolist() == [[1, 2], [3, -0.4]]
    path.write_text("a,flag,label\n1,true,x\n2,false,y\n")
    assert matrix_of(read(path))[0].tolist() == [[1, 1], [2, 0]]
    path.write_text("1.5,2,0\n3,4,1\n")
    rows = read(path, -1, header=False)
    assert (rows.columns, rows.label) == (("x1", "x2"), "x3")
    assert rows.n_rows == 2
    assert read(path, "0", header=True).columns == ("1.5", "2")
    with pytest.raises(DataError, match=r"begin without column names .* header=False"):
        read(path, -1)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("quoted", [None, 3, 150, 299])
@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
def test_text_parsed_by_several_threads_is_that_of_the_standard_library(
    tmp_path, monkeypatch, ending, quoted, kind
):
    monkeypatch.setattr("separatrix.rows.files.csv.BLOCK_BYTES", 500)
    monkeypatch.setattr("separatrix.rows.files.csv.MIN_PARALLEL_BYTES", 0)
    random = np.random.default_rng(5)
    lines = ['"a, b",c,label', ""]
    for i in range(300):
        first, second = random.standard_normal(2).tolist()
        lines.append(f"{first!r},{second!r},{'yes' if i % 2 else 'no'}")
        lines += [""] * (i % 50 == 0)
    if quoted is not None:
        lines.insert(quoted, f'1.5,"2.5","a word{ending}and another"')
    text = "\ufeff" + ending.join(lines) + ending * 700
    path = tmp_path / f"table.{kind}"
    path.write_bytes(gzip.compress(text.encode()) if kind == "csv.gz" else text.encode())
    names, *records = filter(None, csv.reader(io.StringIO(text[1:], newline="")))
    rows = read(path)
    X, codes = matrix_of(rows)
    assert list(rows.columns) == names[:2]
    assert same_bits(X, np.array([[float(a), float(b)] for a, b, _ in records]))
    assert [rows.classes[code] for code in codes] == [label for _, _, label in records]


def test_a_fault_far_into_parallel_text_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("separatrix.rows.files.csv.BLOCK_BYTES", 500)
    monkeypatch.setattr("separatrix.rows.files.csv.MIN_PARALLEL_BYTES", 0)
    path = tmp_path / "table.csv"
    for wrong, said in (("x,1", "row 251 .line 252., column 'a'"), ("1", "row 251 .line 252.: 1 field")):
        path.write_text("\n".join(["a,label", *["0.25,0"] * 250, wrong, *["0.5,1"] * 50]))
        with pytest.raises(DataError, match=said):
            read(path)


def test_a_byte_order_mark_within_text_is_no_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr("separatrix.rows.files.csv.BLOCK_BYTES", 400)
    monkeypatch.setattr("separatrix.rows.files.csv.MIN_PARALLEL_BYTES", 0)
    path = tmp_path / "joined.csv"
    for rows in range(80, 120):  # one of them puts the mark at the edge of a passage
        path.write_text("0.5,a\n0.25,b\n" * rows + "\ufeff1.5,a\n" + "0.25,b\n" * 90, encoding="utf-8")
        with pytest.raises(DataError, match=f"row {2 * rows + 1} .line {2 * rows + 1}., column 'x1'"):
            read(path, "x2", header=False)


def test_what_pyarrow_says_of_a_passage_names_no_row_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr("separatrix.rows.files.csv.BLOCK_BYTES", 400)
    monkeypatch.setattr("separatrix.rows.files.csv.MIN_PARALLEL_BYTES", 0)
    path = tmp_path / "table.csv"
    for odd, said in (("true ", "row 301 .line 302., column 'f': 'true '"), ("tRUE", "^(?!.*Row #)")):
        path.write_text("f,label\n" + "true,0\n" * 300 + f"{odd},0\n" + "false,1\n" * 90)
        with pytest.raises(DataError, match=said):
            read(path)


INTERRUPTS = """
import contextlib, signal, sys, threading
import separatrix.rows.files.csv as csv
from separatrix.rows import read

def interrupt(*_):
    raise KeyboardInterrupt

csv.BLOCK_BYTES, csv.MIN_PARALLEL_BYTES = 300, 0
read(sys.argv[1])  # with what it imports: an interrupt there is Python's affair
signal.signal(signal.SIGALRM, interrupt)
for k in range(60):
    with contextlib.suppress(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0005 * k)
        read(sys.argv[1])
        signal.setitimer(signal.ITIMER_REAL, 0)
# An interrupt in the very step that ends a thread may leave it waiting; it must not keep the process.
left = [thread for thread in threading.enumerate() if thread.name == "separatrix-read"]
assert len(left) <= 2 and all(thread.daemon for thread in left), left
assert read(sys.argv[1]).n_rows == 4000
"""


def test_an_interrupt_while_rows_are_read_ends_the_reading(tmp_path):
    """In a process of its own: here the interrupt may strike in a callback of the test runner."""
    path = tmp_path / "table.csv"
    path.write_text("a,label\n" + "0.5,0\n0.25,1\n" * 2000)
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTS, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_long_line_does_not_break_csv(tmp_path):
    path = tmp_path / "wide.csv"
    X = np.random.default_rng(0).standard_normal((3, 25_000))
    lines = [",".join(map(repr, row.tolist())) + ",1" for row in X]
    path.write_text(",".join([f"x{j}" for j in range(25_000)] + ["label"]) + "\n" + "\n".join(lines))
    assert same_bits(matrix_of(read(path))[0], X)


def test_svmlight_comments_groups_and_bases(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("# a file\n+1 qid:3 1:0.5 3:1e-3 # first\n\n-1\t2:1\r\n2\n")
    rows = read(path)
    assert matrix_of(rows)[0].tolist() == [[0.5, 0, 1e-3], [0, 1, 0], [0, 0, 0]]
    assert rows.classes.tolist() == [-1, 1, 2]
    assert read(path, zero_based=True).n_columns == 4
    assert read(path, n_columns=9).n_columns == 9
    assert read(path, label=False).classes is None
    path.write_text("1 0:1 2:5\n0 1:1\n")
    assert matrix_of(read(path))[0].tolist() == [[1, 0, 5], [0, 1, 0]]
    with pytest.raises(DataError, match=r"t\.svm holds the index 0.*zero_based=True"):
        read(path, zero_based=False)
    with pytest.raises(DataError, match=r"has 3 columns, n_columns=2 are asked for"):
        read(path, n_columns=2)


def test_a_blank_part_of_svmlight_text_has_no_rows():
    assert parse_with_arrow(b"\n # nothing\n").num_rows == 0


@pytest.mark.parametrize("label", [0, 1, 3, -1])
def test_npy_label_columns(tmp_path, label):
    X, _ = numbers(50, 4)
    X[:, label] = np.arange(50) % 3
    for array in (X, np.asfortranarray(X), X.astype(">f8")):
        np.save(tmp_path / "t.npy", array)
        rows = read(tmp_path / "t.npy", label)
        found, codes = matrix_of(rows)
        assert same_bits(found, np.delete(X, label, axis=1))
        assert codes.tolist() == (np.arange(50) % 3).tolist()
        assert rows.classes.dtype == np.int64
    np.save(tmp_path / "t.npy", np.arange(12).reshape(4, 3))
    assert matrix_of(read(tmp_path / "t.npy", False))[0].tolist() == np.arange(12.0).reshape(4, 3).tolist()


def test_sparse_npz(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(40, 30, 0.2, format="csr", random_state=0)
    sparse.save_npz(tmp_path / "t.npz", matrix)
    rows = read(tmp_path / "t.npz", label=False)
    assert same_bits(matrix_of(rows)[0], matrix.toarray())
    with pytest.raises(DataError, match="sparse matrix without labels"):
        read(tmp_path / "t.npz")


def test_streamed_rows_can_be_left_early_pickled_and_notice_a_changed_file(tmp_path):
    X, y = numbers(25_000)
    for kind in ("csv", "parquet", "svm"):
        path = write(tmp_path, kind, X, y)
        rows = read(path, memory=0)
        for _ in range(3):
            walk = rows.blocks()
            assert next(walk).start == 0
            walk.close()
        copy = pickle.loads(pickle.dumps(rows))
        assert same_bits(matrix_of(copy)[0], X)
        write(tmp_path, kind, X[:-1], y[:-1])
        with pytest.raises(DataError, match=rf"table\.{kind} has changed since it was first read"):
            list(rows.blocks())


def test_threads_add_up_to_the_same_bits(tmp_path):
    X, y = numbers(220_000)
    path = write(tmp_path, "parquet", X, y)
    one, two = (read(path, memory=0, n_jobs=n).sum(lambda block: (block.X.sum(axis=0),))[0] for n in (1, 2))
    assert same_bits(one, two)


def test_reading_does_not_import_pandas(tmp_path):
    paths = [str(write(tmp_path, kind, *numbers(10))) for kind in ("csv", "parquet", "feather", "svm", "npz")]
    program = (
        "import sys; from separatrix.rows import read\n"
        "for path in sys.argv[1:]:\n"
        "    for memory in (0, 10**6): [block.X for block in read(path, memory=memory).blocks()]\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program, *paths], check=False).returncode == 0


def test_iris(data_folder, tmp_path):
    rows = read(data_folder / "iris.csv")
    assert (rows.n_rows, rows.columns[0], rows.label) == (150, "sepal_length", "label")
    assert rows.classes.tolist() == ["setosa", "versicolor", "virginica"]
    table = pyarrow.csv.read_csv(data_folder / "iris.csv")
    pq.write_table(table, tmp_path / "iris.parquet")
    other = read(tmp_path / "iris.parquet", memory=0)
    assert same_bits(matrix_of(rows)[0], matrix_of(other)[0])
    assert np.array_equal(rows.codes, matrix_of(other)[1])


@pytest.mark.parametrize("name", ["heart_scale.svm", "a9a.svm.gz", "news20_w100.svm.gz"])
@pytest.mark.parametrize("memory", [0, 256 * 2**20])
def test_svmlight_agrees_with_scikit_learn(data_folder, name, memory):
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(data_folder / name), zero_based=False)
    rows = read(data_folder / name, memory=memory)
    found, codes = matrix_of(rows)
    assert same_bits(found, X.toarray())
    assert np.array_equal(rows.classes[codes], y)


def test_real_csv_files_with_missing_cells_and_text_are_refused(data_folder):
    with pytest.raises(
        DataError, match=r"heart_cleveland\.csv, row 88 \(line 89\), column 'thal': the value is missing"
    ):
        read(data_folder / "heart_cleveland.csv")
    with pytest.raises(DataError, match=r"sms_spam_text\.csv, row 1 \(line 2\), column 'text': 'Go until"):
        read(data_folder / "sms_spam_text.csv")
