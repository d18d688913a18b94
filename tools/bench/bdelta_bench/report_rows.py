"""The results of a run as the report needs them, checked as they are read.

A run is a directory with run.json (machine, tools) and summary.csv (a row for each pair, tool, setting and number of
threads). Whatever would make a ratio wrong (an unknown column, a figure that is no number, two rows for one thing) is
a SummaryError that names file and line.
"""
from __future__ import annotations

import csv
import dataclasses
import json
import math
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from . import frontier

CATEGORIES = ("programs", "data", "archives", "compressed", "near-identical")
KINDS = ("level", "fast", "middle", "smallest", "default", "floor")
STATUSES = ("ok", "timeout", "memory", "failed", "mismatch", "pending", "missing")
FLOOR = "floor"
SHOWN_LEVELS = (1, 3, 6, 9)


class SummaryError(ValueError):
    """A run that cannot be read, or can't be trusted."""


@dataclass(frozen=True)
class Row:
    """One row of summary.csv; the fields are its columns. Figures that were not measured are None."""
    pair: str
    category: str
    old_bytes: int
    new_bytes: int
    tool: str
    version: str
    setting: str
    kind: str
    threads: int
    status: str
    detail: str
    patch_bytes: Optional[int]
    create_runs: Optional[int]
    create_wall_s: Optional[float]
    create_wall_min_s: Optional[float]
    create_cpu_s: Optional[float]
    create_private_bytes: Optional[int]
    create_total_bytes: Optional[int]
    apply_runs: Optional[int]
    apply_wall_s: Optional[float]
    apply_wall_min_s: Optional[float]
    apply_cpu_s: Optional[float]
    apply_private_bytes: Optional[int]
    apply_total_bytes: Optional[int]
    date: str

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def level(self) -> Optional[int]:
        """The number of one of our levels; None for peers and for our settings that are no level."""
        text = self.setting[1:]
        return int(text) if self.kind == "level" and self.setting[:1] == "-" and text.isdecimal() else None


@dataclass
class Pair:
    name: str
    category: str
    old_bytes: int
    new_bytes: int
    rows: List[Row] = field(default_factory=list)

    def row(self, tool: str, setting: str, threads: int = 1) -> Optional[Row]:
        """The row of a setting, if it has figures."""
        return next((r for r in self.rows if r.ok and (r.tool, r.setting, r.threads) == (tool, setting, threads)), None)

    def level(self, level: int) -> Optional[Row]:
        return self.row(frontier.OURS, f"-{level}")

    def tool_rows(self) -> List[Row]:
        """All rows but those of the floor, without figures too."""
        return [row for row in self.rows if row.tool != FLOOR]

    def peers(self) -> List[Row]:
        """Rows of peers that have figures, for any number of threads."""
        return [row for row in self.tool_rows() if row.ok and row.tool != frontier.OURS]

    def smallest_peer(self) -> Optional[Row]:
        return min(self.peers(), key=lambda row: row.patch_bytes, default=None)

    def apply_base_s(self) -> Optional[float]:
        """Seconds to copy NEW and to hash OLD: what applying can't do without."""
        floors = [self.row(FLOOR, "cp"), self.row(FLOOR, "hash")]
        return None if None in floors else sum(row.create_wall_s for row in floors)

    def points(self) -> List[frontier.Point]:
        """Size and time of all settings that have figures for one thread."""
        return [frontier.Point(row.tool, row.setting, row.create_wall_s, row.patch_bytes)
                for row in self.tool_rows() if row.ok and row.threads == 1]


@dataclass
class Run:
    name: str
    info: Dict[str, Any]
    pairs: List[Pair]

    def category(self, name: Optional[str]) -> List[Pair]:
        """The pairs of a category; all of them for None."""
        return [pair for pair in self.pairs if name in (None, pair.category)]

    def categories(self) -> List[str]:
        return [name for name in CATEGORIES if self.category(name)]

    def levels(self) -> List[int]:
        return sorted({row.level for pair in self.pairs for row in pair.rows if row.level is not None})

    def shown_levels(self) -> List[int]:
        return [level for level in self.levels() if level in SHOWN_LEVELS]

    def peer_settings(self) -> List[Tuple[str, str, str]]:
        """(tool, kind, setting) of all peers, also of those without any figure; ordered by tool as met, then kind."""
        rows = [row for pair in self.pairs for row in pair.tool_rows() if row.tool != frontier.OURS]
        tools = list(dict.fromkeys(row.tool for row in rows))
        found = dict.fromkeys((row.tool, row.kind, row.setting) for row in rows)
        return sorted(found, key=lambda key: (tools.index(key[0]), KINDS.index(key[1])))


def _number(text: str, kind: str) -> Any:
    value = int(text) if "int" in kind else float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(text)
    return value


def _field(column: dataclasses.Field, text: str, place: str) -> Any:
    if column.type == "str":
        return text
    if text == "" and "Optional" in column.type:
        return None
    try:
        return _number(text, column.type)
    except ValueError:
        raise SummaryError(f"{place}: column {column.name} holds {text!r}, expected a number from 0 on") from None


def _check(row: Row, place: str) -> None:
    """What the types leave open: known words, and figures that can be divided by."""
    for name, known in (("category", CATEGORIES), ("kind", KINDS), ("status", STATUSES)):
        if getattr(row, name) not in known:
            raise SummaryError(f"{place}: {name} is {getattr(row, name)!r}, expected one of {', '.join(known)}")
    needed = ["create_wall_s"] if row.tool == FLOOR else ["create_wall_s", "patch_bytes"]
    missing = [name for name in needed if getattr(row, name) is None] if row.ok else []
    if missing:
        raise SummaryError(f"{place}: the row is ok but its {missing[0]} is empty")
    for name in ("create_wall_s", "patch_bytes", "apply_wall_s"):
        if row.ok and getattr(row, name) == 0:
            raise SummaryError(f"{place}: {name} is 0, expected more, as ratios are taken of it")


def load_rows(path: str) -> List[Row]:
    """The rows of a summary.csv in their order. Raises SummaryError, or OSError if it can't be opened."""
    columns = dataclasses.fields(Row)
    rows, seen = [], {}
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        odd = sorted(set(reader.fieldnames or []) ^ {column.name for column in columns})
        if odd:
            raise SummaryError(f"{path}:1: columns unknown or missing: {', '.join(odd)}")
        for record in reader:
            place = f"{path}:{reader.line_num}"
            if None in record or None in record.values():
                raise SummaryError(f"{place}: expected {len(columns)} fields, found more or fewer")
            row = Row(*(_field(column, record[column.name], place) for column in columns))
            _check(row, place)
            first = seen.setdefault((row.pair, row.tool, row.setting, row.threads), place)
            if first != place:
                raise SummaryError(f"{place}: the same pair, tool, setting and threads as {first}")
            rows.append(row)
    return rows


def load_run(run_directory: str) -> Run:
    """Reads run.json and summary.csv; pairs come by category, in one category in the order of their first rows."""
    info_path = os.path.join(run_directory, "run.json")
    with open(info_path, encoding="utf-8") as file:
        try:
            info = json.load(file)
        except ValueError as error:
            raise SummaryError(f"{info_path}: not JSON: {error}") from None
    if not isinstance(info, dict) or info.get("schema") != 1:
        raise SummaryError(f"{info_path}: expected an object with schema 1")
    pairs: Dict[str, Pair] = {}
    path = os.path.join(run_directory, "summary.csv")
    for row in load_rows(path):
        pair = pairs.setdefault(row.pair, Pair(row.pair, row.category, row.old_bytes, row.new_bytes))
        if (pair.category, pair.old_bytes, pair.new_bytes) != (row.category, row.old_bytes, row.new_bytes):
            raise SummaryError(f"{path}: rows of pair {row.pair!r} differ in category, old_bytes or new_bytes")
        pair.rows.append(row)
    ordered = sorted(pairs.values(), key=lambda pair: CATEGORIES.index(pair.category))
    return Run(os.path.basename(os.path.abspath(run_directory)), info, ordered)
