"""Figures: each is a `Chart`, drawn as SVG here and by matplotlib in `separatrix.plot`."""

from __future__ import annotations

from separatrix.reports.figures.losses import losses_compared
from separatrix.reports.figures.outcome import outcome

__all__ = ["losses_compared", "outcome"]
