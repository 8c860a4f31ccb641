"""Learners at work on rows that come one by one, in the units that the first of them settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from math import frexp
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import FIRST_PLACE, Learner, split_values
from separatrix.fitting.common_factor import UNEVEN_SIZES, CommonFactor, ldexp
from separatrix.rows import Block, DataError
from separatrix.rows.block import all_finite, read_only, sum_of_squares
from separatrix.rows.views.scaled import USUAL_EXPONENT

MIN_SAFE_SUM, MAX_SAFE_SUM = 2.0 ** (-2 * USUAL_EXPONENT), 2.0 ** (2 * USUAL_EXPONENT)
MAX_EXPONENT = 2200  # from the least to the largest double
NEGATIVE_SIGN, POSITIVE_SIGN = np.array([-1], np.int8), np.array([1], np.int8)  # of one row


class OnlineRun:
    """The learners of a model, by the class that each has as +1, and what was taken out of their rows.

    Parameters
    ----------
    learners : mapping of int to Learner
    factor : CommonFactor
    can_be_scaled : bool
        Whether a common factor of the rows does no more than stretch the weights.
    is_fixed : bool
        Whether a row has come before; the first that is not zero settles the factor.
    """

    def __init__(
        self,
        learners: Mapping[int, Learner],
        factor: CommonFactor,
        *,
        can_be_scaled: bool,
        is_fixed: bool = True,
    ) -> None:
        self.learners = dict(learners)
        self.factor = factor
        self.can_be_scaled = can_be_scaled
        self.is_fixed = is_fixed
        self.published: tuple[Any, Any] = (None, None)  # the weights that the model was given last

    def clone(self) -> OnlineRun:
        other = copy(self)
        other.learners = {positive: learner.clone() for positive, learner in self.learners.items()}
        return other

    def is_published(self, model: Any) -> bool:
        """Whether the weights of the model are those that its learners gave it last, not of a fit or a
        user."""
        coef, intercept = self.published
        return coef is not None and model.coef_ is coef and model.intercept_ is intercept

    def update_hyperparameters(self, method: Learner, degree: int | None) -> None:
        """Have the learners go on as ``method``, which is made of other parameters, would."""
        if self.factor.exponent and degree is None:
            raise ValueError(
                "These parameters have units, and the weights were learned in others: set them back, or call "
                "fit."
            )
        for learner in self.learners.values():
            vars(learner).update(vars(method))
        self.can_be_scaled = degree is not None

    def learn_block(self, block: Block) -> OnlineRun:
        """A step of `Rows.fold`."""
        X, places = self.scaled(block.X), np.arange(len(block), dtype=np.int32)
        for positive, learner in self.learners.items():
            learner.visit_rows(X, block.signs(positive), places, -1)
        return self

    def learn(self, X: Any, codes: Sequence[int]) -> bool:
        """Visit rows of these classes, in the units of the learners; whether an answer has changed."""
        is_single_row = len(codes) == 1
        places = FIRST_PLACE if is_single_row else np.arange(len(codes), dtype=np.int32)
        changed = False
        for positive, learner in self.learners.items():
            if is_single_row:
                signs = POSITIVE_SIGN if codes[0] == positive else NEGATIVE_SIGN
            else:
                signs = np.array([1 if code == positive else -1 for code in codes], np.int8)
            changed |= learner.visit_rows(X, signs, places, -1) > 0 or learner.is_changed_by_every_row
        return changed

    def is_idle(self, model: Any, X: Any, code: int) -> bool:
        """Whether the one row of a block, of this class, changes nothing in the model for certain."""
        if self.factor.exponent or not self.is_published(model):
            return False
        for positive, learner in self.learners.items():
            if not learner.is_idle(X, 1.0 if code == positive else -1.0):
                return False
        return True

    def scaled(self, X: Any) -> Any:
        """A block in the units of the learners, which the first row that is not zero settles."""
        if not self.can_be_scaled:
            return X
        stored, columns = split_values(X)
        if not self.factor.exponent and MIN_SAFE_SUM < sum_of_squares(stored) < MAX_SAFE_SUM:
            self.is_fixed = True
            return X
        values = np.asarray(stored, np.float64)
        sizes = np.abs(values[values != 0.0])
        if not len(sizes) or not np.isfinite(sizes).all():  # nothing to scale, or to be refused
            return X
        factor = self.factor if self.is_fixed else self._choose_factor(float(sizes.max()))
        scaled_sizes = ldexp(sizes, factor.exponent)
        if not (scaled_sizes.min() > MIN_SAFE_SUM and scaled_sizes.max() < MAX_SAFE_SUM):
            raise DataError(UNEVEN_SIZES)
        self.factor, self.is_fixed = factor, True
        if not factor.exponent:
            return X
        scaled = read_only(ldexp(values, factor.exponent))
        return scaled if columns is None else X._replace(data=scaled)

    def _choose_factor(self, largest: float) -> CommonFactor:
        exponent = frexp(largest)[1]
        is_usual = abs(exponent) <= USUAL_EXPONENT
        return CommonFactor(0 if is_usual else -exponent, self.factor.degree)

    def states(self) -> tuple[dict[str, Any], ...]:
        """What a file has to hold beside the answers, for each learner."""
        states = tuple(learner.state() for learner in self.learners.values())
        if self.factor.exponent:  # in the user's units the weights may have rounded
            exact = [
                {"weights": each.weights, "exponent": self.factor.exponent} for each in self.learners.values()
            ]
            states = tuple(state | extra for state, extra in zip(states, exact, strict=True))
        return states


def factor_of_states(states: Sequence[Mapping[str, Any]], degree: int) -> CommonFactor:
    """The factor that `OnlineRun.states` has told."""
    exponent = states[0].get("exponent", 0)
    if type(exponent) is not int or abs(exponent) > MAX_EXPONENT:
        raise ValueError("its runs are in units that make no sense.")
    return CommonFactor(exponent, degree)


def is_finite_block(X: Any) -> bool:
    return all_finite(split_values(X)[0])
