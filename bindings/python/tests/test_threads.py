"""The GIL is released while the library works, and buffers stay where they are."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from conftest import Pair

import bdelta


def test_another_thread_calls_the_library_meanwhile(long_pair: Pair, text: Pair) -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait()
        assert bdelta.apply_bytes(text[0], bdelta.create_bytes(*text)) == text[1]
        done.set()

    def told(now: bdelta.Progress) -> bool:
        inside.set()
        return not done.is_set()

    thread = threading.Thread(target=other)
    thread.start()
    try:
        with pytest.raises(bdelta.Cancelled):  # which only happens once the other thread has its result
            bdelta.create_bytes(*long_pair, level=10, progress=told)
    finally:
        inside.set()
        thread.join()
    assert done.is_set()


def test_python_goes_on_in_a_call_that_calls_nothing(long_pair: Pair) -> None:
    # No thread is made to give the GIL up: another one runs when the call releases it, and at no other time.
    steps = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.wait(0.001):
            steps[0] += 1

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        sys.setswitchinterval(1000)
        before = steps[0]
        bdelta.create_bytes(*long_pair, level=1)
        after = steps[0]
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert after - before > 2


def test_many_threads_at_once(text: Pair) -> None:
    patches: list[bytes] = []
    threads = [threading.Thread(target=lambda: patches.append(bdelta.create_bytes(*text, threads=2))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert patches == [bdelta.create_bytes(*text)] * 8


def test_a_buffer_is_held_as_long_as_the_call_and_no_longer(text: Pair) -> None:
    old = bytearray(text[0])
    tried = []

    def told(now: bdelta.Progress) -> None:
        with pytest.raises(BufferError):
            old.append(1)
        tried.append(now)

    bdelta.create_bytes(old, text[1], progress=told)
    assert tried
    old.append(1)
    with pytest.raises(bdelta.WrongSourceError):
        bdelta.apply_bytes(old, bdelta.create_bytes(*text))
    old.append(1)


PEAK = """
import io, random
import bdelta
def peak():  # in KiB; getrusage would begin with what the process that started this one holds
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0])
source = random.Random(1)
old = bytearray(64 << 20)
for at in range(0, len(old), 1 << 20):  # in pieces: what is freed before would hide what grows later
    old[at : at + (1 << 20)] = source.randbytes(1 << 20)
new = bytearray(old)
new[1000:1010] = b"0123456789"
patch = bdelta.create_bytes(old[:10], old[:11], level=1)
"""


def grown(code: str) -> int:
    """Bytes by which the peak of memory grows in what the code does last."""
    *setup, last = code.strip().splitlines()
    program = PEAK + "\n".join(setup) + f"\nbefore = peak()\n{last}\nprint(peak() - before)"
    return int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout) * 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
def test_old_and_new_are_not_copied() -> None:
    size = 64 << 20
    made = "patch = bdelta.create_bytes(old, bytes(new), level=1)\nroom = bytearray(len(new))"
    assert grown(f"{made}\nbdelta.apply(old, room, patch)") < size // 2
    as_buffers = grown("bdelta.create_bytes(old, new, level=1, predict=False)")
    as_files = grown("files = io.BytesIO(old), io.BytesIO(new)\nbdelta.create_bytes(*files, level=1, predict=False)")
    assert as_files - as_buffers > size
