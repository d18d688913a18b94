"""The charts of the report, made by matplotlib: one for each pair, some across pairs, and one of means over the pairs."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, List, Optional, Sequence, Tuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from . import chart_base, chart_labels, frontier, mean_chart, summary
from .report_rows import Pair, Run, load_run

MEAN_INCHES = (7.0, 4.4)
SAME_PLACE_POINTS = 6  # levels nearer to each other than this share a label


@dataclass(frozen=True)
class Place:
    """A mark to be drawn; `x` and `y` in the units of the axes."""
    tool: str
    text: str
    x: float
    y: float


def _by_level(places: Iterable[Place]) -> List[Place]:
    """In the order in which the line joins them: 1 to 9, then what is no number."""
    return sorted(places, key=lambda place: (len(place.text), place.text))


def _level_labels(axes: Axes, ours: Sequence[Place]) -> List[chart_labels.Label]:
    """Labels of our levels; neighbours at one place share one ("3-5")."""
    groups: List[Tuple[float, float, List[str]]] = []
    for place in ours:
        x, y = axes.transData.transform((place.x, place.y))
        if groups and math.hypot(x - groups[-1][0], y - groups[-1][1]) < SAME_PLACE_POINTS:
            groups[-1][2].append(place.text)
        else:
            groups.append((x, y, [place.text]))
    return [chart_labels.Label("-".join(dict.fromkeys((texts[0], texts[-1]))), x, y) for x, y, texts in groups]


def _draw_labels(axes: Axes, ours: Sequence[Place], peers: Sequence[Place]) -> None:
    """Writes levels and settings beside their marks, after all lines of the chart were drawn."""
    named = [place for place in peers if place.text]
    labels = _level_labels(axes, ours)
    colours = [chart_base.style(frontier.OURS)[0]] * len(labels) + [chart_base.style(p.tool)[0] for p in named]
    labels += [chart_labels.Label(p.text, *axes.transData.transform((p.x, p.y))) for p in named]
    markers = [tuple(axes.transData.transform((p.x, p.y))) for p in [*ours, *peers]]
    lines = [line.get_transform().transform_path(line.get_path()).vertices for line in axes.lines
             if line.get_linestyle() != "None"]
    boxes = chart_labels.place(labels, markers, lines, tuple(axes.bbox.extents), chart_base.LABEL_POINTS)
    for label, (left, bottom, right, top), colour in zip(labels, boxes, colours):
        axes.annotate(label.text, ((left + right) / 2, (bottom + top) / 2), xycoords="figure pixels", ha="center",
                      va="center_baseline", color=colour, fontsize=chart_base.LABEL_POINTS)


def _draw_frontier(axes: Axes, best: Sequence[frontier.Point]) -> None:
    """A stepped line: how small a patch can be had by a time; it goes on to the frame at both ends."""
    (_, right), (_, top) = axes.get_xlim(), axes.get_ylim()
    corners = [(best[0].seconds, top)]
    for point in best:
        corners += [(point.seconds, corners[-1][1]), (point.seconds, point.patch_bytes)]
    corners.append((right, best[-1].patch_bytes))
    axes.plot(*zip(*corners), color="#c9c9c9", linewidth=2.5, zorder=1, solid_joinstyle="miter")


def pair_chart(pair: Pair, prefix: str) -> Optional[str]:
    """Patch size against create time of all settings with figures for one thread; None where there are none."""
    points = pair.points()
    if not points:
        return None
    with matplotlib.rc_context(chart_base.SETTINGS):
        drawn, axes = chart_base.figure(chart_base.PAGE_INCHES)
        chart_base.log_axis(axes, "x", [point.seconds for point in points], chart_base.SECONDS)
        chart_base.log_axis(axes, "y", [point.patch_bytes for point in points], chart_base.BYTES)
        axes.set_xlabel("time to create, one thread", labelpad=2)
        axes.set_ylabel("size of the patch", labelpad=1)
        _draw_frontier(axes, frontier.frontier(points))
        ours = _by_level(_place(point) for point in points if point.tool == frontier.OURS)
        peers = [_place(point) for point in frontier.peers_of(points)]
        _draw_points(axes, ours, peers)
        lost = [loss.peer for loss in frontier.losses(points)]
        axes.plot([p.seconds for p in lost], [p.patch_bytes for p in lost], "o", markersize=10, fillstyle="none",
                  color="black", markeredgewidth=0.9, zorder=4)
        _draw_labels(axes, ours, peers)
        ring = Line2D([], [], color="black", marker="o", fillstyle="none", markersize=8, linestyle="",
                      label="unmatched")
        step = Line2D([], [], color="#c9c9c9", linewidth=2.5, label="frontier")
        chart_base.legend(drawn, chart_base.ordered(point.tool for point in points), [step, ring] if lost else [step])
        return chart_base.inline(chart_base.svg(drawn), prefix, f"Patch size against create time of {pair.name}")


def _place(point: frontier.Point) -> Place:
    text = summary.short_setting(point.setting)
    text = text.lstrip("-") if point.tool == frontier.OURS else text
    return Place(point.tool, text, point.seconds, point.patch_bytes)


def _draw_points(axes: Axes, ours: Sequence[Place], peers: Sequence[Place]) -> None:
    for tool in chart_base.ordered(place.tool for place in peers):
        colour, marker = chart_base.style(tool)
        mine = [place for place in peers if place.tool == tool]
        axes.plot([p.x for p in mine], [p.y for p in mine], linestyle="", marker=marker, color=colour, markersize=5,
                  zorder=3)
    colour, marker = chart_base.style(frontier.OURS)
    axes.plot([p.x for p in ours], [p.y for p in ours], linewidth=1.2, markersize=5, zorder=3.5, marker=marker,
              color=colour)


def _summary_settings(run: Run) -> List[Tuple[str, str]]:
    """(tool, setting) of what is shown across pairs: some of our levels, and all of the peers."""
    ours = [(frontier.OURS, f"-{level}") for level in run.shown_levels()]
    return ours + [(tool, setting) for tool, _, setting in run.peer_settings()]


def apply_chart(run: Run, prefix: str) -> Optional[str]:
    """Apply time over its base: a row for each setting, a dot for each pair, a bar at the geometric mean."""
    rows = []
    for tool, setting in _summary_settings(run):
        ratios = summary.apply_ratios(run.pairs, tool, setting)
        if ratios:
            rows.append((tool, setting, ratios))
    if not rows:
        return None
    with matplotlib.rc_context(chart_base.SETTINGS):
        drawn, axes = chart_base.figure(chart_base.PAGE_INCHES, left=0.27, bottom=0.14)
        chart_base.log_axis(axes, "x", [ratio for _, _, ratios in rows for ratio in ratios], chart_base.RATIO)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)))
        axes.set_yticklabels([summary.short_name(tool, setting) for tool, setting, _ in rows],
                             fontsize=chart_base.LABEL_POINTS)
        axes.set_xlabel("time to apply, over copying NEW and hashing OLD", labelpad=2)
        axes.axvline(1, color="#888888", linewidth=1, zorder=1)
        for y, (tool, _, ratios) in enumerate(rows):
            colour = chart_base.style(tool)[0]
            axes.plot(ratios, [y] * len(ratios), ".", color=colour, alpha=0.45, markersize=6, markeredgewidth=0)
            axes.plot([summary.geometric_mean(ratios)], [y], "|", color=colour, markersize=11, markeredgewidth=2)
        return chart_base.inline(chart_base.svg(drawn), prefix, "Apply time relative to its base")


def memory_chart(run: Run, action: str, prefix: str) -> Optional[str]:
    """Peak private memory to "create" or "apply" against the size of NEW, a mark for each pair and setting."""
    found = []
    for tool, setting in _summary_settings(run):
        memory = summary.figure(f"{action}_private_bytes", tool, setting)
        found += [(tool, pair.new_bytes, memory(pair)) for pair in run.pairs if memory(pair) and pair.new_bytes]
    if not found:
        return None
    sizes = [size for _, size, _ in found]
    with matplotlib.rc_context(chart_base.SETTINGS):
        drawn, axes = chart_base.figure(chart_base.PAGE_INCHES, left=0.18)
        chart_base.log_axis(axes, "x", sizes, chart_base.BYTES)
        chart_base.log_axis(axes, "y", [memory for _, _, memory in found], chart_base.BYTES)
        axes.set_xlabel("size of NEW", labelpad=2)
        axes.set_ylabel(f"private memory to {action}", labelpad=1)
        same = (min(sizes), max(sizes))
        axes.plot(same, same, color="#888888", linewidth=1, zorder=1, scalex=False, scaley=False)
        tools = chart_base.ordered(tool for tool, _, _ in found)
        for tool in reversed(tools):
            colour, marker = chart_base.style(tool)
            mine = [(size, memory) for other, size, memory in found if other == tool]
            axes.plot(*zip(*mine), linestyle="", marker=marker, color=colour, markersize=4, alpha=0.55,
                      markeredgewidth=0)
        chart_base.legend(drawn, tools, [Line2D([], [], color="#888888", linewidth=1, label="as large as NEW")])
        return chart_base.inline(chart_base.svg(drawn), prefix, f"Private memory to {action} against the size of NEW")


def write_mean_chart(run_directory: str, output_svg: str) -> None:
    """One mark for each setting: mean create time against mean patch size. Raises SummaryError or OSError."""
    found = mean_chart.marks(load_run(run_directory))
    ours = _by_level(Place(m.tool, m.label.lstrip("-"), m.time, m.size) for m in found.shown if m.tool == frontier.OURS)
    peers = [Place(m.tool, m.label, m.time, m.size) for m in found.shown if m.tool != frontier.OURS]
    with matplotlib.rc_context(chart_base.SETTINGS):
        drawn, axes = chart_base.figure(MEAN_INCHES, left=0.09, bottom=0.24)
        chart_base.log_axis(axes, "x", [mark.time for mark in found.shown], chart_base.RATIO)
        chart_base.log_axis(axes, "y", [mark.size for mark in found.shown], chart_base.RATIO)
        axes.axhline(1, color="#888888", linewidth=1, zorder=1)
        axes.axvline(1, color="#888888", linewidth=1, zorder=1)
        axes.set_xlabel(f"time to create, over {' '.join(mean_chart.REFERENCE)}; one thread, geometric mean of "
                        f"{found.pair_count} pairs", labelpad=2)
        axes.set_ylabel("patch, over the smallest of any peer", labelpad=1)
        _draw_points(axes, ours, peers)
        _draw_labels(axes, ours, peers)
        if found.left_out:
            drawn.text(0.5, 0.085, "too few figures to show: " + ", ".join(found.left_out), ha="center",
                       fontsize=chart_base.LABEL_POINTS, color="#555555")
        chart_base.legend(drawn, chart_base.ordered(mark.tool for mark in found.shown), columns=8)
        text = chart_base.svg(drawn)
    with open(output_svg, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
