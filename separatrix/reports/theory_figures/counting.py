"""Figures about which labellings halfspaces have."""

from __future__ import annotations

import math
from collections.abc import Sequence

from separatrix import theory
from separatrix.reports.axes import draw_edge, draw_frame, draw_mark, panel
from separatrix.reports.charts import Axis, Curve, chart
from separatrix.reports.svg import Drawing


def phase_transition(dimensions: Sequence[int] = (2, 10, 50, 250)) -> str:
    """Cover's share of separable labellings against n/2D: one half at 1, and the steeper the larger D."""
    curves = []
    for place, d in enumerate(dimensions):
        sizes = range(1, 4 * (d + 1) + 1)
        across = [n / (2 * (d + 1)) for n in sizes]
        curves.append(
            Curve(f"d = {d}", across, [theory.separability_probability(n, d) for n in sizes], place)
        )
    description = (
        "The probability that a random labelling of n points in general position of R^d can be "
        "separated, against n over 2(d + 1). Every curve passes through one half at 1; for larger d it "
        "falls faster there."
    )
    return chart(
        "phase-transition",
        "Which random labellings can be separated",
        description,
        Axis("points n, in units of 2(d + 1)", 0.0, 2.0),
        Axis("probability", 0.0, 1.0),
        curves,
        marks=[(1.0, "n = 2(d + 1): one half")],
    )


def growth(d: int = 2, most: int = 20) -> str:
    """Labellings of n points: all, Sauer's bound, and what halfspaces have."""
    sizes = list(range(1, most + 1))
    dimension = theory.vc_dimension(d)
    curves = [
        Curve("all, 2ⁿ", sizes, [2.0**n for n in sizes], 4),
        Curve("Sauer's bound", sizes, [theory.sauer(n, dimension) for n in sizes], 1),
        Curve("halfspaces\n(Cover's count)", sizes, [theory.growth_function(n, d) for n in sizes], 0, True),
    ]
    description = (
        f"The number of labellings of n points of R^{d}, on a logarithmic scale. All three agree up to "
        f"n = {dimension}, the dimension; beyond it all labellings grow as 2 to the n, halfspaces as a "
        "polynomial, below Sauer's bound."
    )
    return chart(
        "growth",
        f"How many labellings halfspaces of R^{d} have",
        description,
        Axis("points n", 0.0, float(most)),
        Axis("labellings", 1.0, 2.0**most, log=True),
        curves,
        marks=[(float(dimension), f"dimension {dimension}")],
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
        area = panel(60 + place * 350, 76, 270, 250, (-0.5, 5.5), (-0.5, 5.5))
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
