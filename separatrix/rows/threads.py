"""Threads: how many a call may use, the pool they come from, and BLAS kept from starting its own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import cache
from numbers import Integral
from time import perf_counter
from typing import Any, TypeVar

from separatrix.messages import ParameterError

MAX_THREADS_PER_CORE = 4
MIN_THREADED_BYTES = 5_000_000  # for less, handing work to threads costs more than it saves

MAX_IDLE_SECONDS = 0.01
_pools: dict[int, tuple[ThreadPoolExecutor, float]] = {}  # by the number of threads, with the last request

Item = TypeVar("Item")
Result = TypeVar("Result")


@cache
def blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def jobs(n_jobs: int | None) -> int:
    """scikit-learn's meaning of ``n_jobs``: None is 1, -1 all cores. Never more than four threads per core.

    >>> jobs(None), jobs(2), jobs(10**30) <= 4 * (os.cpu_count() or 1)
    (1, 2, True)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError("n_jobs", n_jobs, "a number of threads, or -1 for all cores")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs < 0:
        return max(1, cores + 1 + n_jobs)
    return min(int(n_jobs), MAX_THREADS_PER_CORE * cores)


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], n_threads: int, *, parallel_blas: bool = False
) -> Iterator[Result]:
    """``work`` of every item, in order, on up to ``n_threads`` threads.

    Items are drawn a few ahead of their results. A warning of NumPy that the caller has silenced by
    `np.errstate` is silent on the threads too. BLAS runs single-threaded meanwhile, unless
    ``parallel_blas``: threads of its own inside each of ours make it many times slower.
    """
    with nullcontext() if parallel_blas else blas().limit(limits=1):
        if n_threads == 1:
            yield from map(work, items)
            return
        pool = _pool(n_threads)
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(copy_context().run, work, item))
                if len(waiting) > 2 * n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # the caller stopped early, or an item failed: nothing goes on working behind its back
            for future in waiting:
                future.cancel()
            for future in waiting:
                if not future.cancelled():
                    future.exception()


def _pool(n_threads: int) -> ThreadPoolExecutor:
    """Threads that have worked lately, or new ones.

    Linux wakes threads that have slept on the core of their waker, and takes milliseconds to spread them:
    new threads made a fit of 20 ms 5 ms faster (table *logistic* of the benchmarks). A pool that is dropped
    ends its threads once no request uses it any more.
    """
    pool, last_request = _pools.get(n_threads, (None, 0.0))
    now = perf_counter()
    if pool is None or now - last_request > MAX_IDLE_SECONDS:
        pool = ThreadPoolExecutor(n_threads, thread_name_prefix="separatrix")
    _pools[n_threads] = pool, now
    return pool


if hasattr(os, "register_at_fork"):  # a child process has none of the threads of its parent
    os.register_at_fork(after_in_child=_pools.clear)
