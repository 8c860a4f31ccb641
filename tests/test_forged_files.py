"""Claims and files that verify and the checker once took for true, read differently or could not tell."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.certificates import (
    CertificateError,
    ErrorsAtLeast,
    GradientAtMost,
    Inseparable,
    LikelihoodWithin,
    MistakeRun,
    MistakesAtMost,
    Separable,
    SoftMarginWithin,
    SolutionWithin,
    from_dict,
)
from separatrix.certificates.check.__main__ import main
from separatrix.cli.program import run
from separatrix.models import ModelError, from_json, to_json
from separatrix.models.storage import _digest


@pytest.fixture
def ended(tmp_path, monkeypatch, capsys):
    """How ``verify`` and the checker end on a certificate and a CSV file, and what they say."""
    monkeypatch.chdir(tmp_path)

    def both(certificate, text: str | bytes):
        record = certificate if isinstance(certificate, dict) else certificate.to_dict()
        Path("certificate.json").write_text(json.dumps(record))
        Path("data.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
        codes = run(shlex.split("verify certificate.json data.csv")), main(["certificate.json", "data.csv"])
        return codes, capsys.readouterr().err

    return both


LINE = Separable((1.0,), -0.5)


@pytest.mark.parametrize("power", [41, 52, 53, 60, 2000])
@pytest.mark.parametrize("rows", [(2,), (1, 2)])
def test_no_run_is_so_long_that_rounding_excuses_everything(ended, power, rows):
    """One row counted 2^52 times is no run: a perceptron is right on it after one mistake."""
    k = 2**power
    values = {1: 1, 2: 2}
    claim = MistakeRun(rows, (k,) * len(rows), k * len(rows), (k * sum(values[i] for i in rows),), None, True)
    codes, _ = ended(claim, "x,y\n-1,0\n1,1\n2,1\n")
    assert codes == (4, 4)


@pytest.mark.parametrize("intercept", [None, 0.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0, None])
@pytest.mark.parametrize("text", ["a,b,c,y\n0,1,2,0.5\n1,0,3,1\n", "a,y\n0,1\n1,2\n2,5\n"])
def test_rows_of_weight_0_alone_leave_the_shortest_solution(ended, alpha, intercept, text):
    width, n_rows = text.index("\n") // 2, text.count("\n") - 1
    weights = (1.0,) + (0.0,) * (width - 1)
    within = (1.0,) + (0.0,) * (width - 1) + ((0.0,) if intercept is not None else ())
    true = SolutionWithin(weights, intercept, alpha, 1.0, within, (0.0,) * n_rows)
    codes, _ = ended(true, text)
    assert codes == ((0, 0) if intercept is None else (4, 4))
    record = true.to_dict() | {"distance": 0.5, "within": [0.5, *true.to_dict()["within"][1:]]}
    assert ended(record, text)[0] == (4, 4)


@pytest.mark.parametrize("positive", [[1], {"a": 1}, [], 10**4200])
def test_a_label_is_a_number_or_a_text(ended, positive):
    text = "x,y\n0,a\n1,[1]\n" if positive == [1] else "x,y\n0,a\n1,{'a': 1}\n"
    record = LINE.to_dict()
    record["about"]["positive"] = positive
    with pytest.raises(CertificateError, match="'positive' is wrong: A label is"):
        from_dict(record)
    assert ended(record, text)[0] == (2, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xef\xbb\xbf", "nothing to read"),
        (b"\xef\xbb\xbf\r\n\r\n", "nothing to read"),
        ("x,y\n", "no rows"),
        ("x,x,y\n0,1,0\n1,0,1\n", "more than one column called 'x'"),
        ("x,y,y\n0,0,0\n1,1,1\n", "more than one column called 'y'"),
        (",y\n0,0\n1,1\n", "column 1 has no name"),
        ("x,y\n0,0\n1,1,\n", "line 3"),
        ("x,y\n0,0\n9007199254740993,1\n", "9007199254740993"),
        (b"x,y\n0,0\x00\n1,1\n", "zero byte"),
        ("x,y\r0,0\r1,1\r", "new-line character"),
        ("x,y\n0,0\r1,1\n", "new-line character"),
    ],
)
def test_a_file_that_is_refused_is_refused_by_both_for_what_is_wrong_with_it(ended, text, said):
    codes, err = ended(LINE, text)
    assert codes == (2, 2)
    assert said in err
    assert "n_columns" not in err


def test_a_label_column_that_is_not_said_is_the_same_for_both(ended):
    for name in ("label", "y", "target", "class"):
        assert ended(LINE, f"{name},x\n0,0\n1,1\n1,3\n")[0] == (0, 0)
        assert ended(LINE, f"{name},x\n0,1\n1,0\n1,1\n")[0] == (4, 4)


@pytest.mark.parametrize("kinds", [2, 3])
def test_votes_are_no_weights(ended, kinds):
    """A certificate of a perceptron, put into a model that predicts by the votes of others."""
    X = [[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0], [9.0, -5.0], [8.0, -6.0]][: 2 * kinds]
    y = ["a", "a", "b", "b", "c", "c"][: 2 * kinds]
    proven = json.loads(to_json(sx.PocketPerceptron(max_iter=50).fit(X, y)))["fitted"]
    voted = json.loads(to_json(sx.VotedPerceptron(max_iter=50).fit(X, y)))
    for name in ("certificate_", "coef_", "intercept_", "halfspace_"):
        voted["fitted"][name] = proven[name]
    text = json.dumps(voted | {"digest": _digest(voted)})
    with pytest.raises(ModelError, match="predicts by the votes of its voters_, of which no certificate"):
        from_json(text)
    lines = [f"{a},{b},{label}" for (a, b), label in zip(X, y, strict=True)]
    Path("rows.csv").write_text("\n".join(["a,b,label", *lines, ""]))
    Path("forged.json").write_text(text)
    assert run(["verify", "forged.json", "rows.csv"]) == 4


CLAIMS = [
    LINE,
    MistakesAtMost((1.0,), -0.5, 100),
    ErrorsAtLeast(1, None, {"method": "none"}, True),
    Inseparable((0, 1), (1, 1), True),
    LikelihoodWithin((0.5,), -0.5, C=1.0, upper=9.0, lower=0.0),
    SoftMarginWithin((2.0,), -2.0, 1.0, "hinge", 40.0, 0.0, (0, 1), (0, 0), 0),
    GradientAtMost((0.5,), 0.5, 0.0, 9.0),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.kind)
@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([[0.0], [np.nan]], [0, 1], "Row 1, column 0 .* holds nan"),
        ([[0.0], [np.inf]], [0, 1], "Row 1, column 0 .* holds inf"),
        (np.empty((2, 0)), [0, 1], "no columns"),
        (np.empty((0, 1)), [], "no rows"),
        ((np.zeros((2, 1)), [0, 0]), [0, 1], "differ in length"),
        ([[0], [10**5000]], [0, 1], "No double equals a whole number of"),
        ([[0.0], [1.0]], [0, 10**5000], "a whole number of"),
        ([[0.0], [1.0]], ["1" * 5000] * 2, "only the value '1111|'111.* is no number|values of type"),
    ],
)
def test_data_that_is_none_is_refused_in_a_short_sentence(claim, X, y, said):
    with pytest.raises(ValueError, match=said) as refused:
        claim.verify(X, y)
    assert type(refused.value) is ValueError
    assert len(str(refused.value)) < 160
    assert str(refused.value).endswith(".")
