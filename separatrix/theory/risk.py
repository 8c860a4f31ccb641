"""The risk of a halfspace where the distribution is known, and what an excess of it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.bounds import double_sample, rademacher, stable_compression, vc_dimension
from separatrix.bounds.arguments import between_zero_and_one, whole
from separatrix.halfspace import Halfspace
from separatrix.theory.distributions import Distribution


def expected_risk(model: Any, distribution: Distribution) -> Any:
    """The probability that a halfspace predicts wrong: E[1{h(x) ≠ s}], without sampling.

    For `GaussianClasses` (1 - π)Φ((w·μ₋ + b)/σ) + πΦ(-(w·μ₊ + b)/σ), σ² = w·Σw; for a `FiniteDistribution` a
    sum of fractions, exact; for `PlantedNormal` Owen's function; for `bayes.LogisticModel` an integral over
    the line. Points on the hyperplane count as predicted -1, as ever.

    Source: the definition; the Gaussian case: T. W. Anderson, An Introduction to Multivariate Statistical
    Analysis (2003), section 6.4; Owen's function: D. B. Owen, Annals of Mathematical Statistics 27 (1956).

    Parameters
    ----------
    model : Halfspace, or a fitted model with two classes
    distribution : FiniteDistribution, GaussianClasses, PlantedNormal, bayes.LogisticModel, or anything with a
        method `risk`

    Examples
    --------
    >>> from separatrix.theory.distributions import FiniteDistribution
    >>> coin = FiniteDistribution([[0], [1], [1]], [-1, 1, -1], weights=[1, 2, 1])
    >>> expected_risk(Halfspace([1], -0.5), coin)
    Fraction(1, 4)
    """
    return _known(distribution).risk(halfspace_of(model))


@dataclass(frozen=True)
class ExcessRisk:
    """risk - Bayes risk = approximation + estimation.

    Attributes
    ----------
    risk : of the halfspace
    best : of the best halfspace
    bayes : of the best rule of any kind
    approximation : best - bayes, the price of halfspaces; no number of rows makes it smaller
    estimation : risk - best, the price of not knowing the distribution; it shrinks with more rows
    """

    risk: Any
    best: Any
    bayes: Any

    @property
    def approximation(self) -> Any:
        return self.best - self.bayes

    @property
    def estimation(self) -> Any:
        return self.risk - self.best

    @property
    def excess(self) -> Any:
        return self.risk - self.bayes


def excess_risk(model: Any, distribution: Distribution) -> ExcessRisk:
    """Split what a halfspace loses against the Bayes rule into approximation and estimation error.

    Source: S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), section 5.2; L.
    Devroye, L. Györfi and G. Lugosi, A Probabilistic Theory of Pattern Recognition (1996), section 12.1.

    Examples
    --------
    >>> from separatrix.theory.distributions import FiniteDistribution
    >>> xor = FiniteDistribution([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    >>> split = excess_risk(Halfspace([1, 0], -0.5), xor)
    >>> split.approximation, split.estimation
    (Fraction(1, 4), Fraction(1, 4))
    """
    risk = _known(distribution).risk(halfspace_of(model))
    return ExcessRisk(risk, distribution.best.risk, distribution.bayes_risk)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Errors by the number of rows.

    Attributes
    ----------
    sizes : ndarray
    training : ndarray
        Mean share of training errors.
    risk : ndarray
        Mean risk, known exactly for each fit.
    worst : ndarray
        The risk that a share δ of the fits exceeds.
    bound : ndarray
        The best bound on the risk with probability 1 - δ that holds for every halfspace, averaged; 1 where it
        says nothing.
    own_bound : ndarray or None
        That of the maximum-margin halfspace alone, where that was the learner and no fit erred.
    best, bayes : float
        Risks of the best halfspace and of the best rule.
    delta : float
    """

    sizes: NDArray[np.int64]
    training: NDArray[np.float64]
    risk: NDArray[np.float64]
    worst: NDArray[np.float64]
    bound: NDArray[np.float64]
    own_bound: NDArray[np.float64] | None
    best: float
    bayes: float
    delta: float


def learning_curve(
    distribution: Distribution,
    sizes: Any,
    learner: Any = None,
    *,
    repeats: int = 20,
    delta: float = 0.05,
    random_state: int = 0,
) -> LearningCurve:
    """Training error, risk and bound of a learner, as it is given more rows.

    By theorem the mean risk is above the mean training error for a learner with the fewest training errors,
    and the risk is below the bound in a share 1 - δ of the draws.

    Source: S. Shalev-Shwartz and S. Ben-David, Understanding Machine Learning (2014), section 11.3; bounds:
    `double_sample`, `rademacher` and `stable_compression`.

    Parameters
    ----------
    learner : a model with `fit`, by default the maximum-margin halfspace
        A draw with one class only, which no learner takes, is drawn anew.

    Examples
    --------
    >>> from separatrix.theory.distributions import PlantedNormal
    >>> curve = learning_curve(PlantedNormal((1.0, 1.0)), [20, 80, 320], repeats=5)
    >>> bool((np.diff(curve.risk) < 0).all()), bool((curve.worst <= curve.bound).all())
    (True, True)
    """
    between_zero_and_one(delta=delta)
    whole(1, repeats=repeats)
    counts = [whole(2, size=size)[0] for size in sizes]
    if not counts:
        raise ValueError("sizes must name at least one number of rows")
    _known(distribution)
    model = MaxMargin() if learner is None else learner
    random = np.random.default_rng(random_state)
    columns: dict[str, list[float]] = {name: [] for name in ("training", "risk", "worst", "bound")}
    own: list[float] = []
    for m in counts:
        training, risks, bounds = np.empty(repeats), np.empty(repeats), np.empty(repeats)
        dimension = 1
        for k in range(repeats):
            X, y = _two_classes(distribution, m, random)
            found = halfspace_of(model.fit(X, y))
            dimension = vc_dimension(X.shape[1], getattr(model, "fit_intercept", True))
            errors = int(np.count_nonzero(found.predict(X) != y))
            training[k], risks[k] = errors / m, float(distribution.risk(found))
            values = [rademacher(errors, m, dimension, delta).value]
            if errors == 0:
                values.append(double_sample(m, dimension, delta).value)
            bounds[k] = min(1.0, *values)
        columns["training"].append(float(training.mean()))
        columns["risk"].append(float(risks.mean()))
        columns["worst"].append(float(np.quantile(risks, 1 - delta, method="higher")))
        columns["bound"].append(float(bounds.mean()))
        if isinstance(model, MaxMargin) and not training.any():
            own.append(min(1.0, stable_compression(m, dimension, delta).value))
    named = {name: np.array(values) for name, values in columns.items()}
    own_bound = np.array(own) if len(own) == len(counts) else None
    best, bayes = float(distribution.best.risk), float(distribution.bayes_risk)
    return LearningCurve(
        np.array(counts), **named, own_bound=own_bound, best=best, bayes=bayes, delta=float(delta)
    )


def halfspace_of(model: Any) -> Halfspace:
    """The halfspace of a fitted model with two classes, or the halfspace given."""
    if isinstance(model, Halfspace):
        return model
    found = getattr(model, "halfspace_", None)
    if isinstance(found, Halfspace):
        return found
    if hasattr(model, "coef_") and len(getattr(model, "classes_", ())) == 2:
        weights = np.asarray(model.coef_, dtype=np.float64).ravel()
        return Halfspace(weights, float(np.ravel(model.intercept_)[0]))
    raise ValueError("this needs a Halfspace, or a fitted linear model with two classes")


def _known(distribution: Distribution) -> Distribution:
    if not callable(getattr(distribution, "risk", None)):
        raise ValueError(f"a {type(distribution).__name__} is no distribution known here: it has no risk")
    return distribution


def _two_classes(
    distribution: Distribution, m: int, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    for _ in range(1000):
        X, y = distribution.sample(m, random)
        if len(np.unique(y)) == 2:
            return X, y
    raise ValueError(f"a thousand draws of {m} rows had one class only: take more rows")
