"""The one error a user's data can cause."""

from __future__ import annotations


class DataError(ValueError):
    """Data that cannot be used, told in one sentence: where it is wrong and what to do."""


class WrongOption(DataError):
    """An option that files of this format do not take."""


class AbsentColumn(DataError):
    """A column that a preparation names and the file does not have."""


class MissingValue(DataError):
    """A value that is not there."""
