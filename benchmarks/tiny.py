"""What a fit costs when there is hardly anything to fit: 100 rows of 2 columns."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Perceptron
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

import separatrix as sx
from benchmarks.harness import Bar, Spread, Table, alternate, clocked, ratio, require

BAR = Bar(1000, " µs", most=True)


def run(*, quick: bool, repeats: int) -> Table:
    random = np.random.default_rng(0)
    X = random.standard_normal((100, 2))
    y = np.where(X @ [1.0, 2.0] > 0, 1, 0)
    X += np.outer(2 * y - 1, [0.1, 0.2])
    model = sx.Perceptron().fit(X, y)
    require(model.certificate_.verify(X, y), "The certificate does not hold.")
    passes = int(model.passes_)

    def validation() -> None:
        validate_data(Perceptron(), X, y, accept_sparse="csr", dtype=(np.float64, np.float32))
        check_classification_targets(y)

    calls = 5 if quick else 300
    works = {
        "ours": lambda: sx.Perceptron().fit(X, y),
        "fit": lambda: Perceptron(max_iter=passes, tol=None, shuffle=False).fit(X, y),
        "validation": validation,
    }
    seconds = alternate({name: clocked(work, calls) for name, work in works.items()}, repeats)
    micro = {name: Spread.of([1e6 * each for each in all_]) for name, all_ in seconds.items()}
    added = Spread.of([1e6 * (a - b) for a, b in zip(seconds["ours"], seconds["validation"], strict=True)])
    return Table(
        columns=("what", "µs", "as a share of ours", "bar", "met"),
        rows=[
            (
                f"`sx.Perceptron().fit`, {passes} passes, proven",
                micro["ours"],
                "1",
                BAR,
                BAR.judged(micro["ours"].middle, quick=quick),
            ),
            (
                f"scikit-learn's `Perceptron().fit`, {passes} passes",
                micro["fit"],
                _share(seconds, "fit"),
                "",
                "",
            ),
            (
                "scikit-learn's validation of X and y alone",
                micro["validation"],
                _share(seconds, "validation"),
                "",
                "",
            ),
            ("what ours adds to that", added, "", "", ""),
        ],
    )


def _share(seconds: dict[str, list[float]], name: str) -> Spread:
    return ratio(seconds[name], seconds["ours"])
