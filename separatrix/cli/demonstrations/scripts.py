"""The demonstrations, one function each."""

from __future__ import annotations

from separatrix.cli.demonstrations import demo_data as data
from separatrix.cli.demonstrations.context import Demo, DemoContext

MAX_WORDS = 8


def _halfspace(context: DemoContext) -> str:
    import numpy as np

    import separatrix

    rows = data.flowers()
    model = separatrix.Perceptron()
    picture = context.fit(model, rows)
    plane = model.halfspace_
    assert isinstance(plane, separatrix.Halfspace)
    first = rows.take(np.arange(3)).whole().dense()
    context.write_paragraph(
        f"The weights ({', '.join(f'{w:.4g}' for w in model.coef_[0])}) are a normal of the boundary, which "
        f"is {plane.origin_distance:.4g} away from the origin. The score of a row, over the length of the "
        "weights, is its signed distance:"
    )
    for row, distance in zip(first.tolist(), plane.distance(first).tolist(), strict=True):
        context.write(f"  ({', '.join(f'{value:g}' for value in row)})  {distance:+.4f}")
    context.facts["origin_distance"] = float(plane.origin_distance)
    return picture


def _perceptron(context: DemoContext) -> str:
    import separatrix

    return context.fit(separatrix.Perceptron(), data.flowers())


def _xor(context: DemoContext) -> str:
    import separatrix

    rows = data.exclusive_or()
    context.fit(separatrix.Perceptron(max_iter=100), rows)
    picture = context.fit(separatrix.PocketPerceptron(random_state=0), rows)
    X, y = separatrix.problems.xor()
    lifted = separatrix.lift(X, y)
    context.facts["degree"] = lifted.degree
    context.write_paragraph(
        f"With products of up to {lifted.degree} columns as further columns the rows are separable: a curve "
        "does what no line can."
    )
    return picture


def _margin(context: DemoContext) -> str:
    import separatrix

    rows = data.wide_margin()
    perceptron, widest = separatrix.Perceptron(), separatrix.MaxMargin()
    context.fit(perceptron, rows)
    picture = context.fit(widest, rows)
    found = separatrix.separate(rows)
    assert found.margin is not None
    context.write_paragraph(
        f"The perceptron stops at the first halfspace it meets, {float(perceptron.geometric_margin_):.4g} "
        f"wide; the widest street there is has {found.margin.lower:.6g} on each side, certified from both "
        "ends. So far may every row move, in any direction, and stay on its side."
    )
    context.facts["margin"] = [found.margin.lower, found.margin.upper]
    return picture


def _noise(context: DemoContext) -> str:
    import separatrix

    rows = data.noise()
    context.fit(separatrix.PocketPerceptron(random_state=0), rows)
    best = separatrix.ZeroOne(time_limit=10)
    picture = context.fit(best, rows)
    context.facts["fewest"] = [int(best.lower_bound_), int(best.errors_)]
    context.write_paragraph(
        "To find the fewest errors is NP-hard in general; on small data the search ends, and both ends of "
        "its answer carry a proof."
    )
    return picture


def _far(context: DemoContext) -> str:
    import separatrix

    rows = data.far_from_origin()
    context.fit(separatrix.Perceptron(max_iter=200), rows)
    return context.fit(separatrix.Perceptron(center=True), rows)


def _spam(context: DemoContext) -> str:
    import numpy as np

    import separatrix
    from separatrix.rows.split import split

    learned, held_out = split(data.spam(context.data), 0.25, seed=0)
    model = separatrix.Perceptron(random_state=0)
    picture = context.fit(model, learned, held_out)
    assert learned.columns is not None
    words = [name.split(":")[-1] for name in learned.columns]
    order = np.argsort(model.coef_[0], kind="stable")
    spam, ham = ([words[j] for j in places[:MAX_WORDS]] for places in (order[::-1], order))
    context.facts["words"] = {str(model.classes_[1]): spam, str(model.classes_[0]): ham}
    context.write_paragraph(f"Words that speak for {model.classes_[1]}: {', '.join(spam)}.")
    context.write_paragraph(f"Words that speak for {model.classes_[0]}: {', '.join(ham)}.")
    return picture


def _faces(context: DemoContext) -> str:
    import separatrix

    rows = data.faces(context.data)
    assert rows.classes is not None
    if len(rows.classes) > 2:
        from separatrix.reports.diagnosis.one_vs_rest import against_the_rest

        context.write_paragraph(
            f"{len(rows.classes)} people; may the first of them, {rows.classes[0]}, enter?"
        )
        rows = against_the_rest(rows, 0)
    context.fit(separatrix.Perceptron(), rows)
    picture = context.fit(separatrix.MaxMargin(), rows)
    context.write_paragraph(
        f"{rows.n_columns:,} pixels and {rows.n_rows:,} pictures: with more columns than rows nearly every "
        "labelling is separable, so that being so says little about new pictures."
    )
    return picture


def _vc(context: DemoContext) -> str:
    from separatrix import theory
    from separatrix.reports.figures.phase_transition import phase_transition

    three, four = [[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1], [1, 1]]
    context.write_paragraph(
        f"A line in the plane has VC dimension {theory.vc_dimension(2)}. Three points in a triangle: "
        f"shattered, {bool(theory.shatters(three))}, all 8 labellings with a line for each."
    )
    answer = theory.shatters(four)
    context.write_paragraph(f"The corners of a square: shattered, {bool(answer)}. {answer.reason}")
    context.write_paragraph(
        f"Of the 16 labellings of the corners {len(list(theory.dichotomies_of(four)))} can be made by a "
        f"line; Cover's count for 4 points is {theory.dichotomies(4, 2)}."
    )
    context.facts["dichotomies"] = theory.dichotomies(4, 2)
    return phase_transition()


def _ridge(context: DemoContext) -> str:
    import numpy as np

    import separatrix
    from separatrix.reports.figures.ridge_path import path_figure

    problem = separatrix.problems.diabetes()
    plain = separatrix.LinearRegression().fit(problem.X, problem.y)
    path = separatrix.Ridge().path(problem.X, problem.y, alphas=np.logspace(-5, 2, 71).tolist())
    largest, chosen = np.abs(plain.coef_).max(), np.abs(path.coefficients[path.chosen]).max()
    context.write_paragraph(
        f"Least squares: the largest of 10 coefficients is {largest:.4g}. Leaving each of the "
        f"{len(problem.y)} rows out in turn chooses alpha = {path.alpha:.4g}, which brings it down to "
        f"{chosen:.4g}; the squared error on the row left out falls from {path.leave_one_out[0]:.6g} to "
        f"{path.leave_one_out[path.chosen]:.6g}."
    )
    context.facts["alpha"] = path.alpha
    return path_figure(path, problem.columns)


def _losses(context: DemoContext) -> str:
    from separatrix.reports import figures

    return figures.losses_compared()


DEMOS = {
    "perceptron": Demo(
        "a perceptron that keeps its word",
        "Two kinds of iris, by the lengths of sepal and petal. The perceptron visits the rows in turn and "
        "corrects its boundary at each mistake; it stops at the first pass without one.",
        _perceptron,
    ),
    "halfspace": Demo(
        "weights, normals and distances",
        "A halfspace is all x with w·x + b > 0. Two kinds of iris, and the boundary that a perceptron finds.",
        _halfspace,
    ),
    "xor": Demo(
        "what no straight line can do",
        "Exclusive or: no line has both classes on their sides, so the perceptron never stops by itself. The "
        "pocket perceptron keeps the best of the weights it counts, with their exact number of errors.",
        _xor,
    ),
    "margin": Demo(
        "the widest street between two classes",
        "Many halfspaces separate these rows; one leaves more room on both sides than all others.",
        _margin,
    ),
    "noise": Demo(
        "the best line there is",
        "Labels flipped by chance: no line is right everywhere. How few errors can one make, and who can be "
        "sure of it?",
        _noise,
    ),
    "far-from-origin": Demo(
        "why the origin matters",
        "Rows with a wide margin, but a hundred units from the origin: the mistake bound explodes, and so do "
        "the mistakes. Moved to their mean (--center), the same rows take a handful.",
        _far,
    ),
    "spam": Demo(
        "words that give a mail away",
        "A mail is a row, each column counts a word, and the perceptron weighs the words. A quarter of the "
        "mails is held out.",
        _spam,
        "a CSV file with a column text and a label",
    ),
    "faces": Demo(
        "ten thousand pixels",
        "A picture is a row, each column a pixel. May this person enter?",
        _faces,
        "a CSV file of pixels with the person as label",
    ),
    "vc": Demo(
        "what a line can shatter",
        "Points are shattered if every way to label them can be made by a halfspace. How many can be?",
        _vc,
    ),
    "ridge": Demo(
        "a little bias for a lot of variance",
        "Progress of diabetes in a year from ten measurements (Efron et al. 2004). A penalty on the weights "
        "moves them towards zero; leaving rows out tells how much of it pays.",
        _ridge,
    ),
    "losses": Demo(
        "what is the perceptron minimising?",
        "Its steps are those of descent on the perceptron loss, yet it does not minimise it: zero weights "
        "do, and that is where it starts. It is driven by mistakes, and what bounds them is the margin of "
        "the rows. The picture compares that loss with the others.",
        _losses,
    ),
}
