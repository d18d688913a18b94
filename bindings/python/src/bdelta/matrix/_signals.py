"""Signals that end the program."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


class Ended(KeyboardInterrupt):
    """By SIGTERM."""


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM ends a block as SIGINT does, by an exception."""

    def end(number: int, frame: object) -> None:
        raise Ended

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Keeps signals that end the program until a block is done: a cluster that is half there can't be ended.

    Processes that begin meanwhile get no SIGINT, which a terminal sends to all of them: it is their parent that ends them.
    """
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, frame: came.append(number)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    resource_tracker.ensure_running()  # which would let SIGINT through again if it began later
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
