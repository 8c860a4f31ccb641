"""The data a command reads: a file, standard input, or the built-in set."""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import IO, TYPE_CHECKING, Any

import click

from separatrix.cli.limit_option import limited
from separatrix.limits import content, current
from separatrix.rows.files.formats import FORMAT_NAMES

if TYPE_CHECKING:
    from separatrix.rows import Rows

ALL_TEXT_COLUMNS = "every column of text"
FITTED = "which the model was fitted with"


@dataclass(frozen=True)
class DataFile:
    """What the user said about the data; `rows` reads it."""

    data: str | None
    demo: bool
    label: str | None = None
    positive: str | None = None
    features: str | None = None
    drop: str | None = None
    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    encode: str | None = None
    text: str | None = None
    hashed: int | None = None
    missing: str | None = None
    scale: str | None = None

    def __post_init__(self) -> None:
        if (self.data is None) is not self.demo:
            raise click.UsageError("Give a data file ('-' is standard input) or --demo, one of the two.")
        if self.data is not None and os.path.isdir(self.data):
            raise ValueError(f"{self.data} is a directory: name one file in it.")

    @property
    def prepares(self) -> bool:
        """Whether columns are to be made ready, so that names in the file are not those of the rows."""
        return any((self.encode, self.text, self.missing, self.scale))

    def numbering(self, test: str | None = None) -> str | None:
        """How rows are numbered, where it is not as in the file."""
        left_out = ["with a missing value"] if self.missing == "drop" else []
        if test is not None and _share(test) is not None:
            left_out.append("held out")
        if not left_out:
            return None
        return f"Rows are numbered without those {' or '.join(left_out)}, not as in the file."

    def rows(self, **options: Any) -> Rows:
        """The rows, with what the command itself asks for in ``options``."""
        if self.demo:
            from separatrix.cli.demonstrations import flowers, patients

            return patients() if options.get("regression") else flowers()
        from separatrix import read

        return read(self.data, **(self._options() | options))

    def with_test(self, test: str | None, seed: int, **options: Any) -> tuple[Rows, Rows | None]:
        """The rows to learn from, and those held out: another file, or a share of these.

        Columns are made ready by the rows to learn from alone.
        """
        if test is None:
            return self.rows(**options), None
        share = _share(test)
        if share is None:
            if test == "-" == self.data:
                raise click.UsageError(
                    "Standard input can be the rows to learn from or those held out, not both."
                )
            learned = self.rows(**options)
            other = replace(self, data=test, demo=False, encode=None, text=None, hashed=None, scale=None)
            known: dict[str, Any] = (
                {} if learned.preparation is None else {"preparation": learned.preparation}
            )
            if learned.columns is not None and not known and self.features is None:
                known = {"features": list(learned.columns)}
            if learned.label is not None and self.label is None:
                known["label"] = learned.label
            return learned, other.rows(**(options | known))
        from separatrix.rows.split import Share, split

        if self.demo or not self.prepares:
            return split(self.rows(**options), share, seed)
        given_options = self._options() | options
        with RereadableInput(self.data) as again:
            learned = again.read(given_options | {"share": Share(share, seed)})
            known = {"share": Share(share, seed, held_out=True), "preparation": learned.preparation}
            return learned, again.read(given_options | known)

    def rows_with(
        self, attempts: Sequence[dict[str, Any]], *, by_name: bool = False, reason: str | None = None
    ) -> Rows:
        """The rows by the first of these options that the file can be read with; else the first refusal that
        is about the file, not about an option that its format does not take.

        A file without column names cannot be asked for columns by name, and says so before it is read;
        ``by_name`` takes a later attempt for such a file alone. ``reason`` says why a missing feature column
        is needed, where the user has not named it.
        """
        with RereadableInput(self.data) as again:
            return self.rows_from(again, attempts, by_name=by_name, reason=reason)

    def rows_from(
        self,
        again: RereadableInput,
        attempts: Sequence[dict[str, Any]],
        *,
        by_name: bool = False,
        reason: str | None = None,
    ) -> Rows:
        """`rows_with`, where the file is to be read more than once."""
        from separatrix.rows.data_errors import DataError, MissingColumn, WrongOption

        refusal: DataError | None = None
        for options in attempts:
            try:
                rows = self.rows(**options) if self.demo else again.read(self._options() | options)
                chosen = "features" in options or "preparation" in options
                if refusal is None or rows.columns is None or chosen or not by_name:
                    return rows
            except DataError as error:
                if refusal is None or (
                    isinstance(refusal, WrongOption) and not isinstance(error, WrongOption)
                ):
                    refusal = error
        assert refusal is not None
        if reason is not None and isinstance(refusal, MissingColumn) and refusal.parameter == "features":
            refusal = refusal.because(reason)
        raise refusal

    def _options(self) -> dict[str, Any]:
        numbered = self.label is not None and re.fullmatch(r"-?[0-9]+", self.label)
        given = {
            "label": int(self.label) if self.label and numbered else self.label,
            "positive": self.positive,
            "features": _names(self.features),
            "drop": _names(self.drop),
            "format": self.format,
            "delimiter": {"\\t": "\t", "tab": "\t"}.get(self.delimiter or "", self.delimiter),
            "header": self.header,
            "encode": True if self.encode == ALL_TEXT_COLUMNS else _names(self.encode),
            "text": _names(self.text),
            "hashed": self.hashed,
            "missing": self.missing,
            "scale": self.scale,
        }
        return {name: value for name, value in given.items() if value is not None}


LABEL_OPTION = click.option(
    "--label",
    metavar="COLUMN",
    help="The column of labels: its name, or its number from 0 (-1: the last). Default: label, y, target or "
    "class.",
)
FORMAT_OPTIONS = [
    click.option(
        "--format", type=click.Choice(FORMAT_NAMES), help="Where the file's suffix does not tell it."
    ),
    click.option("--delimiter", metavar="CHARACTER", help="Of a CSV file; told from its header."),
    click.option("--header/--no-header", default=None, help="Whether a CSV file begins with column names."),
]
PREPARATION_OPTIONS = [
    click.option(
        "--encode",
        metavar="[NAMES]",
        is_flag=False,
        flag_value=ALL_TEXT_COLUMNS,
        help="Columns of categories, to become columns of 0 and 1; without names every column of text.",
    ),
    click.option("--text", metavar="NAMES", help="Columns of text whose words are counted."),
    click.option(
        "--hashed",
        metavar="COLUMNS",
        type=click.IntRange(2, 2**24),
        help="So many columns for the words, found by a hash, in place of one for each word.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["drop", "mean"]),
        help="Leave rows with a missing value out, or fill in the mean of the column.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["standard", "range"]),
        help="Numbers to mean 0 and variance 1, or to the range from 0 to 1.",
    ),
]


class RereadableInput:
    """A file that can be tried again; standard input is kept for that."""

    name = "standard input"

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._kept: IO[bytes] | None = None

    def __enter__(self) -> RereadableInput:
        if self._path == "-":
            self._kept = tempfile.TemporaryFile(prefix="separatrix-")
            shutil.copyfileobj(sys.stdin.buffer, self._kept)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._kept is not None:
            self._kept.close()

    def read(self, options: dict[str, Any]) -> Rows:
        from separatrix import read

        if self._kept is None:
            return read(self._path, **options)
        self._kept.seek(0)
        return read(_NamedStream(self._kept), **options)


class _NamedStream:
    """A stream under the name that messages use."""

    name = RereadableInput.name

    def __init__(self, stream: IO[bytes]) -> None:
        self.read = stream.read


def name_of(path: str) -> str:
    """The name that messages give to a file."""
    return RereadableInput.name if path == "-" else path


def read_text(path: str) -> bytes:
    """The bytes of a JSON file, or of standard input; beyond the limits only the beginning."""
    from separatrix.certificates.check.limits import current as of_certificates

    most = max(current().model_bytes, of_certificates().certificate_bytes)
    if path == "-":
        return content(sys.stdin.buffer, most)
    with open(path, "rb") as file:
        return content(file, most)


def takes_data(*, labelled: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The argument DATA and the options about it, handed over as one `DataFile` called ``data``."""
    options = [
        click.argument("data", required=False),
        click.option("--demo", is_flag=True, help="A built-in set in place of a file: two kinds of iris."),
        click.option("--drop", metavar="NAMES", help="Columns to leave out, with commas between."),
        *FORMAT_OPTIONS,
    ]
    if labelled:
        options[2:2] = [
            LABEL_OPTION,
            click.option("--positive", metavar="LABEL", help="The label to be +1, against all others."),
            click.option(
                "--features", metavar="NAMES", help="The columns to use, with commas between. Default: all."
            ),
        ]
        options += PREPARATION_OPTIONS

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def collected(**given: Any) -> Any:
            given_options = {
                field.name: given.pop(field.name) for field in fields(DataFile) if field.name in given
            }
            given_options |= _with_file_after_encode(given_options)
            return function(data=DataFile(**given_options), **given)

        command: Callable[..., Any] = limited(collected)
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def takes_file(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a file of labelled rows is read, where its columns are known."""
    for option in reversed([LABEL_OPTION, *FORMAT_OPTIONS]):
        function = option(function)
    return function


def _with_file_after_encode(given_options: dict[str, Any]) -> dict[str, Any]:
    """--encode takes names or none: `--encode data.csv` means the file, not a column of that name."""
    taken = given_options.get("encode")
    if taken in (None, ALL_TEXT_COLUMNS) or given_options["data"] is not None or given_options["demo"]:
        return {}
    return {"data": taken, "encode": ALL_TEXT_COLUMNS} if taken == "-" or os.path.isfile(taken) else {}


def _share(test: str) -> float | None:
    """A number between 0 and 1, or None for what is the name of a file."""
    try:
        share = float(test)
    except ValueError:
        return None
    if not 0 < share < 1:
        raise click.UsageError(f"--test {test}: a share is between 0 and 1; or name a file of held-out rows.")
    return share


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]
