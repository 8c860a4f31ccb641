"""The stories that `separatrix demo` tells: the theorems of the subject, seen to happen."""

from __future__ import annotations

from separatrix.cli.demonstrations.context import Demo, DemoContext
from separatrix.cli.demonstrations.demo_data import flowers, patients
from separatrix.cli.demonstrations.scripts import DEMOS

__all__ = ["DEMOS", "Demo", "DemoContext", "flowers", "patients"]
