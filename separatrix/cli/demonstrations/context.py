"""Where a story is told: it may speak, fit models in sight of the reader, and show one picture."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from separatrix.cli.console import Console
from separatrix.cli.fit_with_progress import INTERRUPTED, fit_and_summarise
from separatrix.cli.option_names import option_of
from separatrix.cli.progress import progress

if TYPE_CHECKING:
    from separatrix.reports import Summary
    from separatrix.rows import Rows


@dataclass
class DemoContext:
    """The console, and the results so far."""

    console: Console
    data: str | None = None
    summaries: list[Summary] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def write_paragraph(self, text: str) -> None:
        """A paragraph."""
        self.console.write("\n" + "\n".join(textwrap.wrap(text, self.console.width)))

    def write(self, text: str) -> None:
        """Lines as they are."""
        self.console.write(text)

    def fit(self, model: Any, rows: Rows, held_out: Rows | None = None) -> str:
        """Fit, say what was proven; the picture of it comes back."""
        from separatrix.reports import Summary, figures, text

        with progress(self.console) as shown:
            summary = fit_and_summarise(model, rows, shown, held_out)
        assert isinstance(summary, Summary)
        if INTERRUPTED in summary.notes:
            raise KeyboardInterrupt
        self.summaries.append(summary)
        self.write(f"\n{text.render(summary, self.console.width, option_of)}")
        return figures.outcome(summary, model, rows)


@dataclass(frozen=True)
class Demo:
    """A demonstration: ``run`` returns its picture, as SVG. ``takes_data`` says what file it may be given."""

    title: str
    introduction: str
    run: Callable[[DemoContext], str]
    takes_data: str | None = None
