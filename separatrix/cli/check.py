"""separatrix check: can a hyperplane tell the classes apart? The verdict, proven."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from separatrix.cli.console import Console, output_options, with_option_names
from separatrix.cli.data_options import DataFile, takes_data
from separatrix.cli.output_files import STANDARD_OUTPUT, require_folder, require_writable, write
from separatrix.cli.progress import ProgressDisplay, TimedStep, progress, timed

if TYPE_CHECKING:
    from separatrix.algorithms.separation import Progress as Seen
    from separatrix.reports.check.separation_record import SeparationRecord
    from separatrix.rows import Rows

EXIT_NOT_SEPARABLE = 1
EXIT_UNDECIDED = 3


def _seconds(_: click.Context, option: click.Parameter, value: float | None) -> float | None:
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no number of seconds.", param=option)
    return value


@click.command(short_help="Is a separating hyperplane there? The verdict, proven.")
@takes_data(labelled=True)
@click.option("intercept", "--no-intercept", flag_value=False, default=True, help="Through the origin alone.")
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    callback=_seconds,
    help="Stop after this, undecided if need be (exit code 3). Default: until it is decided.",
)
@click.option("--exit-status", is_flag=True, help="End with 1 if the classes are not separable.")
@click.option("--certificate", metavar="FILE", help="Write the proof of the verdict here, as JSON.")
@click.option(
    "--certificates",
    metavar="FOLDER",
    help="Write every proof into this folder, a JSON file each: verdict, conflict or margin, mistake bound.",
)
@output_options
def check(
    data: DataFile,
    intercept: bool,
    time_limit: float | None,
    exit_status: bool,
    certificate: str | None,
    certificates: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Decide whether a hyperplane separates the classes of DATA, and prove it.

    The answer is exact: complete (a hyperplane has every row strictly on its side), quasi (none does, but one
    has every row on its side or on it), or overlap (neither). With more than two classes each is taken
    against the rest.

    Ends with 0; with 3 if a time limit left a question undecided; with --exit-status, with 1 if a class is
    not separable.

    \b
    separatrix check iris.csv --label species --positive setosa
    """
    console = Console(as_json=as_json, quiet=quiet)
    if as_json and certificate in STANDARD_OUTPUT:
        raise click.UsageError(
            f"--json and --certificate {certificate} both want standard output: name a file."
        )
    require_writable(certificate=certificate, read=[data.data])
    require_folder("certificates", certificates, read=[data.data])
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        rows = data.rows()
        classes = rows.require_two_classes()
        if (certificate or certificates) is not None and len(classes) > 2:
            option = "--certificates" if certificate is None else "--certificate"
            raise click.UsageError(
                f"{option}: {len(classes)} classes have a certificate each; choose one class with --positive."
            )
        answers = _decide_each(rows, intercept, time_limit, shown)
    written = []
    if certificate is not None:
        write(certificate, answers[0].separation.certificate.to_json())
        written = [certificate] if certificate != "-" else []
    if certificates is not None:
        written += _write_all(answers[0], certificates)
    from separatrix.reports.check import json, text

    console.write(with_option_names(text.render(answers, rows, console.width)))
    if (numbering := data.numbering()) is not None:
        console.write(f"\n{numbering}")
    if written:
        console.write(f"\nWritten: {', '.join(written)}")
    console.write_json(json.to_dict(answers, rows, intercept) | {"written": written})
    if not all(answer.decided for answer in answers):
        if not console.verbose:
            console.warn(next(answer.left_open for answer in answers if not answer.decided))
        return EXIT_UNDECIDED
    return EXIT_NOT_SEPARABLE if exit_status and not all(a.separable for a in answers) else 0


def _write_all(answer: SeparationRecord, folder: str) -> list[str]:
    """Every certificate under the name of its kind; margins of the rows (x, 1) say so in theirs."""
    found = answer.separation
    proofs = (found.certificate,) if answer.kind == "undecided" else found.certificates
    os.makedirs(folder, exist_ok=True)
    written = []
    for proof in proofs:
        of_rows = "" if getattr(proof, "geometric", True) else "row-"
        written.append(os.path.join(folder, f"{of_rows}{proof.kind}.json"))
        write(written[-1], proof.to_json())
    return written


def _decide_each(
    rows: Rows, intercept: bool, time_limit: float | None, shown: ProgressDisplay
) -> list[SeparationRecord]:
    from separatrix.algorithms.separation import separate_rows
    from separatrix.reports.check.separation_record import summarise_separation

    assert rows.classes is not None
    rows.require_finite()
    codes = (1,) if len(rows.classes) == 2 else range(len(rows.classes))
    answers = []
    for code in codes:
        of = "" if len(codes) == 1 else f"{rows.classes[code]} against the rest: "
        with timed(shown, f"{of}looking for a hyperplane, {rows.n_rows:,} rows") as clock:
            separation = separate_rows(
                rows, code, intercept=intercept, time_limit=time_limit, progress=_scan_reporter(clock, of)
            )
            clock.update(f"{of}{separation.kind}; measuring and verifying")
            answers.append(summarise_separation(separation, rows, code, intercept=intercept))
    return answers


def _scan_reporter(clock: TimedStep, of: str) -> Callable[[Seen], None]:
    def scanned(seen: Seen) -> None:
        if seen.bounds is not None:
            lower, upper = seen.bounds
            clock.update(
                f"{of}scan {seen.scans:,} of {seen.rows:,} rows: the margin is between {lower:.6g} and "
                f"{upper:.6g}, {seen.active:,} looked at closely"
            )
            return
        clock.update(
            f"{of}scan {seen.scans:,} of {seen.rows:,} rows: {seen.violators:,} on the wrong side, "
            f"{seen.active:,} looked at closely"
        )

    return scanned
