"""Learners whose passes skip rows, and single passes of them."""

from __future__ import annotations

from separatrix.algorithms.perceptrons.perceptron import RosenblattLearner
from separatrix.algorithms.perceptrons.skipping.passes import SkippingPasses
from separatrix.algorithms.perceptrons.skipping.shared_rows import SharedRowData
from separatrix.algorithms.perceptrons.step_sizes import Steps


def skipping_passes(rows, *, positive=1, constant=1.0, step=1.0, start=None, shared=None, passes=1000):
    learner = RosenblattLearner(rows.n_columns, intercept=constant > 0, start=start, steps=Steps(step))
    learner.constant = constant  # also others than the 1 and 0 of a fit
    learner.begin_fit(rows, positive)
    return learner, SkippingPasses(shared or SharedRowData(rows), positive, learner, passes=passes)


def make_pass(learner, skipping):
    """The number of mistakes in the next pass, whether or not it reads many rows."""
    before = learner.mistakes
    assert skipping.next_pass(is_only_learner=True)
    return learner.mistakes - before
