"""The regression view: two builds or commits of ours, sizes exactly, times as ratios of interleaved runs.

A ratio counts as a change if the medians differ by more than 3 % and 10 ms (as everywhere in the project's figures) and
by more than three standard errors of the difference, estimated from the median absolute deviation of both sides, and
the minima differ by as much in the same direction: where a machine knows two speeds, medians of few runs jump and
minima don't. The order within a round is A B, then B A, so that drift hits both. `--instructions` counts executed instructions with
valgrind instead of time: exact to a fraction of a percent, some fifty times slower, for claims of 2 or 3 %.
"""
from __future__ import annotations

import argparse
import math
import re
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .measure import Launcher, Limits
from .pairs import Pair, find_pairs

ROOT = Path(__file__).resolve().parents[3]
TIE_RATIO = 0.03
TIE_SECONDS = 0.010
SIDES = ("A", "B")


@dataclass
class Samples:
    """Of one side: patch bytes and the figures of each run (seconds, or instructions)."""
    patch_bytes: int = 0
    create: list[float] = field(default_factory=list)
    apply: list[float] = field(default_factory=list)


def standard_error(values: list[float]) -> float:
    """Of the median, from the median absolute deviation (factors of the normal distribution)."""
    middle = statistics.median(values)
    deviation = 1.4826 * statistics.median(abs(value - middle) for value in values)
    return 1.2533 * deviation / math.sqrt(len(values))


def ratio_text(a: list[float], b: list[float], tie_absolute: float) -> tuple[str, bool]:
    """B over A and whether that is a change beyond noise."""
    median_a, median_b = statistics.median(a), statistics.median(b)
    difference = abs(median_b - median_a)
    noise = 3 * math.hypot(standard_error(a), standard_error(b))
    at_best = (min(b) - min(a)) * math.copysign(1, median_b - median_a)
    changed = (difference > max(TIE_RATIO * median_a, tie_absolute, noise)
               and at_best > max(TIE_RATIO * min(a), tie_absolute))
    return f"{median_b / median_a:.3f}", changed


def build_commit(commit: str) -> Path:
    """Programs of a commit, built once into build/bench-builds/SHA. A directory of programs is taken as it is."""
    if (Path(commit) / "bdelta").is_file():
        return Path(commit).resolve()
    sha = subprocess.run(("git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"),
                         capture_output=True, text=True, check=False).stdout.strip()
    if not sha:
        raise ValueError(f"'{commit}' is neither a directory with bdelta and bpatch nor a commit")
    place = ROOT / "build/bench-builds" / sha[:12]
    programs = place / "build/bin"
    if not (programs / "bpatch").is_file():
        shutil.rmtree(place, ignore_errors=True)
        (place / "tree").mkdir(parents=True)
        archive = subprocess.run(("git", "-C", str(ROOT), "archive", sha), stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(("tar", "-x", "-C", str(place / "tree")), input=archive, check=True)
        subprocess.run(("cmake", "-G", "Ninja", "-S", str(place / "tree"), "-B", str(place / "build"),
                        "-DCMAKE_BUILD_TYPE=Release"), stdout=subprocess.DEVNULL, check=True)
        subprocess.run(("cmake", "--build", str(place / "build"), "--target", "bdelta", "bpatch"),
                       stdout=subprocess.DEVNULL, check=True)
    return programs


class Comparison:
    def __init__(self, arguments: argparse.Namespace, scratch: Path):
        self._programs = {"A": build_commit(arguments.a), "B": build_commit(arguments.b)}
        self._bench_floor = str(arguments.bin / "bench_floor")
        self._launcher = Launcher(arguments.bin / "bench_exec", scratch, Limits(600, 16 * 2**30))
        self._scratch = scratch
        self._instructions = arguments.instructions
        self._rounds = 1 if arguments.instructions else arguments.rounds

    def _figure(self, side: str, command: tuple[str, ...]) -> float:
        """Seconds or instructions of one run; ValueError if it fails."""
        prefix = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                  f"--log-file={self._scratch / 'valgrind.txt'}") if self._instructions else ()
        took = self._launcher.run(((*prefix, str(self._programs[side] / command[0]), *command[1:]),))
        if took.status != "ok":
            raise ValueError(f"{side}: {took.detail}")
        if not self._instructions:
            return took.wall_seconds
        counted = re.search(r"I\s+refs:\s+([\d,]+)", (self._scratch / "valgrind.txt").read_text())
        if not counted:
            raise ValueError("valgrind gave no number of instructions")
        return float(counted.group(1).replace(",", ""))

    def _run_once(self, side: str, pair: Pair, level: str, threads: int, samples: Samples) -> None:
        patch, out = self._scratch / f"patch-{side}", self._scratch / "out"
        for path in (patch, out):
            path.unlink(missing_ok=True)
        common = ("--threads", str(threads), "--no-sync", "--quiet")
        samples.create.append(self._figure(side, ("bdelta", f"-{level}", "--no-verify", *common, str(pair.old),
                                                  str(pair.new), str(patch))))
        samples.patch_bytes = patch.stat().st_size
        samples.apply.append(self._figure(side, ("bpatch", *common, str(pair.old), str(out), str(patch))))
        if self._launcher.run(((self._bench_floor, "equal", str(pair.new), str(out)),)).status != "ok":
            raise ValueError(f"{side}: {pair.name} at level {level} was not rebuilt")

    def lines(self, pair: Pair, level: str, threads: int) -> tuple[str, bool]:
        """One line of the table, and whether anything in it changed."""
        samples = {side: Samples() for side in SIDES}
        if not self._instructions:
            for side in SIDES:  # warms the page cache
                self._run_once(side, pair, level, threads, Samples())
        for number in range(self._rounds):
            for side in SIDES if number % 2 == 0 else reversed(SIDES):
                self._run_once(side, pair, level, threads, samples[side])
        a, b = samples["A"], samples["B"]
        tie = 0 if self._instructions else TIE_SECONDS
        create, create_changed = ratio_text(a.create, b.create, tie)
        apply, apply_changed = ratio_text(a.apply, b.apply, tie)
        size_changed = a.patch_bytes != b.patch_bytes
        size = f"{b.patch_bytes - a.patch_bytes:+,} ({b.patch_bytes / a.patch_bytes - 1:+.2%})" if size_changed else "="
        marks = "".join(mark for mark, changed in (("S", size_changed), ("C", create_changed), ("A", apply_changed))
                        if changed)
        return (f"{pair.name:28} -{level} t{threads} {a.patch_bytes:>12,} {size:>24} {create:>8} {apply:>8}  {marks}",
                bool(marks))


def add_arguments(verbs: argparse._SubParsersAction) -> None:
    parser = verbs.add_parser("compare", help="two builds or commits of bdelta: what changed by more than noise")
    parser.add_argument("a", help="commit, or directory with bdelta and bpatch")
    parser.add_argument("b", help="commit, or directory with bdelta and bpatch")
    parser.add_argument("pairs", nargs="+", help="names, globs or size classes")
    parser.add_argument("--levels", default="136")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--instructions", action="store_true", help="count instructions with valgrind, not time")


def main(arguments: argparse.Namespace) -> int:
    pairs = find_pairs(arguments.corpus, arguments.pairs)
    if arguments.instructions and not shutil.which("valgrind"):
        raise ValueError("--instructions needs valgrind; apt-get install valgrind")
    what = "instructions" if arguments.instructions else "time"
    print(f"A = {arguments.a}, B = {arguments.b}; ratios are B over A")
    print(f"{'pair':28} level {'A bytes':>14} {'B - A':>24} {'create':>8} {'apply':>8}  changed: S size, C create {what}, "
          f"A apply {what}")
    changes = 0
    with tempfile.TemporaryDirectory(prefix="bdelta-compare-", dir=arguments.scratch) as scratch:
        comparison = Comparison(arguments, Path(scratch))
        for pair in pairs:
            for level in arguments.levels:
                line, changed = comparison.lines(pair, level, arguments.threads)
                changes += changed
                print(line, flush=True)
    print(f"{changes} of {len(pairs) * len(arguments.levels)} settings changed by more than noise")
    return 0
