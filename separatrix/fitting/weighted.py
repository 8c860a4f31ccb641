"""`WeightedClassifier`: row weights and class weights, for methods in which a weight is a repetition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from separatrix.fitting.classifier import LinearClassifier
from separatrix.fitting.parameters import is_between, shown
from separatrix.fitting.validation import checked_weights
from separatrix.rows import DataError, Rows


class WeightedClassifier(LinearClassifier):
    """A linear classifier whose objective is a sum over rows, each as often as its weight says.

    The method works on a view of the rows that has the weights: one float64 per row, or None where every row
    counts once. A row of weight 0 is as good as absent. A method with a parameter ``class_weight`` has it
    multiplied in. Certificates about a weighted sum carry the weights themselves, so that ``verify(X, y)``
    needs nothing else.
    """

    class_weight: Mapping[Any, float] | str | None = None

    # Not the fit of LinearClassifier, because scikit-learn looks for sample_weight in the signature.
    @final  # type: ignore[misc]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit to rows ``X`` with labels ``y``, or to labelled `Rows` alone; a weight is a repetition."""
        return self._fit(X, y, lambda rows: weigh_rows(rows, sample_weight, self.class_weight))

    def _check(self) -> None:
        super()._check()
        given = self.class_weight
        if given is None or (isinstance(given, str) and given == "balanced"):
            return
        if not (isinstance(given, Mapping) and all(_is_positive(weight) for weight in given.values())):
            raise ValueError(
                f"class_weight={shown(given)} makes no sense: give a positive number for every "
                'class, as in {0: 1, 1: 5}, "balanced", or None.'
            )


def weigh_rows(
    rows: Rows, sample_weight: Any, class_weight: Mapping[Any, float] | str | None
) -> np.ndarray | None:
    """How often each row counts, its class weight included; None: once each."""
    if sample_weight is None and class_weight is None:
        return None
    weights, classes, codes = checked_weights(rows, sample_weight), rows.require_labels(), rows.label_codes()
    class_totals = np.bincount(codes, weights=weights, minlength=len(classes))
    if (class_totals == 0).any():
        empty_class = classes[int(np.flatnonzero(class_totals == 0)[0])]
        raise DataError(
            f"Every row of class {empty_class} has weight 0: give it some weight, or leave the class out."
        )
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        factors = class_totals.sum() / (len(class_totals) * class_totals)
    else:
        factors = compute_class_weight(dict(class_weight), classes=classes, y=classes[codes])
    return np.asarray(weights * factors[codes])


def _is_positive(weight: Any) -> bool:
    return is_between(weight, 0, float("inf"))
