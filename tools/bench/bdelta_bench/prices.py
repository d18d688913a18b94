"""The nominal table: what each operation takes, measured, beside what the list says; and nominal beside measured time to apply.

Rows come from bench_prices, which measures each operation alone. A row that is off by a third is told as such. With pairs, what
`bdelta --json` says that applying takes is compared with the processor time of bpatch, less what it takes to start."""
from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .pairs import Pair, find_pairs

LIST = Path("src/base/deciding/prices.hpp")
OFF = 4 / 3  # of a row
LEAST, MOST = 0.67, 1.5  # of time to apply
RUNS = 3


@dataclass(frozen=True)
class Row:
    name: str  # with an index where the row has several
    nominal_ns: float
    measured_ns: float

    @property
    def is_off(self) -> bool:
        return not 1 / OFF <= self.measured_ns / self.nominal_ns <= OFF


def two_digits(ns: float) -> int:
    """As the list has it: enough to tell prices apart, and the same on the next run of the same machine."""
    return max(1, round(float(f"{ns:.2g}")))


def with_rows(text: str, rows: list[Row]) -> str:
    """The header with the values measured."""
    values = {row.name: two_digits(row.measured_ns) for row in rows}

    def scalar(match: re.Match) -> str:
        name = match.group(2)
        if name not in values:
            return match.group(0)
        digits = f"{values[name]:,}".replace(",", "'") if values[name] >= 10_000 else str(values[name])
        return f"{match.group(1)}{name} = {digits};"

    def array(match: re.Match) -> str:
        name, old = match.group(2), match.group(3).split(",")
        new = [str(values.get(f"{name}[{i}]", value.strip())) for i, value in enumerate(old)]
        return f"{match.group(1)}{name}[] = {{{', '.join(new)}}};"

    text = re.sub(r"(inline constexpr [\w:]+ )(k\w+) = [\d']+;", scalar, text)
    return re.sub(r"(inline constexpr [\w:]+ )(k\w+)\[\] = \{([^}]*)\};", array, text)


def measure(programs: Path) -> list[Row]:
    done = subprocess.run([str(programs / "bench_prices")], stdout=subprocess.PIPE, text=True, check=True)
    return [Row(**json.loads(line)) for line in done.stdout.splitlines()]


def _cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@dataclass(frozen=True)
class Applied:
    nominal: float  # seconds
    measured: float

    @property
    def is_near(self) -> bool:
        return LEAST <= self.nominal / self.measured <= MOST


def apply(programs: Path, pair: Pair, level: str, scratch: Path) -> Applied:
    patch, out = scratch / "patch", scratch / "new"
    made = subprocess.run([str(programs / "bdelta"), "-f", "--json", "--no-verify", "--no-sync", f"-{level}", str(pair.old),
                           str(pair.new), str(patch)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)

    def once() -> float:
        out.unlink(missing_ok=True)
        return _cpu_seconds([str(programs / "bpatch"), "-q", "--no-sync", "--threads", "1", str(pair.old), str(out), str(patch)])

    starting = min(_cpu_seconds([str(programs / "bpatch"), "--version"]) for _ in range(RUNS))
    measured = min(once() for _ in range(RUNS)) - starting
    return Applied(json.loads(made.stdout)["nominal_apply_seconds"], max(measured, 1e-4))


def add_arguments(verbs: argparse._SubParsersAction) -> None:
    parser = verbs.add_parser("prices", help="measure the nominal table, and nominal beside measured time to apply")
    parser.add_argument("pairs", nargs="*", help="names, globs or size classes to apply; none: the table alone")
    parser.add_argument("--levels", default="3,9", help="e.g. 3,6,9")
    parser.add_argument("--write", action="store_true", help=f"put what was measured into {LIST}; sizes of patches may change")
    parser.add_argument("--without-table", action="store_true", help="apply alone")


def _table(arguments: argparse.Namespace, root: Path) -> bool:
    rows = measure(arguments.bin)
    print(f"{'row':20} {'nominal ns':>12} {'measured ns':>12}")
    for row in rows:
        print(f"{row.name:20} {row.nominal_ns:12,.0f} {row.measured_ns:12,.2f}{'  off by a third' if row.is_off else ''}")
    if arguments.write:
        path = root / LIST
        path.write_text(with_rows(path.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return not any(row.is_off for row in rows)


def _applying(arguments: argparse.Namespace) -> bool:
    near = count = 0
    print(f"{'pair':30} {'level':>5} {'nominal s':>10} {'measured s':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory(prefix="bdelta-bench-", dir=arguments.scratch) as scratch:
        for pair in find_pairs(arguments.corpus, arguments.pairs):
            for level in arguments.levels.split(","):
                applied = apply(arguments.bin, pair, level, Path(scratch))
                count, near = count + 1, near + applied.is_near
                print(f"{pair.name:30} {level:>5} {applied.nominal:10.4f} {applied.measured:10.4f} "
                      f"{applied.nominal / applied.measured:6.2f}", flush=True)
    print(f"{near} of {count} between {LEAST} and {MOST}")
    return near >= count * 9 / 10


def main(arguments: argparse.Namespace, root: Path) -> int:
    is_right = arguments.without_table or _table(arguments, root)
    if arguments.pairs:
        is_right = _applying(arguments) and is_right
    return 0 if is_right else 1
