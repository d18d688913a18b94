"""The tables across pairs, as HTML. All text that comes from a run is escaped in `cell` or by the caller."""
from __future__ import annotations

import html
from typing import Callable, List, Optional, Sequence

from . import frontier, summary
from .report_rows import FLOOR, Pair, Run
from .summary import Comparison, NOTHING, ratio_text

THREADS_SECONDS = 1.0  # a second thread is judged where one thread needs longer than this


def cell(text: str, css: str = "", note: str = "") -> str:
    """A table's cell; `note` stands small below the text."""
    kind = f' class="{css}"' if css else ""
    small = f"<small>{html.escape(note)}</small>" if note else ""
    return f"<td{kind}>{html.escape(text)}{small}</td>"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in a box that scrolls. The first of each row's cells is its heading; `rows` hold finished cells."""
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in heads)
    body = "\n".join(f"<tr>{_heading(row[0])}{''.join(row[1:])}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _heading(finished_cell: str) -> str:
    return finished_cell.replace("<td", '<th scope="row"').replace("</td>", "</th>")


def verdict(ratio: Optional[float]) -> str:
    """The class of a cell: shaded the same way for wins and losses, in different colours."""
    return "" if ratio is None or ratio == 1 else "win" if ratio < 1 else "loss"


def comparison_cell(found: Comparison) -> str:
    if found.mean is None:
        return cell(NOTHING)
    return cell(ratio_text(found.mean), verdict(found.mean), f"{found.wins} : {found.losses}")


def setting_cell(tool: str, setting: str) -> str:
    """A setting may break between its words, but not at their hyphens."""
    words = " ".join(f"<span>{html.escape(word)}</span>" for word in setting_name(tool, setting).split())
    return f'<td class="setting{" ours" if tool == frontier.OURS else ""}">{words}</td>'


def setting_name(tool: str, setting: str) -> str:
    return tool if setting == "default" else f"{tool} {setting}"


def outcome_table(run: Run) -> str:
    """Wins and losses by category, as in the Markdown summary."""
    found = summary.outcomes(run)
    level = found[-1].level
    rows = []
    for one in found:
        worst = summary.size_ratio(one.worst, level) if one.worst else None
        total = one.matched + one.lost
        rows.append([cell(one.name), cell(str(one.pair_count)), cell(ratio_text(one.size.mean), verdict(one.size.mean)),
                     cell(str(one.size.wins), "win" if one.size.wins else ""),
                     cell(str(one.size.losses), "loss" if one.size.losses else ""),
                     cell(ratio_text(worst), verdict(worst), one.worst.name if one.worst else ""),
                     cell(f"{one.matched} of {total}", "win" if one.matched else ""),
                     cell(f"{one.lost} of {total}", "loss" if one.lost else "")])
    heads = ["category", "pairs", f"size, level {level}", "pairs smaller", "pairs larger", "worst size",
             "peer points matched", "peer points unmatched"]
    return table(heads, rows)


def level_size_table(run: Run) -> str:
    """Each of our levels against the smallest patch of any peer."""
    groups = [(name, run.category(name)) for name in run.categories()] + [("all", run.pairs)]
    rows = [[cell(f"level {level}")] + [comparison_cell(summary.compare(
        pairs, summary.level_figure("patch_bytes", level), summary.smallest_peer_bytes)) for _, pairs in groups]
        for level in run.levels()]
    return table(["level"] + [f"{name} ({len(pairs)})" for name, pairs in groups], rows)


def against_peers_table(run: Run, column: str, pairs: Sequence[Pair]) -> str:
    """Our shown levels against each setting of each peer in one column of the summary."""
    levels = run.shown_levels()
    rows = []
    for tool, kind, setting in run.peer_settings():
        theirs = summary.figure(column, tool, setting)
        measured = sum(theirs(pair) is not None for pair in pairs)
        rows.append([setting_cell(tool, setting), cell("" if kind == "default" else kind), cell(str(measured))] + [
            comparison_cell(summary.compare(pairs, summary.level_figure(column, level), theirs)) for level in levels])
    return table(["peer's setting", "kind", "pairs"] + [f"level {level}" for level in levels], rows)


def floor_table(run: Run) -> str:
    """Our create time over that of mapping, hashing and comparing both files, by category; large pairs only."""
    groups = [(name, summary.large(run.category(name))) for name in run.categories()]
    base = summary.figure("create_wall_s", FLOOR, "map-hash-compare")
    rows = []
    for level in run.shown_levels():
        found = [summary.compare(pairs, summary.level_figure("create_wall_s", level), base) for _, pairs in groups]
        rows.append([cell(f"level {level}")] + [cell(ratio_text(one.mean)) for one in found])
    return table(["level"] + [f"{name} ({len(pairs)})" for name, pairs in groups], rows)


def apply_table(run: Run) -> str:
    """Apply time over its base for each setting and category, with the worst pair."""
    groups = [run.category(name) for name in run.categories()] + [run.pairs]
    settings = [(frontier.OURS, f"-{level}") for level in run.levels()]
    settings += [(tool, setting) for tool, _, setting in run.peer_settings()]
    rows = [[setting_cell(tool, setting)] + [_apply_cell(pairs, tool, setting) for pairs in groups]
            for tool, setting in settings]
    return table(["setting"] + run.categories() + ["all"], rows)


def _apply_cell(pairs: Sequence[Pair], tool: str, setting: str) -> str:
    ratios = summary.apply_ratios(pairs, tool, setting)
    return cell(ratio_text(summary.geometric_mean(ratios)), note=f"worst {ratio_text(max(ratios))}" if ratios else "")


def threads_table(run: Run) -> str:
    """Two threads over one, for our levels: create and apply."""
    rows = []
    for name, column in (("create", "create_wall_s"), ("apply", "apply_wall_s")):
        found = []
        for level in run.levels():
            one, two = summary.level_figure(column, level), summary.level_figure(column, level, threads=2)
            long = [pair for pair in run.pairs if (one(pair) or 0) > THREADS_SECONDS]
            found.append(summary.compare(long, two, one))
        rows.append([cell(name)] + [cell(ratio_text(x.mean), verdict(x.mean), f"{x.count} pairs") for x in found])
    return table(["time"] + [f"level {level}" for level in run.levels()], rows)


def points_table(run: Run) -> str:
    """Unmatched points of each peer setting, by category: where the losses are."""
    groups = [run.category(name) for name in run.categories()] + [run.pairs]

    def count_cell(pairs: Sequence[Pair], wanted: Callable[[frontier.Point], bool]) -> str:
        total = sum(wanted(point) for pair in pairs for point in pair.points())
        lost = sum(wanted(loss.peer) for pair in pairs for loss in frontier.losses(pair.points()))
        return cell(f"{lost} of {total}" if total else NOTHING, "loss" if lost else "win" if total else "")

    rows: List[List[str]] = []
    for tool, _, setting in run.peer_settings():
        rows.append([setting_cell(tool, setting)] + [
            count_cell(pairs, lambda point: (point.tool, point.setting) == (tool, setting)) for pairs in groups])
    rows.append([cell("all")] + [count_cell(pairs, lambda point: point.tool != frontier.OURS) for pairs in groups])
    return table(["peer's setting"] + run.categories() + ["all"], rows)
