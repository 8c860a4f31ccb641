"""Generated rows that look like the two motivating examples of every course: spam and faces."""

from __future__ import annotations

import numpy as np

from separatrix.problems.known_answer import Problem
from separatrix.problems.planted import RandomState

__all__ = ["faces", "spam_words"]

_WEIGHTS = {
    "free": 2,
    "winner": 3,
    "viagra": 4,
    "cash": 2,
    "click": 1,
    "offer": 1,
    "urgent": 1,
    "credit": 1,
    "the": 0,
    "you": 0,
    "please": 0,
    "today": 0,
    "meeting": -2,
    "lecture": -3,
    "confirmation": -2,
    "homework": -3,
    "thanks": -1,
    "attached": -1,
    "seminar": -2,
    "regards": -1,
}


def spam_words(n: int = 300, *, random_state: RandomState = 0) -> Problem:
    """Word counts of n generated mails, labels "ham" and "spam", the words as column names.

    Known: separable. A mail is spam exactly when 2·(weights · counts) − 1 > 0 with small whole-number
    weights, positive for "free", negative for "lecture"; that score is odd, so no mail lies on the
    hyperplane. The largest margin is not known; it is at least 1/‖2·weights‖.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.spam_words()
    >>> problem.columns[:3], problem.y[:3]
    (('free', 'winner', 'viagra'), array(['spam', 'ham', 'spam'], dtype='<U4'))
    """
    if n < 2:
        raise ValueError(f"spam_words needs two mails at least, not {n}.")
    rng = np.random.default_rng(random_state)
    weights = np.array(list(_WEIGHTS.values()))
    leaning = np.where(np.arange(n) % 2 == 0, 1, -1)
    rates = np.where(weights == 0, 1.5, 0.5 + 0.3 * np.sign(np.outer(leaning, weights)))
    counts = rng.poisson(rates)
    # A mail of one word on each side, so that both classes are there whatever was drawn.
    counts[:2] = np.stack([weights == weights.max(), weights == weights.min()])
    score = 2 * (counts @ weights) - 1
    return Problem(
        X=counts.astype(np.float64),
        y=np.where(score > 0, "spam", "ham"),
        name="spam_words",
        description=f"Counts of {len(weights)} words in {n} generated mails.",
        separable=True,
        kind="complete",
        halfspace=(tuple((2 * weights).tolist()), -1),
        fewest_errors=0,
        columns=tuple(_WEIGHTS),
    )


def faces(people: int = 10, pictures: int = 4, side: int = 100, *, random_state: RandomState = 0) -> Problem:
    """Grey images (0 to 255) of side × side pixels, `pictures` of each person; may the person enter?

    Known: separable. A face is a coarse pattern, symmetric left to right, plus light and grain; who may
    enter has the left half 12 brighter and the right half 12 darker, the others the reverse. Weights +1 on
    the left, −1 on the right cancel pattern and light and leave ±12 a pixel, and the grain is at most 10.
    So the margin is at least 2·√(number of pixels); the largest is not known.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.faces()
    <faces: 40 × 10000, complete>
    """
    if people < 2 or pictures < 1 or side < 2 or side % 2:
        raise ValueError("faces needs two people, a picture of each, and an even number of pixels a side.")
    rng = np.random.default_rng(random_state)
    block = next(size for size in (10, 5, 2, 1) if side // 2 % size == 0)
    coarse = rng.integers(64, 192, size=(people, side // block, side // 2 // block))
    half = coarse.repeat(block, axis=1).repeat(block, axis=2)
    pattern = np.concatenate([half, half[:, :, ::-1]], axis=2)
    mark = np.where(np.arange(side) < side // 2, 1, -1) * np.ones((side, 1), dtype=np.int64)
    person = np.repeat(np.arange(people), pictures)
    sign = np.where(person % 2 == 0, 1, -1)
    light = rng.integers(-20, 21, size=(len(person), 1, 1))
    grain = rng.integers(-10, 11, size=(len(person), side, side))
    images = pattern[person] + 12 * sign[:, None, None] * mark + light + grain
    return Problem(
        X=images.reshape(len(person), side * side).astype(np.float64),
        y=sign,
        name="faces",
        description=f"{pictures} generated pictures each of {people} people, of whom every second may enter.",
        separable=True,
        kind="complete",
        halfspace=(tuple(mark.ravel().tolist()), 0),
        fewest_errors=0,
    )
