"""Exact linear algebra over whole numbers, fractions and finite fields, and balls: FLINT's types.

The only module that imports python-flint, so that another library could take its place here.
"""

from __future__ import annotations

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz, fmpz_mat, nmod_mat

__all__ = ["arb", "arb_mat", "ctx", "fmpq", "fmpq_mat", "fmpz", "fmpz_mat", "nmod_mat"]
