"""Exact and interval arithmetic for the proofs."""
