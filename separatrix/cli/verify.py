"""separatrix verify: check a certificate, or all certificates of a model, against data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from separatrix.cli.console import Console, output_options, with_option_names
from separatrix.cli.data_options import DataFile, name_of, read_text, takes_data
from separatrix.cli.progress import progress

if TYPE_CHECKING:
    from separatrix.certificates import Certificate

EXIT_REFUSED = 4
MODEL_FORMAT = re.compile(rb'"format"\s*:\s*"separatrix-model"')
ABOUT_ROWS_ONLY = (
    "This is proven of the rows alone: it says nothing about the weights that the model predicts by."
)


@click.command(short_help="Check a certificate against data, exactly.")
@click.argument("certificate_file", metavar="CERTIFICATE")
@takes_data(labelled=True)
@output_options
def verify(certificate_file: str, data: DataFile, as_json: bool, quiet: bool) -> int:
    """Check CERTIFICATE, a certificate or a model file, against DATA, in exact arithmetic.

    Columns are found by the names the certificate speaks of. A model must predict by the weights, labels and
    columns of its certificates. Ends with 0 if it holds (of a model: if all its certificates hold), with 4 if
    it is refused.

    \b
    separatrix verify certificate.json iris.csv
    """
    from separatrix.certificates import Undecided, Verdict

    console = Console(as_json=as_json, quiet=quiet)
    if certificate_file == "-" == data.data:
        raise click.UsageError("Standard input can be the certificate or the data, not both.")
    text = read_text(certificate_file)
    name = name_of(certificate_file)
    model = _model(text, name) if _is_model(text) else None
    claims = list(_claims(text, name) if model is None else _claims_of(model, name))
    certificates = [claim.certificate for claim in claims]
    verdicts = []
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        # What claims nothing is refused without a look at the data.
        claiming = not all(isinstance(c, Undecided) for c in certificates)
        refusal = None if model is None else _contradiction(model)
        rows = None
        if claiming and refusal is None:
            rows = _rows(data, certificates, claims[0].preparation)
            refusal = None if model is None else _unpredicted(model, rows)
        for claim in claims:
            shown.update(f"verifying: {claim.certificate.claim}")
            verdicts.append(claim.certificate.verify(rows) if refusal is None else Verdict(False, refusal))
    for claim, verdict in zip(claims, verdicts, strict=True):
        claim_text = claim.certificate.claim
        console.write(f"{'holds' if verdict else 'refused'}{claim.of}: {claim_text}")
        if verdict.reason != claim_text:
            console.write(with_option_names(f"  {verdict.reason}"))
        if verdict and claim.covers_weights is False:
            console.write(f"  {ABOUT_ROWS_ONLY}")
    holds = all(verdicts)
    console.write_json(
        {
            "format": "separatrix-verdict",
            "version": 1,
            "holds": holds,
            "certificates": [
                {
                    "kind": claim.certificate.kind,
                    "claim": claim.certificate.claim,
                    "positive": claim.positive,
                    "holds": verdict.holds,
                    "reason": verdict.reason,
                    "covers_weights": claim.covers_weights,
                }
                for claim, verdict in zip(claims, verdicts, strict=True)
            ],
        }
    )
    return 0 if holds else EXIT_REFUSED


class CertificateToVerify(NamedTuple):
    """A certificate, the label that is +1 in it, and which class that is of several, in words."""

    certificate: Certificate
    positive: Any
    of: str = ""
    preparation: Any = None  # of the columns, where the model knows one
    covers_weights: bool | None = None  # of a model: whether the claim is about its weights


def _claims(text: bytes, name: str) -> Iterator[CertificateToVerify]:
    from separatrix.certificates import CertificateError, from_json

    try:
        certificate = from_json(text)
    except CertificateError as error:
        raise ValueError(f"{name}: {error}") from None
    yield CertificateToVerify(certificate, certificate.about.positive)


def _model(text: bytes, name: str) -> Any:
    from separatrix.models.storage import load_unchecked

    model = load_unchecked(text, name)
    if not hasattr(model, "certificate_"):
        raise ValueError(f"{name} holds a {type(model).__name__}, which has no certificate.")
    return model


def _claims_of(model: Any, name: str) -> Iterator[CertificateToVerify]:
    from separatrix.certificates import Certificate
    from separatrix.models.agreement import names_weights

    preparation = getattr(model, "preparation_", None)
    labels = model.classes_.tolist() if hasattr(model, "classes_") else [None, None]
    for found in (model.certificate_, getattr(model, "mistake_run_", None)):
        joint = isinstance(found, Certificate)
        of_each = [(labels[-1] if hasattr(found, "classes") else labels[1], found)] if joint else None
        for label, certificate in of_each or zip(labels, found or (), strict=False):
            if certificate is not None:
                of = "" if joint else f" ({label} against the rest)"
                yield CertificateToVerify(certificate, label, of, preparation, names_weights(certificate))


def _contradiction(model: Any) -> str | None:
    """Why a model is refused whatever its certificates prove: it predicts by something else."""
    from separatrix.models.agreement import find_disagreement

    found = find_disagreement(model)
    return None if found is None else f"The model contradicts itself: {found}"


def _unpredicted(model: Any, rows: Any) -> str | None:
    """The same for labels: a certificate names that of +1 alone, the rows have the others."""
    from separatrix.models.agreement import unknown_label

    label = unknown_label(model, rows.classes)
    return None if label is None else f"The data has the label {label!r}, which this model never predicts."


def _is_model(text: bytes) -> bool:
    """Whether JSON text is a model's, by its format alone: only the reader of that format parses the text.

    A quotation mark inside a string of JSON has a backslash before it, so no string can pass for the format.
    """
    return MODEL_FORMAT.search(text.replace(b"\0", b"")) is not None  # text in UTF-16 has zero bytes


def _rows(data: DataFile, certificates: list[Certificate], preparation: Any) -> Any:
    """The columns it speaks of, by name; if they are not there all columns, for the certificate to refuse."""
    from separatrix import DataError

    about = next((c.about for c in certificates if c.about.columns is not None), certificates[0].about)
    options: dict[str, Any] = {"regression": True} if certificates[0].speaks_of == "targets" else {}
    labels = [options]
    if about.label is not None and data.label is None:
        labels.insert(0, options | {"label": about.label})
    columns: list[dict[str, Any]] = [{}]
    if preparation is not None:
        columns = [{"preparation": preparation, "missing": preparation.missing}]
    elif not data.prepares:
        if about.columns is not None:
            columns.insert(0, {"n_columns": about.columns})
        if about.features is not None and data.features is None:
            columns.insert(0, {"features": list(about.features)})
    try:
        return data.rows_with([label | chosen for label in labels for chosen in columns])
    except DataError as error:
        if data.features is not None:
            raise
        raise DataError(str(error).replace(" (features=)", ", which the certificate names")) from None
