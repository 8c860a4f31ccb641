"""A stream without end: predict, see the truth, learn; the mistakes come to an end.

Rows are drawn for ever from the disc of radius 1, at least 1/32 away from a line that the learner does not
know. The theorem allows (R/γ)² mistakes in all, for rows (x, 1) and whatever is drawn.

Run it with ``python examples/stream.py``. It prints:

    after    10 rows: 3 mistakes
    after   100 rows: 8 mistakes
    after  1000 rows: 8 mistakes
    after 10000 rows: 8 mistakes
    Novikoff: mistakes <= 2048 (certain)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

import separatrix as sx

MARGIN = 0.03125


def pairs() -> Iterator[tuple[np.ndarray, int]]:
    """Points of the disc that keep their distance from the line, with the side they are on."""
    random = np.random.default_rng(0)
    normal = np.array([0.6, 0.8])
    while True:
        point = random.uniform(-1.0, 1.0, size=2)
        if point @ point <= 1.0 and abs(point @ normal) >= MARGIN:
            yield point, 1 if point @ normal > 0 else -1


model = sx.Perceptron()
answers = enumerate(sx.stream(model, pairs(), classes=[-1, 1]), start=1)
for number, answer in islice(answers, 10_000):
    if number in (10, 100, 1000, 10_000):
        print(f"after {number:5} rows: {answer.mistakes} mistakes")

print(sx.bounds.novikoff(radius=2**0.5, margin=MARGIN))
