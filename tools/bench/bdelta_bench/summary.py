"""What the report says in numbers: ratios of ours over theirs, their means, wins and losses; and a summary in Markdown.

A ratio is always ours over theirs, so below 1 is better for us. Means of ratios are geometric: they are the same
whichever side is the divisor, and no single pair outweighs the rest by its size.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterable, List, Optional, Sequence, Tuple

from . import frontier
from .report_rows import Pair, Run, SummaryError, load_run

LARGE_BYTES = 20_000_000  # create times are compared over pairs whose NEW is larger than this
NOTHING = "–"


@dataclass(frozen=True)
class Comparison:
    """Ratios of ours over theirs in short. A ratio of exactly 1 is neither a win nor a loss."""
    mean: Optional[float]
    wins: int
    losses: int
    count: int


Figure = Callable[[Pair], Optional[float]]


def geometric_mean(values: Iterable[float]) -> Optional[float]:
    """None for no values."""
    logarithms = [math.log(value) for value in values]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None


def compare(pairs: Iterable[Pair], ours: Figure, theirs: Figure) -> Comparison:
    """Over the pairs for which both sides have a figure."""
    both = [(ours(pair), theirs(pair)) for pair in pairs]
    ratios = [a / b for a, b in both if a is not None and b is not None]
    return Comparison(geometric_mean(ratios), sum(r < 1 for r in ratios), sum(r > 1 for r in ratios), len(ratios))


def figure(column: str, tool: str, setting: str, threads: int = 1) -> Figure:
    """Looks up a column of one setting; None for pairs on which it has no figures."""
    return lambda pair: getattr(pair.row(tool, setting, threads), column, None)


def level_figure(column: str, level: Optional[int], threads: int = 1) -> Figure:
    return figure(column, frontier.OURS, f"-{level}", threads)


def smallest_peer_bytes(pair: Pair) -> Optional[int]:
    return getattr(pair.smallest_peer(), "patch_bytes", None)


def apply_ratios(pairs: Iterable[Pair], tool: str, setting: str) -> List[float]:
    """Apply time of a setting over its base, for the pairs that have both."""
    time = figure("apply_wall_s", tool, setting)
    both = [(time(pair), pair.apply_base_s()) for pair in pairs]
    return [seconds / base for seconds, base in both if seconds is not None and base is not None]


def large(pairs: Sequence[Pair]) -> List[Pair]:
    return [pair for pair in pairs if pair.new_bytes > LARGE_BYTES]


@dataclass(frozen=True)
class Outcome:
    """What a table row says about some pairs: sizes at our highest level, points of peers matched and not."""
    name: str
    pair_count: int
    level: Optional[int]
    size: Comparison
    matched: int
    lost: int
    worst: Optional[Pair]  # where our size at that level compares worst


def size_ratio(pair: Pair, level: int) -> Optional[float]:
    """Our patch over the smallest of all peers."""
    ours, theirs = pair.level(level), pair.smallest_peer()
    return None if ours is None or theirs is None else ours.patch_bytes / theirs.patch_bytes


def outcome(name: str, pairs: Sequence[Pair], level: Optional[int]) -> Outcome:
    size = compare(pairs, level_figure("patch_bytes", level), smallest_peer_bytes)
    lost = sum(len(frontier.losses(pair.points())) for pair in pairs)
    peers = sum(len(frontier.peers_of(pair.points())) for pair in pairs)
    measured = [pair for pair in pairs if size_ratio(pair, level) is not None]
    worst = max(measured, key=lambda pair: size_ratio(pair, level), default=None)
    return Outcome(name, len(pairs), level, size, peers - lost, lost, worst)


def outcomes(run: Run) -> List[Outcome]:
    """One for each category that has pairs, then one for all."""
    level = max(run.levels(), default=None)
    found = [outcome(name, run.category(name), level) for name in run.categories()]
    return found + [outcome("all", run.pairs, level)]


def fast_settings(run: Run) -> List[Tuple[str, str]]:
    """(tool, setting) of the peers' fast settings."""
    return [(tool, setting) for tool, kind, setting in run.peer_settings() if kind == "fast"]


def short_setting(setting: str) -> str:
    """The word of a setting that tells it from the tool's others: "-19" of "-19 --long=31"; nothing of "default"."""
    words = [word for word in setting.split() if word not in ("--ultra", "-e", "-f", "default")]
    word = words[0] if words else ""
    return (word[2:] if word.startswith("--") else word)[:12]


def short_name(tool: str, setting: str) -> str:
    return f"{tool} {short_setting(setting)}".strip()


def ratio_text(ratio: Optional[float]) -> str:
    if ratio is None:
        return NOTHING
    return f"{ratio:#.2g}" if ratio < 0.095 else f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:,.1f}"


def bytes_text(count: Optional[float]) -> str:
    """In powers of 1000, with three digits; bytes below 1000 as they are."""
    if count is None:
        return NOTHING
    if count < 1000:
        return f"{count:g} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.5:
            break
    return f"{_digits(count)} {unit}"


def seconds_text(seconds: Optional[float]) -> str:
    if seconds is None:
        return NOTHING
    return f"{_digits(seconds * 1000)} ms" if seconds < 0.9995 else f"{_digits(seconds)} s"


def _digits(value: float) -> str:
    """Three digits, or all of those before the point."""
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def markdown_cell(text: str) -> str:
    """Text that neither ends a table's cell nor starts markup."""
    return "".join("\\" + letter if letter in "\\|<>*_`&[]" else letter for letter in text)


def _markdown_row(found: Outcome, pairs: Sequence[Pair], fast: Sequence[Tuple[str, str]], level: int) -> str:
    cells = [found.name, str(found.pair_count), ratio_text(found.size.mean), f"{found.size.wins} : {found.size.losses}"]
    for tool, setting in fast:
        times = compare(large(pairs), level_figure("create_wall_s", level), figure("create_wall_s", tool, setting))
        cells.append(ratio_text(times.mean))
    worst = NOTHING
    if found.worst is not None:
        worst = f"{markdown_cell(found.worst.name)} {ratio_text(size_ratio(found.worst, found.level))}"
    return "| " + " | ".join(cells + [f"{found.matched} : {found.lost}", worst]) + " |"


def markdown_summary(run_directory: str) -> str:
    """A table of wins and losses by category, to be pasted by hand."""
    run = load_run(run_directory)
    if not run.levels():
        raise SummaryError(f"{run_directory}: the run has no level of {frontier.OURS}, so nothing to compare")
    low, high = run.levels()[0], run.levels()[-1]
    fast = fast_settings(run)
    names = ["category", "pairs", f"size at -{high}", "smaller : larger"]
    names += [f"time at -{low} / {markdown_cell(short_name(tool, setting))}" for tool, setting in fast]
    names += ["peer points matched : lost", "worst size"]
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += [_markdown_row(found, run.category(None if found.name == "all" else found.name), fast, low)
              for found in outcomes(run)]
    lines += ["", f"Geometric means of ours over theirs; below 1.00 {frontier.OURS} is better. Size is against the",
              "smallest patch of any peer; time is to create, with one thread, over pairs with NEW above "
              f"{LARGE_BYTES // 10**6} MB.",
              "A peer's point (size and time of a setting on a pair) is matched where one of our levels is as small",
              "and as fast; sizes within 3 % and times apart by under 3 % or 10 ms count as equal.",
              f"Run of {run.info.get('date', '?')} on {markdown_cell(str(run.info.get('cpu', '?')))}."]
    return "\n".join(lines) + "\n"
