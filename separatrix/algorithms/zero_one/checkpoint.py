"""The interval on disk: written whole or not at all, read back only after its proof was checked again."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from separatrix.algorithms.zero_one.confirmation import to_groups
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.certificates.check.errors import lower_bound
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.claims.errors import FAST_METHODS
from separatrix.messages import Message, Parameter

FORMAT = "separatrix-zero-one-checkpoint"
PAUSE_SECONDS = 2.0  # seconds between two writings


class Checkpoint:
    """A file that follows an interval.

    Parameters
    ----------
    path
        Where; an existing file of the same problem is continued from.
    """

    def __init__(self, path: str | os.PathLike[str], problem: ReducedProblem) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            template = "{}: there is no such folder; make it first."
            raise ValueError(Message(template, Parameter("checkpoint", str(path))))
        self.failure: OSError | None = None
        self.problem = problem
        self.digest = _compute_digest(problem)
        self._last_written = (problem.total, problem.offset)
        self._next_write = time.monotonic() + PAUSE_SECONDS

    def resume(self, interval: ErrorInterval) -> None:
        """Take up what the file holds. A file of another problem is refused."""
        try:
            stored = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise ValueError(f"The checkpoint {self.path.name} cannot be read: {error}.") from None
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ValueError(f"{self.path.name} is no checkpoint of ZeroOne: give another file name.")
        if stored.get("problem") != self.digest:
            raise ValueError(
                f"The checkpoint {self.path.name} is of other data or costs: remove it or give another name."
            )
        try:
            weights = tuple(map(int, stored["weights"]))
            proof = stored["proof"]
            if len(weights) == self.problem.D and any(weights):
                interval.offer(weights)
            if proof["method"] != "none":
                interval.raise_lower(lower_bound(proof, to_groups(self.problem), FAST_METHODS), proof)
        except (Refused, Unreadable, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"The checkpoint {self.path.name} is damaged: {error}") from None

    def write_if_due(self, interval: ErrorInterval) -> None:
        """Write now and then, when something has changed."""
        if time.monotonic() >= self._next_write and self.failure is None:
            self.write(interval)
            self._next_write = time.monotonic() + PAUSE_SECONDS

    def write(self, interval: ErrorInterval) -> None:
        """Write the interval as it is, by an atomic rename; where that fails the search goes on."""
        with interval.snapshot() as (upper, lower, weights, proof):
            if (upper, lower) == self._last_written:
                return
            record: dict[str, Any] = {
                "format": FORMAT,
                "problem": self.digest,
                "upper": str(upper),
                "lower": str(lower),
                "weights": list(map(str, weights)),
                "proof": proof,
            }
            self._last_written = (upper, lower)
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            with open(temporary, "w", encoding="utf-8") as file:
                json.dump(record, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        except BaseException as error:  # an interrupt included
            with suppress(OSError):
                temporary.unlink()
            if not isinstance(error, OSError):
                raise
            self.failure = error


def _compute_digest(problem: ReducedProblem) -> str:
    digest = hashlib.sha256(problem.values.tobytes())
    digest.update(repr((problem.weights, problem.offset, problem.names, problem.intercept)).encode())
    return digest.hexdigest()
