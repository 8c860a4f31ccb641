"""An interrupt that comes while LLVM is at work is not lost."""

from __future__ import annotations

import ctypes
import os
import signal
import threading

import numpy as np
import pytest

from separatrix.algorithms.zero_one import strategy
from separatrix.kernels import kernel
from separatrix.kernels.interrupts import delayed_signals

CALLED_BACK = ctypes.CFUNCTYPE(None)
pytestmark = pytest.mark.usefixtures("interruptible")


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_in_a_callback_comes_when_it_is_over():
    done = []

    def work():
        with delayed_signals():
            CALLED_BACK(interrupt)()
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the rest"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_holding_back_within_holding_back():
    with pytest.raises(KeyboardInterrupt), delayed_signals(), delayed_signals():
        CALLED_BACK(interrupt)()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_goes_wrong_meanwhile_is_told():
    with pytest.raises(ZeroDivisionError), delayed_signals():
        _ = 1 / 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_let_alone():
    seen = []

    def look():
        with delayed_signals():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_a_signal_that_the_process_ignores_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with delayed_signals():
        CALLED_BACK(interrupt)()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_interrupt_while_a_search_is_made_ready(monkeypatch):
    """Engines take an interrupt for the end of their search, which here is one of no consequence."""

    def interrupted(self, problem, interval):
        interval.interrupt()

    monkeypatch.setattr(strategy.Cones, "run", interrupted)
    strategy.compile_kernels.cache_clear()
    with pytest.raises(KeyboardInterrupt):
        strategy.prepare_kernels(2)
    monkeypatch.undo()
    strategy.prepare_kernels(2)


@pytest.mark.skipif(os.name == "nt", reason="signals to a process of one's own are POSIX")
def test_an_interrupt_while_a_kernel_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("SEPARATRIX_CACHE_DIR", str(tmp_path))

    @kernel
    def total(X):
        out = 0.0
        for i in range(X.shape[0]):
            for j in range(X.shape[1]):
                out += np.sin(X[i, j]) * np.exp(X[j, i]) + np.sqrt(X[i, i])
        return out

    if not hasattr(total, "compile"):
        pytest.skip("Nothing is compiled.")
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))

    def work():
        timer.start()
        for _ in range(1000):
            total(np.ones((2, 2)))
            timer.join(0.01)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert total(np.ones((2, 2))) == pytest.approx(4 * (np.sin(1) * np.e + 1))
