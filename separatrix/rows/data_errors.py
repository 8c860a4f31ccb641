"""Errors that a user's data can cause."""

from __future__ import annotations

from typing import Any

from separatrix.messages import Message, Parameter, ParameterError


class DataError(ValueError):
    """Data that cannot be used: one sentence says where it is wrong and what to do."""


class WrongOption(DataError):
    """An option that files of this format do not take."""


class AbsentColumn(DataError):
    """A column that a preparation names and the file does not have."""


class MissingValue(DataError):
    """A value that is not there."""


class NotANumber(DataError):
    """A value, at ``location``, that is not a number."""

    def __init__(self, message: str, *, location: str = "", value: str = "") -> None:
        super().__init__(message)
        self.location, self.value = location, value


class NoLabelColumn(DataError):
    """A file of named columns none of which is known to hold the labels."""


class DataParameterError(ParameterError, DataError):
    """A parameter with a value that it cannot have, of a function that reads data."""


class MissingColumn(DataError):
    """A column that ``parameter`` names and the file does not have."""

    def __init__(self, file: str, column: str, columns: str, parameter: str) -> None:
        super().__init__(
            Message(
                "{file} has no column called {column!r} ({parameter}); its columns are {columns}.",
                file=file,
                column=column,
                parameter=Parameter(parameter),
                columns=columns,
            )
        )
        self.file, self.column, self.columns, self.parameter = file, column, columns, parameter

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file, self.column, self.columns, self.parameter)

    def because(self, reason: str) -> DataError:
        """The same for a column that no parameter named, with the reason why it is needed."""
        return DataError(
            f"{self.file} has no column called {self.column!r}, {reason}; its columns are {self.columns}."
        )
