"""Commands killed at random moments: outputs are whole or absent, a second run ends as an unbroken one.

The second run of `ZeroOne` goes on from the checkpoint that the first has left.
"""

from __future__ import annotations

import numpy as np
import pytest
from killed_commands import needs_fork, results

import separatrix as sx


def require_sound(found):
    told = [f"{run['number']}, {run['done']}: {fault}" for run in found for fault in run["faults"]]
    assert not told, f"{len(told)} faults\n" + "\n".join(told[:10])
    assert any("ended with 0" not in run["done"] for run in found)  # not all came too late


@needs_fork
def test_killed_commands_leave_whole_files_and_can_be_run_again():
    require_sound(results(0, 8))


@needs_fork
@pytest.mark.deep
@pytest.mark.parametrize(("seed", "count", "how"), [(1, 100, []), (2, 40, ["real"])])
def test_many_killed_commands(seed, count, how):
    require_sound(results(seed, count, *how))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_while_the_checkpoint_is_written_leaves_no_part(error, tmp_path, monkeypatch):
    def interrupted(*_):
        raise error

    X = np.random.default_rng(0).normal(size=(20, 2))
    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(error):
        sx.ZeroOne(checkpoint=tmp_path / "state.json").fit(X, np.arange(20) % 2)
    assert list(tmp_path.iterdir()) == []
