"""Passive-aggressive learning: the smallest step that gets the row right by a margin of 1.

**Idea.** With hinge loss ℓ = max(0, 1 − s·score) and z = s(x, 1): w ← w + τz, where τ = ℓ/‖z‖² (PA), min(C,
ℓ/‖z‖²) (PA-I) or ℓ/(‖z‖² + 1/2C) (PA-II).

**Theorem** (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, "Online passive-aggressive algorithms",
JMLR 7). Let ‖z‖ ≤ R and let u have loss ℓ*_t on row t. If u has none, PA's Σℓ² ≤ R²‖u‖² (Theorem 2), so it
makes at most R²‖u‖² mistakes. PA-I makes at most max(R², 1/C)(‖u‖² + 2C Σℓ*) mistakes (Theorem 4), and PA-II
has Σℓ² ≤ (R² + 1/2C)(‖u‖² + 2C Σℓ*²) (Theorem 5).

**Certificate.** `Separable` if the last weights pass the exact check; else `Undecided`.

**Cost.** That of the perceptron, with an update for every row inside the margin.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import Learner, variant_kernels
from separatrix.algorithms.perceptrons.online import OnlineClassifier
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, passive_aggressive
from separatrix.bounds.safe_rounding import up
from separatrix.fitting import Solution
from separatrix.fitting.parameters import is_between, is_one_of, shown

VARIANTS = ("PA", "PA-I", "PA-II")


class PassiveAggressive(OnlineClassifier):
    """Passive where the margin is 1 or more, aggressive elsewhere.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness of PA-I and PA-II.
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
    max_iter : int, default=100
        The run ends sooner at a pass without an update.
    order : {"cyclic", "shuffled"} or sequence of int, default="cyclic"
    fit_intercept : bool, default=True
    warm_start : bool, default=False
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None

    Attributes
    ----------
    mistakes_ : int
        Rows that scored wrong when they came.
    updates_ : int
        Rows inside the margin when they came.
    squared_loss_ : float
        Σℓ² over all of them, the left side of the theorems.
    mistake_bound_ : float
        What the theorem of the variant allows, for the halfspace found; None where nothing is separated, or
        after a warm start.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa")
    >>> model = sx.PassiveAggressive(variant="PA").fit(X, y)
    >>> model.mistakes_ <= model.updates_, model.certificate_.verify(X, y).holds
    (True, True)
    """

    _degree = -1
    _prospect_phrases = ("its mistakes come to an end", "after at most {} of them")

    def __init__(
        self,
        C: float = 1.0,
        variant: str = "PA-I",
        max_iter: int = 100,
        order: Any = "cyclic",
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        if not is_one_of(self.variant, VARIANTS):
            raise ValueError(f"variant={shown(self.variant)} is none of {', '.join(VARIANTS)}.")
        if not is_between(self.C, 0, np.inf):
            raise ValueError(f"C={shown(self.C)} must be positive and finite; variant='PA' has no limit.")

    def _can_change_units(self) -> bool:
        return self.variant == "PA" and not self.fit_intercept  # C has units

    def _theorem_bound(self, radius: float, margin: float) -> Bound | None:
        return passive_aggressive(radius, up(1 / Fraction(margin)), C=self.C, variant=self.variant)

    def _settings(self) -> tuple[Any, ...]:
        return self.fit_intercept, self.C, self.variant

    def _make_learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        max_step = self.C if self.variant == "PA-I" else np.inf
        softening = 0.5 / self.C if self.variant == "PA-II" else 0.0
        return AggressiveLearner(
            n_columns, intercept=self.fit_intercept, start=start, max_step=max_step, softening=softening
        )

    def _make_solution(
        self, coordinates: InternalCoordinates, positive: int, run: Run, norms: RowNorms
    ) -> Solution:
        solution = super()._make_solution(coordinates, positive, run, norms)
        assert isinstance(run.learner, AggressiveLearner)
        solution.facts["squared_loss"] = run.learner.squared_loss
        return solution


class AggressiveLearner(Learner):
    """w ← w + min(cap, ℓ/(‖z‖² + soft)) z wherever ℓ > 0."""

    degree = -1  # half the weights have the same scores on twice the rows

    idle_margin = 1.0

    hyperparameters = ("max_step", "softening")

    def __init__(
        self, n_columns: int, *, intercept: bool, start: np.ndarray | None, max_step: float, softening: float
    ) -> None:
        super().__init__(n_columns, intercept=intercept, start=start)
        self.max_step = float(max_step)
        self.softening = float(softening)
        self.squared_loss = 0.0

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        sweep = variant_kernels().passive_aggressive_sweep
        totals = np.zeros(2)
        updates = sweep(X, signs, places, self.constant, self.max_step, self.softening, totals, self.weights)
        self.mistakes += int(totals[0])
        self.squared_loss += float(totals[1])
        self.updates += updates
        return updates
