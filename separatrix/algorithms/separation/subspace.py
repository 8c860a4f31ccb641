"""Coordinates of the w that vanish on given rows, and better ones of all w."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from separatrix.algorithms.separation.coordinates import (
    ScaledCoordinates,
    append_constant,
    scale_rows,
    to_user_weights,
    transform_rows,
)
from separatrix.algorithms.separation.integers import (
    divide_by_gcd,
    find_pivots,
    take_submatrix,
    to_coprime_integers,
    to_fmpz_matrix,
    to_ints,
    to_scaled_floats,
)
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat


class SubspaceCoordinates:
    """The subspace of all w that vanish on some rows, seen through a whole-number basis of it.

    ``X, signs`` are rows whose size sets the scale of each coordinate.
    """

    def __init__(self, intercept: bool, basis: fmpz_mat, X: np.ndarray, signs: np.ndarray) -> None:
        self.intercept = intercept
        self.width = basis.ncols()
        columns = [[int(v) for v in column] for column in basis.transpose().tolist()]
        sizes = np.array([max(abs(v).bit_length() for v in column) for column in columns], np.int64)
        if len(X) and self.width:
            # Float columns are divided by powers of two; what is left of their size shows in the rows.
            float_columns = np.array([to_scaled_floats(column) for column in columns]).T
            with np.errstate(over="ignore", invalid="ignore"):
                sizes_in_rows = np.abs(
                    scale_rows(append_constant(X[:256], signs[:256], intercept)) @ float_columns
                ).max(axis=0)
            sizes = sizes + np.where(
                (sizes_in_rows > 0) & np.isfinite(sizes_in_rows), np.frexp(sizes_in_rows)[1], 0
            )
        top = int(sizes.max(initial=0))
        columns = [
            [v << (top - int(size)) for v in column] for column, size in zip(columns, sizes, strict=True)
        ]
        self.basis = to_fmpz_matrix(columns, basis.nrows()).transpose() if columns else basis
        bits = max((abs(v).bit_length() for column in columns for v in column), default=0)
        self.has_exact_floats = bits <= 40
        flat = to_scaled_floats([v for column in columns for v in column])
        self.float_basis = (
            np.ldexp(flat, bits if self.has_exact_floats else 0).reshape(len(columns), basis.nrows()).T
        )

    def multiply_exactly(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray | None:
        """z·B of every row, exact in floats; None when floats cannot promise that."""
        if not self.has_exact_floats or not len(X):
            return None
        Z = append_constant(X, signs, self.intercept)
        lowest = np.abs(Z[Z != 0]).min(initial=np.inf)
        if not (lowest > 1e-200 and np.abs(Z).max() < 1e200):
            return None if np.isfinite(lowest) else np.zeros((len(Z), self.width))
        unit = 2.0 ** (np.frexp(lowest)[1] - 53)
        with np.errstate(over="ignore", invalid="ignore"):
            for bits in (0, 8, 16, 24, 32, 40, 52):
                coarse = unit * 2.0 ** (53 - bits)
                if np.all(np.rint(Z / coarse) * coarse == Z):
                    unit = coarse
                    break
            if not (np.abs(Z / unit) @ np.abs(self.float_basis)).max(initial=0.0) < 2.0**53:
                return None
            return (Z / unit) @ self.float_basis

    def to_points(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        products = self.multiply_exactly(X, signs)
        if products is None:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                products = scale_rows(append_constant(X, signs, self.intercept)) @ self.float_basis
        return scale_rows(products)

    def to_exact_points(self, X: np.ndarray, signs: np.ndarray) -> list[list[int]]:
        return transform_rows(self.basis, X, signs, self.intercept)

    def find_vanishing(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        """Which rows have z·w = 0 for every w of this face."""
        products = self.multiply_exactly(X, signs)
        if products is not None:
            return np.asarray(~products.any(axis=1))
        Z = append_constant(X, signs, self.intercept)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            error_bound = (Z.shape[1] + 8) * 2.0**-52 * (np.abs(Z) @ np.abs(self.float_basis)) + 2.0**-700
            # Where an entry of the basis has become 0, a huge x may hide behind it.
            is_huge = np.abs(Z).max(axis=1, initial=0.0) > 1e100
            is_undecided = is_huge | ~(np.abs(Z @ self.float_basis) > error_bound).any(axis=1)
        is_vanishing = np.zeros(len(X), bool)
        places = np.flatnonzero(is_undecided)
        is_vanishing[places] = [not any(row) for row in self.to_exact_points(X[places], signs[places])]
        return is_vanishing

    def transform_row(self, row: Sequence[int]) -> list[int]:
        return to_ints(fmpz_mat(1, len(row), list(row)) * self.basis)

    def to_float_weights(self, direction: np.ndarray) -> None:
        """None: a float vector would not vanish exactly where it must."""
        return None

    def to_exact_weights(self, direction: Sequence[int]) -> list[int]:
        return to_user_weights(self.basis, direction, self.intercept)


class PreconditionedCoordinates:
    """Coordinates in which given points are nearly unit vectors, however close to dependent they are.

    Strict separation does not depend on the coordinates; what floats can see of it does.
    """

    def __init__(
        self,
        coordinates: ScaledCoordinates | SubspaceCoordinates | PreconditionedCoordinates,
        points: Sequence[Sequence[int]],
    ) -> None:
        self.original: ScaledCoordinates | SubspaceCoordinates = (
            coordinates.original if isinstance(coordinates, PreconditionedCoordinates) else coordinates
        )
        self.intercept: bool = coordinates.intercept
        self.width: int = coordinates.width
        m = to_fmpz_matrix(points, self.width)
        pivot_columns = set(find_pivots(m))
        chosen = [points[i] for i in find_pivots(m.transpose())]
        size = max((abs(v).bit_length() for point in chosen for v in point), default=1)
        units = [
            [(1 << size) * (i == j) for i in range(self.width)]
            for j in range(self.width)
            if j not in pivot_columns
        ]
        inverse = to_fmpz_matrix([*chosen, *units], self.width).inv()
        scale = 1 << (size + 64)
        inverse_integers = [int(v.p) * scale // int(v.q) for v in inverse.entries()]
        self.basis: fmpz_mat = coordinates.basis * fmpz_mat(self.width, self.width, inverse_integers)

    def find_vanishing(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        return self.original.find_vanishing(X, signs)

    def to_points(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        return np.array([to_scaled_floats(row) for row in self.to_exact_points(X, signs)]).reshape(
            len(X), self.width
        )

    def to_exact_points(self, X: np.ndarray, signs: np.ndarray) -> list[list[int]]:
        return transform_rows(self.basis, X, signs, self.intercept)

    def transform_row(self, row: Sequence[int]) -> list[int]:
        return to_ints(fmpz_mat(1, len(row), list(row)) * self.basis)

    def to_float_weights(self, direction: np.ndarray) -> None:
        """None: these coordinates are for what floats cannot hold."""
        return None

    def to_exact_weights(self, direction: Sequence[int]) -> list[int]:
        return to_user_weights(self.basis, direction, self.intercept)


Coordinates = ScaledCoordinates | SubspaceCoordinates | PreconditionedCoordinates


def find_null_basis(rows: Sequence[Sequence[int]], width: int) -> fmpz_mat:
    """A whole-number basis (columns) of all w with row·w = 0 on every row."""
    m = to_fmpz_matrix(rows, width)
    pivot_columns = find_pivots(m)
    pivot_rows = find_pivots(m.transpose())
    free = [j for j in range(width) if j not in set(pivot_columns)]
    if not pivot_columns:
        return to_fmpz_matrix([[int(i == j) for j in range(width)] for i in range(width)], width)
    if not free:
        return fmpz_mat(width, 0)
    solved = take_submatrix(m, pivot_rows, pivot_columns).solve(take_submatrix(m, pivot_rows, free))
    out = fmpz_mat(width, len(free))
    for k, j in enumerate(free):
        column = to_coprime_integers([*(solved[i, k] for i in range(len(pivot_columns))), 1])
        for i, value in zip(pivot_columns, column, strict=False):
            out[i, k] = -value
        out[j, k] = column[-1]
    if any(v != 0 for v in (m * out).entries()):
        # The prime divided a minor: solve without one.
        null, nullity = m.nullspace()
        columns = [divide_by_gcd([int(null[i, k]) for i in range(width)]) for k in range(nullity)]
        return to_fmpz_matrix(columns, width).transpose()
    return out
