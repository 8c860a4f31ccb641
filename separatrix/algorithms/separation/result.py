"""The answer: one record with the kind, its witnesses and its proof."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, partial
from math import inf
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.separation.active_set import ActiveSetSearch
from separatrix.algorithms.separation.classification import Classification
from separatrix.algorithms.separation.contradicting_duplicates import find_contradicting_pair
from separatrix.algorithms.separation.directed_roots import compute_squared_radius, round_root_up
from separatrix.algorithms.separation.integers import divide_by_gcd
from separatrix.algorithms.separation.margins import Bracket, MarginSearch
from separatrix.algorithms.separation.recession import find_unbounded
from separatrix.algorithms.separation.scan import OutOfTime, Plane, Scanner
from separatrix.algorithms.separation.standardised_margin import (
    StandardisedSearch,
    compute_standard_deviations,
)
from separatrix.certificates import (
    About,
    Certificate,
    Inseparable,
    MarginAtLeast,
    MarginAtMost,
    MistakesAtMost,
    Overlapping,
    Separable,
    Undecided,
    WeaklySeparable,
)
from separatrix.fitting.exact_errors import about
from separatrix.halfspace import Halfspace


class Conflict(NamedTuple):
    """Rows, by index, whose signed sum with these positive whole-number weights is exactly zero."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]


class Interval(NamedTuple):
    """Two certified bounds."""

    lower: float
    upper: float


class Unbounded(tuple[str, ...]):
    """A word for each column's coefficient; ``intercept`` is the word for the intercept, or None."""

    intercept: str | None

    def __new__(cls, words: list[str], intercept: bool) -> Unbounded:
        new = super().__new__(cls, words[:-1] if intercept else words)
        new.intercept = words[-1] if intercept else None
        return new


class Separation:
    """What `separate` found.

    Attributes
    ----------
    kind : str
        "complete", "quasi" or "overlap"; "undecided" only when a time limit was reached.
    separable : bool
    halfspace : Halfspace or None
        Strictly separating (complete) or weakly, with as few rows as possible on it (quasi).
    conflict : Conflict or None
        Irreducible: drop any of its rows and the rest of it is separable.

    Notes
    -----
    Margins, `unbounded` and certificates are computed when asked for. The geometric margin is also the radius
    of robustness: while every row moves by less than it, in any direction, the classes stay separable; the
    two nearest points of their hulls can be made to meet by moving the `support` rows by just that much.
    """

    def __init__(
        self, scanner: Scanner, search: ActiveSetSearch | None, classification: Classification | None
    ) -> None:
        self._scanner = scanner
        self._initial_search = search
        self._classification = classification
        self._brackets: dict[tuple[bool, float, bool], Bracket] = {}
        self._last_margin_search: MarginSearch | None = None
        self.kind = "undecided" if classification is None else classification.kind

    def __repr__(self) -> str:
        rows = self._scanner.rows
        return f"<Separation: {self.kind}, {rows.n_rows} x {rows.n_columns}>"

    @property
    def separable(self) -> bool:
        return self.kind == "complete"

    def limit(self, seconds: float | None) -> None:
        """How long each measurement that is asked for from now on may take; `OutOfTime` is raised then."""
        self._scanner.time_limit = seconds

    @property
    def halfspace(self) -> Halfspace | None:
        plane = self._plane
        if plane is None:
            return None
        *weights, bias = plane.weights
        return Halfspace([_to_number(w) for w in weights], _to_number(bias))

    @cached_property
    def _search(self) -> ActiveSetSearch:
        """The active set: that of the verdict, or one to begin with where the verdict needed none."""
        return self._initial_search or ActiveSetSearch(self._scanner)

    @property
    def _plane(self) -> Plane | None:
        return None if self._classification is None else self._classification.plane

    @cached_property
    def conflict(self) -> Conflict | None:
        """Irreducible rows that cancel; two rows alike but for their labels, where there are such."""
        if self._classification is None or self._classification.conflict is None:
            return None
        found = Conflict(*self._classification.conflict.sort())
        pair = find_contradicting_pair(self._scanner) if len(found.rows) > 2 else None
        return found if pair is None else Conflict(pair, (1, 1))

    @property
    def common_point(self) -> tuple[Fraction, ...] | None:
        """With an intercept, the point of both classes' hulls that the conflict describes, exactly.

        >>> from separatrix.algorithms.separation import separate
        >>> separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).common_point
        (Fraction(1, 2), Fraction(1, 2))
        """
        if self.conflict is None or not self._scanner.intercept:
            return None
        rows = self._scanner.rows.take(np.array(self.conflict.rows)).whole()
        signs = rows.signs(self._scanner.positive)
        triples = zip(rows.dense().tolist(), signs.tolist(), self.conflict.weights, strict=True)
        positive = [(row, weight) for row, sign, weight in triples if sign > 0]
        total = sum(weight for _, weight in positive)
        columns = range(self._scanner.rows.n_columns)
        return tuple(sum((w * Fraction(row[j]) for row, w in positive), Fraction(0)) / total for j in columns)

    @cached_property
    def margin(self) -> Interval | None:
        """The largest geometric margin, between two certified bounds; None unless complete."""
        bracket = self.bracket()
        return None if bracket is None else Interval(bracket.lower, bracket.upper)

    @cached_property
    def row_margin(self) -> Interval | None:
        """The largest margin of the rows (x, 1), the one of the mistake bound; None unless complete."""
        bracket = self.bracket(geometric=False)
        return None if bracket is None else Interval(bracket.lower, bracket.upper)

    @property
    def support(self) -> tuple[int, ...] | None:
        """The support rows of the margin: those with positive multipliers in the proof of its upper end.

        None unless complete. Other rows may lie on the margin as well; without them it is the same.

        >>> from separatrix.algorithms.separation import separate
        >>> separate([[1.0], [2.0], [3.0], [9.0]], [0, 0, 1, 1]).support
        (1, 2)
        """
        bracket = self.bracket()
        return None if bracket is None else bracket.rows

    @cached_property
    def scales(self) -> tuple[float, ...]:
        """What `standardised_margin` divides the columns by: their standard deviations (with 1/n), rounded to
        floats; 1 for a constant column."""
        return tuple(compute_standard_deviations(self._scanner).tolist())

    @cached_property
    def standardised_margin(self) -> Interval | None:
        """The largest geometric margin of the rows x_j / scales_j, between certified bounds; None unless
        complete.

        It does not depend on the units of the columns. The bounds are about the exact quotients.

        >>> from separatrix.algorithms.separation import separate
        >>> incomes = separate([[20_000], [30_000], [60_000], [90_000]], [0, 0, 1, 1])
        >>> lower, upper = incomes.standardised_margin
        >>> lower <= 15_000 / incomes.scales[0] <= upper
        True
        """
        if self.kind != "complete" or self._plane is None:
            return None
        scales = np.array(self.scales)
        found = self._begin_margin_search(partial(StandardisedSearch, scales=scales)).run(1e-9)
        return Interval(found.lower, found.upper)

    def bracket(
        self, *, geometric: bool = True, tol: float = 1e-9, canonical: bool = False
    ) -> Bracket | None:
        """The margin with its witnesses, to the relative gap ``tol``; None unless complete.

        ``canonical`` scales the halfspace so that the nearest rows score ±1, up to rounding.
        """
        if self.kind != "complete" or self._plane is None:
            return None
        key = (geometric or not self._scanner.intercept, tol, canonical)
        if key not in self._brackets:
            search = self._begin_margin_search(partial(MarginSearch, geometric=geometric))
            found = search.run(tol, canonical)
            self._last_margin_search = search
            if not found.gap <= tol and self._scanner.time_limit is not None:
                return found  # cut short: with more time there may be more to say
            self._brackets[key] = found
        return self._brackets[key]

    def _begin_margin_search(self, make_search: Callable[..., MarginSearch]) -> MarginSearch:
        """A search that goes on from where the last one ended: the nearest rows are much the same."""
        self._scanner.restart_clock()
        last = self._last_margin_search
        if last is None or last.lower <= 0:
            return make_search(self._scanner, self._search.active, self._plane)
        search = make_search(self._scanner, last.active, last.best_plane)
        search.warm_start(last)
        return search

    def squared_margin(self, *, geometric: bool = True) -> Fraction | None:
        """γ² exactly, a rational number; None unless complete.

        >>> from separatrix.algorithms.separation import separate
        >>> separate([[0.0, 0.0], [1.0, 2.0]], [0, 1]).squared_margin()
        Fraction(5, 4)
        """
        if self.kind != "complete" or self._plane is None:
            return None
        return self._begin_margin_search(partial(MarginSearch, geometric=geometric)).compute_squared()

    @cached_property
    def _squared_radius(self) -> Fraction:
        return compute_squared_radius(self._scanner)

    @property
    def radius(self) -> float:
        """R: the largest norm of the rows (x, 1), or x without an intercept, rounded up."""
        return round_root_up(self._squared_radius)

    @cached_property
    def mistake_bound(self) -> int | None:
        """(R/γ)² for the rows (x, 1), certified from above and rounded down; None unless complete."""
        bracket = self.bracket(geometric=False)
        if bracket is None or bracket.lower <= 0:
            return None
        return int(self._squared_radius / Fraction(bracket.lower) ** 2)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of the kind: `Separable`, `WeaklySeparable` or `Overlapping`; `Undecided` out of time."""
        classification, intercept = self._classification, self._scanner.intercept
        if classification is None:
            scanner = self._scanner
            return Undecided(
                f"The time limit of {scanner.time_limit} s was reached after {scanner.scans} scans, with "
                f"{scanner.n_active} rows looked at closely: neither a hyperplane nor a conflict was found."
            )
        if classification.plane is not None:
            weights, bias = self._to_numbers(classification.plane)
            if classification.face is None:
                return self._bind(Separable(weights, bias, about=self._about))
            rows, multipliers = classification.face.sort()
            normals = self._compute_normals(classification)
            return self._bind(WeaklySeparable(weights, bias, rows, multipliers, normals, about=self._about))
        assert classification.face is not None
        rows, multipliers = classification.face.sort()
        return self._bind(
            Overlapping(
                rows, multipliers, self._compute_normals(classification), intercept, about=self._about
            )
        )

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """Everything proven: the kind; the conflict, or both ends of the margin and the mistake bound."""
        found = [self.certificate]
        if self.conflict is not None:
            found.append(self._bind(Inseparable(*self.conflict, self._scanner.intercept, about=self._about)))
        for geometric in (True, False) if self._scanner.intercept else (True,):
            bracket = self.bracket(geometric=geometric)
            if bracket is not None and bracket.rows:
                found.extend(self._certify_margin(bracket))
        bracket = self.bracket(geometric=False)
        if bracket is not None and self.mistake_bound is not None:
            weights, bias = self._to_numbers(bracket.plane)
            found.append(self._bind(MistakesAtMost(weights, bias, self.mistake_bound, about=self._about)))
        return tuple(found)

    def _certify_margin(self, bracket: Bracket) -> list[Certificate]:
        weights, bias = self._to_numbers(bracket.plane)
        ends: list[Certificate] = []
        if bracket.lower > 0:
            ends.append(MarginAtLeast(weights, bias, bracket.lower, bracket.geometric, about=self._about))
        if bracket.upper < inf:  # beyond the largest double there is no bound to write down
            ends.append(
                MarginAtMost(
                    bracket.rows,
                    bracket.multipliers,
                    bracket.upper,
                    bracket.geometric,
                    self._scanner.intercept,
                    about=self._about,
                )
            )
        return [self._bind(end) for end in ends]

    def _to_numbers(self, plane: Plane) -> tuple[tuple[float | int, ...], float | int | None]:
        """Weights and intercept as a certificate holds them."""
        *weights, bias = map(_to_number, plane.weights)
        return tuple(weights), bias if self._scanner.intercept else None

    def _compute_normals(self, classification: Classification) -> tuple[tuple[int, ...], ...]:
        columns = classification.coordinates.basis.transpose().tolist()
        return tuple(tuple(divide_by_gcd([int(v) for v in column])) for column in columns)

    @property
    def _about(self) -> About:
        return about(self._scanner.rows, self._scanner.positive)

    def _bind(self, certificate: Certificate) -> Certificate:
        return certificate.bound_to(self._scanner.rows)

    @cached_property
    def unbounded(self) -> Unbounded | None:
        """Per coefficient "+inf", "-inf", "finite" or "undetermined": where the logistic fit runs to."""
        if self._classification is None:
            return None
        self._scanner.restart_clock()
        try:
            return Unbounded(find_unbounded(self._search, self._classification), self._scanner.intercept)
        except OutOfTime:
            return None


def _to_number(value: float | int) -> float | int:
    return value if isinstance(value, int) else float(value)
