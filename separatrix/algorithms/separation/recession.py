"""Where the logistic maximum-likelihood fit runs to, coefficient by coefficient.

The likelihood never falls along w exactly when z·w ≥ 0 on every row. These w form the recession cone. A
coefficient that is zero on all of the cone stays finite; one that is never negative there, but somewhere
positive, runs to +inf.

**Theorem** (Farkas, 1902). w_j ≥ 0 on the whole cone exactly when e_j is a combination of rows with
multipliers ≥ 0. In the subspace of the w that vanish on the face the cone has an interior, so that "some w of
the cone has w_j < 0" is one more question of strict separation, with the row -e_j added.

Where there are more columns than rows, some v ≠ 0 has z·v = 0 on every row. If w is in the cone, so is w plus
any multiple of v: a coefficient with v_j ≠ 0 runs either way, and nearly any such v shows this of most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.separation.active_set import ActiveSetSearch
from separatrix.algorithms.separation.classification import Classification
from separatrix.algorithms.separation.integers import (
    find_pivots,
    take_submatrix,
    to_coprime_integers,
    to_fmpz_matrix,
)
from separatrix.algorithms.separation.scan import Plane
from separatrix.algorithms.separation.subspace import Coordinates
from separatrix.certificates.arithmetic.linear_algebra import fmpq_mat

MAX_EXACT_ROWS = 300  # of which a system is solved exactly
POSITIVE, NEGATIVE, FINITE, UNDETERMINED = "+inf", "-inf", "finite", "undetermined"
WORDS = {(True, False): POSITIVE, (False, True): NEGATIVE, (False, False): FINITE, (True, True): UNDETERMINED}


def find_unbounded(search: ActiveSetSearch, classification: Classification) -> list[str]:
    """One word for each coefficient, the intercept last where there is one."""
    coordinates, width = classification.coordinates, search.scanner.width
    signs: list[set[int]] = [set() for _ in range(width)]
    free = _find_free(coordinates, width)
    if classification.plane is None:
        # Overlap: the cone is the space of all w that vanish on every row.
        return [UNDETERMINED if is_free else FINITE for is_free in free]
    _record_signs(classification.plane, signs, free)
    for j, is_free in enumerate(_find_null_vector(search, coordinates)):
        if is_free:
            signs[j] = {1, -1}
    for j in range(width):
        for sign in (1, -1):
            if free[j] and sign not in signs[j]:
                outcome = search.decide(coordinates, _make_unit_vector(j, width, sign))
                if outcome.plane is not None:
                    _record_signs(outcome.plane, signs, free)
    return [WORDS[1 in observed, -1 in observed] for observed in signs]


def _find_free(coordinates: Coordinates, width: int) -> list[bool]:
    """Whether some w of the coordinates has w_j ≠ 0: nearly any one shows it."""
    vector = coordinates.to_exact_weights(_draw_integers(coordinates.width))
    return [
        value != 0 or any(coordinates.transform_row(_make_unit_vector(j, width, 1)))
        for j, value in enumerate(vector[:width])
    ]


def _find_null_vector(search: ActiveSetSearch, coordinates: Coordinates) -> list[int]:
    """Some v in these coordinates that vanishes on every row, drawn at random; empty where none is sought."""
    rows = search.active
    is_small = len(rows) == search.scanner.rows.n_rows <= MAX_EXACT_ROWS
    if not is_small or len(rows) >= coordinates.width:
        return []
    points = to_fmpz_matrix(coordinates.to_exact_points(rows.X, rows.signs), coordinates.width)
    chosen = find_pivots(points.transpose())
    points = take_submatrix(points, chosen, range(coordinates.width))
    vector = to_fmpz_matrix([_draw_integers(coordinates.width)], coordinates.width).transpose()
    shares: Any = (points * points.transpose()).solve(points * vector)
    remainder = fmpq_mat(vector) - fmpq_mat(points.transpose()) * shares
    return coordinates.to_exact_weights(to_coprime_integers(remainder.entries()))


def _draw_integers(count: int) -> list[int]:
    return np.random.default_rng(count).integers(1, 2**20, count).tolist()


def _make_unit_vector(j: int, width: int, sign: int) -> list[int]:
    return [sign * (i == j) for i in range(width)]


def _record_signs(plane: Plane, signs: list[set[int]], free: list[bool]) -> None:
    """A w inside the cone shows a sign of each coefficient; where it shows zero, both signs are near."""
    for j, observed in enumerate(signs):
        weight = plane.weights[j]
        if free[j]:
            observed.update((1, -1) if weight == 0 else (1,) if weight > 0 else (-1,))
