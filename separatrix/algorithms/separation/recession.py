"""Where the logistic maximum-likelihood fit runs to, coefficient by coefficient.

The likelihood never falls along w exactly when z·w ≥ 0 on every row. These w form the recession cone. A
coefficient that is zero on all of the cone stays finite; one that is never negative there, but somewhere
positive, runs to +inf.

**Theorem** (Farkas, 1902). w_j ≥ 0 on the whole cone exactly when e_j is a combination of rows with
multipliers ≥ 0. In the subspace of the w that vanish on the face the cone has an interior, so that "some w of
the cone has w_j < 0" is one more question of strict separation, with the row -e_j added.
"""

from __future__ import annotations

from separatrix.algorithms.separation.kinds import Finding
from separatrix.algorithms.separation.scanner import Plane
from separatrix.algorithms.separation.search import Search

POSITIVE, NEGATIVE, FINITE, BOTH = "+inf", "-inf", "finite", "undetermined"
WORDS = {(True, False): POSITIVE, (False, True): NEGATIVE, (False, False): FINITE, (True, True): BOTH}


def unbounded(search: Search, finding: Finding) -> list[str]:
    """One word for each coefficient, the intercept last where there is one."""
    view, width = finding.view, search.scanner.width
    signs: list[set[int]] = [set() for _ in range(width)]
    free = [any(view.seen(_unit(j, width, 1))) for j in range(width)]
    if finding.plane is None:
        # Overlap: the cone is the space of all w that vanish on every row.
        return [BOTH if moves else FINITE for moves in free]
    _note(finding.plane, signs, free)
    for j in range(width):
        for sign in (1, -1):
            if free[j] and sign not in signs[j]:
                outcome = search.decide(view, _unit(j, width, sign))
                if outcome.plane is not None:
                    _note(outcome.plane, signs, free)
    return [WORDS[1 in seen, -1 in seen] for seen in signs]


def _unit(j: int, width: int, sign: int) -> list[int]:
    return [sign * (i == j) for i in range(width)]


def _note(plane: Plane, signs: list[set[int]], free: list[bool]) -> None:
    """A w inside the cone shows a sign of each coefficient; where it shows zero, both signs are near."""
    for j, seen in enumerate(signs):
        weight = plane.weights[j]
        if free[j]:
            seen.update((1, -1) if weight == 0 else (1,) if weight > 0 else (-1,))
