"""What a command says: words on standard error, one object on standard output."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any, TypeVar

import click

from separatrix.cli.option_names import with_options

Function = TypeVar("Function", bound=Callable[..., Any])

MIN_WIDTH, MAX_WIDTH = 60, 100


def on_one_line(sentence: str) -> str:
    """The sentence in options, for a terminal: names of columns, labels and files may hold anything."""
    return safe(with_options(sentence), keep="")


def safe(text: str, keep: str = "\n\t") -> str:
    """The text without characters that a terminal would act on."""
    if all(line.isprintable() for line in (text.split("\n") if keep else [text])):
        return text
    from separatrix.reports.formatting import printable  # loads NumPy, which most sentences can do without

    return printable(text, keep)


class Console:
    """How much is said, and where."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.as_json = as_json
        self.verbose = not (as_json or quiet)

    def write(self, text: str = "") -> None:
        """Words that are left out under --quiet and --json."""
        if self.verbose:
            click.echo(safe(text), err=True)

    def warn(self, sentence: str) -> None:
        """A sentence that is never left out."""
        click.echo(f"separatrix: {on_one_line(sentence)}", err=True)

    def write_json(self, record: dict[str, Any]) -> None:
        """The object of --json."""
        if self.as_json:
            lines = (f" {json.dumps(name)}: {plain_json(value)}" for name, value in record.items())
            click.echo("{\n" + ",\n".join(lines) + "\n}")

    @property
    def width(self) -> int:
        return max(MIN_WIDTH, min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 24)).columns - 1))


def output_options(function: Function) -> Function:
    """The options --json and --quiet."""
    function = click.option(
        "--quiet", "-q", is_flag=True, help="No words and no progress, but for warnings."
    )(function)
    return click.option("as_json", "--json", is_flag=True, help="Print one JSON object on standard output.")(
        function
    )


def plain_json(value: Any) -> str:
    r"""JSON with letters of every script as they are, and what a terminal would act on as escapes.

    >>> print(plain_json("é \x9b"))
    "é \u009b"
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if text.isprintable():
        return text
    from separatrix.reports.formatting import UNSAFE

    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
