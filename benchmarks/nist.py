"""NIST's certified linear regressions: the digits of `sx.LinearRegression` beside scikit-learn's.

The sets are read from the folder SEPARATRIX_DATA, or shared/data beside the checkout, in its folder nist.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from fractions import Fraction
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from sklearn.linear_model import LinearRegression

import separatrix as sx
from benchmarks.harness import Mismatch, Table, require


def run(*, quick: bool, repeats: int) -> Table:
    lines = []
    for name, X, y, constant, record in _sets():
        ours = _in_order(sx.LinearRegression(fit_intercept=constant).fit(X, y), constant)
        theirs = _in_order(LinearRegression(fit_intercept=constant).fit(X, y), constant)
        exact = _exact(X, y, constant)
        certified = [Fraction(text) for text in record["coefficients"].values()]
        mine = _fewest(ours, exact)
        require(mine >= 13, f"{name}: {mine:.1f} digits of the exact solution.")
        lines.append(
            (
                name,
                record["difficulty"].lower(),
                f"{mine:.1f}",
                f"{_fewest(theirs, exact):.1f}",
                f"{_fewest(ours, certified):.1f}",
                f"{_fewest(theirs, certified):.1f}",
                f"{_fewest(exact, certified):.1f}",
            )
        )
    return Table(
        columns=(
            "set",
            "difficulty",
            "ours, exact",
            "scikit-learn's, exact",
            "ours, NIST",
            "scikit-learn's, NIST",
            "exact, NIST",
        ),
        rows=lines,
        notes=(
            "The fewest correct digits among the coefficients (at most 17). *Exact* is the rational solution "
            "of the floats given, polynomials expanded in floats; *NIST* the certified values, which have 15 "
            "digits and are those of the decimals. The last column is how far the two agree: what no solver "
            "on these floats can pass.",
        ),
    )


def _sets() -> Iterator[tuple[str, np.ndarray, np.ndarray, bool, dict[str, Any]]]:
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SEPARATRIX_DATA") or beside) / "nist"
    if not folder.is_dir():
        raise Mismatch(f"there is no folder {folder.name} of NIST's sets: set SEPARATRIX_DATA.")
    for name, record in json.loads((folder / "certified.json").read_text(encoding="utf-8")).items():
        table = np.genfromtxt(folder / f"{name}.csv", delimiter=",", skip_header=1)
        x, y = table[:, :-1], table[:, -1]
        constant = "B0" in record["coefficients"]
        count = len(record["coefficients"]) - constant
        X = np.column_stack([x[:, 0] ** (p + 1) for p in range(count)]) if x.shape[1] == 1 else x
        yield name, X, y, constant, record


def _in_order(model: Any, constant: bool) -> list[Fraction]:
    found = [model.intercept_, *model.coef_] if constant else list(model.coef_)
    return [Fraction(float(value)) for value in found]


def _exact(X: np.ndarray, y: np.ndarray, constant: bool) -> list[Fraction]:
    Z = np.column_stack([np.ones(len(y)), X]) if constant else X
    rows = fmpq_mat([[fmpq(*value.as_integer_ratio()) for value in row] for row in Z.tolist()])
    targets = fmpq_mat([[fmpq(*value.as_integer_ratio())] for value in y.tolist()])
    turned = rows.transpose()
    solution = (turned * rows).solve(turned * targets)
    return [Fraction(int(solution[j, 0].p), int(solution[j, 0].q)) for j in range(Z.shape[1])]


def _fewest(found: list[Fraction], right: list[Fraction]) -> float:
    return min(_digits(one, other) for one, other in zip(found, right, strict=True))


def _digits(found: Fraction, right: Fraction) -> float:
    error = abs(found - right)
    if not error:
        return 17.0
    return max(0.0, min(17.0, -log10(error / abs(right)))) if right else 0.0
