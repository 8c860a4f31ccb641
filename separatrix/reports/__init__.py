"""What a fit came to, told to people and to programs: one summary, many renderings.

`summarise` makes the record; `text` and `json` render it; `figures` draws it, with the rows themselves.

>>> import separatrix as sx
>>> from separatrix import reports
>>> X, y = sx.problems.iris("setosa")
>>> summary = reports.summarise(sx.Perceptron().fit(X, y), X, y)
>>> summary.tasks[0].mistakes, summary.tasks[0].evidence.holds
(5, True)
"""

from __future__ import annotations

from separatrix.reports.evidence import Evidence
from separatrix.reports.summary import Data, Figures, Summary, Task, summarise
from separatrix.reports.theorem_bound import Promise

__all__ = ["Data", "Evidence", "Figures", "Promise", "Summary", "Task", "summarise"]
