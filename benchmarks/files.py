"""A fit from a file larger than the memory we allow ourselves: peak memory, and the time of a pass."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import separatrix as sx
from benchmarks import planted
from benchmarks.harness import Bar, Spread, Table, alternate, clocked, number, ratio, require
from benchmarks.processes import fresh, peak_memory

MEGABYTE = 10**6
MEMORY = Bar(400, " MB", most=True)
TIME = Bar(1.5, "×", most=True)
COLUMNS = 50
GROUP = 2**20  # rows of a row group: PyArrow's own choice, and pandas'


def run(*, quick: bool, repeats: int) -> Table:
    size = 4 * MEGABYTE if quick else 2000 * MEGABYTE
    memory = MEGABYTE if quick else 256 * 2**20
    with TemporaryDirectory() as folder:
        path, cache = Path(folder, "rows.parquet"), Path(folder, "kernels")
        n = size // (8 * COLUMNS)
        _write(path, n)
        rows = [
            _peak(path, memory, cache, state, quick=quick)
            for state in ("kernels compiled in that process", "kernels kept on disk")
        ]
        rows += _passes(path, memory, n, quick=quick, repeats=repeats)
        stored = path.stat().st_size / MEGABYTE
    return Table(
        columns=("what", "figure", "bar", "met"),
        rows=rows,
        notes=(
            f"{n} rows of {COLUMNS} float64 columns and label: {stored:.0f} MB, row groups of {GROUP} rows.",
        ),
    )


def _write(path: Path, n: int) -> None:
    names = [f"x{j}" for j in range(COLUMNS)]
    writer = None
    for X, y in planted.chunks(n, COLUMNS, GROUP):
        columns = [*(pa.array(column) for column in X.T), pa.array(y.astype("int8"))]
        table = pa.table(columns, names=[*names, "label"])
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    assert writer is not None
    writer.close()


def _fit(path: Path, memory: int) -> sx.Perceptron:
    model = sx.Perceptron(max_iter=planted.PASSES).fit(sx.read(path, "label", memory=memory))
    require(model.passes_ == planted.PASSES, f"{model.passes_} passes instead of {planted.PASSES}.")
    require(model.mistakes_ == planted.MISTAKES, f"{model.mistakes_} mistakes instead of {planted.MISTAKES}.")
    require(type(model.certificate_) is sx.certificates.Separable, "The fit ended without a proof.")
    return model


def _peak(path: Path, memory: int, cache: Path, state: str, *, quick: bool) -> tuple[Any, ...]:
    said = fresh(["-m", "benchmarks.files", str(path), str(memory)], cache=str(cache))
    told = {key: value / MEGABYTE for key, value in json.loads(said).items()}
    before = f"{number(told['peak'])} MB, of which {number(told['imports'])} after imports"
    return (f"peak memory of a fit, {state}", before, MEMORY, MEMORY.judged(told["peak"], quick=quick))


def _passes(path: Path, memory: int, n: int, *, quick: bool, repeats: int) -> list[tuple[Any, ...]]:
    def a_pass() -> float:
        return median(_fit(path, memory).history_["seconds"])

    def iter_batches() -> None:
        with pq.ParquetFile(path) as file:
            require(sum(batch.num_rows for batch in file.iter_batches()) == n, "PyArrow missed rows.")

    def read_table() -> None:
        require(pq.read_table(path).num_rows == n, "PyArrow missed rows.")

    peers = {"iter_batches": clocked(iter_batches), "read_table": clocked(read_table)}
    seconds = alternate({"ours": a_pass, **peers}, repeats)
    lines: list[tuple[Any, ...]] = [
        (f"{what}, s", Spread.of(seconds[side]), "", "")
        for what, side in (
            ("a pass of ours", "ours"),
            ("PyArrow, `iter_batches`", "iter_batches"),
            ("PyArrow, `read_table`", "read_table"),
        )
    ]
    for side in peers:
        times = ratio(seconds["ours"], seconds[side])
        lines.append((f"a pass over `{side}`", times, TIME, TIME.judged(times.middle, quick=quick)))
    return lines


def report_peak(path: str, memory: str) -> None:
    """What the fresh process does: fit, and print its peak memory before and after."""
    sx.Perceptron()
    imports = peak_memory()
    _fit(Path(path), int(memory))
    print(json.dumps({"imports": imports, "peak": peak_memory()}))


if __name__ == "__main__":
    report_peak(*sys.argv[1:])
