"""One class against the rest, as rows of two classes."""

from __future__ import annotations

import numpy as np

from separatrix.rows import DataError, Rows


def against_the_rest(rows: Rows, code: int) -> Rows:
    """The same rows with the classes "not k" and "k"; two classes stay as they are. Nothing is copied.

    >>> from separatrix.rows import as_rows
    >>> rows = as_rows([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    >>> against_the_rest(rows, 1).classes.tolist()
    ['not b', 'b']
    """
    assert rows.classes is not None
    if len(rows.classes) == 2:
        return rows
    name = str(rows.classes[code])
    places = (np.arange(len(rows.classes)) == code).astype(np.int32)
    return rows.with_codes(places, np.array([f"not {name}", name]))


def aligned(rows: Rows, classes: np.ndarray) -> Rows:
    """The same rows with these classes, all of which need not occur.

    >>> from separatrix.rows import as_rows
    >>> rows = aligned(as_rows([[1.0], [2.0]], ["c", "b"]), np.array(["a", "b", "c"]))
    >>> rows.codes.tolist()
    [2, 1]
    """
    if rows.classes is None:
        raise DataError("The rows held out carry no labels: say which column holds them.")
    known = [str(label) for label in classes]
    for label in rows.classes:
        if str(label) not in known:
            where = f"{rows.name}: " if rows.name else ""
            raise DataError(f"{where}no row to learn from has the class {label}, which is held out.")
    return rows.with_codes(np.array([known.index(str(label)) for label in rows.classes], np.int32), classes)
