"""What a call takes beside the library, and how soon an interrupt ends one.

usage: python overhead.py [OLD NEW [BIN]]      with BIN, a directory with bdelta and bpatch, their times beside it

The library's own part is Report.wall_seconds, so opening files counts as overhead. These times are medians by the clock, so
the machine has to be idle. Those for OLD and NEW are the least of five, of the processor.
"""

from __future__ import annotations

import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import bdelta

CALLS = 2000
INTERRUPTS = 20


def overhead_ms(call: Callable[[], bdelta.Report]) -> float:
    beside = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        report = call()
        beside.append(time.perf_counter() - begin - report.wall_seconds)
    return 1000 * statistics.median(beside)


def interrupted_ms(level: int, threads: int) -> list[float]:
    """From the signal to the exception, at moments spread over the call."""
    source = random.Random(level)
    old = source.randbytes(100_000_000)
    new = old[50_000_000:] + old[:50_000_000]
    waits = []
    for number in range(INTERRUPTS):
        sent = [0.0]

        def send() -> None:
            sent[0] = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.01 + number * 0.02, send)
        timer.start()
        try:
            bdelta.create_bytes(old, new, level=level, threads=threads, verify=False)
            time.sleep(1)  # it was done before
        except KeyboardInterrupt:
            waits.append(1000 * (time.perf_counter() - sent[0]))
        timer.join()
    return waits


def least_seconds(call: Callable[[], object]) -> float:
    """Of the processor, in this process and those that it starts."""
    least = float("inf")
    for _ in range(5):
        begin = sum(os.times()[:4])
        call()
        least = min(least, sum(os.times()[:4]) - begin)
    return least


def compare(old: str, new: str, programs: pathlib.Path | None, work: pathlib.Path) -> None:
    patch, made = work / "patch", work / "made"
    options: bdelta.FileOptions = {"overwrite": True, "sync": False, "io": "mmap"}

    def apply() -> None:
        made.unlink(missing_ok=True)
        bdelta.apply(old, made, patch, **options)

    print(f"create at level 3: {least_seconds(lambda: bdelta.create(old, new, patch, **options)):.3f} s")
    print(f"apply: {least_seconds(apply):.3f} s")
    if programs is None:
        return

    def run(program: str, *arguments: str | pathlib.Path) -> None:
        made.unlink(missing_ok=True)
        subprocess.run([programs / program, "--no-sync", "--force", "--threads=1", *arguments], check=True)

    print(f"bdelta -3: {least_seconds(lambda: run('bdelta', '-3', old, new, patch)):.3f} s")
    print(f"bpatch: {least_seconds(lambda: run('bpatch', old, made, patch)):.3f} s")


def main(arguments: list[str]) -> None:
    old = b"one " * 1000
    new = b"one " * 999 + b"two"
    patch, room = bdelta.create_bytes(old, new), bytearray(len(new))
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        (work / "old").write_bytes(old)
        (work / "patch").write_bytes(patch)
        print(f"apply over buffers: {overhead_ms(lambda: bdelta.apply(old, room, patch)):.3f} ms beside the library")
        print(f"check over buffers: {overhead_ms(lambda: bdelta.check(old, patch)):.3f} ms")
        print(f"check over paths: {overhead_ms(lambda: bdelta.check(work / 'old', work / 'patch')):.3f} ms")
        for level, threads in ((1, 1), (3, 1), (9, 1), (9, 2)):
            waits = interrupted_ms(level, threads)
            print(f"interrupt at level {level}, {threads} threads: {len(waits)} calls, median "
                  f"{statistics.median(waits):.0f} ms, longest {max(waits):.0f} ms")
        if len(arguments) >= 2:
            compare(arguments[0], arguments[1], pathlib.Path(arguments[2]) if len(arguments) > 2 else None, work)


if __name__ == "__main__":
    main(sys.argv[1:])
