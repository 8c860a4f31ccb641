"""The mistakes of a run, pass by pass, under the bound of its theorem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix.plot.display import Display
from separatrix.reports.figures.chart import Chart
from separatrix.reports.figures.mistakes import bound_name, course_of, mistakes_chart
from separatrix.reports.theorem_bound import promise_of


@dataclass
class MistakesDisplay(Display):
    """Mistakes of each pass, all of them added up, and the bound where one applies.

    Parameters
    ----------
    mistakes : sequence of int
    bound : float or None
    theorem : str
        What the bound is called.
    """

    mistakes: tuple[int, ...]
    bound: float | None = None
    theorem: str = "bound of the theorem"

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> MistakesDisplay:
        """Read the history of a fitted model of two classes, and draw."""
        if not hasattr(model, "mistakes_"):
            raise ValueError(
                f"A {type(model).__name__} that is not fitted, or makes no mistakes, has no course."
            )
        if len(model.classes_) != 2:
            raise ValueError("A course is of two classes: fit one class against the rest.")
        promise = promise_of(model, lambda name: getattr(model, f"{name}_", None))
        allowed = promise.at_most if promise is not None and promise.quantity == "mistakes" else None
        shown: MistakesDisplay = cls(tuple(model.history_["mistakes"]), allowed, bound_name(promise)).plot(ax)
        return shown

    def chart(self) -> Chart:
        return mistakes_chart(course_of(self.mistakes), self.bound, theorem=self.theorem)


def mistakes(model: Any, *, ax: Any = None) -> Any:
    """Draw the mistakes of a fitted perceptron; the axes come back."""
    return MistakesDisplay.from_estimator(model, ax=ax).ax_
