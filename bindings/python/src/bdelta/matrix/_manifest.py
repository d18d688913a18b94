"""manifest.json: what there is, and how to get from any release to any later one in fewest bytes."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import bdelta
from bdelta.matrix._jobs import Entry
from bdelta.matrix._plan import File, Plan

SCHEMA = 1
"""That of `bdelta --to`, with keys added."""

Edges = dict[tuple[str, str], tuple[int, str]]
"""Bytes and name of the patch from one release to another."""


def shortest(releases: list[str], edges: Edges, begin: str) -> dict[str, tuple[int, list[str]]]:
    """From a release to each one that chains of patches lead to: the chain with fewest bytes, of fewest patches where
    bytes are equal."""
    best: dict[str, tuple[int, list[str]]] = {begin: (0, [])}
    into: dict[str, list[str]] = {}
    for source, to in edges:
        into.setdefault(to, []).append(source)
    for to in releases[releases.index(begin) + 1 :]:
        ways = [
            (best[source][0] + edges[source, to][0], [*best[source][1], edges[source, to][1]])
            for source in into.get(to, [])
            if source in best
        ]
        if ways:
            best[to] = min(ways, key=lambda way: (way[0], len(way[1]), way[1]))
    return best


def routes(plan: Plan, files: list[File], entries: list[Entry]) -> list[dict[str, Any]]:
    """For each file, from each release that has it to each later one, or to the last one that has it."""
    edges: dict[tuple[str, str], Edges] = {}
    for entry in entries:
        if entry["ok"] and entry["patch"]:
            of_file = edges.setdefault((entry["platform"], entry["source"]["name"]), {})
            step = entry["source"]["release"], entry["target"]["release"]
            of_file[step] = entry["patch"]["bytes"], entry["patch"]["name"]
    versions: dict[tuple[str, str], dict[str, File]] = {}
    for file in files:
        versions.setdefault((file.platform, file.name), {})[file.release] = file
    found = []
    for (platform, name), of_release in sorted(versions.items()):
        releases = [release for release in plan.releases if release in of_release]
        ways = {begin: shortest(releases, edges.get((platform, name), {}), begin) for begin in releases}
        for at, end in enumerate(releases):
            if plan.routes == "newest" and end != releases[-1]:
                continue
            for begin in releases[:at]:
                way = ways[begin].get(end)
                whole = of_release[end].bytes
                full = way is None or way[0] >= whole
                size, patches = (whole, []) if way is None or full else way
                found.append({"platform": platform, "name": name, "from": begin, "to": end,
                              "full": full, "bytes": size, "patches": patches})
    return found


def manifest_json(plan: Plan, files: list[File], entries: list[Entry]) -> bytes:
    """Depends on the plan, the inputs and the version alone."""
    policies = {"policies": [dataclasses.asdict(policy) for policy in plan.policies]} if plan.policies else {}
    told = {
        "manifest_schema": SCHEMA,
        "program": "bdelta-matrix",
        "version": bdelta.__version__,
        "ok": all(entry["ok"] for entry in entries),
        "format": plan.create.get("format", "bdt2"),
        "releases": plan.releases,
        "options": {**plan.create, "full_ratio": plan.full_ratio, "last": plan.last, **policies},
        "files": [
            {"platform": file.platform, "name": file.name, "release": file.release, "bytes": file.bytes} for file in files
        ],
        "patches": entries,
        "routes": routes(plan, files, entries),
    }
    return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()
