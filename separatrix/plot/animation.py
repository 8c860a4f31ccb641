"""A perceptron at work in the plane: one picture for each mistake, as a GIF or as a page of its own."""

from __future__ import annotations

import base64
import html
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.models.whole_file import atomic_write
from separatrix.plot.display import INK, MINUS, PLUS, pyplot
from separatrix.rows import as_rows

MAX_FRAMES = 120


@dataclass(frozen=True)
class TraceStep:
    """The weights before a mistake, and the row that was one; the last step has none."""

    weights: np.ndarray
    row: int | None
    turn: int
    mistakes: int


@dataclass(frozen=True)
class Trace:
    """A recorded run of the perceptron in the plane.

    Parameters
    ----------
    X, signs : ndarray
    steps : tuple of TraceStep
    settled : bool
        Whether the last pass made no mistake.
    """

    X: np.ndarray
    signs: np.ndarray
    steps: tuple[TraceStep, ...]
    settled: bool

    def save(self, path: str | os.PathLike[str], *, seconds: float = 0.5) -> None:
        """Write a GIF or, by the suffix .html, a page that steps through the pictures; whole or not."""
        name = os.fspath(path)
        if name.endswith(".gif"):
            content = self._gif(seconds)
        elif name.endswith(".html"):
            content = self._page(seconds).encode()
        else:
            raise ValueError(f"{name}: a trace is written as .gif or .html.")
        with atomic_write(path, binary=True) as file:
            file.write(content)

    def draw(self, place: int, ax: Any = None) -> Any:
        """One step on ``ax``, or on new axes, which come back."""
        if ax is None:
            ax = pyplot().subplots()[1]
        step = self.steps[place]
        for sign, colour, marker in ((-1, MINUS, "s"), (1, PLUS, "o")):
            ax.scatter(*self.X[self.signs == sign].T, s=20, c=colour, marker=marker, alpha=0.8)
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        padding = 0.1 * np.maximum(high - low, 1e-9)
        ax.set_xlim(low[0] - padding[0], high[0] + padding[0])
        ax.set_ylim(low[1] - padding[1], high[1] + padding[1])
        ax.autoscale(False)
        *w, b = step.weights
        norm = float(np.hypot(*w))
        if norm > 0:
            nearest_point = -b * np.array(w) / norm**2
            ax.axline(nearest_point, nearest_point + np.array([-w[1], w[0]]) / norm, color=INK, linewidth=1.5)
        if step.row is not None:
            ax.scatter(*self.X[step.row], s=160, facecolors="none", edgecolors=INK, linewidths=1.5)
        ended = "settled" if self.settled else "still wrong"
        what = f"mistake {step.mistakes + 1}: row {step.row}" if step.row is not None else ended
        ax.set_title(f"pass {step.turn}, {what}")
        return ax

    def _pictures(self) -> Iterator[bytes]:
        plt = pyplot()
        for place in range(len(self.steps)):
            figure, ax = plt.subplots(figsize=(5, 4), dpi=80)
            self.draw(place, ax)
            out = io.BytesIO()
            figure.savefig(out, format="png")
            plt.close(figure)
            yield out.getvalue()

    def _gif(self, seconds: float) -> bytes:
        from PIL import Image

        frames = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in self._pictures()]
        durations = [int(1000 * seconds)] * (len(frames) - 1) + [int(4000 * seconds)]
        out = io.BytesIO()
        first, *rest = [frame.quantize(64) for frame in frames]
        first.save(out, "GIF", save_all=True, append_images=rest, duration=durations, loop=0)
        return out.getvalue()

    def _page(self, seconds: float) -> str:
        """Pictures one over the other, each shown in its turn by the style alone."""
        pictures = list(self._pictures())
        total = seconds * (len(pictures) + 3)
        share = 100 * seconds / total
        images = "".join(
            f'<img alt="{html.escape(self._caption(k))}" style="animation-delay:{k * seconds:.3f}s" '
            f'src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
            for k, picture in enumerate(pictures)
        )
        return (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A perceptron at work</title>'
            "<style>body{font:16px system-ui,sans-serif;margin:1rem}"
            "div{position:relative;width:400px;height:320px}"
            f"img{{position:absolute;opacity:0;animation:show {total:.3f}s infinite steps(1,end)}}"
            "img:last-child{opacity:1;z-index:-1;animation:none}"
            f"@keyframes show{{0%{{opacity:1}}{share:.4f}%{{opacity:0}}}}"
            "@media (prefers-reduced-motion:reduce){img{animation:none}}</style></head>"
            f"<body><main><h1>A perceptron at work</h1><div>{images}</div>"
            f"<p>{html.escape(self._ending())}</p></main></body></html>"
        )

    def _caption(self, place: int) -> str:
        step = self.steps[place]
        return self._ending() if step.row is None else f"Mistake {step.mistakes + 1}: row {step.row}"

    def _ending(self) -> str:
        mistakes = self.steps[-1].mistakes
        return f"{mistakes} mistakes; " + ("the last pass made none." if self.settled else "not settled.")


def trace(X: Any, y: Any = None, *, max_iter: int = 100, max_mistakes: int = MAX_FRAMES) -> Trace:
    """Record a perceptron from zero with unit steps on rows of the plane, mistake by mistake.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa", "versicolor")
    >>> run = trace(X[:, [0, 2]], y)
    >>> run.settled, run.steps[-1].mistakes == sx.Perceptron().fit(X[:, [0, 2]], y).mistakes_
    (True, True)
    """
    rows = as_rows(X, y)
    rows.require_two_classes()
    if rows.n_columns != 2:
        raise ValueError(f"A trace is drawn in the plane: these rows have {rows.n_columns} columns, not 2.")
    table, signs = np.asarray(rows.whole().dense(), np.float64), rows.signs(1)
    Z = signs[:, None] * np.column_stack([table, np.ones(len(table))])
    weights = np.zeros(3)
    steps: list[TraceStep] = []
    mistakes, settled, turn = 0, False, 1
    for turn in range(1, max_iter + 1):
        before = mistakes
        for row, z in enumerate(Z):
            if not z @ weights > 0:
                steps.append(TraceStep(weights.copy(), row, turn, mistakes))
                weights = weights + z
                mistakes += 1
                if mistakes >= max_mistakes:
                    break
        settled = mistakes == before
        if settled or mistakes >= max_mistakes:
            break
    steps.append(TraceStep(weights.copy(), None, turn, mistakes))
    return Trace(table, signs, tuple(steps), settled)
