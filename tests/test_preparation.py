"""Columns made ready: categories, words, missing values and scales, learned once and done again."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import separatrix as sx
from separatrix.models import from_json, to_json
from separatrix.rows.preparation import Preparation

PEOPLE = """age,sex,colour,words,label
20,m,red,"free, free now",1
,f,blue,hello you,0
40,m,green,,1
30,f,red,you FREE,0
22,,none,x,1
"""


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def values(rows):
    blocks = list(rows.blocks())
    if isinstance(rows, sx.Rows) and hasattr(rows, "indptr"):
        dense = np.zeros((rows.n_rows, rows.n_columns))
        for block in blocks:
            for i in range(len(block)):
                part = slice(block.X.indptr[i], block.X.indptr[i + 1])
                dense[block.start + i, block.X.indices[part]] = block.X.data[part]
        return dense
    return np.concatenate([block.X for block in blocks])


def test_categories_are_columns_of_zero_and_one(people):
    rows = sx.read(people, encode=["colour"], features=["colour"])
    assert rows.columns == ("colour=blue", "colour=green", "colour=none", "colour=red")
    assert values(rows).tolist() == [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]


def test_two_categories_are_one_column(people):
    rows = sx.read(people, encode=True, features=["sex"], missing="drop")
    assert rows.columns == ("sex=m",)
    assert values(rows).ravel().tolist() == [1, 0, 1, 0]


def test_encode_takes_every_column_that_is_not_of_numbers(people):
    rows = sx.read(people, encode=True, drop=["words"], missing="drop")
    assert rows.preparation.text_names == ("sex", "colour")
    assert rows.n_rows == 3


def test_missing_values_become_the_mean_of_their_column(people):
    rows = sx.read(people, features=["age", "sex"], encode=["sex"], missing="mean")
    assert values(rows)[1, 0] == pytest.approx((20 + 40 + 30 + 22) / 4)
    assert values(rows)[4, 1] == 0.5  # the mean of the column sex=m over the rows that have it


def test_missing_values_are_refused_with_their_count_and_the_options(people):
    with pytest.raises(sx.DataError, match=r"1 in 'age'.*missing='drop'.*missing='mean'"):
        sx.read(people, features=["age"])
    with pytest.raises(sx.DataError, match=r"2 values are missing \(1 in 'age', 1 in 'sex'\)"):
        sx.read(people, features=["age", "sex"], encode=True)


def test_words_are_counted_without_regard_to_case(people):
    rows = sx.read(people, features=["words"], text=["words"])
    assert rows.columns == tuple(f"words:{w}" for w in ("free", "hello", "now", "x", "you"))
    assert values(rows)[0].tolist() == [2, 0, 1, 0, 0]
    assert values(rows)[2].tolist() == [0, 0, 0, 0, 0]


def test_hashed_words_keep_their_totals(people):
    rows = sx.read(people, features=["words"], text=["words"], hashed=4)
    assert rows.n_columns == 4
    assert values(rows).sum(axis=1).tolist() == [3, 2, 0, 2, 1]


@pytest.mark.parametrize("scale", ["standard", "range"])
def test_scales_are_what_they_say(people, scale):
    X = values(sx.read(people, features=["age"], missing="drop", scale=scale)).ravel()
    if scale == "standard":
        assert X.mean() == pytest.approx(0)
        assert X.std() == pytest.approx(1)
    else:
        assert (X.min(), X.max()) == (0, 1)


def test_a_constant_column_survives_scaling(tmp_path):
    (tmp_path / "flat.csv").write_text("a,label\n3,0\n3,1\n")
    assert values(sx.read(tmp_path / "flat.csv", scale="standard")).ravel().tolist() == [0, 0]


def test_a_preparation_travels_with_the_model_and_is_done_again(people, tmp_path):
    rows = sx.read(people, encode=["sex", "colour"], text=["words"], missing="mean")
    model = from_json(to_json(sx.Perceptron().fit(rows)))
    assert model.preparation_ == rows.preparation
    again = sx.read(people, preparation=model.preparation_)
    assert np.array_equal(values(again), values(rows))
    assert model.certificate_.verify(again)


def test_a_model_of_plain_rows_has_no_preparation(people):
    model = sx.PocketPerceptron(random_state=0)
    model.fit(sx.read(people, features=["age"], missing="drop"))
    assert hasattr(model, "preparation_")
    assert not hasattr(model.fit([[0.0], [1.0]], [0, 1]), "preparation_")


def test_what_the_fit_has_not_seen_is_named(people, tmp_path):
    preparation = sx.read(people, features=["colour"], encode=True).preparation
    later = tmp_path / "later.csv"
    later.write_text("colour,label\nred,1\nmauve,0\n")
    with pytest.raises(
        sx.DataError, match=r"row 2 \(line 3\), column 'colour': 'mauve' was not seen in the fit"
    ):
        sx.read(later, preparation=preparation)


def test_a_row_to_be_predicted_is_not_dropped_in_silence(people):
    preparation = sx.read(people, features=["age"], missing="drop").preparation
    with pytest.raises(sx.DataError, match=r"row 2 .*were left out"):
        sx.read(people, label=False, preparation=preparation)
    assert sx.read(people, preparation=preparation, missing="drop").n_rows == 4


@pytest.mark.parametrize("form", ["parquet", "csv.gz", "streamed"])
def test_every_format_gives_the_same_rows(people, tmp_path, form):
    wanted = {"encode": ["sex", "colour"], "missing": "mean", "drop": ["words"], "scale": "range"}
    plain = values(sx.read(people, **wanted))
    if form == "parquet":
        path = tmp_path / "people.parquet"
        table = csv.read_csv(people, convert_options=csv.ConvertOptions(strings_can_be_null=True))
        pq.write_table(table, path)
        rows = sx.read(path, **wanted)
    elif form == "csv.gz":
        path = tmp_path / "people.csv.gz"
        path.write_bytes(gzip.compress(people.read_bytes()))
        rows = sx.read(path, **wanted)
    else:
        rows = sx.read(people, memory=1, **wanted)
    assert np.array_equal(values(rows), plain)


def test_streamed_words_are_the_words_in_memory(people):
    kept = sx.read(people, text=["words"], features=["words"])
    streamed = sx.read(people, text=["words"], features=["words"], memory=1)
    assert type(streamed) is not type(kept)
    for a, b in zip(kept.blocks(), streamed.blocks(), strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a.X, b.X, strict=True))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"missing": "guess"}, "missing must be 'drop' or 'mean'; got 'guess'"),
        ({"scale": "log"}, "scale must be 'standard' or 'range'; got 'log'"),
        ({"scale": "range", "text": ["words"]}, "scale cannot be combined with text"),
        ({"hashed": 8}, "hashed needs text, the columns of words"),
        ({"text": ["words"], "hashed": 1}, "between 2 and"),
        ({"encode": ["height"]}, "no feature column called 'height'"),
    ],
)
def test_wishes_that_make_no_sense_get_a_sentence(people, options, sentence):
    with pytest.raises(sx.DataError, match=sentence):
        sx.read(people, **options)


def test_a_column_of_names_is_no_category(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("who,label\n" + "".join(f"person {i},{i % 2}\n" for i in range(1500)))
    with pytest.raises(sx.DataError, match=r"1,500 different values"):
        sx.read(path, encode=True)


@pytest.mark.parametrize("damage", [{"missing": "guess"}, {"columns": [{"kind": "magic", "name": "a"}]}])
def test_a_damaged_record_is_refused(damage):
    with pytest.raises((ValueError, TypeError)):
        Preparation.from_dict({"missing": None, "columns": []} | damage)
