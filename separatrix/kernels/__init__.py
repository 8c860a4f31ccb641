"""Compiled inner loops: arrays in, arrays changed, a number out.

One decorator and one numeric policy for nearly all of them. Sums may be reassociated and contracted, which is
what lets them run at memory speed; NaN and infinity keep their meaning; the interpreter lock is released.
Where a fit leans on a sum made here it does so by an error bound that holds for any order of summation,
proven in the docstring of `certain_signs` or `angle_bound_kernels`; what verifies a certificate imports none
of this. Where each operation has to be made as it is written, `strict_kernel` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from separatrix.kernels.disk_cache import keep_on_disk
from separatrix.kernels.interrupts import delay_signals

POLICY: dict[str, Any] = {
    "fastmath": {"reassoc", "contract", "nsz", "arcp"},
    "error_model": "numpy",
    "nogil": True,
}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first call, or load from the user's cache."""
    return _compiled(function, POLICY)


def inner_kernel(function: Function) -> Function:
    """The same, written out wherever another calls it, under that one's policy: to hand many arrays over
    takes as long as some work on them."""
    return _compiled(function, POLICY | {"inline": "always"})


def strict_kernel(function: Function) -> Function:
    """The same, with every operation made as it is written and rounded to nearest."""
    return _compiled(function, POLICY | {"fastmath": False})


def _compiled(function: Function, policy: dict[str, Any]) -> Function:
    import numba  # with the first kernel: the package and its cache can be asked without it

    dispatcher = numba.njit(**policy)(function)
    if dispatcher is not function:  # with NUMBA_DISABLE_JIT numba hands the function back
        keep_on_disk(dispatcher, function, policy)
        delay_signals(dispatcher)
    return dispatcher
