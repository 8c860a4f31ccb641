"""What a file claims: a certificate, or all certificates of a model; and the rows that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from separatrix.cli.data_options import DataFile, RereadableInput, name_of, read_text

if TYPE_CHECKING:
    from separatrix.certificates import Certificate

MODEL_FORMAT = re.compile(rb'"format"\s*:\s*"separatrix-model"')


class Claim(NamedTuple):
    """A certificate, the label that is +1 in it, and which class that is of several, in words."""

    certificate: Certificate
    positive: Any
    of: str = ""
    covers_weights: bool | None = None  # of a model: whether the claim is about its weights


@dataclass(frozen=True)
class ClaimsFile:
    """The claims of a file, and the model that makes them if it is one."""

    claims: list[Claim]
    model: Any = None

    def readings(self, data: DataFile) -> Iterator[Any]:
        """The rows of DATA, with the columns that the claims speak of, prepared as the file says.

        A certificate may also hold of rows that were prepared before. Where their columns have the names of
        those to be prepared, they come second.
        """
        from separatrix import DataError
        from separatrix.rows.data_errors import AbsentColumn

        as_they_are, preparation = self._attempts(data), self._preparation(data)
        with RereadableInput(data.data) as again:
            if preparation is None:
                yield self._read(data, again, as_they_are)
                return
            prepared = {"preparation": preparation, "missing": preparation.missing}
            rows = None
            try:
                rows = self._read(data, again, [prepared])
            except AbsentColumn as error:
                if self.model is not None:
                    raise
                absent = error
            if rows is not None:
                yield rows
            if self.model is not None or (rows is not None and self._about.preparation.is_repeatable):
                return
            try:
                rows = self._read(data, again, as_they_are)
            except DataError:
                if rows is None:
                    raise absent from None
                return
            yield rows

    @property
    def _about(self) -> Any:
        """What the data is; of several certificates the same, but for the positive label."""
        every = [claim.certificate.about for claim in self.claims]
        return next((about for about in every if about.columns is not None), every[0])

    def _preparation(self, data: DataFile) -> Any:
        if self.model is not None:
            return getattr(self.model, "preparation_", None)
        if self._about.preparation is None or data.prepares:
            return None
        from separatrix.rows.preparation import Preparation

        return Preparation.from_dict(self._about.preparation.to_dict())

    def _attempts(self, data: DataFile) -> list[dict[str, Any]]:
        """The columns it speaks of, by name; if they are not there all columns, for the certificate to
        refuse."""
        about, attempts = self._about, [dict[str, Any]()]
        if data.prepares:
            return attempts
        if about.columns is not None:
            attempts.insert(0, {"n_columns": about.columns})
        if about.features is not None and data.features is None:
            attempts.insert(0, {"features": list(about.features)})
        return attempts

    def _read(self, data: DataFile, again: RereadableInput, columns: list[dict[str, Any]]) -> Any:
        speaks_of_targets = self.claims[0].certificate.speaks_of == "targets"
        options: dict[str, Any] = {"regression": True} if speaks_of_targets else {}
        labels = [options]
        if self._about.label is not None and data.label is None:
            labels.insert(0, options | {"label": self._about.label})
        reason = "which the certificate names" if data.features is None else None
        return data.rows_from(
            again, [label | chosen for label in labels for chosen in columns], reason=reason
        )


def read_claims(path: str) -> ClaimsFile:
    """The claims of a certificate or a model."""
    text, name = read_text(path), name_of(path)
    if not _is_model(text):
        return ClaimsFile([_claim(text, name)])
    model = _model(text, name)
    return ClaimsFile(list(_claims_of(model)), model)


def _claim(text: bytes, name: str) -> Claim:
    from separatrix.certificates import CertificateError, from_json

    try:
        certificate = from_json(text)
    except CertificateError as error:
        raise ValueError(f"{name}: {error}") from None
    return Claim(certificate, certificate.about.positive)


def _model(text: bytes, name: str) -> Any:
    from separatrix.models.storage import load_unchecked

    model = load_unchecked(text, name)
    if not hasattr(model, "certificate_"):
        raise ValueError(f"{name} holds a {type(model).__name__}, which has no certificate.")
    return model


def _claims_of(model: Any) -> Iterator[Claim]:
    from separatrix.certificates import Certificate
    from separatrix.models.agreement import names_weights

    labels = model.classes_.tolist() if hasattr(model, "classes_") else [None, None]
    for found in (model.certificate_, getattr(model, "mistake_run_", None)):
        joint = isinstance(found, Certificate)
        of_each = [(labels[-1] if hasattr(found, "classes") else labels[1], found)] if joint else None
        for label, certificate in of_each or zip(labels, found or (), strict=False):
            if certificate is not None:
                of = "" if joint else f" ({label} against the rest)"
                yield Claim(certificate, label, of, names_weights(certificate))


def _is_model(text: bytes) -> bool:
    """Whether JSON text is a model's, by its format alone: only the reader of that format parses the text.

    A quotation mark inside a string of JSON has a backslash before it, so no string can pass for the format.
    """
    return MODEL_FORMAT.search(text.replace(b"\0", b"")) is not None  # text in UTF-16 has zero bytes
