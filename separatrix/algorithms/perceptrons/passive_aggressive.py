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
from functools import cache
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, passive_aggressive
from separatrix.bounds.safe_rounding import up
from separatrix.fitting.parameters import require_one_of, require_positive

TOTALS = np.dtype([("mistakes", np.int64), ("squared_loss", np.float64)])
VARIANTS = ("PA", "PA-I", "PA-II")


class AggressiveLearner(Learner):
    """w ← w + min(cap, ℓ/(‖z‖² + soft)) z wherever ℓ > 0."""

    idle_margin = 1.0
    prospect = ("its mistakes come to an end", "after at most {} of them")

    def __init__(self, C: float, variant: str) -> None:
        require_one_of("variant", variant, VARIANTS)
        require_positive("C", C, finite=True)
        self.C, self.variant = C, variant
        self.max_step = float(C) if variant == "PA-I" else np.inf
        self.softening = float(0.5 / C) if variant == "PA-II" else 0.0
        # Half the weights have the same scores on twice the rows; C has units.
        self.degree = -1 if variant == "PA" else None

    def begin(self) -> None:
        self.squared_loss = 0.0

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        totals = np.zeros(1, TOTALS)
        updates = _sweep_kernel()(
            X, signs, places, self.constant, self.max_step, self.softening, totals, self.weights
        )
        self.mistakes += int(totals[0]["mistakes"])
        self.squared_loss += float(totals[0]["squared_loss"])
        self.updates += updates
        return updates

    def theorem(self, radius: float, margin: float) -> Bound | None:
        return passive_aggressive(radius, up(1 / Fraction(margin)), C=self.C, variant=self.variant)

    def facts(self, run: Run) -> dict[str, Any]:
        return {"squared_loss": self.squared_loss}


class PassiveAggressive(MistakeDriven):
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

    _learner_class = AggressiveLearner
    _learner_parameters = ("C", "variant")

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


@cache
def _sweep_kernel() -> Any:
    """The kernel, loaded at the first visit and kept: an import statement takes as long as a row."""
    from separatrix.algorithms.perceptrons.passive_aggressive_kernels import passive_aggressive_sweep

    return passive_aggressive_sweep
