"""Compiled kernels are pickled code: they are loaded only from a folder that no other user can change."""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import stat
import sys

import numba
import pytest

from separatrix.kernels import disk_cache, kernel
from separatrix.kernels.private_folder import (
    SharedFolder,
    make_private,
    read_private,
    require_private,
    write_private,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders have no such modes there")
compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
NOBODY = 65534


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o002, 0o000], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_a_new_folder_and_its_files_are_private_under_every_umask(tmp_path, umask):
    folder = tmp_path / "cache" / "separatrix" / "numba"
    make_private(folder)
    write_private(folder / "kernel", b"code")
    assert [mode_of(place) for place in (folder, folder.parent, folder.parent.parent)] == [0o700] * 3
    assert mode_of(folder / "kernel") == 0o600
    assert read_private(folder / "kernel") == b"code"
    assert [file.name for file in folder.iterdir()] == ["kernel"]


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755, 0o500])
def test_others_may_read_a_folder(mode, tmp_path):
    tmp_path.chmod(mode)
    require_private(tmp_path)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o770, 0o757, 0o702, 0o1777])
def test_others_must_not_write_to_a_folder(mode, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    remedy = "set SEPARATRIX_CACHE_DIR to a folder of your own" if mode & stat.S_ISVTX else "run chmod go-w"
    with pytest.raises(SharedFolder, match=f"^other users can write to {re.escape(str(folder))}; {remedy}"):
        make_private(folder)
    folder.chmod(mode & 0o755)
    make_private(folder)


@pytest.mark.parametrize(
    ("mode", "private"), [(0o755, True), (0o775, True), (0o1777, True), (0o777, False), (0o757, False)]
)
def test_nobody_else_may_put_another_folder_in_its_place(mode, private, tmp_path):
    """A group may write to the user's own folders above it, as to a home folder under umask 002."""
    above = tmp_path / "above"
    (above / "between" / "cache").mkdir(parents=True, mode=0o700)
    above.chmod(mode)
    if private:
        require_private(above / "between" / "cache")
    else:
        with pytest.raises(SharedFolder, match=f"^other users can write to {re.escape(str(above))};"):
            require_private(above / "between" / "cache")


def owned_by(monkeypatch, user, place):
    """Show `place` as if it belonged to `user`."""
    real, same = os.lstat, os.path.samestat

    def shown(path, *given, **named):
        status = real_stat(path, *given, **named)
        if same(status, real(place)):
            return os.stat_result((*status[:4], user, *status[5:10]))
        return status

    real_stat = os.stat
    monkeypatch.setattr(os, "stat", shown)
    monkeypatch.setattr(os, "lstat", lambda path, **named: shown(path, follow_symlinks=False, **named))


@pytest.mark.parametrize("where", ["cache", ".", "link"])
def test_folders_and_links_of_other_users(where, tmp_path, monkeypatch):
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("cache")
    require_private(tmp_path / "link")
    owned_by(monkeypatch, os.geteuid() + 1, tmp_path / where)
    with pytest.raises(SharedFolder, match="belongs to another user; set SEPARATRIX_CACHE_DIR"):
        require_private(tmp_path / "link")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give folders away")
def test_folders_and_files_that_root_was_given(tmp_path):
    write_private(tmp_path / "kernel", b"code")
    for place in (tmp_path, tmp_path / "kernel"):
        os.chown(place, NOBODY, -1)
        with pytest.raises(PermissionError, match="another user"):
            read_private(tmp_path / "kernel")
        os.chown(place, 0, -1)
    assert read_private(tmp_path / "kernel") == b"code"


def test_what_a_link_leads_through_counts(tmp_path):
    """Links may lead to links, and back up; each folder on the way is one where the way could be changed."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (tmp_path / "cache").mkdir(mode=0o700)
    (shared / "inner").symlink_to("../cache")
    (tmp_path / "outer").symlink_to("shared/inner")
    with pytest.raises(SharedFolder, match=f"^other users can write to {re.escape(str(shared))};"):
        require_private(tmp_path / "outer")
    shared.chmod(0o755)
    require_private(tmp_path / "outer")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match="circle"):
        require_private(tmp_path / "circle")


def test_files_that_another_may_have_written(tmp_path):
    file = tmp_path / "kernel"
    write_private(file, b"code")
    for mode in (0o660, 0o602):
        file.chmod(mode)
        with pytest.raises(PermissionError, match="another user"):
            read_private(file)
    file.chmod(0o644)
    assert read_private(file) == b"code"
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "pipe", mode=0o600)
    for name in ("link", "pipe", "missing"):
        with pytest.raises(OSError):
            read_private(tmp_path / name)


# Through the kernels


class Planted:
    """Pickled code that leaves a mark when it is loaded."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def compile_in(monkeypatch):
    """Compile a kernel in a fresh state of the cache: whether it was found, and what was said."""

    def double(x):
        return 2 * x

    def compile_in(folder):
        said = []
        monkeypatch.setenv("SEPARATRIX_CACHE_DIR", str(folder))
        monkeypatch.setattr(disk_cache, "_announced", False)
        with disk_cache.announcing(said.append):
            twice = kernel(double)
            assert twice(2.0) == 4.0
        return sum(twice.stats.cache_hits.values()), said

    return compile_in


@compiled
def test_planted_code_is_not_run(compile_in, tmp_path):
    folder, mark = tmp_path / "cache", tmp_path / "mark"
    start = "separatrix: compiling kernels for this CPU"
    assert compile_in(folder) == (0, [f"{start} (once; they are kept for the next run)"])
    assert compile_in(folder) == (1, [])
    (file,) = folder.iterdir()
    kept, planted = file.read_bytes(), pickle.dumps(Planted(mark))
    file.write_bytes(hashlib.sha256(planted).digest() + planted)
    folder.chmod(0o777)
    sentence = f"{start} (in every run, because other users can write to {folder}; run chmod go-w on it)"
    assert compile_in(folder) == (0, [sentence])
    assert not mark.exists()
    folder.chmod(0o700)
    file.chmod(0o666)  # a file that others could write to is replaced by one of our own
    assert compile_in(folder)[0] == 0
    assert not mark.exists()
    assert (len(file.read_bytes()), mode_of(file)) == (len(kept), 0o600)
    assert compile_in(folder) == (1, [])


@compiled
def test_nothing_is_kept_where_others_write(compile_in, tmp_path):
    tmp_path.chmod(0o777)
    try:
        assert compile_in(tmp_path)[0] == 0
        assert compile_in(tmp_path / "new")[0] == 0
        assert not [place for place in tmp_path.rglob("*") if place.is_file()]
    finally:
        tmp_path.chmod(0o700)
