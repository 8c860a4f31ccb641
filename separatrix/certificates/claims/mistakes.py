"""How many mistakes a perceptron makes, or can make: two claims.

**Novikoff's theorem** (1962), for `MistakesAtMost`. Let z = s(x, 1), or s·x without an intercept, ‖z‖ ≤ R,
and let some w have z·w/‖w‖ ≥ γ > 0 on every row. From zero with unit steps a perceptron makes at most

    (R/γ)²                                                                                              (1)

mistakes on any sequence of these rows.

**A run, for audit**: `MistakeRun` says how often each row was added to the weights.
From w = 0 with unit steps, k mistakes lead to W = Σ c_i z_i, where z = s(x, 1), or s·x without an
intercept, c_i counts the mistakes on row i, and Σ c_i = k. The claim is about this exact W. Three things
bind it to a run:

**Novikoff (1962), the second inequality.** At a mistake W·z ≤ 0, so ‖W + z‖² ≤ ‖W‖² + ‖z‖², and in the end
‖W‖² ≤ Σ c_i ‖z_i‖² ≤ k R². A combination that leans on the same side again and again breaks it.

**In doubles** a mistake is a computed score ≤ 0. Let A = Σ c_i |z_i|, entry by entry, D the entries of a
row, and u = 2^-53. The weights of the run stay within k u A_j of the exact ones (a sum of k doubles in
order errs by at most (k − 1) u times the sum of their sizes: Rump, BIT 52, 2012); a computed score is
within 2 D u Σ_j |z_j| A_j of its value at those weights. So at a mistake W·z ≤ (2D + k) u Σ_j |z_j| A_j,
underflow aside, and in the end

    ‖W‖² ≤ Σ c_i ‖z_i‖² + 2 (2D + k) u ‖A‖² + 2 k D (1 + k) 2^-1022.                                    (2)

That is checked, in whole numbers. The allowance is proven, not chosen: without it a genuine run could be
refused because a rounding had decided a mistake. It grows with k, and from 2^52 mistakes on would allow any
sum, so a claim of more than `MAX_MISTAKES` is refused. No run takes as many steps.

**The weights** given are doubles, and

    |w_j − W_j| ≤ k u A_j + k 2^-1022.                                                                  (3)

**The radius.** Of a row of d entries, ‖x‖² as summed in doubles is within a relative (d + 1)u, and d·2^-1022,
of the exact one. Rows whose sum is below the largest by

    4(d + 3) u times it, and (d + 3) 2^-1020,                                                           (4)

are shorter than that row; of the others the exact ‖x‖² decide.

If the run converged, W itself has every row strictly on its side.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.arithmetic.dyadic import Dyadic, dyadic, power_of_two
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.arithmetic.row_sums import weighted_squares, weighted_sum
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.claims.separation import first_wrong
from separatrix.certificates.data.reading import Matrix, RowSource, doubles, refuse_infinite
from separatrix.certificates.fields import (
    CertificateError,
    Counts,
    Flag,
    NumberOrNone,
    Numbers,
    RowNumbers,
    Whole,
)

_U = power_of_two(-53)
_TAU = power_of_two(-1022)
MAX_MISTAKES = 1 << 40


@dataclass(frozen=True, repr=False)
class MistakeRun(Certificate):
    """The weights are what so many mistakes on these rows make, in unit steps from zero.

    Parameters
    ----------
    rows
        Numbers of the rows that were mistakes, ascending.
    counts
        How often each of them was.
    mistakes
        The sum of the counts.
    weights, intercept
        The result in doubles; None for rows without the constant.
    converged
        Whether the exact combination has every row strictly on its side.

    Examples
    --------
    >>> run = MistakeRun((0, 1), (1, 1), mistakes=2, weights=(1.0,), intercept=0.0, converged=True)
    >>> run.verify([[1.0], [-1.0]], [1, 0])
    Verdict(holds=False, reason='Weight 0 is not what these mistakes add up to.')
    """

    title = "run of mistakes"

    rows: RowNumbers
    counts: Counts
    mistakes: Whole
    weights: Numbers
    intercept: NumberOrNone
    converged: Flag

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rows) != len(self.counts):
            raise CertificateError(f"It has {len(self.rows)} rows but {len(self.counts)} counts.")

    @property
    def claim(self) -> str:
        mistakes = f"{self.mistakes} mistake{'s' * (self.mistakes != 1)}"
        rest = ", and their exact sum has every row strictly on its side." if self.converged else "."
        return f"{mistakes} in unit steps from zero made these weights{rest}"

    def _prove(self, source: RowSource) -> Verdict:
        if self.mistakes > MAX_MISTAKES:
            return Verdict(
                False, "It claims more than 2^40 mistakes: so many cannot be told from rounding errors."
            )
        if sum(self.counts) != self.mistakes:
            return Verdict(False, f"The counts do not add up to {self.mistakes}.")
        if self.rows and self.rows[-1] >= source.n_rows:
            return Verdict(False, f"It counts row {self.rows[-1]}; this data has {source.n_rows} rows.")
        exact, sizes, squares = self._sums(source)
        # (2) above
        allowance = 2 * (2 * len(exact.wholes) + self.mistakes) * _U * sizes.squared_norm()
        allowance += 2 * self.mistakes * len(exact.wholes) * _TAU * (1 + self.mistakes)
        if exact.squared_norm() > squares + allowance:
            return Verdict(False, "Novikoff's inequality fails: the sum is too long for a run of mistakes.")
        given = self.weights if self.intercept is None else (*self.weights, self.intercept)
        triples = zip(dyadic(given).fractions(), exact.fractions(), sizes.fractions(), strict=True)
        for j, (weight, sum_, size) in enumerate(triples):
            if abs(weight - sum_) > self.mistakes * (_U * size + _TAU):  # against (3) above
                return Verdict(False, f"Weight {j} is not what these mistakes add up to.")
        if self.converged:
            *weights, last = exact.wholes if self.intercept is not None else (*exact.wholes, 0)
            wrong = first_wrong(source, Margins(weights, last))
            if wrong is not None:
                return Verdict(False, f"Row {wrong} (counted from 0) is not on its side of the exact sum.")
        return Verdict(True, self.claim)

    def _sums(self, source: RowSource) -> tuple[Dyadic, Dyadic, Fraction]:
        """W = Σ c z, A = Σ c |z| and Σ c ‖z‖², in one walk over the rows."""
        constant = self.intercept is not None
        width = source.n_columns + constant
        exact = sizes = Dyadic((0,) * width, 0)
        squares = Fraction(self.mistakes if constant else 0)
        for X, signs, part in source.gather(self.rows):
            counts = self.counts[part]
            signed = [count * sign for count, sign in zip(counts, signs.tolist(), strict=True)]
            exact += weighted_sum(X, signed, constant)
            sizes += weighted_sum(abs(X), counts, constant)
            squares += weighted_squares(X, counts)
        return exact, sizes, squares


@dataclass(frozen=True, repr=False)
class MistakesAtMost(Certificate):
    """A perceptron from zero with unit steps makes at most so many mistakes, in any order, however often.

    Parameters
    ----------
    weights, intercept
        A halfspace; None for rows without the constant.
    mistakes
        The bound.

    Examples
    --------
    >>> MistakesAtMost((1.0, 1.0), None, mistakes=2).verify([[1.0, 0.0], [0.0, -1.0]], [1, 0]).holds
    True
    >>> MistakesAtMost((1.0, 1.0), None, mistakes=1).verify([[1.0, 0.0], [0.0, -1.0]], [1, 0])
    Verdict(holds=False, reason='Row 0 (counted from 0) has too small a margin for that.')
    """

    title = "bound on mistakes"

    weights: Numbers
    intercept: NumberOrNone
    mistakes: Whole

    @property
    def claim(self) -> str:
        mistakes = "1 mistake" if self.mistakes == 1 else f"{self.mistakes} mistakes"
        return f"A perceptron from zero makes at most {mistakes} on these rows, in any order."

    def _prove(self, source: RowSource) -> Verdict:
        constant = self.intercept is not None
        normal = (*self.weights, self.intercept or 0)
        radius = Fraction(0)
        for piece in source.pieces():
            refuse_infinite(piece.X, range(piece.start, piece.stop))
            radius = max(radius, squared_radius(piece.X))
        radius += constant
        # Mistakes are whole, so that (1) < mistakes + 1 is enough: γ² > R²/(mistakes + 1).
        margins = Margins(
            self.weights, self.intercept, dyadic(normal).squared_norm() * radius / (self.mistakes + 1)
        )
        row = first_wrong(source, margins)
        if row is not None:
            return Verdict(False, f"Row {row} (counted from 0) has too small a margin for that.")
        return Verdict(True, f"(R/γ)² is below {self.mistakes + 1}.")


def squared_radius(X: Matrix) -> Fraction:
    """The largest ‖x‖², exactly: floats say which rows can have it, fractions which of them does."""
    if X.shape[0] == 0:
        return Fraction(0)
    X = doubles(X)  # (4) above is about doubles
    with np.errstate(all="ignore"):
        squares = np.asarray(
            np.vecdot(X, X) if isinstance(X, np.ndarray) else X.multiply(X).sum(axis=1)
        ).ravel()
    terms = X.shape[1] + 3
    floor = squares.max() * (1 - 4 * terms * 2.0**-53) - terms * 2.0**-1020  # (4) above
    near = np.flatnonzero(~(squares < floor)) if np.isfinite(squares).all() else np.arange(X.shape[0])
    rows = X[near] if isinstance(X, np.ndarray) else X[near].toarray()
    if squares.max() > 2.0**-900 and len(near) > 64:
        # Many rows of nearly the largest norm: equal ones need one look only.
        rows = np.unique(abs(rows), axis=0)
    return max(dyadic(row).squared_norm() for row in rows.tolist())
