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

from functools import cache
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven


class AveragingLearner(Learner):
    """Rosenblatt's rule; ``weighted_updates`` holds what the mean must leave out, so a right answer costs
    nothing."""

    is_changed_by_every_row = True
    is_predicting_with_weights = False
    prospect = (
        "its perceptron comes to rest",
        "after at most {} mistakes; of the mean nothing is promised",
    )
    saved_state = (("weights", "weights"), ("late", "weighted_updates"), ("visited", "rows_seen"))

    def begin(self) -> None:
        self.weighted_updates = np.zeros_like(self.weights)
        self.rows_seen = 0

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        mistakes = _sweep_kernel()(
            X, signs, places, self.constant, float(self.rows_seen), self.weighted_updates, self.weights
        )
        self.rows_seen += len(places)
        return self.count_mistakes(mistakes)

    def prediction_weights(self) -> np.ndarray:
        return self.weights - self.weighted_updates / max(1, self.rows_seen)


class AveragedPerceptron(MistakeDriven):
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

    _learner_class = AveragingLearner

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


@cache
def _sweep_kernel() -> Any:
    """The kernel, loaded at the first visit and kept: an import statement takes as long as a row."""
    from separatrix.algorithms.perceptrons.averaged_kernels import averaged_sweep

    return averaged_sweep
