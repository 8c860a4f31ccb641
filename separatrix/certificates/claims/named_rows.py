"""Claims about a few rows, which the leaves of the hash tree that hold these rows are enough to check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from separatrix.certificates.certificate import About, Certificate, Verdict
from separatrix.certificates.data.digest import LEAF_ROWS, leaves_of
from separatrix.certificates.data.leaf_paths import leaf_numbers, leaf_ranges, root_along
from separatrix.certificates.fields import RowNumbers


@dataclass(frozen=True, repr=False)
class NamedRows(Certificate, is_kind=False):
    """A claim that names the rows it is about, and nothing else of the data."""

    has_path = True

    rows: RowNumbers

    def leaves(self) -> list[range]:
        """The numbers of the rows that `verify_leaves` needs: leaves of 4,096 rows, the last one of the data
        perhaps shorter.

        Raises
        ------
        ValueError
            If the certificate does not say how many rows the data has.
        """
        n_rows = self.sealed().about.rows
        if n_rows is None:
            raise ValueError("The certificate does not say how many rows the data has.")
        return leaf_ranges(self.rows, n_rows)

    def verify_leaves(self, X: Any, y: Any = None) -> Verdict:
        """Check the claim, exactly, against the rows of its `leaves` alone.

        The digest of all rows follows from these leaves and ``about.path``, so that they are known to be part
        of the data.

        Parameters
        ----------
        X, y
            These rows, in order, in any form that `verify` takes.

        Returns
        -------
        Verdict
            Refused, with the reason, also for other rows.

        Raises
        ------
        ValueError
            If the data cannot be read as finite numbers with labels.
        """
        about = self.sealed().about
        if about.path is None or about.rows is None:
            return Verdict(False, "It has no path through the hash tree: check it against all rows.")
        if self.rows and self.rows[-1] >= about.rows:
            return Verdict(False, f"It names row {self.rows[-1]} of {about.rows}.")
        source = self._read(X, y)
        n_rows = sum(map(len, leaf_ranges(self.rows, about.rows)))
        if source.n_rows != n_rows:
            return Verdict(False, f"Its leaves have {n_rows} rows; this data has {source.n_rows}.")
        refusal = replace(about, rows=None, digest=None, path=None).refusal(source)
        if refusal is not None:
            return Verdict(False, refusal)
        if root_along(about.path, leaves_of(source), self.rows, about.rows) != about.digest:
            return Verdict(False, "The digest differs: these are not its leaves, or not of that data.")
        places = {number: place for place, number in enumerate(leaf_numbers(self.rows))}
        rows = tuple(places[row // LEAF_ROWS] * LEAF_ROWS + row % LEAF_ROWS for row in self.rows)
        return replace(self, rows=rows, about=About())._prove(source)
