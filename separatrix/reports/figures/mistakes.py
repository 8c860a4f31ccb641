"""The mistakes of a run, pass by pass, under the bound of its theorem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.reports.figures.chart import Axis, Bars, Chart, Layer, Line, Numbers
from separatrix.reports.formatting import at_most, counted
from separatrix.reports.theorem_bound import Promise

LOG_SCALE_FACTOR = 12.0  # times: so far below the top, the mistakes of a pass would vanish on a linear scale
MAX_BARS = 240
MAX_DOTTED_PASSES = 40


@dataclass(frozen=True)
class Course:
    """Mistakes at some passes, and in all up to some passes; ``group`` passes share a bar, their largest."""

    passes: int
    at: Numbers
    made: Numbers
    ends: Numbers
    totals: Numbers
    group: int = 1


def course_of(per_pass: Sequence[int]) -> Course:
    """The course of a run of which every pass is known."""
    made = np.array(per_pass or (0,))
    group = math.ceil(len(made) / MAX_BARS)
    starts = np.arange(0, len(made), group)
    ends = np.minimum(starts + group, len(made))
    at = starts + (group + 1) / 2
    return Course(len(made), at, np.maximum.reduceat(made, starts), ends, made.cumsum()[ends - 1], group)


def mistakes_chart(
    course: Course,
    bound: float | None = None,
    *,
    title: str = "Mistakes, pass by pass",
    theorem: str = "Novikoff's bound",
) -> Chart:
    """Mistakes of each pass and in all; the scale is logarithmic where the bound is far above."""
    if bound is not None:
        bound = max(1.0, bound) if math.isfinite(bound) else None
    made, total = np.asarray(course.made, float), float(course.totals[-1])
    highest = max(bound or total, total, 1.0)
    log = max(highest, LOG_SCALE_FACTOR) > LOG_SCALE_FACTOR * max(float(made.max()), 1.0)
    up = Axis("mistakes", 0.5, 6.0 * highest, log=True) if log else Axis("mistakes", 0.0, 1.2 * highest)
    across = Axis("pass", 0.4, course.passes + 0.6, whole=True)
    half = 0.35 * course.passes / len(made)
    most = "" if course.group == 1 else f" (the most of every {course.group})"
    at, totals = np.asarray(course.at, float), np.maximum(course.totals, 0.5)
    layers: list[Layer] = [
        Bars(at - half, at + half, np.full(len(made), up.low), made, "plus", f"in one pass{most}"),
        Line(
            course.ends,
            totals,
            "plus",
            name=f"in all, {counted(int(total))} at the end",
            dots=len(totals) <= MAX_DOTTED_PASSES,
        ),
    ]
    if bound is not None:
        level = (across.low, across.high), (bound, bound)
        layers.append(Line(*level, "minus", "6 4", f"{theorem}: at most {at_most(bound)}"))
    return Chart(title, across, up, layers)


def bound_name(promise: Promise | None) -> str:
    """What the bound is called in a legend."""
    return "Novikoff's bound" if promise is None or promise.theorem == "Novikoff" else "bound of the theorem"
