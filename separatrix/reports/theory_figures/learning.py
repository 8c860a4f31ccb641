"""Figures about risk, mistakes and what bounds say of them."""

from __future__ import annotations

import numpy as np

from separatrix import theory
from separatrix.algorithms.perceptrons.perceptron import Perceptron
from separatrix.algorithms.separation import separate
from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.halfspace import Halfspace
from separatrix.problems import orthonormal, separable
from separatrix.reports.charts import Axis, Curve, chart


def sample_sizes(delta: float = 0.05, dimension: int = 3) -> str:
    """Rows that suffice against ε, for every published bound."""
    accuracies = np.geomspace(0.01, 0.5, 25)
    curves = []
    for place, size in enumerate(theory.SAMPLE_SIZES.values()):
        rows = [size.bound(e, delta, dimension).value for e in accuracies]
        kind = "" if size.realizable else "\n(agnostic)"
        curves.append(Curve(f"{size.name}{kind}", accuracies, rows, place))
    description = (
        "Rows that suffice against the accuracy epsilon, both on logarithmic scales. Realizable bounds "
        "grow like 1 over epsilon, agnostic ones like its square; that of the maximum-margin halfspace "
        "is the smallest."
    )
    return chart(
        "sample-sizes",
        f"Rows that suffice for dimension {dimension} and δ = {delta}",
        description,
        Axis("accuracy ε", 0.01, 0.5, log=True),
        Axis("rows", 10.0, 1e8, log=True),
        curves,
    )


def uniform_convergence(repeats: int = 100) -> str:
    """The largest gap of all halfspaces, and that of one, against the number of rows."""
    random = np.random.default_rng(0)
    distribution = theory.FiniteDistribution(random.normal(size=(20, 2)), random.choice((-1, 1), size=20))
    seen = theory.uniform_convergence(
        distribution, np.geomspace(10, 100_000, 13).astype(int), repeats=repeats
    )
    curves = [
        Curve("bound of Vapnik and\nChervonenkis, all halfspaces", seen.sizes, seen.bound, 1),
        Curve(
            "largest gap of all\nhalfspaces, 95th percentile",
            seen.sizes,
            np.quantile(seen.gaps, 0.95, axis=1),
            0,
        ),
        Curve(
            "gap of one halfspace\nfixed beforehand, 95th percentile",
            seen.sizes,
            np.quantile(seen.single, 0.95, axis=1),
            2,
        ),
    ]
    description = (
        "Gaps between risk and training error against the number of rows, both on logarithmic scales. "
        "The largest gap over all halfspaces shrinks as fast as that of a single one, at a higher "
        "level; the bound lies above."
    )
    return chart(
        "uniform-convergence",
        "Training errors of all halfspaces approach their risks",
        description,
        Axis("rows m", 10.0, 100_000.0, log=True),
        Axis("gap between risk and training error", 1e-3, 1.0, log=True),
        curves,
    )


def learning_curves(repeats: int = 20) -> str:
    """Risk of the maximum-margin halfspace against its bounds."""
    sizes = np.geomspace(10, 3000, 9).astype(int)
    curve = theory.learning_curve(theory.PlantedNormal((1.0, 1.0)), sizes, repeats=repeats)
    assert curve.own_bound is not None
    curves = [
        Curve("bound for every halfspace\nwithout training errors", curve.sizes, curve.bound, 1),
        Curve("bound for the\nmaximum-margin halfspace", curve.sizes, curve.own_bound, 3),
        Curve("risk, 95th percentile", curve.sizes, curve.worst, 2),
        Curve("risk, mean", curve.sizes, curve.risk, 0, dots=True),
    ]
    description = (
        "Risk against the number of rows, both on logarithmic scales. The mean risk and its 95th "
        "percentile fall like 1 over m; the bound of the maximum-margin halfspace is a few times "
        "larger, that of all consistent halfspaces more, and both fall at the same rate. The training "
        "error is zero throughout."
    )
    return chart(
        "learning-curves",
        "A learning curve and its bounds",
        description,
        Axis("rows m", 10.0, 3000.0, log=True),
        Axis("risk", 1e-4, 1.0, log=True),
        curves,
    )


def margins(repeats: int = 40) -> str:
    """Risk against the share of the largest margin, at training error zero."""
    found = theory.margin_experiment((1.0, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0.01), repeats=repeats)
    curves = [
        Curve("mean risk", found.shares, found.mean_risk, 0, dots=True),
        Curve("training error", found.shares, np.zeros(len(found.shares)), 1),
    ]
    description = (
        "Mean risk against the share of the largest margin that a halfspace has. All have training "
        f"error zero. The risk falls from {found.mean_risk[-1]:.3f} at a share of 0.01 to "
        f"{found.mean_risk[0]:.3f} at 1."
    )
    return chart(
        "margins",
        "Without a training error, the margin decides",
        description,
        Axis("margin, as a share of the largest", 0.0, 1.0),
        Axis("risk", 0.0, 0.12),
        curves,
    )


def mistakes() -> str:
    """Mistakes of perceptrons against (R/γ)²: random rows far below, orthonormal ones on the line."""
    allowed, made = [], []
    for k in range(1, 8):
        problem = separable(300, 5, margin=2.0**-k, random_state=k)
        model = Perceptron(max_iter=100_000).fit(*problem)
        allowed.append(separate(*problem).mistake_bound)
        made.append(model.mistakes_)
    tight = [2**k for k in range(1, 9)]
    counted = [Perceptron(fit_intercept=False).fit(*orthonormal(d)).mistakes_ for d in tight]
    line = [2.0, 1e6]
    curves = [
        Curve("Novikoff's bound", line, line, 1),
        Curve("orthonormal rows", tight, counted, 2, dots=True, line=False),
        Curve("random separable rows", allowed, made, 0, dots=True, line=False),
    ]
    description = (
        "Mistakes against Novikoff's bound, both on logarithmic scales. Orthonormal rows lie on the "
        "bound; random separable rows with smaller and smaller margins lie well below it."
    )
    return chart(
        "mistakes",
        "Mistakes and their bound",
        description,
        Axis("(R/γ)²", 2.0, 1e6, log=True),
        Axis("mistakes", 1.0, 1e6, log=True),
        curves,
    )


def online() -> str:
    """Share of mistakes, mean risk and its bound, in passes over streams of growing length."""
    planted = theory.PlantedNormal((1.0, 1.0, -1.0))
    X, y = planted.sample(10_000, np.random.default_rng(0))
    sizes = np.geomspace(20, len(X), 14).astype(int)
    share, mean, bound = [], [], []
    for m in sizes.tolist():
        run = theory.one_pass(X[:m], y[:m], fit_intercept=False)
        risks = [planted.risk(Halfspace(weights[:-1])) for weights in run.weights]
        share.append(run.mistakes / m)
        mean.append(float(run.lives @ np.array(risks)) / m)
        bound.append(run.mean_risk.value)
    description = (
        "Against the length of a stream, on logarithmic scales: the share of rows the perceptron was "
        "wrong on, the mean risk of its hypotheses, close to it, and the bound on that mean, above both."
    )
    return chart(
        "online",
        "Mistakes on a stream, and the risk they stand for",
        description,
        Axis("rows of the stream", 20.0, 10_000.0, log=True),
        Axis("share", 1e-3, 1.0, log=True),
        [
            Curve("bound, with probability 0.95", sizes, bound, 1),
            Curve("mean risk of the\nhypotheses so far", sizes, mean, 2),
            Curve("share of mistakes", sizes, share, 0, dots=True),
        ],
    )


def thresholds() -> str:
    """Risk of a threshold between two normal classes, and the Bayes risk."""
    classes = theory.GaussianClasses([-1.0], [1.0], covariance=1.0, prior=0.3)
    places = np.linspace(-3, 3, 121)
    risks = [classes.risk(Halfspace([1.0], -float(c))) for c in places]
    best = classes.best
    description = (
        "Risk of the rule x > c for two normal classes around -1 and 1, the second with prior 0.3, "
        f"against c. The least is the Bayes risk, {best.risk:.3f}, at c = "
        f"{-best.halfspace.intercept / best.halfspace.weights[0]:.3f}."
    )
    return chart(
        "thresholds",
        "The risk of every threshold",
        description,
        Axis("threshold c", -3.0, 3.0),
        Axis("risk", 0.0, 0.8),
        [
            Curve("risk of x > c", places, risks, 0),
            Curve("Bayes risk", [-3, 3], [best.risk, best.risk], 1),
        ],
        marks=[(float(-best.halfspace.intercept / best.halfspace.weights[0]), "Bayes rule")],
    )


def promises() -> str:
    """Every bound on the risk of one maximum-margin halfspace, against the number of training rows."""
    random = np.random.default_rng(0)
    planted = theory.PlantedNormal((1.0, -1.0, 0.5))
    held_out = planted.sample(500, random)
    sizes = np.geomspace(30, 3000, 7).astype(int).tolist()
    values: dict[str, list[float]] = {}
    risks = []
    for m in sizes:
        X, y = planted.sample(m, random)
        model = MaxMargin().fit(X, y)
        risks.append(theory.expected_risk(model, planted))
        for bound in theory.generalisation(model, X, y, X_test=held_out[0], y_test=held_out[1]):
            if bound.delta is not None:
                values.setdefault(bound.name, []).append(min(bound.value, 1.0))
    ordered = sorted(values, key=lambda name: values[name][-1])
    curves = [
        Curve(name + ("\n(500 held-out rows)" if name.startswith("Clopper") else ""), sizes, values[name], k)
        for k, name in enumerate(ordered)
    ]
    description = (
        "Bounds on the risk of a maximum-margin halfspace against the number of training rows, both on "
        f"logarithmic scales. From the smallest at the end: {', '.join(ordered)}. Its true risk lies "
        "below all of them."
    )
    return chart(
        "promises",
        "What theory promises of one model, and its true risk",
        description,
        Axis("training rows m", 30.0, 3000.0, log=True),
        Axis("risk", 1e-4, 1.0, log=True),
        [*curves, Curve("true risk", sizes, risks, 0, dots=True, line=False)],
    )
