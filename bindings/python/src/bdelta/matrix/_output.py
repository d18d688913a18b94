"""The folder that patches go to: whose it is."""

from __future__ import annotations

import json
import os
import pathlib
import posixpath
from typing import Any

import fsspec  # type: ignore[import-untyped]

from bdelta.matrix._jobs import sha256_of
from bdelta.matrix._plan import File, Plan, PlanError, is_local
from bdelta.matrix._store import join, publish, read


def mark_of(plan: Plan) -> str:
    """What says of an output by which plan it is."""
    return join(plan.output, ".records/plan.json")


def check_output(plan: Plan) -> None:
    """PlanError where the output has something that no plan made, or one that differs in what has to stay."""
    known = read(mark_of(plan))
    if known is None:
        fs, path = fsspec.core.url_to_fs(plan.output)
        if fs.exists(path) and fs.ls(path, detail=False):
            raise plan.fail("output", f"{plan.output} exists and holds other files; take another folder")
        if is_local(fs):
            there = next(folder for folder in (path, *map(str, pathlib.Path(path).parents)) if os.path.lexists(folder))
            if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
                raise plan.fail("output", f"{there} is no folder that can be written to")
        return
    before, now = known_json(known, mark_of(plan)), plan.fixed()
    releases = before.pop("releases", [])
    if not set(releases) & set(plan.releases):
        raise plan.fail("releases", f"none of {', '.join(plan.releases)} is among those of the patches in {plan.output}, which "
                        f"are {', '.join(releases)}; take another folder")
    for key in sorted({*before, *now}):
        if before.get(key) != now.get(key):
            was, is_now = (json.dumps(of[key]) if key in of else "the default" for of in (before, now))
            raise plan.fail(key, f"is {is_now}, and the patches in {plan.output} were made with {was}; take another folder, "
                            f"or {was} again")


def claim_output(plan: Plan) -> None:
    """Makes an output the plan's, after `check_output`."""
    check_output(plan)
    publish(mark_of(plan), json.dumps({**plan.fixed(), "releases": plan.releases}).encode())


def manifest_of(plan: Plan) -> dict[str, Any] | None:
    """That of the output; None if there is none."""
    data = read(join(plan.output, "manifest.json"))
    return None if data is None else known_json(data, join(plan.output, "manifest.json"))


def known_json(data: bytes, url: str) -> dict[str, Any]:
    """PlanError for what is no JSON, as after a fault of the disk."""
    try:
        return dict(json.loads(data))
    except (ValueError, TypeError):
        raise PlanError(f"{url}: is damaged; remove it, and run again") from None


def check_files(plan: Plan, files: list[File]) -> list[str]:
    """PlanError where no file of the plan is one that the manifest in the output has patches of: that is by another plan.

    Gives the paths that leave the manifest although their releases stay.
    """
    manifest = manifest_of(plan) or {}
    now = {(file.platform, file.name, file.release): file for file in files}
    sides = [(entry["platform"], side) for entry in manifest.get("patches", []) for side in (entry["source"], entry["target"])]
    sides.sort(key=lambda one: int(one[1]["bytes"]))  # as it may have to be read, the smallest first
    if sides and not any(_is_same(now.get((platform, side["name"], side["release"])), side) for platform, side in sides):
        raise plan.fail("output", f"the patches in {plan.output} are of other files, by another plan; take another folder, or "
                        "remove its manifest.json if no one needs it")
    before = {(file["platform"], file["name"], file["release"]) for file in manifest.get("files", [])}
    return sorted({posixpath.join(platform, name) for platform, name, release in before - now.keys() if release in plan.releases})


def _is_same(file: File | None, side: dict[str, Any]) -> bool:
    """As far as it can be told: files elsewhere, and those that no patch was kept of, go by their sizes."""
    if file is None or file.bytes != side["bytes"]:
        return False
    digest = sha256_of(file.url, file.token) if "sha256" in side else None
    return digest is None or bool(digest == side["sha256"])
