"""The report of a run: one HTML page that needs nothing but itself, with wins and losses side by side.

The text around the tables is in report_template.html; here are the parts that depend on the run. Without matplotlib
the page is written without charts and says so.
"""
from __future__ import annotations

import html
import os
from collections import Counter
from string import Template
from typing import Any, List, Optional

from . import frontier, report_tables, summary
from .report_rows import Pair, Row, Run, load_run
from .report_tables import cell, setting_cell, table, verdict
from .summary import NOTHING, bytes_text, ratio_text, seconds_text

try:
    from . import charts
except ImportError as error:
    if (error.name or "").startswith(__package__):
        raise  # a fault of these modules, not a missing library
    charts = None

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report_template.html")
NO_CHARTS = ("Charts are left out: the Python module matplotlib was not found. It is in the Debian package "
             "python3-matplotlib.")


def _runs_text(run: Run) -> str:
    counts = [row.create_runs for pair in run.pairs for row in pair.tool_rows() if row.ok and row.create_runs]
    if not counts:
        return NOTHING
    return str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _load_text(info: Any) -> str:
    load = info.get("load") or []
    text = " before, ".join(f"{value:.2f}" for value in load) + " after" if len(load) == 2 else NOTHING
    return f"{text}; steal {info.get('steal_percent', NOTHING)} %"


def _without_figures(run: Run) -> str:
    counts = Counter(row.status for pair in run.pairs for row in pair.tool_rows() if not row.ok)
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none"


def _facts(run: Run) -> str:
    info = run.info
    tools = ", ".join(f"{name} {version}" for name, version in info.get("tools", {}).items())
    known = {name: info.get(name, NOTHING) for name in ("date", "cpu", "cores", "system", "kernel", "command")}
    facts = [("date", known["date"]), ("processor", f"{known['cpu']}, {known['cores']} cores"),
             ("memory", bytes_text(info.get("memory_bytes"))), ("system", f"{known['system']}, {known['kernel']}"),
             ("load", _load_text(info)), ("tools", tools), ("command", known["command"]),
             ("pairs", str(len(run.pairs))), ("runs of each setting", _runs_text(run)),
             ("settings without figures", _without_figures(run))]
    facts += [("missing tool", f"{name}: {hint}") for name, hint in info.get("missing", {}).items()]
    return "\n".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(text))}</dd>" for name, text in facts)


def _anchor(run: Run, pair: Pair) -> str:
    return f"pair-{run.pairs.index(pair) + 1}"


def _point_cell(point: Optional[frontier.Point], miss: Optional[float], what: str) -> str:
    """Our nearest point and by how much it misses."""
    if point is None:
        return cell("none of ours", "loss")
    return cell(f"{point.setting}: {bytes_text(point.patch_bytes)}, {seconds_text(point.seconds)}", "",
                f"{ratio_text(miss)} times {what}")


def loss_table(run: Run) -> str:
    """All unmatched points of peers, by pair and time."""
    rows = []
    for pair in run.pairs:
        for loss in sorted(frontier.losses(pair.points()), key=lambda loss: loss.peer.seconds):
            link = f'<td><a href="#{_anchor(run, pair)}">{html.escape(pair.name)}</a></td>'
            rows.append([link, setting_cell(loss.peer.tool, loss.peer.setting),
                         cell(bytes_text(loss.peer.patch_bytes)), cell(seconds_text(loss.peer.seconds)),
                         _point_cell(loss.as_fast, loss.size_miss, "the bytes"),
                         _point_cell(loss.as_small, loss.time_miss, "the time"),
                         cell("yes" if loss.on_frontier else "no, behind another peer")])
    heads = ["pair", "peer's setting", "its patch", "its time", "our smallest that is as fast",
             "our fastest that is as small", "on the frontier"]
    return table(heads, rows) if rows else "<p>There is none.</p>"


def _figure_row(pair: Pair, row: Row, lost: bool) -> List[str]:
    base = pair.apply_base_s()
    apply = row.apply_wall_s / base if row.apply_wall_s is not None and base else None
    exact = f"{row.patch_bytes:,}" if row.patch_bytes is not None else NOTHING
    status = row.status if row.ok or not row.detail else f"{row.status}: {row.detail}"
    cells = [setting_cell(row.tool, row.setting),
             cell(str(row.threads)), cell(exact, "loss" if lost else "")]
    cells += [cell(seconds_text(value)) for value in (row.create_wall_s, row.create_cpu_s, row.apply_wall_s)]
    cells.append(cell(ratio_text(apply)))
    cells += [cell(bytes_text(value)) for value in (row.create_private_bytes, row.create_total_bytes,
                                                    row.apply_private_bytes, row.apply_total_bytes)]
    return cells + [cell(status, "" if row.ok else "loss")]


def _pair_table(pair: Pair) -> str:
    lost = {(loss.peer.tool, loss.peer.setting) for loss in frontier.losses(pair.points())}
    rows = [_figure_row(pair, row, row.threads == 1 and (row.tool, row.setting) in lost) for row in pair.tool_rows()]
    heads = ["setting", "threads", "patch bytes", "create, wall", "create, CPU", "apply, wall", "apply / base",
             "create, private", "create, total", "apply, private", "apply, total", "status"]
    return table(heads, rows)


def _smallest_text(pair: Pair) -> str:
    """Our smallest patch beside the smallest of the peers; finished HTML."""
    ours = min((row for row in pair.tool_rows() if row.ok and row.tool == frontier.OURS),
               key=lambda row: row.patch_bytes, default=None)
    peer = pair.smallest_peer()
    if ours is None or peer is None:
        return "Smallest patch: no figure of " + ("ours" if ours is None else "a peer")
    ratio = ours.patch_bytes / peer.patch_bytes
    text = (f"smallest patch: ours {ours.setting} {bytes_text(ours.patch_bytes)} over "
            f"{summary.short_name(peer.tool, peer.setting)} {bytes_text(peer.patch_bytes)}")
    return f'<span class="mark {verdict(ratio)}">{ratio_text(ratio)}</span> {html.escape(text)}'


def _points_text(pair: Pair) -> str:
    points = pair.points()
    lost = [summary.short_name(loss.peer.tool, loss.peer.setting) for loss in frontier.losses(points)]
    total = len(frontier.peers_of(points))
    if total == 0:
        return "No point of a peer"
    css = "win" if len(lost) < total else "loss"
    text = f'<span class="mark {css}">{total - len(lost)} of {total}</span> peer points matched'
    return text + (f'; <span class="mark loss">unmatched</span> {html.escape(", ".join(lost))}' if lost else "")


def _status_text(pair: Pair) -> str:
    bad = [f"{summary.short_name(row.tool, row.setting)} ({row.status})"
           for row in pair.tool_rows() if not row.ok and row.threads == 1]
    return f'<p class="facts">Without figures: {html.escape(", ".join(bad))}</p>' if bad else ""


def pair_card(run: Run, pair: Pair) -> str:
    anchor = _anchor(run, pair)
    chart = charts.pair_chart(pair, anchor + "-c") if charts else ""
    sizes = f"{pair.category}; OLD {bytes_text(pair.old_bytes)}, NEW {bytes_text(pair.new_bytes)}"
    return f"""<section class="pair" id="{anchor}"><h3>{html.escape(pair.name)}</h3>
<p class="facts">{html.escape(sizes)}</p>
<p class="facts">{_smallest_text(pair)}<br>{_points_text(pair)}</p>
{"<p>No setting has figures.</p>" if chart is None else chart}
{_status_text(pair)}
<details><summary>All figures of this pair</summary>{_pair_table(pair)}</details></section>"""


def _overview_charts(run: Run) -> str:
    if not charts:
        return f'<p class="note">{html.escape(NO_CHARTS)}</p>'
    found = [("Time to apply, relative to its base", charts.apply_chart(run, "apply-c")),
             ("Private memory to create", charts.memory_chart(run, "create", "memory-create-c")),
             ("Private memory to apply", charts.memory_chart(run, "apply", "memory-apply-c"))]
    return "\n".join(f'<section class="pair"><h3>{title}</h3>{svg or "<p>No figures.</p>"}</section>'
                     for title, svg in found)


def page(run: Run) -> str:
    total = summary.outcomes(run)[-1]
    with open(TEMPLATE, encoding="utf-8") as file:
        template = Template(file.read())
    large = summary.large(run.pairs)
    return template.substitute(
        name=html.escape(run.name), facts=_facts(run), matched=total.matched, lost=total.lost,
        large=f"{summary.LARGE_BYTES // 10**6} MB", large_count=len(large), outcomes=report_tables.outcome_table(run),
        points=report_tables.points_table(run), losses=loss_table(run), level_sizes=report_tables.level_size_table(run),
        peer_sizes=report_tables.against_peers_table(run, "patch_bytes", run.pairs),
        peer_times=report_tables.against_peers_table(run, "create_wall_s", large),
        floors=report_tables.floor_table(run), threads=report_tables.threads_table(run),
        applies=report_tables.apply_table(run),
        peer_applies=report_tables.against_peers_table(run, "apply_wall_s", run.pairs),
        overview=_overview_charts(run), pairs="\n".join(pair_card(run, pair) for pair in run.pairs))


def write_report(run_directory: str, output_html: str) -> None:
    """Writes the page. Raises SummaryError for a run that can't be trusted, OSError for files."""
    text = page(load_run(run_directory))
    with open(output_html, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
