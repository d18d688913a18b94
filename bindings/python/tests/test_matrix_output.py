"""Outputs: which plan may write to one, and what of an earlier run counts there."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import threading
from typing import Any

import pytest

pytest.importorskip("distributed")

import bdelta
from bdelta.matrix import _jobs, _main, _plan, _store
from bdelta.matrix._manifest import manifest_json, routes
from bdelta.matrix._output import claim_output
from bdelta.matrix._store import Cache
from matrix_plans import GOOD, recorded_entries, written


@pytest.mark.parametrize("name", ["manifest.json", ".records/plan.json"])
@pytest.mark.parametrize("data", [b"x", b"3", b"\xff"])
def test_records_that_are_damaged(root: pathlib.Path, capsys: pytest.CaptureFixture[str], name: str, data: bytes) -> None:
    path = written(root, GOOD.format(root=root))
    claim_output(_plan.read_plan(path))
    (root / "out" / name).write_bytes(data)
    assert _main.main(["plan", path]) == 1
    assert f"out/{name}: is damaged; remove it, and run again" in capsys.readouterr().err


def test_an_output_that_holds_other_things(root: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(root, GOOD.format(root=root))
    (root / "out").mkdir()
    (root / "out" / "mine").write_bytes(b"x")
    assert _main.main(["run", path]) == 1
    assert "exists and holds other files" in capsys.readouterr().err
    (root / "out" / "mine").unlink()
    claim_output(_plan.read_plan(path))
    claim_output(_plan.read_plan(path))


def made(root: pathlib.Path, *settings: str) -> _plan.Plan:
    """A plan that has been carried out."""
    plan = _plan.read_plan(written(root, GOOD.format(root=root)), settings)
    files = _plan.find_files(plan)
    claim_output(plan)
    entries = [_jobs.run_job(plan, job, Cache(str(root / "cache"), 0)) for job in _plan.jobs_of(plan, files)]
    _store.publish(f"{plan.output}/manifest.json", manifest_json(plan, files, entries))
    return plan


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize("full_ratio", [0, 0.01])
@pytest.mark.parametrize("what", ["another name", "another product"])
def test_another_plan_with_a_release_of_the_same_name(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str], what: str, full_ratio: float, command: str
) -> None:
    for release in ("1", "2", "3"):
        (root / "other" / release).mkdir(parents=True)
        name, size = ("app" if what == "another product" else "tool"), (99 if full_ratio else 100)
        (root / "other" / release / name).write_bytes(b"other" + release.encode() * (size - 5))
    made(root, f"full_ratio={full_ratio}")
    before = (root / "out" / "manifest.json").read_bytes()
    assert _main.main([command, str(root / "plan.toml"), f"--set=input={root}/other/{{release}}"]) == 1
    assert f"plan.toml:4: output: the patches in {root}/out are of other files, by another plan; take another" in capsys.readouterr().err
    assert (root / "out" / "manifest.json").read_bytes() == before
    assert _main.main(["plan", str(root / "plan.toml")]) == 0


def test_files_that_leave_the_manifest(root: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    for release in ("1", "2", "3"):
        for at in range(5):
            (root / "in" / release / f"tool{at}").write_bytes(release.encode() * 50)
    made(root)
    command = ["plan", str(root / "plan.toml")]
    assert (_main.main([*command, '--set=releases=["2", "3"]']), capsys.readouterr().err) == (0, "")
    assert _main.main([*command, '--set=files=["a*", "tool[0-3]"]']) == 0
    assert "releases in the manifest lose files that are not in this plan: tool4\n" in capsys.readouterr().err
    assert _main.main([*command, '--set=files=["a*"]', "--json"]) == 0
    warning = json.loads(capsys.readouterr().err)["warning"]
    assert warning == "releases in the manifest lose files that are not in this plan: tool0, tool1, tool2 and 2 more"


def test_runs_to_two_outputs_are_two_jobs_of_a_cluster(root: pathlib.Path) -> None:
    plans = [_plan.read_plan(written(root, GOOD.format(root=root)), settings)
             for settings in ([], [f"output={root}/other"], ["full_ratio=0.5"], ["last=0"])]
    job = _plan.jobs_of(plans[0], _plan.find_files(plans[0]))[0]
    keys = [_jobs.key_of(plan, job) for plan in plans]
    assert len(set(keys)) == 3 and keys[0] == keys[3]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("", "[create]\nlevel = 4\n", "create.level: is 4, and the patches in .*/out were made with the default; take"),
        ("[create]\nlevel = 4\n", "[create]\nlevel = 6\n", "plan.toml:6: create.level: is 6, and .* were made with 4; .* or 4 again"),
        ("[create]\nlevel = 4\nthreads = 1\nverify = true", "[create]\nlevel = 4\nthreads = 2\ntime_limit_seconds = 9", ""),
        ("last = 1\n", 'last = 0\nfull_ratio = 0.5\nroutes = "newest"\n', ""),
        ("", '[[policies]]\nfiles = ["a*"]\nlevel = 1\n', r'plan.toml:5: policies: is \[\[\["a\*"\], 0, \{"level": 1\}\]\], and'),
    ],
)
def test_what_stays_the_same_in_an_output(root: pathlib.Path, before: str, after: str, message: str) -> None:
    claim_output(_plan.read_plan(written(root, GOOD.format(root=root) + before)))
    later = _plan.read_plan(written(root, GOOD.format(root=root) + after))
    if not message:
        claim_output(later)
        return
    with pytest.raises(_plan.PlanError, match=message):
        claim_output(later)


def test_a_folder_of_another_version_or_of_other_releases(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(root, GOOD.format(root=root))
    claim_output(_plan.read_plan(path))
    claim_output(_plan.read_plan(path, ['releases=["3", "4"]']))
    with pytest.raises(_plan.PlanError, match="^--set releases: none of 1, 2 is among .* of the patches in .*/out, which are 3, 4; "):
        claim_output(_plan.read_plan(path, ['releases=["1", "2"]']))
    monkeypatch.setattr(bdelta, "__version__", "9.9")
    with pytest.raises(_plan.PlanError, match='^version: is "9.9", and the patches in .*/out were made with '):
        claim_output(_plan.read_plan(path))


def test_inputs_that_were_moved_are_known_by_their_digests(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root)))
    jobs = _plan.jobs_of(plan, _plan.find_files(plan))
    entries = {job.name: _jobs.run_job(plan, job, Cache(str(root / "cache"), 0)) for job in jobs}
    shutil.copytree(root / "in", root / "moved")
    plan = _plan.read_plan(written(root, GOOD.format(root=root)), [f"input={root}/moved/{{release}}"])

    def done() -> dict[str, _jobs.Entry]:
        return recorded_entries(plan, _plan.jobs_of(plan, _plan.find_files(plan)))

    assert len(entries) == 2 and done() == entries
    (root / "moved" / "3" / "app").write_bytes(b"x" * 100)
    assert list(done()) == ["app--1--2.bdelta"]
    (root / "moved" / "1" / "app").write_bytes(b"x")
    assert done() == {}


def test_the_share_of_new_decides_anew_what_is_kept(root: pathlib.Path) -> None:
    def plan_of(ratio: float) -> _plan.Plan:
        return _plan.read_plan(written(root, GOOD.format(root=root)), [f"full_ratio={ratio}", "last=1"])

    job = _plan.jobs_of(plan_of(0), _plan.find_files(plan_of(0)))[0]

    def done(ratio: float) -> bool:
        return job.name in _jobs.recorded(plan_of(ratio), [job])

    made = _jobs.run_job(plan_of(0), job, Cache(str(root / "cache"), 0))
    share = made["patch"]["bytes"] / job.target.bytes
    assert [done(ratio) for ratio in (0, share + 0.01, share - 0.01)] == [True, True, False]
    whole = _jobs.run_job(plan_of(share - 0.01), job, Cache(str(root / "cache"), 0))
    assert whole["full"]
    assert [done(ratio) for ratio in (share - 0.02, share - 0.01, share + 0.01, 0)] == [True, True, False, False]
    assert (root / "out" / job.name).exists()


def test_what_counts_as_done(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root)))
    jobs = _plan.jobs_of(plan, _plan.find_files(plan))
    assert _jobs.recorded(plan, jobs) == {}
    entries = {job.name: _jobs.run_job(plan, job, Cache(str(root / "cache"), 0)) for job in jobs}
    assert recorded_entries(plan, jobs) == entries
    first, second = (job.name for job in jobs)
    patch, record = root / "out" / first, root / "out" / ".records" / f"{first}.json"
    whole, made = patch.read_bytes(), record.stat().st_mtime
    rest = {second: entries[second]}

    patch.unlink()
    assert recorded_entries(plan, jobs) == rest
    patch.write_bytes(whole[:-1])
    os.utime(patch, (made, made))
    assert recorded_entries(plan, jobs) == rest
    patch.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    os.utime(patch, (made, made))  # as if the disk had lost a bit
    assert recorded_entries(plan, jobs) == entries
    assert recorded_entries(plan, jobs, digests=True) == rest
    os.utime(patch, (made + 1, made + 1))
    assert recorded_entries(plan, jobs) == rest
    patch.write_bytes(whole)
    os.utime(patch, (made + 1, made + 1))  # a copy
    assert recorded_entries(plan, jobs) == entries
    record.write_bytes(record.read_bytes()[:-1])
    assert recorded_entries(plan, jobs) == rest


def test_leftovers_are_removed_unless_they_are_held(tmp_path: pathlib.Path) -> None:
    (tmp_path / "deep" / ".bdelta-left").mkdir(parents=True)
    for name in ("lock", "made"):
        (tmp_path / "deep" / ".bdelta-left" / name).touch()
    (tmp_path / ".bdelta-mine").mkdir()
    (tmp_path / ".bdelta-mine" / "data").touch()
    (tmp_path / "deep" / ".bdelta-bare").mkdir()  # as of who is killed before there is a lock
    with _store.published(str(tmp_path / "deep" / "file")) as made:
        pathlib.Path(made).write_bytes(b"x")
        _store.remove_leftovers(str(tmp_path))
        assert pathlib.Path(made).exists()
    _store.remove_leftovers(str(tmp_path / "none"))
    assert sorted(path.name for path in tmp_path.rglob("*")) == [".bdelta-mine", "data", "deep", "file"]


def test_leftovers_are_waited_for(tmp_path: pathlib.Path) -> None:
    with contextlib.ExitStack() as stack:
        stack.enter_context(_store.held_folder(str(tmp_path)))
        threading.Timer(0.3, stack.pop_all().close).start()
        _store.remove_leftovers(str(tmp_path))
        assert len(list(tmp_path.iterdir())) == 1
        _store.remove_leftovers(str(tmp_path), patience_seconds=60)
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_taken_for_a_leftover_is_made_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock
    taken: list[str] = []

    def remove_first(file: Any, how: int) -> None:
        if not taken:
            taken.append(file.name)
            shutil.rmtree(pathlib.Path(file.name).parent)
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with _store.held_folder(str(tmp_path)) as folder:
        assert pathlib.Path(taken[0]).parent != pathlib.Path(folder)
        assert os.listdir(tmp_path) == [pathlib.Path(folder).name]


def test_patches_that_are_too_large_are_left_out(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root) + "full_ratio = 0.01\n"))
    files = _plan.find_files(plan)
    jobs = _plan.jobs_of(plan, files)
    entries = [_jobs.run_job(plan, job, Cache(str(root / "cache"), 0)) for job in jobs]
    assert all(entry["ok"] and entry["full"] and entry["patch"] is None for entry in entries)
    assert [route["full"] for route in routes(plan, files, entries)] == [True] * 3


def test_routes_to_the_newest_release_alone(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root) + 'routes = "newest"\n'))
    found = routes(plan, _plan.find_files(plan), [])
    assert [(route["from"], route["to"], route["full"]) for route in found] == [("1", "3", True), ("2", "3", True)]
    with pytest.raises(_plan.PlanError, match=":5: routes: expected 'all' or 'newest', found 'some'"):
        _plan.read_plan(written(root, GOOD.format(root=root) + 'routes = "some"\n'))
