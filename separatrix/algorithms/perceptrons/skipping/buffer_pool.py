"""Memory for copies of the rows: what one fit leaves serves the next.

Memory that is new to a process is handed out zeroed by the system, page by page, which takes a tenth of the
time of a fit of some dozens of passes.
"""

from __future__ import annotations

import weakref

import numpy as np

MOST_KEPT = 2**25  # bytes, all in all

_kept: list[np.ndarray] = []


def borrowed(*shape: int) -> np.ndarray:
    """An array of int32 with anything in it, whose memory is kept, up to a limit, when it is let go."""
    size = int(np.prod(shape))
    memory = _found(size)
    array = memory[:size].reshape(shape)
    weakref.finalize(array, _take_back, memory).atexit = False
    return array


def _found(size: int) -> np.ndarray:
    # Only `pop` and `append` are one step for other threads: each room is in the hands of one.
    for _ in range(len(_kept)):
        try:
            room = _kept.pop(0)
        except IndexError:
            break
        if size <= room.size <= 2 * size:
            return room
        _kept.append(room)
    return np.empty(size, np.int32)


def _take_back(memory: np.ndarray) -> None:
    _kept.append(memory)
    while sum(room.nbytes for room in _kept) > MOST_KEPT:
        del _kept[:1]
