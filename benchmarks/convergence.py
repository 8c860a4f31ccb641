"""Passes to convergence against scikit-learn: same rows, same number of passes, alternating in one process.

    python benchmarks/convergence.py [--quick] [--cpu] [--repeats 3]

Rows are normal, pushed away from a random plane by a planted margin. Ours runs until a pass has no
mistake; then both are timed over that many passes, in turns. The ratio is that of the best times, with
the span of the ratios of the single turns.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import Perceptron

import separatrix as sx

CASES = [
    (1_000_000, 20, 0.03, "f8"),
    (200_000, 100, 0.03, "f8"),
    (1_000_000, 20, 0.05, "f8"),
    (200_000, 100, 0.05, "f8"),
    (1_000_000, 20, 0.1, "f8"),
    (200_000, 100, 0.1, "f8"),
    (1_000_000, 20, 0.03, "f4"),
    (200_000, 100, 0.03, "f4"),
]


def planted(n: int, d: int, margin: float, dtype: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    normal = rng.standard_normal(d)
    normal /= np.linalg.norm(normal)
    signs = np.sign(X @ normal)
    X += np.outer(signs * margin, normal)
    return X.astype(dtype), signs.astype(np.int8)


def ours(X: np.ndarray, signs: np.ndarray, most: int = 2000) -> int:
    return int(sx.Perceptron(max_iter=most).fit(X, signs).passes_)


def theirs(X: np.ndarray, signs: np.ndarray, passes: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Perceptron(max_iter=passes, tol=None, shuffle=False).fit(X, signs)


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--cpu", action="store_true", help="processor time: for a busy machine")
    given = parser.parse_args()
    clock = time.process_time if given.cpu else time.perf_counter
    print("rows      columns  margin  type  passes    ours s  sklearn s   ratio  (single turns)")
    for n, d, margin, dtype in CASES:
        X, signs = planted(n // 10 if given.quick else n, d, margin, dtype)
        passes = ours(X, signs)
        mine, other = [], []
        for _ in range(given.repeats):
            mine.append(seconds(lambda X=X, signs=signs: ours(X, signs), clock))
            other.append(seconds(lambda X=X, signs=signs, passes=passes: theirs(X, signs, passes), clock))
        turns = [b / a for a, b in zip(mine, other, strict=True)]
        print(
            f"{len(X):<9} {d:<8} {margin:<7} {dtype:<5} {passes:<6} {min(mine):9.4f} {min(other):10.3f} "
            f"{min(other) / min(mine):7.1f}  ({min(turns):.1f} to {max(turns):.1f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
