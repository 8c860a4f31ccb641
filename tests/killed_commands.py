"""Runs commands in forks of a process that has loaded the library, and kills them at random moments.

``python tests/killed_commands.py SEED COUNT`` prints one JSON object per run, with what was wrong. With
``real`` behind COUNT every command is a process of its own from the start.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
COMMANDS = {
    "fit": "fit noise.csv --model logistic -o model.json --certificate proof.json --figure picture.svg",
    "report": "report noise.csv -o page.html",
    "predict": "predict good.json many.csv -o out.csv",
    "zero-one": "fit hard.csv --model zero-one --time-limit inf --checkpoint state.json -o model.json",
}
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
ENDINGS = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
OUTPUTS = ("model.json", "proof.json", "picture.svg", "page.html", "out.csv", "state.json")
PART = re.compile(r"\.[a-z]+\.[a-z]+\.[0-9a-f]{8}\.part|state\.json\.[0-9]+\.part")
LONGEST = 120.0  # seconds that a killed command may go on

needs_fork = pytest.mark.skipif(
    not (hasattr(os, "fork") and Path("/proc/self").exists()), reason="needs fork"
)


def prepare() -> None:
    """The files that the commands read."""
    chance = np.random.default_rng(0)
    for name, n_rows, n_columns, noise in (
        ("noise", 60, 3, 1.0), ("many", 20_000, 3, 0.0), ("hard", 60, 6, 3.0),
    ):  # fmt: skip
        X = np.round(chance.normal(size=(n_rows, n_columns)), 3)
        y = X.sum(axis=1) + noise * chance.normal(size=n_rows) > 0
        header = ",".join([*(f"x{j}" for j in range(n_columns)), "y"])
        np.savetxt(f"{name}.csv", np.column_stack([X, y]), "%.17g", ",", header=header, comments="")


def start(line: str, real: bool) -> int:
    """The process that runs a command, once it is ready to be terminated."""
    arguments = line.split()
    if real:
        command = [sys.executable, str(HERE / "killed_commands.py"), "run", *arguments]
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        opened += [(os.POSIX_SPAWN_OPEN, 2, "../said", flags, 0o600)]
        child = os.posix_spawn(sys.executable, command, os.environ, file_actions=opened)
    else:
        child = os.fork()
        if not child:
            _run_in_fork(arguments)
    while not _is_ready(child) and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.001)
    return child


def _is_ready(child: int) -> bool:
    caught = int(Path(f"/proc/{child}/status").read_text().split("SigCgt:")[1].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def run(arguments: list[str]) -> None:
    """A command whose search writes its checkpoint often."""
    from separatrix.algorithms.zero_one import checkpoint
    from separatrix.cli.program import main

    checkpoint.PAUSE_SECONDS = 0.02
    main(arguments)


def _run_in_fork(arguments: list[str]) -> None:
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open("../said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        run(arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 98
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def wait(child: int, seconds: float) -> int | None:
    """The exit code, or None if the process is still at work after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= end:
            return None
        time.sleep(0.0005)


def unbroken(line: str, real: bool = False) -> float:
    """Run a command to its end: how many seconds it took."""
    began = time.monotonic()
    code = wait(start(line, real), 10 * LONGEST)
    assert code == 0, (line, code, Path("../said").read_text())
    return time.monotonic() - began


def answers() -> dict[str, Any]:
    """What the outputs say, without what may differ between two runs."""
    return {name: _answer(name) for name in OUTPUTS if Path(name).exists() and name != "state.json"}


def _answer(name: str) -> Any:
    """Raises on a file that is not whole."""
    from separatrix import load
    from separatrix.certificates import from_json

    text = Path(name).read_text(encoding="utf-8")
    if name == "state.json":
        return json.loads(text)["format"]
    if name == "proof.json":
        return from_json(text).to_dict()
    if name == "out.csv":
        assert text.count("\n") == 20_001
        assert text.endswith("\n")
        return text
    if name != "model.json":
        assert text.rstrip().endswith({"page.html": "</html>", "picture.svg": "</svg>"}[name]), text[-100:]
        if name == "picture.svg":
            return text
        return re.sub(r"<svg.*?</svg>|[0-9.]+ s\b", "", text, flags=re.DOTALL)
    model = load(name)
    if not hasattr(model, "errors_"):
        return model.coef_.tolist(), model.intercept_.tolist(), model.certificate_.to_dict()
    table = np.loadtxt("hard.csv", delimiter=",", skiprows=1)
    assert model.certificate_.verify(table[:, :-1], table[:, -1].astype(int)).holds or not model.optimal_
    return model.errors_, model.lower_bound_


def kill_and_resume(
    name: str, chance: Random, seconds: float, expected: dict[str, Any], real: bool
) -> tuple[str, list[str]]:
    """Kill one run of a command, and run it again: what was done, and what was wrong."""
    line, sent, faults = COMMANDS[name], chance.choice(SIGNALS), []
    for old in OUTPUTS:
        Path(old).unlink(missing_ok=True)
    there, precious = {*os.listdir()}, chance.random() < 0.5
    if precious:
        Path(line.split()[-1]).write_text("precious")
    before = sizes()
    child = start(line, real)
    code = None
    if chance.random() < 0.4:  # while a file is being written
        while code is None and sizes() == before:
            code = wait(child, 0)
        moment = chance.random() * 0.002
    else:
        moment = chance.random() * 1.1 * seconds
    code = wait(child, moment) if code is None else code
    done = f"{name}: {sent.name} after {moment:.4f} s"
    if code is None:
        os.kill(child, sent)
        code = wait(child, LONGEST)
    elif code:
        faults.append("it ended by itself")
    if code is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        faults.append("it went on")
    elif code not in (0, ENDINGS[sent]):
        faults.append(f"it ended with {code}")
    said = Path("../said").read_text(encoding="utf-8", errors="replace")
    if "Traceback" in said or "Warning" in said or "terminate called" in said:
        faults.append(f"it said {said[-1000:]}")
    left = {*os.listdir()} - there - {*OUTPUTS}
    if left and not (sent == signal.SIGKILL and all(map(PART.fullmatch, left))):
        faults.append(f"it left {sorted(left)}")
    for file in filter(os.path.exists, OUTPUTS):
        if not (precious and Path(file).read_bytes() == b"precious"):
            faults += _fault_of(file)
    for file in left:
        Path(file).unlink()
    unbroken(line)
    if answers() != expected:
        faults.append("the second run ends with another answer")
    return f"{done}, ended with {code}", faults


def sizes() -> dict[str, int]:
    found = {}
    for file in os.listdir():
        with contextlib.suppress(FileNotFoundError):
            found[file] = os.path.getsize(file)
    return found


def _fault_of(file: str) -> list[str]:
    try:
        _answer(file)
    except Exception as error:
        return [f"{file} is not whole: {error!r:.300}"]
    return []


def kills(seed: int, count: int, real: bool) -> Iterator[dict[str, Any]]:
    prepare()
    from separatrix.cli.program import run as run_here

    assert run_here(["fit", "noise.csv", "--model", "logistic", "-o", "good.json", "-q"]) == 0
    for name in COMMANDS:  # what commands load is loaded once, here
        assert run_here([*COMMANDS[name].split(), "-q"]) == 0
    known: dict[str, tuple[float, dict[str, Any]]] = {}
    for number in range(count):
        name = [*COMMANDS][number % len(COMMANDS)]
        if name not in known:
            for old in OUTPUTS:
                Path(old).unlink(missing_ok=True)
            known[name] = unbroken(COMMANDS[name], real), answers()
        chance = Random(f"{seed} {number}")
        done, faults = kill_and_resume(name, chance, *known[name], real)
        yield {"number": number, "done": done, "faults": faults}


def results(seed: int, count: int, *more: str) -> list[dict[str, Any]]:
    """What was wrong after so many kills, in a process of its own."""
    command = [sys.executable, __file__, str(seed), str(count), *more]
    environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == count
    return found


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the shell has done to it
    if sys.argv[1] == "run":
        run(sys.argv[2:])  # which ends the process
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder, "files")
        inside.mkdir()
        os.chdir(inside)
        for found in kills(int(sys.argv[1]), int(sys.argv[2]), "real" in sys.argv):
            print(json.dumps(found), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
