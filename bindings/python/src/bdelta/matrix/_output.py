"""The folder that patches go to: whose it is."""

from __future__ import annotations

import json
import os
import pathlib

import fsspec  # type: ignore[import-untyped]

from bdelta.matrix._plan import Plan, PlanError, is_local
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
            raise PlanError(f"output: {plan.output} exists and holds other files; take another folder")
        if is_local(fs):
            there = next(folder for folder in (path, *map(str, pathlib.Path(path).parents)) if os.path.lexists(folder))
            if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
                raise PlanError(f"output: {there} is no folder that can be written to")
        return
    before, now = json.loads(known), plan.fixed()
    releases = before.pop("releases", [])
    if not set(releases) & set(plan.releases):
        raise PlanError(f"releases: none of {', '.join(plan.releases)} is among those of the patches in {plan.output}, "
                        f"which are {', '.join(releases)}; take another folder")
    for key in sorted({*before, *now}):
        if before.get(key) != now.get(key):
            was, is_now = (json.dumps(of[key]) if key in of else "the default" for of in (before, now))
            raise PlanError(f"{key}: is {is_now}, and the patches in {plan.output} were made with {was}; take another folder, "
                            f"or {was} again")


def claim_output(plan: Plan) -> None:
    """Makes an output the plan's, after `check_output`."""
    check_output(plan)
    publish(mark_of(plan), json.dumps({**plan.fixed(), "releases": plan.releases}).encode())
