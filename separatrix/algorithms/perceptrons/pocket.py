"""The pocket algorithm: a perceptron that keeps the best of the weights it counts the errors of.

**Idea.** Run the perceptron on rows drawn at random. After each pass count the training errors of two
weights: those that got the longest run of its rows right, and the last. Replace the pocket only by weights
with fewer errors (the "ratchet"). Weights that are not counted may be better.

**Theorem** (Gallant 1990, "Perceptron-based learning algorithms", IEEE Trans. Neural Networks 1(2), section
III). On a finite training set of rational rows, drawn independently, the probability that the pocket holds
weights with the fewest errors tends to 1 with the number of draws. No rate is known, so after finitely many
passes this proves nothing about optimality; the number of errors of the pocket never grows from pass to pass.
Draws are independent for up to 1,024 rows in memory; for more they come block by block, and the theorem holds
by analogy only.

**Certificate.** `ErrorsAtMost`: the errors of the weights returned, counted in exact arithmetic; `Separable`
when there are none.

**Cost.** A pass of the perceptron and a scan that counts the errors of two candidates.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.float_margins import count_candidate_errors
from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.algorithms.perceptrons.training import Run
from separatrix.certificates import Certificate, ErrorsAtMost
from separatrix.rows import Rows

RUNS = np.dtype([("current", np.int64), ("longest", np.int64)])


class PocketLearner(Learner):
    """Rosenblatt's rule, with the weights of the longest run held for the next count of errors."""

    is_changed_by_every_row = True  # a right answer may end the time of the weights that are held
    is_predicting_with_weights = False
    saved_state = (
        ("weights", "weights"),
        ("held", "longest_run_weights"),
        ("run", "run_length"),
        ("longest", "longest_run"),
    )

    def begin(self) -> None:
        self.pocket = self.weights.copy()
        self.errors = np.inf
        self.longest_run_weights = self.weights.copy()
        self.run_length = self.longest_run = 0  # rows that the last weights got right, and others at most

    def begin_fit(self, rows: Rows, positive: int) -> None:
        if self.weights.any():  # a warm start: what the pocket holds is to be beaten
            self.errors = count_candidate_errors(rows, positive, [self.pocket], self.constant)[0]

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        runs = np.array([(self.run_length, self.longest_run)], RUNS)
        mistakes = _sweep_kernel()(
            X, signs, places, self.constant, runs, self.longest_run_weights, self.weights
        )
        self.run_length, self.longest_run = runs[0].item()
        self.count_mistakes(mistakes)
        if first < 0:  # a stream has no training error to count: the longest run decides
            has_longest = self.longest_run >= self.run_length
            self.pocket = (self.longest_run_weights if has_longest else self.weights).copy()
        return mistakes

    def end_pass(self, rows: Rows, positive: int) -> None:
        candidates = [self.longest_run_weights.copy(), self.weights.copy()]
        counts = count_candidate_errors(rows, positive, candidates, self.constant)
        for candidate, errors in zip(candidates, counts, strict=True):
            if errors < self.errors:
                self.errors, self.pocket = errors, candidate
        # The next pass looks for its own longest run; what the pocket holds can only be beaten by a count.
        self.longest_run = 0

    def prediction_weights(self) -> np.ndarray:
        return self.pocket

    def claims(self, run: Run) -> Certificate | None:
        if run.errors is None or run.errors == 0:
            return super().claims(run)
        return ErrorsAtMost(
            weights=tuple(run.weights[:-1].tolist()),
            intercept=float(run.weights[-1]) if self.constant else None,
            errors=run.errors,
            about=run.about,
        ).bound_to(run.rows)

    def facts(self, run: Run) -> dict[str, Any]:
        return {"errors": run.rows.n_rows if run.errors is None else run.errors}


class PocketPerceptron(MistakeDriven):
    """The perceptron with a pocket, for rows that no halfspace separates.

    Parameters
    ----------
    max_iter : int, default=100
    order : {"drawn", "shuffled", "cyclic"} or sequence of int, default="drawn"
        "drawn": as many random draws as there are rows; a row may come again. Beyond 1,024 rows, and from a
        file, the draws come block by block.
    fit_intercept : bool, default=True
    warm_start : bool, default=False
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None

    Attributes
    ----------
    errors_ : int
        Training errors of the weights returned (rows with s·score ≤ 0), exact.
    mistakes_, updates_, passes_, n_iter_ : int
        Of the perceptron that filled the pocket.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.noisy(200, 3, flips=5)
    >>> model = sx.PocketPerceptron(random_state=0).fit(X, y)
    >>> model.errors_, model.certificate_.verify(X, y).holds
    (5, True)
    """

    _learner_class = PocketLearner

    def __init__(
        self,
        max_iter: int = 100,
        order: Any = "drawn",
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
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
    from separatrix.algorithms.perceptrons.pocket_kernels import pocket_sweep

    return pocket_sweep
