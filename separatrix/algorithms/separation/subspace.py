"""Views of the w that vanish on given rows, and of all w in better coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from separatrix.algorithms.separation.coordinates import (
    Frame,
    pulled,
    scaled_rows,
    seen_through,
    with_constant,
)
from separatrix.algorithms.separation.integers import (
    matrix,
    numbers,
    pivots,
    primitive,
    rounded,
    submatrix,
    whole,
)
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat


class Face:
    """The subspace of all w that vanish on some rows, seen through a whole-number basis of it.

    ``X, signs`` are rows whose size settles the scale of each coordinate.
    """

    def __init__(self, intercept: bool, basis: fmpz_mat, X: np.ndarray, signs: np.ndarray) -> None:
        self.intercept = intercept
        self.width = basis.ncols()
        columns = [[int(v) for v in column] for column in basis.transpose().tolist()]
        sizes = np.array([max(abs(v).bit_length() for v in column) for column in columns], np.int64)
        if len(X) and self.width:
            # Float columns are divided by powers of two; what is left of their size shows in the rows.
            near = np.array([rounded(column) for column in columns]).T
            with np.errstate(over="ignore", invalid="ignore"):
                seen = np.abs(scaled_rows(with_constant(X[:256], signs[:256], intercept)) @ near).max(axis=0)
            sizes = sizes + np.where((seen > 0) & np.isfinite(seen), np.frexp(seen)[1], 0)
        top = int(sizes.max(initial=0))
        columns = [
            [v << (top - int(size)) for v in column] for column, size in zip(columns, sizes, strict=True)
        ]
        self.basis = matrix(columns, basis.nrows()).transpose() if columns else basis
        bits = max((abs(v).bit_length() for column in columns for v in column), default=0)
        self.small = bits <= 40
        flat = rounded([v for column in columns for v in column])
        self.floats = np.ldexp(flat, bits if self.small else 0).reshape(len(columns), basis.nrows()).T

    def products(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray | None:
        """z·B of every row, exact in floats; None when floats cannot promise that."""
        if not self.small or not len(X):
            return None
        Z = with_constant(X, signs, self.intercept)
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
            if not (np.abs(Z / unit) @ np.abs(self.floats)).max(initial=0.0) < 2.0**53:
                return None
            return (Z / unit) @ self.floats

    def points(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        seen = self.products(X, signs)
        if seen is None:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                seen = scaled_rows(with_constant(X, signs, self.intercept)) @ self.floats
        return scaled_rows(seen)

    def exact_points(self, X: np.ndarray, signs: np.ndarray) -> list[list[int]]:
        return seen_through(self.basis, X, signs, self.intercept)

    def vanishing(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        """Which rows have z·w = 0 for every w of this face."""
        seen = self.products(X, signs)
        if seen is not None:
            return np.asarray(~seen.any(axis=1))
        Z = with_constant(X, signs, self.intercept)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            doubt = (Z.shape[1] + 8) * 2.0**-52 * (np.abs(Z) @ np.abs(self.floats)) + 2.0**-700
            # Where an entry of the basis has become 0, a huge x may hide behind it.
            huge = np.abs(Z).max(axis=1, initial=0.0) > 1e100
            open_ = huge | ~(np.abs(Z @ self.floats) > doubt).any(axis=1)
        answer = np.zeros(len(X), bool)
        places = np.flatnonzero(open_)
        answer[places] = [not any(row) for row in self.exact_points(X[places], signs[places])]
        return answer

    def seen(self, row: Sequence[int]) -> list[int]:
        return numbers(fmpz_mat(1, len(row), list(row)) * self.basis)

    def float_weights(self, direction: np.ndarray) -> None:
        """None: a float vector would not vanish exactly where it must."""
        return None

    def exact_weights(self, direction: Sequence[int]) -> list[int]:
        return pulled(self.basis, direction, self.intercept)


class Tuned:
    """A view in coordinates where given points are nearly unit vectors, however close to dependent they are.

    Strict separation does not depend on the coordinates; what floats can see of it does.
    """

    def __init__(self, view: Frame | Face | Tuned, points: Sequence[Sequence[int]]) -> None:
        self.view: Frame | Face = view.view if isinstance(view, Tuned) else view
        self.intercept: bool = view.intercept
        self.width: int = view.width
        m = matrix(points, self.width)
        lead = set(pivots(m))
        chosen = [points[i] for i in pivots(m.transpose())]
        size = max((abs(v).bit_length() for point in chosen for v in point), default=1)
        units = [
            [(1 << size) * (i == j) for i in range(self.width)] for j in range(self.width) if j not in lead
        ]
        inverse = matrix([*chosen, *units], self.width).inv()
        scale = 1 << (size + 64)
        turned = [int(v.p) * scale // int(v.q) for v in inverse.entries()]
        self.basis: fmpz_mat = view.basis * fmpz_mat(self.width, self.width, turned)

    def vanishing(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        return self.view.vanishing(X, signs)

    def points(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        return np.array([rounded(row) for row in self.exact_points(X, signs)]).reshape(len(X), self.width)

    def exact_points(self, X: np.ndarray, signs: np.ndarray) -> list[list[int]]:
        return seen_through(self.basis, X, signs, self.intercept)

    def seen(self, row: Sequence[int]) -> list[int]:
        return numbers(fmpz_mat(1, len(row), list(row)) * self.basis)

    def float_weights(self, direction: np.ndarray) -> None:
        """None: these coordinates are for what floats cannot hold."""
        return None

    def exact_weights(self, direction: Sequence[int]) -> list[int]:
        return pulled(self.basis, direction, self.intercept)


View = Frame | Face | Tuned


def null_basis(rows: Sequence[Sequence[int]], width: int) -> fmpz_mat:
    """A whole-number basis (columns) of all w with row·w = 0 on every row."""
    m = matrix(rows, width)
    lead = pivots(m)
    base = pivots(m.transpose())
    free = [j for j in range(width) if j not in set(lead)]
    if not lead:
        return matrix([[int(i == j) for j in range(width)] for i in range(width)], width)
    if not free:
        return fmpz_mat(width, 0)
    solved = submatrix(m, base, lead).solve(submatrix(m, base, free))
    out = fmpz_mat(width, len(free))
    for k, j in enumerate(free):
        column = whole([*(solved[i, k] for i in range(len(lead))), 1])
        for i, value in zip(lead, column, strict=False):
            out[i, k] = -value
        out[j, k] = column[-1]
    if any(v != 0 for v in (m * out).entries()):
        # The prime divided a minor: settle it without one.
        null, nullity = m.nullspace()
        columns = [primitive([int(null[i, k]) for i in range(width)]) for k in range(nullity)]
        return matrix(columns, width).transpose()
    return out
