"""Small tables, and certificates of every kind that hold of them: from fits, or written by hand."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

import separatrix as sx
from separatrix.certificates import (
    About,
    Certificate,
    ErrorsAtLeast,
    ErrorsAtMost,
    FewestErrors,
    GradientAtMost,
    Inseparable,
    JointLikelihoodWithin,
    LikelihoodWithin,
    MarginAtLeast,
    MarginAtMost,
    MarginShare,
    MistakeRun,
    MistakesAtMost,
    Overlapping,
    Separable,
    SoftMarginWithin,
    SolutionWithin,
    Undecided,
    WeaklySeparable,
)

LABEL = "y"


@dataclass(frozen=True)
class Data:
    """Rows with labels or targets, the same as a CSV file, as arrays and as an Arrow table."""

    name: str
    rows: tuple[tuple[float, ...], ...]
    labels: tuple[Any, ...]
    measured: bool = False

    @property
    def columns(self) -> list[str]:
        return [f"x{j}" for j in range(len(self.rows[0]))]

    @cached_property
    def csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, LABEL])
        writer.writerows([*map(repr, row), label] for row, label in zip(self.rows, self.labels, strict=True))
        return text.getvalue()

    @cached_property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.rows, np.float64), np.array(self.labels)

    @cached_property
    def table(self) -> pa.Table:
        X, y = self.arrays
        columns = {name: X[:, j] for j, name in enumerate(self.columns)}
        return pa.table({**columns, LABEL: pa.array(y.tolist())})

    def other(self, name: str, rows: Any = None, labels: Any = None) -> Data:
        """A variant of the same shape, or nearly."""
        given = self.rows if rows is None else tuple(map(tuple, rows))
        return Data(
            f"{self.name}, {name}", given, tuple(self.labels if labels is None else labels), self.measured
        )


@dataclass(frozen=True)
class Case:
    """A certificate, as JSON values, that holds of some data."""

    name: str
    record: dict[str, Any]
    data: Data


PLANE = Data(
    "separable",
    ((0.5, -0.0), (1.5, 1.0), (-2.0, 3.0), (0.0, -1.0), (2.0, 2.0), (0.1, 0.1), (1.0, 0.5)),
    (0, 1, 1, 0, 1, 0, 1),
)
WORDS = Data("text labels", PLANE.rows, tuple(("no", "yes")[s] for s in PLANE.labels))
XOR = Data("xor", ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.25)), (-1, 1, 1, -1, 1))
NOISY = Data(
    "overlap",
    tuple((float(i % 5), (i * 7 % 11) / 4, (i * i % 7) - 2.5) for i in range(9)),
    tuple(f"{(i * 5 % 9 > 3) + 1}.0" for i in range(9)),
)
TRUTHS = Data("booleans", tuple((i / 2, float(i * 3 % 4)) for i in range(8)), (False, True, False, True) * 2)
QUASI = Data(
    "quasi", ((0.0, 2.0), (1.0, 0.5), (1.0, -0.5), (1.0, -1.5), (2.0, 1.0), (3.0, 0.0)), (1, 1, 2, 1, 2, 2)
)
LARGE = 2**53
WIDE = Data("large", ((LARGE - 1.0, 2.0 - LARGE), (-float(LARGE), LARGE - 1.0)), (7, 7))
ONE_ROW = Data("one row", ((2.0,),), ("only",))
REPEATED = Data(
    "repeated",
    ((0.0,), (1.0,), (1.0,), (2.0,), (2.0,), (3.0,), (0.0,)),
    (1e6, 1e6, -3.0, -3.0, 1e6, -3.0, -3.0),
)
THREE = Data(
    "three classes",
    ((0.0, 1.0), (1.0, 0.0), (2.0, 2.5), (0.5, 0.75), (1.5, 0.25), (2.0, 2.0), (1.0, 1.0), (0.25, 2.0)),
    tuple("acacbcab"),
)
ORIGIN = Data(
    "through the origin", ((1.0, 2.0), (2.0, 0.5), (-1.0, -1.0), (-0.5, -3.0), (3.0, 3.0)), (1, 1, 0, 0, 1)
)
EXTREME = Data(
    "extreme numbers",
    ((1e300, 1e-300), (5e-324, 1.0), (-1e300, 3.0), (1e-300, -1e300), (0.0, 2.0**500), (2.0**-500, 0.0)),
    ("1", "1", "0", "0", "1", "0"),
)
TARGETS = Data(
    "targets",
    ((0.1, 1.0), (0.2, -1.0), (0.7, 0.5), (1.1, 2.0), (-0.3, 0.25), (2.0, -1.5)),
    (0.3, -0.7, 1.9, 2.5, 0.0, 1e-3),
    measured=True,
)
DEPENDENT = Data(
    "dependent columns",
    ((1.0, 2.0, 0.5), (2.0, 4.0, -1.0), (-1.0, -2.0, 0.25), (0.5, 1.0, 3.0), (3.0, 6.0, 0.0)),
    (1.0, 2.5, 0.0, -1.0, 4.0),
    measured=True,
)


def corpus() -> list[Case]:
    """Certificates of every kind, each bound to its data: half of them by the names of its columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        made = [*_sides(), *_conflicts(), *_margins(), *_mistakes(), *_fewest(), *_optima(), *_measured()]
    cases = []
    for place, (proof, data) in enumerate(made):
        named = place % 2 == 0
        cases.append(Case(f"{place} {proof.kind} of {data.name}", _record(proof, data, named), data))
    return cases


def _record(proof: Certificate, data: Data, named: bool) -> dict[str, Any]:
    if not named:
        return proof.bound_to(*data.arrays).to_dict()
    return replace(proof, about=replace(proof.about, label=LABEL)).bound_to(data.table).to_dict()


Made = list[tuple[Certificate, Data]]


def _sides() -> Made:
    return [
        (Separable((1.0, 1.0), -0.75), PLANE),
        (Separable((2**90, 2**90), -(3 * 2**88)), WORDS),
        (Separable((2 * LARGE - 3, 2 * LARGE - 1), None, about=About(positive=7)), WIDE),
        (Separable((0.5,), 0.0, about=About(positive="only")), ONE_ROW),
        (Separable((1.0,), None, about=About(positive="only")), ONE_ROW),
        (ErrorsAtMost((1.0, 1.0), -0.25, 1), WORDS),
        (ErrorsAtMost((1.0, 1.0), -0.5, 2), XOR),
        (ErrorsAtMost((1, 1), -1, 8, about=About(positive="b")), THREE),
        (ErrorsAtMost((1.0, 1e-300), 0.0, 3), EXTREME),
        (Undecided("The passes ran out at 1000."), XOR),
    ]


def _conflicts() -> Made:
    found: Made = [(Inseparable((0, 1, 2, 3), (1, 1, 1, 1), True), XOR)]
    for data in (XOR, NOISY, TRUTHS, QUASI, REPEATED):
        proof = sx.separate(*data.arrays).certificate
        assert isinstance(proof, (Overlapping, WeaklySeparable))
        found.append((proof, data))
        found.append((Inseparable(proof.rows, proof.multipliers, True), data))
    through = sx.separate(*NOISY.arrays, intercept=False).certificate
    return [*found, (through, NOISY), (sx.separate(*EXTREME.arrays).certificate, EXTREME)]


def _margins() -> Made:
    widest = sx.MaxMargin().fit(*PLANE.arrays).certificate_
    through = sx.MaxMargin(fit_intercept=False).fit(*ORIGIN.arrays).certificate_
    share = sx.MarginPerceptron().fit(*WORDS.arrays).certificate_
    return [
        (widest, PLANE),
        (through, ORIGIN),
        (MarginAtLeast(widest.weights, widest.intercept, widest.lower, True), WORDS),
        (MarginAtLeast((4, 4), -3, 0.0625, False), PLANE),
        (MarginAtMost(widest.rows, widest.multipliers, widest.upper, True, True), PLANE),
        (MarginAtMost((0, 1), (3, 4), 1, False, True), WORDS),
        (MarginAtMost((0, 1), (2, 1), 2.5, False, False), ORIGIN),
        (share, WORDS),
        (MarginShare((1.0, 1.0), -0.75, (0, 1), (5, 3), 0.25), PLANE),
    ]


def _mistakes() -> Made:
    few = sx.Perceptron(max_iter=2).fit(*PLANE.arrays).mistake_run_
    many = sx.Perceptron().fit(*WORDS.arrays).mistake_run_
    through = sx.Perceptron(fit_intercept=False).fit(*ORIGIN.arrays).mistake_run_
    runs: Made = [(few, PLANE), (many, WORDS), (through, ORIGIN)]
    assert all(isinstance(run, MistakeRun) for run, _ in runs)
    return [
        *runs,
        (MistakesAtMost((2.0, 2.0), None, 9), ORIGIN),
        (MistakesAtMost((2**60, 2**60), -(2**60) * 3 // 4, 4000), PLANE),
    ]


def _fewest() -> Made:
    found: Made = [
        (sx.ZeroOne(n_jobs=1).fit(*data.arrays).certificate_, data)
        for data in (XOR, NOISY, TRUTHS, REPEATED, EXTREME)
    ]
    costs = [0.5, 1.25, 2.0, 1.0, 0.0, 3.0, 0.75, 1.0]
    found.append((sx.ZeroOne(n_jobs=1).fit(*TRUTHS.arrays, sample_weight=costs).certificate_, TRUTHS))
    found.append((sx.ZeroOne(n_jobs=1, fit_intercept=False).fit(*NOISY.arrays).certificate_, NOISY))
    assert all(isinstance(proof, FewestErrors) for proof, _ in found)
    found += [(proof.at_least, data) for proof, data in found]
    circuit = {"denominator": 1, "method": "circuits"}
    # XOR: the four corners are one circuit, so one of them is an error.
    part = {"circuits": [[[0, 1, 2, 3], [], []]], "tree": [None], "leaves": [[[0], [1]]]}
    found.append((ErrorsAtLeast(1, None, {**circuit, "parts": [part]}, True), XOR))
    whole = [2**70, 2**71, 2**70, 2**72, 0]
    return [*found, (ErrorsAtLeast(1, whole, {**circuit, "parts": [part]}, True), XOR)]


def _optima() -> Made:
    weights = [1.0, 0.5, 2.0, 1.0, 0.25, 1.0, 3.0, 0.0, 1.0]
    found: Made = [
        (sx.LinearSVM(C=2.0).fit(*NOISY.arrays).certificate_, NOISY),
        (sx.LinearSVM(loss="squared_hinge").fit(*TRUTHS.arrays).certificate_, TRUTHS),
        (sx.LinearSVM(fit_intercept=False).fit(*NOISY.arrays, sample_weight=weights).certificate_, NOISY),
    ]
    found += [(proof, THREE) for proof in sx.LinearSVM().fit(*THREE.arrays).certificate_[:2]]
    assert all(isinstance(proof, SoftMarginWithin) for proof, _ in found)
    likely: Made = [
        (sx.LogisticRegression(C=0.5).fit(*NOISY.arrays).certificate_, NOISY),
        (
            sx.LogisticRegression(fit_intercept=False).fit(*NOISY.arrays, sample_weight=weights).certificate_,
            NOISY,
        ),
        (sx.LogisticRegression(C=1e3).fit(*PLANE.arrays).certificate_, PLANE),
        *(
            (sx.LogisticRegression(penalty=None).fit(*data.arrays).certificate_, data)
            for data in (TRUTHS, REPEATED, QUASI, PLANE)
        ),
        (sx.LogisticRegression(penalty=None).fit(*NOISY.arrays, sample_weight=weights).certificate_, NOISY),
    ]
    likely.append((LikelihoodWithin((0.0, 0.0), 0.0, None, upper=5.0, lower=0.0), EXTREME))
    assert all(isinstance(proof, LikelihoodWithin) for proof, _ in likely)
    several = sx.LogisticRegression(multi_class="multinomial")
    free = sx.LogisticRegression(multi_class="multinomial", penalty=None)
    joint: Made = [
        (several.set_params(C=2.0).fit(*THREE.arrays).certificate_, THREE),
        (several.set_params(fit_intercept=False).fit(*THREE.arrays).certificate_, THREE),
        (several.fit(*THREE.arrays, sample_weight=weights[:8]).certificate_, THREE),
        (free.fit(*THREE.arrays).certificate_, THREE),
    ]
    assert all(isinstance(proof, JointLikelihoodWithin) for proof, _ in joint)
    return [*found, *likely, *joint]


def _measured() -> Made:
    weights = [1.0, 0.5, 2.0, 1.0, 0.25, 1.0]
    found: Made = [
        (sx.LinearRegression().fit(*TARGETS.arrays).certificate_, TARGETS),
        (sx.LinearRegression(fit_intercept=False).fit(*DEPENDENT.arrays).certificate_, DEPENDENT),
        (sx.Ridge(alpha=0.5).fit(*TARGETS.arrays, sample_weight=weights).certificate_, TARGETS),
        (sx.Ridge(alpha=2.0).fit(*DEPENDENT.arrays).certificate_, DEPENDENT),
        (SolutionWithin((0.0, 0.0), 0.667, None, 0.5, (0.0, 0.0, 0.5)), TARGETS),
    ]
    assert all(isinstance(proof, SolutionWithin) for proof, _ in found)
    fit = found[0][0]
    return [
        *found,
        (GradientAtMost(fit.weights, fit.intercept, 0.0, 1e-14), TARGETS),
        (GradientAtMost((0.5, 0.25), None, 0.125, 8.0, weights), TARGETS),
    ]
