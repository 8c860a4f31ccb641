"""The data of the stories: built in, or the real file where one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix.rows import Rows


def flowers() -> Rows:
    """Two kinds of iris (Fisher 1936) by the lengths of sepal and petal: 100 rows in the plane."""
    import numpy as np

    from separatrix import problems

    problem = problems.iris("setosa", "versicolor")
    assert problem.columns is not None
    kinds = np.where(problem.y > 0, "setosa", "versicolor")
    return labelled(problem.X[:, [0, 2]], kinds, (problem.columns[0], problem.columns[2]), "species", "iris")


def patients() -> Rows:
    """Progress of diabetes in a year, from ten measurements (Efron et al. 2004): numbers to predict."""
    from separatrix import problems
    from separatrix.rows import DenseRows, with_targets

    problem = problems.diabetes()
    rows = with_targets(DenseRows(problem.X, columns=problem.columns), problem.y)
    return rows.named("diabetes", label="progress")


def exclusive_or() -> Rows:
    from separatrix import problems

    problem = problems.xor()
    return labelled(problem.X, problem.y, ("a", "b"), "xor", "exclusive or")


def wide_margin() -> Rows:
    from separatrix import problems

    problem = problems.separable(100, 2, margin=0.25)
    return labelled(problem.X, problem.y, ("a", "b"), "y", "rows with a wide street")


def far_from_origin() -> Rows:
    from separatrix import problems

    problem = problems.shifted(problems.separable(100, 2, margin=0.25), 100.0)
    return labelled(problem.X, problem.y, ("a", "b"), "y", "separable rows, moved by 100")


def noise() -> Rows:
    from separatrix import problems

    problem = problems.noisy(120, 2)
    return labelled(problem.X, problem.y, ("a", "b"), "y", "rows with flipped labels")


def spam(path: str | None) -> Rows:
    """Mails as counts of their words: generated ones, or a CSV with the text and a label."""
    if path is not None:
        return _texts(path)
    from separatrix import problems

    problem = problems.spam_words()
    assert problem.columns is not None
    return labelled(problem.X, problem.y, problem.columns, "kind", "generated mails")


def _texts(path: str) -> Rows:
    from separatrix.rows.data_errors import DataError, MissingColumn

    for column in ("text", "message", "body", "mail"):
        try:
            return _file(path, features=[column], text=[column])
        except MissingColumn as error:
            if error.column != column:
                raise
    raise DataError(f"{path} has no column called text, message, body or mail, whose words could be counted.")


def faces(path: str | None) -> Rows:
    """Pictures as rows of pixels: generated ones, or a CSV of pixels with the person as label."""
    if path is not None:
        return _file(path)
    from separatrix import problems

    problem = problems.faces()
    return labelled(problem.X, problem.y, None, "may enter", "generated faces")


def _file(path: str, **options: Any) -> Rows:
    from separatrix import DataError, read
    from separatrix.rows.data_errors import NoLabelColumn

    try:
        return read(path, **options)
    except NoLabelColumn:
        raise DataError(f"{path} has no column of labels: call it label, y, target or class.") from None


def labelled(X: Any, y: Any, columns: tuple[str, ...] | None, label: str, name: str) -> Rows:
    import numpy as np

    from separatrix.rows import DenseRows, encode

    classes, codes = encode(y)
    rows = DenseRows(np.ascontiguousarray(X, np.float64), codes, classes, columns=columns)
    return rows.named(name, label)
