"""The tools that are compared and the command lines of their settings.

A setting is a list of commands to create a patch and one to apply it. In a command {old}, {new}, {patch}, {out} and
{raw} stand for paths, {old_window} for the size of OLD, at least the 512 KiB that xdelta3 asks for. Self-checks and
syncing are off where a tool has them. What leaves an uncompressed container ({raw}) is followed by `xz -9e`.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

Command = tuple[str, ...]
SMALL_FILE_BYTES = 10_000_000  # NEW up to this size: zstd's --ultra -22 stands for its smallest setting as well


@dataclass(frozen=True)
class Setting:
    tool: str
    label: str
    kind: str  # level | fast | middle | smallest | default
    create: tuple[Command, ...]
    apply: tuple[Command, ...]
    threads: int = 1
    largest_new_bytes: float = float("inf")
    category: str = ""  # of pairs that it is for; empty: all

    @property
    def is_slow(self) -> bool:
        """Expected to take over ten seconds on a pair of medium size: left to the slow runs."""
        return self.kind in ("smallest", "default")


@dataclass
class Tool:
    name: str
    programs: tuple[str, ...]
    how_to_get: str
    settings: tuple[Setting, ...]
    version_command: Command = ()
    version: str = ""
    paths: dict[str, Path] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        return [program for program in self.programs if program not in self.paths]


def _bdelta() -> Tool:
    def level(name: str, threads: int) -> Setting:
        return Setting("bdelta", name, "level",
                       (("bdelta", name, "--threads", str(threads), "--no-verify", "--no-sync", "--quiet", "--force",
                         "{old}", "{new}", "{patch}"),),
                       (("bpatch", "--threads", str(threads), "--no-sync", "--quiet", "--force",
                         "{old}", "{out}", "{patch}"),), threads)

    # With a second thread the levels that stand for the others are enough.
    names = [*(f"-{number}" for number in range(1, 10)), "--ultra"]
    settings = tuple(level(name, threads) for name in names for threads in (1, 2)
                     if threads == 1 or name in ("-1", "-3", "-6", "-9"))
    return Tool("bdelta", ("bdelta", "bpatch"), "cmake --preset release && cmake --build --preset release", settings,
                ("bdelta", "--version"))


def _zstd() -> Tool:
    def setting(label: str, kind: str, threads: int = 1, largest: float = float("inf")) -> Setting:
        return Setting("zstd", label, kind,
                       (("zstd", "-q", "-f", *label.split(), "--long=31", f"-T{threads}", "--patch-from={old}", "{new}",
                         "-o", "{patch}"),),
                       (("zstd", "-q", "-d", "-f", "--long=31", "--memory=2048MB", "--patch-from={old}", "{patch}",
                         "-o", "{out}"),), threads, largest)

    return Tool("zstd", ("zstd",), "apt-get install zstd",
                (setting("-1", "fast"), setting("-3", "middle"), setting("-1", "fast", 2), setting("-3", "middle", 2),
                 setting("-19", "smallest"), setting("--ultra -22", "smallest", 1, SMALL_FILE_BYTES)),
                ("zstd", "--version"))


def _xdelta3() -> Tool:
    # -D: without it xdelta3 unpacks gzip files itself and packs them anew when applying, not always to the same bytes.
    unpacking = Setting("xdelta3", "-1, unpacks", "middle",
                        (("xdelta3", "-e", "-f", "-1", "-B", "{old_window}", "-s", "{old}", "{new}", "{patch}"),),
                        (("xdelta3", "-d", "-f", "-B", "{old_window}", "-s", "{old}", "{patch}", "{out}"),), category="archives")

    def setting(label: str, kind: str, *more: str) -> Setting:
        return Setting("xdelta3", label, kind,
                       (("xdelta3", "-e", "-f", "-D", *label.split(), "-B", "{old_window}", *more, "-s", "{old}", "{new}",
                         "{patch}"),),
                       (("xdelta3", "-d", "-f", "-D", "-B", "{old_window}", "-s", "{old}", "{patch}", "{out}"),))

    return Tool("xdelta3", ("xdelta3",), "apt-get install xdelta3",
                (setting("-1", "fast"), unpacking, setting("-9 -S lzma", "smallest", "-W", "16777216")), ("xdelta3", "-V"))


def _hdiffpatch() -> Tool:
    def setting(label: str, kind: str, threads: int = 1) -> Setting:
        return Setting("hdiffpatch", label, kind,
                       (("hdiffz", "-f", "-d", f"-p-{threads}", *label.split(), "{old}", "{new}", "{patch}"),),
                       (("hpatchz", "-f", f"-p-{threads}", "{old}", "{patch}", "{out}"),), threads)

    fast, middle = "-s-64 -SD-256k -c-zstd-3", "-m-4 -SD-256k -c-zstd-20-24"
    return Tool("hdiffpatch", ("hdiffz", "hpatchz"), "tools/bench/get_peers.sh (source of the PyPI package hdiffpatch)",
                (setting(fast, "fast"), setting(middle, "middle"), setting(fast, "fast", 2), setting(middle, "middle", 2),
                 setting("-m-1 -cache -SD-2m -c-lzma2-9-256m", "smallest")), ("hdiffz", "-v"))


def _zucchini() -> Tool:
    def setting(label: str, kind: str, *options: str) -> Setting:
        return Setting("zucchini", label, kind,
                       (("zucc", "gen", *options, "{old}", "{new}", "{raw}"), ("xz", "-9e", "-f", "-k", "-T1", "{raw}")),
                       (("xz", "-d", "-f", "-k", "{raw}.xz"), ("zucc", "apply", "{old}", "{raw}", "{out}")))

    return Tool("zucchini", ("zucc", "xz"), "tools/bench/get_peers.sh (example program of the crate zucchini)",
                (setting("--raw + xz -9e", "fast", "--raw"), setting("gen + xz -9e", "smallest")))


def _bsdiff() -> Tool:
    return Tool("bsdiff", ("bsdiff", "bspatch"), "apt-get install bsdiff",
                (Setting("bsdiff", "default", "default", (("bsdiff", "{old}", "{new}", "{patch}"),),
                         (("bspatch", "{old}", "{out}", "{patch}"),)),))


def _qbsdiff() -> Tool:
    return Tool("qbsdiff", ("qbsdiff", "qbspatch"), "tools/bench/get_peers.sh (crate qbsdiff with its feature cmd)",
                (Setting("qbsdiff", "default", "default", (("qbsdiff", "{old}", "{new}", "{patch}"),),
                         (("qbspatch", "{old}", "{out}", "{patch}"),)),), ("qbsdiff", "--version"))


def _commit() -> str:
    """Of the tree this harness lies in, with a plus sign if something in it is not committed."""
    git = ("git", "-C", str(Path(__file__).parent))
    sha = subprocess.run((*git, "rev-parse", "--short", "HEAD"), capture_output=True, text=True, check=False)
    changed = subprocess.run((*git, "status", "--porcelain", "-uno"), capture_output=True, text=True, check=False)
    return (sha.stdout.strip() + ("+" if changed.stdout else "")) if sha.returncode == 0 else ""


def _version(tool: Tool) -> str:
    if not tool.version_command:
        return _package_version(tool)
    command = (str(tool.paths[tool.version_command[0]]), *tool.version_command[1:])
    result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    found = re.search(r"v?(\d+\.\d+(?:\.\d+)*)", result.stdout + result.stderr)
    version = found.group(1) if found else "unknown"
    commit = _commit() if tool.name == "bdelta" else ""
    return f"{version} ({commit})" if commit else version


def _package_version(tool: Tool) -> str:
    """Of a program that can't say it: what its package or the file beside it says."""
    program = tool.paths[tool.programs[0]]
    note = program.with_name(program.name + ".version")
    if note.is_file():
        return note.read_text().strip()
    result = subprocess.run(("dpkg-query", "-W", "-f=${Version}", tool.name), capture_output=True, text=True, check=False) \
        if shutil.which("dpkg-query") else None
    return result.stdout.strip() if result and result.returncode == 0 else "unknown"


def find_tools(wanted: list[str], bin_directory: Path, peers_directory: Path) -> list[Tool]:
    """The tools named in `wanted` (all if empty), with paths and versions; ours come from `bin_directory`.

    Peers are looked for in `peers_directory`, then along PATH. Raises ValueError for an unknown name.
    """
    tools = [make() for make in (_bdelta, _zstd, _xdelta3, _hdiffpatch, _zucchini, _bsdiff, _qbsdiff)]
    unknown = set(wanted) - {tool.name for tool in tools}
    if unknown:
        raise ValueError(f"unknown tool: {', '.join(sorted(unknown))}; known: {', '.join(tool.name for tool in tools)}")
    chosen = [tool for tool in tools if not wanted or tool.name in wanted]
    for tool in chosen:
        search = str(bin_directory) if tool.name == "bdelta" else os.pathsep.join(
            (str(peers_directory), os.environ.get("PATH", os.defpath)))
        for program in tool.programs:
            path = shutil.which(program, path=search)
            if path:
                tool.paths[program] = Path(path).resolve()
        if not tool.missing:
            tool.version = _version(tool)
    return chosen
