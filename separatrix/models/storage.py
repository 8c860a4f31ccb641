"""A fitted model written to JSON and read back."""

from __future__ import annotations

import hashlib
import json
import math
import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

import separatrix
from separatrix import limits
from separatrix.fitting import LinearClassifier, LinearRegressor
from separatrix.models.agreement import find_disagreement
from separatrix.models.model_error import ModelError
from separatrix.models.soundness import require_valid_types
from separatrix.models.values import from_plain, to_plain
from separatrix.models.whole_file import atomic_write

MODELS = (LinearClassifier, LinearRegressor)
FORMAT = "separatrix-model"
VERSION = 1
DAMAGE_ERRORS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
FIELDS = {"format", "version", "library", "estimator", "parameters", "fitted", "digest"}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a JSON file, whole or not at all.

    Parameters
    ----------
    model : a fitted estimator of this library
    path : str or path

    Raises
    ------
    ModelError
        If the model holds what JSON cannot (a step or an order given as a function, a random generator), if
        its weights are not finite, or if they are no longer those that its certificate speaks of.
    """
    text = to_json(model)
    with atomic_write(path) as file:
        file.write(text)


def load(path: str | os.PathLike[str]) -> Any:
    """The model that `save` wrote.

    Raises
    ------
    ModelError
        In one sentence, if the file is damaged, of another format, or of a later version, or if the model in
        it does not predict by the weights, labels and columns that its certificates speak of.
    """
    with open(path, "rb") as file:
        text = limits.content(file, limits.current().model_bytes)
    return from_json(text, name=os.path.basename(os.fspath(path)))


def to_json(model: Any) -> str:
    """The model as JSON text, with the digests of the data that its certificates speak of."""
    name = type(model).__name__
    if not isinstance(model, LinearClassifier | LinearRegressor) or _estimator(name) is not type(model):
        raise ModelError(f"A {name} is not one of this library's models, so it cannot be stored as one.")
    check_is_fitted(model)
    _require_storable(model)
    record = {
        "format": FORMAT,
        "version": VERSION,
        "library": separatrix.__version__,
        "estimator": name,
        "parameters": {key: _parameter(key, value) for key, value in model.get_params(deep=False).items()},
        "fitted": {key: to_plain(value) for key, value in model._fitted_state().items()},
    }
    record["digest"] = _digest(record)
    return _laid_out(record)


def from_json(text: str | bytes, name: str = "the file") -> Any:
    """The model that `to_json` wrote; ``name`` is what messages call the file."""
    model = load_unchecked(text, name)
    found = find_disagreement(model)
    if found is not None:
        raise ModelError(f"{name} contradicts itself: {found}")
    return model


def load_unchecked(text: str | bytes, name: str = "the file") -> Any:
    """The same, without asking whether the model agrees with its own certificates."""
    record = _record(text, name)
    estimator = _estimator(record["estimator"])
    if estimator is None:
        raise ModelError(f"{name} holds a {record['estimator']}, which this library does not have.")
    try:
        parameters = {key: from_plain(value) for key, value in record["parameters"].items()}
        fitted = {key: from_plain(value) for key, value in record["fitted"].items()}
        require_valid_types(fitted)
        model = estimator(**parameters)
        model._check()
        model._restore_state(fitted)
    except ModelError as error:
        raise ModelError(f"{name} is damaged: {error}") from None
    except KeyError as error:
        raise ModelError(f"{name} is damaged: it lacks {error}.") from None
    except DAMAGE_ERRORS as error:
        raise ModelError(f"{name} is damaged: {str(error).rstrip('.')}.") from None
    return model


def _require_storable(model: Any) -> None:
    """Raise a `ModelError` for what `from_json` would refuse."""
    try:
        model._check()
        require_valid_types(
            {key: getattr(model, key) for key in ("coef_", "intercept_") if hasattr(model, key)}
        )
    except (TypeError, ValueError) as error:
        raise ModelError(f"The model cannot be stored: {error}") from None
    found = find_disagreement(model)
    if found is not None:
        raise ModelError(f"The model cannot be stored: {found} Fit it again.")


def _estimator(name: Any) -> type[Any] | None:
    public = isinstance(name, str) and name in dir(separatrix) and not name.startswith("_")
    found = getattr(separatrix, name) if public else None
    return found if isinstance(found, type) and issubclass(found, MODELS) else None


def _parameter(name: str, value: Any) -> Any:
    try:
        return to_plain(value)
    except ModelError as error:
        raise ModelError(
            f"The parameter {name} cannot be stored: {str(error).rstrip('.')}; set it to a number, a list or "
            f"its default with set_params({name}=...) and save again, what was learned stays."
        ) from None


def _digest(record: dict[str, Any]) -> str:
    content = {key: value for key, value in record.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _laid_out(record: dict[str, Any]) -> str:
    """JSON with a line for each thing that is told, and for each thing that was learned."""

    def lines(fields: dict[str, Any], indent: str) -> str:
        parts = []
        for key, value in fields.items():
            nested = key == "fitted"
            text = lines(value, indent + " ") if nested else json.dumps(value, allow_nan=False)
            parts.append(f"{indent}{json.dumps(key)}: {text}")
        return "{\n" + ",\n".join(parts) + f"\n{indent[:-1]}}}"

    return lines(record, " ") + "\n"


def _record(text: str | bytes, name: str) -> dict[str, Any]:
    known = limits.current()
    if len(text) > known.model_bytes:
        raise ModelError(known.too_much(f"{name} is too large", "model_bytes"))
    if limits.depth(text if isinstance(text, bytes) else text.encode("utf-8", "replace")) > known.nesting:
        raise ModelError(known.too_much(f"{name} nests lists too deeply", "nesting"))
    try:
        record = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_once_each
        )
    except (ValueError, RecursionError):
        raise ModelError(f"{name} is no model, or a damaged one: it is not whole JSON.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ModelError(f"{name} is no model of this library: its 'format' does not read {FORMAT!r}.")
    version = record.get("version")
    if type(version) is not int or version < 1:
        raise ModelError(f"{name} is damaged: its 'version' is {version!r}.")
    if version > VERSION:
        raise ModelError(
            f"{name} is of version {version} of the format; this library reads up to {VERSION}: update it."
        )
    odd = sorted(FIELDS ^ record.keys())
    if odd:
        raise ModelError(
            f"{name} is damaged: it {'lacks' if odd[0] in FIELDS else 'should not have'} {odd[0]!r}."
        )
    if record["digest"] != _digest(record):
        raise ModelError(f"{name} is damaged or was edited: its content does not match its digest.")
    if not isinstance(record["parameters"], dict) or not isinstance(record["fitted"], dict):
        raise ModelError(f"{name} is damaged: its parameters or what was learned are no objects.")
    return record


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("said twice")
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
