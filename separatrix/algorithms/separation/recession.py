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

from separatrix.algorithms.separation.active_set import Search
from separatrix.algorithms.separation.classification import Finding
from separatrix.algorithms.separation.integers import matrix, pivots, submatrix, whole
from separatrix.algorithms.separation.scan import Plane
from separatrix.algorithms.separation.subspace import View
from separatrix.certificates.arithmetic.linear_algebra import fmpq_mat

MOST_ROWS = 300  # of which a system is solved exactly
POSITIVE, NEGATIVE, FINITE, BOTH = "+inf", "-inf", "finite", "undetermined"
WORDS = {(True, False): POSITIVE, (False, True): NEGATIVE, (False, False): FINITE, (True, True): BOTH}


def unbounded(search: Search, finding: Finding) -> list[str]:
    """One word for each coefficient, the intercept last where there is one."""
    view, width = finding.view, search.scanner.width
    signs: list[set[int]] = [set() for _ in range(width)]
    free = _moving(view, width)
    if finding.plane is None:
        # Overlap: the cone is the space of all w that vanish on every row.
        return [BOTH if moves else FINITE for moves in free]
    _note(finding.plane, signs, free)
    for j, moves in enumerate(_still(search, view)):
        if moves:
            signs[j] = {1, -1}
    for j in range(width):
        for sign in (1, -1):
            if free[j] and sign not in signs[j]:
                outcome = search.decide(view, _unit(j, width, sign))
                if outcome.plane is not None:
                    _note(outcome.plane, signs, free)
    return [WORDS[1 in seen, -1 in seen] for seen in signs]


def _moving(view: View, width: int) -> list[bool]:
    """Whether some w of the view has w_j ≠ 0: nearly any one shows it."""
    some = view.exact_weights(_any_numbers(view.width))
    return [value != 0 or any(view.seen(_unit(j, width, 1))) for j, value in enumerate(some[:width])]


def _still(search: Search, view: View) -> list[int]:
    """Some v of the view that vanishes on every row, as general as may be; empty where none is sought."""
    rows = search.active
    few = len(rows) == search.scanner.rows.n_rows <= MOST_ROWS
    if not few or len(rows) >= view.width:
        return []
    points = matrix(view.exact_points(rows.X, rows.signs), view.width)
    chosen = pivots(points.transpose())
    points = submatrix(points, chosen, range(view.width))
    some = matrix([_any_numbers(view.width)], view.width).transpose()
    shares: Any = (points * points.transpose()).solve(points * some)
    left = fmpq_mat(some) - fmpq_mat(points.transpose()) * shares
    return view.exact_weights(whole(left.entries()))


def _any_numbers(count: int) -> list[int]:
    return np.random.default_rng(count).integers(1, 2**20, count).tolist()


def _unit(j: int, width: int, sign: int) -> list[int]:
    return [sign * (i == j) for i in range(width)]


def _note(plane: Plane, signs: list[set[int]], free: list[bool]) -> None:
    """A w inside the cone shows a sign of each coefficient; where it shows zero, both signs are near."""
    for j, seen in enumerate(signs):
        weight = plane.weights[j]
        if free[j]:
            seen.update((1, -1) if weight == 0 else (1,) if weight > 0 else (-1,))
