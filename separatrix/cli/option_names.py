"""How the command line spells the parameters that messages name."""

from __future__ import annotations

import shlex

from separatrix.messages import NO_VALUE, Parameter, PythonOnly, spell

OPTIONS = {
    "C": "-C",
    "alpha": "--alpha",
    "budget": "--budget",
    "center": "--center",
    "checkpoint": "--checkpoint",
    "class_weight": "--balanced",
    "confidence": "--confidence",
    "delimiter": "--delimiter",
    "drop": "--drop",
    "encode": "--encode",
    "features": "--features",
    "fit_intercept": "--no-intercept",
    "format": "--format",
    "hashed": "--hashed",
    "header": "--header",
    "label": "--label",
    "loss": "--loss",
    "max_iter": "--max-iter",
    "max_mistakes": "--max-mistakes",
    "missing": "--missing",
    "n_jobs": "--jobs",
    "node_limit": "--node-limit",
    "order": "--order",
    "penalty": "--penalty",
    "positive": "--positive",
    "random_state": "--seed",
    "scale": "--scale",
    "seed": "--seed",
    "share": "--share",
    "step": "--step",
    "text": "--text",
    "time_limit": "--time-limit",
    "tol": "--tol",
    "variant": "--variant",
}
OPTIONS_WITH_VALUE = {
    ("center", True): "--center",
    ("encode", True): "--encode",
    ("fit_intercept", False): "--no-intercept",
    ("header", False): "--no-header",
    ("header", True): "--header",
    ("penalty", None): "-C inf",
}


def option_of(part: Parameter | PythonOnly) -> str:
    """The option that sets a parameter, with its value; nothing for words about Python.

    >>> option_of(Parameter("max_iter")), option_of(Parameter("drop", ["", "id"]))
    ('--max-iter', '--drop ,id')
    >>> option_of(Parameter("header", False)), option_of(Parameter("text", ["two words"]))
    ('--no-header', "--text 'two words'")
    """
    if isinstance(part, PythonOnly):
        return ""
    name, value = part.name, part.value
    if name not in OPTIONS:
        return str(part)
    if value is NO_VALUE:
        return OPTIONS[name]
    if isinstance(value, list):
        value = ",".join(map(str, value))
    elif (name, value) in OPTIONS_WITH_VALUE:
        return OPTIONS_WITH_VALUE[name, value]
    return f"{OPTIONS[name]} {shlex.quote(str(value))}"


def with_options(sentence: str) -> str:
    """The sentence with its parameters spelled as options."""
    spelled: str = spell(sentence, option_of)
    return spelled
