"""Memory for copies of the rows: what one fit leaves serves the next.

Memory that is new to a process is handed out zeroed by the system, page by page, which takes a tenth of the
time of a fit of some dozens of passes.
"""

from __future__ import annotations

import weakref

import numpy as np

MAX_KEPT_BYTES = 2**25  # bytes, all in all

_free_buffers: list[np.ndarray] = []


def borrow(*shape: int) -> np.ndarray:
    """An array of int32 with anything in it, whose memory is kept, up to a limit, when it is let go."""
    size = int(np.prod(shape))
    memory = _find_buffer(size)
    array = memory[:size].reshape(shape)
    weakref.finalize(array, _return_buffer, memory).atexit = False
    return array


def _find_buffer(size: int) -> np.ndarray:
    # Only `pop` and `append` are one step for other threads: each room is in the hands of one.
    for _ in range(len(_free_buffers)):
        try:
            buffer = _free_buffers.pop(0)
        except IndexError:
            break
        if size <= buffer.size <= 2 * size:
            return buffer
        _free_buffers.append(buffer)
    return np.empty(size, np.int32)


def _return_buffer(memory: np.ndarray) -> None:
    _free_buffers.append(memory)
    while sum(buffer.nbytes for buffer in _free_buffers) > MAX_KEPT_BYTES:
        del _free_buffers[:1]
