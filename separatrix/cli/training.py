"""A fit under the eyes of the command line: progress shown, warnings turned into sentences."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from separatrix.cli.progress import Progress

if TYPE_CHECKING:
    from separatrix.reports import Summary
    from separatrix.rows import Rows


def trained(model: Any, rows: Rows, shown: Progress, held_out: Rows | None = None) -> Summary:
    """Fit, verify, try on rows held out, and sum up."""
    from separatrix.algorithms.online.loop import on_pass
    from separatrix.kernels import cache
    from separatrix.reports import summarise
    from separatrix.reports.evaluation import evaluate

    most = getattr(model, "max_passes", None)
    limit = "" if most is None else f" of at most {most:,}"

    def passed(number: int, mistakes: int) -> None:
        shown.tell(f"pass {number:,}{limit}: {mistakes:,} mistakes so far")

    cache.announce = shown.note
    token = on_pass.set(passed)
    shown.tell(f"fitting {rows.n_rows:,} rows")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(rows)
    finally:
        on_pass.reset(token)
        cache.announce = None
    seen: Any = None
    if held_out is not None:
        shown.tell(f"predicting {held_out.n_rows:,} rows held out")
        seen = evaluate(model, held_out)
    shown.tell("verifying the certificate")
    notes = [str(warning.message) for warning in caught]
    return summarise(model, rows, notes=notes, held_out=seen)
