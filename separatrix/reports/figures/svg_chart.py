"""Charts as SVG: one alone with its legend beside it, or several on one drawing, each with a legend below."""

from __future__ import annotations

from separatrix.reports.axes import Panel, draw_edge, draw_frame, draw_mark
from separatrix.reports.figures.chart import Band, Bars, Chart, Layer, Line, Marks
from separatrix.reports.svg import Drawing, shortened, text_width

LEFT, TOP, WIDTH, HEIGHT = 84.0, 76.0, 440.0, 290.0
MAX_BAR_WIDTH = 22.0
LINE_HEIGHT = 20.0


def to_svg(chart: Chart, name: str, title: str, description: str) -> str:
    """A chart alone; ``name`` begins its identifiers."""
    texts = [part for layer in chart.named for part in (*layer.name.split("\n"), _note(layer))]
    words = max(map(text_width, texts), default=0.0)
    drawing = Drawing(LEFT + WIDTH + 34 + 38 + words + 20, TOP + HEIGHT + 64, title, description, name)
    drawing.text(26, 30, title, class_="ink heading")
    area = chart.panel(LEFT, TOP, WIDTH, HEIGHT)
    draw_chart(drawing, area, chart)
    x, y = area.right + 34, area.top + 8
    for layer in chart.named:
        _draw_sample(drawing, layer, x, y)
        for part in layer.name.split("\n"):
            drawing.text(x + 38, y + 4, part)
            y += 17
        if _note(layer):
            drawing.text(x + 38, y + 4, _note(layer), class_="faint small")
            y += 17
        y += 11
    return drawing.to_svg()


def draw_chart(drawing: Drawing, area: Panel, chart: Chart) -> None:
    """Frame and layers, without a legend."""
    draw_frame(drawing, area, chart.title, chart.across.name, chart.up.name, whole=chart.across.whole)
    for place, word in chart.words:
        x = area.x(place)
        drawing.path([(x, area.top), (x, area.bottom)], class_="thin ink-line", stroke_dasharray="2 4")
        drawing.text(x + 5, area.top + 14, word, class_="faint small")
    with drawing.clipped(area.left, area.top - 4, area.width + 4, area.height + 5):
        for layer in chart.layers:
            _draw_layer(drawing, area, layer)
    draw_edge(drawing, area)


def draw_legend(drawing: Drawing, chart: Chart, left: float, top: float, width: float) -> float:
    """Samples with their names, in lines no wider than ``width``; returns where they end."""
    x, y = left, top
    for layer in chart.named:
        shown = shortened(layer.name, width - 30)
        entry_width = 24 + text_width(shown) + 14
        if x > left and x + entry_width - 14 > left + width:
            x, y = left, y + LINE_HEIGHT
        _draw_sample(drawing, layer, x, y, 18.0)
        drawing.text(x + 24, y + 4, shown)
        x += entry_width
    return y + LINE_HEIGHT


def _note(layer: Layer) -> str:
    return layer.note if isinstance(layer, Line) else ""


def _draw_layer(drawing: Drawing, area: Panel, layer: Layer) -> None:
    if isinstance(layer, Bars):
        _draw_bars(drawing, area, layer)
        return
    points = [area.point(float(x), float(y)) for x, y in zip(layer.x, layer.y, strict=True)]
    if isinstance(layer, Band):
        drawing.path(points, closed=True, class_="street")
    elif isinstance(layer, Marks):
        for x, y in points:
            draw_mark(drawing, layer.mark, x, y)
    else:
        _draw_line(drawing, layer, points, points if layer.dots else [])


def _draw_line(
    drawing: Drawing, line: Line, points: list[tuple[float, float]], dots: list[tuple[float, float]]
) -> None:
    if line.line:
        width = "thin" if line.thin else "line"
        drawing.path(points, class_=f"{width} {line.colour}-line", stroke_dasharray=line.dashes)
    for x, y in dots:
        drawing.add("circle", cx=x, cy=y, r=3, class_=line.colour, fill_opacity=0.8)


def _draw_bars(drawing: Drawing, area: Panel, bars: Bars) -> None:
    for left, right, low, high in zip(bars.left, bars.right, bars.low, bars.high, strict=True):
        if high > low:
            start, stop = area.point(float(left), float(low))
            end, top = area.point(float(right), float(high))
            width = max(0.8, min(end - start - 0.8, MAX_BAR_WIDTH))
            x = (start + end - width) / 2
            drawing.add(
                "rect", x=x, y=top, width=width, height=stop - top, class_=bars.colour, fill_opacity=0.6
            )


def _draw_sample(drawing: Drawing, layer: Layer, x: float, y: float, width: float = 28.0) -> None:
    middle = x + width / 2
    if isinstance(layer, Line):
        _draw_line(drawing, layer, [(x, y), (x + width, y)], [(middle, y)] if layer.dots else [])
    elif isinstance(layer, Marks):
        draw_mark(drawing, layer.mark, middle, y)
    elif isinstance(layer, Band):
        drawing.add("rect", x=middle - 9, y=y - 5, width=18, height=10, class_="street")
        for edge in (y - 5, y + 5):
            drawing.path(
                [(middle - 9, edge), (middle + 9, edge)], class_="thin faint-line", stroke_dasharray="3 3"
            )
    else:
        drawing.add("rect", x=middle - 4, y=y - 6, width=8, height=12, class_=layer.colour, fill_opacity=0.6)
