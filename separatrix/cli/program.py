"""The program: its commands, and how every way of ending becomes a sentence and an exit code."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

import click

from separatrix import __version__
from separatrix.cli.bound import bound
from separatrix.cli.check import check
from separatrix.cli.console import on_one_line, safe
from separatrix.cli.demo import demo
from separatrix.cli.evaluate import evaluate
from separatrix.cli.export import export
from separatrix.cli.fit import fit
from separatrix.cli.predict import predict
from separatrix.cli.report import report
from separatrix.cli.standard_streams import require_streams
from separatrix.cli.verify import verify
from separatrix.messages import message_of

EXIT_USAGE = 2
EXIT_INTERNAL_ERROR = 70
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class OutputClosed(Exception):
    """Whoever reads our standard output has closed it, as `head` does when it has enough."""


class Program(click.Group):
    def invoke(self, context: click.Context) -> Any:
        # click itself would end with 1 here, a code that means something else with us.
        try:
            code = super().invoke(context)
            sys.stdout.flush()
        except BrokenPipeError:
            raise OutputClosed from None
        return code


@click.group(
    cls=Program, context_settings={"help_option_names": ["-h", "--help"]}, subcommand_metavar="COMMAND ..."
)
@click.version_option(__version__, prog_name="separatrix")
def program() -> None:
    """Linear predictors that prove what they say.

    Rows go in; a model comes out, with a certificate of what was proven, which anyone can verify.
    """


for _command in (check, fit, predict, evaluate, report, verify, bound, demo, export):
    program.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process."""
    require_streams()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _terminated)
    try:
        code = run(arguments)
    except Exception as error:
        ended = _ended_by(error)
        if ended is not None:
            sys.exit(ended)
        # Python itself would end with 1 here, and a script would take it for "not separable".
        with _ignoring_closed_stderr():
            traceback.print_exc()
            click.echo("separatrix: this is a mistake in separatrix; please report it.", err=True)
        code = EXIT_INTERNAL_ERROR
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command line; words have gone to standard error."""
    try:
        code = program.main(args=arguments, prog_name="separatrix", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        shown_error = io.StringIO()
        error.show(shown_error)
        with _ignoring_closed_stderr():
            message = error.format_message()  # on one line, whatever the names in it hold
            shown = shown_error.getvalue().replace(message, safe(message, keep=""))
            click.echo(safe(shown), err=True, nl=False)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        with _ignoring_closed_stderr():
            click.echo("separatrix: interrupted; nothing was left half-written.", err=True)
        return EXIT_INTERRUPTED
    except OutputClosed:
        _redirect_to_devnull(sys.stdout)
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{where}{error.strerror or error}.")
    except MemoryError:
        return _refuse("There is not enough memory for this.")
    except ValueError as error:
        return _refuse(message_of(error))


def _refuse(sentence: str) -> int:
    with _ignoring_closed_stderr():
        click.echo(f"separatrix: {on_one_line(sentence)}", err=True)
    return EXIT_USAGE


@contextmanager
def _ignoring_closed_stderr() -> Iterator[None]:
    """Last words: where standard error cannot be written to, the exit code alone says it."""
    try:
        yield
    except OSError:
        _redirect_to_devnull(sys.stderr)


def _redirect_to_devnull(stream: IO[str]) -> None:
    """What is still buffered must not be flushed at exit to where it cannot be written."""
    with suppress(OSError):  # a stand-in has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _ended_by(error: BaseException | None) -> int | None:
    """The exit code of a signal behind an exception: Python wraps what comes while a class is made."""
    while error is not None:
        error = error.__cause__ or error.__context__
        if isinstance(error, SystemExit):
            return EXIT_TERMINATED
        if isinstance(error, KeyboardInterrupt):
            return EXIT_INTERRUPTED
    return None


def _terminated(*_: Any) -> None:
    """End as an exception does, so that unfinished files are removed on the way out."""
    raise SystemExit(EXIT_TERMINATED)
