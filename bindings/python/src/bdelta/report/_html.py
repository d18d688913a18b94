"""Pieces of HTML."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Plot = dict[str, Any]
"""Data and layout, as plotly.js takes them."""

COLORS = {
    "literals": "#3b6fb6", "residuals": "#e08e3c", "modelled": "#7a5aa6", "copies": "#4f9d69", "prediction": "#c2556e",
    "substitutions": "#9c7a4d", "moved numbers": "#5aa3a8", "fills": "#b8a33a", "view": "#8a8f98", "tree": "#6d7fa3",
    "tables": "#a9b0ba", "header": "#c9ced6",
}
OTHER_COLOR = "#d5d9df"
HOLDER_COLOR = "#eaedf1"
"""Of what holds other fields."""


@dataclass
class Part:
    """A section of the page: its HTML, and the plots that it has places for."""

    title: str
    html: str = ""
    plots: list[Plot] = field(default_factory=list)


def text_of(text: str) -> str:
    """For people, and as HTML: what is no text is replaced."""
    return html.escape(text.encode("utf-8", "replace").decode())


def size(count: int) -> str:
    if count < 1024:
        return f"{count} bytes"
    value, units = float(count), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{value:.1f} {units[0]}"


def share(count: int, of: int) -> str:
    if not of:
        return ""
    percent = 100 * count / of
    if 0 < percent < 0.01:
        return "under 0.01%"
    return f"{percent:.{2 if 0 < percent < 1 else 1}f}%"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = (), minor: Iterable[int] = ()) -> str:
    """Cells are HTML already. numbers: columns to the right; minor: those that narrow screens leave out."""
    classes = [" ".join(name for name, columns in (("number", set(numbers)), ("minor", set(minor))) if at in columns)
               for at in range(len(heads))]

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} class="{kind}">{cell}</{tag}>' for cell, kind in zip(cells, classes)) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f'<div class="scroll"><table><thead>{row(heads, "th")}</thead><tbody>{body}</tbody></table></div>'


def bar(count: int, of: int, color: str) -> str:
    width = 100 * count / of if of else 0
    return f'<span class="bar"><i style="width:{width:.2f}%;background:{color}"></i></span>'


def place(part: Part, plot: Plot, label: str, kind: str = "") -> str:
    """Where a plot will be. label: for those who don't see it."""
    part.plots.append(plot)
    return f'<div class="plot {kind}" role="img" aria-label="{text_of(label)}"></div>'


def script_data(value: object) -> str:
    """JSON that may stand in a script."""
    return json.dumps(value).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
