"""Figures about risk, mistakes and what bounds say of them."""

from __future__ import annotations

import numpy as np

from separatrix import theory
from separatrix.algorithms.perceptrons.perceptron import Perceptron
from separatrix.algorithms.separation import separate
from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.halfspace import Halfspace
from separatrix.problems import orthonormal, separable
from separatrix.reports.figures.chart import Axis, Chart, Line, stroke
from separatrix.reports.figures.svg_chart import to_svg


def sample_sizes(delta: float = 0.05, dimension: int = 3) -> str:
    """Rows that suffice against ε, for every published bound."""
    accuracies = np.geomspace(0.01, 0.5, 25)
    curves = []
    for place, size in enumerate(theory.SAMPLE_SIZES.values()):
        rows = [size.bound(e, delta, dimension).value for e in accuracies]
        kind = "" if size.realizable else "\n(agnostic)"
        curves.append(Line(accuracies, rows, *stroke(place), f"{size.name}{kind}"))
    description = (
        "Rows that suffice against the accuracy epsilon, both on logarithmic scales. Realizable bounds "
        "grow like 1 over epsilon, agnostic ones like its square; that of the maximum-margin halfspace "
        "is the smallest."
    )
    return to_svg(
        Chart("", Axis("accuracy ε", 0.01, 0.5, log=True), Axis("rows", 10.0, 1e8, log=True), curves),
        "sample-sizes",
        f"Rows that suffice for dimension {dimension} and δ = {delta}",
        description,
    )


def uniform_convergence(repeats: int = 100) -> str:
    """The largest gap of all halfspaces, and that of one, against the number of rows."""
    random = np.random.default_rng(0)
    distribution = theory.FiniteDistribution(random.normal(size=(20, 2)), random.choice((-1, 1), size=20))
    seen = theory.uniform_convergence(
        distribution, np.geomspace(10, 100_000, 13).astype(int), repeats=repeats
    )
    curves = [
        Line(seen.sizes, seen.bound, *stroke(1), "bound of Vapnik and\nChervonenkis, all halfspaces"),
        Line(
            seen.sizes,
            np.quantile(seen.gaps, 0.95, axis=1),
            *stroke(0),
            "largest gap of all\nhalfspaces, 95th percentile",
        ),
        Line(
            seen.sizes,
            np.quantile(seen.single, 0.95, axis=1),
            *stroke(2),
            "gap of one halfspace\nfixed beforehand, 95th percentile",
        ),
    ]
    description = (
        "Gaps between risk and training error against the number of rows, both on logarithmic scales. "
        "The largest gap over all halfspaces shrinks as fast as that of a single one, at a higher "
        "level; the bound lies above."
    )
    return to_svg(
        Chart(
            "",
            Axis("rows m", 10.0, 100_000.0, log=True),
            Axis("gap between risk and training error", 1e-3, 1.0, log=True),
            curves,
        ),
        "uniform-convergence",
        "Training errors of all halfspaces approach their risks",
        description,
    )


def learning_curves(repeats: int = 20) -> str:
    """Risk of the maximum-margin halfspace against its bounds."""
    sizes = np.geomspace(10, 3000, 9).astype(int)
    curve = theory.learning_curve(theory.PlantedNormal((1.0, 1.0)), sizes, repeats=repeats)
    assert curve.own_bound is not None
    curves = [
        Line(curve.sizes, curve.bound, *stroke(1), "bound for every halfspace\nwithout training errors"),
        Line(curve.sizes, curve.own_bound, *stroke(3), "bound for the\nmaximum-margin halfspace"),
        Line(curve.sizes, curve.worst, *stroke(2), "risk, 95th percentile"),
        Line(curve.sizes, curve.risk, *stroke(0), "risk, mean", dots=True),
    ]
    description = (
        "Risk against the number of rows, both on logarithmic scales. The mean risk and its 95th "
        "percentile fall like 1 over m; the bound of the maximum-margin halfspace is a few times "
        "larger, that of all consistent halfspaces more, and both fall at the same rate. The training "
        "error is zero throughout."
    )
    return to_svg(
        Chart("", Axis("rows m", 10.0, 3000.0, log=True), Axis("risk", 1e-4, 1.0, log=True), curves),
        "learning-curves",
        "A learning curve and its bounds",
        description,
    )


def margins(repeats: int = 40) -> str:
    """Risk against the share of the largest margin, at training error zero."""
    found = theory.margin_experiment((1.0, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0.01), repeats=repeats)
    curves = [
        Line(found.shares, found.mean_risk, *stroke(0), "mean risk", dots=True),
        Line(found.shares, np.zeros(len(found.shares)), *stroke(1), "training error"),
    ]
    description = (
        "Mean risk against the share of the largest margin that a halfspace has. All have training "
        f"error zero. The risk falls from {found.mean_risk[-1]:.3f} at a share of 0.01 to "
        f"{found.mean_risk[0]:.3f} at 1."
    )
    return to_svg(
        Chart("", Axis("margin, as a share of the largest", 0.0, 1.0), Axis("risk", 0.0, 0.12), curves),
        "margins",
        "Without a training error, the margin decides",
        description,
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
        Line(line, line, *stroke(1), "Novikoff's bound"),
        Line(tight, counted, *stroke(2), "orthonormal rows", dots=True, line=False),
        Line(allowed, made, *stroke(0), "random separable rows", dots=True, line=False),
    ]
    description = (
        "Mistakes against Novikoff's bound, both on logarithmic scales. Orthonormal rows lie on the "
        "bound; random separable rows with smaller and smaller margins lie well below it."
    )
    return to_svg(
        Chart("", Axis("(R/γ)²", 2.0, 1e6, log=True), Axis("mistakes", 1.0, 1e6, log=True), curves),
        "mistakes",
        "Mistakes and their bound",
        description,
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
    return to_svg(
        Chart(
            "",
            Axis("rows of the stream", 20.0, 10_000.0, log=True),
            Axis("share", 1e-3, 1.0, log=True),
            [
                Line(sizes, bound, *stroke(1), "bound, with probability 0.95"),
                Line(sizes, mean, *stroke(2), "mean risk of the\nhypotheses so far"),
                Line(sizes, share, *stroke(0), "share of mistakes", dots=True),
            ],
        ),
        "online",
        "Mistakes on a stream, and the risk they stand for",
        description,
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
    return to_svg(
        Chart(
            "",
            Axis("threshold c", -3.0, 3.0),
            Axis("risk", 0.0, 0.8),
            [
                Line(places, risks, *stroke(0), "risk of x > c"),
                Line([-3, 3], [best.risk, best.risk], *stroke(1), "Bayes risk"),
            ],
            [(float(-best.halfspace.intercept / best.halfspace.weights[0]), "Bayes rule")],
        ),
        "thresholds",
        "The risk of every threshold",
        description,
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
        Line(
            sizes,
            values[name],
            *stroke(k),
            name + ("\n(500 held-out rows)" if name.startswith("Clopper") else ""),
        )
        for k, name in enumerate(ordered)
    ]
    description = (
        "Bounds on the risk of a maximum-margin halfspace against the number of training rows, both on "
        f"logarithmic scales. From the smallest at the end: {', '.join(ordered)}. Its true risk lies "
        "below all of them."
    )
    return to_svg(
        Chart(
            "",
            Axis("training rows m", 30.0, 3000.0, log=True),
            Axis("risk", 1e-4, 1.0, log=True),
            [*curves, Line(sizes, risks, *stroke(0), "true risk", dots=True, line=False)],
        ),
        "promises",
        "What theory promises of one model, and its true risk",
        description,
    )
