"""What all charts share: colours and markers of the tools, axes, legend, and the way from matplotlib to an SVG.

A chart for a page is drawn for a width of about 360 px: the page scales it, and text in it stays text. The same data
give the same bytes: no date, no random names, and ids that carry the prefix the caller chose, so that charts share a
page.
"""
from __future__ import annotations

import html
import io
import re
from typing import Dict, Iterable, List, Sequence, Tuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from . import frontier, summary

PAGE_INCHES = (4.2, 3.6)
FONT_POINTS = 8.5
LABEL_POINTS = 7.5
STYLES = {  # colour and marker of each tool
    "bdelta": ("#0b4fa8", "o"), "zstd": ("#d9480f", "s"), "xdelta3": ("#2b8a3e", "^"), "hdiffpatch": ("#862e9c", "D"),
    "zucchini": ("#7a4a12", "P"), "bsdiff": ("#c2255c", "v"), "qbsdiff": ("#0c8599", "X")}
OTHER_STYLE = ("#666666", "*")
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "bdelta", "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans"], "font.size": FONT_POINTS, "path.simplify": True, "path.snap": True,
            "axes.linewidth": 0.6, "axes.axisbelow": True, "axes.grid": True, "grid.color": "#e4e4e4",
            "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
SMALLEST_SPAN = 6.0     # of an axis, as largest over smallest: closer points are not drawn as if far apart
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def style(tool: str) -> Tuple[str, str]:
    return STYLES.get(tool, OTHER_STYLE)


def figure(inches: Tuple[float, float], left: float = 0.16, bottom: float = 0.23) -> Tuple[Figure, Axes]:
    """A figure with one pair of axes; `left` and `bottom` are the parts kept for what stands there."""
    made = Figure(figsize=inches, dpi=72)
    FigureCanvasSVG(made)
    return made, made.add_axes((left, bottom, 0.95 - left, 0.97 - bottom))


def log_axis(axes: Axes, name: str, values: Iterable[float], text: FuncFormatter) -> None:
    """Makes an axis logarithmic with room around its values, and few ticks."""
    low, high = min(values), max(values)
    room = max(1.25, (SMALLEST_SPAN / (high / low)) ** 0.5, (high / low) ** 0.09)
    low, high = low / room, high * room
    axis = getattr(axes, name + "axis")
    getattr(axes, f"set_{name}scale")("log")
    getattr(axes, f"set_{name}lim")(low, high)
    span = high / low
    subs = (1,) if span > 150 else (1, 3) if span > 25 else (1, 2, 5) if span > 12 else (1, 1.5, 2, 3, 5, 7)
    axis.set_major_locator(LogLocator(subs=subs, numticks=7 if span > 150 else 20))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(text)


def _round_text(text: str) -> str:
    """Without zeros at the end behind the point, as ticks stand at round values."""
    return re.sub(r"(\.\d*?)0+(?= )", r"\1", text).replace(". ", " ")


BYTES = FuncFormatter(lambda value, _: _round_text(summary.bytes_text(value)))
SECONDS = FuncFormatter(lambda value, _: _round_text(summary.seconds_text(value)))
RATIO = FuncFormatter(lambda value, _: f"{value:g}")


def legend(on: Figure, tools: Sequence[str], extra: Sequence[Line2D] = (), columns: int = 5) -> None:
    """Below the axes: marks of the tools, joined by a line for ours, and whatever else is drawn."""
    marks = [Line2D([], [], color=style(tool)[0], marker=style(tool)[1], markersize=5, label=tool,
                    linestyle="-" if tool == frontier.OURS else "") for tool in tools]
    on.legend(handles=marks + list(extra), loc="lower center", ncol=columns, fontsize=LABEL_POINTS,
                  handletextpad=0.3, handlelength=1.4, columnspacing=0.8, borderpad=0.1, borderaxespad=0.2)


def ordered(tools: Iterable[str]) -> List[str]:
    """Tools in the order of STYLES, unknown ones last."""
    known = list(STYLES)
    return sorted(set(tools), key=lambda tool: (known.index(tool) if tool in STYLES else len(known), tool))


def svg(drawn: Figure) -> str:
    text = io.StringIO()
    drawn.savefig(text, format="svg", metadata=NO_METADATA)
    return text.getvalue()


def inline(text: str, prefix: str, title: str) -> str:
    """An SVG file as part of a page: no prologue, no style for the whole page, no ids but `prefix`-numbers in use.

    Numbers keep two digits behind the point, a hundredth of 1/72 inch.
    """
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text[text.index("<svg"):], flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r'\sxmlns(:xlink)?="[^"]*"|\sversion="1.1"', "", text).replace("xlink:href", "href")
    names: Dict[str, str] = {}
    for name in re.findall(r'(?:url\(|href=")#([^")]+)', text):
        names.setdefault(name, f"{prefix}-{len(names)}")
    text = re.sub(r'\sid="([^"]*)"', lambda match: f' id="{names[match[1]]}"' if match[1] in names else "", text)
    text = re.sub(r'(url\(|href=")#([^")]+)', lambda match: f"{match[1]}#{names[match[2]]}", text)
    text = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), text)
    text = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>',
                 lambda match: f'<svg {match[1]} role="img" aria-label="{html.escape(title)}">', text, count=1)
    return re.sub(r"\n\s*", "\n", text).strip()
