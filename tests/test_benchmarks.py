"""The benchmarks run, compare equal work and write their tables; what they measure is not asserted."""

from __future__ import annotations

import re

import numpy as np
import pytest

import separatrix as sx
from benchmarks import compare, compare_cases, compare_worker, harness, planted, record
from benchmarks.__main__ import MODULES, main
from benchmarks.processes import ROOT

CHEAP = {
    "dense": ["rows", "columns", "type", "ratio", "bar", "plain sum, GB/s", "share"],
    "sparse": ["rows", "columns", "values a row", "type", "ratio", "bar"],
    "tiny": ["what", "µs", "bar"],
    "dichotomies": ["points", "columns", "seconds", "bar"],
    "separation": ["work", "rows", "columns", "figure", "bar"],
    "logistic": ["data", "rows", "columns", "ours, s", "gap proven", "best peer", "ratio", "bar"],
    "max-margin": ["rows", "columns", "ours, s", "figure", "bar"],
    "fewest-errors": ["data", "errors", "proven", "MIP in HiGHS"],
    "greater-than": ["rows of", "truth", "ours, s", "HiGHS", "`SVC`"],
}


@pytest.mark.parametrize("name", CHEAP)
def test_a_quick_run_prints_its_table(name, capsys):
    if name == "logistic":
        pytest.importorskip("liblinear", reason="liblinear-official is not installed")
    assert main([name, "--quick"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"## {name}"
    header = [cell.strip() for cell in printed[2].strip("|").split("|")]
    assert set(CHEAP[name]) <= set(header)
    body = [line for line in printed[4:] if line.startswith("|")]
    assert body
    assert all(line.count("|") == printed[2].count("|") for line in body)


def test_every_benchmark_has_its_place_in_the_readme():
    text = record.README.read_text(encoding="utf-8")
    for name in MODULES:
        begin, end = record.markers(name)
        assert text.count(begin) == text.count(end) == 1
        assert text.index(f"\n## {name}\n") < text.index(begin) < text.index(end)


def test_writing_replaces_the_figures_named_and_nothing_else(tmp_path):
    readme = tmp_path / "README.md"
    text = record.README.read_text(encoding="utf-8")
    readme.write_text(text, encoding="utf-8")
    record.write({"tiny": "| 1 |"}, readme)
    record.write({"tiny": "| 2 |"}, readme)
    begin, end = record.markers("tiny")
    pattern = re.compile(rf"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    written = readme.read_text(encoding="utf-8")
    assert pattern.search(written).group() == f"{begin}\n\n| 2 |\n\n{end}"
    assert pattern.sub("", written) == pattern.sub("", text)


def test_a_readme_without_the_place_is_left_as_it_was(tmp_path):
    readme = tmp_path / "README.md"
    begin, end = record.markers("tiny")
    readme.write_text(f"{begin}\n{end}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no place for dense"):
        record.write({"tiny": "| 1 |", "dense": "| 1 |"}, readme)
    assert readme.read_text(encoding="utf-8") == f"{begin}\n{end}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_figures_of_a_smoke_test_are_not_written(capsys):
    assert main(["tiny", "--quick", "--write"]) == 2
    assert "not written" in capsys.readouterr().err


def test_sides_take_turns_after_a_warm_up():
    calls: list[str] = []
    sides = {name: harness.clocked(lambda name=name: calls.append(name)) for name in "ab"}
    seconds = harness.alternate(sides, 2)
    assert "".join(calls) == "ab" + "ab" + "ba"
    assert {name: len(taken) for name, taken in seconds.items()} == {"a": 2, "b": 2}


def test_a_ratio_is_taken_within_each_repeat():
    assert harness.ratio([2.0, 30.0, 8.0], [1.0, 10.0, 2.0]) == harness.Spread(3.0, 2.0, 4.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_planted_rows_take_exactly_five_passes(dtype):
    for X, y in (planted.dense(1000, 12, dtype), planted.sparse(1000, 300, dtype)):
        model = sx.Perceptron().fit(X, y)
        assert (model.passes_, model.mistakes_) == (planted.PASSES, planted.MISTAKES)


def test_planted_rows_made_in_chunks_do_too():
    parts = list(planted.chunks(1000, 12, 300))
    model = sx.Perceptron().fit(np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts]))
    assert (len(parts), model.passes_, model.mistakes_) == (4, planted.PASSES, planted.MISTAKES)


def test_a_tree_is_compared_with_itself(tmp_path, capsys):
    out = tmp_path / "lines.md"
    options = ["--tables", "separation", "--quick", "--cell", "tiny", "--repeats", "2", "--out", str(out)]
    status = compare.main([str(ROOT), *options])
    header, _, line, *_, summary = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")] == list(compare.COLUMNS)
    table, title, old, new, ratio, verdict = (cell.strip() for cell in line.strip("|").split("|"))
    assert (table, title) == ("separation", "tiny, 100 × 2")
    assert all(re.fullmatch(r"\S+ \(\S+ to \S+\)", spread) for spread in (old, new))
    assert float(ratio) > 0
    assert (verdict, status) in ((compare.NO, 0), (compare.YES, 1))
    assert summary.startswith(f"{status} of 1 cells are slower.")
    assert out.read_text(encoding="utf-8").splitlines()[2] == line


def test_a_cell_that_one_side_cannot_do_fails_the_comparison(monkeypatch, capsys):
    work = {"kind": "fit", "estimator": "Perceptor", "parameters": {}}
    case = compare_cases.Case("dense", "4 × 1", lambda: (np.eye(4)[:, :1], np.arange(4) % 2), {"": work})
    monkeypatch.setitem(compare_cases.TABLES, "dense", lambda quick: [case])
    assert compare.main([str(ROOT), "--tables", "dense", "--repeats", "1"]) == 1
    printed = capsys.readouterr()
    assert f"| dense | 4 × 1 |  |  |  | {compare.FAILED} |" in printed.out
    assert "no attribute 'Perceptor'" in printed.err


def test_a_folder_without_the_package_is_no_old_tree(tmp_path, capsys):
    with pytest.raises(SystemExit):
        compare.main([str(tmp_path)])
    assert "holds no source of separatrix" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "slower"),
    [
        ((1.0, 0.9, 1.05), (1.2, 1.06, 1.3), True),
        ((1.0, 0.9, 1.05), (1.2, 1.04, 1.3), False),  # the spreads overlap
        ((1.0, 0.9, 1.02), (1.05, 1.03, 1.3), False),  # by less than a tenth
        ((1.2, 1.06, 1.3), (1.0, 0.9, 1.05), False),
    ],
)
def test_slower_is_a_tenth_longer_with_spreads_apart(old, new, slower):
    assert compare.is_slower(harness.Spread(*old), harness.Spread(*new)) is slower


def test_parameters_go_by_the_names_of_the_estimator():
    def old(max_passes=1, gap=0, costs=None, n_jobs=None): ...

    def new(max_iter=1, tol=0, class_weight=None, n_jobs=None): ...

    given = {"max_iter": 5, "tol": 1e-5, "class_weight": "balanced", "n_jobs": 2}
    assert compare_worker.rename_parameters(new, given) == given
    assert compare_worker.rename_parameters(old, given) == {
        "max_passes": 5, "gap": 1e-5, "costs": "balanced", "n_jobs": 2
    }  # fmt: skip


def test_cells_of_a_comparison_have_titles_of_their_own():
    for table, cases in compare_cases.TABLES.items():
        titles = [title for case in cases(True) for title in case.cells()]
        assert titles
        assert len(set(titles)) == len(titles), table
