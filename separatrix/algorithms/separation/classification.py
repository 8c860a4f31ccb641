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

from separatrix.algorithms.separation.active_set import (
    ActiveRows,
    ActiveSetSearch,
    PlaneOrConflict,
    find_row_circuit,
)
from separatrix.algorithms.separation.coordinates import to_common_rows, to_exact_rows
from separatrix.algorithms.separation.gordan import find_dependency
from separatrix.algorithms.separation.integers import divide_by_gcd, find_pivots, to_fmpz_matrix
from separatrix.algorithms.separation.scan import Plane
from separatrix.algorithms.separation.subspace import Coordinates, SubspaceCoordinates, find_null_basis
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat


@dataclass(frozen=True)
class PositiveDependency:
    """Rows with positive whole multipliers whose combination is exactly zero."""

    rows: ActiveRows
    multipliers: list[int]

    def sort(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Row indices in ascending order, and their multipliers."""
        order = np.argsort(self.rows.indices, kind="stable")
        return tuple(int(i) for i in self.rows.indices[order]), tuple(self.multipliers[i] for i in order)


@dataclass(frozen=True)
class Classification:
    """What the search proved.

    ``plane`` is strict (complete) or maximal weak (quasi); ``conflict`` irreducible; ``face`` spans every row
    that lies on the plane; ``coordinates`` holds the w that vanish on the face.
    """

    kind: str
    coordinates: Coordinates
    plane: Plane | None
    conflict: PositiveDependency | None
    face: PositiveDependency | None


def classify(search: ActiveSetSearch) -> Classification:
    """Decide the kind."""
    coordinates: Coordinates = search.scaling
    outcome = search.decide(coordinates)
    if outcome.conflict is None:
        return Classification("complete", coordinates, outcome.plane, None, None)
    conflict = _reduce_conflict(outcome, search.scanner.intercept)
    if len(conflict.multipliers) == search.scanner.width + 1:
        # Its rank is one less than its rows: nothing vanishes on all of it.
        coordinates = SubspaceCoordinates(
            search.scanner.intercept, fmpz_mat(search.scanner.width, 0), conflict.rows.X, conflict.rows.signs
        )
        return Classification("overlap", coordinates, None, conflict, conflict)
    face = _add_contradicting_pairs(conflict, search)
    while True:
        coordinates = _make_subspace(search, face)
        if coordinates.width == 0:
            return Classification("overlap", coordinates, None, conflict, face)
        outcome = search.decide(coordinates)
        if outcome.conflict is None:
            is_quasi = search.scanner.has_unspanned()
            return Classification(
                "quasi" if is_quasi else "overlap",
                coordinates,
                outcome.plane if is_quasi else None,
                conflict,
                face,
            )
        face = _enlarge_face(face, outcome.conflict, search.scanner.intercept)


def _reduce_conflict(outcome: PlaneOrConflict, intercept: bool) -> PositiveDependency:
    rows = outcome.conflict
    assert rows is not None
    if outcome.multipliers is not None:
        return PositiveDependency(rows, outcome.multipliers)
    found = find_row_circuit(rows, intercept)
    assert found is not None, "a circuit stays one in other coordinates"
    return PositiveDependency(rows.take(np.array(found[0])), found[1])


def _add_contradicting_pairs(face: PositiveDependency, search: ActiveSetSearch) -> PositiveDependency:
    """The face with all pairs of active rows that differ in their label alone: many conflicts at once."""
    active, intercept = search.active, search.scanner.intercept
    unmatched: dict[tuple[bytes, float], int] = {}
    face_indices = set(face.rows.indices.tolist())
    pairs = []
    for i in range(len(active)):
        if int(active.indices[i]) in face_indices:
            continue
        values = (active.X[i] + 0.0).tobytes()
        partner = unmatched.pop((values, -active.signs[i]), None)
        if partner is None:
            unmatched[values, active.signs[i]] = i
        else:
            pairs.append((partner, i))
    if not pairs:
        return face
    known, first_rows = face.rows, active.take(np.array([i for i, _ in pairs]))
    rows = to_exact_rows(
        np.concatenate([known.X, first_rows.X]), np.concatenate([known.signs, first_rows.signs]), intercept
    )
    chosen = [
        k - len(known) for k in find_pivots(to_fmpz_matrix(rows, len(rows[0])).transpose()) if k >= len(known)
    ]
    added = active.take(np.array([i for k in chosen for i in pairs[k]], np.int64))
    return PositiveDependency(_concatenate(added, known), [1] * len(added) + face.multipliers)


def _concatenate(one: ActiveRows, other: ActiveRows) -> ActiveRows:
    return ActiveRows(
        np.concatenate([one.indices, other.indices]),
        np.concatenate([one.X, other.X]),
        np.concatenate([one.signs, other.signs]),
    )


def _make_subspace(search: ActiveSetSearch, face: PositiveDependency) -> SubspaceCoordinates:
    """Coordinates of the w that vanish on the face."""
    rows, scanner = face.rows, search.scanner
    basis = find_null_basis(to_exact_rows(rows.X, rows.signs, scanner.intercept), scanner.width)
    return SubspaceCoordinates(scanner.intercept, basis, search.active.X, search.active.signs)


def _enlarge_face(face: PositiveDependency, added: ActiveRows, intercept: bool) -> PositiveDependency:
    """The face with one more conflict, whose rows cancel up to what the span of the face takes up."""
    known = face.rows
    spanning = find_pivots(
        to_fmpz_matrix(
            to_exact_rows(known.X, known.signs, intercept), known.X.shape[1] + intercept
        ).transpose()
    )
    joined = _concatenate(added, known)
    chosen = [*range(len(added)), *(len(added) + i for i in spanning)]
    coefficients = find_dependency(to_common_rows(joined.X[chosen], joined.signs[chosen], intercept))
    assert coefficients is not None, "a conflict of the quotient is one dependency modulo the face"
    if coefficients[0] < 0:
        coefficients = [-value for value in coefficients]
    multipliers = coefficients[: len(added)] + [0] * len(known)
    for i, value in zip(spanning, coefficients[len(added) :], strict=True):
        multipliers[len(added) + i] = value
    factor = 1 + max(
        -value // multiplier
        for value, multiplier in zip(multipliers[len(added) :], face.multipliers, strict=True)
    )
    for i, multiplier in enumerate(face.multipliers):
        multipliers[len(added) + i] += max(factor, 1) * multiplier
    return PositiveDependency(joined, divide_by_gcd(multipliers))
