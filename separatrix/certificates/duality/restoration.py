"""Feasibility restored where nothing is penalised: a few rows take up what the others leave.

Let β propose g = Σ β_i z_i, small but not 0, over a set S of rows. Let F be r rows of S that span all of
S. As g is a combination of rows of S, there are δ with Σ_F δ_j z_j = −g, and β + δ is feasible, exactly,
while it stays between 0 and the rows' weights. δ need not be known, only bounded: let B hold r columns of
the rows F, and let A ≈ B⁻ᵀ be any matrix with ‖I − A·Bᵀ‖ ≤ η < 1 in the norm of largest row sums. Then B
is regular, δ is unique, and

    max|δ| ≤ max|A·g_B|/(1 − η).                                                                        (1)

Products of matrices are computed to a relative (r + 1)u of the products of their sizes, and 2(r + 2)u is
allowed; g is known to (4) of `logistic_likelihood`.

The entropies of the rows F are concave in δ, so that over |δ| ≤ max|δ| each is least at one of the ends:

    h(β + δ) ≥ min(h(β − max|δ|), h(β + max|δ|)).                                                       (2)

Two enclosures of one entropy differ by a relative 512u < 1e-13 at most, for which 1e-12 is allowed, and the
sums of entropies have less than 900u < 1e-13.

That F spans S is settled by counting: B regular makes the rank of S at least r, and D − r independent
normals that every row of S is orthogonal to, exactly, make it at most r.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.dyadic import Doubles
from separatrix.certificates.arithmetic.enclosures import U, entropy_below
from separatrix.certificates.data.reading import RowSource
from separatrix.certificates.duality.logistic_likelihood import Duality, LikelihoodSums


def signed_doubles(source: RowSource, rows: tuple[int, ...], constant: bool) -> Doubles:
    """The rows z = s(x, 1), or s·x."""
    found = []
    for X, signs, _ in source.gather(rows):
        dense = X.toarray() if hasattr(X, "toarray") else X
        z = np.column_stack([dense, np.ones(len(signs))]) if constant else dense
        found.append(z * signs[:, None])
    return np.concatenate(found)


def independent_columns(basis: Doubles) -> Any:
    """Columns in which the rows are as far from dependent as pivoting finds."""
    from scipy.linalg import qr

    scaled = basis / np.maximum(abs(basis).max(axis=0), 5e-324)
    return np.sort(qr(scaled, mode="r", pivoting=True)[1][: len(basis)])


def correction(duality: Duality, total: LikelihoodSums, basis: Doubles) -> float | None:
    """A bound on max|δ|, or None if the rows are too nearly dependent to tell."""
    if total.sizes is None:
        raise ValueError("The entries of g need bounds of their own: ask for `entries`.")
    g, sizes = total.g, total.sizes * duality.roundings(total) * U * 1.01
    if duality.intercept is not None:
        last = float(np.ldexp(float(total.multiples[1] - total.multiples[0]), -duality.quantum))
        g, sizes = np.append(g, last), np.append(sizes, abs(last) * 2 * U)
    columns = independent_columns(basis)
    square = basis[:, columns].T
    try:
        inverse = np.linalg.inv(square)
    except np.linalg.LinAlgError:
        return None
    r = len(square)
    with np.errstate(all="ignore"):
        size = abs(inverse) @ abs(square)
        rest = abs(np.eye(r) - inverse @ square) + 2 * (r + 2) * U * (size + np.eye(r))
        share = float(rest.sum(axis=1).max()) * 1.001
        change = abs(inverse @ g[columns]) + abs(inverse) @ (
            sizes[columns] + 2 * (r + 2) * U * abs(g[columns])
        )
        bound = float(change.max()) * 1.001 / (1.0 - share)  # (1) above, with η = `share`
    return bound if share < 0.5 and np.isfinite(bound) else None


def restored_entropy(
    total: LikelihoodSums, proposed: Doubles, weights: Doubles, change: float
) -> float | None:
    """The entropies after β has changed by at most ``change`` in the rows with these β and weights; None
    if a β might leave its bounds."""
    low, high = proposed - change * (1 + 4 * U), proposed + change * (1 + 4 * U)
    if (low < 0).any() or (high > weights).any():
        return None
    # (2) above
    least = np.minimum(entropy_below(low, weights), entropy_below(high, weights))
    now = entropy_below(proposed, weights) * (1 + 1e-12)
    entropy = total.entropy + float((least - now).sum())
    return max(0.0, entropy - 1e-13 * (abs(total.entropy) + float(now.sum())))
