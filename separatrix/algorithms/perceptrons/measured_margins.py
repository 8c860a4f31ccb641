"""R and γ of some weights, in floats and for certain, and what the theorem allows for them."""

from __future__ import annotations

import math

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner, euclidean_norm
from separatrix.algorithms.perceptrons.row_norms import RowNorms

LEAST_DOUBLE = 2.0**-1074


def evaluate_bounds(
    learner: Learner, weights: np.ndarray, min_margin: float, norms: RowNorms, *, is_centred: bool
) -> dict[str, float | None]:
    """What the theorem allows for the margin that was found, with the origin where it is and in the middle of
    the rows."""
    bounds: dict[str, float | None] = {}
    run_suffix = "_centred" if is_centred else ""
    per_update = norms.rows.n_rows if learner.bounded_quantity == "rounds" else 1
    for suffix, radius_and_margin in certify_radius_and_margin(
        weights, min_margin, learner.constant, norms
    ).items():
        bound = None
        if radius_and_margin is not None and (learner.start is None or suffix == run_suffix):
            bound = learner.bound(*radius_and_margin, learner.prediction_weights())
        bound = None if bound is None or not bound < math.inf else bound
        if learner.bounded_quantity != "mistakes":
            bounds[f"update_bound{suffix}"] = bound
        bounds[f"mistake_bound{suffix}"] = None if bound is None else per_update * bound
    return bounds


@np.errstate(over="ignore", invalid="ignore")
def measure_margins(
    weights: np.ndarray, min_margin: float, constant: float, norms: RowNorms
) -> dict[str, float]:
    """R and γ of these weights, for the rows as they are and as centring would have them.

    γ is the margin of the rows (x, 1), or x without intercept; the geometric margin leaves the intercept out
    of the norm.
    """
    return {
        "geometric_margin": _divide(min_margin, euclidean_norm(weights[:-1])),
        "radius": norms.radius(constant),
        "margin": _divide(min_margin, euclidean_norm(weights)),
        "radius_centred": norms.radius_centred(constant),
        # Through the origin there is no hyperplane to move.
        "margin_centred": _divide(min_margin, euclidean_norm(_moved_to_centre(weights, norms)))
        if constant
        else math.nan,
    }


@np.errstate(over="ignore", invalid="ignore")
def certify_radius_and_margin(
    weights: np.ndarray, min_margin: float, constant: float, norms: RowNorms
) -> dict[str, tuple[float, float] | None]:
    """R from above and γ from below, rounding included, for the rows as they are ("") and "_centred"; None
    where no margin is certain.

    The smallest score is off by at most (d + 3)u‖w‖R, a sum of squares by a share (d + 3)u, u = 2⁻⁵³; where
    the origin is moved to c by u times the same with R + ‖c‖ in the place of R. Four times as much is
    allowed for each.
    """
    unit = (len(weights) + 8) * 2.0**-51
    radius, norm, centre_norm = norms.radius(constant), euclidean_norm(weights), euclidean_norm(norms.centre)
    moved_norm = euclidean_norm(_moved_to_centre(weights, norms))
    underflow = (len(weights) + 8) * LEAST_DOUBLE  # to underflow, product by product
    certain_margin = min_margin - unit * norm * radius - underflow
    moved_radius = radius + centre_norm
    centred_radius = math.hypot(norms.radius_centred(constant), math.sqrt(unit) * moved_radius)
    certain = {
        "": (radius * (1.0 + unit), _divide(certain_margin, norm) * (1.0 - unit)),
        "_centred": (
            centred_radius * (1.0 + unit),
            _divide(
                certain_margin - unit * norm * moved_radius, moved_norm + unit * norm * (1.0 + centre_norm)
            )
            * (1.0 - unit),
        ),
    }
    if not constant:
        certain["_centred"] = (math.inf, 0.0)
    return {name: pair if is_in_safe_range(*pair) else None for name, pair in certain.items()}


def is_in_safe_range(radius: float, margin: float) -> bool:
    """Whether squares and quotients of the two are doubles."""
    return margin > 1e-140 and radius < 1e140


def _moved_to_centre(weights: np.ndarray, norms: RowNorms) -> np.ndarray:
    """The same hyperplane with the origin at the centre."""
    moved = weights.copy()
    moved[-1] += np.sum(weights[:-1] * norms.centre)
    return moved


def _divide(numerator: float, denominator: float) -> float:
    """Not a number where either is out of the range of doubles: nothing is known then."""
    is_known = 0 < denominator < math.inf and abs(numerator) < math.inf
    return float(numerator) / float(denominator) if is_known else float(numerator) and math.nan
