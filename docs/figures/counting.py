"""Figures about which labellings halfspaces have."""

from __future__ import annotations

import math

from separatrix import theory
from separatrix.reports.axes import draw_edge, draw_frame, draw_mark
from separatrix.reports.figures.chart import Axis, Chart, Line, stroke
from separatrix.reports.figures.svg_chart import to_svg
from separatrix.reports.svg import Drawing


def growth(d: int = 2, most: int = 20) -> str:
    """Labellings of n points: all, Sauer's bound, and what halfspaces have."""
    sizes = list(range(1, most + 1))
    dimension = theory.vc_dimension(d)
    curves = [
        Line(sizes, [2.0**n for n in sizes], *stroke(4), "all, 2ⁿ"),
        Line(sizes, [theory.sauer(n, dimension) for n in sizes], *stroke(1), "Sauer's bound"),
        Line(
            sizes,
            [theory.growth_function(n, d) for n in sizes],
            *stroke(0),
            "halfspaces\n(Cover's count)",
            dots=True,
        ),
    ]
    description = (
        f"The number of labellings of n points of R^{d}, on a logarithmic scale. All three agree up to "
        f"n = {dimension}, the dimension; beyond it all labellings grow as 2 to the n, halfspaces as a "
        "polynomial, below Sauer's bound."
    )
    return to_svg(
        Chart(
            "",
            Axis("points n", 0.0, float(most)),
            Axis("labellings", 1.0, 2.0**most, log=True),
            curves,
            [(float(dimension), f"dimension {dimension}")],
        ),
        "growth",
        f"How many labellings halfspaces of R^{d} have",
        description,
    )


def radon_partitions() -> str:
    """Four points of the plane in the two possible ways: their hulls meet, so they are not shattered."""
    description = (
        "Two panels with four points each. Left, a quadrilateral: its diagonals cross. Right, a "
        "triangle with a point inside. In both, the two groups have hulls that meet in one marked "
        "point, so no line separates them."
    )
    title = "Why four points of the plane are never shattered"
    drawing = Drawing(720, 390, title, description, "radon")
    drawing.text(26, 30, title, class_="ink heading")
    sets = (
        ("a quadrilateral", [[0.0, 0.0], [4.0, 1.0], [5.0, 5.0], [1.0, 4.0]]),
        ("a point in a triangle", [[0.0, 0.0], [5.0, 1.0], [2.0, 5.0], [2.0, 2.0]]),
    )
    for place, (name, points) in enumerate(sets):
        axis = Axis("", -0.5, 5.5)
        area = Chart(name, axis, axis, ()).panel(60 + place * 350, 76, 270, 250)
        draw_frame(drawing, area, name, "", "")
        partition = theory.radon(points)
        for group, colour in ((partition.left, "plus"), (partition.right, "minus")):
            corners = [area.point(*points[i]) for i in group]
            drawing.path(corners, closed=len(corners) > 2, class_=f"line {colour}-line")
            for x, y in corners:
                draw_mark(drawing, colour, x, y)
        draw_mark(drawing, "wrong", *area.point(*map(float, partition.point)))
        draw_edge(drawing, area)
        exact = ", ".join(map(str, partition.point))
        drawing.text(area.left, area.bottom + 40, f"both hulls hold ({exact})", class_="faint")
    return drawing.to_svg()


def vertex_cover() -> str:
    """A graph with a smallest vertex cover, decoded from a halfspace with the fewest errors."""
    edges = [*((i, (i + 1) % 5) for i in range(5)), *((i, i + 5) for i in range(5))]
    edges += [(i + 5, (i + 2) % 5 + 5) for i in range(5)]
    instance = theory.hardness.vertex_cover(edges)
    cover = instance.decode(instance.encode(theory.hardness.smallest_vertex_cover(instance.edges)))
    title = "Petersen's graph: its 15 edges need 6 vertices"
    description = (
        f"Ten vertices and fifteen edges. The vertices {', '.join(map(str, cover))}, drawn large, cover "
        "every edge. As rows, the graph has 25 of them, and the fewest errors of any halfspace through "
        "the origin are 6."
    )
    drawing = Drawing(470, 420, title, description, "vertex-cover")
    drawing.text(26, 30, title, class_="ink heading")
    place = [
        (
            235 + (150 if v < 5 else 80) * math.sin(2 * math.pi * v / 5),
            230 - (150 if v < 5 else 80) * math.cos(2 * math.pi * v / 5),
        )
        for v in range(10)
    ]
    for u, v in instance.edges:
        drawing.path([place[u], place[v]], class_="line faint-line")
    for v, (x, y) in enumerate(place):
        chosen = v in cover
        drawing.add("circle", cx=x, cy=y, r=12 if chosen else 8, class_="plus" if chosen else "grid")
        drawing.text(x, y + 4, str(v), class_="paper" if chosen else "ink", text_anchor="middle")
    return drawing.to_svg()
