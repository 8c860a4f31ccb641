"""The attributes of a fitted model: set after a fit, saved, and restored."""

from __future__ import annotations

import re
from typing import Any

FITTED_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]*_")
COLUMNS = {"n_features_in_", "feature_names_in_", "preparation_"}
COMMON_ATTRIBUTES = {"classes_", "coef_", "intercept_", "halfspace_", "certificate_", "history_"} | COLUMNS


def set_attributes(model: Any, attributes: dict[str, Any], facts: tuple[str, ...]) -> None:
    """Set what a fit has found, and delete the facts of an earlier fit that this one lacks."""
    for stale in set(model._facts) - set(facts):
        vars(model).pop(f"{stale}_", None)
    model._facts = facts
    for name, value in attributes.items():
        setattr(model, name, value)


def collect_attributes(model: Any) -> dict[str, Any]:
    """What a fit has found, by the names it has on the model."""
    return {key: value for key, value in vars(model).items() if FITTED_ATTRIBUTE.fullmatch(key)}


def restore_attributes(model: Any, state: dict[str, Any]) -> None:
    """Set what `collect_attributes` gave; raises for a name that no fit sets."""
    for key, value in state.items():
        if not FITTED_ATTRIBUTE.fullmatch(key) or hasattr(type(model), key):
            raise ValueError(f"it holds {key!r}, which is nothing that a model learns.")
        setattr(model, key, value)
    model._facts = tuple(key[:-1] for key in state if key not in COMMON_ATTRIBUTES)
