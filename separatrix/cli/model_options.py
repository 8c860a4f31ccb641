"""The models of the command line: their names, and the options that are their parameters."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import click

from separatrix.cli.option_names import OPTIONS

MODELS = {
    "perceptron": "Perceptron",
    "pocket": "PocketPerceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "margin": "MarginPerceptron",
    "batch": "BatchPerceptron",
    "passive-aggressive": "PassiveAggressive",
    "max-margin": "MaxMargin",
    "svm": "LinearSVM",
    "logistic": "LogisticRegression",
    "zero-one": "ZeroOne",
    "linear": "LinearRegression",
    "ridge": "Ridge",
}
REGRESSIONS = ("linear", "ridge")  # they predict numbers, the others classes
ORDERS = ("cyclic", "shuffled", "first-violator", "worst-violator")
# Parameters that have no effect beside a choice, as in the models themselves.
WITHOUT_EFFECT = {("penalty", "firth"): ("C", "tol"), ("variant", "PA"): ("C",)}


class NumberParameter(click.ParamType):
    """A number that is one: float() takes nan, which no parameter means."""

    name = "float"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number.", param, context)
        if math.isnan(number):
            self.fail("nan is not a number.", param, context)
        return number


class PenaltiesParameter(click.ParamType):
    """A penalty, or several with commas between."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        found = [NumberParameter().convert(piece.strip(), param, context) for piece in str(value).split(",")]
        return found[0] if len(found) == 1 else found


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option --model and one for each parameter; what is not given is None."""
    whole = click.IntRange(min=1)
    for option in reversed(
        [
            click.option(
                "--model",
                type=click.Choice(list(MODELS)),
                default="perceptron",
                show_default=True,
                help="The method. linear and ridge predict numbers, the others classes.",
            ),
            click.option(
                "--max-iter",
                type=whole,
                help="perceptrons: passes over the rows before the fit gives up; logistic, svm: steps.",
            ),
            click.option("--max-mistakes", type=whole, help="Stop after so many mistakes."),
            click.option("--order", type=click.Choice(ORDERS), help="The order in which rows are visited."),
            click.option("--step", type=NumberParameter(), help="The step at a mistake."),
            click.option("--center", is_flag=True, default=None, help="Run on rows moved to their mean."),
            click.option(
                "fit_intercept",
                "--no-intercept",
                flag_value=False,
                default=None,
                help="A boundary through the origin.",
            ),
            click.option(
                "--share",
                type=NumberParameter(),
                help="margin: the share of the best margin, between 0 and 1.",
            ),
            click.option(
                "C",
                "-C",
                type=NumberParameter(),
                help="logistic, svm: the cost of the loss, inf for no penalty or a hard margin; "
                "passive-aggressive: how far one row may move the weights.",
            ),
            click.option(
                "--variant", type=click.Choice(["PA", "PA-I", "PA-II"]), help="passive-aggressive: which one."
            ),
            click.option(
                "--penalty",
                type=click.Choice(["l2", "firth"]),
                help="logistic: which one; -C inf is none.",
            ),
            click.option(
                "--loss",
                type=click.Choice(["hinge", "squared_hinge"]),
                help="svm: what a row short of 1 costs.",
            ),
            click.option(
                "class_weight",
                "--balanced",
                flag_value="balanced",
                default=None,
                help="logistic, svm, zero-one: every class weighs the same.",
            ),
            click.option(
                "--tol",
                type=NumberParameter(),
                help="logistic, svm, max-margin, zero-one: end at this relative gap.",
            ),
            click.option(
                "--alpha",
                type=PenaltiesParameter(),
                metavar="NUMBERS",
                help="ridge: the penalty, inf for the mean alone; of several, with commas between, the best "
                "on rows left out.",
            ),
            click.option(
                "--time-limit",
                type=NumberParameter(),
                metavar="SECONDS",
                help="zero-one, max-margin: stop after this; inf: never.  [zero-one: 60]",
            ),
            click.option("--node-limit", type=whole, help="zero-one: stop after so many nodes."),
            click.option(
                "--checkpoint", metavar="FILE", help="zero-one: keep the search here, and go on from it."
            ),
            click.option("random_state", "--seed", type=int, help="For what is drawn.  [default: 0]"),
            click.option(
                "n_jobs", "--jobs", type=int, help="Threads for work that can be divided; -1: all cores."
            ),
        ]
    ):
        function = option(function)
    return function


def make_estimator(model: str, given: dict[str, Any], *, seeds: bool = False) -> Any:
    """The estimator of that name; an option it has no use for is refused.

    ``seeds``: something besides the model has a use for --seed.
    """
    import separatrix

    kind = getattr(separatrix, MODELS[model])
    known = inspect.signature(kind).parameters
    chosen = {name: value for name, value in given.items() if value is not None}
    if seeds and "random_state" not in known:
        chosen.pop("random_state", None)
    for name in chosen:
        if name not in known:
            homes = [
                m for m, k in MODELS.items() if name in inspect.signature(getattr(separatrix, k)).parameters
            ]
            raise click.UsageError(
                f"{OPTIONS[name]} is no option of the model {model}; it is one of {', '.join(homes)}."
            )
    for (name, value), ignored in WITHOUT_EFFECT.items():
        for other in ignored:
            if chosen.get(name) == value and other in chosen:
                raise click.UsageError(
                    f"{OPTIONS[other]} has no effect with {OPTIONS[name]} {value}: leave it out."
                )
    if "random_state" in known:
        chosen.setdefault("random_state", 0)
    if chosen.get("time_limit") == math.inf:
        chosen["time_limit"] = None
    return kind(**chosen)
