"""Runs damaged files through the command line, in forks of a process that has loaded the library.

``python tests/damaged_files.py FORMAT,... SEED COUNT`` prints one JSON object per run. A crash ends one fork
alone; the next one goes on behind it. With ``real`` behind COUNT every run is a command of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import traceback
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whole_files import Healthy, healthy, prepare, quietly

BATCH = 40  # runs in a fork
CPU_SECONDS = 5
MORE_MEMORY = 2**30  # bytes of address space beyond what the parent has
LENGTH = 4000  # characters kept of what a run says
LONGEST = 500  # characters of a refusal
MOST_CPU = 2.0  # seconds
MOST_MEGABYTES = 300  # more than the runs before it
DISAGREED, HARNESS_FAILED = 97, 96  # exit codes of our own
HERE = Path(__file__).resolve().parent

needs_fork = pytest.mark.skipif(
    not (hasattr(os, "fork") and Path("/proc/self").exists()), reason="needs fork"
)


def runs(kinds: list[str], seed: int, count: int, real: bool = False) -> Iterator[dict[str, Any]]:
    """Run ``count`` damaged files of each format; every result says what would be needed to repeat it."""
    prepare()
    files = {kind: healthy(kind) for kind in kinds}
    for file in (file for some in files.values() for file in some):  # what commands load is loaded once, here
        Path(file.name).write_bytes(file.content)
        for command in file.commands:
            assert quietly(command.format(file.name)) in (0, 2, 4), (file.name, command)
        _clear(file.name)
    there = set(os.listdir())
    work = [(kind, number) for kind in kinds for number in range(count)]
    if real:
        yield from (_command_run(files, kind, number, seed, there) for kind, number in work)
        return
    while work:
        done = 0
        for found in _batch(files, work[:BATCH], seed, there):
            done += 1
            yield found
        work = work[done:]


def _batch(
    files: dict[str, list[Healthy]], work: list[tuple[str, int]], seed: int, there: set[str]
) -> Iterator[dict[str, Any]]:
    """Run these in one fork, up to the first that ends it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _child(files, work, seed, there, writing)
    os.close(writing)
    done = 0
    with os.fdopen(reading) as lines:
        for line in lines:
            done += 1
            yield json.loads(line)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if done < len(work):
        kind, number = work[done]
        file, command = _command(files, kind, number)
        _clear(*({*os.listdir()} - there))
        yield _result(
            kind, number, file.name, command, code, Path("..", "said").read_text("utf-8", "replace")
        )


def _command_run(
    files: dict[str, list[Healthy]], kind: str, number: int, seed: int, there: set[str]
) -> dict[str, Any]:
    """The same run as a command, started as users start it."""
    file, command = _command(files, kind, number)
    Path(file.name).write_bytes(_damaged(file, kind, seed, number))
    line = [sys.executable, "-m", "separatrix", *command.replace("agree ", "verify ").split()]
    done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "replace")
    left = sorted({*os.listdir()} - there - {file.name})
    _clear(file.name, *left)
    return _result(kind, number, file.name, command, done.returncode, said, left=left)


def _damaged(file: Healthy, kind: str, seed: int, number: int) -> bytes:
    return file.damage(file.content, random.Random(f"{kind} {seed} {number}"))


def _command(files: dict[str, list[Healthy]], kind: str, number: int) -> tuple[Healthy, str]:
    file = files[kind][number % len(files[kind])]
    return file, file.commands[number // len(files[kind]) % len(file.commands)].format(file.name)


def _result(
    kind: str, number: int, name: str, command: str, code: int, said: str, **more: Any
) -> dict[str, Any]:
    told = {
        "kind": kind,
        "number": number,
        "file": name,
        "command": command,
        "code": code,
        "said": said[:LENGTH],
    }
    return {"left": [], "cpu": 0.0, "megabytes": 0, **told, **more}


def _child(
    files: dict[str, list[Healthy]], work: list[tuple[str, int]], seed: int, there: set[str], answers: int
) -> None:
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MORE_MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open("../said", os.O_RDWR | os.O_CREAT | os.O_APPEND), 2)
        temporary = Path("../inner").absolute()
        tempfile.tempdir = str(temporary)
        before = resource.getrusage(resource.RUSAGE_SELF)
        for kind, number in work:
            file, command = _command(files, kind, number)
            Path(file.name).write_bytes(_damaged(file, kind, seed, number))
            os.ftruncate(2, 0)
            temporary.mkdir(exist_ok=True)
            spent = int(before.ru_utime + before.ru_stime)
            resource.setrlimit(resource.RLIMIT_CPU, (spent + CPU_SECONDS, resource.RLIM_INFINITY))
            code = _ended(command.split())
            after = resource.getrusage(resource.RUSAGE_SELF)
            left = sorted({*os.listdir()} - there - {file.name}) + sorted(os.listdir(temporary))
            found = _result(
                kind,
                number,
                file.name,
                command,
                code,
                Path("../said").read_text("utf-8", "replace"),
                left=left,
                cpu=round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3),
                megabytes=(after.ru_maxrss - before.ru_maxrss) // 1024,
            )
            os.write(answers, (json.dumps(found) + "\n").encode())
            _clear(file.name, *left)
            before = after
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(HARNESS_FAILED)
    finally:
        os._exit(0)


def _ended(command: list[str]) -> int:
    """The exit code; `DISAGREED` if the independent checker accepts what `verify` refuses, or the reverse."""
    from separatrix.certificates.check.__main__ import main as check
    from separatrix.cli.program import main

    if command[0] == "agree":
        with contextlib.redirect_stderr(io.StringIO()) as said:
            checked = check(command[1:])
        code = _ended(["verify", *command[1:]])
        sentence = said.getvalue().removeprefix("Unreadable: ")
        if (checked == 0) != (code == 0) or (
            sentence != "" and (checked != 2 or not sentence.endswith(".\n"))
        ):
            print(f"check ended with {checked}: {sentence}", file=sys.stderr)
            return DISAGREED
        return code
    try:
        main(command)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 98
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 99


def _clear(*names: str) -> None:
    for name in (*names, "out.json", "out.csv", "out.onnx"):
        if Path(name).is_dir():
            shutil.rmtree(name)
        Path(name).unlink(missing_ok=True)


def results(kinds: list[str], seed: int, count: int, *more: str) -> list[dict[str, Any]]:
    """How the command line ends on so many damaged files of each kind, in a process of its own."""
    command = [sys.executable, __file__, ",".join(kinds), str(seed), str(count), *more]
    environment = os.environ | {"PYTHONPATH": str(HERE.parent), "COLUMNS": "200"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == count * len(kinds)
    return found


def fault(run: dict[str, Any]) -> str | None:
    """What is wrong with the way a run ended, or None."""
    code, said = run["code"], run["said"]
    if code not in (0, 2, 4):
        return f"ended with {code}"
    if "Traceback" in said or "Warning" in said:
        return "a traceback or a warning"
    if any(unicodedata.category(char) in ("Cc", "Cs") and char != "\n" for char in said):
        return "a control character"
    if code == 2:
        lines = said.splitlines()
        if len(lines) != 1 or not lines[0].startswith("separatrix: ") or lines[0][-1] not in ".…":
            return "not one sentence"
        if len(said) > LONGEST:
            return "too long"
    if code and run["left"]:
        return f"left {run['left']}"
    if run["cpu"] > MOST_CPU or run["megabytes"] > MOST_MEGABYTES:
        return "too slow or too large"
    return None


def require_sound(found: list[dict[str, Any]]) -> None:
    """Every run ended with an answer or one sentence, soon, and left nothing half-written."""
    faults = [(wrong, run) for run in found if (wrong := fault(run)) is not None]
    told = [
        f"{wrong}: {run['kind']} {run['number']}, {run['command']}: {run['said'][-300:]}"
        for wrong, run in faults
    ]
    assert not told, f"{len(told)} of {len(found)}\n" + "\n".join(told[:10])


def main() -> None:
    kinds, seed, count = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        inside = Path(folder, "files")
        inside.mkdir()
        os.chdir(inside)
        for found in runs(kinds, seed, count, real="real" in sys.argv[4:]):
            print(json.dumps(found), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
