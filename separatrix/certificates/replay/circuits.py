"""Whether points cancel with positive multipliers: the test of `check.dependency`, in arrays or by flint."""

from __future__ import annotations

from typing import cast

import numpy as np

from separatrix.certificates.arithmetic.linear_algebra import fmpq_mat, fmpz_mat, nmod_mat
from separatrix.certificates.check.dependency import cancel as _cancel
from separatrix.certificates.check.dependency import in_doubles

_UNDERFLOW = 1e-290
_PRIME = 2**61 - 1


def cancel(points: list[list[int]]) -> bool:
    """Whether the multipliers that cancel the points are unique up to a factor, and all positive."""
    return _cancel_in_floats(points) or _solved(points) or _cancel(points)


def _cancel_in_floats(points: list[list[int]]) -> bool:
    """Whether doubles prove it, by (1) to (3) of `check.dependency`; False decides nothing."""
    equations = in_doubles(points)
    if equations is None:
        return False
    A, c = np.array(equations)[:, :-1], np.array(equations)[:, -1]
    unit = (len(c) + 4) * 2.0**-52  # (3)
    with np.errstate(all="ignore"):
        try:
            R = np.linalg.inv(A)
        except np.linalg.LinAlgError:
            return False
        a = -(R @ c)
        sizes = abs(R) @ abs(A)
        off = (abs(R @ A - np.eye(len(c))) + 2 * unit * sizes + _UNDERFLOW).sum(axis=1)
        left = abs(A @ a + c) + 3 * unit * (abs(A) @ abs(a) + abs(c)) + _UNDERFLOW
        error = float((abs(R) @ left).max())
        # (1) and (2)
        return bool((off < 0.49).all() and error < np.inf and (a > 5 * error + _UNDERFLOW).all())


def _solved(points: list[list[int]]) -> bool:
    """Whether all but the last point, which are to be independent, cancel it with positive multipliers, in
    whole numbers; False decides nothing. Residues only choose the equations that are solved."""
    *others, last = points
    count, width = len(others), len(last)
    if not 0 < count <= width:
        return False
    residues = nmod_mat(count, width, [value % _PRIME for point in others for value in point], _PRIME)
    reduced, rank = residues.rref()
    if rank < count:
        return False
    columns: list[int] = []
    for row in range(rank):
        start = columns[-1] + 1 if columns else 0
        columns.append(next(j for j in range(start, width) if int(reduced[row, j])))
    square = fmpz_mat([[point[j] for point in others] for j in columns])
    answer = square.solve(fmpz_mat([[-last[j]] for j in columns]))
    above, below = cast(fmpq_mat, answer).numer_denom()
    multipliers = fmpz_mat(1, count + 1, [*above.entries(), below])
    if any(value <= 0 for value in multipliers.entries()):
        return False
    return not any(value != 0 for value in (multipliers * fmpz_mat(points)).entries())
