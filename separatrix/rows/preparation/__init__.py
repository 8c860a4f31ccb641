"""What was done to the columns of a file before they were numbers: a record that travels with a model.

A *preparation* is learned on the rows of a fit and applied to any later rows unchanged: categories become
columns of 0 and 1, words become counts, missing values the mean of their column, numbers are scaled. Proofs
about prepared rows are proofs about the numbers that came out.
"""

from __future__ import annotations

from separatrix.rows.preparation.column import Categories, Column, HashedWords, Number, Words, tokenise
from separatrix.rows.preparation.column_preparation import Preparation

__all__ = ["Categories", "Column", "HashedWords", "Number", "Preparation", "Words", "tokenise"]
