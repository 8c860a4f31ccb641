"""Where a story is told: it may speak, fit models in sight of the reader, and show one picture."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from separatrix.cli.console import Voice, in_options
from separatrix.cli.progress import progress
from separatrix.cli.training import INTERRUPTED, trained

if TYPE_CHECKING:
    from separatrix.reports import Summary
    from separatrix.rows import Rows


@dataclass
class Stage:
    """What has been told so far."""

    voice: Voice
    data: str | None = None
    summaries: list[Summary] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def say(self, text: str) -> None:
        """A paragraph."""
        self.voice.say("\n" + "\n".join(textwrap.wrap(text, self.voice.width)))

    def show(self, text: str) -> None:
        """Lines as they are."""
        self.voice.say(text)

    def fit(self, model: Any, rows: Rows, held_out: Rows | None = None) -> str:
        """Fit, say what was proven; the picture of it comes back."""
        from separatrix.reports import Summary, figures, text

        with progress(self.voice) as shown:
            summary = trained(model, rows, shown, held_out)
        assert isinstance(summary, Summary)
        if INTERRUPTED in summary.notes:
            raise KeyboardInterrupt
        self.summaries.append(summary)
        self.show(f"\n{in_options(text.render(summary, self.voice.width))}")
        return figures.outcome(summary, model, rows)


@dataclass(frozen=True)
class Story:
    """A story: ``tell`` returns its picture, as SVG. ``takes_data`` says what file it may be given."""

    title: str
    telling: str
    tell: Callable[[Stage], str]
    takes_data: str | None = None
