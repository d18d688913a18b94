"""What starting a program costs: the smallest things the programs are asked for, beside a program that does nothing.

Every command runs once a round, so that whatever slows the machine for a while hits all of them. All apply patches
between the same two small files; a tool that is missing has no line."""
from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
from pathlib import Path

from .measure import Launcher, Limits, Measurement
from .tools import Command, find_tools

FILE_BYTES = 4096
EDITS = 8
APPLIED = {"bdelta": "-3", "zstd": "-3", "xdelta3": "-1", "hdiffpatch": "-s-64 -SD-256k -c-zstd-3", "bsdiff": "default"}


def _write_pair(old: Path, new: Path) -> None:
    rng = random.Random("start")
    data = bytearray(rng.randbytes(FILE_BYTES))
    old.write_bytes(data)
    for _ in range(EDITS):
        data[rng.randrange(FILE_BYTES)] ^= 1 + rng.randrange(255)
    new.write_bytes(data)


def _step(launcher: Launcher, command: Command) -> Measurement:
    took = launcher.run((command,))
    if took.status != "ok":
        raise ValueError(took.detail)
    return took


def _commands(arguments: argparse.Namespace, scratch: Path, launcher: Launcher) -> dict[str, Command]:
    """By what their lines say. The patches are made here."""
    nothing = shutil.which("true")
    commands = {"true": (nothing,)} if nothing else {}
    for program in ("bpatch", "bdelta"):
        commands[f"{program} --version"] = (str(arguments.bin / program), "--version")
    old, new, out = (scratch / name for name in ("old", "new", "out"))
    _write_pair(old, new)
    for tool in find_tools(list(APPLIED), arguments.bin, arguments.peers):
        if tool.missing:
            continue
        setting = next(each for each in tool.settings if each.label == APPLIED[tool.name])
        names = {"old": old, "new": new, "out": out, "patch": scratch / f"{tool.name}.patch", "old_window": 512 * 1024}
        create, command = ((str(tool.paths[words[0]]), *(word.format(**names) for word in words[1:]))
                           for (words,) in (setting.create, setting.apply))
        _step(launcher, create)
        _step(launcher, command)
        if out.read_bytes() != new.read_bytes():
            raise ValueError(f"{tool.name}: the patch does not give NEW")
        commands[f"{Path(command[0]).name} applies"] = command
    return commands


def add_arguments(verbs: argparse._SubParsersAction) -> None:
    parser = verbs.add_parser("start", help="time starting the programs, and applying a patch to a file of 4 KiB")
    parser.add_argument("--rounds", type=int, default=50, help="runs of each")


def main(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bdelta-bench-", dir=arguments.scratch) as scratch:
        launcher = Launcher(arguments.bin / "bench_exec", Path(scratch), Limits(60, 8 << 30))
        commands = _commands(arguments, Path(scratch), launcher)
        took: dict[str, list[Measurement]] = {name: [] for name in commands}
        for _ in range(arguments.rounds):
            for name, command in commands.items():
                took[name].append(_step(launcher, command))
    print(f"{'':18} {'median ms':>10} {'least ms':>9} {'CPU ms':>7} {'MiB':>6}")
    for name, runs in took.items():
        wall = [1000 * run.wall_seconds for run in runs]
        cpu = statistics.median(1000 * (run.user_seconds + run.system_seconds) for run in runs)
        print(f"{name:18} {statistics.median(wall):10.2f} {min(wall):9.2f} {cpu:7.2f}"
              f" {max(run.total_bytes for run in runs) / 2**20:6.1f}")
    return 0
