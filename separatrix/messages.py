"""Messages that name parameters: spelled for Python, or as the options of a command.

A sentence that mentions parameters is a `Message`: a string, spelled for Python, that remembers its parts.
The command line spells the same parts as its options.

>>> message = Message("{file}: {drop} leaves such rows out.", file="a.csv", drop=Parameter("missing", "drop"))
>>> message
"a.csv: missing='drop' leaves such rows out."
>>> spell(message, lambda part: f"--{part.name} {part.value}")
'a.csv: --missing drop leaves such rows out.'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAX_SHOWN_CHARACTERS = 80  # characters
NO_VALUE: Any = object()


class Parameter:
    """A parameter in a message, by itself or with a value.

    >>> str(Parameter("tol")), str(Parameter("penalty", None)), str(Parameter("missing", "drop"))
    ('tol', 'penalty=None', "missing='drop'")
    """

    def __init__(self, name: str, value: Any = NO_VALUE) -> None:
        self.name, self.value = name, value

    def __str__(self) -> str:
        return self.name if self.value is NO_VALUE else f"{self.name}={self.value!r}"


class PythonOnly(str):
    """Words of a message that mean nothing on the command line, which leaves them out."""


Spelling = Callable[[Parameter | PythonOnly], str]


class Message(str):
    """``template.format(*parts, **named)``, as a string that can be spelled in another way.

    Parts are parameters, words for Python alone, other messages, or any values. Pickles and copies are plain
    strings.

    >>> inner = Message("set {}{}", Parameter("n_jobs", 1), PythonOnly(" or None"))
    >>> Message("Too few cores: {}.", inner)
    'Too few cores: set n_jobs=1 or None.'
    """

    _template: str
    _parts: tuple[Any, ...]
    _named: dict[str, Any]

    def __new__(cls, template: str, /, *parts: Any, **named: Any) -> Message:
        message = super().__new__(cls, template.format(*parts, **named))
        message._template, message._parts, message._named = template, parts, named
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)

    def _spell(self, spelling: Spelling) -> str:
        parts = (_spell_part(part, spelling) for part in self._parts)
        named = {name: _spell_part(part, spelling) for name, part in self._named.items()}
        return self._template.format(*parts, **named)


def _spell_part(part: Any, spelling: Spelling) -> Any:
    return spelling(part) if isinstance(part, Parameter | PythonOnly) else spell(part, spelling)


def spell(sentence: Any, spelling: Spelling) -> Any:
    """The sentence with the parameters of a `Message` in that spelling; anything else as it is."""
    return sentence._spell(spelling) if isinstance(sentence, Message) else sentence


def message_of(error: BaseException | str) -> str:
    """What an exception or a warning says, with its parts if it has any."""
    message = error.args[0] if isinstance(error, BaseException) and error.args else error
    return message if isinstance(message, Message) else str(error)


class ParameterError(ValueError):
    """A parameter with a value that it cannot have.

    >>> raise ParameterError("C", -1, "> 0")
    Traceback (most recent call last):
        ...
    separatrix.messages.ParameterError: C must be > 0; got -1
    """

    def __init__(self, name: str, value: Any, requirement: str) -> None:
        super().__init__(Message("{} must be {}; got {}", Parameter(name), requirement, shown(value)))
        self.name, self.value, self.requirement = name, value, requirement

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.value, self.requirement)


def require(is_allowed: bool, name: str, value: Any, requirement: str) -> None:
    """Refuse the value of a parameter unless it is allowed."""
    if not is_allowed:
        raise ParameterError(name, value, requirement)


def shown(value: Any) -> str:
    """The value as a message shows it: on one line, and no longer than a line.

    >>> shown("firth"), len(shown(10**10_000))
    ("'firth'", 17)
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # whole numbers of more digits than Python writes
        return "a number too long"
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}..."
