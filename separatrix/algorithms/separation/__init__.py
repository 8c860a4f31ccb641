"""Is there a hyperplane with every row strictly on its side? The question itself, never answered wrong.

**Idea.** Floats propose a hyperplane or a conflict from a small active set; whole numbers check it on the
rows as given.

**Theorem** (Gordan, 1873). Either some w has z·w > 0 on every row z = s·(x, 1), or some rows with positive
multipliers cancel: Σ λ z = 0. At most D + 1 rows are needed (Carathéodory), D counting the constant.

**Certificate.** complete: `Separable`; quasi: `WeaklySeparable`; overlap: `Overlapping`; `Undecided` when a
time limit was given and reached, and in no other case.

**Cost.** A dozen or two scans of the rows for a hyperplane, often none for a conflict; memory for a few
thousand rows.

References
----------
Albert and Anderson, *On the existence of maximum likelihood estimates in logistic regression models*, 1984,
for the three kinds; Wolfe, *Finding the nearest point in a polytope*, 1976, for the search.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from separatrix.algorithms.separation.active_set import ActiveSetSearch
from separatrix.algorithms.separation.classification import Classification, classify
from separatrix.algorithms.separation.gram_solution import find_equidistant_plane
from separatrix.algorithms.separation.result import Conflict, Interval, Separation
from separatrix.algorithms.separation.scan import OutOfTime, Progress, Scanner
from separatrix.fitting.parameters import require_time_limit
from separatrix.messages import ParameterError
from separatrix.rows import Rows, as_rows

__all__ = ["Conflict", "Interval", "Progress", "Separation", "separate", "separate_rows"]


def separate(
    X: Any,
    y: Any = None,
    *,
    intercept: bool = True,
    time_limit: float | None = None,
    positive: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Separation:
    """Decide whether two classes can be told apart by a hyperplane, with a proof either way.

    Parameters
    ----------
    X, y
        Rows and their labels in any form that `as_rows` takes, or labelled `Rows` alone.
    intercept : bool
        Whether the hyperplane may miss the origin.
    time_limit : float or None
        Seconds after which the kind is "undecided".
    positive : label or None
        The label that is +1, all others being -1; None: the larger of the two.
    n_jobs : int or None
        Threads for the scans.
    progress : callable or None
        Called after every scan with a `Progress`: scans, rows, rows looked at closely, violators; while the
        margin is measured, also its bounds so far.

    Examples
    --------
    >>> separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).conflict
    Conflict(rows=(0, 1, 2, 3), weights=(1, 1, 1, 1))
    >>> answer = separate([[20_000], [30_000], [60_000], [90_000]], [0, 0, 1, 1])
    >>> answer.kind, answer.margin
    ('complete', Interval(lower=15000.0, upper=15000.0))
    """
    require_time_limit(time_limit, zero=True)
    rows = as_rows(X, y, n_jobs=n_jobs)
    rows.require_two_classes()
    rows.require_finite()
    code = _code(rows.classes, positive)
    return separate_rows(rows, code, intercept=intercept, time_limit=time_limit, progress=progress)


def separate_rows(
    rows: Rows,
    positive: int,
    *,
    intercept: bool,
    time_limit: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Separation:
    """The same for checked rows; ``positive`` is the code of the class that is +1."""
    scanner = Scanner(rows, positive, intercept, time_limit, progress)
    search = classification = None
    with suppress(OutOfTime):
        equidistant = find_equidistant_plane(scanner)
        if equidistant is not None:
            plane, coordinates = equidistant
            return Separation(scanner, None, Classification("complete", coordinates, plane, None, None))
        search = ActiveSetSearch(scanner)
        classification = classify(search)
    return Separation(scanner, search, classification)


def _code(classes: Any, positive: Any) -> int:
    if positive is None:
        if len(classes) != 2:
            raise ValueError(f"y has {len(classes)} classes; pass positive=<label>.")
        return 1
    for code, label in enumerate(classes):
        if label == positive:
            return code
    raise ParameterError("positive", positive, f"one of the classes {list(classes)}")
