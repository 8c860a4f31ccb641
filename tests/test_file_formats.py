"""What must hold for every registered file format: round trip, damage, limits, and where it is listed.

A new format needs an entry in `WRITERS` (tests/written_files.py) and in `MAKERS` (tests/whole_files.py).
"""

from __future__ import annotations

import gc
import gzip
import io
import re
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from damaged_files import needs_fork, require_sound, results
from written_files import (
    ENDINGS,
    WRITERS,
    format_of,
    matrix_of,
    numbers,
    one_sentence,
    same_bits,
    table_of,
    walk,
    write,
)

from separatrix import limits
from separatrix.cli import predictions
from separatrix.cli.program import program
from separatrix.rows import DataError, read
from separatrix.rows.files.formats import FORMAT_NAMES, FORMATS, PACKED_LIMITS, find_format_by_suffix

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "files.md").read_text(encoding="utf-8")
BY_NAME = pytest.mark.parametrize("name", FORMAT_NAMES)


def label_of(ending):
    return -1 if format_of(ending).name == "npy" else None


# --- the registry -------------------------------------------------------------------------------------------


def test_names_and_suffixes_are_distinct():
    suffixes = [suffix for item in FORMATS for suffix in item.suffixes]
    assert len(set(FORMAT_NAMES)) == len(FORMATS)
    assert len(set(suffixes)) == len(suffixes)
    assert all(re.fullmatch(r"\.[a-z]+", suffix) for suffix in suffixes)


def test_the_command_line_offers_every_format():
    for name in ("check", "fit", "predict", "report"):
        (option,) = [option for option in program.commands[name].params if option.name == "format"]
        assert tuple(option.type.choices) == FORMAT_NAMES


def test_what_is_written_under_a_suffix_is_read_as_that():
    for suffix, kind in predictions.KINDS.items():
        assert find_format_by_suffix(suffix).name == kind


def table_in(page, first_title):
    """The rows of the table whose first column has this title, by the code in their first cells."""
    lines = page[page.index(f"| {first_title} |") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cell[0].strip("`"): cell[1:] for cell in cells}


def test_the_page_lists_every_format_with_its_suffixes():
    listed = table_in(PAGE, "format")
    assert tuple(listed) == FORMAT_NAMES
    for item in FORMATS:
        wanted = " ".join(f"`{suffix}`" for suffix in item.suffixes) + ", also `.gz`" * item.gzippable
        assert listed[item.name][0] == wanted


def test_the_page_says_which_limits_hold_for_which_formats():
    listed = table_in(PAGE, "limit")
    names = [limit for row in listed for limit in row.replace("`", "").split(", ")]
    known = {item.name for item in fields(limits.Limits)} | set(limits.CHECKER_LIMITS)
    assert set(names) == known
    for row, cells in listed.items():
        for limit in row.replace("`", "").split(", "):
            holders = [item.name for item in FORMATS if limit in item.limits]
            assert [*filter(None, cells[1].split(", "))] == holders, limit


# --- round trip ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("memory", [256 * 2**20, 1000])
def test_every_format_gives_the_bits_and_classes_of_the_arrays(tmp_path, ending, memory, monkeypatch):
    # Small pieces, so that blocks, batches and chunks of text begin and end at different rows.
    monkeypatch.setattr("separatrix.rows.block.BLOCK_BYTES", 24 * 150)
    monkeypatch.setattr("separatrix.rows.files.streamed_table.BATCH_BYTES", 24 * 470)
    monkeypatch.setattr("separatrix.rows.files.streamed_table.MIN_BATCH_ROWS", 1)
    monkeypatch.setattr("separatrix.rows.files.svmlight.CHUNK_BYTES", 5000)
    monkeypatch.setattr("separatrix.rows.files.csv.BLOCK_BYTES", 5000)
    X, y = numbers()
    rows = read(write(tmp_path, ending, X, y), label_of(ending), memory=memory)
    found, codes = matrix_of(rows)
    again, codes_again = matrix_of(rows)
    assert same_bits(found, X)
    assert same_bits(again, X)
    assert np.array_equal(codes, y)
    assert np.array_equal(codes_again, y)
    assert rows.classes.tolist() == [0, 1]
    assert rows.classes.dtype == np.int64
    assert (rows.n_rows, rows.n_columns, rows.dtype) == (1000, 3, np.float64)
    assert rows.known_finite
    assert rows.name == f"table.{ending}"
    streams = memory == 1000 and format_of(ending).name not in ("npy", "npz")
    assert rows.in_memory is not streams
    if "features" in format_of(ending).options:
        assert rows.columns == ("a", "b", "c")
        assert rows.label == "label"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("memory", [0, 10**6])
def test_standard_input_is_spooled_and_told_by_its_beginning(tmp_path, monkeypatch, ending, memory):
    X, y = numbers(200)
    content = write(tmp_path, ending, X, y).read_bytes()
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    rows = read("-", label_of(ending), memory=memory)
    assert rows.name == "standard input"
    assert same_bits(matrix_of(rows)[0], X)
    assert same_bits(matrix_of(read(io.BytesIO(content), False, memory=memory))[0][:, :3], X)
    del rows
    gc.collect()
    assert list(spool.iterdir()) == []


# --- options ------------------------------------------------------------------------------------------------


@BY_NAME
def test_an_option_of_other_formats_is_refused(tmp_path, name):
    path = write(tmp_path, ending_of(name), *numbers(5))
    for option, value in (("delimiter", ","), ("n_columns", 9), ("drop", ["c"]), ("hashed", 8)):
        takers = [item.name for item in FORMATS if option in item.options]
        if name not in takers:
            said = rf"^{re.escape(path.name)} is a {name} file: {option}= is for {', '.join(takers)}\.$"
            with pytest.raises(DataError, match=said):
                read(path, False, **{option: value})


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("feature", "the nearest is 'features'"),
        ("sep", "the nearest is 'share'|its options are"),
        ("max_memory", "the nearest is 'memory'"),
        ("xyz", "its options are label, features, .*, once"),
    ],
)
def test_an_unknown_option_names_the_nearest(option, said):
    with pytest.raises(TypeError, match=rf"^read\(\) takes no option '{option}'; ({said})\.$"):
        read("absent.csv", **{option: 1})


# --- damage -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_cut_short_is_refused(tmp_path, ending):
    path = write(tmp_path, ending, *numbers(3000))
    content = path.read_bytes()
    cut = len(content) // 2
    if format_of(ending).gzippable and not ending.endswith("gz"):  # text: cut within a row, where it shows
        mark = {"csv": b",", "tsv": b"\t", "svmlight": b":"}[format_of(ending).name]
        cut = content.rindex(mark, 0, cut) + (mark == b":")
    path.write_bytes(content[:cut])
    with pytest.raises(DataError, match=rf"^table\.{ending}") as caught:
        walk(read(path, label_of(ending)))
    one_sentence(caught)
    if ending.endswith("gz"):
        assert "cut off after row" in str(caught.value)


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if not format_of(ending).gzippable])
def test_a_file_of_something_else_is_refused(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    path.write_bytes(b"Dear reader,\nthis is no table.\n" * 20)
    with pytest.raises(DataError, match=rf"^table\.{ending} cannot be read") as caught:
        read(path, False)
    one_sentence(caught)


@pytest.fixture(scope="module")
def damaged():
    """How the command line ends on damaged files of every format."""
    runs = results([*FORMAT_NAMES], 0, 300)
    return {name: [run for run in runs if run["kind"] == name] for name in FORMAT_NAMES}


def require_sound_runs(runs):
    """PyArrow's reader of Parquet reserves what a damaged page says it holds, and ends the process on some
    files, with a C++ exception that nobody catches."""
    require_sound(
        [
            run | {"cpu": 0.0, "megabytes": 0} if run["kind"] == "parquet" else run
            for run in runs
            if not (run["code"] == -6 and "parquet::ParquetException" in run["said"])
        ]
    )


@needs_fork
@BY_NAME
def test_damaged_files_end_in_an_answer_or_one_sentence(damaged, name):
    require_sound_runs(damaged[name])
    codes = Counter(run["code"] for run in damaged[name])
    assert codes[0] > 10  # the damage is neither always seen nor never
    assert codes[2] > 60


@needs_fork
@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1, 6))
@BY_NAME
def test_many_damaged_files(name, seed):
    runs = results([name], seed, 3000)
    require_sound_runs(runs)
    assert sum(run["code"] == -6 for run in runs) < 20


# --- limits -------------------------------------------------------------------------------------------------

LOW = {"line_bytes": 5, "columns": 2, "rows": 9, "sparse_columns": 2, "label_characters": 3, "text_bytes": 7}
LOW |= dict(zip(PACKED_LIMITS, (9, 1), strict=True))


def ending_of(name):
    return next(ending for ending in ENDINGS if format_of(ending).name == name)


def beyond(name, limit):
    """The ending and the content of a small file that is beyond a low limit."""
    ending, file = ending_of(name), io.BytesIO()
    X, y = np.zeros((3000, 3)), np.arange(3000) % 2
    packed = limit in PACKED_LIMITS
    if name == "npz" and limit == "sparse_columns":
        sp.save_npz(file, sp.csr_array(X))
    elif name == "npz" and packed:
        np.savez_compressed(file, X=X, y=y)
    elif name == "npy" and limit == "text_bytes":
        np.save(file, np.array([["some", "text"]]))
    elif name == "parquet" and packed:
        pq.write_table(table_of(X, y), file, compression="gzip", use_dictionary=False)
    else:
        if "label_characters" in format_of(ending).limits:
            y = np.array(["ham, spam", "eggs"])[y] if name == "npz" else np.array(["spam", "eggs"])[y]
        content = WRITERS[name](X, y, ending)
        return (f"{ending}.gz", gzip.compress(content)) if packed else (ending, content)
    return ending, file.getvalue()


@pytest.mark.parametrize(("name", "limit"), [(item.name, limit) for item in FORMATS for limit in item.limits])
def test_a_file_beyond_a_limit_is_refused_and_the_limit_named(tmp_path, monkeypatch, name, limit):
    monkeypatch.setattr("separatrix.rows.files.svmlight.CHUNK_BYTES", 1003)  # ends within a line
    ending, content = beyond(name, limit)
    path = tmp_path / f"table.{ending}"
    path.write_bytes(content)
    label = False if limit == "sparse_columns" else label_of(ending)
    together = PACKED_LIMITS if limit in PACKED_LIMITS else (limit,)  # neither of the two refuses alone
    monkeypatch.setenv(limits.VARIABLE, ",".join(f"{each}={LOW[each]}" for each in together))
    said = (
        rf"^table\.{ending}.*the limit {together[-1]} is {LOW[together[-1]]}\. If .* set SEPARATRIX_LIMITS="
    )
    with pytest.raises(DataError, match=said):
        read(path, label)
    if (name, limit) != ("npy", "text_bytes"):  # which has no numbers, whatever its size
        raised = {each: LOW[each] for each in together} | {limit: 10**9}
        monkeypatch.setenv(limits.VARIABLE, ",".join(f"{each}={most}" for each, most in raised.items()))
        assert read(path, label).n_rows == 3000


@BY_NAME
def test_no_other_limit_holds_for_a_format(tmp_path, monkeypatch, name):
    ending = ending_of(name)
    path = write(tmp_path, ending, *numbers(50))
    others = {item.name for item in fields(limits.Limits)} - {*format_of(ending).limits}
    monkeypatch.setenv(limits.VARIABLE, ",".join(f"{limit}=1" for limit in sorted(others)))
    assert read(path, label_of(ending)).n_rows == 50
