"""Labels of any kind as class codes: 0, 1, ... in sorted order; for two classes the larger one is +1."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.rows.errors import DataError


def encode(y: Any, *, name: str = "y") -> tuple[np.ndarray, np.ndarray]:
    """Sorted classes, and the code of each label.

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
        labels = _plain(labels, name)
    if labels.dtype.kind == "f":
        _refuse_continuous(labels, name)
    if labels.dtype.kind not in "biufUST":
        raise DataError(
            f"Unknown label type: {labels.dtype} in {name}; labels are numbers, text or booleans."
        )
    if labels.dtype.kind in "biuf":
        low, high = labels.min(), labels.max()
        codes = labels == high
        # Two values need no sorting: on a million labels this is thirty times faster than np.unique.
        if low == high or bool(np.all(codes | (labels == low))):
            classes = np.array([low, high] if low != high else [low], dtype=labels.dtype)
            return classes, codes.astype(np.int32) if low != high else np.zeros(labels.size, np.int32)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def encode_known(y: Any, classes: np.ndarray, *, name: str = "y") -> np.ndarray:
    """Codes of labels among classes that are already known; a new label is refused."""
    labels = np.asarray(y).reshape(-1)
    if labels.dtype.kind == "O" and np.asarray(classes).dtype.kind != "O":
        labels = labels.astype(classes.dtype)
    codes = np.searchsorted(classes, labels)
    codes = np.minimum(codes, len(classes) - 1)
    wrong = classes[codes] != labels
    if np.any(wrong):
        row = int(np.argmax(wrong))
        raise DataError(
            f"{name}[{row}] is {labels[row : row + 1].tolist()[0]!r}, which is not one of the classes "
            f"{classes.tolist()}: name every class in the first call (classes=...)."
        )
    return codes.astype(np.int32)


def _plain(labels: np.ndarray, name: str) -> np.ndarray:
    missing = [i for i, v in enumerate(labels) if v is None or (isinstance(v, float) and v != v)]
    if missing:
        raise DataError(
            f"Input {name} contains NaN: the label of row {missing[0]} is missing; drop that row."
        )
    kinds = {type(v) for v in labels}
    if all(issubclass(kind, str) for kind in kinds):
        return labels.astype(str)
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return labels.astype(bool)
    if all(issubclass(kind, int | float | bool | np.number | np.bool_) for kind in kinds):
        return labels.astype(np.asarray(labels.tolist()).dtype)
    words = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise DataError(f"Unknown label type: {name} mixes {words}; use all numbers or all text.")


def _refuse_continuous(labels: np.ndarray, name: str) -> None:
    finite = np.isfinite(labels)
    if not finite.all():
        row = int(np.argmin(finite))
        what = "NaN." if np.isnan(labels[row]) else "infinity or a value too large for dtype('float64')."
        raise DataError(f"Input {name} contains {what} The label of row {row} cannot be used; drop that row.")
    whole = np.trunc(labels) == labels
    if not whole.all():
        row = int(np.argmin(whole))
        raise DataError(
            f"Unknown label type: continuous. {name}[{row}] is {labels[row]}; a classifier needs classes, "
            "a regressor takes such a target."
        )
