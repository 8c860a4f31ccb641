"""A disk that is full: one sentence that names the file, exit code 2, and nothing half-written."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

import separatrix as sx
from separatrix.cli.program import run
from separatrix.kernels import disk_cache, kernel
from separatrix.rows import DataError

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
WRITERS = {
    "model.json": "fit noise.csv --model logistic -o {}",
    "proof.json": "fit noise.csv --model logistic --certificate {}",
    "picture.svg": "fit noise.csv --model logistic --figure {}",
    "page.html": "report noise.csv -o {}",
    "out.csv": "predict good.json noise.csv -o {}",
    "model.onnx": "export good.json --onnx {}",
    "checked.json": "check noise.csv --certificate {}",
    "demo.svg": "demo noise -o {}",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    X = np.random.default_rng(0).normal(size=(60, 2)).round(3)
    table = np.column_stack([X, X.sum(axis=1) > 0])
    np.savetxt(folder / "noise.csv", table, "%.17g", ",", header="a,b,y", comments="")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["fit", "noise.csv", "--model", "logistic", "-o", "good.json", "-q"]) == 0
    return folder


@pytest.fixture
def limited(tmp_path):
    """A folder in which no file can grow beyond 100 bytes, as under ``ulimit -f``."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    yield tmp_path
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def full(tmp_path):
    """A file system without a free block."""
    disk = tmp_path / "disk"
    disk.mkdir(mode=0o700)
    mounted = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(disk)]
    if sys.platform != "linux" or subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small file system")
    try:
        with suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        assert os.statvfs(disk).f_bavail == 0
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def require_refused(inputs, folder, name, monkeypatch, capsys):
    """The command ends with one sentence and leaves the folder as it was."""
    monkeypatch.chdir(inputs)
    if name == "model.onnx":
        pytest.importorskip("onnx")
    before = {path.name: path.stat().st_size for path in folder.iterdir()}
    path = folder / name
    code = run([*WRITERS[name].format("OUTPUT").replace("OUTPUT", str(path)).split(), "-q"])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err in (
        f"separatrix: {path}: {reason}.\n" for reason in ("File too large", "No space left on device")
    )
    assert {path.name: path.stat().st_size for path in folder.iterdir()} == before


@needs_limits
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_cannot_grow(inputs, limited, name, monkeypatch, capsys):
    require_refused(inputs, limited, name, monkeypatch, capsys)
    (limited / name).write_text("precious")
    require_refused(inputs, limited, name, monkeypatch, capsys)
    assert (limited / name).read_text() == "precious"


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(inputs, full, name, monkeypatch, capsys):
    require_refused(inputs, full, name, monkeypatch, capsys)


def test_a_search_goes_on_without_its_checkpoint(full):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.warns(sx.FitWarning, match=r"state\.json could not be written: No space left on device"):
        model = sx.ZeroOne(checkpoint=full / "state.json").fit(X, np.arange(30) % 2)
    assert model.optimal_
    assert [path.name for path in full.iterdir()] == ["filler"]


def test_kernels_are_compiled_where_they_cannot_be_kept(full, monkeypatch):
    monkeypatch.setenv("SEPARATRIX_CACHE_DIR", str(full / "cache"))
    monkeypatch.setattr(disk_cache, "_announced", False)

    @kernel
    def double(x):
        return 2 * x

    said: list[str] = []
    with disk_cache.announcing(said.append):
        assert double(2.0) == 4.0
    assert all("in every run" in sentence for sentence in said)
    assert [path for path in full.rglob("*") if path.is_file()] == [full / "filler"]


def test_standard_input_that_cannot_be_kept(full, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(full))
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as sink:
        sink.write(b"a,y\n" + b"1,0\n2,1\n" * 1000)
        sink.flush()
        sink.close()
        with pytest.raises((DataError, OSError), match="No space left on device"):
            sx.read(source, label="y")
    assert [path.name for path in full.iterdir()] == ["filler"]
