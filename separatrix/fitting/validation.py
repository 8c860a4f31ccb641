"""Checked rows out of whatever ``fit`` and ``predict`` are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import (
    _check_sample_weight,
    _get_feature_names,
    column_or_1d,
    validate_data,
)

from separatrix.rows import DataError, DenseRows, Rows, SparseRows, as_rows, encode, jobs
from separatrix.rows.arrow_validation import refuse_damaged
from separatrix.rows.conversion import refuse_inexact, refuse_text

VALUE_TYPES = (np.dtype(np.float64), np.dtype(np.float32))


def labelled_rows(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_jobs: int | None,
    classes: np.ndarray | None = None,
    reset: bool = True,
) -> Rows:
    """Rows with class codes, counted in ``classes`` where these are known before; the estimator learns its
    feature names and count.

    Finiteness is left to the algorithm's first pass, which reads every value anyway.
    """
    if reset and hasattr(estimator, "preparation_"):
        del estimator.preparation_
    rows = _labelled(estimator, X, y, n_jobs=n_jobs, reset=reset)
    return rows if classes is None else rows.recoded(classes)


def _labelled(estimator: Any, X: Any, y: Any, *, n_jobs: int | None, reset: bool) -> Rows:
    if isinstance(X, Rows):
        if y is not None:
            raise DataError("Rows carry their own labels: call fit(rows) without y.")
        adopt_columns(estimator, X, reset=reset)
        return X.with_threads(X.n_jobs if n_jobs is None else jobs(n_jobs))
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    if is_table(X):
        refuse_damaged(y, "y")
        y = column_or_1d(y, warn=True)
        rows = as_rows(X, y, n_jobs=n_jobs)
        adopt_columns(estimator, rows, reset=reset)
        return rows
    X = checked_values(estimator, X, reset=reset)
    refuse_damaged(y, "y")
    y = column_or_1d(y, warn=True)
    if len(y) != X.shape[0]:
        raise DataError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {X.shape[0]} rows and y has {len(y)}."
        )
    classes, codes = encode(y)
    return rows_of_array(estimator, X, codes, classes, n_jobs=n_jobs)


def unlabelled_rows(estimator: Any, X: Any) -> Rows:
    """Rows without labels, for scoring; columns must be those of the fit.

    Finiteness is left to whoever reads them: see `Rows.checked`.
    """
    if isinstance(X, Rows) or is_table(X):
        rows = as_rows(X)
        adopt_columns(estimator, rows, reset=False)
        return rows
    return rows_of_array(estimator, checked_values(estimator, X, reset=False))


def rows_of_array(
    estimator: Any,
    X: Any,
    codes: np.ndarray | None = None,
    classes: np.ndarray | None = None,
    *,
    n_jobs: int | None = None,
) -> DenseRows | SparseRows:
    """Rows of what `checked_values` gave, with the feature names that the estimator knows."""
    names = getattr(estimator, "feature_names_in_", None)
    columns = None if names is None else tuple(map(str, names))
    kind = SparseRows if hasattr(X, "indptr") else DenseRows
    return kind(X, codes, classes, columns=columns, n_jobs=jobs(n_jobs))


def is_table(X: Any) -> bool:
    """Arrow and polars tables are read block by block; pandas frames are arrays to scikit-learn already."""
    is_lazy = type(X).__name__ == "LazyFrame"  # which is refused in a sentence there
    return is_lazy or (hasattr(X, "__arrow_c_stream__") and not type(X).__module__.startswith("pandas"))


def is_ready_array(estimator: Any, X: Any) -> bool:
    """Whether a fitted estimator can take these values as they are: what scikit-learn would hand back
    unchanged, after checks that take longer than a few rows."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in VALUE_TYPES
        and len(X) > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
    )


def checked_values(estimator: Any, X: Any, *, reset: bool) -> Any:
    """An array or a CSR matrix of the very numbers given."""
    if not reset and is_ready_array(estimator, X):
        return X
    refuse_damaged(X, "X")
    refuse_inexact(X)
    try:
        return validate_data(
            estimator,
            X,
            accept_sparse="csr",
            dtype=VALUE_TYPES,
            ensure_all_finite=False,
            reset=reset,
        )
    except ValueError as error:
        if "Complex data" in str(error):  # which scikit-learn shows, a line for each row
            raise DataError("Complex data not supported: X holds complex numbers.") from None
        if "could not convert" in str(error):
            refuse_text(np.asarray(X, dtype=object), _get_feature_names(X))
        raise


def checked_weights(rows: Rows, sample_weight: Any) -> np.ndarray:
    """Row weights of at least 0; 1 for each row where none are given."""
    refuse_damaged(sample_weight, "sample_weight")
    size = np.empty(rows.n_rows)
    weights = _check_sample_weight(sample_weight, size, dtype=np.float64, ensure_non_negative=True)
    return np.asarray(weights)


def adopt_columns(estimator: Any, rows: Rows, *, reset: bool) -> None:
    rows.require_sound()
    names = rows.columns
    if reset:
        estimator.n_features_in_ = rows.n_columns
        if rows.preparation is not None:
            estimator.preparation_ = rows.preparation
        if names is not None:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    if rows.n_columns != estimator.n_features_in_:
        raise DataError(
            f"X has {rows.n_columns} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    fitted_names = getattr(estimator, "feature_names_in_", None)
    if fitted_names is not None and names is not None and list(fitted_names) != list(names):
        first = next(i for i, (a, b) in enumerate(zip(fitted_names, names, strict=True)) if a != b)
        raise DataError(
            f"Column {first} is called {names[first]!r}, where the model was fitted with "
            f"{fitted_names[first]!r}: give the columns of the fit, in their order."
        )
