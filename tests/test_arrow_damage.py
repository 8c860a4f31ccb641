"""Arrow data that contradicts itself is refused in a sentence, wherever it comes in.

Each case runs in a process of its own: what is not refused ends it with a segmentation fault.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

HERE = Path(__file__).resolve()


def strings(kind=None, width=np.int32) -> pa.Array:
    """Six labels, the fourth of which begins far outside the text."""
    kind = kind or pa.string()
    good = pa.array(["ham", "spam"] * 3, kind)
    _, offsets, text = good.buffers()
    moved = np.frombuffer(offsets, width).copy()
    moved[3] = 2**30
    return pa.Array.from_buffers(kind, 6, [None, pa.py_buffer(moved.tobytes()), text])


def not_text() -> pa.Array:
    good = pa.array(["ham", "spam"] * 3)
    _, offsets, text = good.buffers()
    return pa.Array.from_buffers(pa.string(), 6, [None, offsets, pa.py_buffer(b"\xff" * text.size)])


def dictionary(place: int) -> pa.Array:
    places = pa.array([0, 1, place, 0, 1, 1], pa.int8())
    return pa.DictionaryArray.from_arrays(places, pa.array(["ham", "spam"]), safe=False)


def coded_numbers() -> pa.Array:
    places = pa.array([0, 1, 9, 0, 1, 1], pa.int8())
    return pa.DictionaryArray.from_arrays(places, pa.array([1.5, 2.5]), safe=False)


LABELS = {
    "offset": strings,
    "large offset": lambda: strings(pa.large_string(), np.int64),
    "not text": not_text,
    "index too large": lambda: dictionary(7),
    "index below 0": lambda: dictionary(-3),
}
FEATURES = {"index of a number": coded_numbers}


def table(case: str) -> pa.Table:
    numbers = FEATURES[case]() if case in FEATURES else pa.array(np.arange(6.0))
    labels = LABELS[case]() if case in LABELS else pa.array(["ham", "spam"] * 3)
    return pa.table({"a": numbers, "label": labels})


def as_labels(y):
    import separatrix as sx

    sx.as_rows(np.arange(6.0)[:, None], y)


def fit(y):
    import separatrix as sx

    sx.Perceptron(max_iter=2).fit(np.arange(6.0)[:, None], y)


def fit_tables(y):
    import separatrix as sx

    sx.Perceptron(max_iter=2).fit(pa.table({"a": np.arange(6.0)}), y)


def verify(y):
    from separatrix.certificates import Separable

    Separable((1.0,), -2.5).verify(np.arange(6.0)[:, None], y)


def verify_targets(y):
    from separatrix.certificates import GradientAtMost

    GradientAtMost((0.3,), 0.1, alpha=0.0, gradient=1.0).verify(np.arange(6.0)[:, None], y)


def regress(y):
    import separatrix as sx

    sx.LinearRegression().fit(np.arange(6.0)[:, None], y)


def score(y):
    import separatrix as sx

    X = np.arange(6.0)[:, None]
    sx.Perceptron().fit(X, [0, 0, 0, 1, 1, 1]).score(X, y)


def pandas_labels(y):
    import pandas as pd

    fit(pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([y]))))


def pandas_verify(y):
    import pandas as pd

    verify(pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([y]))))


def pandas_index(y):
    import pandas as pd

    fit(pd.Index(pd.arrays.ArrowExtensionArray(pa.chunked_array([y]))))


def pandas_array_verify(y):
    import pandas as pd

    verify(pd.arrays.ArrowExtensionArray(pa.chunked_array([y])))


def frame_named_by(y):
    import pandas as pd

    names = pd.Index(pd.arrays.ArrowExtensionArray(pa.chunked_array([y])))
    return pd.DataFrame(np.eye(6), columns=names)


def pandas_names(y):
    import separatrix as sx

    sx.as_rows(frame_named_by(y))


def pandas_names_verify(y):
    from separatrix.certificates import Separable

    Separable((1.0,) * 6, -2.5).verify(frame_named_by(y), [0, 0, 0, 1, 1, 1])


def subclass(y):
    """As the arrays of an extension type are that a user has defined."""

    class Storage(pa.ExtensionType):
        def __init__(self):
            super().__init__(y.type, "storage")

        def __arrow_ext_serialize__(self):
            return b""

        def __arrow_ext_class__(self):
            return type("Stored", (pa.ExtensionArray,), {"__module__": "elsewhere"})

    fit(pa.ExtensionArray.from_storage(Storage(), y))


def row_weights(y):
    import separatrix as sx

    sx.Ridge().fit(np.arange(6.0)[:, None], np.arange(6.0), sample_weight=y)


def row_weights_of_classes(y):
    import separatrix as sx

    X = np.arange(6.0)[:, None]
    sx.LogisticRegression().fit(X, [0, 0, 0, 1, 1, 1], sample_weight=y)


def classes(y):
    import separatrix as sx

    sx.Perceptron().partial_fit([[0.0]], ["ham"], classes=y)


OF_LABELS = (as_labels, fit, fit_tables, verify, verify_targets, regress, score, pandas_labels, pandas_verify)
OF_LABELS += (pandas_index, pandas_array_verify, pandas_names, pandas_names_verify, subclass)
OF_LABELS += (row_weights, row_weights_of_classes, classes)


def predict(whole):
    import separatrix as sx

    model = sx.Perceptron(max_iter=2).fit(pa.table({"a": np.arange(6.0)}), [0, 0, 0, 1, 1, 1])
    model.predict(whole.select(["a"]))


def rows(whole):
    import separatrix as sx

    sx.as_rows(whole.select(["a"]).to_batches()[0])


def verify_table(whole):
    from separatrix.certificates import About, Separable

    Separable((1.0,), -2.5, about=About(label="label")).verify(whole)


def pandas_frame(whole):
    import pandas as pd

    import separatrix as sx

    column = pd.arrays.ArrowExtensionArray(pa.chunked_array([whole["a"].chunk(0)]))
    sx.as_rows(pd.DataFrame({"a": column}), [0, 0, 0, 1, 1, 1])


def halfspace(whole):
    import separatrix as sx

    sx.Halfspace([1.0, 1.0], 0.0).predict(whole)


def lift(whole):
    import separatrix as sx

    sx.lift(whole, [0, 0, 0, 1, 1, 1])


def from_file(whole, new, name):
    import tempfile

    import separatrix as sx

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        with new(str(path), whole.schema) as writer:
            writer.write_table(whole)
        sx.read(path)


def arrow_file(whole):
    from_file(whole, pa.ipc.new_file, "a.arrow")


def arrow_stream(whole):
    from_file(whole, pa.ipc.new_stream, "a.arrows")


OF_TABLES = (arrow_file, arrow_stream, verify_table, halfspace, lift)
OF_NUMBERS = (predict, rows, pandas_frame, arrow_file, arrow_stream, verify_table, halfspace, lift)
CASES = [(use.__name__, case) for use in OF_LABELS for case in LABELS]
CASES += [(use.__name__, case) for use in OF_TABLES for case in LABELS]
CASES += [(use.__name__, case) for use in OF_NUMBERS for case in FEATURES]


def refused(use: str, case: str) -> str:
    """What the library says, or nothing."""
    given = LABELS[case]() if globals()[use] in OF_LABELS else table(case)
    try:
        globals()[use](given)
    except ValueError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """One process runs all cases, each in a child of its own."""
    done = subprocess.run([sys.executable, str(HERE)], capture_output=True, text=True, cwd=HERE.parents[1])
    assert done.returncode == 0, done.stderr
    return dict(line.split("\t", 1) for line in done.stdout.splitlines())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("use", "case"), CASES, ids=" ".join)
def test_it_is_refused_in_a_sentence(outcomes, use, case):
    said = outcomes[f"{use}, {case}"]
    assert said.startswith("0 "), f"ended with {said}"
    assert any(word in said for word in ("Offset", "UTF8", "indices invalid")), said
    assert any(word in said for word in ("damaged", "cut short")), said


def test_a_union_is_refused_in_a_sentence():
    import separatrix as sx

    union = pa.UnionArray.from_sparse(pa.array([0] * 6, pa.int8()), [pa.array([0, 0, 0, 1, 1, 1])])
    with pytest.raises(sx.DataError, match=r"^y is an Arrow union, which is neither numbers nor text"):
        fit(union)
    with pytest.raises(ValueError, match=r"^The data is an Arrow union, which is neither numbers nor text"):
        verify(union)


def main() -> None:
    import warnings

    warnings.simplefilter("ignore")
    import pandas  # noqa: F401

    import separatrix as sx

    sx.Perceptron(max_iter=2).fit([[0.0], [1.0]], [0, 1])
    for use, case in CASES:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.write(writing, refused(use, case).replace("\n", " ").encode())
            except BaseException as error:
                os.write(writing, repr(error).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        print(f"{use}, {case}\t{os.waitpid(child, 0)[1]} {said}")


if __name__ == "__main__":
    main()
