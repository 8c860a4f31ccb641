from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline: the first example of a test may pay for compiling a kernel.
settings.register_profile(
    "seeded", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", settings.get_profile("seeded"), max_examples=1000)
settings.load_profile("seeded")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets: SEPARATRIX_DATA, or shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SEPARATRIX_DATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"no public data sets in {folder}: set SEPARATRIX_DATA to their folder")
    return folder


@pytest.fixture
def interruptible():
    """SIGINT interrupts this process and those it starts, even if it was ignored when the suite started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
