"""Weights that are within a proven distance of the best multinomial likelihood; see
`multinomial_likelihood`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import fsum, isfinite
from operator import add
from typing import Annotated, Any, TypeAlias

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.check.joint_likelihood import joint_likelihood_within
from separatrix.certificates.claims.optimality.likelihood_verdict import Proven, SignedTable, verdict
from separatrix.certificates.data.labels import LABEL, Label, meaning, same_label
from separatrix.certificates.data.reading import RowSource, read
from separatrix.certificates.duality.logistic_likelihood import default_quantum
from separatrix.certificates.duality.multinomial_likelihood import JointDuality, JointSums
from separatrix.certificates.fields import (
    ANY_WHOLE,
    DOUBLE,
    CertificateError,
    DoublesOrNone,
    NonnegativeOrNone,
    Number,
    PositiveOrNone,
    RowWeights,
    shown,
)
from separatrix.certificates.forms import limited, optional, some

MAX_QUANTUM_BITS = 900

Table: TypeAlias = Annotated[tuple[tuple[float, ...], ...], some(some(DOUBLE))]
Labels: TypeAlias = Annotated[tuple[Label, ...], some(LABEL)]
QUANTUM = limited(
    ANY_WHOLE,
    f"whole ≤ {MAX_QUANTUM_BITS}",
    lambda bits: bits <= MAX_QUANTUM_BITS,
    type="integer",
    maximum=MAX_QUANTUM_BITS,
)
Quantum: TypeAlias = Annotated[int | None, optional(QUANTUM)]


@dataclass(frozen=True, repr=False)
class JointLikelihoodWithin(Certificate):
    """The objective of multinomial logistic regression lies, at its least, between two numbers, and the
    weights reach the upper one.

    Parameters
    ----------
    classes
        The labels, in the order of the rows of ``coefficients``.
    coefficients, intercepts
        A row a class; None for no intercepts.
    C
        The cost of the loss against ½Σ‖w_k‖²; None where nothing is penalised.
    upper, lower
        Not below the objective of the weights; not above that of any.
    row_weights
        v, one for each row; None: all 1.
    radius
        Without a penalty: the length, intercepts included, of the weights that ``lower`` speaks of.
    quantum
        The dual variables are multiples of 2^-quantum: a large one where all of them are small. None: what
        the weights of the rows allow.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    >>> zero = ((0.0,), (0.0,), (0.0,))
    >>> proof = JointLikelihoodWithin(("a", "b", "c"), zero, None, C=0.1, upper=0.34, lower=0.2)
    >>> proof.verify(X, y).holds
    True
    """

    title = "multinomial likelihood"

    classes: Labels
    coefficients: Table
    intercepts: DoublesOrNone
    C: PositiveOrNone
    upper: Number
    lower: Number
    row_weights: RowWeights = None
    radius: NonnegativeOrNone = None
    quantum: Quantum = None

    def __post_init__(self) -> None:
        super().__post_init__()
        width = {len(row) for row in self.coefficients}
        if len(self.classes) < 2 or len(self.coefficients) != len(self.classes) or len(width) != 1:
            raise CertificateError("It needs a row of coefficients for each class, all of one length.")
        if self.intercepts is not None and len(self.intercepts) != len(self.classes):
            raise CertificateError("It needs an intercept for each class.")
        if len(set(map(meaning, self.classes))) < len(self.classes):
            raise CertificateError("Two of its classes are the same.")
        self._complete_about(width.pop())

    def _complete_about(self, width: int) -> None:
        """The digest is that of the last class against the others."""
        about, last = self.about, self.classes[-1]
        if about.columns not in (None, width):
            raise CertificateError(
                f"It has {width} coefficients for each class but speaks of {about.columns} columns."
            )
        if about.positive is not None and not same_label(about.positive, last):
            raise CertificateError(
                f"It calls the label {shown(about.positive)} positive; its last class is {shown(last)}."
            )
        object.__setattr__(self, "about", replace(about, positive=last, columns=width))

    @property
    def claim(self) -> str:
        what = "No penalty" if self.C is None else f"C = {self.C!r}"
        which = (
            "that of no weights" if self.C is not None else f"that of no weights of length {self.radius!r}"
        )
        return (
            f"{what}: the multinomial objective of these weights is at most {self.upper!r}, and {which} "
            f"below {self.lower!r}."
        )

    @property
    def gap(self) -> float:
        """(upper − lower)/upper."""
        return (
            float((Fraction(self.upper) - Fraction(self.lower)) / Fraction(self.upper)) if self.upper else 0.0
        )

    def verify(self, X: Any, y: Any = None) -> Verdict:
        about = self.about
        source = self._read(X, y)
        refusal = about.refusal(source)
        if refusal is not None:
            return Verdict(False, refusal)
        if self.row_weights is not None and len(self.row_weights) != source.n_rows:
            return Verdict(False, f"It weighs {len(self.row_weights)} rows; this data has {source.n_rows}.")
        sources = [
            read(X, y, positive=label, label=about.label, features=about.features) for label in self.classes
        ]
        try:
            return self._compare(sources)
        except ValueError as error:
            return Verdict(False, str(error))

    def _compare(self, sources: list[RowSource]) -> Verdict:
        first = next(iter(sources[0].pieces())).X[:1000] if sources[0].n_rows else None

        def proven() -> Proven:
            centre = first.mean(axis=0) if isinstance(first, np.ndarray) else None
            bounds = JointBounds(self, sources[0].n_rows, centre=centre)
            return Proven(*bounds.of(lambda duality: _walk(duality, sources, bounds.row_weights)))

        return verdict(self, proven, joint_likelihood_within, SignedTable(sources, self.classes))

    def _prove(self, source: RowSource) -> Verdict:
        raise NotImplementedError("A multinomial claim needs all labels, not signs: see verify.")


def _walk(duality: JointDuality, sources: list[RowSource], row_weights: Any) -> JointSums:
    return reduce(add, _parts(duality, sources, row_weights))


def _parts(duality: JointDuality, sources: list[RowSource], row_weights: Any) -> Iterator[JointSums]:
    for pieces in zip(*(source.pieces() for source in sources), strict=True):
        signs = np.array([piece.signs for piece in pieces])
        if ((signs > 0).sum(axis=0) != 1).any():
            raise ValueError("Some row has a label that is none of its classes.")
        first = pieces[0]
        v = np.ones(signs.shape[1]) if row_weights is None else row_weights[first.start : first.stop]
        yield duality.piece(first.X, signs.argmax(axis=0), v, first.start)


class JointBounds:
    """Both ends of the objective for the witness of a certificate."""

    def __init__(
        self, witness: JointLikelihoodWithin, n_rows: int, safety_factor: float = 1.0, centre: Any = None
    ) -> None:
        given = witness.row_weights
        self.witness = witness
        self.row_weights = None if given is None else np.array(given, np.float64)
        bias = None if witness.intercepts is None else np.array(witness.intercepts, np.float64)
        weights = np.array(witness.coefficients, np.float64)
        # Without a penalty the intercepts' entries of g stay as they are, and rows where they are.
        moved = centre if witness.C is not None and centre is not None and np.isfinite(centre).all() else None
        quantum = (
            default_quantum(n_rows, self.row_weights) - 3 if witness.quantum is None else witness.quantum
        )
        self.duality = JointDuality(weights, bias, quantum, safety_factor, moved)
        self.largest = 0

    @np.errstate(all="ignore")  # what overflows is looked at in the sums
    def of(self, walk: Any) -> tuple[Fraction | None, Fraction]:
        total = walk(self.duality)
        self.largest = total.largest
        weights, C = self.duality.weights, self.witness.C
        square = fsum((weights**2).ravel().tolist())
        if not (isfinite(total.loss) and isfinite(square)):
            return None, Fraction(0)
        if C is None:
            length = self.duality.full_length(total)
            if self.witness.radius is None or not (isfinite(total.entropy) and isfinite(length)):
                return Fraction(total.loss), Fraction(0)
            lost = Fraction(self.witness.radius) * Fraction(length)  # (2) of `multinomial_likelihood`
            return Fraction(total.loss), max(Fraction(0), Fraction(total.entropy) - lost)
        half = Fraction(square) / 2 * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1000)
        upper = half + Fraction(C) * Fraction(total.loss)
        found = self.duality.balanced_entropy_and_length(total, float(C))
        if found is None or not all(map(isfinite, found)):
            return upper, Fraction(0)
        entropy, norm = (Fraction(value) for value in found)  # of (1) of `multinomial_likelihood`
        return upper, max(Fraction(0), Fraction(C) * entropy - (Fraction(C) * norm) ** 2 / 2)
