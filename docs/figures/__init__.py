"""The figures of these pages. ``python -m docs.figures``, from the root of the sources, draws them all."""

from __future__ import annotations

from collections.abc import Callable

from docs.figures.counting import growth, radon_partitions, vertex_cover
from docs.figures.learning import (
    learning_curves,
    margins,
    mistakes,
    online,
    promises,
    sample_sizes,
    thresholds,
    uniform_convergence,
)
from docs.figures.outcomes import iris_outcome, tutorial_outcome
from docs.figures.ridge_moves import moves_of_diabetes, path_of_diabetes
from docs.figures.which_line import boundaries_compared
from separatrix.reports.figures import losses_compared
from separatrix.reports.figures.phase_transition import phase_transition

FIGURES: dict[str, Callable[..., str]] = {
    "losses": losses_compared,
    "perceptron": iris_outcome,
    "ridge-moves": moves_of_diabetes,
    "ridge-path": path_of_diabetes,
    "theory-growth": growth,
    "theory-learning-curves": learning_curves,
    "theory-margins": margins,
    "theory-mistakes": mistakes,
    "theory-online": online,
    "theory-phase-transition": phase_transition,
    "theory-promises": promises,
    "theory-radon": radon_partitions,
    "theory-sample-sizes": sample_sizes,
    "theory-thresholds": thresholds,
    "theory-uniform-convergence": uniform_convergence,
    "theory-vertex-cover": vertex_cover,
    "tutorial-perceptron": tutorial_outcome,
    "which-line": boundaries_compared,
}
