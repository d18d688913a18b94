"""The section of the page about a manifest: sizes over releases."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

from bdelta.report._html import COLORS, Part, Plot, place, share, size, table, text_of
from bdelta.report._patch import MOST_ROWS, cards

Entry = dict[str, Any]


class ManifestError(ValueError):
    """What is no manifest that is known."""


def target_of(manifest: Entry, entry: Entry) -> Entry:
    found = entry.get("target") or manifest.get("target")
    return found if isinstance(found, dict) else {}


def lines(name: str, xs: list[str], ys: list[int], color: str) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines+markers", "name": name, "x": xs, "y": ys, "line": {"color": color, "width": 2},
            "hovertemplate": "%{x}: %{y:,} bytes<extra>" + text_of(name) + "</extra>"}


def axes(title: str, log: bool = True) -> dict[str, Any]:
    return {
        "xaxis": {"type": "category", "automargin": True}, "margin": {"t": 10, "l": 50, "r": 10, "b": 40},
        "yaxis": {"title": {"text": title}, "type": "log" if log else "linear", "automargin": True, "exponentformat": "SI",
                  **({"dtick": "D2", "tickformat": "~s"} if log else {}),
                  "rangemode": "tozero"},
        "legend": {"orientation": "h", "y": -0.2}, "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "#f6f7f9",
    }


def over_releases(manifest: Entry, platform: str) -> Plot | None:
    """To each release from the one before: all files, all files as updates, sums over those that both releases have."""
    releases = manifest["releases"]
    routes = {(route["name"], route["from"], route["to"]): route for route in manifest["routes"] if route["platform"] == platform}
    sizes: dict[str, dict[str, int]] = {}
    for file in manifest["files"]:
        if file["platform"] == platform:
            sizes.setdefault(file["release"], {})[file["name"]] = file["bytes"]
    xs, whole, update = [], [], []
    for before, release in zip(releases, releases[1:]):
        of_release = sizes.get(release, {})
        if not of_release:
            continue
        xs.append(release)
        whole.append(sum(of_release.values()))
        update.append(sum(routes[name, before, release]["bytes"] if (name, before, release) in routes else count
                          for name, count in of_release.items()))
    if not xs:
        return None
    return {"data": [lines("all files", xs, whole, "#8a8f98"), lines("update from the release before", xs, update, COLORS["literals"])],
            "layout": axes("bytes")}


def by_old(manifest: Entry) -> Plot:
    """For patches from several OLDs to one NEW."""
    made = [entry for entry in manifest["patches"] if entry["patch"]]
    return {
        "data": [{"type": "bar", "x": [text_of(entry["source"]["name"]) for entry in made],
                  "y": [entry["patch"]["bytes"] for entry in made], "marker": {"color": COLORS["literals"]},
                  "hovertemplate": "%{x}: %{y:,} bytes<extra></extra>"}],
        "layout": axes("bytes", log=False),
    }


def patches_table(manifest: Entry) -> str:
    entries = sorted((entry for entry in manifest["patches"] if entry["patch"]), key=lambda entry: -entry["patch"]["bytes"])
    rows = []
    for entry in entries[:MOST_ROWS]:
        source, target = entry["source"], target_of(manifest, entry)
        whole = target.get("bytes", 0)
        rows.append((f'<span class="name">{text_of(target.get("name", ""))}</span>', text_of(entry.get("platform") or ""),
                     text_of(source.get("release") or source["name"]), text_of(target.get("release") or ""),
                     f'{entry["patch"]["bytes"]:,}', share(entry["patch"]["bytes"], whole), size(whole)))
    heads = ("NEW", "platform", "from", "to", "bytes", "of NEW", "NEW has")
    more = f"<p>And {len(entries) - MOST_ROWS:,} more.</p>" if len(entries) > MOST_ROWS else ""
    platforms = any(entry.get("platform") for entry in entries)
    return table(heads, rows, numbers=(4, 5, 6), minor=(6,) if platforms else (1, 6)) + more


def missing_table(manifest: Entry) -> str:
    rows = [(f'<span class="name">{text_of(entry["source"]["name"])}</span>', text_of(entry["source"].get("release") or ""),
             text_of((entry["error"] or {}).get("message") or "the patch would be above the ratio: take the whole file"))
            for entry in manifest["patches"] if not entry["patch"]]
    return "<h3>Without a patch</h3>" + table(("OLD", "release", "why"), rows) if rows else ""


def read(path: pathlib.Path) -> Entry:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ManifestError(f"{path}: expected a manifest in JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("manifest_schema") != 1:
        raise ManifestError(f"{path}: expected a manifest with manifest_schema 1")
    return manifest


def of_manifest(path: str | os.PathLike[str]) -> Part:
    """Sizes of the patches of a manifest, as `bdelta --to` and bdelta-matrix write it. Raises ValueError and OSError."""
    path = pathlib.Path(path)
    manifest = read(path)
    try:
        return part_of(path, manifest)
    except (KeyError, TypeError, AttributeError) as error:
        raise ManifestError(f"{path}: has not what a manifest has: {error}") from None


def part_of(path: pathlib.Path, manifest: Entry) -> Part:
    part = Part(path.parent.name + "/" + path.name if path.parent.name else path.name)
    made = [entry for entry in manifest["patches"] if entry["patch"]]
    patch_bytes = sum(entry["patch"]["bytes"] for entry in made)
    whole_bytes = sum(target_of(manifest, entry).get("bytes", 0) for entry in made)
    part.html = cards([("Patches", f"{len(made):,} of {len(manifest['patches']):,}"), ("Together", size(patch_bytes)),
                       ("of their NEWs", share(patch_bytes, whole_bytes) or "–")])
    if manifest.get("routes") is None:
        part.html += "<h3>Sizes by OLD</h3>" + place(part, by_old(manifest), "sizes of the patches by OLD")
    for platform in sorted({file["platform"] for file in manifest.get("files", [])}):
        plot = over_releases(manifest, platform)
        if plot:
            title = f"Sizes over releases, {platform}" if platform else "Sizes over releases"
            part.html += f"<h3>{text_of(title)}</h3>" + place(part, plot, title)
    part.html += "<h3>Patches</h3>" + patches_table(manifest) + missing_table(manifest)
    return part
