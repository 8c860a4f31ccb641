"""The command line: ``separatrix check``, fit, predict, evaluate, report, verify, bound, demo and export.

Standard output carries data and nothing else: predictions, or with ``--json`` one object. Words and progress
go to standard error. Exit codes: 0 done, 1 not separable (`check --exit-status` alone), 2 wrong usage, bad
data or an output that cannot be written, 3 `check` ended undecided, 4 `verify` refused, 70 a mistake of ours,
130 interrupted, 143 terminated.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

from separatrix.cli.program import main

__all__ = ["main"]
