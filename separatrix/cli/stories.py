"""The stories that `separatrix demo` tells on built-in data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.rows import Rows


@dataclass(frozen=True)
class Story:
    """What is told, on which rows, and the models that are trained on them in turn; without rows, of the
    losses."""

    title: str
    telling: str
    rows: Callable[[], Rows] | None = None
    models: Callable[[], list[Any]] | None = None


def flowers() -> Rows:
    """Two kinds of iris (Fisher 1936) by the lengths of sepal and petal: 100 rows in the plane."""
    import numpy as np

    from separatrix import problems

    problem = problems.iris("setosa", "versicolor")
    assert problem.columns is not None
    kinds = np.where(problem.y > 0, "setosa", "versicolor")
    return _labelled(problem.X[:, [0, 2]], kinds, (problem.columns[0], problem.columns[2]), "species", "iris")


def exclusive_or() -> Rows:
    from separatrix import problems

    problem = problems.xor()
    return _labelled(problem.X, problem.y, ("a", "b"), "xor", "exclusive or")


def far_away() -> Rows:
    from separatrix import problems

    problem = problems.shifted(problems.separable(100, 2, margin=0.25), 100.0)
    return _labelled(problem.X, problem.y, ("a", "b"), "y", "separable rows, moved by 100")


def _labelled(X: Any, y: Any, columns: tuple[str, ...], label: str, name: str) -> Rows:
    import numpy as np

    from separatrix.rows import DenseRows, encode

    classes, codes = encode(y)
    rows = DenseRows(np.ascontiguousarray(X), codes, classes, columns=columns)
    rows.label, rows.name = label, name
    return rows


def _perceptron(**parameters: Any) -> Any:
    import separatrix

    return separatrix.Perceptron(**parameters)


def _pocket(**parameters: Any) -> Any:
    import separatrix

    return separatrix.PocketPerceptron(**parameters)


STORIES = {
    "perceptron": Story(
        "a perceptron that keeps its word",
        "Two kinds of iris, by the lengths of sepal and petal. The perceptron visits the rows in turn and "
        "corrects its boundary at each mistake; it stops at the first pass without one.",
        flowers,
        lambda: [_perceptron()],
    ),
    "xor": Story(
        "what no straight line can do",
        "Exclusive or: no line has both classes on their sides, so the perceptron never stops by itself. The "
        "pocket perceptron keeps the best weights it has seen, and counts their errors exactly.",
        exclusive_or,
        lambda: [_perceptron(max_passes=100), _pocket(random_state=0)],
    ),
    "far-from-origin": Story(
        "why the origin matters",
        "Rows with a wide margin, but a hundred units from the origin: the mistake bound explodes, and so do "
        "the mistakes. Moved to their mean (--center), the same rows take a handful.",
        far_away,
        lambda: [_perceptron(max_passes=200), _perceptron(center=True)],
    ),
    "losses": Story(
        "what is the perceptron minimising?",
        "Its steps are those of descent on the perceptron loss, yet it does not minimise it: zero weights "
        "do, and that is where it starts. It is driven by mistakes, and what bounds them is the margin of "
        "the rows. The picture compares that loss with the others.",
    ),
}
