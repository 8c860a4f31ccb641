"""Whether a model predicts by the very weights, labels and columns that its certificates speak of.

A certificate proves something about numbers of its own. That is a proof about the model only if the model
predicts by the same numbers, which a model file could deny. Data is not needed to find out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import Certificate, JointLikelihoodWithin, Separable, Undecided
from separatrix.certificates.data.labels import same_label
from separatrix.certificates.data.preparation import preparation_of


class ModelCertificate(NamedTuple):
    """A certificate of a model, under the name of its attribute, with its place among the classes."""

    name: str
    place: int
    certificate: Certificate


def find_disagreement(model: Any) -> str | None:
    """What of a fitted model is not what its certificates say, in a sentence; None if they agree.

    >>> import separatrix as sx
    >>> model = sx.Perceptron().fit([[0.0], [1.0]], ["no", "yes"])
    >>> find_disagreement(model) is None
    True
    >>> model.coef_ = -model.coef_
    >>> find_disagreement(model)
    'its coef_ and intercept_ are not the numbers of its halfspace_.'
    """
    return next(_differences(model), None)


def names_weights(certificate: Certificate) -> bool:
    """Whether a certificate speaks of weights at all; proofs that none exist speak of the rows alone."""
    return hasattr(certificate, "weights") or isinstance(certificate, JointLikelihoodWithin)


def unknown_label(model: Any, labels: Iterable[Any] | None) -> Any:
    """The first of the labels of some data that is none of the model's classes; None if there is none.

    A model of one class against "not" that class knows every label.
    """
    if labels is None or not hasattr(model, "classes_"):
        return None
    classes = model.classes_.tolist()
    if len(classes) == 2 and str(classes[0]) == f"not {classes[1]}":
        return None
    plain = (label.item() if hasattr(label, "item") else label for label in labels)
    return next((label for label in plain if not any(same_label(label, known) for known in classes)), None)


def _differences(model: Any) -> Iterator[str]:
    classes = getattr(model, "classes_", None)
    n_tasks = 1 if classes is None or len(classes) == 2 else len(classes)
    preparation = getattr(model, "preparation_", None)
    if preparation is not None and list(preparation.names) != _names(model):
        yield "its feature_names_in_ are not the columns that its preparation_ makes."
    if hasattr(model, "voters_") and (hasattr(model, "certificate_") or hasattr(model, "mistake_run_")):
        yield "it predicts by the votes of its voters_, of which no certificate speaks."
    halfspaces = _each(getattr(model, "halfspace_", None), n_tasks)
    if halfspaces is None:
        yield "its halfspace_ should be one for each class against the rest."
    for place, halfspace in enumerate(halfspaces or ()):
        if halfspace is not None and not _same_plane(model, place, halfspace):
            yield "its coef_ and intercept_ are not the numbers of its halfspace_."
    for name in ("certificate_", "mistake_run_"):
        found = getattr(model, name, None)
        if isinstance(found, JointLikelihoodWithin):
            if not getattr(model, "_is_multinomial", False):
                yield f"its {name} speaks of a multinomial model, which it is not."
            else:
                yield from _joint_differences(model, found)
            continue
        if (
            name == "certificate_"
            and getattr(model, "_is_multinomial", False)
            and not isinstance(found, Undecided)
        ):
            yield f"its {name} does not speak of a multinomial model, which it is."
        certificates = _each(found, 1 if isinstance(found, Undecided) else n_tasks)
        if certificates is None:
            yield f"its {name} should be one certificate for each class against the rest."
        for place, certificate in enumerate(certificates or ()):
            if certificate is not None:
                yield from _task_differences(model, ModelCertificate(name, place, certificate))


def _task_differences(model: Any, named: ModelCertificate) -> Iterator[str]:
    name, place, certificate = named
    yield from _column_differences(model, name, certificate)
    classes = getattr(model, "classes_", None)
    if classes is not None and not isinstance(certificate, Undecided):
        label = classes.tolist()[1 if len(classes) == 2 else place]
        positive = certificate.about.positive
        if positive is None or not same_label(positive, label):
            yield f"its {name} takes {positive!r} for +1, its classes_ take {label!r}."
    if hasattr(certificate, "weights"):
        given: Any = certificate
        numbers = [*given.weights, getattr(given, "intercept", None) or 0.0]
        # Separation alone does not depend on the scale of the weights, which whole numbers may change.
        if _doubles(model, place) != numbers and not (
            isinstance(certificate, Separable) and _whole_halfspace(model, place, numbers)
        ):
            yield f"its {name} speaks of other weights than its coef_ and intercept_."


def _joint_differences(model: Any, certificate: JointLikelihoodWithin) -> Iterator[str]:
    yield from _column_differences(model, "certificate_", certificate)
    labels = model.classes_.tolist()
    if len(labels) != len(certificate.classes) or not all(map(same_label, labels, certificate.classes)):
        yield "its certificate_ has other classes than its classes_, or another order of them."
        return
    intercepts = certificate.intercepts or (0.0,) * len(labels)
    for place, (weights, intercept) in enumerate(zip(certificate.coefficients, intercepts, strict=True)):
        if _doubles(model, place) != [*weights, intercept]:
            yield "its certificate_ speaks of other weights than its coef_ and intercept_."


def _column_differences(model: Any, name: str, certificate: Certificate) -> Iterator[str]:
    about = certificate.about
    if about.columns not in (None, model.n_features_in_):
        yield f"its {name} speaks of {about.columns} columns, the model of {model.n_features_in_}."
    preparation = getattr(model, "preparation_", None)
    if about.preparation is not None and (
        preparation is None or preparation_of(preparation) != about.preparation
    ):
        yield f"its {name} speaks of columns that were prepared otherwise than its preparation_ says."
    if isinstance(certificate, Undecided) and about.features is None:
        return
    if (None if about.features is None else list(about.features)) != _names(model):
        yield f"its {name} speaks of other columns than its feature_names_in_, or of another order."


def _names(model: Any) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else list(map(str, names))


def _each(found: Any, n_tasks: int) -> tuple[Any, ...] | None:
    """One value for each task, or None if there are more or fewer."""
    if found is None:
        return ()
    values = found if isinstance(found, tuple) else (found,)
    return values if len(values) == n_tasks and isinstance(found, tuple) is (n_tasks > 1) else None


def _doubles(model: Any, place: int) -> list[float]:
    weights = np.atleast_2d(model.coef_)[place].tolist()
    return [*weights, float(np.atleast_1d(model.intercept_)[place])]


def _same_plane(model: Any, place: int, halfspace: Any) -> bool:
    numbers, doubles = list(halfspace.numbers), _doubles(model, place)
    scaled = halfspace.exact and not hasattr(model, "predict_proba")  # probabilities depend on the scale
    return numbers == doubles or (scaled and rounds_to(numbers, doubles))


def _whole_halfspace(model: Any, place: int, numbers: list[Any]) -> bool:
    """Whether they are the whole numbers of the model's halfspace, which no doubles equal."""
    found = getattr(model, "halfspace_", None)
    halfspace = found[place] if isinstance(found, tuple) else found
    return halfspace is not None and halfspace.exact and list(halfspace.numbers) == numbers


def rounds_to(numbers: Sequence[int | float | Fraction], doubles: Sequence[float]) -> bool:
    """Whether the doubles are those nearest to the numbers, all divided by one power of two.

    >>> rounds_to([3 * 2**60 + 1, 2**61], [3.0, 2.0]), rounds_to([3, 2], [3.0, -2.0])
    (True, False)
    """
    exact = [Fraction(number) for number in numbers]
    largest = max(range(len(exact)), key=lambda place: abs(exact[place]))
    if len(exact) != len(doubles) or not doubles[largest] or not exact[largest]:
        return len(exact) == len(doubles) and not any(exact) and not any(doubles)
    ratio = abs(exact[largest] / Fraction(doubles[largest]))
    exponent = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    near = (Fraction(2) ** power for power in (exponent - 1, exponent, exponent + 1))
    return any(all(map(_nearest, (number / unit for number in exact), doubles)) for unit in near)


def _nearest(number: Fraction, double: float) -> bool:
    try:
        return float(number) == double
    except OverflowError:
        return math.isinf(double) and (number > 0) is (double > 0)
