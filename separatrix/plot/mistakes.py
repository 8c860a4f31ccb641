"""The mistakes of a run, pass by pass, under the bound of its theorem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from separatrix.plot.display import MINUS, PLUS, Display
from separatrix.reports.theorem_bound import promise_of


@dataclass
class MistakesDisplay(Display):
    """Mistakes of each pass, all of them added up, and the bound where one applies.

    Parameters
    ----------
    mistakes : sequence of int
    bound : float or None
    """

    mistakes: tuple[int, ...]
    bound: float | None = None

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
        shown: MistakesDisplay = cls(tuple(model.history_["mistakes"]), allowed).plot(ax)
        return shown

    def _draw(self, ax: Any) -> None:
        passes = range(1, len(self.mistakes) + 1)
        ax.bar(passes, self.mistakes, color=PLUS, alpha=0.45, label="mistakes in a pass")
        total = 0
        added = [total := total + made for made in self.mistakes]
        ax.plot(passes, added, color=PLUS, marker=".", label="so far")
        if self.bound is not None:
            ax.axhline(self.bound, color=MINUS, linestyle="--", label=f"bound: {self.bound:,.0f}")
            if self.bound > 12 * max(total, 1):
                ax.set_yscale("symlog", linthresh=1)
        ax.set_xlabel("pass")
        ax.set_ylabel("mistakes")
        ax.legend()


def mistakes(model: Any, *, ax: Any = None) -> Any:
    """Draw the mistakes of a fitted perceptron; the axes come back."""
    return MistakesDisplay.from_estimator(model, ax=ax).ax_
