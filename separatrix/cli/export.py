"""separatrix export: a model for other programs."""

from __future__ import annotations

import click

from separatrix.cli.console import Console, output_options
from separatrix.cli.data_options import name_of, read_text
from separatrix.cli.limit_option import limited
from separatrix.cli.output_files import STANDARD_OUTPUT, require_writable


@click.command(short_help="Write a model as ONNX.")
@click.argument("model_file", metavar="MODEL")
@click.option("--onnx", metavar="FILE", required=True, help="The ONNX file to write.")
@limited
@output_options
def export(model_file: str, onnx: str, as_json: bool, quiet: bool) -> None:
    """Write the model in MODEL as an ONNX file, in double precision.

    Its input is X, rows × columns of doubles; its outputs are label and scores (of a regression: prediction).
    Needs the package onnx (pip install "separatrix[onnx]").

    \b
    separatrix export model.json --onnx model.onnx
    """
    console = Console(as_json=as_json, quiet=quiet)
    if onnx in STANDARD_OUTPUT:
        raise click.UsageError("--onnx: name a file; an ONNX model is no text for standard output.")
    require_writable(onnx=onnx, read=[model_file])
    from separatrix.models import from_json
    from separatrix.models.onnx import save_onnx

    model = from_json(read_text(model_file), name=name_of(model_file))
    save_onnx(model, onnx)
    columns = [str(name) for name in getattr(model, "feature_names_in_", ())]
    if hasattr(model, "preparation_"):
        console.warn(
            "The fit made its columns ready (--encode, --text, --missing, --scale); the ONNX file begins "
            f"after that, with the {model.n_features_in_:,} columns of numbers."
        )
    console.write(f"Written: {onnx}")
    console.write_json(
        {
            "format": "separatrix-export",
            "version": 1,
            "columns": columns,
            "n_columns": model.n_features_in_,
            "written": onnx,
        }
    )
