"""Rows that are read from their file again in every pass."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from separatrix.rows.block import Block
from separatrix.rows.files.source import InputFile
from separatrix.rows.rows import Rows


class FileRows(Rows):
    """Rows of a file that must not change between two passes."""

    known_finite = True  # every block is checked as it is made

    @property
    @abstractmethod
    def input_file(self) -> InputFile:
        """The file."""

    @abstractmethod
    def _read(self) -> Iterator[Block]:
        """The blocks, whatever became of the file meanwhile."""

    def open(self) -> Iterator[Block]:
        self.input_file.require_unchanged()
        stop = 0
        for block in self._read():
            stop = block.stop
            yield block
        if stop != self.n_rows:
            raise self.input_file.changed_error()
        self.input_file.require_unchanged()
