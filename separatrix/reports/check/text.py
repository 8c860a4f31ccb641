"""What `check` found, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from separatrix.certificates import MarginAtLeast, MistakesAtMost
from separatrix.certificates.fields import to_decimal
from separatrix.reports.check.separation_record import LabelledRow, SeparationRecord
from separatrix.reports.formatting import (
    Line,
    all_rows,
    at_least,
    at_most,
    counted,
    named,
    number,
    several,
    table,
    wrap_lines,
)
from separatrix.rows import Rows

KINDS = {
    "complete": "separable: a hyperplane has every row strictly on its side (complete separation)",
    "quasi": "not separable, though nearly: no hyperplane has every row strictly on its side, but one has "
    "every row on its side or on it (quasi-complete separation)",
    "overlap": "not separable: no hyperplane has every row on its side, nor every row on its side or on it "
    "(overlap)",
}
LIMIT_WORDS = {"+inf": "to +∞", "-inf": "to -∞", "undetermined": "in a direction that is not determined"}
SEPARATE_PROOFS = (MarginAtLeast, MistakesAtMost)
MAX_ROWS = 8  # of a conflict, in a table
MAX_NAMES = 6
MAX_WEIGHT_DIGITS = 9  # digits; longer ones are told as shares
MAX_TITLE_CHARACTERS = 16
NEGLIGIBLE_SHARE = 1e-12  # of the largest weight: less is left out of the rounded boundary


def render(answers: Sequence[SeparationRecord], rows: Rows, width: int) -> str:
    """One answer at length, or a line for each class."""
    lines = _one(answers[0], rows, width) if len(answers) == 1 else _several(answers, rows)
    return wrap_lines(lines, width)


def _one(answer: SeparationRecord, rows: Rows, width: int) -> Iterator[Line]:
    yield f"{_head(answer, rows)}: {named(answer.positive)} is +1, {named(answer.negative)} is -1"
    yield ""
    if answer.kind == "undecided":
        yield "verdict", f"undecided. {answer.left_open}"
        yield "proven", "nothing, either way; more time (--time-limit) may settle it"
        return
    yield "verdict", KINDS[answer.kind]
    if answer.kind == "complete":
        yield from _margins(answer)
    else:
        if answer.kind == "quasi":
            yield "on it", _on_plane(answer, rows)
        yield "conflict", _conflict(answer)
        yield ""
        yield from _conflict_table(answer, width)
        yield ""
    yield "logistic fit", _logistic(answer)
    yield ""
    yield from _evidence(answer, rows)


def _head(answer: SeparationRecord, rows: Rows) -> str:
    size = f"{several(rows.n_rows, 'row')}, {several(rows.n_columns, 'column')}"
    where = f"{rows.name} ({size})" if rows.name else size
    return where if answer.intercept else f"{where}, through the origin"


def _margins(answer: SeparationRecord) -> Iterator[Line]:
    found = answer.separation
    margin, bracket = found.margin, found.bracket()
    assert margin is not None
    assert bracket is not None
    yield "margin", _margin(*margin)
    standard = answer.standardised
    if standard is not None and standard.lower > 0:
        yield (
            "standardised",
            f"at least {at_least(standard.lower)}, each column divided by its standard deviation",
        )
    if bracket.rows:
        which = "these rows" if len(bracket.rows) > 1 else "this row"
        yield "nearest rows", f"{_listed(bracket.rows)} (counted from 0); {which} alone allow no more"
    boundary = _boundary(answer)
    if boundary:
        yield "boundary", boundary
    if found.mistake_bound is not None and found.row_margin is not None:
        constant = ", both with the constant 1 as one more column" if answer.intercept else ""
        mistakes = "mistake" if found.mistake_bound == 1 else "mistakes"
        yield (
            "mistake bound",
            f"a perceptron makes at most {_bound(found.mistake_bound)} {mistakes}, in whatever order these "
            f"rows come (Novikoff 1962): (R/γ)², with R = {number(found.radius)} the longest row and γ = "
            f"{at_least(found.row_margin.lower)} the margin{constant}",
        )


def _margin(lower: float, upper: float) -> str:
    moves = "every row may move by less than {}, in any direction, and the classes stay separable"
    if lower <= 0 or math.isinf(upper):
        ends = [f"at least {lower!r}"] if lower > 0 else []
        ends += [f"at most {upper!r}"] if math.isfinite(upper) else []
        known = " and ".join(ends) or "not measured"
        return f"{known}: time, or the range of doubles, ended before more was known"
    if lower == upper:
        return f"{lower!r}, the largest there is, exactly; {moves.format('that')}"
    within = f"between {lower!r} and {upper!r}"
    return f"the largest there is: {within}; {moves.format('the lower end')}"


def _boundary(answer: SeparationRecord) -> str | None:
    """Score > 0 with names, where there are few columns and their weights have a size to be read."""
    numbers = answer.boundary
    if numbers is None or len(answer.columns) > MAX_NAMES:
        return None
    try:
        *weights, bias = (float(value) for value in numbers)
    except OverflowError:
        return None
    text = ""
    for weight, name in zip(weights, answer.columns, strict=True):
        if abs(weight) > NEGLIGIBLE_SHARE * max(map(abs, weights)):
            sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
            text += f"{sign}{number(abs(weight))}·{named(name)}"
    beyond = number(-bias) if bias else "0"
    return f"{text} > {beyond} means {named(answer.positive)} (rounded)"


def _on_plane(answer: SeparationRecord, rows: Rows) -> str:
    on, strict = len(answer.on_plane), rows.n_rows - len(answer.on_plane)
    lie, which = "lies" if on == 1 else "lie", _listed(answer.on_plane)
    return (
        f"{several(on, 'row')} {lie} on that hyperplane, as few as possible: {which} (counted "
        f"from 0); {counted(strict)} {'is' if strict == 1 else 'are'} strictly on the right side"
    )


def _conflict(answer: SeparationRecord) -> str:
    rows, point = answer.conflict, answer.separation.common_point
    if len(rows) == 1:
        return f"row {rows[0].number} is 0 in every column: it lies on every hyperplane through the origin"
    if len(rows) == 2 and rows[0].values == rows[1].values:
        return f"rows {rows[0].number} and {rows[1].number} have the same values and different labels"
    why = f"{several(len(rows), 'row')}, of which no hyperplane has all strictly on their sides"
    share = "shares" if _as_shares(answer) else "weights"
    if point is None:
        return f"{why}: signed and added up with these {share}, they give exactly zero"
    mean = f"{why}: mixed in these {share}, the rows of both labels have the same mean"
    if len(point) > MAX_NAMES:
        return f"{mean}, exactly"
    values = [f"{_title(name)} = {_value(v)}" for name, v in zip(answer.columns, point, strict=True)]
    return f"{mean}, {', '.join(values)}"


def _conflict_table(answer: SeparationRecord, width: int) -> Iterator[str]:
    """The rows of the conflict, label after label, with as many columns as there is room for."""
    weights = _weights(answer)
    shown = _heaviest(answer)
    titles = ["row", "share" if _as_shares(answer) else "weight", "label"]
    cells = [[str(row.number), weights[row.number], named(row.label)] for row in shown]
    taken = 4 + sum(2 + max(map(len, column)) for column in zip(titles, *cells, strict=True))
    places = range(len(answer.columns))
    filled = [j for j in places if any(row.values[j] for row in answer.conflict)]
    seen = 0
    for j in filled or places[:1]:
        column = [_value(row.values[j]) for row in shown]
        column_width = 2 + max(map(len, [_title(answer.columns[j]), *column]))
        if taken + column_width > width:
            break
        taken += column_width
        seen += 1
        titles.append(_title(answer.columns[j]))
        for row, cell in zip(cells, column, strict=True):
            row.append(cell)
    for line in table([*titles, ""], [[*row, ""] for row in cells]):
        yield f"  {line}"
    unseen = len(answer.conflict) - len(shown)
    more = [several(unseen, "more row")] if unseen else []
    if seen < len(places):
        zeros = " (all 0 here)" if seen >= len(filled) else ""
        more.append(several(len(places) - seen, "more column") + zeros)
    if more:
        yield f"    and {', '.join(more)}"


def _heaviest(answer: SeparationRecord) -> list[LabelledRow]:
    """The rows of the conflict, label after label; of many those of the largest weight."""
    conflict = answer.separation.conflict
    assert conflict is not None
    weights = dict(zip(*conflict, strict=True))
    chosen = []
    for positive in (False, True):
        side = [row for row in answer.conflict if (row.label == answer.positive) is positive]
        most = max(MAX_ROWS // 2, MAX_ROWS - (len(answer.conflict) - len(side)))
        side = sorted(side, key=lambda row: -weights[row.number])[:most]
        chosen += sorted(side, key=lambda row: row.number)
    return chosen


def _as_shares(answer: SeparationRecord) -> bool:
    conflict = answer.separation.conflict
    return conflict is not None and max(conflict.weights) >= 10**MAX_WEIGHT_DIGITS


def _weights(answer: SeparationRecord) -> dict[int, str]:
    """Of each row of the conflict its weight; where those are long, its share among the rows of its label, or
    among all where the labels do not balance."""
    conflict = answer.separation.conflict
    assert conflict is not None
    weights = dict(zip(*conflict, strict=True))
    if not _as_shares(answer):
        return {index: str(weight) for index, weight in weights.items()}
    # With an intercept both labels have half of the weight.
    total = sum(weights.values()) // (2 if answer.intercept else 1)
    return {index: f"{float(Fraction(100 * weight, total)):.3g}%" for index, weight in weights.items()}


def _logistic(answer: SeparationRecord) -> str:
    if answer.kind == "complete":
        return "by maximum likelihood there is none: the likelihood grows for ever as the weights do"
    words = answer.logistic
    if words is None:
        return "the time limit was reached before it was known which coefficients are finite"
    names = [*map(_title, answer.columns), *(["the intercept"] if answer.intercept else [])]
    groups = {word: [n for n, end in zip(names, words, strict=True) if end == word] for word in words}
    others = "are determined" if answer.kind == "overlap" else "stay finite"
    rest = f"; the others {others}" if "finite" in groups else ""
    aliased = groups.get("aliased", [])
    are = "coefficients of {} are" if len(aliased) > 1 else "coefficient of {} is"
    loose = ""
    if aliased:
        loose = f"the {are.format(_names(aliased))} aliased (not unique), since columns depend on each other"
    if answer.kind == "overlap":
        return f"{loose}{rest}" if aliased else "every maximum-likelihood coefficient is finite"
    running = [f"{_names(groups[word])} {LIMIT_WORDS[word]}" for word in LIMIT_WORDS if word in groups]
    if not running:
        return f"by maximum likelihood a combination of coefficients runs off; {loose}{rest}"
    also = f"; {loose}" if aliased else ""
    return f"by maximum likelihood these coefficients run off: {', '.join(running)}{also}{rest}"


def _evidence(answer: SeparationRecord, rows: Rows) -> Iterator[Line]:
    if not answer.decided:
        yield "proven", f"nothing: a certificate was refused. {answer.left_open}"
        return
    first, *others = answer.evidence
    yield "proven", first.claim
    own = [claim.title for claim in SEPARATE_PROOFS if any(e.kind == claim.kind for e in others)]
    if own:
        have = "have proofs of their own" if len(own) > 1 else "has a proof of its own"
        yield "", f"The {' and the '.join(own)} {have}."
    each = "all hold" if others else "it holds"
    yield "", f"Checked again on {all_rows(rows.n_rows)}, in exact arithmetic: {each}."
    left = [] if answer.kind == "complete" else ["how few errors a hyperplane can make"]
    left += [] if answer.standardised is None else ["the standardised margin, which has no certificate"]
    yield "not proven", "; ".join([*left, "anything about other rows"])


def _several(answers: Sequence[SeparationRecord], rows: Rows) -> Iterator[Line]:
    yield f"{_head(answers[0], rows)}: {len(answers)} classes, each against the rest"
    yield ""
    titles = ("class", "verdict", "margin", "mistakes at most", "conflict", "proof")
    yield from table(titles, [_row(answer) for answer in answers])
    yield ""
    separable = sum(answer.separable for answer in answers)
    yield "verdict", f"{separable} of {len(answers)} classes can be separated from the rest"
    if all(answer.decided for answer in answers):
        yield "proven", f"Checked again on {all_rows(rows.n_rows)}, in exact arithmetic: all hold."
    else:
        open_ones = [named(answer.positive) for answer in answers if not answer.decided]
        yield "undecided", f"{_names(open_ones)}: more time (--time-limit) may settle it"
    yield "", "One class at length, with its conflict: --positive CLASS."


def _row(answer: SeparationRecord) -> tuple[str, ...]:
    found = answer.separation
    margin, bound, conflict = found.margin, found.mistake_bound, found.conflict
    return (
        named(answer.positive),
        "separable" if answer.kind == "complete" else answer.kind,
        at_least(margin.lower) if margin is not None and margin.lower > 0 else "",
        _bound(bound) if bound is not None else "",
        several(len(conflict.rows), "row") if conflict is not None else "",
        "none" if answer.kind == "undecided" else "holds" if answer.decided else "refused",
    )


def _bound(mistakes: int) -> str:
    """Also of numbers that no double can hold."""
    digits = to_decimal(mistakes)
    return at_most(mistakes) if len(digits) < 300 else f"{digits[0]}.{digits[1:4]}e+{len(digits) - 1}"


def _listed(indices: Sequence[int]) -> str:
    more = len(indices) - 2 * MAX_NAMES
    shown = ", ".join(map(str, indices[: 2 * MAX_NAMES] if more > 0 else indices))
    return f"{shown} and {counted(more)} more" if more > 0 else shown


def _names(names: Sequence[str]) -> str:
    if len(names) > MAX_NAMES + 1:
        return f"{', '.join(names[:MAX_NAMES])} and {len(names) - MAX_NAMES} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _title(name: str) -> str:
    text = named(name)
    return text if len(text) <= MAX_TITLE_CHARACTERS else text[: MAX_TITLE_CHARACTERS - 1] + "…"


def _value(value: Any) -> str:
    """A number as the user wrote it, or to four digits where it was computed."""
    if isinstance(value, Fraction):
        return number(float(value)) if value.denominator > 1 or abs(value) >= 10**6 else str(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
