"""Weights that are within a proven distance of the best logistic likelihood.

The objective is

    ½‖w‖² + C Σ v_i log(1 + exp(−s_i(w·x_i + b))),                                                      (1)

the intercept not penalised, or the sum alone where nothing is penalised. The weights bound its least value
from above, and dual variables from below: see `logistic_likelihood` for the theorem and for the bounds on all
roundings, and `restoration` for rows without a penalty. Everything is computed from the rows.

Where no weights reach the least value, because the classes are separable or nearly so, the bound from
below is that of the rows which every direction of recession leaves alone (``direction``); for separable
rows it is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.arithmetic.span import rank_at_least
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.check.likelihood import likelihood_within
from separatrix.certificates.claims.optimality.likelihood_verdict import Proven, SignedTable, verdict
from separatrix.certificates.claims.separation import split
from separatrix.certificates.data.labels import Signs
from separatrix.certificates.data.reading import Matrix, RowSource
from separatrix.certificates.duality.logistic_likelihood import (
    Duality,
    LikelihoodSums,
    added,
    default_quantum,
    penalised_bounds,
)
from separatrix.certificates.duality.restoration import correction, restored_entropy, signed_doubles
from separatrix.certificates.fields import (
    DoubleOrNone,
    Doubles,
    Number,
    NumbersOrNone,
    PositiveOrNone,
    RowNumbers,
    RowWeights,
    Vectors,
)

_SAMPLE_ROWS = 256


@dataclass(frozen=True, repr=False)
class LikelihoodWithin(Certificate):
    """The objective of logistic regression lies, at its least, between two numbers, and the weights reach the
    upper one.

    Parameters
    ----------
    weights, intercept
        Doubles; None for no intercept.
    C
        The cost of the loss against ½‖w‖²; None where nothing is penalised.
    upper
        Not below the objective of the weights.
    lower
        Not above the objective of any weights.
    row_weights
        v, one for each row; None: all 1.
    rows, normals
        Without a penalty: rows that take up what is left of the dual constraints, and independent vectors
        that every row which counts is orthogonal to.
    direction
        Rows that are not on this hyperplane do not count for the lower bound; None: all count.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> proof = LikelihoodWithin((0.5,), -0.75, C=1.0, upper=2.6, lower=2.5)
    >>> proof.verify(X, y)
    Verdict(holds=True, reason='The objective is at most 2.6 and no weights reach below 2.5.')
    >>> LikelihoodWithin((0.5,), -0.75, C=1.0, upper=2.6, lower=2.56).verify(X, y).holds
    False
    """

    title = "logistic likelihood"

    weights: Doubles
    intercept: DoubleOrNone
    C: PositiveOrNone
    upper: Number
    lower: Number
    row_weights: RowWeights = None
    rows: RowNumbers = ()
    normals: Vectors = ()
    direction: NumbersOrNone = None

    @property
    def claim(self) -> str:
        what = "No penalty" if self.C is None else f"C = {self.C!r}"
        return (
            f"{what}: the logistic objective of these weights is at most {self.upper!r}, and that of no "
            f"weights below {self.lower!r}."
        )

    @property
    def gap(self) -> float:
        """(upper − lower)/upper."""
        return (
            float((Fraction(self.upper) - Fraction(self.lower)) / Fraction(self.upper)) if self.upper else 0.0
        )

    def _prove(self, source: RowSource) -> Verdict:
        if self.row_weights is not None and len(self.row_weights) != source.n_rows:
            return Verdict(False, f"It weighs {len(self.row_weights)} rows; this data has {source.n_rows}.")
        if self.direction is not None and len(self.direction) != source.n_columns + (
            self.intercept is not None
        ):
            return Verdict(False, "Its direction has the wrong length.")

        def proven() -> Proven:
            bounds = LikelihoodBounds(self, source.n_rows)
            ends = bounds.of(lambda duality: _walk(duality, source, bounds.row_weights), source)
            return Proven(*ends, bounds.reason)

        return verdict(self, proven, likelihood_within, SignedTable([source]))


def _walk(duality: Duality, source: RowSource, row_weights: Any) -> LikelihoodSums:
    def parts() -> Iterator[LikelihoodSums]:
        for piece in source.pieces():
            v = np.ones(piece.stop - piece.start)
            if row_weights is not None:
                v = row_weights[piece.start : piece.stop]
            yield duality.piece(piece.X, piece.signs, v, piece.start)

    return added(parts())


def _centre(source: RowSource) -> Any:
    """The mean of a few dense rows, where it is far from zero as they are spread; None elsewhere."""
    X = next(source.pieces()).X
    if not isinstance(X, np.ndarray):
        return None
    with np.errstate(all="ignore"):
        mean, spread = X[:_SAMPLE_ROWS].mean(axis=0), X[:_SAMPLE_ROWS].std(axis=0)
    return mean if np.isfinite(mean).all() and (abs(mean) > 8 * spread).any() else None


@dataclass(frozen=True)
class RowsOnPlane:
    """Which rows lie on the hyperplane, exactly."""

    plane: Margins

    def __call__(self, X: Matrix, signs: Signs) -> npt.NDArray[np.bool_]:
        return self.plane.compare(X, signs) == 0


class LikelihoodBounds:
    """Both ends of the objective for the witness of a certificate.

    ``of`` is given a way to add up the rows, so that a fit may do that with threads.
    """

    def __init__(
        self, witness: LikelihoodWithin, n_rows: int, safety_factor: float = 1.0, **faster: Any
    ) -> None:
        self.safety_factor = safety_factor
        self.faster = faster  # see `Duality`
        self.witness = witness
        self.n_rows = n_rows
        given = witness.row_weights
        self.row_weights = None if given is None else np.array(given, np.float64)
        self.reason: str | None = None
        self.weights = np.array(witness.weights, np.float64)
        self.intercept = None if witness.intercept is None else float(witness.intercept)

    @np.errstate(all="ignore")  # what overflows is looked at in the sums
    def of(self, walk: Any, source: Any) -> tuple[Fraction | None, Fraction]:
        """The objective from above, None where it overflows, and the lower bound; ``source`` gives single
        rows."""
        witness = self.witness
        C, free = witness.C, witness.C is None
        quantum = default_quantum(self.n_rows, self.row_weights)
        duality = Duality(
            self.weights,
            self.intercept,
            quantum,
            self._kept(),
            free,
            witness.rows,
            self.safety_factor,
            None if free or self.intercept is None else _centre(source),
            **self.faster,
        )
        total = walk(duality)
        if not isfinite(total.loss):
            return None, Fraction(0)
        if C is None:
            return Fraction(total.loss), self._unpenalised(duality, total, source)  # the sum of (1)
        loss = total.loss
        for _ in range(3):
            again = duality.balanced(total)
            if again is None:
                break
            duality, total = again, walk(again)
        found = duality.entropy_and_length(total)
        if found is None:
            self.reason = "nothing: the dual variables of the two classes cannot be balanced"
            return penalised_bounds(C, self.weights, loss, 0.0, 0.0)[0], Fraction(0)
        return penalised_bounds(C, self.weights, loss, *found)  # (1) from above and below

    def _kept(self) -> Any:
        if self.witness.direction is None:
            return None
        plane = Margins(*split(self.witness.direction, self.intercept is not None))  # type: ignore[arg-type]
        return RowsOnPlane(plane)

    def _unpenalised(self, duality: Duality, total: LikelihoodSums, source: Any) -> Fraction:
        witness, constant = self.witness, self.intercept is not None
        width = len(self.weights) + constant
        if not (witness.rows or len(witness.normals) == width):
            return Fraction(0)
        if any(len(normal) != width for normal in witness.normals):
            self.reason = "nothing: a normal has the wrong length"
        elif len(witness.rows) + len(witness.normals) != width:
            self.reason = "nothing: its rows and normals leave dimensions open"
        elif rank_at_least(witness.normals) < len(witness.normals):
            self.reason = "nothing: its normals are not independent"
        elif witness.rows and witness.rows[-1] >= self.n_rows:
            self.reason = f"nothing: it names row {witness.rows[-1]}"
        else:
            self.reason = self._idle(source) or self._outside(source)
        if self.reason is not None:
            return Fraction(0)
        if not witness.rows:  # all rows that count are 0
            return max(Fraction(0), Fraction(total.entropy))
        basis = signed_doubles(source, witness.rows, constant)
        change = correction(duality, total, basis)
        multiples, v = np.array(total.recorded, np.float64).T
        proposed = np.ldexp(multiples, -duality.quantum)
        entropy = None if change is None else restored_entropy(total, proposed, v, change)
        if entropy is None:
            self.reason = "nothing: its rows cannot take up what is left of the dual constraints"
            return Fraction(0)
        return Fraction(entropy)

    def _idle(self, source: RowSource) -> str | None:
        """A row it names that does not count: nothing says that such a row lies in the span of the others."""
        rows, v, kept = self.witness.rows, self.row_weights, self._kept()
        idle = np.zeros(len(rows), bool) if v is None else v[list(rows)] == 0
        if kept is not None and rows:
            idle |= np.concatenate([~kept(X, signs) for X, signs, _ in source.gather(rows)])
        if not idle.any():
            return None
        return f"nothing: row {rows[int(np.argmax(idle))]} (counted from 0) does not count"

    def _outside(self, source: RowSource) -> str | None:
        """A row that counts and is not orthogonal to the normals."""
        kept = self._kept()
        for normal in self.witness.normals:
            plane = Margins(*split(normal, self.intercept is not None))
            for piece in source.pieces():
                off = plane.compare(piece.X, piece.signs, piece.start) != 0
                if self.row_weights is not None:
                    off &= self.row_weights[piece.start : piece.stop] > 0
                if kept is not None and off.any():
                    off &= kept(piece.X, piece.signs)
                if off.any():
                    row = piece.start + int(np.argmax(off))
                    return f"nothing: row {row} (counted from 0) is outside the span it claims"
        return None
