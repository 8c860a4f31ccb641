"""The stories that `separatrix demo` tells: the theorems of the subject, seen to happen."""

from __future__ import annotations

from separatrix.cli.demonstrations.context import Stage, Story
from separatrix.cli.demonstrations.demo_data import flowers, patients
from separatrix.cli.demonstrations.scripts import STORIES

__all__ = ["STORIES", "Stage", "Story", "flowers", "patients"]
