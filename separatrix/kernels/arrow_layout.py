"""What is wrong with Arrow data from elsewhere, found before anything reads it.

Arrow keeps offsets, dictionary indices and text as they were handed over. A wrong one leads outside its
buffer, and the process would end with a segmentation fault instead of a message. The verifier has a check of
its own, in `separatrix.certificates.data.reading`, since it imports nothing from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def fault_of(data: Any) -> str | None:
    """Why PyArrow data, or pandas data backed by it, cannot be read; None for all other data.

    A million rows of twenty numbers take 3 ms.
    """
    for part in _parts(data):
        import pyarrow as pa

        try:
            part.validate(full=True)
        except (pa.ArrowException, ValueError, LookupError) as error:
            first = str(error).strip().split("\n", 1)[0].rstrip(". ")
            return f"holds damaged Arrow data: {first}. Make or read it again."
        if hasattr(part, "type") and pa.types.is_union(part.type):
            return "is an Arrow union, which is neither numbers nor text: give one type."
    return None


def _parts(data: Any) -> Iterator[Any]:
    if any(kind.__module__.startswith("pyarrow") for kind in type(data).__mro__):
        if hasattr(data, "validate"):
            yield data
    elif hasattr(data, "iloc") and data.ndim == 2:
        yield from _of_pandas(data.columns)
        for place in range(data.shape[1]):
            yield from _of_pandas(data.iloc[:, place])
    elif hasattr(data, "dtype"):
        yield from _of_pandas(data)


def _of_pandas(values: Any) -> Iterator[Any]:
    """The Arrow array behind a series, an index or an extension array, or behind its categories."""
    kind = values.dtype
    if type(kind).__name__ == "CategoricalDtype":
        if kind.categories is not None:
            yield from _of_pandas(kind.categories)
    elif type(kind).__name__ == "ArrowDtype" or getattr(kind, "storage", "") == "pyarrow":
        yield getattr(values, "array", values).__arrow_array__()
