"""A report gives one lower end for a margin, rounded down where it is short, and calls it a lower bound."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

import separatrix as sx
from separatrix.reports.formatting import at_least

DATA = {
    "flowers": sx.problems.iris("setosa", "versicolor"),
    "drawn": (np.array([[0.0, 0.1], [0.3, 1.7], [2.0, 0.3], [3.1, 1.9]]), np.array([0, 0, 1, 1])),
    "thirds": (np.array([[0.0, 0.0], [1 / 3, 2.0], [1.0, 0.1]]), np.array([0, 1, 1])),
}


@pytest.mark.parametrize("name", DATA)
def test_every_lower_end_is_the_certified_one_rounded_down(name):
    found = sx.diagnose(*DATA[name], budget=0.5)
    margin = found.tasks[0].margin
    lower, upper = Fraction(margin.lower), Fraction(margin.upper)
    page = re.sub(r"<figure>.*?</figure>", "", found.to_html(), flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", page) + str(found)
    near = [w for w in re.findall(r"\d\.\d+", text) if abs(Fraction(w) - lower) < lower * Fraction(1, 1000)]
    short = {word for word in near if len(word) < 8}
    assert short == {at_least(margin.lower)}
    assert {word for word in near if len(word) >= 8} <= {repr(margin.lower), repr(margin.upper)}
    assert Fraction(at_least(margin.lower)) <= lower <= upper
    assert "at best" not in text
    best = next(c for c in found.tasks[0].contenders if c.method == "maximum margin")
    assert best.margin == margin.lower


@pytest.mark.parametrize("seed", range(20))
def test_rounding_down_is_a_lower_bound_to_four_digits(seed):
    value = float(np.random.default_rng(seed).lognormal(sigma=20.0))
    short = Fraction(at_least(value))
    assert short <= Fraction(value) <= short * Fraction(1001, 1000)
