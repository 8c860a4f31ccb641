"""What learning theory says about halfspaces: numbers with their assumptions, and demonstrations that run.

Formulas alone are in `separatrix.bounds`, which is re-exported here. What needs an algorithm is at home here:
shattering and dichotomies, decided in exact arithmetic with certificates; the risk of a halfspace under a
known distribution; what bounds promise of a fitted model; and the hardness of the fewest errors, made
concrete.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from separatrix.bounds import (
    SAMPLE_SIZES,
    Bound,
    batch_perceptron,
    clopper_pearson,
    compression,
    dichotomies,
    double_sample,
    fat_shattering,
    freund_schapire,
    growth_function,
    hoeffding,
    kozinec,
    leave_one_out,
    margin_compression,
    novikoff,
    novikoff_from_start,
    novikoff_inverse,
    novikoff_squares,
    novikoff_unit,
    online_to_batch,
    passive_aggressive,
    plain_sample_complexity,
    rademacher,
    rademacher_margin,
    sample_margin,
    sauer,
    separability_probability,
    stable_compression,
    steps_bound,
    vapnik_chervonenkis,
    vc_dimension,
)
from separatrix.theory import bayes, hardness
from separatrix.theory.bayes import LogisticModel
from separatrix.theory.convergence import uniform_convergence
from separatrix.theory.distributions import FiniteDistribution, PlantedNormal
from separatrix.theory.labellings import Dichotomies, Dichotomy, dichotomies_of
from separatrix.theory.normal_classes import GaussianClasses
from separatrix.theory.sampling import (
    accuracy,
    compare_sample_sizes,
    failure_probability,
    sample_complexity,
)
from separatrix.theory.shattering import RadonPartition, Shattering, radon, shatters

if TYPE_CHECKING:
    from separatrix.theory.fitted import Generalisation, generalisation
    from separatrix.theory.margins import margin_experiment, robustness
    from separatrix.theory.risk import excess_risk, expected_risk, learning_curve
    from separatrix.theory.single_pass import one_pass

__all__ = [
    "SAMPLE_SIZES",
    "Bound",
    "Dichotomies",
    "Dichotomy",
    "FiniteDistribution",
    "GaussianClasses",
    "Generalisation",
    "LogisticModel",
    "PlantedNormal",
    "RadonPartition",
    "Shattering",
    "accuracy",
    "batch_perceptron",
    "bayes",
    "clopper_pearson",
    "compare_sample_sizes",
    "compression",
    "dichotomies",
    "dichotomies_of",
    "double_sample",
    "excess_risk",
    "expected_risk",
    "failure_probability",
    "fat_shattering",
    "freund_schapire",
    "generalisation",
    "growth_function",
    "hardness",
    "hoeffding",
    "kozinec",
    "learning_curve",
    "leave_one_out",
    "margin_compression",
    "margin_experiment",
    "novikoff",
    "novikoff_from_start",
    "novikoff_inverse",
    "novikoff_squares",
    "novikoff_unit",
    "one_pass",
    "online_to_batch",
    "passive_aggressive",
    "plain_sample_complexity",
    "rademacher",
    "rademacher_margin",
    "radon",
    "robustness",
    "sample_complexity",
    "sample_margin",
    "sauer",
    "separability_probability",
    "shatters",
    "stable_compression",
    "steps_bound",
    "uniform_convergence",
    "vapnik_chervonenkis",
    "vc_dimension",
]

# What needs an estimator loads one, on first use.
_HOMES = {
    "Generalisation": "fitted",
    "excess_risk": "risk",
    "expected_risk": "risk",
    "generalisation": "fitted",
    "learning_curve": "risk",
    "margin_experiment": "margins",
    "one_pass": "single_pass",
    "robustness": "margins",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
