"""What becomes of a model whose call is refused: it stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def restored_on_error(model: Any) -> Iterator[None]:
    """What is refused on the way leaves no trace in the model."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        model.__dict__.clear()
        model.__dict__.update(before)
        raise
