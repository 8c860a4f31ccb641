"""A perceptron that delivers a chosen share of the best margin, without knowing it: Kozinec's rule.

**Idea.** Keep w in the convex hull of the rows z = s(x, 1). At a row with w·z ≤ (1 − ε)‖w‖², move w to the
shortest point of the segment from w to z. Stop when no row is left.

**Theorem** (Kozinec 1973; Schlesinger and Hlaváč 2002, *Ten Lectures on Statistical and Structural Pattern
Recognition*, chapter 5). Let γ be the best margin of the rows and ‖z‖ ≤ R. At the end w has margin min
w·z/‖w‖ > (1 − ε)‖w‖ ≥ (1 − ε)γ, since no point of the hull is shorter than γ. After the
first row there are at most ((R/γ)² − 1)/ε² updates: each makes 1/‖w‖² grow by at least ε²/R², from at least
1/R² to at most 1/γ². A perceptron
that updates below a fixed threshold b promises only γb/(2b + R²), less than half (Li et al. 2002, "The
perceptron algorithm with uneven margins", ICML); here every share below 1 is reached.

**Certificate.** `MarginShare`: the weights, whose smallest margin is a lower bound on γ, and the rows'
multipliers, whose combination is an upper one; their ratio is at least the share. Both ends are checked in
exact arithmetic.

**Cost.** A visit costs one row, an update two; memory beyond the rows is one number a row.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Self

import numpy as np

from separatrix.algorithms.perceptrons.float_margins import count_candidate_errors
from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.measured_margins import euclidean_norm
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, kozinec
from separatrix.bounds.safe_rounding import up
from separatrix.certificates import Certificate, MarginShare
from separatrix.fitting import NothingProven, warn
from separatrix.fitting.parameters import require_between
from separatrix.messages import Message, Parameter
from separatrix.rows import Rows

POINT = np.dtype([("scale", np.float64), ("square", np.float64), ("mistakes", np.int64)])
MAX_POLISHING_PASSES = 200  # rounds over the rows that carry the point, after each pass
MAX_SUPPORT_ROWS = 4096
ROUNDING_SHARE = 1e-3  # of 1 - share: room for rounding between the run's threshold and the exact check


class KozinecLearner(Learner):
    """w = scale·weights, the point Σ scale·shares_i z_i of the hull."""

    is_direction = True
    bounded_quantity = "updates"
    prospect = ("enough passes reach the share of it that is asked for", "after at most {} updates")
    saved_state = (("weights", "weights"), ("scale", "scale"), ("square", "square"))

    def __init__(self, share: float) -> None:
        require_between("share", share, 0, 1)
        self.share = share
        self.threshold = share + ROUNDING_SHARE * (1.0 - share)

    def begin(self) -> None:
        self.point = np.zeros(1, POINT)
        self.shares = np.zeros(0)
        self.min_errors = float("inf")  # errors of the best weights looked at
        self.is_falling_back = False  # whether to predict with those: the rows are not separated in the end
        self._best_weights = self.weights
        self._n_passes = 0

    def begin_fit(self, rows: Rows, positive: int) -> None:
        self.shares = np.zeros(rows.n_rows)

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        shares = np.zeros(len(signs)) if first < 0 else self.shares
        return self._sweep(X, signs, places, max(first, 0), shares)

    def _sweep(
        self, X: Any, signs: np.ndarray, places: np.ndarray, first: int, shares: np.ndarray, rounds: int = 1
    ) -> int:
        """Visit these rows of a block, whose shares begin at ``first``, until a round changes nothing."""
        kernel, total = _sweep_kernel(), 0
        for _ in range(rounds):
            updates = kernel(
                X, signs, places, self.constant, self.threshold, first, self.point, shares, self.weights
            )
            total += updates
            if not updates:
                break
        self.updates += total
        self.mistakes += int(self.point["mistakes"][0])
        self.point["mistakes"] = 0
        return total

    @property
    def scale(self) -> float:
        return float(self.point["scale"][0])

    @scale.setter
    def scale(self, value: float) -> None:
        self.point["scale"] = value

    @property
    def square(self) -> float:
        """‖w‖² of the point, carried along by a recurrence."""
        return float(self.point["square"][0])

    @square.setter
    def square(self, value: float) -> None:
        self.point["square"] = value

    def release_row_data(self) -> Self:
        self.shares = np.zeros(0)
        self.is_falling_back = False
        return self

    def end_pass(self, rows: Rows, positive: int) -> None:
        self._polish(rows, positive)
        # The squared length is carried along by a recurrence; once a pass it is made afresh.
        point = self.scale * self.weights
        self.square = float(np.vdot(point, point))  # silent where it overflows
        self._n_passes += 1
        # On inseparable rows the point tends to 0 and ends as a poor predictor: looked at after 1, 2, 4, ...
        # passes.
        if self._n_passes & (self._n_passes - 1) == 0:
            errors = count_candidate_errors(rows, positive, [point], self.constant)[0]
            if errors <= self.min_errors:
                self.min_errors, self._best_weights = errors, point

    def _polish(self, rows: Rows, positive: int) -> None:
        """Visit the rows that carry the point again and again: a few rows, most of the updates.

        The theorem holds for any order of visits, so this spares passes and proves the same. A file is read
        once more for it.
        """
        support_rows = np.flatnonzero(self.shares)
        if not 0 < len(support_rows) <= MAX_SUPPORT_ROWS:
            return
        block, shares = rows.take(support_rows).whole(), self.shares[support_rows]
        places = np.arange(len(support_rows), dtype=np.int32)
        self._sweep(block.X, block.signs(positive), places, 0, shares, MAX_POLISHING_PASSES)
        self.shares[support_rows] = shares

    def fall_back(self, errors: int) -> bool:
        self.is_falling_back = self.min_errors < errors
        return self.is_falling_back

    @property
    def norm(self) -> float:
        """‖w‖ of the point of the hull: no halfspace has a larger margin."""
        return self.scale * euclidean_norm(self.weights)

    def prediction_weights(self) -> np.ndarray:
        """The direction of the point, so that scores of several classes compare as distances."""
        return _normalised(self._best_weights if self.is_falling_back else self.weights)

    def theorem(self, radius: float, margin: float) -> Bound | None:
        bound = kozinec(radius, margin, (1 - self.share) * (1 - ROUNDING_SHARE))
        # The row it starts at counts as an update here.
        return bound if bound.vacuous else replace(bound, value=up(Fraction(bound.value) + 1))

    def claims(self, run: Run) -> Certificate | None:
        if run.errors:
            return None
        attained_share = max(0.0, run.facts["margin"] / self.norm) if self.norm > 0 else 0.0
        if run.converged or attained_share >= self.share:
            proof = self._margin_share(run)
            if proof.verify(run.rows).holds:
                return proof.bound_to(run.rows)
        warn(
            NothingProven,
            Message(
                "The rows are separated with at least {attained:.3g} of the best margin after {passes} "
                "passes, short of {share}. Raise {max_iter}.",
                passes=len(run.passes),
                attained=attained_share,
                share=Parameter("share", float(self.share)),
                max_iter=Parameter("max_iter"),
            ),
        )
        return super().claims(run)

    def _margin_share(self, run: Run) -> MarginShare:
        support_rows = np.flatnonzero(self.shares)
        return MarginShare(
            weights=tuple(run.weights[:-1].tolist()),
            intercept=float(run.weights[-1]) if self.constant else None,
            rows=tuple(support_rows.tolist()),
            multipliers=_integer_multipliers(self.shares[support_rows]),
            share=float(self.share),
            about=run.about,
        )

    def facts(self, run: Run) -> dict[str, Any]:
        return {"margin_at_most": self.norm}


class MarginPerceptron(MistakeDriven):
    """A halfspace with at least a chosen share of the largest possible margin of the rows (x, 1).

    Parameters
    ----------
    share : float, default=0.5
        Between 0 and 1, both excluded.
    max_iter : int, default=1000
    order : {"cyclic", "shuffled"} or sequence of int, default="cyclic"
    fit_intercept : bool, default=True
        Without it the margin is that of the rows x.
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None

    Attributes
    ----------
    updates_ : int
        At most 1 + ((R/γ)² - 1)/(1 - share)², with a share raised by a thousandth of the rest for rounding.
    mistakes_ : int
        Updates at rows that scored wrong. After each pass the few rows that carry the weights are visited
        again, up to 200 times, so that there may be more of these than visits of a pass.
    update_bound_, mistake_bound_ : float
        That number for the margin reached; a mistake is an update. None where nothing is separated.
    margin_ : float
        min w·z/‖w‖ of the weights returned.
    margin_at_most_ : float
        ‖w‖ for w in the hull of the rows: no halfspace has a larger margin.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa")
    >>> model = sx.MarginPerceptron(share=0.9).fit(X, y)
    >>> model.margin_ >= 0.9 * model.margin_at_most_, model.certificate_.verify(X, y).holds
    (True, True)
    """

    _learner_class = KozinecLearner
    _learner_parameters = ("share",)

    def __init__(
        self,
        share: float = 0.5,
        max_iter: int = 1000,
        order: Any = "cyclic",
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.share = share
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.n_jobs = n_jobs


def _normalised(weights: np.ndarray) -> np.ndarray:
    norm = euclidean_norm(weights)
    return weights / norm if 0.0 < norm < np.inf else np.array(weights)


def _integer_multipliers(shares: np.ndarray) -> tuple[int, ...]:
    """Multipliers as whole numbers: any positive ones give a valid upper bound, so rounding them is
    harmless."""
    scaled = np.ldexp(shares / shares.max(), 50)
    return tuple(max(1, int(value)) for value in scaled)


@cache
def _sweep_kernel() -> Any:
    """The kernel, loaded at the first visit and kept: an import statement takes as long as a row."""
    from separatrix.algorithms.perceptrons.kozinec_kernels import kozinec_sweep

    return kozinec_sweep
