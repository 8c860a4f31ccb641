"""The option --limit of the commands that read files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from separatrix import limits


def limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option, and run the command under the limits that it sets."""

    @click.option(
        "--limit",
        "settings",
        metavar="NAME=NUMBER",
        multiple=True,
        help="Read larger files than usual; a refusal names the limit it has met.",
    )
    @functools.wraps(function)
    def under_limits(settings: tuple[str, ...], **given: Any) -> Any:
        with limits.changed(settings):
            return function(**given)

    return under_limits
