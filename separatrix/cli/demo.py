"""separatrix demo: the stories of the subject, on built-in data."""

from __future__ import annotations

import textwrap

import click

from separatrix.cli.output import require_writable, write
from separatrix.cli.progress import progress
from separatrix.cli.stories import STORIES, Story
from separatrix.cli.training import trained
from separatrix.cli.voice import Voice, in_options, speaking


@click.command(short_help="Stories of the subject, on built-in data.")
@click.argument("name", metavar="[STORY]", type=click.Choice(list(STORIES)), default="perceptron")
@click.option(
    "--output", "-o", metavar="FILE", default="separatrix-demo.svg", show_default=True, help="The picture."
)
@click.option("listed", "--list", is_flag=True, help="List the stories and end.")
@speaking
def demo(name: str, output: str, listed: bool, as_json: bool, quiet: bool) -> None:
    """Tell a STORY: train on built-in data, say what was proven, draw a picture.

    \b
    perceptron        a perceptron that keeps its word (the default)
    xor               what no straight line can do
    far-from-origin   why the origin matters
    losses            what is the perceptron minimising?
    """
    voice = Voice(as_json=as_json, quiet=quiet)
    if listed:
        for known, story in STORIES.items():
            voice.say(f"{known:<16}  {story.title}")
        voice.answer({"stories": {known: story.title for known, story in STORIES.items()}})
        return
    require_writable(output=output)
    story = STORIES[name]
    voice.say("\n".join(textwrap.wrap(story.telling, voice.width)))
    picture, summaries = _told(story, voice)
    write(output, picture)
    voice.say(f"\nThe picture is in {output}.")
    others = [known for known in STORIES if known != name]
    voice.say(f"Other stories: separatrix demo {' | '.join(others)}.")
    voice.say("Your own data: separatrix fit data.csv --label COLUMN -o model.json")
    from separatrix.reports import json

    said = [json.to_dict(summary) for summary in summaries]
    voice.answer(
        {"format": "separatrix-demo", "version": 1, "story": name, "summaries": said, "written": [output]}
    )


def _told(story: Story, voice: Voice) -> tuple[str, list]:
    from separatrix.reports import figures, text

    if story.rows is None or story.models is None:
        return figures.losses_compared(), []
    rows = story.rows()
    summaries = []
    picture = ""
    for model in story.models():
        with progress(voice) as shown:
            summary = trained(model, rows, shown)
        summaries.append(summary)
        voice.say(f"\n{in_options(text.render(summary, voice.width))}")
        picture = figures.outcome(summary, model, rows)
    return picture, summaries
