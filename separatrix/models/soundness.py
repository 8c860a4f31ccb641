"""Whether what a model has learned is of the types that its predictions and figures are made from.

A model file may say anything. What fits together (shapes, runs) is for the estimator to check as it takes
the values back; here each value is looked at alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import Certificate, MistakeRun
from separatrix.fitting import History
from separatrix.halfspace import Halfspace
from separatrix.models.model_error import ModelError
from separatrix.rows.preparation import Preparation

NUMERIC_ATTRIBUTES = {
    "alpha_", "condition_", "covariance_", "dual_coef_", "errors_", "gap_", "geometric_margin_",
    "interrupted_", "log_likelihood_", "lower_bound_", "margin_", "margin_at_most_", "margin_centred_",
    "mass_", "misclassified_", "mistake_bound_", "mistake_bound_centred_", "mistakes_", "n_iter_",
    "nodes_", "null_log_likelihood_", "numerical_rank_", "objective_", "objectives_", "optimal_",
    "passes_", "radius_", "radius_centred_", "rank_", "residual_", "separated_rows_", "spectrum_",
    "squared_loss_", "support_", "update_bound_", "update_bound_centred_", "updates_", "upper_bound_",
}  # fmt: skip


class ExpectedType(NamedTuple):
    """What a value should be, in words, and the test of it."""

    words: str
    fits: Callable[[Any], bool]


def require_valid_types(found: Mapping[str, Any]) -> None:
    """Raise a `ModelError` that names the first value of the wrong type."""
    for name, value in found.items():
        form = NUMERIC_FORM if name in NUMERIC_ATTRIBUTES else FORMS.get(name)
        if form is not None and not form.fits(value):
            raise ModelError(f"its {name} should be {form.words}.")


def finite(value: Any) -> bool:
    """Whether these are finite doubles: an array of them, or one."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isfinite(value).all())
    return type(value) is float and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return type(value) is int and value > 0


def _are_labels(value: Any) -> bool:
    if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < 2:
        return False
    labels = value.tolist()
    proper = value.dtype.kind in "biuU" or (value.dtype.kind == "f" and bool(np.isfinite(value).all()))
    text = value.dtype.kind == "O" and all(isinstance(label, str) for label in labels)
    return (proper or text) and len(set(labels)) == len(labels)


def _are_names(value: Any) -> bool:
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "OU":
        return False
    names = value.tolist()
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _are_voters(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and len(value) > 0 and finite(value)


def _are_votes(value: Any) -> bool:
    whole = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i"
    return whole and bool((value >= 0).all())


def _is_numeric(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_numeric, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return value is None or isinstance(value, bool | int | float)


def _are_histories(value: Any) -> bool:
    """Tables of passes, or lists of steps, which are tuples of numbers."""
    if isinstance(value, History) or type(value) in (int, float):
        return True
    return isinstance(value, list | tuple) and all(map(_are_histories, value))


def _each(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """One, or a tuple of one for each class."""

    def all_fit(value: Any) -> bool:
        return all(map(fits, value)) if isinstance(value, tuple) else fits(value)

    return all_fit


def _of(*kinds: Any) -> Callable[[Any], bool]:
    return _each(lambda value: isinstance(value, kinds))


NUMERIC_FORM = ExpectedType("a number, or numbers", _is_numeric)
FORMS = {
    "n_features_in_": ExpectedType("a whole number above 0", _is_whole),
    "classes_": ExpectedType("two or more different labels, all numbers or all text", _are_labels),
    "feature_names_in_": ExpectedType("different names", _are_names),
    "coef_": ExpectedType(
        "an array of finite doubles", lambda value: isinstance(value, np.ndarray) and finite(value)
    ),
    "intercept_": ExpectedType("finite, one double or an array of them", finite),
    "halfspace_": ExpectedType("a halfspace, or one for each class", _of(Halfspace, type(None))),
    "certificate_": ExpectedType("a certificate, or one for each class", _of(Certificate)),
    "mistake_run_": ExpectedType("a mistake run, or one for each class", _of(MistakeRun, type(None))),
    "history_": ExpectedType("a history, or one for each class", _are_histories),
    "preparation_": ExpectedType("a preparation of columns", lambda value: isinstance(value, Preparation)),
    "voters_": ExpectedType("a table of finite doubles, or one for each class", _each(_are_voters)),
    "votes_": ExpectedType("whole numbers from 0 up, or such for each class", _each(_are_votes)),
}
