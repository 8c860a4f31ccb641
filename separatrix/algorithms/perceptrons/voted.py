"""The voted perceptron: every weight vector the perceptron had, voting with the rows it got right.

**Idea.** Run the perceptron and keep each weight vector v_k with c_k, the number of rows it survived, the one
that made it included. Predict the sign of Σ c_k sign(v_k·(x, 1)).

**Theorem** (Freund and Schapire 1999, "Large margin classification using the perceptron algorithm", Machine
Learning 37, Theorem 2). For any unit vector u and γ > 0 let d_i = max(0, γ − s_i u·z_i) over the sequence
*seen*, and D² = Σ d_i². The perceptron makes at most ((R + D)/γ)² mistakes on one pass through it, whether
the rows are separable or not. T passes are a sequence T times as long, so √T·D takes the place of D.

**Certificate.** None: a vote of halfspaces is no halfspace.

**Cost.** Training is that of the perceptron; memory and prediction grow with the number of mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import Learner, linear_score, variant_kernels
from separatrix.algorithms.perceptrons.online import OnlineClassifier
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.training import Run
from separatrix.fitting import Solution
from separatrix.fitting.classifier import join_facts
from separatrix.fitting.exact_errors import ErrorCount
from separatrix.fitting.predicted_scores import predict_scores
from separatrix.fitting.validation import unlabelled_rows
from separatrix.rows import Block

MAX_BLOCK_ROWS = 512  # rows of a test block: scores of all voters on them stay small


class VotedPerceptron(OnlineClassifier):
    """A vote of all the halfspaces a perceptron went through.

    Parameters
    ----------
    max_iter : int, default=10
    order : {"cyclic", "shuffled"} or sequence of int, default="cyclic"
    fit_intercept : bool, default=True
    max_mistakes : int, optional
        Also the largest number of voters, less one.
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None

    Attributes
    ----------
    voters_ : ndarray of shape (n_voters, n_features + 1)
        The weight vectors, intercept last; a tuple of such arrays with more than two classes.
    votes_ : ndarray of shape (n_voters,)
        The rows each of them was the latest voter for: the one that made it, and those it got right.
    mistakes_, updates_, passes_, n_iter_ : int
    history_ : History

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa")
    >>> model = sx.VotedPerceptron().fit(X, y)
    >>> model.score(X, y), len(model.voters_) == model.mistakes_ + 1
    (1.0, True)
    """

    _is_scale_equivariant = True

    def __init__(
        self,
        max_iter: int = 10,
        order: Any = "cyclic",
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        max_mistakes: int | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.max_mistakes = max_mistakes
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _make_learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        return VotingLearner(n_columns, intercept=self.fit_intercept, start=start)

    def _make_solution(
        self, coordinates: InternalCoordinates, positive: int, run: Run, norms: RowNorms
    ) -> Solution:
        learner = run.learner
        assert isinstance(learner, VotingLearner)
        counts = {"mistakes": learner.mistakes, "updates": learner.updates, "passes": len(run.passes)}
        results = {"voters": coordinates.to_user(learner.voters), "votes": learner.votes.copy()}
        run.report_in_user_units(coordinates)
        return Solution(coordinates.to_user(learner.weights), None, run.history, counts | results)

    def _count_errors(
        self, coordinates: InternalCoordinates, runs: Mapping[int, Run]
    ) -> dict[int, ErrorCount]:
        """There is no one weight vector to count the errors of."""
        return {}

    def _resume_learner(self, place: int, run: dict[str, Any] | None = None) -> Learner:
        binary = len(self.classes_) == 2
        voters, votes = (self.voters_, self.votes_) if binary else (self.voters_[place], self.votes_[place])
        learner = VotingLearner(self.n_features_in_, intercept=self.fit_intercept, start=voters[-1])
        learner.resume_from(voters, votes)
        return learner

    def _keep_weights(self, weights: list[np.ndarray], halfspaces: list[Any] | None = None) -> None:
        """There is no one weight vector to keep."""

    def _restore_weights(self, state: dict[str, Any], n_tasks: int) -> None:
        voters_and_votes, counts = (
            state[name] if n_tasks > 1 else (state[name],) for name in ("voters_", "votes_")
        )
        width = self.n_features_in_ + 1
        if len(voters_and_votes) != n_tasks or any(
            voters.shape[1:] != (width,) for voters in voters_and_votes
        ):
            raise ValueError("its voters do not match its classes and columns.")
        if list(map(len, counts)) != list(map(len, voters_and_votes)):
            raise ValueError("its votes do not match its voters.")

    def _attributes(self, solutions: list[Solution]) -> dict[str, Any]:
        return join_facts(solutions)

    def _publish_online(self) -> None:
        super()._publish_online()
        del self.certificate_
        learners = [
            learner for learner in self._online_learners().values() if isinstance(learner, VotingLearner)
        ]
        voters, votes = (
            [self._to_user_units(v.voters.copy()) for v in learners],
            [v.votes.copy() for v in learners],
        )
        binary = len(learners) == 1
        self.voters_: Any = voters[0] if binary else tuple(voters)
        self.votes_: Any = votes[0] if binary else tuple(votes)

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for +1 less votes for -1, as a share of all: between -1 and 1."""
        check_is_fitted(self)
        rows = unlabelled_rows(self, X)
        binary = len(self.classes_) == 2
        voters_and_votes = (
            [(self.voters_, self.votes_)] if binary else list(zip(self.voters_, self.votes_, strict=True))
        )
        parts = rows.checked().each(VoteShares(tuple(voters_and_votes)), parallel_blas=True)
        scores = np.concatenate(list(parts))
        return scores[:, 0] if binary else scores


class VotingLearner(Learner):
    """Rosenblatt's rule, keeping every weight vector with the number of rows it got right."""

    is_changed_by_every_row = True

    is_predicting_with_weights = False

    def __init__(self, n_columns: int, *, intercept: bool, start: np.ndarray | None) -> None:
        super().__init__(n_columns, intercept=intercept, start=start)
        self._voters = np.array([self.weights])
        self._votes = np.zeros(1, np.int64)

    def resume_from(self, voters: np.ndarray, votes: np.ndarray) -> None:
        """Go on from a ballot that was stored."""
        self._voters, self._votes = np.array(voters), np.array(votes, np.int64)
        self.mistakes = self.updates = len(self._voters) - 1

    @property
    def voters(self) -> np.ndarray:
        return self._voters[: self.mistakes + 1]

    @property
    def votes(self) -> np.ndarray:
        return self._votes[: self.mistakes + 1]

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        total, sweep = 0, variant_kernels().voted_sweep
        for start in range(
            0, len(places), MAX_BLOCK_ROWS
        ):  # room for one voter per row, not for a whole block of them
            part = places[start : start + MAX_BLOCK_ROWS]
            self._reserve_voters(self.mistakes + 1 + len(part))
            last = sweep(X, signs, part, self.constant, self._votes, self._voters, self.mistakes)
            total += last - self.mistakes
            self.mistakes = self.updates = last
        self.weights = self._voters[self.mistakes]
        return total

    def score(self, X: Any) -> float:
        scores = np.array([linear_score(X, voter, self.constant) for voter in self.voters])
        return float(np.where(scores > 0, 1.0, -1.0) @ self.votes / max(1, self.votes.sum()))

    def _reserve_voters(self, n: int) -> None:
        if len(self._voters) < n:
            n_new = max(n, 2 * len(self._voters)) - len(self._voters)
            self._voters = np.concatenate([self._voters, np.zeros((n_new, self._voters.shape[1]))])
            self._votes = np.concatenate([self._votes, np.zeros(n_new, np.int64)])


@dataclass(frozen=True)
class VoteShares:
    """Votes for +1 less votes for -1, as a share of all, of the rows of a block: a column for each class."""

    voters_and_votes: tuple[tuple[np.ndarray, np.ndarray], ...]

    def __call__(self, block: Block) -> np.ndarray:
        X, shares = block.matrix(), np.empty((len(block), len(self.voters_and_votes)))
        for start in range(0, len(block), MAX_BLOCK_ROWS):
            part = slice(start, start + MAX_BLOCK_ROWS)
            for column, (voters, votes) in enumerate(self.voters_and_votes):
                shares[part, column] = _vote(X[part], voters, votes)
        return shares


def _vote(X: Any, voters: np.ndarray, votes: np.ndarray) -> np.ndarray:
    is_nonzero = voters.any(axis=1)  # zero, as the first is, votes for -1
    scores = predict_scores(X, voters[is_nonzero, :-1], voters[is_nonzero, -1])
    return (np.where(scores > 0, 1.0, -1.0) @ votes[is_nonzero] - votes[~is_nonzero].sum()) / max(
        1, votes.sum()
    )
