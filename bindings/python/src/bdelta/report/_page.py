"""The page: one file of HTML with all that it needs, which asks no network for anything."""

from __future__ import annotations

import base64
import gzip
import importlib.resources
import string
from collections.abc import Sequence

from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

import bdelta
from bdelta.report._html import Part, script_data, text_of


def page_of(parts: Sequence[Part], title: str = "") -> str:
    """A page of these parts, about 2 MB with the library that draws. The same parts give the same page."""
    template = string.Template(importlib.resources.files("bdelta.report").joinpath("page.html").read_text(encoding="utf-8"))
    sections = "".join(f"<section><h2>{text_of(part.title)}</h2>{part.html}</section>" for part in parts)
    plots = [plot for part in parts for plot in part.plots]
    script = base64.b64encode(gzip.compress(get_plotlyjs().encode(), 9, mtime=0)).decode() if plots else ""
    return template.substitute(title=text_of(title or "Where the bytes of patches go"), sections=sections,
                               plots=script_data(plots), script=script, version=text_of(bdelta.__version__))
