"""The outcome of two fits: the demonstration of `separatrix demo`, and the fit of the tutorial."""

from __future__ import annotations

import separatrix as sx
from separatrix.cli.demonstrations.demo_data import flowers
from separatrix.reports import summarise
from separatrix.reports.figures import outcome


def iris_outcome() -> str:
    """A perceptron on two kinds of iris."""
    rows = flowers()
    model = sx.Perceptron().fit(rows)
    return outcome(summarise(model, rows), model, rows)


def tutorial_outcome() -> str:
    """A perceptron on rows whose margin is known."""
    problem = sx.problems.separable(500, 5, margin=0.0625)
    model = sx.Perceptron().fit(*problem)
    return outcome(summarise(model, *problem), model, *problem)
