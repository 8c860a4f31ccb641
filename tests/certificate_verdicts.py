"""What the library and the independent checker say of a certificate's JSON text: accepted or not.

Both may refuse in their own ways. Nothing may be raised but the errors that are promised, each a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

from certificate_corpus import LABEL, Data

import separatrix as sx
from separatrix.certificates import Certificate, CertificateError, Verdict, from_json
from separatrix.certificates.check.__main__ import verdict
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable

MEASURED = ("solution-within", "gradient-at-most")
LONGEST = 1000  # characters of a message
MOST_SECONDS = 1.0  # of processor time for one answer


class Verdicts:
    """Ways of reading certificate and data; the checker reads both from files in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, Path] = {}

    def by_check(self, text: str, data: Data) -> bool:
        certificate = self._folder / "certificate.json"
        certificate.write_text(text, encoding="utf-8")
        try:
            said, accepted = soon(lambda: verdict(str(certificate), str(self._file(data)))), True
        except (Refused, Unreadable) as refused:
            said, accepted = str(refused), False
        assert_sentence(said)
        return accepted

    def by_arrays(self, certificate: Certificate, data: Data) -> bool:
        """Beside bare arrays: the names of columns are then no part of what is claimed."""
        return holds(certificate, *data.arrays)

    def by_names(self, certificate: Certificate, data: Data) -> bool | None:
        """Beside a table with named columns; None if its text is among the features: there `"1"` is text."""
        about = certificate.about
        features = about.features or [LABEL]
        if about.label not in (None, LABEL) and isinstance(data.labels[0], str) and LABEL in features:
            return None
        if about.label is not None:
            return holds(certificate, data.table)
        return holds(certificate, data.table.drop_columns(LABEL), data.table[LABEL])

    def by_file(self, certificate: Certificate, data: Data) -> bool | None:
        """Beside the CSV file, opened by the names that the certificate gives; None if its labels are no
        classes: `sx.read` wants whole numbers, text or truth values."""
        about = certificate.about
        label = LABEL if about.label is None else about.label
        rows = _opened(self._file(data), label, about.features, certificate.kind in MEASURED)
        if isinstance(rows, str):
            return None if "Unknown label type: continuous" in rows else False
        return holds(certificate, rows)

    def _file(self, data: Data) -> Path:
        if data.csv not in self._files:
            path = self._folder / f"{len(self._files)}.csv"
            path.write_text(data.csv, encoding="utf-8")
            self._files[data.csv] = path
        return self._files[data.csv]


@cache
def _opened(path: Path, label: str, features: tuple[str, ...] | None, measured: bool) -> Any:
    try:
        return sx.read(path, label=label, features=features, regression=measured)
    except sx.DataError as error:
        assert_sentence(str(error))
        return str(error)


def parsed(text: str) -> Certificate | None:
    """The certificate, or None if the library refuses the text."""
    try:
        return soon(lambda: from_json(text))
    except CertificateError as error:
        assert_sentence(str(error))
        return None


def holds(certificate: Certificate, X: Any, y: Any = None) -> bool:
    try:
        said = soon(lambda: certificate.verify(X, y))
    except (ValueError, sx.DataError) as error:
        kind, reason, accepted = type(error), str(error), False
    else:
        kind, reason, accepted = type(said), said.reason, said.holds
    # Other subclasses of ValueError come from NumPy, from decoding and the like.
    assert kind in (Verdict, ValueError, sx.DataError, CertificateError), reason
    assert type(accepted) is bool
    if certificate.kind != "undecided":  # its reason is what the certificate says
        assert_sentence(reason)
    return accepted


def soon(ask: Callable[[], Any]) -> Any:
    """An answer that takes at most a second; the first call may have to load or compile code."""
    for _ in range(2):
        start = process_time()
        answer = ask()
        if process_time() - start <= MOST_SECONDS:
            return answer
    raise AssertionError(f"The answer took more than {MOST_SECONDS} s of processor time: {answer}")


def assert_sentence(said: str) -> None:
    """What a reader is told is short, and ends as a sentence does."""
    short = said if len(said) <= LONGEST else f"{said[:LONGEST]} … of {len(said)} characters"
    assert len(said) <= LONGEST, short
    assert said.startswith("It proves nothing:") or said.endswith("."), short
