"""Everything this library can say about one data set: `diagnose` and its record.

>>> import separatrix as sx
>>> X, y = sx.problems.iris("setosa", "versicolor")
>>> found = sx.diagnose(X, y, budget=1)
>>> found.tasks[0].kind, found.tasks[0].proven
('complete', True)
"""

from __future__ import annotations

from separatrix.reports.diagnosis.diagnose import diagnose
from separatrix.reports.diagnosis.diagnosis_record import Diagnosis

__all__ = ["Diagnosis", "diagnose"]
