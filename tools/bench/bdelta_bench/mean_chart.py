"""The chart of a whole run: size against time in geometric means over many pairs, a mark for each setting.

Means of different settings compare only over the same pairs. So a peer's settings count by kind (fast, middle, ...:
zstd's smallest has one setting for small files and one for large ones), a kind is shown if it has figures on at least
three quarters of the pairs, and the means are taken over the pairs on which all shown have figures.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

from . import frontier, summary
from .report_rows import Pair, Row, Run, SummaryError

ENOUGH_PAIRS = 0.75
REFERENCE = ("zstd", "fast")  # times are relative to this


@dataclass(frozen=True)
class Mark:
    """A setting's means: seconds over the reference's, bytes over those of the smallest peer."""
    tool: str
    label: str
    time: float
    size: float


@dataclass(frozen=True)
class Marks:
    shown: List[Mark]
    left_out: List[str]
    pair_count: int


Key = Tuple[str, str]  # tool and kind; for our levels tool and setting


def _key(row: Row) -> Key:
    return row.tool, row.setting if row.tool == frontier.OURS else row.kind


def row_of(pair: Pair, key: Key) -> Optional[Row]:
    """The smallest patch of a kind of setting, with one thread."""
    rows = [row for row in pair.tool_rows() if row.ok and row.threads == 1 and _key(row) == key]
    return min(rows, key=lambda row: row.patch_bytes, default=None)


def _mark(pairs: Sequence[Pair], key: Key) -> Mark:
    rows = [row_of(pair, key) for pair in pairs]
    references = [row_of(pair, REFERENCE) for pair in pairs]
    time = summary.geometric_mean(row.create_wall_s / other.create_wall_s for row, other in zip(rows, references))
    size = summary.geometric_mean(row.patch_bytes / pair.smallest_peer().patch_bytes for row, pair in zip(rows, pairs))
    setting = Counter(row.setting for row in rows).most_common(1)[0][0]
    return Mark(key[0], summary.short_setting(setting), time, size)


def marks(run: Run) -> Marks:
    """Raises SummaryError where no pair has figures of all."""
    keys = dict.fromkeys(_key(row) for pair in run.pairs for row in pair.tool_rows())
    present = {key: sum(row_of(pair, key) is not None for pair in run.pairs) for key in keys}
    shown = [key for key in keys if present[key] >= ENOUGH_PAIRS * len(run.pairs) or key == REFERENCE]
    pairs = [pair for pair in run.pairs if all(row_of(pair, key) for key in shown)]
    if not pairs or REFERENCE not in keys:
        raise SummaryError(f"run {run.name!r}: no pair has figures of {' '.join(REFERENCE)} and of all that is shown")
    left_out = [" ".join(key) for key in keys if key not in shown]
    return Marks([_mark(pairs, key) for key in shown], left_out, len(pairs))
