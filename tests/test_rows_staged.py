"""Parquet files of many columns, put in the order of rows in temporary files."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import separatrix as sx
from separatrix.rows.files import streamed_table, wide_parquet
from separatrix.rows.files.parquet import ParquetSource
from separatrix.rows.files.source import InputFile

ROWS, COLUMNS = 1000, 12


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Temporary files go here; a few kilobytes are already too many side by side."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(wide_parquet.tempfile, "tempdir", str(place))
    monkeypatch.setattr(wide_parquet, "_is_in_memory", lambda path: False)
    monkeypatch.setattr(wide_parquet, "MAX_READER_BYTES", 3_000)
    monkeypatch.setattr(wide_parquet, "COLUMN_GROUP_BYTES", 2_000)
    monkeypatch.setattr(streamed_table, "BATCH_BYTES", 9_000)
    monkeypatch.setattr(streamed_table, "MIN_BATCH_ROWS", 1)
    monkeypatch.setattr(streamed_table, "rows_per_block", lambda row_bytes: 70)
    return place


@pytest.fixture(params=(ROWS, 300, 64), ids=("one row group", "four", "sixteen"))
def path(tmp_path, request):
    random = np.random.default_rng(0)
    columns = {f"x{j}": random.standard_normal(ROWS) for j in range(COLUMNS - 3)}
    columns["whole"] = random.integers(-9, 9, ROWS).astype("int16")
    columns["logical"] = random.integers(0, 2, ROWS).astype(bool)
    columns["coded"] = pa.array(random.integers(0, 3, ROWS).astype(float)).dictionary_encode()
    columns["label"] = pa.array(np.where(columns["x0"] > 0, "yes", "no")).dictionary_encode()
    written = tmp_path / "wide.parquet"
    pq.write_table(pa.table(columns), written, row_group_size=request.param)
    return written


def walked(rows):
    return [(block.start, block.X.tobytes(), block.codes.tobytes()) for block in rows.blocks()]


def test_staged_rows_are_the_rows_of_the_file(path, folder, monkeypatch):
    rows = sx.read(path, memory=1000)
    first, again = walked(rows), walked(rows)
    assert first == again
    assert any(folder.iterdir())
    monkeypatch.setattr(wide_parquet, "MAX_READER_BYTES", 10**9)
    assert first == walked(sx.read(path, memory=1000))
    whole = sx.read(path)
    assert b"".join(X for _, X, _ in first) == b"".join(block.X.tobytes() for block in whole.blocks())


def test_temporary_files_go_with_their_rows(path, folder):
    rows = sx.read(path, memory=1000)
    walked(rows)
    del rows
    gc.collect()
    assert not any(folder.iterdir())


def test_row_groups_beyond_the_room_are_staged_in_every_pass(path, folder, monkeypatch):
    kept = walked(sx.read(path, memory=1000))
    gc.collect()
    monkeypatch.setattr(wide_parquet, "MAX_DISK_SHARE", 0.0)
    rows = sx.read(path, memory=1000)
    assert walked(rows) == kept == walked(rows)
    assert not any(file.is_file() for file in folder.rglob("*"))


def test_a_pass_broken_off_and_two_passes_at_once(path, folder):
    rows = sx.read(path, memory=1000)
    next(iter(rows.blocks()))
    side_by_side = [(one.start, other.start) for one, other in zip(rows.blocks(), rows.blocks(), strict=True)]
    assert side_by_side == [(block.start, block.start) for block in rows.blocks()]


def test_a_staged_source_can_be_pickled(path, folder):
    source = ParquetSource(InputFile(path))
    names = source.schema.names[:-1]
    before = [batch.num_rows for batch in source.batches(names, "label", 100)]
    again = pickle.loads(pickle.dumps(source))
    assert [batch.num_rows for batch in again.batches(names, "label", 100)] == before


def test_a_damaged_file_is_refused_in_a_sentence(path, folder):
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(4000) + whole[4004:])
    with pytest.raises(sx.DataError, match=r"wide.parquet"):
        walked(sx.read(path, memory=1000))


def test_temporary_files_avoid_a_folder_in_memory(monkeypatch):
    monkeypatch.setattr(wide_parquet, "_is_in_memory", lambda path: True)
    assert wide_parquet.choose_temporary_folder() in ("/var/tmp", wide_parquet.tempfile.gettempdir())


def test_columns_are_read_together_up_to_a_size(path):
    metadata = pq.ParquetFile(path).metadata
    names = [f"x{j}" for j in range(5)]
    sets = wide_parquet.group_columns(metadata, names)
    assert [name for together in sets for name in together] == names
    assert not wide_parquet.is_wide(metadata, names)
