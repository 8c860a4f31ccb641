"""separatrix demo: the stories of the subject, on built-in data."""

from __future__ import annotations

import textwrap

import click

from separatrix.cli.console import Voice, speaking
from separatrix.cli.demonstrations import STORIES, Stage
from separatrix.cli.output_files import require_suffix, require_writable, write


@click.command(short_help="Stories of the subject, on built-in data.")
@click.argument("name", metavar="[STORY]", type=click.Choice(list(STORIES)), default="perceptron")
@click.option(
    "--output", "-o", metavar="FILE", default="separatrix-demo.svg", show_default=True, help="The picture."
)
@click.option("--data", metavar="FILE", help="spam, faces: the real data in place of generated rows.")
@click.option("listed", "--list", is_flag=True, help="List the stories and end.")
@speaking
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
    voice = Voice(as_json=as_json, quiet=quiet)
    if listed:
        for known, told in STORIES.items():
            voice.say(f"{known:<16}  {told.title}")
        voice.answer({"stories": {known: told.title for known, told in STORIES.items()}})
        return
    story = STORIES[name]
    if data is not None and story.takes_data is None:
        takers = ", ".join(known for known, told in STORIES.items() if told.takes_data)
        raise click.UsageError(f"--data: the story {name} brings its own rows; these take a file: {takers}.")
    require_writable(output=output, read=[data])
    require_suffix("output", output, [".svg"])
    voice.say("\n".join(textwrap.wrap(story.telling, voice.width)))
    from separatrix.kernels.disk_cache import announcing

    stage = Stage(voice, data)
    with announcing(voice.say):
        picture = story.tell(stage)
    write(output, picture)
    voice.say(f"\nThe picture is in {output}.")
    others = [known for known in STORIES if known != name]
    voice.say(f"Other stories: separatrix demo {' | '.join(others)}.")
    voice.say("Your own data: separatrix fit data.csv --label COLUMN -o model.json")
    from separatrix.reports import json

    said = [json.to_dict(summary) for summary in stage.summaries]
    voice.answer(
        {
            "format": "separatrix-demo",
            "version": 1,
            "story": name,
            "summaries": said,
            "facts": stage.facts,
            "written": [output],
        }
    )
