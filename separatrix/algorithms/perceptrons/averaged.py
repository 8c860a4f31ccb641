"""The averaged perceptron: predict with the mean of all weights the perceptron had.

**Idea.** Run the perceptron; return the mean of its weights over every row visited.

**Theorem.** For a convex loss, rows drawn independently and one pass, the mean of the weights that the
perceptron had *before* each row has an expected loss of at most the mean loss it suffered on the way, in
expectation (Cesa-Bianchi, Conconi and Gentile 2004, "On the generalization ability of on-line learning
algorithms", IEEE Trans. Inf. Theory 50(9), by Jensen's inequality). The mean returned is that of the weights
*after* each row, as the votes of the voted perceptron count them (Freund and Schapire 1999); after T rows the
two differ by w/T, w being the last weights. The mistakes of the underlying run obey Novikoff's bound. Nothing
says that the mean separates rows which the last weights separate.

**Certificate.** `Separable` if the mean weights pass the exact check; else `Undecided`.

**Cost.** That of the perceptron; a mistake costs two rows instead of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner, variant_kernels
from separatrix.algorithms.perceptrons.online import OnlineClassifier


class AveragedPerceptron(OnlineClassifier):
    """The mean of the perceptron's weights over all rows visited.

    Parameters
    ----------
    max_iter : int, default=10
        Passes; the run ends sooner at a pass without mistakes.
    order : {"cyclic", "shuffled"} or sequence of int, default="cyclic"
    fit_intercept : bool, default=True
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None

    Attributes
    ----------
    mistakes_, updates_, passes_, n_iter_ : int
        Of the underlying perceptron.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa")
    >>> model = sx.AveragedPerceptron().fit(X, y)
    >>> model.certificate_.verify(X, y).holds
    True
    """

    _is_scale_equivariant = True
    _prospect_phrases = (
        "its perceptron comes to rest",
        "after at most {} mistakes; of the mean nothing is promised",
    )

    def __init__(
        self,
        max_iter: int = 10,
        order: Any = "cyclic",
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _make_learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        return AveragingLearner(n_columns, intercept=self.fit_intercept, start=start)


class AveragingLearner(Learner):
    """Rosenblatt's rule; ``weighted_updates`` holds what the mean must leave out, so a right answer costs
    nothing."""

    is_changed_by_every_row = True

    is_predicting_with_weights = False

    saved_state = (("weights", "weights"), ("late", "weighted_updates"), ("visited", "rows_seen"))

    def __init__(self, n_columns: int, *, intercept: bool, start: np.ndarray | None) -> None:
        super().__init__(n_columns, intercept=intercept, start=start)
        self.weighted_updates = np.zeros_like(self.weights)
        self.rows_seen = 0

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        sweep = variant_kernels().averaged_sweep
        mistakes = sweep(
            X, signs, places, self.constant, float(self.rows_seen), self.weighted_updates, self.weights
        )
        self.rows_seen += len(places)
        self.mistakes += mistakes
        self.updates += mistakes
        return mistakes

    def prediction_weights(self) -> np.ndarray:
        return self.weights - self.weighted_updates / max(1, self.rows_seen)
