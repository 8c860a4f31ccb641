"""A halfspace that makes few errors, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.exact import errors_of
from separatrix.certificates.source import Source
from separatrix.certificates.witness import NumberOrNone, Numbers, Whole


@dataclass(frozen=True, repr=False)
class ErrorsAtMost(Certificate):
    """At most so many rows have s(w·x + b) ≤ 0, in exact arithmetic: an upper bound on the fewest errors.

    A row on the hyperplane is an error, as it is in training.

    Parameters
    ----------
    weights, intercept
        The halfspace; doubles or whole numbers, and None for no intercept.
    errors
        How many rows it may have on the wrong side or on the hyperplane.

    Examples
    --------
    >>> bound = ErrorsAtMost((1.0, 1.0), intercept=-0.5, errors=1)
    >>> bound.verify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    Verdict(holds=True, reason='1 of 4 rows is an error.')
    """

    weights: Numbers
    intercept: NumberOrNone
    errors: Whole

    @property
    def claim(self) -> str:
        return f"A halfspace makes at most {self.errors} error{'s' * (self.errors != 1)} on the rows."

    def _prove(self, source: Source) -> Verdict:
        errors = errors_of(source, self.weights, self.intercept)
        counted = f"{errors} of {source.n_rows} rows {'is an error' if errors == 1 else 'are errors'}"
        if errors > self.errors:
            return Verdict(False, f"{counted}, more than the {self.errors} claimed.")
        return Verdict(True, f"{counted}.")
