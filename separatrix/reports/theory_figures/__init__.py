"""The figures of the theory pages. ``python -m separatrix.reports.theory_figures FOLDER`` draws them all."""

from __future__ import annotations

from collections.abc import Callable

from separatrix.reports.theory_figures.counting import (
    growth,
    phase_transition,
    radon_partitions,
    vertex_cover,
)
from separatrix.reports.theory_figures.learning import (
    learning_curves,
    margins,
    mistakes,
    online,
    promises,
    sample_sizes,
    thresholds,
    uniform_convergence,
)

__all__ = [
    "FIGURES",
    "growth",
    "learning_curves",
    "margins",
    "mistakes",
    "online",
    "phase_transition",
    "promises",
    "radon_partitions",
    "sample_sizes",
    "thresholds",
    "uniform_convergence",
    "vertex_cover",
]

FIGURES: dict[str, Callable[..., str]] = {
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
}
