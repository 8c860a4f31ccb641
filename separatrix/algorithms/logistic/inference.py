"""Standard errors, Wald's intervals and tests, as a table that a statistician knows.

**Theorem** (Wald, 1943, for this model under the usual regularity). The estimate is asymptotically normal
around the truth, with the inverse of the information as covariance. Where a coefficient runs to infinity,
or is not determined, it has no standard error: the table says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2, norm


@dataclass(frozen=True)
class Inference:
    """What `LogisticRegression.summary` returns; ``str()`` of it is the table.

    Attributes
    ----------
    names : tuple of str
        The columns, and "(Intercept)" first where there is one.
    estimate, standard_error, z, p_value, lower, upper : ndarray
        One entry a coefficient; nan where a coefficient has no finite estimate.
    words : tuple of str
        "finite", "+inf", "-inf" or "undetermined" for each.
    log_likelihood, null_log_likelihood : float
        Of this fit, and of the intercept alone; penalised ones for Firth's penalty.
    likelihood_ratio, degrees, p_value_of_ratio : float
        Twice their difference, its degrees of freedom, and its p-value by the chi-squared distribution.
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
    rows: float
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
        wide = max(12, *map(len, self.names))
        tails = f"[{(1 - self.level) / 2:.3g}", f"{(1 + self.level) / 2:.3g}]"
        lines = [
            self.title,
            f"rows {self.rows:g}   log-likelihood {self.log_likelihood:.4f}   of the intercept alone "
            f"{self.null_log_likelihood:.4f}",
            f"likelihood ratio {self.likelihood_ratio:.4f} on {self.degrees} degrees of freedom, "
            f"p = {self.p_value_of_ratio:.3g}",
            "",
            " " * wide + f"{'coef':>11}{'std err':>11}{'z':>9}{'P>|z|':>9}{tails[0]:>11}{tails[1]:>11}",
        ]
        for k, name in enumerate(self.names):
            if self.words[k] == "finite":
                cells = (
                    f"{self.estimate[k]:>11.5g}{self.standard_error[k]:>11.4g}{self.z[k]:>9.3f}"
                    f"{self.p_value[k]:>9.3g}{self.lower[k]:>11.4g}{self.upper[k]:>11.4g}"
                )
            else:
                cells = f"{self.words[k]:>11}{'no finite estimate':>31}"
            lines.append(f"{name:<{wide}}{cells}")
        return "\n".join(lines)


def infer(
    title: str,
    names: tuple[str, ...],
    weights: np.ndarray,
    covariance: np.ndarray,
    words: tuple[str, ...],
    *,
    intercept: bool,
    level: float,
    rows: float,
    log_likelihood: float,
    null_log_likelihood: float,
    degrees: int | None = None,
) -> Inference:
    """The table of weights (intercept last) with this covariance; ``words`` as long as the covariance.

    ``degrees`` are those of the likelihoods, where these are of more than this table.
    """
    size = len(covariance)
    order = [size - 1, *range(size - 1)] if intercept else list(range(size))
    estimate = weights[: len(names)] if not intercept else weights
    finite = np.array([word == "finite" for word in words]) if words else np.ones(size, bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(finite, np.sqrt(np.diagonal(covariance)), np.nan)
        z = np.where(finite, estimate[:size] / error, np.nan)
    reach = norm.ppf(0.5 + level / 2) * error
    low, high = estimate[:size] - reach, estimate[:size] + reach
    labels = (*names, "(Intercept)") if intercept else names
    told = words or ("finite",) * size
    value = np.where(finite, estimate[:size], np.nan)
    return Inference(
        title=title,
        names=tuple(labels[k] for k in order),
        words=tuple(told[k] for k in order),
        estimate=value[order],
        standard_error=error[order],
        z=z[order],
        p_value=2.0 * norm.sf(np.abs(z))[order],
        lower=low[order],
        upper=high[order],
        level=level,
        rows=rows,
        log_likelihood=log_likelihood,
        null_log_likelihood=null_log_likelihood,
        degrees=size - intercept if degrees is None else degrees,
    )


def projected_inverse(information: np.ndarray, normals: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """The inverse on what the normals leave: the covariance of all that the rows determine."""
    size = len(information)
    if not normals:
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(information), 1e-300))
        return np.asarray(
            np.linalg.pinv(information * scale * scale[:, None], hermitian=True) * scale * scale[:, None]
        )
    table = np.array([[float(v) / max(map(abs, normal)) for v in normal] for normal in normals])
    frame = np.linalg.qr(table.T, mode="complete")[0][:, len(normals) :]
    if frame.shape[1] == 0:
        return np.zeros((size, size))
    return np.asarray(frame @ np.linalg.pinv(frame.T @ information @ frame, hermitian=True) @ frame.T)
