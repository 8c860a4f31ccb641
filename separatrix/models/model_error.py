"""The one error of reading and writing models."""

from __future__ import annotations


class ModelError(ValueError):
    """A model that cannot be stored, or a file that is none; the message says why in one sentence."""
