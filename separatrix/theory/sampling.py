"""How many rows are enough, asked of all published bounds at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsFloat, SupportsIndex

from separatrix.bounds import SAMPLE_SIZES, Bound, SampleSize
from separatrix.messages import ParameterError

BEST = "best"


def sample_complexity(
    epsilon: SupportsFloat,
    delta: SupportsFloat,
    dimension: SupportsIndex,
    realizable: bool = True,
    *,
    bound: str = BEST,
) -> Bound:
    """How many rows are enough to learn halfspaces to within ε, with probability 1 - δ.

    Realizable: some halfspace has risk zero, and every halfspace without training errors has risk at most ε.
    Agnostic: the halfspace with the fewest training errors has risk at most ε above the best one's. The
    smallest of the published sizes that hold for *every* such halfspace; `compare_sample_sizes` has them all,
    that of the maximum-margin halfspace included, and ``bound`` asks for one by name.

    Source: A. Blumer, A. Ehrenfeucht, D. Haussler and M. K. Warmuth, Journal of the ACM 36 (1989), and those
    named in `separatrix.bounds.SAMPLE_SIZES`.

    Parameters
    ----------
    epsilon, delta : between 0 and 1
    dimension : the Vapnik-Chervonenkis dimension, `vc_dimension(d)`
    realizable : bool
    bound : str
        "best", or a name of `SAMPLE_SIZES`.

    Examples
    --------
    >>> print(sample_complexity(0.1, 0.05, dimension=3))
    double sample: rows that suffice <= 680 (with probability 0.95)
    >>> print(sample_complexity(0.1, 0.05, dimension=3, bound="Blumer et al."))
    Blumer et al.: rows that suffice <= 1686 (with probability 0.95)
    >>> print(sample_complexity(0.1, 0.05, dimension=3, bound="maximum margin"))
    maximum margin: rows that suffice <= 150 (with probability 0.95)
    >>> print(sample_complexity(0.1, 0.05, dimension=3, realizable=False))
    Rademacher: rows that suffice <= 9794 (with probability 0.95)
    """
    found = [size.bound(epsilon, delta, dimension) for size in _chosen(bound, realizable)]
    return min(found, key=float)


def accuracy(
    m: SupportsIndex,
    delta: SupportsFloat,
    dimension: SupportsIndex,
    realizable: bool = True,
    *,
    bound: str = BEST,
) -> Bound:
    """The inverse of `sample_complexity`: the ε that m rows are enough for; 1, vacuous, if none.

    Source: as for `sample_complexity`, solved for ε by bisection.

    Examples
    --------
    >>> print(accuracy(680, 0.05, dimension=3))
    double sample: risk <= 0.0999 (with probability 0.95)
    >>> accuracy(20, 0.05, dimension=3).vacuous
    True
    """
    found = [size.accuracy(m, delta, dimension) for size in _chosen(bound, realizable)]
    return min(found, key=float)


def failure_probability(
    m: SupportsIndex,
    epsilon: SupportsFloat,
    dimension: SupportsIndex,
    realizable: bool = True,
    *,
    bound: str = BEST,
) -> Bound:
    """The inverse of `sample_complexity`: the δ that m rows are enough for; 1, vacuous, if none.

    Source: as for `sample_complexity`, solved for δ by bisection.

    Examples
    --------
    >>> print(failure_probability(680, 0.1, dimension=3))
    double sample: probability of failure <= 0.04881 (certain)
    """
    found = [size.failure(m, epsilon, dimension) for size in _chosen(bound, realizable)]
    return min(found, key=float)


class Comparison(Sequence[Bound]):
    """Sample sizes side by side, the smallest first; prints as a table."""

    def __init__(self, title: str, entries: list[tuple[SampleSize, Bound]]) -> None:
        self.title = title
        self._entries = sorted(entries, key=lambda entry: float(entry[1]))

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: Any) -> Any:
        return [bound for _, bound in self._entries][index]

    def __str__(self) -> str:
        lines = [
            f"{float(bound):>12,.0f}  {size.name:<29} {size.formula:<50} {size.learner}"
            for size, bound in self._entries
        ]
        return "\n".join([self.title, *lines])

    __repr__ = __str__


def compare_sample_sizes(
    epsilon: SupportsFloat, delta: SupportsFloat, dimension: SupportsIndex, realizable: bool = True
) -> Comparison:
    """Every published sample size for these ε, δ and dimension, with its formula and its learners.

    Source: one for each, in `separatrix.bounds.SAMPLE_SIZES`.

    Examples
    --------
    >>> table = compare_sample_sizes(0.1, 0.05, dimension=3)
    >>> [(bound.name, int(bound)) for bound in table][:3]
    [('maximum margin', 150), ('double sample', 680), ('Blumer et al.', 1686)]
    """
    entries = [
        (size, size.bound(epsilon, delta, dimension))
        for size in SAMPLE_SIZES.values()
        if size.realizable == bool(realizable)
    ]
    kind = "realizable" if realizable else "agnostic"
    title = f"rows that suffice, {kind}, ε = {epsilon}, δ = {delta}, dimension {dimension}"
    return Comparison(title, entries)


def _chosen(name: str, realizable: bool) -> list[SampleSize]:
    fitting = {size.name: size for size in SAMPLE_SIZES.values() if size.realizable == bool(realizable)}
    if name == BEST:
        return [size for size in fitting.values() if size.learner.startswith("any")]
    if name not in fitting:
        kind = "realizable" if realizable else "agnostic"
        names = ", ".join(repr(known) for known in (BEST, *fitting))
        raise ParameterError("bound", name, f"one of {names} in the {kind} case")
    return [fitting[name]]
