"""The same rows, each block of which is checked for NaN and infinity before it is handed over."""

from __future__ import annotations

from separatrix.rows.block import Block
from separatrix.rows.finite import refuse_nonfinite
from separatrix.rows.views.derived import DerivedRows


class CheckedRows(DerivedRows):
    """Rows for a single pass: `Rows.require_finite` would take one of its own."""

    def _derived(self, block: Block) -> Block:
        refuse_nonfinite(block, self.name, self.columns)
        return block
