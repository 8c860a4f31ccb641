"""Online use: one row at a time beside river, and end to end from a file beside Vowpal Wabbit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import separatrix as sx
from benchmarks import planted
from benchmarks.harness import Table, alternate, clocked, ratio, require

NOTES = (
    "river and scikit-learn end with our weights; Vowpal Wabbit makes as many passes and ends without error.",
)


def run(*, quick: bool, repeats: int) -> Table:
    n, width = (300, 5) if quick else (5_000, 20)
    size = (1_000, 2_000) if quick else (100_000, 50_000)
    lines = [
        *_by_the_row(n, width, repeats),
        *(_from_a_file(*size, passes, repeats) for passes in (1, planted.PASSES)),
    ]
    return Table(
        columns=("use", "peer", "rows", "columns", "passes", "ours, µs a row", "peer, µs a row", "ratio"),
        rows=lines,
        notes=NOTES,
    )


def _line(
    use: str, peer: str, shape: tuple[int, ...], passes: int, seconds: dict[str, list[float]]
) -> tuple[object, ...]:
    mine, theirs = (1e6 * median(seconds[side]) / shape[0] for side in ("ours", "theirs"))
    return (use, peer, *shape, passes, mine, theirs, ratio(seconds["theirs"], seconds["ours"]))


def _by_the_row(n: int, d: int, repeats: int) -> list[tuple[object, ...]]:
    from river.linear_model import Perceptron as RiverPerceptron
    from sklearn.linear_model import Perceptron

    random = np.random.default_rng(0)
    X = random.standard_normal((n, d))
    y = (X @ random.standard_normal(d) > 0).astype(np.int64)
    labels = [0, 1]
    pairs = list(zip(X, y.tolist(), strict=True))
    named = [({f"x{j}": value for j, value in enumerate(row.tolist())}, label == 1) for row, label in pairs]

    def stream() -> np.ndarray:
        model = sx.Perceptron()
        for _ in sx.stream(model, pairs, classes=labels):
            pass
        return model.coef_[0]

    def row_by_row(model: Any) -> np.ndarray:
        for row in range(n):
            model.partial_fit(X[row : row + 1], y[row : row + 1], classes=labels)
        return model.coef_[0]

    def river(predict: bool) -> np.ndarray:
        model: Any = RiverPerceptron()
        for row, label in named:
            if predict:
                model.predict_one(row)
            model.learn_one(row, label)
        return np.array([model.weights[f"x{j}"] for j in range(d)])

    def beside(
        use: str, ours: Callable[[], np.ndarray], peer: str, theirs: Callable[[], np.ndarray]
    ) -> tuple[object, ...]:
        require(np.allclose(ours(), theirs(), rtol=1e-9), f"{use} and {peer} ended with different weights.")
        seconds = alternate({"ours": clocked(ours), "theirs": clocked(theirs)}, repeats)
        return _line(use, peer, (n, d), 1, seconds)

    def partial() -> np.ndarray:
        return row_by_row(sx.Perceptron())

    return [
        beside("`sx.stream`", stream, "river", lambda: river(True)),
        beside("`partial_fit`, a row a call", partial, "river", lambda: river(False)),
        beside(
            "`partial_fit`, a row a call",
            partial,
            "scikit-learn",
            lambda: row_by_row(Perceptron(shuffle=False)),
        ),
    ]


def _from_a_file(n: int, d: int, passes: int, repeats: int) -> tuple[object, ...]:
    from vowpalwabbit import Workspace

    X, y = planted.sparse(n, d, "float64", hard=passes > 1)
    with TemporaryDirectory() as folder:
        svmlight, vw = Path(folder, "rows.svm"), Path(folder, "rows.vw")
        _write(X, y, svmlight, vw)

        def ours() -> sx.Perceptron:
            return sx.Perceptron(max_passes=passes).fit(sx.read(svmlight, n_columns=d))

        def theirs(*more: str) -> float:
            learning = ["--loss_function", "hinge", "--sgd", "--bit_precision", "18", "--holdout_off", *more]
            several = (
                ["--passes", str(passes), "--cache_file", f"{vw}.cache", "--kill_cache"] if passes > 1 else []
            )
            workspace = Workspace(arg_list=["--data", str(vw), "--quiet", *learning, *several])
            seen = workspace.get_weighted_examples()
            workspace.finish()
            return seen

        model = ours()
        require(
            model.passes_ == passes and theirs() == passes * n,
            "The two sides made different numbers of passes.",
        )
        require(model.certificate_.verify(X, y), "The certificate does not hold.")
        theirs("--final_regressor", f"{vw}.model")
        require(_errors_of_model(vw, y) == 0, "Vowpal Wabbit errs on the rows.")
        seconds = alternate({"ours": clocked(ours), "theirs": clocked(theirs)}, repeats)
    return _line("`sx.read` and `fit`", "Vowpal Wabbit", (n, d), passes, seconds)


def _write(X: csr_matrix, y: np.ndarray, svmlight: Path, vw: Path) -> None:
    """The same numbers in both formats, which differ by the bar before the values."""
    with svmlight.open("w", encoding="ascii") as ours, vw.open("w", encoding="ascii") as theirs:
        for row, label in enumerate(y):
            span = slice(X.indptr[row], X.indptr[row + 1])
            columns, values = X.indices[span].tolist(), X.data[span].tolist()
            text = " ".join(f"{column + 1}:{value!r}" for column, value in zip(columns, values, strict=True))
            sign = "1" if label == 1 else "-1"
            ours.write(f"{sign} {text}\n")
            theirs.write(f"{sign} | {text}\n")


def _errors_of_model(vw: Path, y: np.ndarray) -> int:
    from vowpalwabbit import Workspace

    answers = Path(f"{vw}.answers")
    asked = ["--testonly", "--initial_regressor", f"{vw}.model", "--predictions", str(answers)]
    Workspace(arg_list=["--data", str(vw), "--quiet", *asked]).finish()
    return int(np.count_nonzero((np.loadtxt(answers) > 0) != (y == 1)))
