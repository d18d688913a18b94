"""Whether what may only help ever hurts: a higher level, prediction, unpacking, more memory.

Each of these may make a patch larger by a two-hundredth and 64 bytes at the most. Sizes alone are looked at, so it does not
matter what else the machine does."""
from __future__ import annotations

import argparse
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from .pairs import Pair, find_pairs

LEVELS = ("-1", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9", "--ultra")
MEMORY_TIERS = ("64M", "96M", "128M", "192M", "256M", "384M", "512M", "1G", "")
KINDS = ("levels", "predict", "unpack", "memory")


@dataclass(frozen=True)
class Step:
    """Two calls, the second of which has more of something."""
    kind: str
    less: tuple[str, ...]
    more: tuple[str, ...]


def bound_bytes(less_bytes: int) -> int:
    """What the patch of the second call may have."""
    return less_bytes + less_bytes // 200 + 64


def _memory(level: str, tier: str) -> tuple[str, ...]:
    return (level, *(("--memory", tier) if tier else ()))


def steps_of(kinds: list[str], levels: list[str]) -> list[Step]:
    steps: list[Step] = []
    if "levels" in kinds:
        steps += [Step("levels", (less,), (more,)) for less, more in zip(levels, levels[1:])]
    for level in levels:
        if "predict" in kinds:
            steps.append(Step("predict", (level, "--no-predict"), (level,)))
        if "unpack" in kinds:
            steps.append(Step("unpack", (level, "--unpack=none"), (level,)))
        if "memory" in kinds:
            steps += [Step("memory", _memory(level, less), _memory(level, more))
                      for less, more in zip(MEMORY_TIERS, MEMORY_TIERS[1:])]
    return steps


class _Sizes:
    """Bytes of patches, each made once. None where the program refuses, as it does below the least memory."""

    def __init__(self, programs: Path, pair: Pair, patch: Path):
        self._programs, self._pair, self._patch = programs, pair, patch
        self._known: dict[tuple[str, ...], int | None] = {}

    def of(self, options: tuple[str, ...]) -> int | None:
        if options not in self._known:
            done = subprocess.run([str(self._programs / "bdelta"), "-q", "-f", "--no-verify", "--no-sync", *options,
                                   str(self._pair.old), str(self._pair.new), str(self._patch)],
                                  stderr=subprocess.DEVNULL, check=False)
            self._known[options] = self._patch.stat().st_size if done.returncode == 0 else None
        return self._known[options]


def add_arguments(verbs: argparse._SubParsersAction) -> None:
    parser = verbs.add_parser("monotone", help="look for patches that more effort, prediction, unpacking or memory makes larger")
    parser.add_argument("pairs", nargs="+", help="names, globs or size classes (small, medium, large, huge)")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of: {', '.join(KINDS)}; default: all")
    parser.add_argument("--levels", default=",".join(level.lstrip("-") for level in LEVELS), help="e.g. 3,6,9,ultra")


def _listed(what: str, text: str, known: Sequence[str]) -> list[str]:
    names = text.split(",")
    if unknown := sorted(set(names) - set(known)):
        raise ValueError(f"{what} are {', '.join(known)}, found '{unknown[0]}'")
    return names


def main(arguments: argparse.Namespace) -> int:
    kinds = _listed("kinds", arguments.kinds, KINDS)
    wanted = _listed("levels", arguments.levels, [level.lstrip("-") for level in LEVELS])
    levels = [level for level in LEVELS if level.lstrip("-") in wanted]
    looked_at = larger = 0
    with tempfile.TemporaryDirectory(prefix="bdelta-bench-", dir=arguments.scratch) as scratch:
        for pair in find_pairs(arguments.corpus, arguments.pairs):
            sizes = _Sizes(arguments.bin, pair, Path(scratch) / "patch")
            for step in steps_of(kinds, levels):
                less, more = sizes.of(step.less), sizes.of(step.more)
                if less is None or more is None:
                    continue
                looked_at += 1
                if more > bound_bytes(less):
                    larger += 1
                    print(f"{pair.name:30} {step.kind:8} {less:>11,} {' '.join(step.less):24} {more:>11,} "
                          f"{' '.join(step.more):18} {100 * (more / less - 1):+6.1f} %", flush=True)
            print(f"{pair.name:30} done", flush=True)
    print(f"{larger} of {looked_at} steps make the patch larger than they may")
    return 1 if larger else 0
