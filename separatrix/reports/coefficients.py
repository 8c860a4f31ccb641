"""Where the coefficients of a logistic fit without a penalty go, in a word each and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from separatrix.algorithms.separation import Separation
from separatrix.algorithms.separation.null_space import find_null_space
from separatrix.rows import Rows

MAX_NAMES = 6


def logistic_words(separation: Separation, rows: Rows) -> tuple[str, ...] | None:
    """For each coefficient, the intercept last: "finite", "aliased", "+inf", "-inf" or "undetermined".

    An aliased coefficient is finite but not unique, since columns depend on one another; an undetermined one
    is infinite, of either sign. None if a limit was reached first.
    """
    found = separation.unbounded
    if found is None:
        return None
    words = (*found, *([] if found.intercept is None else [found.intercept]))
    if "undetermined" not in words:
        return words
    null = find_null_space(rows, intercept=found.intercept is not None)
    return tuple("aliased" if row.any() else word for word, row in zip(words, null, strict=True))


def logistic_sentence(kind: str, names: Sequence[str], words: Sequence[str | None]) -> str:
    """What happens to the coefficients of these names.

    >>> logistic_sentence("overlap", ["a", "b", "c"], ["aliased", "finite", "aliased"])
    'every maximum-likelihood coefficient is finite; those of a and c are aliased (not unique)'
    """
    groups = {word: [n for n, own in zip(names, words, strict=True) if own == word] for word in words}
    aliased = groups.get("aliased", [])
    are = f"{_listed(aliased)} {'is' if len(aliased) == 1 else 'are'} aliased (not unique)"
    if kind == "overlap":
        every = "every maximum-likelihood coefficient is finite"
        return f"{every}; {'that' if len(aliased) == 1 else 'those'} of {are}" if aliased else every
    if kind == "complete":
        return "no maximum-likelihood fit: the likelihood grows for ever"
    signed = [f"{name} to {word}" for word in ("+inf", "-inf") for name in groups.get(word, [])]
    running = [*signed, *groups.get("undetermined", [])]
    sentence = "no finite maximum-likelihood fit"
    if running:
        sentence += f": it runs away in {_listed(running)}"
    elif aliased:
        return f"{sentence}: it runs away in a combination of {_listed(aliased)}, which are aliased"
    return f"{sentence}; {are}" if aliased else sentence


def _listed(names: Sequence[Any]) -> str:
    """
    >>> _listed("abc"), _listed("abcdefgh")
    ('a, b and c', 'a, b, c, d, e, f and 2 more')
    """
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[:MAX_NAMES])} and {len(names) - MAX_NAMES:,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
