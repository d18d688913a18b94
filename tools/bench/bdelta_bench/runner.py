"""Measuring pairs: every setting creates and applies a patch, in turns, and every result is compared with NEW.

Round 0 of a setting shows its memory and how long it takes; its time counts where that is over a second. A slow one
(ten seconds or more for a step) is left at that and kept in the cache; the others take part in further rounds, so
that whatever slows the machine for a while hits all of them. The floors (cp of NEW, hashing of OLD, mapping, hashing
and comparing both) take part in every round.
"""
from __future__ import annotations

import datetime
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from .cache import SLOW_SECONDS, SlowCache
from .machine import StealMeter, file_digest, load
from .measure import Launcher, Measurement
from .pairs import Pair
from .rows import FLOOR, LONG_SECONDS, RawRow
from .tools import Command, Setting, Tool


@dataclass(frozen=True)
class Repeats:
    """Timed runs of a setting: as many as fit in `seconds`, within the two bounds."""
    least: int
    most: int
    seconds: float

    def of(self, round_seconds: float) -> int:
        return max(self.least, min(self.most, int(self.seconds / max(round_seconds, 1e-6))))

    def rounds_to_come(self, create_seconds: float, apply_seconds: float) -> int:
        """After round 0, which is a timed one where creating takes long enough."""
        return self.of(create_seconds + apply_seconds) - (create_seconds >= LONG_SECONDS)


class Entrant:
    """A setting of a tool on its way through the rounds of one pair."""

    def __init__(self, tool: Tool, setting: Setting, program_digest: str):
        self.tool = tool
        self.setting = setting
        self.program_digest = program_digest
        self.rows: list[RawRow] = []
        self.rounds = 0  # to come, known after round 0
        self.is_done = False


class PairRun:
    def __init__(self, pair: Pair, launcher: Launcher, floor_program: Path, scratch: Path, repeats: Repeats,
                 cache: Optional[SlowCache]):
        self._pair = pair
        self._launcher = launcher
        self._floor_program = floor_program
        self._scratch = scratch
        self._repeats = repeats
        self._cache = cache
        self._steal = StealMeter()
        self._category = pair.category
        self._floor_rows: list[RawRow] = []
        # Reading both also brings them into the page cache.
        self._input_digests = (file_digest(pair.old), file_digest(pair.new))

    # -- names and files ---------------------------------------------------------------------------------------------

    def _paths(self, tool: Optional[Tool]) -> dict[str, str]:
        raw = self._scratch / "patch"
        return {"{old}": str(self._pair.old), "{new}": str(self._pair.new), "{raw}": str(raw),
                "{patch}": str(raw), "{out}": str(self._scratch / "out"),
                "{old_window}": str(max(self._pair.old_bytes, 512 * 1024)),
                **({name: str(path) for name, path in tool.paths.items()} if tool else {})}

    def _fill(self, commands: tuple[Command, ...], tool: Optional[Tool]) -> tuple[Command, ...]:
        """Placeholders become paths, the program names full ones."""
        names = self._paths(tool)

        def fill(word: str) -> str:
            for name, value in names.items():
                if name.startswith("{"):
                    word = word.replace(name, value)
            return word

        return tuple((names.get(command[0], command[0]), *map(fill, command[1:])) for command in commands)

    def _patch_path(self, setting: Setting) -> Path:
        """The file that would be shipped: what xz made of the raw container, if it was used."""
        ends_in_xz = setting.create[-1][0] == "xz"
        return self._scratch / ("patch.xz" if ends_in_xz else "patch")

    def _remove(self, *names: str) -> None:
        for name in names:
            (self._scratch / name).unlink(missing_ok=True)

    # -- one step ----------------------------------------------------------------------------------------------------

    def _row(self, tool: str, version: str, digest: str, setting: str, kind: str, threads: int, step: str, run: int,
             took: Measurement) -> RawRow:
        return RawRow(
            date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            pair=self._pair.name, category=self._category, old_bytes=self._pair.old_bytes,
            new_bytes=self._pair.new_bytes, tool=tool, version=version, program_digest=digest, setting=setting,
            kind=kind, threads=threads, step=step, run=run, status=took.status, detail=took.detail,
            wall_s=took.wall_seconds, user_s=took.user_seconds, system_s=took.system_seconds,
            private_bytes=took.private_bytes, total_bytes=took.total_bytes, load=round(load(), 2),
            steal_percent=round(self._steal.percent(), 2))

    def _entrant_row(self, entrant: Entrant, step: str, run: int, took: Measurement) -> RawRow:
        setting = entrant.setting
        return self._row(setting.tool, entrant.tool.version, entrant.program_digest, setting.label, setting.kind,
                         setting.threads, step, run, took)

    def _create(self, entrant: Entrant, run: int) -> RawRow:
        self._remove("patch", "patch.xz", "out")
        took = self._launcher.run(self._fill(entrant.setting.create, entrant.tool), fine=run == 0)
        row = self._entrant_row(entrant, "create", run, took)
        patch = self._patch_path(entrant.setting)
        if row.status == "ok":
            if patch.exists():
                row.patch_bytes = patch.stat().st_size
            else:
                row.status, row.detail = "failed", "ended well but left no patch"
        entrant.rows.append(row)
        return row

    def _apply(self, entrant: Entrant, run: int, patch_bytes: int) -> RawRow:
        if self._patch_path(entrant.setting).name == "patch.xz":
            self._remove("patch")  # has to come out of the compressed one
        took = self._launcher.run(self._fill(entrant.setting.apply, entrant.tool), fine=run == 0)
        row = self._entrant_row(entrant, "apply", run, took)
        row.patch_bytes = patch_bytes
        if row.status == "ok":
            self._verify(row)
        entrant.rows.append(row)
        return row

    def _verify(self, row: RawRow) -> None:
        report = self._scratch / "equal.txt"
        out = self._scratch / "out"
        same = out.exists() and self._launcher.run(
            ((str(self._floor_program), "equal", str(self._pair.new), str(out)),), stdout=str(report)).status == "ok"
        if not same:
            row.status = "mismatch"
            row.detail = f"rebuilt file differs from NEW: {report.read_text().strip() if out.exists() else 'there is none'}"

    # -- rounds ------------------------------------------------------------------------------------------------------

    def _run_floors(self, run: int) -> None:
        names = self._paths(None)
        floor = str(self._floor_program)
        commands: dict[str, Command] = {
            "cp": ("cp", "--reflink=never", names["{new}"], names["{out}"]),
            "hash": (floor, "hash", names["{old}"]),
            "map-hash-compare": (floor, "map-hash-compare", names["{old}"], names["{new}"]),
        }
        for label, command in commands.items():
            self._remove("out")
            took = self._launcher.run((command,), fine=run == 0)
            self._floor_rows.append(self._row(FLOOR, "", "", label, "floor", 1, "create", run, took))

    def _first_round(self, entrant: Entrant) -> None:
        created = self._create(entrant, 0)
        if created.status == "ok":
            applied = self._apply(entrant, 0, created.patch_bytes)
        slowest = max(row.wall_s for row in entrant.rows)
        failed = any(row.status != "ok" for row in entrant.rows)
        entrant.is_done = failed or slowest >= SLOW_SECONDS
        if slowest >= SLOW_SECONDS and self._cache:
            self._cache.put(self._input_digests, entrant.rows)
        if not entrant.is_done:
            entrant.rounds = self._repeats.rounds_to_come(created.wall_s, applied.wall_s)
            entrant.is_done = entrant.rounds == 0

    def _timed_round(self, entrant: Entrant, run: int) -> None:
        created = self._create(entrant, run)
        if created.status == "ok":
            if created.patch_bytes != entrant.rows[0].patch_bytes:
                created.detail = f"patch of {created.patch_bytes} bytes, {entrant.rows[0].patch_bytes} before"
            self._apply(entrant, run, created.patch_bytes)
        entrant.is_done = run >= entrant.rounds or entrant.rows[-1].status != "ok"

    def _use_cached(self, entrant: Entrant) -> bool:
        key = (self._pair.name, entrant.setting.tool, entrant.setting.label, entrant.setting.threads)
        entrant.rows = self._cache.get(self._input_digests, key, entrant.program_digest) if self._cache else []
        entrant.is_done = bool(entrant.rows)
        return entrant.is_done

    def run(self, entrants: list[Entrant], may_start: Callable[[], bool], say: Callable[[str], None]) -> list[RawRow]:
        """All rows of the pair. A setting that `may_start` holds back gets a row that says pending."""
        self._run_floors(0)
        for entrant in entrants:
            if self._use_cached(entrant):
                continue
            if not may_start():
                entrant.is_done = True
                entrant.rows = [self._entrant_row(entrant, "create", 0, Measurement("pending", "no time was left"))]
                continue
            self._first_round(entrant)
        for run in range(1, self._repeats.most + 1):
            active = [entrant for entrant in entrants if not entrant.is_done]
            if not active and run > self._repeats.least:
                break
            self._run_floors(run)
            for entrant in active:
                self._timed_round(entrant, run)
        self._remove("patch", "patch.xz", "out")
        bad = [entrant for entrant in entrants if any(row.status not in ("ok", "pending") for row in entrant.rows)]
        for entrant in bad:
            row = next(row for row in entrant.rows if row.status != "ok")
            say(f"{self._pair.name}: {row.tool} {row.setting}: {row.status}: {row.detail}")
        return self._floor_rows + [row for entrant in entrants for row in entrant.rows]


def entrants_for(pair: Pair, tools: list[Tool], wants: Callable[[Setting], bool]) -> list[Entrant]:
    digests: dict[str, str] = {}
    entrants = []
    for tool in tools:
        if tool.missing:
            continue
        digests[tool.name] = "-".join(file_digest(path)[:8] for path in tool.paths.values())
        entrants += [Entrant(tool, setting, digests[tool.name]) for setting in tool.settings
                     if wants(setting) and pair.new_bytes <= setting.largest_new_bytes
                     and setting.category in ("", pair.category)]
    return entrants


class Progress:
    """A line a pair on stderr."""

    def __init__(self, pair_count: int):
        self._pair_count = pair_count
        self._begin = time.monotonic()

    def minutes(self) -> float:
        return (time.monotonic() - self._begin) / 60

    def say(self, text: str) -> None:
        print(f"[{self.minutes():5.1f} min] {text}", file=sys.stderr, flush=True)

    def pair(self, number: int, pair: Pair) -> None:
        self.say(f"{number}/{self._pair_count} {pair.name} ({pair.new_bytes / 1e6:.1f} MB)")
