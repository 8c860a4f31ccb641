"""The stories that `separatrix demo` tells: the theorems of the subject, seen to happen."""

from __future__ import annotations

from separatrix.cli.stories.rows import flowers, patients
from separatrix.cli.stories.stage import Stage, Story
from separatrix.cli.stories.tellings import STORIES

__all__ = ["STORIES", "Stage", "Story", "flowers", "patients"]
