"""The command line: ``separatrix fit | predict | verify | demo``.

Standard output carries data and nothing else: predictions, or with ``--json`` one object. Words and progress
go to standard error. Exit codes: 0 done, 2 wrong usage or bad data, 4 `verify` refused, 130 interrupted.

Nothing heavy is imported before a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

from separatrix.cli.program import main

__all__ = ["main"]
