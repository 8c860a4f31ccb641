"""separatrix report: what a straight line can do with the data, in one page."""

from __future__ import annotations

from dataclasses import replace

import click

from separatrix.cli.console import Console, output_options
from separatrix.cli.data_options import DataFile, takes_data
from separatrix.cli.option_names import option_of
from separatrix.cli.output_files import STANDARD_OUTPUT, require_writable, write
from separatrix.cli.progress import progress, timed


@click.command(short_help="Everything about one data set, as a page.")
@takes_data(labelled=True)
@click.option(
    "--test",
    metavar="FILE|SHARE",
    help="Rows held out, in another file or as a share of these (0.2); their errors are told too.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the page here, as HTML.")
@click.option("--no-intercept", is_flag=True, help="Boundaries through the origin.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the share held out.")
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds for what could go on for long: the fewest errors, and curved boundaries.",
)
@output_options
def report(
    data: DataFile,
    test: str | None,
    output: str | None,
    no_intercept: bool,
    seed: int,
    budget: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what a straight line can do with DATA, and how that is known.

    The verdict with its proof; the margin or the rows in conflict; what perceptron, logistic regression, SVM
    and the fewest errors make of the rows; what theory says about new ones; and what to do next. The page is
    one file that fetches nothing and runs nothing.

    \b
    separatrix report data.csv --label y -o report.html
    """
    console = Console(as_json=as_json, quiet=quiet)
    if as_json and output in STANDARD_OUTPUT:
        raise click.UsageError(f"--json and -o {output} both want standard output: name a file for the page.")
    require_writable(output=output, read=[data.data, test])
    with progress(console) as shown:
        shown.update(f"reading {data.data or 'the built-in set'}")
        rows, held_out = data.with_test(test, seed)
        from separatrix.reports.diagnosis import diagnose

        with timed(shown, f"examining {rows.n_rows:,} rows") as clock:
            found = diagnose(
                rows, X_test=held_out, intercept=not no_intercept, budget=budget, progress=clock.update
            )
            numbering = data.numbering(test)
            if numbering is not None:
                found = replace(found, notes=(*found.notes, numbering))
            page = None if output is None else found.to_html()
    if output is not None and page is not None:
        write(output, page)
    from separatrix.reports.diagnosis.diagnosis_text import render

    console.write(render(found, console.width, option_of))
    written = [output] if output not in (None, "-") else []
    if written:
        console.write(f"\nWritten: {written[0]}")
    elif output is None:
        console.write("\nThe page itself: -o report.html")
    console.write_json(found.to_dict() | {"written": written})
