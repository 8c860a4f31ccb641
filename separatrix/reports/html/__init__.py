"""The report as one HTML page: nothing is fetched, nothing is run, every value is escaped."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from separatrix.reports.diagnosis.diagnosis_record import Diagnosis, TaskDiagnosis
from separatrix.reports.diagnosis.diagnosis_text import KINDS
from separatrix.reports.evaluation import errors_in_words
from separatrix.reports.formatting import at_least, at_most, counted, named, number, printable, several
from separatrix.reports.html.report_figures import Figure, figures_of
from separatrix.reports.svg import STYLE

if TYPE_CHECKING:
    from jinja2 import Environment, Template

MAX_FIGURE_CHARACTERS = 150_000  # characters of figures; classes beyond that have their words
MAX_ROWS = 24  # of a conflict
MAX_COLUMNS = 14  # of a conflict's table
MAX_COEFFICIENTS = 40
MAX_NAMES = 12
HEIGHT = 900  # pixels of the report in a notebook


def render(diagnosis: Diagnosis) -> str:
    """The page.

    >>> import separatrix as sx
    >>> page = render(sx.diagnose(*sx.problems.iris("setosa", "versicolor"), budget=1))
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)
    """
    sections = []
    drawn = 0
    for place, task in enumerate(diagnosis.tasks):
        name = f"task-{place}"
        figures = [_figure(draw) for draw in figures_of(task, name)] if drawn < MAX_FIGURE_CHARACTERS else []
        drawn += sum(len(figure.svg) for figure in figures)
        if place and drawn > MAX_FIGURE_CHARACTERS:
            figures = []
        table = _conflict_table(task, diagnosis)
        sections.append({"task": task, "name": name, "figures": figures, "table": table})
    return _template().render(
        diagnosis=diagnosis,
        data=diagnosis.data,
        sections=sections,
        one=len(sections) == 1,
        figure_style=STYLE,
        style=files("separatrix.reports.html").joinpath("report.css").read_text(encoding="utf-8"),
        most_coefficients=MAX_COEFFICIENTS,
        most_named=MAX_NAMES,
    )


def _figure(draw: Callable[[], Figure]) -> Figure:
    """The figure, or a sentence in its place."""
    try:
        return draw()
    except (ValueError, ArithmeticError):
        return Figure("A figure is left out here: its numbers are too large or too small to be drawn.", "")


def embedded(diagnosis: Diagnosis) -> str:
    """The page in a frame of its own, for a notebook: its styles stay inside."""
    inside = html.escape(render(diagnosis), quote=True)
    return (
        f'<iframe srcdoc="{inside}" sandbox title="separatrix report" loading="lazy" '
        f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    folder = files("separatrix.reports.html")
    made = Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=number,
        counted=counted,
        named=named,
        at_least=at_least,
        at_most=at_most,
        exactly=repr,
        drawn=Markup,  # our own figures, which escape what they are given
        percent=lambda share: f"{100 * share:.3g}%",
        listed=_listed,
        several=several,
    )
    made.globals.update(
        kinds=KINDS, errors_in_words=errors_in_words, float=float, verdict=_verdict, responsible=_responsible
    )
    return made


def _shown(value: Any) -> Any:
    """What goes into the page: text without control characters, which escaping leaves as they are."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _template() -> Template:
    return _environment().get_template("report.html")


def _verdict(task: TaskDiagnosis) -> str:
    """Two or three words, for the first screen."""
    return {
        "complete": "Separable",
        "quasi": "Nearly separable",
        "overlap": "Not separable",
        "undecided": "Undecided",
    }[task.kind]


def _responsible(task: TaskDiagnosis) -> str:
    """The rows and columns that the verdict hangs on, in one sentence."""
    if task.conflict:
        rows = _listed([counted(row.row) for row in task.conflict], 8)
        columns = [c.name for c in task.coefficients if c.runs_to in ("+inf", "-inf")]
        sentence = f"Rows {rows} (counted from 0) cannot all be on their sides of a line."
        if columns:
            sentence += f" A logistic fit runs away in {_listed(columns, 6)}."
        return sentence
    if task.margin is not None:
        rows = _listed([counted(row) for row in task.margin.support], 8)
        return f"Rows {rows} (counted from 0) are nearest to the boundary, and alone decide where it runs."
    return "No rows are named."


def _listed(names: Any, most: int = MAX_NAMES) -> str:
    shown = list(names)
    if len(shown) <= most:
        return ", ".join(map(str, shown))
    return f"{', '.join(map(str, shown[:most]))} and {len(shown) - most:,} more"


def _conflict_table(task: TaskDiagnosis, diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The conflict's rows with the user's own values, the columns that vary among them first."""
    if not task.conflict:
        return None
    rows = sorted(task.conflict, key=lambda row: -(row.share or 0.0))[:MAX_ROWS]
    rows.sort(key=lambda row: row.row)
    count = len(task.conflict[0].values)
    varying = [j for j in range(count) if len({row.values[j] for row in rows}) > 1]
    order = (varying + [j for j in range(count) if j not in set(varying)])[:MAX_COLUMNS]
    order.sort()
    return {
        "titles": [diagnosis.data.features[j] for j in order],
        "rows": [(row, [f"{row.values[j]:.6g}" for j in order]) for row in rows],
        "rows_left": len(task.conflict) - len(rows),
        "columns_left": count - len(order),
    }
