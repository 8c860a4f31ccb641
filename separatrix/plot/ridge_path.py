"""A ridge path: coefficients and leave-one-out error against the penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from separatrix.plot.display import INK, MINUS, Display


@dataclass
class PathDisplay(Display):
    """The coefficients of a ridge path, and on a second axis the error on rows left out.

    Parameters
    ----------
    path : RidgePath
    names : sequence of str, optional
        Of the columns; up to ten of the largest are named in the legend.
    """

    path: Any
    names: Sequence[str] | None = None

    @classmethod
    def from_path(cls, path: Any, names: Sequence[str] | None = None, *, ax: Any = None) -> PathDisplay:
        """Draw a path that `Ridge.path` made."""
        shown: PathDisplay = cls(path, names).plot(ax)
        return shown

    def _draw(self, ax: Any) -> None:
        path = self.path
        largest = abs(path.coefficients).max(axis=0).argsort()[::-1][:10].tolist()
        names = self.names or [f"column {j}" for j in range(path.coefficients.shape[1])]
        for j in range(path.coefficients.shape[1]):
            label = str(names[j]) if j in largest else None
            ax.plot(path.alphas, path.coefficients[:, j], linewidth=1.2, label=label)
        ax.axvline(path.alpha, color=INK, linestyle="--", linewidth=1, label=f"alpha = {path.alpha:.3g}")
        ax.set_xscale("log")
        ax.set_xlabel("penalty alpha")
        ax.set_ylabel("coefficient")
        beside = ax.twinx()
        beside.plot(path.alphas, path.leave_one_out, color=MINUS, linestyle=":", label="leave-one-out error")
        beside.set_ylabel("mean squared error on the row left out")
        self.beside_ = beside
        ax.legend(loc="upper right", fontsize="small")


def path(path: Any, names: Sequence[str] | None = None, *, ax: Any = None) -> Any:
    """Draw a ridge path; the axes come back."""
    return PathDisplay.from_path(path, names, ax=ax).ax_
