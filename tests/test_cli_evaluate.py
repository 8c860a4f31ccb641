"""Commands about a model that is there already (evaluate, export), about columns that need making ready,
and about theory alone (bound)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import log_loss, roc_auc_score

import separatrix as sx
from separatrix.cli.program import run
from separatrix.models.onnx import to_onnx
from separatrix.reports.evaluation import area_under_curve, binomial_interval, evaluate

FLOWERS = """length,width,kind
1.4,0.2,setosa
1.3,0.2,setosa
1.7,0.5,setosa
4.7,1.4,versicolor
3.3,1.0,versicolor
4.0,1.3,versicolor
"""
PEOPLE = """age,sex,colour,note,label
20,m,red,free now,1
,f,blue,hello you,0
40,m,green,,1
30,f,red,you free,0
22,,red,x,1
"""


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "101")
    Path("flowers.csv").write_text(FLOWERS, encoding="utf-8")
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


@pytest.mark.parametrize(("errors", "n"), [(0, 1), (0, 50), (3, 45), (45, 45), (120, 1000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_the_interval_is_clopper_and_pearsons(errors, n, confidence):
    exact = binomtest(errors, n).proportion_ci(confidence, "exact")
    assert binomial_interval(errors, n, confidence) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_area_under_the_curve_agrees_with_scikit_learn():
    generator = np.random.default_rng(7)
    for _ in range(20):
        truth = generator.integers(0, 2, 60)
        scores = generator.integers(-5, 6, 60) / 2
        assert area_under_curve(truth, scores) == pytest.approx(roc_auc_score(truth, scores), abs=1e-14)


def test_log_loss_agrees_with_scikit_learn():
    X, y = sx.problems.iris("versicolor", "virginica")
    model = sx.LogisticRegression().fit(X, y)
    seen = evaluate(model, sx.as_rows(X, y))
    assert seen.log_loss == pytest.approx(log_loss(y, model.predict_proba(X)), rel=1e-12)


def test_evaluate_counts_and_says_how_sure_it_is(cli):
    assert cli("fit flowers.csv --label kind -o model.json -q")[0] == 0
    Path("test.csv").write_text(FLOWERS + "1.0,0.1,versicolor\n", encoding="utf-8")
    code, out, err = cli("evaluate model.json test.csv --label kind")
    assert (code, out) == (0, "")
    assert "1 error on 7 rows (14.3%)" in err
    assert "between 0.361% and 57.87%" in err
    record = json.loads(cli("evaluate model.json test.csv --label kind --json")[1])
    assert record["confusion"] == [[3, 0], [1, 3]]
    assert record["errors"] == 1


def test_evaluate_refuses_a_class_that_the_model_does_not_know(cli):
    cli("fit flowers.csv --label kind -o model.json -q")
    Path("test.csv").write_text(FLOWERS + "1.0,0.1,virginica\n", encoding="utf-8")
    code, _, err = cli("evaluate model.json test.csv --label kind")
    assert code == 2
    assert "does not know the class virginica" in err


def test_held_out_rows_are_told_beside_the_fit(cli):
    code, _, err = cli("fit --demo --test 0.3 --seed 1")
    assert code == 0
    assert "held out" in err
    assert "(exact" in err
    Path("test.csv").write_text(FLOWERS, encoding="utf-8")
    record = json.loads(cli("fit flowers.csv --label kind --test test.csv --json")[1])
    assert (record["held_out"]["rows"], record["held_out"]["errors"]) == (6, 0)
    assert cli("fit flowers.csv --label kind --test 1.5")[0] == 2
    assert cli("fit flowers.csv --label kind --test nowhere.csv")[0] == 2


def test_a_share_is_split_alike_however_the_file_is_read(cli):
    from separatrix.rows.split import split

    generator = np.random.default_rng(0)
    X = generator.normal(size=(500, 3))
    lines = ["a,b,c,label"] + [f"{a},{b},{c},{int(a > 0)}" for a, b, c in X.tolist()]
    Path("many.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kept, streamed = sx.read("many.csv"), sx.read("many.csv", memory=1)
    for a, b in zip(split(kept, 0.2, 5), split(streamed, 0.2, 5), strict=True):
        both = [np.concatenate([block.X for block in rows.blocks()]) for rows in (a, b)]
        assert np.array_equal(*both)
    assert 60 <= split(kept, 0.2, 5)[1].n_rows <= 140


def test_columns_are_made_ready_and_again_for_predictions(cli):
    line = "fit people.csv --encode sex,colour --text note --missing mean --test 0.3 -o model.json -q"
    code, _, err = cli(line.replace("--test 0.3 ", ""))
    assert (code, err) == (0, "")
    code, out, _ = cli("predict model.json people.csv")
    assert code == 0
    assert [row.split(",")[0] for row in out.split()[1:]] == ["1", "0", "1", "0", "1"]
    assert cli("verify model.json people.csv")[0] == 0
    assert cli("evaluate model.json people.csv")[0] == 0


def test_missing_values_are_counted_and_the_options_named(cli):
    code, _, err = cli("check people.csv --encode --drop note")
    assert code == 2
    assert "2 values are missing (1 in 'age', 1 in 'sex')" in err
    assert "--missing drop leaves those rows out, --missing mean fills in" in err


def test_text_in_a_number_column_names_the_option(cli):
    code, _, err = cli("check people.csv --drop note,age")
    assert code == 2
    assert "--encode" in err


@pytest.mark.parametrize("classes", [2, 3])
def test_onnx_gives_the_same_labels(cli, classes):
    runtime = pytest.importorskip("onnxruntime")
    X, y = sx.problems.iris("setosa", "versicolor") if classes == 2 else _three()
    model = sx.PocketPerceptron(random_state=0, max_iter=20).fit(X, y)
    labels, scores = runtime.InferenceSession(to_onnx(model)).run(None, {"X": np.asarray(X, float)})
    assert np.array_equal(labels, model.predict(X).astype(labels.dtype))
    assert np.allclose(scores.squeeze(), model.decision_function(X), rtol=1e-13)


def _three():
    X, y = sx.problems.iris("setosa", "versicolor")
    return np.concatenate([X, X + 10.0]), [*(f"kind {label}" for label in y), *(["far"] * len(y))]


def test_export_writes_a_small_file_or_says_why_not(cli):
    pytest.importorskip("onnx")
    cli("fit flowers.csv --label kind -o model.json -q")
    assert cli("export model.json --onnx model.onnx")[0] == 0
    assert Path("model.onnx").stat().st_size < 2000
    cli("fit flowers.csv --label kind --model voted -o votes.json -q")
    code, _, err = cli("export votes.json --onnx votes.onnx")
    assert code == 2
    assert "no single linear map" in err
    assert not Path("votes.onnx").exists()


def test_bounds_are_told_with_their_assumptions(cli):
    code, out, err = cli("bound mistakes --radius 5 --margin 0.5")
    assert (code, out) == (0, "")
    assert "mistakes <= 100" in err
    assert "Novikoff" in err
    record = json.loads(cli("bound risk --errors 0 --rows 100 --json")[1])
    assert record["bounds"][0]["value"] == pytest.approx(1 - 0.05 ** (1 / 100))
    assert json.loads(cli("bound dichotomies --rows 4 --columns 2 --json")[1])["dichotomies"] == "14"
    sizes = json.loads(cli("bound sample-size --epsilon 0.1 --delta 0.05 --dimension 3 --json")[1])["bounds"]
    assert [size["value"] for size in sizes] == sorted(size["value"] for size in sizes)
    assert cli("bound risk --errors 5 --rows 4")[0] == 2
    assert cli("bound mistakes --radius 5 --margin 0")[0] == 2


def test_a_share_leaves_every_class_to_learn_from_or_says_so():
    from separatrix.rows.split import Share, select_share

    rows = sx.as_rows([[float(i)] for i in range(40)], ["a"] * 39 + ["b"])
    refused = 0
    for seed in range(30):
        share = Share(0.3, seed)
        if share.contains(np.array([39]))[0]:
            assert set(select_share(rows, share).codes.tolist()) == {0, 1}
        else:
            refused += 1
            with pytest.raises(sx.DataError, match="leaves no row of the class b to learn from"):
                select_share(rows, share)
    assert 0 < refused < 30


def test_rows_that_are_not_numbered_as_in_the_file_say_so(cli):
    sentence = "Rows are numbered without those {}, not as in the file."
    missing, held = "with a missing value", "held out"
    assert sentence.format(missing) in cli("check people.csv --encode --drop note --missing drop")[2]
    assert "Rows are numbered" not in cli("check flowers.csv --label kind")[2]
    _, _, err = cli("report --demo --test 0.3 --budget 1 -o page.html")
    assert sentence.format(held) in err
    assert sentence.format(held) in Path("page.html").read_text(encoding="utf-8")
    assert "Rows are numbered" not in cli("report --demo --budget 1")[2]
