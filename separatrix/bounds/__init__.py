"""Theorems evaluated: the docstring is the theorem with its hypotheses, the body the formula.

Rows are z = s·x, or z = s·(x, 1) where the constant is absorbed; R = max ‖z‖ and the margin γ are always of
the same rows. A *certain* bound holds on every run that meets its assumptions: of the doubles given it is
evaluated exactly, and rounded up. Give a radius rounded up and a margin rounded down where the last digit
matters.
"""

from separatrix.bounds.bound import Bound
from separatrix.bounds.counting import (
    dichotomies,
    growth_function,
    sauer,
    separability_probability,
    vc_dimension,
)
from separatrix.bounds.few_rows import (
    compression,
    leave_one_out,
    margin_compression,
    stable_compression,
)
from separatrix.bounds.held_out import clopper_pearson, hoeffding
from separatrix.bounds.mistakes import (
    freund_schapire,
    novikoff,
    novikoff_from_start,
    novikoff_inverse,
    novikoff_squares,
    novikoff_unit,
    passive_aggressive,
    steps_bound,
)
from separatrix.bounds.sample_sizes import SAMPLE_SIZES, SampleSize, plain_sample_complexity
from separatrix.bounds.streams import online_to_batch
from separatrix.bounds.uniform import double_sample, rademacher, vapnik_chervonenkis
from separatrix.bounds.updates import batch_perceptron, kozinec
from separatrix.bounds.wide_margins import fat_shattering, rademacher_margin, sample_margin

__all__ = [
    "SAMPLE_SIZES",
    "Bound",
    "SampleSize",
    "batch_perceptron",
    "clopper_pearson",
    "compression",
    "dichotomies",
    "double_sample",
    "fat_shattering",
    "freund_schapire",
    "growth_function",
    "hoeffding",
    "kozinec",
    "leave_one_out",
    "margin_compression",
    "novikoff",
    "novikoff_from_start",
    "novikoff_inverse",
    "novikoff_squares",
    "novikoff_unit",
    "online_to_batch",
    "passive_aggressive",
    "plain_sample_complexity",
    "rademacher",
    "rademacher_margin",
    "sample_margin",
    "sauer",
    "separability_probability",
    "stable_compression",
    "steps_bound",
    "vapnik_chervonenkis",
    "vc_dimension",
]


def __dir__() -> list[str]:
    return sorted(__all__)
