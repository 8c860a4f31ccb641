"""separatrix demo: the stories of the subject, on built-in data."""

from __future__ import annotations

import textwrap

import click

from separatrix.cli.console import Console, output_options
from separatrix.cli.demonstrations import DEMOS, DemoContext
from separatrix.cli.output_files import require_suffix, require_writable, write


@click.command(short_help="Stories of the subject, on built-in data.")
@click.argument("name", metavar="[STORY]", type=click.Choice(list(DEMOS)), default="perceptron")
@click.option(
    "--output", "-o", metavar="FILE", default="separatrix-demo.svg", show_default=True, help="The picture."
)
@click.option("--data", metavar="FILE", help="spam, faces: the real data in place of generated rows.")
@click.option("listed", "--list", is_flag=True, help="List the stories and end.")
@output_options
def demo(name: str, output: str, data: str | None, listed: bool, as_json: bool, quiet: bool) -> None:
    """Tell a STORY: train on built-in data, say what was proven, draw a picture.

    \b
    perceptron        a perceptron that keeps its word (the default)
    halfspace         weights, normals and distances
    xor               what no straight line can do
    margin            the widest street between two classes
    noise             the best line there is
    far-from-origin   why the origin matters
    spam              words that give a mail away
    faces             ten thousand pixels
    vc                what a line can shatter
    ridge             a little bias for a lot of variance
    losses            what is the perceptron minimising?
    """
    console = Console(as_json=as_json, quiet=quiet)
    if listed:
        for known, found in DEMOS.items():
            console.write(f"{known:<16}  {found.title}")
        console.write_json({"stories": {known: found.title for known, found in DEMOS.items()}})
        return
    demonstration = DEMOS[name]
    if data is not None and demonstration.takes_data is None:
        takers = ", ".join(known for known, found in DEMOS.items() if found.takes_data)
        raise click.UsageError(f"--data: the story {name} brings its own rows; these take a file: {takers}.")
    require_writable(output=output, read=[data])
    require_suffix("output", output, [".svg"])
    console.write("\n".join(textwrap.wrap(demonstration.introduction, console.width)))
    from separatrix.kernels.disk_cache import announcing

    context = DemoContext(console, data)
    with announcing(console.write):
        picture = demonstration.run(context)
    write(output, picture)
    console.write(f"\nThe picture is in {output}.")
    others = [known for known in DEMOS if known != name]
    console.write(f"Other stories: separatrix demo {' | '.join(others)}.")
    console.write("Your own data: separatrix fit data.csv --label COLUMN -o model.json")
    from separatrix.reports import json

    records = [json.to_dict(summary) for summary in context.summaries]
    console.write_json(
        {
            "format": "separatrix-demo",
            "version": 1,
            "story": name,
            "summaries": records,
            "facts": context.facts,
            "written": [output],
        }
    )
