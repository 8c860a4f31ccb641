"""One side of `benchmarks.compare`: times work with the `separatrix` of its own source tree.

A process of this file reads requests as lines of JSON from standard input and answers each with one line on
standard output. It imports nothing from `benchmarks`, because an older tree has a `benchmarks` of its own.

Requests: ``{"load": folder}`` reads ``X`` and ``y``; ``{"prepare": work}`` gets ready for some work;
``{"time": calls}`` does that work and answers with the seconds it took.
"""

from __future__ import annotations

import contextlib
import csv
import gc
import inspect
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import load_npz

import separatrix as sx
from separatrix.certificates.check.__main__ import main as independent_check

# Today's name of a parameter, and the one it had before.
FORMER_NAMES = {"class_weight": "costs", "max_iter": "max_passes", "tol": "gap"}
Data = tuple[Any, np.ndarray]


def rename_parameters(function: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters by the names that this function takes.

    >>> rename_parameters(lambda max_passes: None, {"max_iter": 5})
    {'max_passes': 5}
    >>> rename_parameters(lambda max_iter: None, {"max_iter": 5})
    {'max_iter': 5}
    """
    known = inspect.signature(function).parameters
    return {name if name in known else FORMER_NAMES.get(name, name): parameters[name] for name in parameters}


def prepare_fit(data: Data, *, estimator: str, parameters: Mapping[str, Any]) -> Callable[[], object]:
    kind = getattr(sx, estimator)
    settings = rename_parameters(kind, parameters)
    return lambda: kind(**settings).fit(*data)


def prepare_separate(data: Data, *, intercept: bool) -> Callable[[], object]:
    return lambda: sx.separate(*data, intercept=intercept).certificate


def prepare_verify(data: Data) -> Callable[[], object]:
    certificate = sx.separate(*data).certificate

    def verify() -> None:
        if not certificate.verify(*data):
            raise RuntimeError("The certificate does not hold.")

    return verify


def prepare_check(data: Data) -> Callable[[], object]:
    """The independent checker on a proof of inseparability, from files."""
    X, y = data
    proof = next(c for c in sx.separate(X, y).certificates if type(c).__name__ == "Inseparable")
    folder = tempfile.TemporaryDirectory()
    table, record = Path(folder.name, "rows.csv"), Path(folder.name, "proof.json")
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "label"])
        writer.writerows([*map(repr, row), label] for row, label in zip(X.tolist(), y.tolist(), strict=True))
    record.write_text(proof.to_json(), encoding="utf-8")

    def check() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            status = independent_check([str(record), str(table)])
        if status != 0:
            raise RuntimeError(f"The independent checker refuses the conflict in {folder.name}.")

    return check


PREPARE: dict[str, Callable[..., Callable[[], object]]] = {
    "check": prepare_check,
    "fit": prepare_fit,
    "separate": prepare_separate,
    "verify": prepare_verify,
}


def load(folder: Path) -> Data:
    sparse = folder / "X.npz"
    X = load_npz(sparse) if sparse.exists() else np.load(folder / "X.npy")
    return X, np.load(folder / "y.npy")


def time_calls(work: Callable[[], object], calls: int) -> float:
    """Seconds of one call."""
    gc.collect()
    started = perf_counter()
    for _ in range(calls):
        work()
    return (perf_counter() - started) / calls


def serve(requests: Iterator[str]) -> Iterator[dict[str, Any]]:
    """An answer to each request; the first says which source tree this process works with."""
    yield {"package": str(Path(sx.__file__).resolve().parent)}
    data: Data | None = None
    work: Callable[[], object] | None = None
    for line in requests:
        request = json.loads(line)
        try:
            if "load" in request:
                data = work = None  # before the next data are read, which may be large
                data = load(Path(request["load"]))
                yield {}
            elif "prepare" in request:
                settings = dict(request["prepare"])
                work = PREPARE[settings.pop("kind")](data, **settings)
                yield {}
            else:
                assert work is not None
                yield {"seconds": time_calls(work, request["time"])}
        except Exception as error:
            yield {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    # What the library may print belongs to standard error: standard output holds answers alone.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    for answer in serve(sys.stdin):
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
