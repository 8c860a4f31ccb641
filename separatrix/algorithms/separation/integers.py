"""Floats as whole numbers: every finite float is one, times a power of two."""

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from math import gcd, ldexp
from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.linear_algebra import fmpq, fmpz_mat, nmod_mat

# 2 generates all residues of either: no power of two less another is 0 there, as 2^61 - 1 is in its own.
PRIMES = (4611686018427377339, 3141592653589790579)

ABSENT_EXPONENT = 5000  # above the exponent of any float


def split_mantissas(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Odd-free mantissas (int64) and exponents with ``values == mantissa * 2**exponent`` exactly."""
    fraction, exponent = np.frexp(np.asarray(values, np.float64))
    return (fraction * 2.0**53).astype(np.int64), exponent.astype(np.int64) - 53


def to_integer_row(values: np.ndarray) -> list[int]:
    """The row times the smallest power of two that makes it whole (and no larger than it must be)."""
    mantissa, exponent = split_mantissas(values)
    is_nonzero = mantissa != 0
    if not is_nonzero.any():
        return [0] * len(values)
    low = int(exponent[is_nonzero].min())
    shift = np.where(is_nonzero, exponent - low, 0).tolist()
    row = [m << e for m, e in zip(mantissa.tolist(), shift, strict=True)]
    return strip_powers_of_two(row)


def compute_row_units(X: np.ndarray, intercept: bool) -> np.ndarray:
    """For each row (x, 1), or x, the exponent of the largest power of two that divides it; 0 for no x but
    zero."""
    mantissa, exponent = split_mantissas(X)
    lowest = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1 + exponent
    initial = 0 if intercept else ABSENT_EXPONENT
    units = np.where(mantissa == 0, ABSENT_EXPONENT, lowest).min(axis=1, initial=initial)
    return np.asarray(np.where(units == ABSENT_EXPONENT, 0, units))


def strip_powers_of_two(row: Sequence[int]) -> list[int]:
    """The row without its common power of two."""
    all_bits = 0
    for value in row:
        all_bits |= value
    shift = (all_bits & -all_bits).bit_length() - 1 if all_bits else 0
    return [value >> shift for value in row] if shift > 0 else list(row)


def divide_by_gcd(row: Sequence[int]) -> list[int]:
    """The row without its common divisor."""
    divisor = gcd(*row)
    return [value // divisor for value in row] if divisor > 1 else list(row)


def to_coprime_integers(fractions: Sequence[Any]) -> list[int]:
    """Rational numbers (flint's or whole) times the positive number that makes them whole and coprime."""
    denominator = 1
    for value in fractions:
        q = int(fmpq(value).q)
        denominator = denominator * q // gcd(denominator, q)
    return divide_by_gcd([int((fmpq(value) * denominator).p) for value in fractions])


def to_scaled_floats(values: Sequence[int]) -> np.ndarray:
    """Whole numbers as floats after a common power of two, the largest near 1; tiny ones may become 0."""
    bits = max((abs(value).bit_length() for value in values), default=0)
    return np.array([_divide_by_power(value, bits) for value in values])


def _divide_by_power(value: int, bits: int) -> float:
    excess = abs(value).bit_length() - 64
    if excess > 0:
        # Keep 64 bits and a sticky one, so that the conversion rounds the number itself.
        kept = abs(value) >> excess
        sticky = kept | 1 if abs(value) != kept << excess else kept
        return ldexp(float(sticky), excess - bits) * (1 if value > 0 else -1)
    return ldexp(float(value), -bits)


def to_fmpz_matrix(rows: Sequence[Sequence[int]], columns: int) -> fmpz_mat:
    return fmpz_mat(len(rows), columns, [value for row in rows for value in row])


def _reduce(matrix: fmpz_mat) -> tuple[Any, ...]:
    """How a matrix is pickled: by its class and what makes it."""
    return fmpz_mat, (matrix.nrows(), matrix.ncols(), matrix.entries())


# FLINT's matrices do not pickle by themselves, and a pick may take coordinates to another process.
copyreg.pickle(fmpz_mat, _reduce)


def to_ints(column: fmpz_mat) -> list[int]:
    return [int(value) for value in column.entries()]


def find_pivots(m: fmpz_mat) -> list[int]:
    """Columns independent modulo a prime, hence independent; almost always a basis of all columns."""
    found: list[int] = []
    for prime in PRIMES:
        echelon, rank = nmod_mat(m, prime).rref()
        if rank > len(found):
            found = _find_leading(echelon, rank)
        if len(found) == min(m.nrows(), m.ncols()):
            break
    return found


def _find_leading(echelon: nmod_mat, rank: int) -> list[int]:
    """The columns of the first entry of each row."""
    found: list[int] = []
    column = 0
    for row in range(rank):
        while int(echelon[row, column]) == 0:
            column += 1
        found.append(column)
        column += 1
    return found


def take_submatrix(m: fmpz_mat, rows: Sequence[int], columns: Sequence[int]) -> fmpz_mat:
    return fmpz_mat(len(rows), len(columns), [m[i, j] for i in rows for j in columns])
