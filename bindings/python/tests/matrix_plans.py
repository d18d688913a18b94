"""Plans that tests of bdelta-matrix begin with."""

from __future__ import annotations

import pathlib

import pytest

pytest.importorskip("distributed")

from bdelta.matrix import _jobs, _plan

GOOD = """\
releases = ["1", "2", "3"]
input = "{root}/in/{{release}}"
files = ["*"]
output = "{root}/out"
"""


def recorded_entries(plan: _plan.Plan, jobs: list[_plan.Job], digests: bool = False) -> dict[str, _jobs.Entry]:
    return {name: done.entry for name, done in _jobs.recorded(plan, jobs, digests).items()}


def written(root: pathlib.Path, text: str) -> str:
    path = root / "plan.toml"
    path.write_text(text)
    return str(path)
