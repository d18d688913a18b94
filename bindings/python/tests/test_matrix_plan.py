"""Plans: what is wrong with one is told before any job starts, with line and key."""

from __future__ import annotations

import json
import os
import pathlib
import re

import pytest

pytest.importorskip("distributed")

import bdelta
from bdelta.matrix import _jobs, _main, _plan, _run
from bdelta.matrix._manifest import chain, shortest
from bdelta.matrix._order import by_version
from bdelta.matrix._output import claim_output
from bdelta.matrix._store import Cache
from matrix_plans import GOOD, recorded_entries, written


@pytest.mark.parametrize(
    ("more", "line", "message"),
    [
        ("releses = 3\n", 5, "releses: there is no such key"),
        ("last = -1\n", 5, "last: expected 0 or more"),
        ('last = "all"\n', 5, "last: expected a number, found 'all'"),
        ("last = true\n", 5, "last: expected a number, found True"),
        ("\nplatforms = []\n", 6, "platforms: expected a list of strings with at least one in it"),
        ('platforms = ["a", "b"]\n', 2, "input: has no {platform} in it"),
        ('platforms = ["a", "a"]\n', 5, "platforms: names something twice"),
        ("[create]\nlevel = 11\n", 6, "level: the call is not valid: expected a level from 1 to 10, found 11"),
        ('[create]\nlevel = "3"\n', 6, "level: level: expected int, found str"),
        ("[create]\nsync = true\n", 6, "sync: there is no such option of create"),
        ("[create]\nlast = 0\n", 6, "last: there is no such option of create"),
        ("[create]\nthreads = 0\n", 6, "threads: expected 1 or more"),
        ('platforms = ["a", ".."]\n', 5, "platforms: '..' can't be a part of a path"),
        ('platforms = ["/a"]\n', 5, "platforms: '/a' can't be a part of a path"),
        ("x = ", None, "Invalid value"),
    ],
)
def test_wrong_plans(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str], more: str, line: int | None, message: str
) -> None:
    path = written(root, GOOD.format(root=root) + more)
    assert _main.main(["run", path]) == 1
    told = capsys.readouterr().err
    assert f"{path}:{line}: {message}" in told if line else message in told
    assert not (root / "out").exists()


@pytest.mark.parametrize("key", ["releases", "input", "files", "output"])
def test_keys_that_are_missing(root: pathlib.Path, key: str) -> None:
    text = "".join(line for line in GOOD.format(root=root).splitlines(True) if not line.startswith(key))
    with pytest.raises(_plan.PlanError, match=f"{key}: is missing"):
        _plan.read_plan(written(root, text))


def test_globs_that_find_nothing(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root).replace('"*"', '"*", "*.exe"')))
    with pytest.raises(_plan.PlanError, match=re.escape(f"plan.toml:3: files: '*.exe' finds nothing in {root}/in/{{release}} of any release")):
        _plan.find_files(plan)


@pytest.mark.parametrize("setting", ['files=["../*"]', 'files=["/etc/*"]', 'files=[""]', 'releases=["", "1"]', 'releases=["a/b", "1"]'])
def test_names_that_lead_outside(root: pathlib.Path, setting: str) -> None:
    with pytest.raises(_plan.PlanError, match="--set .*: '.*' can't be a part of a path"):
        _plan.read_plan(written(root, GOOD.format(root=root)), [setting])


def test_releases_without_a_file(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root)), ['releases=["1", "3", "4"]'])
    with pytest.raises(_plan.PlanError, match=f"^--set releases: nothing is found of '4', in {root}/in/4 for one"):
        _plan.find_files(plan)


def test_files_that_no_two_releases_have(root: pathlib.Path) -> None:
    for release in ("1", "2"):
        (root / "in" / release / "app").rename(root / "in" / release / f"app-{release}")
    plan = _plan.read_plan(written(root, GOOD.format(root=root)))
    with pytest.raises(_plan.PlanError, match="plan.toml:3: files: none has the same path in two releases"):
        _plan.jobs_of(plan, _plan.find_files(plan))


def test_text_that_is_not_utf_8(root: pathlib.Path) -> None:
    (root / "plan.toml").write_bytes(GOOD.format(root=root).encode() + b"# \xff\n")
    with pytest.raises(_plan.PlanError, match=":5: expected TOML, which is UTF-8"):
        _plan.read_plan(str(root / "plan.toml"))
    pathlib.Path(os.fsdecode(os.fsencode(root / "in" / "2") + b"/\xff")).write_bytes(b"x")
    with pytest.raises(_plan.PlanError, match=r"plan.toml:3: files: '\\udcff' in .*/in/2 is no name in UTF-8"):
        _plan.find_files(_plan.read_plan(written(root, GOOD.format(root=root))))


def test_relative_paths(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GOOD.format(root=root).replace(f"{root}/in", "../in").replace(f"{root}/out", "out")
    (root / "deep").mkdir()
    path = written(root / "deep", text)
    for folder, name in ((root, "deep/plan.toml"), (root / "deep", "plan.toml"), (root / "in", path)):
        monkeypatch.chdir(folder)
        plan = _plan.read_plan(name)
        assert (plan.input, plan.output) == (f"{root}/in/{{release}}", f"{root}/deep/out")
        plan = _plan.read_plan(name, ["output=mine", "input=x/{release}"])
        assert (plan.input, plan.output) == (f"{folder}/x/{{release}}", f"{folder}/mine")
    assert _plan.read_plan(path, ["output=s3://x/y"]).output == "s3://x/y"


def test_the_spelling_of_the_output_is_no_part_of_the_plan(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    plan = _plan.read_plan(["in/1", "in/2"], ["output=out"])
    jobs = _plan.jobs_of(plan, _plan.find_files(plan))
    claim_output(plan)
    entries = {job.name: _jobs.run_job(plan, job, Cache(str(root / "cache"), 0)) for job in jobs}
    (root / "out").rename(root / "renamed")
    for spelling in ("renamed", "./renamed/", f"{root}/in/../renamed"):
        for folders in (["in/1", "in/2"], ["./in/1/", "./in/2"], [f"{root}/in/1", f"{root}/in/2"]):
            plan = _plan.read_plan(folders, [f"output={spelling}"])
            claim_output(plan)
            assert recorded_entries(plan, _plan.jobs_of(plan, _plan.find_files(plan))) == entries


def test_links_are_what_they_lead_to(root: pathlib.Path) -> None:
    app = root / "in" / "3" / "app"
    app.rename(root / "real")
    app.symlink_to(root / "real")
    plan = _plan.read_plan(written(root, GOOD.format(root=root)))
    before = _plan.find_files(plan)
    assert [(file.name, file.bytes) for file in before] == [("app", 100)] * 3
    (root / "real").write_bytes(b"changed")
    assert [file.token for file in _plan.find_files(plan)][2] != before[2].token


def test_patches_of_one_name(root: pathlib.Path) -> None:
    for release in ("1", "2"):
        folder = root / "in" / release
        (folder / "a").mkdir()
        (folder / "a" / "b").write_bytes(b"x")
        (folder / "a__b").write_bytes(b"x")
    plan = _plan.read_plan(written(root, GOOD.format(root=root).replace('"*"', '"*", "*/*"')))
    with pytest.raises(_plan.PlanError, match="plan.toml:3: files: two patches have the name 'a__b--1--2.bdelta'"):
        _plan.jobs_of(plan, _plan.find_files(plan))


def test_the_pace_of_what_is_done_tells_how_long_the_rest_takes(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(root, GOOD.format(root=root))
    plan = _plan.read_plan(path)
    assert _main.main(["plan", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] is None
    (root / "in" / "3" / "app").write_bytes(b"3" * 250)
    first, second = _plan.jobs_of(plan, _plan.find_files(plan))
    claim_output(plan)
    _jobs.run_job(plan, first, Cache(str(root / "cache"), 0))
    record = root / "out" / ".records" / f"{first.name}.json"
    told = json.loads(record.read_bytes())
    assert 0 <= told["seconds"] < 60
    record.write_text(json.dumps({**told, "seconds": 7}))
    assert _main.main(["plan", path]) == 0
    assert "one worker takes 17.5 seconds for those that are left" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize("what", ["other files", "another plan", "no folder", "no room"])
def test_plan_refuses_what_run_refuses(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, what: str
) -> None:
    path = written(root, GOOD.format(root=root))
    if what == "other files":
        (root / "out").mkdir()
        (root / "out" / "mine").write_bytes(b"x")
        message = f"{path}:4: output: {root}/out exists and holds other files"
    elif what == "another plan":
        claim_output(_plan.read_plan(path, ["create.level=3"]))
        message = f"{path}: create.level: is the default, and the patches in"
    elif what == "no folder":
        path = written(root, GOOD.format(root=root).replace("/out", "/in/1/app/out"))
        message = f"{path}:4: output: {root}/in/1/app is no folder that can be written to"
    else:
        monkeypatch.setattr("distributed.system.MEMORY_LIMIT", 1000)
        message = "no worker has the resources of 'app--1--2.bdelta'"
    assert _main.main([command, path]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("given", [["--workers=-1"], ["--sample=x"], ["--cache-bytes=-1"]])
def test_arguments_that_are_no_numbers(root: pathlib.Path, capsys: pytest.CaptureFixture[str], given: list[str]) -> None:
    with pytest.raises(SystemExit):
        _main.main(["verify", written(root, GOOD.format(root=root)), *given])
    assert "expected a number of 0 or more" in capsys.readouterr().err


@pytest.mark.parametrize(("last", "pairs"), [(0, ["1-2", "1-3", "2-3"]), (1, ["1-2", "2-3"]), (2, ["1-2", "1-3", "2-3"])])
def test_the_last_releases_get_patches(root: pathlib.Path, last: int, pairs: list[str]) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root) + f"last = {last}\n"))
    jobs = _plan.jobs_of(plan, _plan.find_files(plan))
    assert sorted(f"{job.source.release}-{job.target.release}" for job in jobs) == pairs
    assert {job.source.bytes for job in jobs} == {100}


def test_the_shortest_chain() -> None:
    releases = ["1", "2", "3", "4"]
    edges = {("1", "2"): (10, "a"), ("2", "3"): (10, "b"), ("1", "3"): (21, "c"), ("3", "4"): (5, "d"), ("1", "4"): (25, "e")}
    from_first = shortest(releases, edges, "1")
    assert (from_first["3"][0], chain(from_first, "3")) == (20, ["a", "b"])
    assert (from_first["4"][0], chain(from_first, "4")) == (25, ["e"])  # as many bytes, fewer patches
    assert chain(shortest(releases, edges, "2"), "4") == ["b", "d"]
    assert "3" not in shortest(releases, {("1", "2"): (10, "a")}, "1")


def test_inputs_are_fetched_once_and_kept_within_a_size(tmp_path: pathlib.Path) -> None:
    import fsspec  # type: ignore[import-untyped]

    fs = fsspec.filesystem("memory")
    files = []
    for name in ("a", "b", "c"):
        fs.pipe(f"/cache-test/{name}", name.encode() * 100)
        files.append(_plan.File("", name, "1", f"memory://cache-test/{name}", 100, fs.ukey(f"/cache-test/{name}")))
    cache = Cache(str(tmp_path), 200)
    for file in files:
        with cache.fetched(file) as path:
            assert pathlib.Path(path).read_bytes() == file.name.encode() * 100
    assert len(list(tmp_path.iterdir())) == 2
    with cache.fetched(files[2]) as kept, cache.fetched(files[0]), cache.fetched(files[1]):
        inode = pathlib.Path(kept).stat().st_ino
        assert len(list(tmp_path.iterdir())) == 3  # in use
        with cache.fetched(files[2]) as again:
            assert pathlib.Path(again).stat().st_ino == inode
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("braces", ["{other}", "{}", "{release", "{release.x}"])
def test_braces_in_the_input(root: pathlib.Path, braces: str) -> None:
    text = GOOD.format(root=root).replace("{release}", braces)
    with pytest.raises(_plan.PlanError, match=":2: input: "):
        _plan.read_plan(written(root, text))


def test_files_that_are_not_local(root: pathlib.Path) -> None:
    import fsspec

    fs = fsspec.filesystem("memory")
    for release in ("1", "2", "3"):
        fs.pipe(f"/matrix-test/{release}/app", release.encode() * 100)
    text = GOOD.format(root=root).replace(f"{root}/in", "memory://matrix-test").replace(f"{root}/out", "memory://matrix-out")
    plan = _plan.read_plan(written(root, text))
    first, second = _plan.jobs_of(plan, _plan.find_files(plan))
    cache = Cache(str(root / "cache"), 1 << 20)
    claim_output(plan)
    entry = _jobs.run_job(plan, first, cache)
    assert entry["ok"] and recorded_entries(plan, [first, second], digests=True) == {first.name: entry}
    assert bdelta.apply_bytes(b"1" * 100, fs.cat("/matrix-out/app--1--2.bdelta")) == b"2" * 100
    assert _jobs.verify_job(plan, first, entry, cache) == ""
    fs.pipe("/matrix-test/3/app", b"changed")
    assert "has changed" in _jobs.run_job(plan, second, cache)["error"]["message"]
    assert fs.ls("/matrix-out", detail=False) == ["/matrix-out/.records", "/matrix-out/app--1--2.bdelta"]


def test_folders_in_the_place_of_a_plan(root: pathlib.Path) -> None:
    folders = [str(root / "in" / release) for release in ("1", "3")]
    plan = _plan.read_plan(folders, ["output=out", "create.level=6", "last=0"])
    assert (plan.releases, plan.input, plan.files) == (("1", "3"), f"{root}/in/{{release}}", ("**",))
    assert (plan.output, plan.create, plan.last) == (os.path.abspath("out"), {"level": 6}, 0)
    (root / "in" / "1" / "deep" / "er").mkdir(parents=True)
    (root / "in" / "1" / "deep" / "er" / "x").write_bytes(b"x")
    assert sorted(file.name for file in _plan.find_files(plan)) == ["app", "app", "deep/er/x"]
    (root / "out" / "1" / "bin").mkdir(parents=True)
    (root / "out" / "2" / "bin").mkdir(parents=True)
    assert _plan.read_plan([str(root / "out" / "1" / "bin"), str(root / "out" / "2" / "bin/")], ["output=o"]).releases == ("1", "2")


@pytest.mark.parametrize(
    ("given", "first"),
    [
        (["1.10", "1.2"], ("1.10", "1.2")),
        (["v1.9", "v1.10", "v1.11-rc1", "v1.11", "v1.2"], ("v1.11", "v1.2")),
        (["app-1.2", "app-1.10"], None),
        (["1.10-rc1", "1.10"], None),
        (["2024-11-29", "summer"], None),
    ],
)
def test_releases_out_of_order(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str], given: list[str], first: tuple[str, str] | None
) -> None:
    folders = [root / "in" / release for release in given]
    for folder in folders:
        folder.mkdir()
        (folder / "app").write_bytes(b"x")
    command = ["plan", f"--output={root / 'out'}", *map(str, folders)]
    assert _main.main(command) == 0
    told = capsys.readouterr()
    names = [f"app--{before}--{after}.bdelta" for before, after in zip(given, given[1:])]
    assert told.out.splitlines()[:-1] == names
    warning = f"{first[0]} stands before {first[1]}, as if it were older; --sort versions sorts" if first else ""
    assert warning in told.err if warning else told.err == ""
    assert _main.main([*command, "--json"]) == 0
    told_json = capsys.readouterr().err
    assert json.loads(told_json)["warning"].startswith(warning) if warning else told_json == ""
    if first:
        assert _main.main([*command, "--sort=versions"]) == 0
        told = capsys.readouterr()
        assert (told.err, told.out.splitlines()[:-1] == names) == ("", False)


def test_the_order_of_versions() -> None:
    assert by_version(["v1.10", "v1.2", "v1.10-rc1", "v1.1.9"]) == ("v1.1.9", "v1.2", "v1.10-rc1", "v1.10")
    with pytest.raises(_plan.PlanError, match="--sort versions: 'summer' has no version in it"):
        by_version(["1", "summer"])


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (["in/1"], [], "is a folder, and a patch takes two"),
        (["in/1", "in/none"], [], "in/none: is no folder"),
        (["in/1", "in"], [], "whose paths differ in one part"),
        (["in/1", "in/1"], [], "whose paths differ in one part"),
        (["in/1", "in/2"], [], "output: is missing"),
        (["in/1", "in/2"], ["output=o", "level"], "--set level: expected KEY=VALUE"),
        (["in/1", "in/2"], ["output=o", "last=-1"], "--set last: expected 0 or more"),
        (["in/1", "in/2"], ["output=o", "lst=1"], "--set lst: there is no such key"),
        (["in/1", "in/2"], ["output=o", "create.level=11"], "--set level: the call is not valid"),
        (["in/1", "in/2"], ["output=o", "output.level=11"], "output is no table"),
    ],
)
def test_folders_and_settings_that_are_wrong(root: pathlib.Path, names: list[str], settings: list[str], message: str) -> None:
    with pytest.raises(_plan.PlanError, match=re.escape(message)):
        _plan.read_plan([str(root / name) for name in names], settings)


def test_settings_come_before_what_a_file_says(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root) + "last = 1\n"), ["last=2", 'files=["a*"]', "input=x/{release}"])
    assert (plan.last, plan.files, plan.input) == (2, ("a*",), os.path.abspath("x/{release}"))


POLICIES = """
[create]
level = 6
threads = 1
[[policies]]
files = ["*.pak"]
level = 1
[[policies]]
above_bytes = 1000
level = 3
threads = 2
"""


def test_policies(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root) + POLICIES))

    def options(name: str, size: int) -> bdelta.CreateOptions:
        return plan.create_for(_plan.File("", name, "1", "", size, ""))

    assert options("deep/x.pak", 5000) == {"level": 1, "threads": 1}
    assert options("app", 1001) == {"level": 3, "threads": 2}
    assert options("app", 1000) == {"level": 6, "threads": 1}
    assert plan.fixed() != _plan.read_plan(written(root, GOOD.format(root=root) + POLICIES.replace("1000", "99"))).fixed()
    for release in ("1", "2"):
        (root / "in" / release / "app").write_bytes(release.encode() * 2000)
    job = _plan.jobs_of(plan, _plan.find_files(plan))[0]
    assert _run.needs(plan, job)["THREADS"] == 2
    patch = _jobs.run_job(plan, job, Cache(str(root / "cache"), 0))
    assert (root / "out" / patch["patch"]["name"]).read_bytes() == bdelta.create_bytes(b"1" * 2000, b"2" * 2000, level=3)


@pytest.mark.parametrize(
    ("policy", "line", "message"),
    [("level = 11", 6, "level: the call is not valid"), ("files = []", 5, "policies: files: expected a list of strings"),
     ("above_bytes = -1", 6, "above_bytes: expected a number of bytes"), ("lvl = 1", 6, "lvl: there is no such option")],
)
def test_policies_that_are_wrong(root: pathlib.Path, policy: str, line: int, message: str) -> None:
    with pytest.raises(_plan.PlanError, match=f":{line}: {message}"):
        _plan.read_plan(written(root, GOOD.format(root=root) + f"[[policies]]\n{policy}\n"))


def test_a_job_that_no_worker_has_room_for(root: pathlib.Path) -> None:
    plan = _plan.read_plan(written(root, GOOD.format(root=root) + "[create]\nthreads = 2\n"))
    jobs = _plan.jobs_of(plan, _plan.find_files(plan))
    _run.check_workers([{}, {"MEMORY": 1e12, "THREADS": 2}], plan, jobs)
    lacking: list[_run.Resources] = [{"MEMORY": 1e12, "THREADS": 1}, {"MEMORY": 10, "THREADS": 2}, {"MEMORY": 1e12}]
    for resources in lacking:
        with pytest.raises(_plan.PlanError, match="no worker has the resources of 'app--1--2.bdelta', MEMORY=.* THREADS=2"):
            _run.check_workers([{}, resources], plan, jobs)


def test_the_plan_of_the_guide(root: pathlib.Path) -> None:
    guide = (pathlib.Path(__file__).parents[3] / "docs" / "matrix.md").read_text()
    plan = _plan.read_plan(written(root, guide.split("```toml\n")[1].split("```")[0]))
    assert plan.policies == (_plan.Policy(("*.pak",), 100_000_000, {"level": 3}),)
    assert (plan.last, plan.full_ratio, plan.create) == (2, 0.7, {"level": 6, "threads": 1})
    assert set(_plan.OPTIONS) == set(re.findall(r"`(\w+)`", guide.split("Options of `[create]` and of policies are ")[1].split(".\n")[0]))
