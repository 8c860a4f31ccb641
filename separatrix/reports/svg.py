"""A small drawing kit: SVG elements, escaped, with a title and a description, in light and dark.

Colours are classes, so that a reader's preference for dark paper is met without a script; shapes and dashes
carry what colours do, for those who see or print without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

FONT_SIZE = 12.0
N_HEADER_ELEMENTS = 3  # title, description and style come before everything drawn
WIDE_CHARACTERS = frozenset("mwMW%@—…∑∞")
NARROW_CHARACTERS = frozenset("iljtfrI.,:;'|!()[] ")

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "faint": "#59636e",
    "grid": "#d8dee4",
    "street": "#f3ecd2",
    "plus": "#0b5cad",
    "minus": "#b3470a",
    "third": "#1a7f4b",
    "fourth": "#8a3ffc",
    "fifth": "#a8326e",
    "sixth": "#6b5900",
}
DARK = {
    "paper": "#0d1117",
    "ink": "#e6edf3",
    "faint": "#9aa4af",
    "grid": "#30363d",
    "street": "#3a3720",
    "plus": "#6cb6ff",
    "minus": "#ffa265",
    "third": "#56d39b",
    "fourth": "#c4a3ff",
    "fifth": "#ff8ec6",
    "sixth": "#d9c25f",
}


def _rules(colours: dict[str, str]) -> str:
    return "".join(f".sx .{name}{{fill:{c}}}.sx .{name}-line{{stroke:{c}}}" for name, c in colours.items())


STYLE = (
    ".sx text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
    ".sx .heading{font-size:15px;font-weight:600}.sx .title{font-weight:600}.sx .small{font-size:11px}"
    ".sx .line{fill:none;stroke-width:1.6;stroke-linejoin:round}.sx .thin{fill:none;stroke-width:1}"
    f"{_rules(LIGHT)}@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
)


class Drawing:
    """Elements of one picture, in drawing order.

    Parameters
    ----------
    width, height : float
        The height may be set anew until the picture is asked for.
    title, description : str
        The text alternative: what the picture is, and what it shows.
    name : str
        Begins every identifier, so that several pictures can stand on one page.

    Examples
    --------
    >>> drawing = Drawing(40, 20, "a dot", "One dot in the middle of nothing.", "dot")
    >>> drawing.add("circle", cx=20, cy=10, r=1.23456, class_="ink")
    >>> "<circle cx=\\"20\\" cy=\\"10\\" r=\\"1.23\\" class=\\"ink\\"/>" in drawing.to_svg()
    True
    """

    def __init__(self, width: float, height: float, title: str, description: str, name: str) -> None:
        self.width, self.height = width, height
        self.name = name
        self._clips = 0
        self._parts = [
            f'<title id="{name}-title">{_text(title)}</title>',
            f'<desc id="{name}-desc">{_text(description)}</desc>',
            f"<style>{STYLE}</style>",
        ]

    def add(self, element: str, text: str | None = None, **attributes: Any) -> None:
        """One element; ``class_`` is class, other underscores are hyphens."""
        content = "" if text is None else _text(text)
        end = "/>" if text is None else f">{content}</{element}>"
        self._parts.append(f"<{element}{_attributes(attributes)}{end}")

    def text(self, x: float, y: float, text: str, *, class_: str = "ink", **attributes: Any) -> None:
        self.add("text", text, x=x, y=y, class_=class_, **attributes)

    def path(self, points: Iterable[tuple[float, float]], *, closed: bool = False, **attributes: Any) -> None:
        """A line through the points."""
        drawn = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self.add("path", d=f"M{drawn}{'Z' if closed else ''}", **attributes)

    @contextmanager
    def clipped(self, x: float, y: float, width: float, height: float) -> Iterator[None]:
        """What is drawn inside is seen in this rectangle alone."""
        self._clips += 1
        clip = f"{self.name}-clip-{self._clips}"
        self._parts.append(f'<clipPath id="{clip}">')
        self.add("rect", x=x, y=y, width=width, height=height)
        self._parts.append(f'</clipPath><g clip-path="url(#{clip})">')
        yield
        self._parts.append("</g>")

    def to_svg(self) -> str:
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        view = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        label = f'role="img" aria-labelledby="{self.name}-title {self.name}-desc"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="sx" {size} {view} {label}>'
        paper = f'<rect {size} class="paper"/>'
        return (
            "\n".join(
                [head, *self._parts[:N_HEADER_ELEMENTS], paper, *self._parts[N_HEADER_ELEMENTS:], "</svg>"]
            )
            + "\n"
        )


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """About how wide a text is, on the wide side: fonts differ."""
    ems = sum(
        0.92 if c in WIDE_CHARACTERS or ord(c) > 0x2E80 else 0.34 if c in NARROW_CHARACTERS else 0.62
        for c in text
    )
    return ems * size


def shortened(text: str, width: float, size: float = FONT_SIZE) -> str:
    """The text, or its beginning and an ellipsis, so that it fits.

    >>> shortened("sepal length (cm)", 60)
    'sepal l…'
    """
    text = " ".join(text.split())
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _attributes(attributes: dict[str, Any]) -> str:
    parts = []
    for name, value in attributes.items():
        if value is not None:
            shown = _printable(value) if isinstance(value, str) else _number(value)
            parts.append(f' {name.rstrip("_").replace("_", "-")}="{escape(shown)}"')
    return "".join(parts)


def _text(text: str) -> str:
    return escape(_printable(text), quote=False)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
