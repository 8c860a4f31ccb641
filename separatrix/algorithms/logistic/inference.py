"""Standard errors, Wald's intervals and tests, as a table that a statistician knows.

**Theorem** (Wald, 1943; Wilks, 1938, for this model under the usual regularity). The estimate is
asymptotically normal around the truth, with the inverse of the information as covariance. Twice the
difference of two log-likelihoods is asymptotically chi-squared; its degrees of freedom are the difference of
the models' dimensions, which are ranks: a column that depends on others adds nothing.

A coefficient has no standard error if it runs to infinity, or if it is *aliased*: columns depend on one
another, and the rows do not determine it. The table says which. Without a fit that is near the maximum there
is no table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2, norm

from separatrix.fitting.parameters import is_between

MAX_DISTANCE = 0.1  # standard errors between the fit and the maximum: a fit so near counts as the maximum
FIRTH_PENALTY = "Firth's penalty"
INTERCEPT = "(Intercept)"
MAX_COEFFICIENTS = 1500  # up to here standard errors are kept


@dataclass(frozen=True)
class Inference:
    """What `LogisticRegression.summary` returns; ``str()`` of it is the table.

    Attributes
    ----------
    names : tuple of str
        The columns, and "(Intercept)" first where there is one.
    estimate, standard_error, z, p_value, lower, upper : ndarray
        One entry per coefficient; nan where a coefficient has no finite estimate, or is aliased.
    words : tuple of str
        "finite", "aliased", "+inf", "-inf" or "undetermined" (infinite, of either sign) for each.
    rows : int
        The rows with a weight above 0.
    weight : float
        The sum of the weights.
    log_likelihood, null_log_likelihood : float
        Of this fit, and of the intercept alone or, without an intercept, of all coefficients 0; penalised
        ones for Firth's penalty.
    likelihood_ratio, degrees, p_value_of_ratio : float
        Twice their difference, its degrees of freedom (the rank of the columns beyond the intercept), and its
        p-value by the chi-squared distribution.
    """

    title: str
    names: tuple[str, ...]
    words: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    z: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    rows: int
    weight: float
    log_likelihood: float
    null_log_likelihood: float
    degrees: int

    @property
    def likelihood_ratio(self) -> float:
        return 2.0 * (self.log_likelihood - self.null_log_likelihood)

    @property
    def p_value_of_ratio(self) -> float:
        return float(chi2.sf(max(self.likelihood_ratio, 0.0), self.degrees)) if self.degrees else 1.0

    def to_pandas(self) -> Any:
        """The table as a pandas frame, where pandas is installed."""
        import pandas

        columns = {
            "coef": self.estimate,
            "std err": self.standard_error,
            "z": self.z,
            "P>|z|": self.p_value,
            f"[{(1 - self.level) / 2:.3g}": self.lower,
            f"{(1 + self.level) / 2:.3g}]": self.upper,
        }
        return pandas.DataFrame(columns, index=list(self.names))

    def __str__(self) -> str:
        name_width = max(12, *map(len, self.names))
        tails = f"[{(1 - self.level) / 2:.3g}", f"{(1 + self.level) / 2:.3g}]"
        weighted = "" if self.weight == self.rows else f" (total weight {self.weight:g})"
        null = "of the intercept alone" if self.names[0] == INTERCEPT else "with all coefficients 0"
        freedom = f"{self.degrees} {'degree' if self.degrees == 1 else 'degrees'} of freedom"
        lines = [
            self.title,
            f"rows {self.rows}{weighted}   log-likelihood {self.log_likelihood:.4f}   {null} "
            f"{self.null_log_likelihood:.4f}",
            f"likelihood ratio {self.likelihood_ratio:.4f} on {freedom}, p = {self.p_value_of_ratio:.3g}",
            "",
            " " * name_width + f"{'coef':>11}{'std err':>11}{'z':>9}{'P>|z|':>9}{tails[0]:>11}{tails[1]:>11}",
        ]
        for k, name in enumerate(self.names):
            if self.words[k] == "finite":
                cells = (
                    f"{self.estimate[k]:>11.5g}{self.standard_error[k]:>11.4g}{self.z[k]:>9.3f}"
                    f"{self.p_value[k]:>9.3g}{self.lower[k]:>11.4g}{self.upper[k]:>11.4g}"
                )
            else:
                missing = "unique" if self.words[k] == "aliased" else "finite"
                cells = f"{self.words[k]:>11}{f'no {missing} estimate':>31}"
            lines.append(f"{name:<{name_width}}{cells}")
        return "\n".join(lines)


def make_tables(model: Any, level: float, *, joint: bool) -> Inference | tuple[Inference, ...]:
    """What `LogisticRegression.summary` returns; ``joint``: of the multinomial model."""
    if not hasattr(model, "covariance_"):
        wanted = "penalty=None" if joint else "penalty=None or penalty='firth'"
        raise ValueError(
            "Standard errors are those of a fit without a penalty or with Firth's, of at most "
            f"{MAX_COEFFICIENTS} coefficients: fit with {wanted}."
        )
    if not is_between(level, 0, 1):
        raise ValueError(f"level={level} makes no sense: it is a share between 0 and 1.")
    feature_names = getattr(model, "feature_names_in_", None)
    unnamed = (f"x{j}" for j in range(model.n_features_in_))
    names = tuple(unnamed if feature_names is None else map(str, feature_names))
    if joint:
        # The proof speaks of weights up to ten times as long, among which the best need not be.
        distance = max(model.residual_, bound_distance(model.gap_, model.objective_))
        require_near_maximum("The fit", model.separation_, distance)
        return _make_joint_tables(model, names, level)
    if len(model.classes_) == 2:
        return _make_table(model, lambda name: getattr(model, name), 1, names, level)
    return tuple(
        _make_table(model, lambda name, k=k: getattr(model, name)[k], k, names, level)  # type: ignore[misc]
        for k in range(len(model.classes_))
    )


def _make_table(
    model: Any, get_fact: Callable[[str], Any], positive: int, names: tuple[str, ...], level: float
) -> Inference:
    """The table of one class against the other, or against the rest."""
    is_binary, is_firth = len(model.classes_) == 2, model.penalty == "firth"
    label = model.classes_[positive]
    rest = f"{model.classes_[0]}" if is_binary else "the rest"
    distance = get_fact("residual_") if is_firth else bound_distance(get_fact("gap_"), get_fact("objective_"))
    require_near_maximum(
        "The fit" if is_binary else f"The fit of {label} against the rest", get_fact("separation_"), distance
    )
    place = 0 if is_binary else positive
    method = FIRTH_PENALTY if is_firth else "maximum likelihood"
    return make_inference(
        f"Logistic regression of {label} against {rest}, {method}",
        names,
        np.append(model.coef_[place], model.intercept_[place]),
        get_fact("covariance_"),
        describe_coefficients(get_fact("unbounded_"), get_fact("aliased_")),
        intercept=model.fit_intercept,
        level=level,
        rows=int(get_fact("counted_")),
        weight=float(get_fact("mass_")),
        log_likelihood=float(get_fact("log_likelihood_")),
        null_log_likelihood=float(get_fact("null_log_likelihood_")),
        degrees=int(get_fact("rank_")) - model.fit_intercept,
    )


def _make_joint_tables(model: Any, names: tuple[str, ...], level: float) -> tuple[Inference, ...]:
    """A table for each class but the first, which is the reference of all."""
    n_classes, width = len(model.classes_), model.n_features_in_ + model.fit_intercept
    table = np.column_stack([model.coef_, model.intercept_])
    tables = []
    for k in range(1, n_classes):
        entries = slice((k - 1) * width, k * width)
        tables.append(
            make_inference(
                f"Multinomial logistic regression of {model.classes_[k]} against {model.classes_[0]}, "
                "maximum likelihood",
                names,
                table[k] - table[0],
                model.covariance_[entries, entries],
                describe_coefficients(model.unbounded_[k - 1] if model.unbounded_ else (), model.aliased_),
                intercept=model.fit_intercept,
                level=level,
                rows=model.counted_,
                weight=model.mass_,
                log_likelihood=model.log_likelihood_,
                null_log_likelihood=model.null_log_likelihood_,
                degrees=(n_classes - 1) * (model.rank_ - model.fit_intercept),
            )
        )
    return tuple(tables)


def bound_distance(gap: float, objective: float) -> float:
    """How many standard errors the coefficients may be from the best, by the proven gap.

    Where the log-likelihood is quadratic it falls by t²/2 on the way of t standard errors from its maximum.
    """
    return math.sqrt(2.0 * gap * objective) if math.isfinite(gap * objective) else math.inf


def require_near_maximum(fit: str, separation: str, distance: float) -> None:
    """Refuse a table of weights that are not near a maximum."""
    if separation == "complete":
        raise ValueError(
            f"{fit} has no finite maximum, since the classes are completely separated: no coefficient has a "
            "standard error. Fit with penalty='firth' or penalty='l2'."
        )
    if not distance <= MAX_DISTANCE:
        raise ValueError(
            f"{fit} is not proven to be near the maximum of the likelihood: it may be {distance:.2g} "
            "standard errors away. Allow more steps (max_iter), scale the columns, or drop columns that "
            "nearly depend on one another."
        )


def describe_coefficients(unbounded: tuple[str, ...], aliased: tuple[bool, ...]) -> tuple[str, ...]:
    """The word for each coefficient: where it runs to, unless it is aliased."""
    words = unbounded or ("finite",) * len(aliased)
    return tuple("aliased" if is_aliased else word for word, is_aliased in zip(words, aliased, strict=True))


def make_inference(
    title: str,
    names: tuple[str, ...],
    weights: np.ndarray,
    covariance: np.ndarray,
    words: tuple[str, ...],
    *,
    intercept: bool,
    level: float,
    **facts: Any,
) -> Inference:
    """The table of weights (intercept last) with this covariance; ``words`` as long as the covariance.

    ``facts`` are fields of `Inference` that are of the whole model.
    """
    size = len(covariance)
    order = [size - 1, *range(size - 1)] if intercept else list(range(size))
    finite = np.array([word == "finite" for word in words], bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(finite, weights[:size], np.nan)
        error = np.where(finite, np.sqrt(np.diagonal(covariance)), np.nan)
        z = value / error
    half_width = norm.ppf(0.5 + level / 2) * error
    labels = (*names, INTERCEPT) if intercept else names
    return Inference(
        title=title,
        names=tuple(labels[k] for k in order),
        words=tuple(words[k] for k in order),
        estimate=value[order],
        standard_error=error[order],
        z=z[order],
        p_value=2.0 * norm.sf(np.abs(z))[order],
        lower=(value - half_width)[order],
        upper=(value + half_width)[order],
        level=level,
        **facts,
    )


def invert_on_span(information: np.ndarray, normals: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """The inverse on what the normals leave: the covariance of all that the rows determine."""
    size = len(information)
    if not normals:
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(information), 1e-300))
        return np.asarray(
            np.linalg.pinv(information * scale * scale[:, None], hermitian=True) * scale * scale[:, None]
        )
    # Whole numbers are divided as such: those of a normal may be beyond the largest double.
    directions = np.array([[v / max(map(abs, normal)) for v in normal] for normal in normals])
    basis = np.linalg.qr(directions.T, mode="complete")[0][:, len(normals) :]
    if basis.shape[1] == 0:
        return np.zeros((size, size))
    return np.asarray(basis @ np.linalg.pinv(basis.T @ information @ basis, hermitian=True) @ basis.T)
