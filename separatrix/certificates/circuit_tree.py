"""A lower bound on the number of errors from a tree of circuits; the format is told in
`check.fewest_errors_circuits`, whose few lines are exact integers already and are used as they are."""

from __future__ import annotations

from separatrix.certificates.check.fewest_errors_circuits import circuits

__all__ = ["circuits"]
