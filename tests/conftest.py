from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, settings

from separatrix.certificates import Certificate
from separatrix.certificates.schema import PATH

# No deadline: the first example of a test may pay for compiling a kernel.
settings.register_profile(
    "seeded", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", settings.get_profile("seeded"), max_examples=1000)
settings.load_profile("seeded")


_to_dict = Certificate.to_dict


@pytest.fixture(autouse=True, scope="session")
def published_schema():
    """Every certificate that a test writes as JSON meets the published schema."""
    schema = json.loads(PATH.read_text(encoding="utf-8"))
    validators: dict[str, Any] = {}

    def to_valid_dict(certificate: Certificate) -> dict[str, Any]:
        record, kind = _to_dict(certificate), certificate.kind
        if kind not in validators:  # that of one kind is fast, and says what is wrong
            of_kind = {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}
            validators[kind] = jsonschema.Draft202012Validator(of_kind)
        validators[kind].validate(record)
        return record

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Certificate, "to_dict", to_valid_dict)
        yield


@pytest.fixture
def no_schema(monkeypatch):
    """Forged certificates may break the published schema."""
    monkeypatch.setattr(Certificate, "to_dict", _to_dict)


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
