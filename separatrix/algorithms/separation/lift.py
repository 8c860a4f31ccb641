"""Rows in more dimensions: products of columns up to a degree, where a hyperplane may separate what none did
before.

**Theorem** (Cover, 1965). What no hyperplane separates in the columns may be separable in their products: XOR
is, in degree 2. Rows that differ are separable in some degree.

**Certificate.** That of `separate` on the lifted rows: a verdict about the products as doubles hold them.
They are exact while the columns are whole numbers of moderate size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import check_is_fitted

from separatrix.algorithms.separation import Separation, separate
from separatrix.fitting.parameters import require_count
from separatrix.rows import DataError
from separatrix.rows.arrow_validation import refuse_damaged
from separatrix.rows.conversion import as_csr


class Lift(TransformerMixin, BaseEstimator):
    """Every product of at most ``degree`` columns, without the constant.

    Parameters
    ----------
    degree : int, default=2

    Examples
    --------
    >>> Lift(2).fit_transform([[2.0, 3.0]])
    array([[2., 3., 4., 6., 9.]])
    """

    def __init__(self, degree: int = 2) -> None:
        self.degree = degree

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Lift:
        """Learn the columns."""
        self.products_ = PolynomialFeatures(self.degree, include_bias=False).fit(_compress(X))
        self.n_features_in_ = self.products_.n_features_in_
        if hasattr(self.products_, "feature_names_in_"):
            self.feature_names_in_ = self.products_.feature_names_in_
        return self

    def transform(self, X: Any) -> Any:
        """The products."""
        check_is_fitted(self)
        return self.products_.transform(_compress(X))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self)
        return self.products_.get_feature_names_out(input_features)


def _compress(X: Any) -> Any:
    """Any sparse matrix by rows: not all of scikit-learn's checks can read the others."""
    refuse_damaged(X, "X")
    if hasattr(X, "tocsr"):  # a dok_matrix is a dictionary, too
        return as_csr(X)
    if isinstance(X, dict):  # which scikit-learn would print
        raise DataError("X is a dictionary: make a table of it.")
    return X


class Lifted(NamedTuple):
    """The smallest degree that separates, or None; the verdict there or at the last degree; the map."""

    degree: int | None
    separation: Separation
    lift: Lift


def lift(X: Any, y: Any, *, max_degree: int = 3) -> Lifted:
    """The smallest polynomial degree at which the rows become separable.

    Examples
    --------
    >>> answer = lift([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> answer.degree, answer.separation.kind
    (2, 'complete')
    """
    require_count("max_degree", max_degree)
    for degree in range(1, max_degree + 1):
        transformer = Lift(degree).fit(X)
        answer = separate(transformer.transform(X), y)
        if answer.separable:
            return Lifted(degree, answer, transformer)
    return Lifted(None, answer, transformer)
