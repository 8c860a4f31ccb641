"""The answer to one question of separation: what was found, measured, and verified again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.separation import Interval, Separation
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.fields import to_decimal
from separatrix.reports.coefficients import logistic_words
from separatrix.reports.evidence import Evidence, evidence_of
from separatrix.rows import Block, Rows


class LabelledRow(NamedTuple):
    """A row of the user's: its number, label and values."""

    number: int
    label: Any
    values: list[float]


@dataclass(frozen=True)
class SeparationRecord:
    """One class against the other, or against the rest; ``evidence`` has the proof of the kind first.

    ``conflict`` has the rows of `Separation.conflict` with their values; ``on_plane`` those on the hyperplane
    of quasi-complete separation; ``logistic`` what becomes of each coefficient of a logistic fit
    (`logistic_words`, the intercept last), unless the rows are separable.
    """

    separation: Separation
    positive: Any
    negative: Any
    intercept: bool
    columns: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    standardised: Interval | None
    conflict: tuple[LabelledRow, ...]
    on_plane: tuple[int, ...]
    logistic: tuple[str, ...] | None

    @property
    def kind(self) -> str:
        return self.separation.kind

    @property
    def decided(self) -> bool:
        """Whether there is a verdict, with a proof that was not refused."""
        return self.kind != "undecided" and all(evidence.proven for evidence in self.evidence)

    @property
    def left_open(self) -> str:
        """Why there is no proof, where there is none."""
        refused = next(evidence for evidence in self.evidence if not evidence.proven)
        return refused.claim if refused.holds is None else f"{refused.claim} Refused: {refused.reason}"

    @property
    def separable(self) -> bool:
        return self.decided and self.separation.separable

    @property
    def boundary(self) -> tuple[Any, ...] | None:
        """Weights and intercept: of the largest margin (complete), or of the weak separator (quasi)."""
        bracket = self.separation.bracket()
        if bracket is not None:
            return tuple(bracket.plane.to_numbers())
        plane = self.separation.halfspace
        return None if plane is None else plane.numbers

    def record(self) -> dict[str, Any]:
        """JSON values; whole numbers that may be large are decimal strings."""
        found, bracket = self.separation, self.separation.bracket()
        return {
            "positive": self.positive,
            "negative": self.negative,
            "kind": self.kind,
            "separable": None if self.kind == "undecided" else found.separable,
            "margin": _ends(found.margin),
            "standardised_margin": _ends(self.standardised),
            "row_margin": _ends(found.row_margin),
            "radius": None if bracket is None else found.radius,
            "mistake_bound": None if found.mistake_bound is None else to_decimal(found.mistake_bound),
            "support": None if bracket is None else list(bracket.rows),
            "halfspace": self._halfspace(),
            "conflict": None
            if found.conflict is None
            else {
                "rows": list(found.conflict.rows),
                "weights": [to_decimal(weight) for weight in found.conflict.weights],
            },
            "on_hyperplane": list(self.on_plane) if self.kind == "quasi" else None,
            "logistic": None
            if self.logistic is None
            else {
                "coefficients": list(self.logistic[: len(self.columns)]),
                "intercept": self.logistic[-1] if self.intercept else None,
            },
            "evidence": [
                {"kind": e.kind, "claim": e.claim, "holds": e.holds, "reason": e.reason}
                for e in self.evidence
            ],
        }

    def _halfspace(self) -> dict[str, Any] | None:
        if self.boundary is None:
            return None
        *weights, bias = (to_decimal(v) if isinstance(v, int) else float(v) for v in self.boundary)
        return {"weights": weights, "intercept": bias if self.intercept else None}


def summarise_separation(
    separation: Separation, rows: Rows, code: int, *, intercept: bool
) -> SeparationRecord:
    """Measure what can be measured, and verify every certificate against the rows."""
    assert rows.classes is not None
    labels = rows.classes.tolist()
    proofs = (separation.certificate,) if separation.kind == "undecided" else separation.certificates
    return SeparationRecord(
        separation,
        positive=labels[code],
        negative=labels[1 - code] if len(labels) == 2 else None,
        intercept=intercept,
        columns=rows.columns or tuple(f"column {j}" for j in range(rows.n_columns)),
        evidence=tuple(evidence_of(proof, rows) for proof in proofs),
        standardised=separation.standardised_margin,
        conflict=_shown_rows(rows, separation.conflict.rows) if separation.conflict else (),
        on_plane=_on_plane(separation, rows, code) if separation.kind == "quasi" else (),
        # Where the rows are separable every coefficient may run off, and each is a search of its own.
        logistic=None if separation.separable else logistic_words(separation, rows),
    )


def _shown_rows(rows: Rows, indices: Sequence[int]) -> tuple[LabelledRow, ...]:
    """Some rows, their numbers ascending."""
    assert rows.classes is not None
    if not len(indices):
        return ()
    block = rows.take(np.asarray(indices, np.int64)).whole()
    labels = rows.classes[block.codes].tolist()
    return tuple(map(LabelledRow, map(int, indices), labels, block.dense().tolist()))


def _on_plane(separation: Separation, rows: Rows, code: int) -> tuple[int, ...]:
    """The rows that lie on the hyperplane, exactly."""
    assert separation.halfspace is not None
    *weights, bias = map(_plain, separation.halfspace.numbers)
    found = rows.each(OnPlane(code, tuple(weights), bias))
    return tuple(np.concatenate(list(found)).tolist())


@dataclass(frozen=True)
class OnPlane:
    """The numbers of the rows of a block that lie on a hyperplane, exactly."""

    code: int
    weights: tuple[int | float, ...]
    bias: int | float

    def __call__(self, block: Block) -> np.ndarray:
        plane = Margins(self.weights, self.bias)
        sides = plane.compare(block.matrix(), block.signs(self.code), block.start)
        return np.flatnonzero(sides == 0) + block.start


def _ends(interval: Sequence[float] | None) -> list[float | None] | None:
    return None if interval is None else [value if math.isfinite(value) else None for value in interval]


def _plain(number: int | float | Fraction) -> int | float:
    assert not isinstance(number, Fraction)
    return number
