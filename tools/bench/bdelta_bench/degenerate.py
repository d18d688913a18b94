"""Inputs on which sampled hashing and parsing blow up, timed beside an ordinary pair of the same size.

Each input is made here from a fixed seed. What counts is the ratio of CPU seconds to those of the ordinary pair, cut to
the same size, at the same level in the same round; patches are applied and compared."""
from __future__ import annotations

import argparse
import filecmp
import random
import tempfile
from pathlib import Path
from typing import Callable

from .measure import Launcher, Limits

MOST_RATIO = 4.0  # of time to that of the ordinary pair: what the engine has to keep
EDITS = 200       # changed bytes in inputs that would else be equal


def _changed(data: bytes, rng: random.Random, count: int = EDITS) -> bytes:
    out = bytearray(data)
    for _ in range(count):
        out[rng.randrange(len(out))] ^= 1 + rng.randrange(255)
    return bytes(out)


def _zeros(size: int, rng: random.Random) -> tuple[bytes, bytes]:
    return bytes(size), _changed(bytes(size - size // 50), rng)


def _period(length: int) -> Callable[[int, random.Random], tuple[bytes, bytes]]:
    def make(size: int, rng: random.Random) -> tuple[bytes, bytes]:
        unit = rng.randbytes(length)
        old = (unit * (size // length + 2))[:size]
        return old, _changed((unit * (size // length + 2))[length // 3:length // 3 + size], rng)
    return make


def _fibonacci(size: int, rng: random.Random) -> tuple[bytes, bytes]:
    a, b = b"b", b"ab"
    while len(b) < 2 * size:
        a, b = b, b + a
    return b[:size], _changed(b[size // 3:size // 3 + size], rng)


def _de_bruijn(size: int, rng: random.Random) -> tuple[bytes, bytes]:
    """Every word of 22 letters "a" and "b" once, from a shift register of full period, again and again."""
    order, state, letters = 22, 1, bytearray()
    for _ in range(min(size, 2**order)):
        letters.append(97 + (state & 1))
        state = state >> 1 | ((state ^ state >> 1) & 1) << (order - 1)
    old = (bytes(letters) * (size // len(letters) + 1))[:size]
    return old, _changed(old[size // 2:] + old[:size // 2], rng)


def _blocks_with_a_change(size: int, rng: random.Random) -> tuple[bytes, bytes]:
    block = rng.randbytes(4096)
    def repeated() -> bytes:
        return b"".join(_changed(block, rng, 1) for _ in range(size // 4096))
    return repeated(), repeated()


def _reversed(size: int, rng: random.Random) -> tuple[bytes, bytes]:
    words = [rng.randbytes(rng.randrange(3, 12)) for _ in range(5000)]
    old = b"".join(rng.choice(words) for _ in range(size // 7))[:size]
    return old, old[::-1]


def _shuffled(block_bytes: int) -> Callable[[int, random.Random], tuple[bytes, bytes]]:
    def make(size: int, rng: random.Random) -> tuple[bytes, bytes]:
        old = rng.randbytes(size)
        blocks = [old[at:at + block_bytes] for at in range(0, size, block_bytes)]
        rng.shuffle(blocks)
        return old, b"".join(blocks)
    return make


def _random(size: int, rng: random.Random) -> tuple[bytes, bytes]:
    return rng.randbytes(size), rng.randbytes(size)


MAKERS = {
    "zeros": _zeros, **{f"period-{n}": _period(n) for n in (1, 2, 3, 7, 64, 1000, 4096)},
    "fibonacci": _fibonacci, "de-bruijn": _de_bruijn, "block-one-byte": _blocks_with_a_change, "reversed": _reversed,
    "shuffled-64": _shuffled(64), "shuffled-4096": _shuffled(4096), "random": _random,
}


def make_inputs(name: str, size: int) -> tuple[bytes, bytes]:
    return MAKERS[name](size, random.Random(name))


def _head(path: Path, size: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(size)


class _Case:
    def __init__(self, name: str, directory: Path, old: bytes, new: bytes):
        self.name = name
        self.old, self.new, self.patch, self.made = (directory / f"{name}.{part}" for part in ("old", "new", "patch", "made"))
        self.old.write_bytes(old)
        self.new.write_bytes(new)


def _create_seconds(case: _Case, level: str, launcher: Launcher, programs: Path) -> tuple[float, float]:
    """CPU seconds and private MiB."""
    took = launcher.run(((str(programs / "bdelta"), f"-{level}", "-q", "-f", "--no-verify", "--threads", "1",
                          str(case.old), str(case.new), str(case.patch)),))
    if took.status != "ok":
        raise ValueError(f"{case.name} at level {level}: {took.detail}")
    return took.user_seconds + took.system_seconds, took.private_bytes / 2**20


def _check(case: _Case, launcher: Launcher, programs: Path) -> None:
    took = launcher.run(((str(programs / "bpatch"), "-q", "-f", str(case.old), str(case.made), str(case.patch)),))
    if took.status != "ok" or not filecmp.cmp(case.new, case.made, shallow=False):
        raise ValueError(f"{case.name}: the patch does not give NEW {took.detail}")


def add_arguments(verbs: argparse._SubParsersAction) -> None:
    parser = verbs.add_parser("degenerate", help="time inputs made to be hard beside an ordinary pair of their size")
    parser.add_argument("names", nargs="*", help=f"of: {', '.join(MAKERS)}, old-random; default: all")
    parser.add_argument("--pair", default="close-300m", help="the ordinary pair")
    parser.add_argument("--mib", type=int, default=32, help="size of each input")
    parser.add_argument("--levels", default="1369", help="e.g. 36")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, of which the fastest counts")


def main(arguments: argparse.Namespace) -> int:
    size = arguments.mib << 20
    too_slow = 0
    with tempfile.TemporaryDirectory(prefix="bdelta-bench-", dir=arguments.scratch) as scratch:
        launcher = Launcher(arguments.bin / "bench_exec", Path(scratch), Limits(600, 8 << 30))
        folder = arguments.corpus / "pairs" / arguments.pair
        old, new = _head(folder / "old", size), _head(folder / "new", size)
        ordinary = _Case("ordinary", Path(scratch), old, new)
        print(f"{'input':16} {'level':>5} {'patch bytes':>12} {'CPU s':>8} {'ratio':>6} {'private MiB':>12}")
        for name in arguments.names or [*MAKERS, "old-random"]:
            pair = (random.Random(name).randbytes(size), new) if name == "old-random" else make_inputs(name, size)
            case = _Case(name, Path(scratch), *pair)
            for level in arguments.levels:
                best = usual = float("inf")
                for _ in range(arguments.rounds):
                    seconds, private = _create_seconds(case, level, launcher, arguments.bin)
                    best = min(best, seconds)
                    usual = min(usual, _create_seconds(ordinary, level, launcher, arguments.bin)[0])
                _check(case, launcher, arguments.bin)
                ratio = best / usual
                too_slow += ratio > MOST_RATIO
                print(f"{name:16} {level:>5} {case.patch.stat().st_size:>12,} {best:8.2f} {ratio:6.2f} {private:12.0f}"
                      f"{'  too slow' if ratio > MOST_RATIO else ''}", flush=True)
            for path in (case.old, case.new, case.patch, case.made):
                path.unlink()
    return 1 if too_slow else 0
