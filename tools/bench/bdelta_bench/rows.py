"""The files of a run: raw.csv (each single measurement), summary.csv (medians) and run.json (where and when)."""
from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from .report_rows import FLOOR, Row

LONG_SECONDS = 1.0  # from here on looking at the memory does not touch the time


@dataclass
class RawRow:
    """One step run once. Times in seconds, sizes in bytes. In run 0 memory is looked at often."""
    date: str
    pair: str
    category: str
    old_bytes: int
    new_bytes: int
    tool: str
    version: str
    program_digest: str
    setting: str
    kind: str
    threads: int
    step: str  # create | apply
    run: int
    status: str
    detail: str = ""
    patch_bytes: int = 0
    wall_s: float = 0.0
    user_s: float = 0.0
    system_s: float = 0.0
    private_bytes: int = 0
    total_bytes: int = 0
    load: float = 0.0           # of the machine when the step began
    steal_percent: float = 0.0  # of processor time while it ran

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.pair, self.tool, self.setting, self.threads


SUMMARY_COLUMNS = tuple(column.name for column in fields(Row))


def read_raw(path: Path) -> list[RawRow]:
    """The rows of a raw.csv; none if there is no such file. ValueError names the line of a row that does not fit."""
    if not path.exists():
        return []
    convert = {item.name: {"int": int, "float": float}.get(str(item.type), str) for item in fields(RawRow)}
    rows = []
    with open(path, newline="") as file:
        for number, line in enumerate(csv.DictReader(file), start=2):
            if set(line) != set(convert):
                raise ValueError(f"{path}:{number}: expected the columns {', '.join(convert)}")
            rows.append(RawRow(**{name: convert[name](value) for name, value in line.items()}))
    return rows


def write_raw(path: Path, rows: list[RawRow]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, [item.name for item in fields(RawRow)], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            line = asdict(row)
            for name in ("wall_s", "user_s", "system_s"):
                line[name] = f"{line[name]:.6f}"
            writer.writerow(line)


def _step_figures(step: str, rows: list[RawRow]) -> dict[str, object]:
    """Medians and minimum of the runs, without run 0 where it is short; peaks over all runs."""
    rows = [row for row in rows if row.step == step and row.status == "ok"]
    if not rows:
        return {}
    timed = [row for row in rows if row.run > 0 or row.wall_s >= LONG_SECONDS] or rows
    walls = [row.wall_s for row in timed]
    return {
        f"{step}_runs": len(timed),
        f"{step}_wall_s": f"{statistics.median(walls):.6f}",
        f"{step}_wall_min_s": f"{min(walls):.6f}",
        f"{step}_cpu_s": f"{statistics.median(row.user_s + row.system_s for row in timed):.6f}",
        f"{step}_private_bytes": max(row.private_bytes for row in rows),
        f"{step}_total_bytes": max(row.total_bytes for row in rows),
    }


def summarize(rows: list[RawRow]) -> list[dict[str, object]]:
    """One line a pair, tool, setting and thread count, in the order in which they were first measured."""
    groups: dict[tuple, list[RawRow]] = defaultdict(list)
    for row in rows:
        groups[row.key].append(row)
    lines = []
    for group in groups.values():
        first = group[0]
        bad = next((row for row in group if row.status != "ok"), None)
        line: dict[str, object] = {name: getattr(first, name) for name in (
            "pair", "category", "old_bytes", "new_bytes", "tool", "version", "setting", "kind", "threads", "date")}
        line["status"] = bad.status if bad else "ok"
        line["detail"] = bad.detail if bad else ""
        if not bad:
            line["patch_bytes"] = first.patch_bytes if first.tool != FLOOR else ""
            line.update(_step_figures("create", group))
            line.update(_step_figures("apply", group))
        lines.append(line)
    return lines


def write_summary(path: Path, lines: list[dict[str, object]]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, SUMMARY_COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
