"""What happened, pass by pass: a plain table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any, overload


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over the rows.

    ``margin`` is the smallest s·w·(x, 1)/‖w‖ after the pass (without intercept: of the rows x); None where it
    was not asked for.
    """

    mistakes: int
    cumulative_mistakes: int
    norm: float
    seconds: float
    margin: float | None = None


class History(Sequence[Pass]):
    """A sequence of passes that is also a table: ``history["mistakes"]`` is a column.

    >>> history = History([Pass(3, 3, 2.0, 0.1), Pass(0, 3, 2.0, 0.1, margin=0.5)])
    >>> history["mistakes"], history[-1].margin, len(history)
    ([3, 0], 0.5, 2)
    """

    columns = tuple(f.name for f in fields(Pass))

    def __init__(self, passes: Sequence[Pass] = ()) -> None:
        self._passes = tuple(passes)

    def __len__(self) -> int:
        return len(self._passes)

    @overload
    def __getitem__(self, key: int) -> Pass: ...
    @overload
    def __getitem__(self, key: slice) -> History: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Pass | History | list[Any]:
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"{key!r} is no column of a history; they are {', '.join(self.columns)}")
            return [getattr(p, key) for p in self._passes]
        return History(self._passes[key]) if isinstance(key, slice) else self._passes[key]

    def __iter__(self) -> Iterator[Pass]:
        return iter(self._passes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and self._passes == other._passes

    def __hash__(self) -> int:
        return hash(self._passes)

    def __repr__(self) -> str:
        if not self._passes:
            return "History([])"
        total = self._passes[-1].cumulative_mistakes
        return f"<History: {len(self)} passes, {total} mistakes>"

    def to_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, astuple(p), strict=True)) for p in self._passes]

    def to_pandas(self) -> Any:
        """The table as a pandas frame, where pandas is installed."""
        import pandas

        return pandas.DataFrame(self.to_dicts(), columns=list(self.columns))
