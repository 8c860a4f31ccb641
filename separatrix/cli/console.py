"""What a command says: words on standard error, one object on standard output."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

MIN_WIDTH, MAX_WIDTH = 60, 100
PARAMETERS = (
    "label|features|drop|format|delimiter|positive|encode|text|hashed|missing|scale|share|variant|order|step|"
    "alpha|tol|penalty|loss|checkpoint"
)
OPTION_SPELLINGS = (
    (r"\s+\(certificate_\)", ""),
    (r"\bsx\.separate returns one\b", "separatrix check shows it"),
    (r",? or (?:pass )?label=False[^.:;)]*", ""),
    (r"\bencode the column as numbers\b", "make categories of such columns with --encode"),
    (r"\b(missing|scale)='(\w+)'", r"--\1 \2"),
    (r"\btext=\['([^']*)'\]", r"--text \1"),
    (r"\bset SEPARATRIX_LIMITS=(\w+)=(\d+)", r"pass --limit \1=\2"),
    (r"\bheader=False\b", "--no-header"),
    (r"\bheader=True\b", "--header"),
    (r"\bdrop=\[''\]", "--drop ''"),
    (r"\bcenter=True\b", "--center"),
    (r"\bfit_intercept=True\b", "an intercept"),
    (r" of regression=True\b", ""),
    (r"\ba regressor takes such a target\b", "--model linear or ridge takes such a target"),
    (r"\banother seed\b", "another --seed"),
    (r"\bregression=True needs\b", "A regression needs"),
    (r", or None\b", ""),
    (r"\brandom_state=", "--seed "),
    (r", a RandomState or None\b", ""),
    (r"^(step|budget|confidence) must\b", r"--\1 must"),
    (r"\bn_jobs=", "--jobs "),
    (r"\b(time|node)_limit=", r"--\1-limit "),
    (r"\bmax_(iter|mistakes)=", r"--max-\1 "),
    (r"\bmax_(iter|mistakes)\b", r"--max-\1"),
    (rf"\b({PARAMETERS})=(?=[.,;:) ])", r"--\1"),
    (rf"\b({PARAMETERS})=", r"--\1 "),
    (r"\bC=", "-C "),
)


def with_option_names(sentence: str) -> str:
    """A sentence of the library with its parameters spelled as options.

    >>> with_option_names("More passes (max_iter) may settle it; center=True helps.")
    'More passes (--max-iter) may settle it; --center helps.'
    >>> with_option_names("say which one holds the labels with label=, or label=False for none.")
    'say which one holds the labels with --label.'
    """
    for pattern, option in OPTION_SPELLINGS:
        sentence = re.sub(pattern, option, sentence)
    return sentence


def on_one_line(sentence: str) -> str:
    """The sentence in options, for a terminal: names of columns, labels and files may hold anything."""
    return safe(with_option_names(sentence), keep="")


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
