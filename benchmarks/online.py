"""Online use: one row at a time beside river and scikit-learn, end to end from a file beside river and
Vowpal Wabbit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    "By the row, river and scikit-learn end with our weights. From a file each side reads the same rows in "
    "as many passes; µs a row are of one pass, errors those of the final weights on these rows.",
    "river's pass is `iter_libsvm` and `learn_one`; Vowpal Wabbit's update is `--sgd --loss_function hinge`.",
)


def run(*, quick: bool, repeats: int) -> Table:
    n, width = (300, 5) if quick else (5_000, 20)
    size = (1_000, 2_000) if quick else (100_000, 50_000)
    lines = [
        *_by_the_row(n, width, repeats),
        *(line for passes in (1, planted.PASSES) for line in _from_a_file(*size, passes, repeats)),
    ]
    return Table(
        columns=(
            "use",
            "peer",
            "rows",
            "columns",
            "passes",
            "ours, µs a row",
            "peer, µs a row",
            "ratio",
            "ours, errors",
            "peer, errors",
        ),
        rows=lines,
        notes=NOTES,
    )


def _line(
    use: str,
    peer: str,
    shape: tuple[int, ...],
    passes: int,
    seconds: dict[str, list[float]],
    errors: tuple[object, object] = ("", ""),
) -> tuple[object, ...]:
    mine, theirs = (1e6 * median(seconds[side]) / (passes * shape[0]) for side in ("ours", "theirs"))
    return (use, peer, *shape, passes, mine, theirs, ratio(seconds["theirs"], seconds["ours"]), *errors)


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


def _from_a_file(n: int, d: int, passes: int, repeats: int) -> Iterator[tuple[object, ...]]:
    """From the text on disk to the last weights: `sx.read` and `fit`, river, and Vowpal Wabbit."""
    from river.linear_model import Perceptron as RiverPerceptron
    from river.stream import iter_libsvm
    from vowpalwabbit import Workspace

    X, y = planted.sparse(n, d, "float64", hard=passes > 1)
    with TemporaryDirectory() as folder:
        svmlight, vw = Path(folder, "rows.svm"), Path(folder, "rows.vw")
        _write(X, y, svmlight, vw)

        def ours() -> sx.Perceptron:
            return sx.Perceptron(max_iter=passes).fit(sx.read(svmlight, n_columns=d))

        def river() -> Any:
            model: Any = RiverPerceptron()
            with svmlight.open(encoding="ascii") as text:
                for row, label in iter_libsvm(text, target_type=int):
                    model.learn_one(row, label == 1)
            return model

        def wabbit(*more: str) -> float:
            learning = ["--loss_function", "hinge", "--sgd", "--bit_precision", "18", "--holdout_off", *more]
            several = (
                ["--passes", str(passes), "--cache_file", f"{vw}.cache", "--kill_cache"] if passes > 1 else []
            )
            workspace = Workspace(arg_list=["--data", str(vw), "--quiet", *learning, *several])
            seen = workspace.get_weighted_examples()
            workspace.finish()
            return seen

        model = ours()
        require(model.passes_ == passes, f"Ours made {model.passes_} passes instead of {passes}.")
        require(wabbit("--final_regressor", f"{vw}.model") == passes * n, "Vowpal Wabbit missed rows.")
        require(model.certificate_.verify(X, y), "The certificate does not hold.")
        errors = int(np.count_nonzero(model.predict(X) != np.where(y == 1, 1, -1)))
        peers: dict[str, tuple[Callable[[], object], int]] = {
            "Vowpal Wabbit": (wabbit, _errors_of_wabbit(vw, y))
        }
        if passes == 1:  # river's later passes are its first again: minutes for the same figure
            peers["river"] = river, _errors_of_river(river(), X, y)
        for peer, (theirs, wrong) in peers.items():
            seconds = alternate({"ours": clocked(ours), "theirs": clocked(theirs)}, repeats)
            yield _line("`sx.read` and `fit`", peer, (n, d), passes, seconds, (errors, wrong))


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


def _errors_of_river(model: Any, X: csr_matrix, y: np.ndarray) -> int:
    weights = np.zeros(X.shape[1])
    for name, weight in model.weights.items():
        weights[int(name) - 1] = weight
    return int(np.count_nonzero((X @ weights + model.intercept > 0) != (y == 1)))


def _errors_of_wabbit(vw: Path, y: np.ndarray) -> int:
    from vowpalwabbit import Workspace

    answers = Path(f"{vw}.answers")
    asked = ["--testonly", "--initial_regressor", f"{vw}.model", "--predictions", str(answers)]
    Workspace(arg_list=["--data", str(vw), "--quiet", *asked]).finish()
    return int(np.count_nonzero((np.loadtxt(answers) > 0) != (y == 1)))
