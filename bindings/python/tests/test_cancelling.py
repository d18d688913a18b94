"""Progress, and ways to end a call: nothing is left of an output that was not finished."""

from __future__ import annotations

import io
import os
import pathlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

import pytest
from conftest import Pair

import bdelta


def test_progress_never_falls_and_ends_at_the_total(text: Pair) -> None:
    patch = bdelta.create_bytes(*text)
    creating: list[bdelta.Progress] = []
    bdelta.create_bytes(*text, progress=creating.append)
    applying: list[bdelta.Progress] = []
    bdelta.apply_bytes(text[0], patch, progress=applying.append)
    for seen in (creating, applying):
        assert [now.done for now in seen] == sorted(now.done for now in seen)
        assert seen[-1].done == seen[-1].total == len(text[1])
        assert all(now.phase for now in seen)


def test_progress_is_told_in_the_thread_that_called(text: Pair) -> None:
    seen = set()
    bdelta.create_bytes(*text, threads=3, progress=lambda now: seen.add(threading.get_ident()))
    assert seen == {threading.get_ident()}


def test_false_cancels_and_other_values_do_not(long_pair: Pair, text: Pair, tmp_path: pathlib.Path) -> None:
    seen: list[bdelta.Progress] = []

    def stop(now: bdelta.Progress) -> bool:
        seen.append(now)
        return False

    with pytest.raises(bdelta.Cancelled) as found:
        bdelta.create(*long_pair, tmp_path / "patch", level=9, progress=stop)
    assert (found.value.code, found.value.exit_class) == (bdelta.Code.Cancelled, 130)
    assert seen[-1].done < len(long_pair[1])
    assert os.listdir(tmp_path) == []
    for value in (None, True, 0, ""):
        assert bdelta.create_bytes(*text, progress=lambda now: value)


def test_what_the_callback_raises_is_raised(long_pair: Pair, tmp_path: pathlib.Path) -> None:
    class Own(Exception):
        pass

    def fail(now: bdelta.Progress) -> None:
        raise Own(now.phase)

    with pytest.raises(Own):
        bdelta.create(*long_pair, tmp_path / "patch", level=9, progress=fail)
    assert os.listdir(tmp_path) == []


@pytest.fixture
def interrupt() -> Iterator[threading.Event]:
    """Sends SIGINT to this process as soon as the event is set. A process that was begun in the background ignores it at first."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = threading.Event()

    def send() -> None:
        wanted.wait()
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    yield wanted
    wanted.set()
    sender.join()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 2])
def test_keyboard_interrupt_ends_a_call(
    long_pair: Pair, tmp_path: pathlib.Path, interrupt: threading.Event, threads: int
) -> None:
    last = [0]

    def told(now: bdelta.Progress) -> None:
        last[0] = now.done
        interrupt.set()

    with pytest.raises(KeyboardInterrupt):
        bdelta.create(*long_pair, tmp_path / "patch", level=9, threads=threads, progress=told)
    assert last[0] < len(long_pair[1]) / 2
    assert os.listdir(tmp_path) == []


def test_keyboard_interrupt_ends_a_call_that_calls_nothing(long_pair: Pair, interrupt: threading.Event) -> None:
    # The handler runs in a call that has neither a callback nor a file object.
    handled: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        handled.append(number)
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, handle)
    try:
        threading.Timer(0.2, interrupt.set).start()
        with pytest.raises(KeyboardInterrupt):
            bdelta.create_bytes(*long_pair, level=10)
    finally:
        signal.signal(signal.SIGINT, before)
    assert handled == [signal.SIGINT]


def test_a_handler_that_returns_does_not_end_the_call(text: Pair) -> None:
    handled = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: handled.append(number))

    def told(now: bdelta.Progress) -> None:
        if not handled:
            os.kill(os.getpid(), signal.SIGUSR1)

    try:
        assert bdelta.apply_bytes(text[0], bdelta.create_bytes(*text, progress=told)) == text[1]
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert handled == [signal.SIGUSR1]


def test_a_time_limit(long_pair: Pair) -> None:
    with pytest.raises(bdelta.BudgetError) as found:
        bdelta.create_bytes(*long_pair, level=9, time_limit_seconds=0.01)
    assert found.value.code == bdelta.Code.TimeLimit
    assert bdelta.create_bytes(b"OLD", b"NEW", time_limit_seconds=3600)


def test_cancelling_while_file_objects_are_used(long_pair: Pair) -> None:
    out = io.BytesIO()
    with pytest.raises(bdelta.Cancelled):
        bdelta.create(io.BytesIO(long_pair[0]), io.BytesIO(long_pair[1]), out, progress=lambda now: False)
    assert out.getvalue() == b""


def test_spans_of_a_call(long_pair: Pair, text: Pair) -> None:
    spans: list[bdelta.TraceSpan] = []
    patch = bdelta.create_bytes(*text, threads=2, trace=spans)
    assert {"scan", "write"} <= {span.name for span in spans}
    for span in spans:
        assert 0 <= span.begin_ns <= span.end_ns
        assert 0 <= span.self_ns <= span.end_ns - span.begin_ns
    applied: list[bdelta.TraceSpan] = []
    report = bdelta.apply(text[0], bytearray(len(text[1])), patch, trace=applied)
    of_phase = {phase.name: phase.seconds for phase in report.phases}
    for name, seconds in of_phase.items():
        assert sum(span.self_ns for span in applied if span.phase == name) <= seconds * 1e9 + 1e6 * (len(applied) + 1)
    before = len(applied)
    with bdelta.PushApply(text[0], bytearray(len(text[1])), trace=applied) as push:
        push.feed(patch)
    assert len(applied) > before
    stopped: list[bdelta.TraceSpan] = []
    with pytest.raises(bdelta.Cancelled):
        bdelta.create_bytes(*long_pair, level=9, progress=lambda now: now.phase in ("read", "hash", "compare", "index"), trace=stopped)
    assert stopped
