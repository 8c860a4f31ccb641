"""A fit under the eyes of the command line: progress shown, warnings turned into sentences."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from separatrix.cli.progress import ProgressDisplay, timed
from separatrix.messages import message_of

if TYPE_CHECKING:
    from separatrix.reports import Summary
    from separatrix.reports.regression import RegressionSummary
    from separatrix.rows import Rows

INTERRUPTED = "The search was interrupted: both ends are as they stood then."


def fit_and_summarise(
    model: Any, rows: Rows, shown: ProgressDisplay, held_out: Rows | None = None
) -> Summary | RegressionSummary:
    """Fit, verify, try on rows held out, and sum up."""
    from separatrix.reports import summarise
    from separatrix.reports.evaluation import evaluate

    with timed(shown, f"fitting {rows.n_rows:,} rows") as clock, _observed(model, clock) as watch:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(rows)
        seen: Any = None
        if held_out is not None:
            clock.update(f"predicting {held_out.n_rows:,} rows held out")
            seen = evaluate(model, held_out)
        clock.update("verifying the certificate")
        notes = [message_of(warning.message) for warning in caught]
        if watch.interrupted:
            notes.append(INTERRUPTED)
        if not hasattr(model, "classes_"):
            from separatrix.reports.regression import summarise_regression

            return summarise_regression(model, rows, notes=notes, held_out=seen)
        return summarise(model, rows, notes=notes, held_out=seen)


class _Observed:
    """What was seen of a fit; a search for the fewest errors may be ended by an interrupt."""

    interrupted = False


@contextmanager
def _observed(model: Any, clock: Any) -> Iterator[_Observed]:
    """Passes, steps and the interval of a search, told as they happen."""
    from separatrix.fitting.progress import listener

    watch = _Observed()

    def narrowed(interval: Any) -> None:
        from separatrix.algorithms.zero_one.estimator import format_interval

        watch.interrupted = watch.interrupted or interval.interrupted
        clock.update(format_interval(interval).rpartition(", ")[0])

    searches = "progress" in model.get_params(deep=False)
    if searches:
        model.set_params(progress=narrowed)
    token = listener.set(clock.update)
    try:
        yield watch
    finally:
        listener.reset(token)
        if searches:
            # A function is nothing that a model file can hold.
            model.set_params(progress=None)
