"""The answer to one question of separation: what was found, measured, and verified again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.separation import Separation
from separatrix.certificates import Undecided
from separatrix.certificates.exact import Margins
from separatrix.certificates.witness import to_decimal
from separatrix.predictor.evidence import matrix
from separatrix.reports.evidence import Evidence, evidence_of
from separatrix.rows import Rows
from separatrix.rows.sequence import dense_rows


class Shown(NamedTuple):
    """A row of the user's: its number, label and values."""

    index: int
    label: Any
    values: list[float]


@dataclass(frozen=True)
class Answer:
    """One class against the other, or against the rest; ``evidence`` has the proof of the kind first.

    ``on_plane`` are the rows on the hyperplane of quasi-complete separation; ``conflict`` the rows, with
    their values, of `Separation.conflict`.
    """

    separation: Separation
    positive: Any
    negative: Any
    intercept: bool
    columns: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    conflict: tuple[Shown, ...]
    on_plane: tuple[int, ...]

    @property
    def kind(self) -> str:
        return self.separation.kind

    @property
    def decided(self) -> bool:
        """Whether there is a verdict, with a proof that was not refused."""
        return self.kind != "undecided" and all(evidence.proven for evidence in self.evidence)

    @property
    def separable(self) -> bool:
        return self.decided and self.separation.separable

    def record(self) -> dict[str, Any]:
        """JSON values; whole numbers that may be large are decimal strings."""
        found = self.separation
        complete = found.bracket()
        record: dict[str, Any] = {
            "positive": self.positive,
            "negative": self.negative,
            "kind": self.kind,
            "separable": found.separable if self.kind != "undecided" else None,
            "margin": None if found.margin is None else _finite(found.margin),
            "row_margin": None if found.row_margin is None else _finite(found.row_margin),
            "radius": found.radius if complete else None,
            "mistake_bound": None if found.mistake_bound is None else to_decimal(found.mistake_bound),
            "support": None if complete is None else list(complete.rows),
            "halfspace": None,
            "conflict": None,
            "on_hyperplane": list(self.on_plane) if self.kind == "quasi" else None,
            "logistic": None,
            "evidence": [
                {"kind": e.kind, "claim": e.claim, "holds": e.holds, "reason": e.reason}
                for e in self.evidence
            ],
        }
        plane = found.halfspace
        if complete is not None or plane is not None:
            numbers = plane.numbers if complete is None and plane is not None else complete.plane.numbers()  # type: ignore[union-attr]
            *weights, bias = (to_decimal(v) if isinstance(v, int) else float(v) for v in numbers)
            record["halfspace"] = {"weights": weights, "intercept": bias if self.intercept else None}
        if found.conflict is not None:
            record["conflict"] = {
                "rows": list(found.conflict.rows),
                "weights": [to_decimal(weight) for weight in found.conflict.weights],
            }
        if self.kind in ("quasi", "overlap") and found.unbounded is not None:
            record["logistic"] = {
                "coefficients": list(found.unbounded),
                "intercept": found.unbounded.intercept,
            }
        return record


def answered(separation: Separation, rows: Rows, code: int) -> Answer:
    """Measure what can be measured, and verify every certificate against the rows."""
    assert rows.classes is not None
    labels = [label.item() if hasattr(label, "item") else label for label in rows.classes]
    intercept = separation.intercept
    if isinstance(separation.certificate, Undecided):
        evidence: tuple[Evidence, ...] = (evidence_of(separation.certificate),)
    else:
        evidence = tuple(evidence_of(certificate, rows) for certificate in separation.certificates)
    if separation.kind in ("quasi", "overlap"):
        separation.unbounded  # noqa: B018 - computed here, while progress is shown
    conflict = () if separation.conflict is None else _picked(rows, separation.conflict.rows)
    return Answer(
        separation,
        positive=labels[code],
        negative=labels[1 - code] if len(labels) == 2 else None,
        intercept=intercept,
        columns=rows.columns or tuple(f"column {j}" for j in range(rows.n_columns)),
        evidence=evidence,
        conflict=tuple(
            Shown(index, labels[label], values)
            for index, (label, values) in zip(separation.conflict.rows, conflict, strict=True)
        )
        if separation.conflict
        else (),
        on_plane=_on_plane(separation, rows, code) if separation.kind == "quasi" else (),
    )


def _picked(rows: Rows, indices: Sequence[int]) -> list[tuple[int, list[float]]]:
    """Class codes and values of some rows, in ascending order."""
    wanted = np.asarray(indices, np.int64)
    found: list[tuple[int, list[float]]] = []
    for block in rows.blocks():
        here = wanted[(wanted >= block.start) & (wanted < block.stop)] - block.start
        if len(here):
            assert block.codes is not None
            values = dense_rows(block.X, here, rows.n_columns).tolist()
            found += zip(block.codes[here].tolist(), values, strict=True)
        if len(found) == len(wanted):
            break
    return found


def _on_plane(separation: Separation, rows: Rows, code: int) -> tuple[int, ...]:
    """The rows that lie on the hyperplane, exactly."""
    assert separation.halfspace is not None
    *weights, bias = separation.halfspace.numbers
    plane = Margins(tuple(weights), bias)
    found: list[int] = []
    for block in rows.blocks():
        sides = plane.compare(matrix(block, rows.n_columns), block.signs(code), block.start)
        found += (np.flatnonzero(sides == 0) + block.start).tolist()
    return tuple(found)


def _finite(interval: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in interval]
