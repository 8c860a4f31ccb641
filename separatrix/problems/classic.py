"""The classic sets, from those that come with scikit-learn; nothing is fetched, nothing scaled.

What is known of them was computed, and the tests compute it again: a separating hyperplane checked in exact
arithmetic, or rows and whole-number multipliers that add up to exactly zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problems.known_answer import Kind, Problem

__all__ = ["breast_cancer", "diabetes", "digits", "iris", "wine"]


def iris(positive: str = "setosa", against: str | None = None) -> Problem:
    """Iris flowers (Fisher 1936), 4 columns: one species against the rest, or against one other.

    Known: setosa is separable from everything. Versicolor and virginica overlap; giving up one row makes
    virginica separable from versicolor, and from the rest. Versicolor lies between the two others.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.iris("setosa")
    <iris setosa against the rest: 150 × 4, complete>
    >>> problems.iris("virginica", "versicolor")
    <iris virginica against versicolor: 100 × 4, overlap, fewest errors 1>
    """
    data = _bundled("iris")
    names = tuple(str(name) for name in data.target_names)
    X, y = _contrast(data, names, positive, against)
    pair = {positive, against or "versicolor"}
    easy = "setosa" in pair if against else positive == "setosa"
    fewest = 0 if easy else 1 if "virginica" in {positive, against} else None
    return _known(data, X, y, "iris", positive, against, "complete" if easy else "overlap", fewest)


def wine(positive: str = "class_0", against: str | None = None) -> Problem:
    """Wines of three growers (Aeberhard, Coomans and de Vel 1992), 13 columns on very different scales.

    Known: every class is separable from the rest, and so from each other one.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.wine("class_1")
    <wine class_1 against the rest: 178 × 13, complete>
    """
    data = _bundled("wine")
    X, y = _contrast(data, tuple(str(name) for name in data.target_names), positive, against)
    return _known(data, X, y, "wine", positive, against, "complete", 0)


def breast_cancer() -> Problem:
    """Wisconsin diagnostic breast cancer (Wolberg, Street and Mangasarian 1993), 30 columns; 1 is benign.

    Known: separable, but by so little that most solvers stop before they see it.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.breast_cancer()
    <breast_cancer: 569 × 30, complete>
    """
    data = _bundled("breast_cancer")
    return Problem(
        X=data.data,
        y=data.target,
        name="breast_cancer",
        description="Benign (1) or malignant (0) tumours from 30 measurements of cell nuclei.",
        separable=True,
        kind="complete",
        fewest_errors=0,
        columns=tuple(str(name) for name in data.feature_names),
    )


def digits(digit: int = 0) -> Problem:
    """Handwritten digits (Alpaydin and Kaynak 1998), 8 × 8 pixels from 0 to 16: one digit against the rest.

    Known: 0 to 7 are separable from the rest. 8 and 9 are not, and only just: some pixels are blank in all of
    their images and inked in others, and minus their sum is a weak separator, so the kind is quasi.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.digits(3)
    <digits 3 against the rest: 1797 × 64, complete>
    >>> problems.digits(8)
    <digits 8 against the rest: 1797 × 64, quasi>
    """
    data = _bundled("digits")
    X, y = _contrast(data, tuple(range(10)), digit, None)
    if digit < 8:
        return _known(data, X, y, "digits", digit, None, "complete", 0)
    blank = (X[y > 0] == 0).all(axis=0) & (X[y < 0] > 0).any(axis=0)
    weak = (tuple(-int(pixel) for pixel in blank), 0)
    return _known(data, X, y, "digits", digit, None, "quasi", None, weak)


def diabetes(scaled: bool = True) -> Problem:
    """A regression: progress of diabetes in a year from 10 measurements of 442 patients (Efron et al. 2004).

    `scaled` has scikit-learn's meaning: columns centred and of unit length.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.diabetes()
    <diabetes: 442 × 10>
    """
    data = _bundled("diabetes", scaled=scaled)
    return Problem(
        X=data.data,
        y=data.target,
        name="diabetes",
        description="Progress of the disease, a number, from 10 measurements.",
        columns=tuple(str(name) for name in data.feature_names),
    )


def _bundled(name: str, **options: Any) -> Any:
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(**options)


def _contrast(
    data: Any, names: Sequence[str | int], positive: str | int, against: str | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of the two sides and their signs."""
    wanted = [positive] if against is None else [positive, against]
    if len(set(wanted)) < len(wanted) or not set(wanted) <= set(names):
        raise ValueError(f"Choose one class, or two different ones, from {', '.join(map(str, names))}.")
    codes = [names.index(name) for name in wanted]
    kept = np.isin(data.target, codes) if against is not None else np.ones(len(data.target), dtype=bool)
    return data.data[kept], np.where(data.target[kept] == codes[0], 1, -1)


def _known(
    data: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    name: str,
    positive: str | int,
    against: str | None,
    kind: Kind,
    fewest_errors: int | None,
    halfspace: tuple[tuple[int, ...], int] | None = None,
) -> Problem:
    question = f"{positive} against {against or 'the rest'}"
    return Problem(
        X=X,
        y=y,
        name=f"{name} {question}",
        description=f"{name}: {question}, the first being +1.",
        separable=kind == "complete",
        kind=kind,
        halfspace=halfspace,
        fewest_errors=fewest_errors,
        columns=tuple(str(column) for column in data.feature_names),
    )
