"""Reports about columns that depend on one another: aliased, and not called infinite."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

import separatrix as sx
from separatrix.cli.program import run
from separatrix.reports.coefficients import logistic_sentence

X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 0.5], [3.0, 3.0], [4.0, 1.0], [5.0, 2.0]])
OVERLAP = np.array([0, 1, 0, 1, 0, 1, 1, 0])
LOW = (X[:, 0] < 2).astype(float)
QUASI = np.where(X[:, 0] == 5.0, 1, OVERLAP)  # with a column that is 1 on the last row alone
LAST = (X[:, 0] == 5.0).astype(float)


def words(table, y):
    found = sx.diagnose(table, y, budget=0.2)
    (task,) = found.tasks
    return task.kind, [c.runs_to for c in task.coefficients], " ".join(str(found).split()), found.to_html()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([X[:, 0]], ["aliased", "finite", "aliased"]),
        ([np.ones(8)], ["finite", "finite", "aliased"]),
        ([np.zeros(8)], ["finite", "finite", "aliased"]),
        ([LOW, 1 - LOW], ["finite", "finite", "aliased", "aliased"]),
        ([X[:, 0] + X[:, 1]], ["aliased"] * 3),
    ],
    ids=["duplicate", "ones", "zeros", "dummies", "sum"],
)
def test_under_overlap_dependent_columns_are_aliased_and_finite(more, expected):
    kind, told, text, page = words(np.column_stack([X, *more]), OVERLAP)
    assert (kind, told) == ("overlap", expected)
    assert "every maximum-likelihood coefficient is finite; " in text
    assert "aliased" in text
    for wrong in ("runs away", "no finite", "undetermined"):
        assert wrong not in text
        assert wrong not in page


def test_under_separation_only_what_runs_away_is_said_to():
    kind, told, text, _ = words(np.column_stack([X, X[:, 1], LAST]), QUASI)
    assert (kind, told) == ("quasi", ["finite", "aliased", "aliased", "+inf"])
    assert "it runs away in column 3 to +inf; column 1 and column 2 are aliased" in text


def test_a_combination_of_aliased_coefficients_may_run_away():
    kind, told, text, _ = words(np.column_stack([X, LAST, 1 - LAST]), QUASI)
    assert (kind, told) == ("quasi", ["finite", "finite", "aliased", "aliased"])
    assert "runs away in a combination of column 2 and column 3, which are aliased" in text


@pytest.mark.parametrize(
    ("more", "y", "expected"),
    [
        ([X[:, 0]], OVERLAP, "the coefficients of a and c are aliased (not unique)"),
        ([np.ones(8)], OVERLAP, "the coefficients of c and the intercept are aliased (not unique)"),
        ([X[:, 1], LAST], QUASI, "run off: d to +∞; the coefficients of b and c are aliased"),
        ([LAST, 1 - LAST], QUASI, "a combination of coefficients runs off; the coefficients of c, d and the"),
    ],
)
def test_check_says_the_same(more, y, expected, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    table = np.column_stack([X, *more, y])
    header = ",".join([*"abcdef"[: table.shape[1] - 1], "label"])
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", header=header, comments="")
    assert run(shlex.split(f"check {tmp_path / 'rows.csv'}")) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert expected in told


def test_sentences_of_every_kind():
    names = list("abcd")
    complete = logistic_sentence("complete", names, [None] * 4)
    assert complete == "no maximum-likelihood fit: the likelihood grows for ever"
    assert logistic_sentence("overlap", names, ["finite"] * 4).endswith("coefficient is finite")
    both = logistic_sentence("quasi", names, ["+inf", "-inf", "undetermined", "finite"])
    assert both == "no finite maximum-likelihood fit: it runs away in a to +inf, b to -inf and c"
