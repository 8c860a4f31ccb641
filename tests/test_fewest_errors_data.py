"""The fewest errors on public data: known optima, and what hard sets have shown."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from test_fewest_errors import written

import separatrix as sx
from separatrix.certificates.check.__main__ import main as check

KNOWN = {"iris": 1, "banknote": 7, "haberman": 66, "voicepath": 19, "vaso": 3, "endometrial": 8, "sex2": 82}


def public(folder, name):
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if all(row)]
    if name == "iris":
        rows = [row for row in rows if row[-1] != "setosa"]
    return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])


@pytest.mark.parametrize("name", KNOWN)
def test_public_sets_have_the_errors_known(name, data_folder, tmp_path):
    X, y = public(data_folder, name)
    model = sx.ZeroOne(time_limit=120).fit(X, y)
    assert model.errors_ == model.lower_bound_ == KNOWN[name]
    assert len(model.misclassified_) == KNOWN[name]
    assert model.certificate_.verify(X, y).holds
    assert check(written(tmp_path, X, y, model.certificate_)) == 0


@pytest.mark.parametrize("name", ["breast_cancer_wdbc", "sonar"])
def test_separable_public_sets_have_none(name, data_folder):
    X, y = public(data_folder, name)
    model = sx.ZeroOne(max_margin=False).fit(X, y)
    assert (model.errors_, model.optimal_) == (0, True)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("ionosphere", 2, 6),
        ("heart_statlog", 12, 26),
        ("pima_diabetes", 55, 154),
        ("heart_cleveland", 15, 33),
    ],
)
def test_hard_public_sets_stay_within_what_was_seen(name, least, most, data_folder):
    X, y = public(data_folder, name)
    y = y if name != "heart_cleveland" else (y != "0").astype(int)
    model = sx.ZeroOne(time_limit=30).fit(X, y)
    assert least <= model.lower_bound_ <= model.errors_ <= most
    assert model.certificate_.verify(X, y).holds


@pytest.mark.deep
def test_nines_among_the_digits_need_one_error(data_folder):
    X, y = public(data_folder, "digits")
    model = sx.ZeroOne().fit(X, (y == "9").astype(int))
    assert (model.errors_, model.lower_bound_) == (1, 1)
    assert model.certificate_.verify(X, (y == "9").astype(int)).holds
