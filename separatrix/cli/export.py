"""separatrix export: a model for other programs, or the prepared rows that a certificate speaks of."""

from __future__ import annotations

from typing import Any

import click

from separatrix.cli.console import Console, output_options
from separatrix.cli.data_options import DataFile, name_of, read_text, takes_file
from separatrix.cli.limit_option import limited
from separatrix.cli.output_files import STANDARD_OUTPUT, open_output, require_suffix, require_writable
from separatrix.cli.progress import progress


@click.command(short_help="Write a model as ONNX, or prepared rows as CSV.")
@click.argument("model_file", metavar="MODEL")
@click.argument("data", required=False)
@click.option("--onnx", metavar="FILE", help="Write the model as this ONNX file.")
@click.option("--rows", metavar="FILE", help="Write the rows of DATA, prepared, as this CSV file.")
@takes_file
@limited
@output_options
def export(
    model_file: str,
    data: str | None,
    onnx: str | None,
    rows: str | None,
    as_json: bool,
    quiet: bool,
    **file: Any,
) -> None:
    """Write the model in MODEL for other programs.

    --onnx writes it in double precision. Its input is X, rows × columns of doubles; its outputs are label and
    scores (of a regression: prediction). Needs the package onnx (pip install "separatrix[onnx]").

    --rows reads DATA and prepares its columns as MODEL, a certificate or a model, says: categories, words,
    scales, missing values. The CSV file holds the numbers that came out, for the checker that needs no
    library.

    \b
    separatrix export model.json --onnx model.onnx
    separatrix export proof.json mails.csv --rows prepared.csv
    """
    console = Console(as_json=as_json, quiet=quiet)
    if (onnx is None) is (rows is None):
        raise click.UsageError("Say what to write: --onnx FILE, or DATA and --rows FILE.")
    if (data is None) is not (rows is None):
        raise click.UsageError("--rows FILE writes the rows of DATA: give both of them, or --onnx FILE.")
    if onnx in STANDARD_OUTPUT:
        raise click.UsageError("--onnx: name a file; an ONNX model is no text for standard output.")
    if as_json and rows in STANDARD_OUTPUT:
        raise click.UsageError(f"--json and --rows {rows} both want standard output: name a file.")
    if model_file == "-" == data:
        raise click.UsageError("Standard input can be the model or the data, not both.")
    require_writable(onnx=onnx, rows=rows, read=[model_file, data])
    require_suffix("rows", rows, [".csv"])
    if rows is not None:
        _write_rows(console, model_file, DataFile(data, demo=False, **file), rows)
    elif onnx is not None:
        _write_onnx(console, model_file, onnx)


def _write_rows(console: Console, model_file: str, data: DataFile, path: str) -> None:
    from separatrix.cli.claims import read_claims
    from separatrix.rows.files.csv_output import csv_of

    with progress(console) as shown:
        shown.update(f"reading {data.data}")
        found = next(read_claims(model_file).readings(data))
        shown.update(f"writing {found.n_rows:,} rows")
        with open_output(path) as file:
            for text in csv_of(found):
                file.write(text)
    _report_written(console, path, list(found.columns or ()), found.n_columns)


def _write_onnx(console: Console, model_file: str, path: str) -> None:
    from separatrix.models import from_json
    from separatrix.models.onnx import save_onnx

    model = from_json(read_text(model_file), name=name_of(model_file))
    save_onnx(model, path)
    if hasattr(model, "preparation_"):
        console.warn(
            "The fit made its columns ready (--encode, --text, --missing, --scale); the ONNX file begins "
            f"after that, with the {model.n_features_in_:,} columns of numbers."
        )
    columns = [str(name) for name in getattr(model, "feature_names_in_", ())]
    _report_written(console, path, columns, model.n_features_in_)


def _report_written(console: Console, path: str, columns: list[str], n_columns: int) -> None:
    if path not in STANDARD_OUTPUT:
        console.write(f"Written: {path}")
    console.write_json(
        {
            "format": "separatrix-export",
            "version": 1,
            "columns": columns,
            "n_columns": n_columns,
            "written": path,
        }
    )
