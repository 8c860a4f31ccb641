"""separatrix verify: check a certificate, or all certificates of a model, against data."""

from __future__ import annotations

from typing import Any

import click

from separatrix.cli.claims import read_claims
from separatrix.cli.console import Console, output_options
from separatrix.cli.data_options import DataFile, takes_data
from separatrix.cli.progress import progress

EXIT_REFUSED = 4
ABOUT_ROWS_ONLY = (
    "This is proven of the rows alone: it says nothing about the weights that the model predicts by."
)


@click.command(short_help="Check a certificate against data, exactly.")
@click.argument("certificate_file", metavar="CERTIFICATE")
@takes_data(labelled=True)
@output_options
def verify(certificate_file: str, data: DataFile, as_json: bool, quiet: bool) -> int:
    """Check CERTIFICATE, a certificate or a model file, against DATA, in exact arithmetic.

    Columns are found by the names the certificate speaks of, and prepared as it says. A model must predict by
    the weights, labels and columns of its certificates. Ends with 0 if it holds (of a model: if all its
    certificates hold), with 4 if it is refused.

    \b
    separatrix verify certificate.json iris.csv
    """
    from separatrix.certificates import Undecided, Verdict

    console = Console(as_json=as_json, quiet=quiet)
    if certificate_file == "-" == data.data:
        raise click.UsageError("Standard input can be the certificate or the data, not both.")
    file = read_claims(certificate_file)
    claims, model = file.claims, file.model
    verdicts: list[Verdict] = []
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        refusal = None if model is None else _contradiction(model)
        # What claims nothing is refused without a look at the data.
        claims_nothing = all(isinstance(claim.certificate, Undecided) for claim in claims)
        for rows in (None,) if claims_nothing or refusal is not None else file.readings(data):
            if model is not None and rows is not None:
                refusal = _unpredicted(model, rows)
            found = []
            for claim in claims:
                shown.update(f"verifying: {claim.certificate.claim}")
                verdict = claim.certificate.verify(rows) if refusal is None else Verdict(False, refusal)
                found.append(verdict)
            if not verdicts or all(found):
                verdicts = found
            if all(verdicts):
                break
    for claim, verdict in zip(claims, verdicts, strict=True):
        claim_text = claim.certificate.claim
        console.write(f"{'holds' if verdict else 'refused'}{claim.of}: {claim_text}")
        if verdict.reason != claim_text:
            console.write(f"  {verdict.reason}")
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
