"""Complete, quasi or overlap: from one conflict to the smallest face that holds them all.

**Theorem** (Albert and Anderson, 1984, after Stiemke, 1915). Let F be the rows that take part in some
conflict: a combination of rows z with positive multipliers that is zero. Then some w has z·w = 0 on F and z·w
> 0 on all other rows. There is no other row to be positive on exactly when every row lies in F: the kind is
*overlap*; else, with F not empty, *quasi*; with F empty, *complete*.

Each conflict found puts its rows, and all rows in their span that the known conflicts reach, on the
hyperplane of every weak separator. What is left is the same question in the subspace of the w that vanish
there, of smaller dimension. An irreducible conflict of m rows has rank m - 1, so the rows kept number at most
twice their rank (Steinitz, 1913).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.algorithms.separation.active_set import Active, Outcome, Search, balanced
from separatrix.algorithms.separation.coordinates import common_rows, exact_rows
from separatrix.algorithms.separation.gordan import dependency
from separatrix.algorithms.separation.integers import matrix, pivots, primitive
from separatrix.algorithms.separation.scan import Plane
from separatrix.algorithms.separation.subspace import Face, View, null_basis
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat


@dataclass(frozen=True)
class Balance:
    """Rows with positive whole multipliers whose combination is exactly zero."""

    rows: Active
    multipliers: list[int]

    def sorted(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Row indices in ascending order, and their multipliers."""
        order = np.argsort(self.rows.indices, kind="stable")
        return tuple(int(i) for i in self.rows.indices[order]), tuple(self.multipliers[i] for i in order)


@dataclass(frozen=True)
class Finding:
    """What the search proved.

    ``plane`` is strict (complete) or maximal weak (quasi); ``conflict`` irreducible; ``face`` spans every row
    that lies on the plane; ``view`` holds the w that vanish on the face.
    """

    kind: str
    view: View
    plane: Plane | None
    conflict: Balance | None
    face: Balance | None


def find(search: Search) -> Finding:
    """Decide the kind."""
    view: View = search.frame
    outcome = search.decide(view)
    if outcome.conflict is None:
        return Finding("complete", view, outcome.plane, None, None)
    conflict = _first(outcome, search.scanner.intercept)
    if len(conflict.multipliers) == search.scanner.width + 1:
        # Its rank is one less than its rows: nothing vanishes on all of it.
        view = Face(
            search.scanner.intercept, fmpz_mat(search.scanner.width, 0), conflict.rows.X, conflict.rows.signs
        )
        return Finding("overlap", view, None, conflict, conflict)
    face = _with_twins(conflict, search)
    while True:
        view = _beyond(search, face)
        if view.width == 0:
            return Finding("overlap", view, None, conflict, face)
        outcome = search.decide(view)
        if outcome.conflict is None:
            quasi = search.scanner.any_unsettled()
            return Finding(
                "quasi" if quasi else "overlap", view, outcome.plane if quasi else None, conflict, face
            )
        face = _larger(face, outcome.conflict, search.scanner.intercept)


def _first(outcome: Outcome, intercept: bool) -> Balance:
    rows = outcome.conflict
    assert rows is not None
    if outcome.multipliers is not None:
        return Balance(rows, outcome.multipliers)
    found = balanced(rows, intercept)
    assert found is not None, "a circuit stays one in other coordinates"
    return Balance(rows.part(np.array(found[0])), found[1])


def _with_twins(face: Balance, search: Search) -> Balance:
    """The face with all pairs of active rows that differ in their label alone: many conflicts at once."""
    active, intercept = search.active, search.scanner.intercept
    waiting: dict[tuple[bytes, float], int] = {}
    used = set(face.rows.indices.tolist())
    pairs = []
    for i in range(len(active)):
        if int(active.indices[i]) in used:
            continue
        values = (active.X[i] + 0.0).tobytes()
        twin = waiting.pop((values, -active.signs[i]), None)
        if twin is None:
            waiting[values, active.signs[i]] = i
        else:
            pairs.append((twin, i))
    if not pairs:
        return face
    known, firsts = face.rows, active.part(np.array([i for i, _ in pairs]))
    rows = exact_rows(
        np.concatenate([known.X, firsts.X]), np.concatenate([known.signs, firsts.signs]), intercept
    )
    chosen = [k - len(known) for k in pivots(matrix(rows, len(rows[0])).transpose()) if k >= len(known)]
    added = active.part(np.array([i for k in chosen for i in pairs[k]], np.int64))
    return Balance(_joined(added, known), [1] * len(added) + face.multipliers)


def _joined(one: Active, other: Active) -> Active:
    return Active(
        np.concatenate([one.indices, other.indices]),
        np.concatenate([one.X, other.X]),
        np.concatenate([one.signs, other.signs]),
    )


def _beyond(search: Search, face: Balance) -> Face:
    """The view of all w that vanish on the face."""
    rows, scanner = face.rows, search.scanner
    basis = null_basis(exact_rows(rows.X, rows.signs, scanner.intercept), scanner.width)
    return Face(scanner.intercept, basis, search.active.X, search.active.signs)


def _larger(face: Balance, added: Active, intercept: bool) -> Balance:
    """The face with one more conflict, whose rows cancel up to what the span of the face takes up."""
    known = face.rows
    spanning = pivots(
        matrix(exact_rows(known.X, known.signs, intercept), known.X.shape[1] + intercept).transpose()
    )
    joined = _joined(added, known)
    chosen = [*range(len(added)), *(len(added) + i for i in spanning)]
    found = dependency(common_rows(joined.X[chosen], joined.signs[chosen], intercept))
    assert found is not None, "a conflict of the quotient is one dependency modulo the face"
    if found[0] < 0:
        found = [-value for value in found]
    total = found[: len(added)] + [0] * len(known)
    for i, value in zip(spanning, found[len(added) :], strict=True):
        total[len(added) + i] = value
    times = 1 + max(-value // held for value, held in zip(total[len(added) :], face.multipliers, strict=True))
    for i, held in enumerate(face.multipliers):
        total[len(added) + i] += max(times, 1) * held
    return Balance(joined, primitive(total))
