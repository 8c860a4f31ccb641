"""Labels of any kind as class codes: 0, 1, ... in sorted order; for two classes the larger one is +1."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.rows.arrow_validation import refuse_damaged
from separatrix.rows.data_errors import DataError


def encode(y: Any, *, name: str = "y") -> tuple[np.ndarray, np.ndarray]:
    """Sorted classes, and the code of each label; Arrow data has been through `refuse_damaged`.

    >>> classes, codes = encode(["spam", "ham", "spam"])
    >>> list(map(str, classes)), codes.tolist()
    (['ham', 'spam'], [1, 0, 1])
    """
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"{name} should be a 1d array, got an array of shape {labels.shape} instead.")
    if labels.size == 0:
        raise DataError(f"{name} is empty: at least one labelled row is needed.")
    if labels.dtype.kind == "O":
        labels = _from_objects(labels, name)
    if labels.dtype.kind == "f":
        _refuse_continuous(labels, name)
    if labels.dtype.kind not in "biufUST":
        raise DataError(
            f"Unknown label type: {labels.dtype} in {name}; labels are numbers, text or booleans."
        )
    if labels.dtype.kind in "biuf":
        lowest, highest = labels.min(), labels.max()
        codes = labels == highest
        # Two values need no sorting: on a million labels this is thirty times faster than np.unique.
        if lowest == highest or bool(np.all(codes | (labels == lowest))):
            classes = np.array([lowest, highest] if lowest != highest else [lowest], dtype=labels.dtype)
            return classes, codes.view(np.int8) if lowest != highest else np.zeros(labels.size, np.int8)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def classes_named(classes: Any) -> np.ndarray:
    """The sorted classes that a user names; fewer than two are refused.

    >>> classes_named(["yes", "no", "yes"]).tolist()
    ['no', 'yes']
    """
    refuse_damaged(classes, "classes")
    found = encode(classes, name="classes")[0] if np.size(classes) else ()
    if len(found) < 2:
        raise DataError(f"classes={classes!r} names fewer than two labels: name all that there are.")
    return np.asarray(found)


def places_among(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The code of each label among classes known before, -1 for one that is none of them.

    Labels are compared by value: 1 is 1.0 and True, and never the text "1".

    >>> places_among(np.array([2.0, 7.0]), np.array([0, 1, 2])).tolist()
    [2, -1]
    """
    places = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([places.get(label, -1) for label in labels.tolist()], np.int32)


def _from_objects(labels: np.ndarray, name: str) -> np.ndarray:
    missing = [
        row
        for row, label in enumerate(labels)
        if label is None or (isinstance(label, float) and label != label)
    ]
    if missing:
        raise DataError(
            f"Input {name} contains NaN: the label of row {missing[0]} is missing; drop that row."
        )
    label_types = {type(label) for label in labels}
    if all(issubclass(label_type, str) for label_type in label_types):
        return labels.astype(str)
    if all(issubclass(label_type, bool | np.bool_) for label_type in label_types):
        return labels.astype(bool)
    if all(issubclass(label_type, int | float | bool | np.number | np.bool_) for label_type in label_types):
        return labels.astype(np.asarray(labels.tolist()).dtype)
    type_names = ", ".join(sorted(label_type.__name__ for label_type in label_types))
    raise DataError(f"Unknown label type: {name} mixes {type_names}; use all numbers or all text.")


def _refuse_continuous(labels: np.ndarray, name: str) -> None:
    is_finite = np.isfinite(labels)
    if not is_finite.all():
        row = int(np.argmin(is_finite))
        problem = "NaN." if np.isnan(labels[row]) else "infinity or a value too large for dtype('float64')."
        raise DataError(
            f"Input {name} contains {problem} The label of row {row} cannot be used; drop that row."
        )
    is_whole = np.trunc(labels) == labels
    if not is_whole.all():
        row = int(np.argmin(is_whole))
        raise DataError(
            f"Unknown label type: continuous. {name}[{row}] is {labels[row]}; fit a regression "
            "to such a target."
        )
