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


Step = tuple[int, int, str, str]
"""Bytes and number of patches up to here, the last of these, and the release that it is from."""


def shortest(releases: list[str], edges: Edges, begin: str) -> dict[str, Step]:
    """From a release to each one that chains of patches lead to: the last step of the chain with fewest bytes, of fewest
    patches where bytes are equal."""
    best: dict[str, Step] = {begin: (0, 0, "", "")}
    into: dict[str, list[str]] = {}
    for source, to in edges:
        into.setdefault(to, []).append(source)
    for to in releases[releases.index(begin) + 1 :]:
        steps = []
        for source in into.get(to, []):
            if source in best:
                size, name = edges[source, to]
                steps.append((best[source][0] + size, best[source][1] + 1, name, source))
        if steps:
            best[to] = min(steps)
    return best


def chain(best: dict[str, Step], end: str) -> list[str]:
    """The names of the patches to it, in order."""
    names: list[str] = []
    while best[end][1]:
        names.append(best[end][2])
        end = best[end][3]
    return names[::-1]


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
                size, patches = (whole, []) if way is None or full else (way[0], chain(ways[begin], end))
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
    return ("{\n" + ",\n".join(f"{json.dumps(key)}: {lines(value)}" for key, value in told.items()) + "\n}\n").encode()


def lines(value: object) -> str:
    """JSON with a line for each object of a list."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n]"
