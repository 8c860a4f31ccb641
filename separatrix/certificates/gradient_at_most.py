"""Coefficients at which the gradient of a least-squares problem is short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .certificate import Certificate, Verdict
from .gradient import gradient
from .measured import read_measured
from .source import Source
from .witness import CertificateError, Number, NumberOrNone, Numbers, NumbersOrNone


@dataclass(frozen=True, repr=False)
class GradientAtMost(Certificate):
    """Half the gradient of Σ s (y − w·x − b)² + α‖w‖² at the coefficients is no longer than a number.

    What can be said where the exact solution is out of reach: thousands of columns and no penalty that would
    bound the distance.

    Parameters
    ----------
    weights, intercept, alpha, sample_weight
        As in `SolutionWithin`.
    gradient
        A bound on ‖(αw − Σ s r x, −Σ s r)‖ with r = y − w·x − b.

    Examples
    --------
    >>> GradientAtMost((0.3,), 0.1, alpha=0.0, gradient=1e-14).verify([[0.0], [1.0]], [0.1, 0.4]).holds
    True
    """

    weights: Numbers
    intercept: NumberOrNone
    alpha: Number
    gradient: Number
    sample_weight: NumbersOrNone = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha < 0 or self.gradient < 0:
            raise CertificateError("A penalty and the length of a gradient are numbers from 0 up.")
        if self.sample_weight is not None and min(self.sample_weight, default=0) < 0:
            raise CertificateError("A row weight is a number from 0 up.")

    @property
    def claim(self) -> str:
        return f"Half the gradient of the squared error is at most {self.gradient!r} long here."

    def _read(self, X: Any, y: Any) -> Source:
        return read_measured(X, y, label=self.about.label, features=self.about.features)

    def _prove(self, source: Source) -> Verdict:
        if self.sample_weight is not None and len(self.sample_weight) != source.n_rows:
            weights = len(self.sample_weight)
            return Verdict(False, f"It has weights for {weights} rows; this data has {source.n_rows}.")
        if not all(isinstance(number, float) for number in (*self.weights, self.intercept or 0.0)):
            return Verdict(False, "Its coefficients are no doubles, for which alone the bound is made.")
        found = gradient(source, self.weights, self.intercept, self.alpha, self.sample_weight).norm()
        if not found <= self.gradient:
            return Verdict(False, f"Its length may be {found:.3g}, more than the {self.gradient!r} claimed.")
        return Verdict(True, f"Half the gradient is at most {found:.3g} long.")
