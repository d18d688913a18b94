"""Plans carried out by small clusters on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from conftest import edited, words

pytest.importorskip("distributed")

import bdelta
from bdelta.matrix import _main, _plan, _run

PLAN = """
releases = ["1.0", "1.1", "2.0"]
platforms = ["linux", "windows"]
input = "{root}/in/{{release}}/{{platform}}"
files = ["bin/*", "data"]
output = "{root}/out"
last = 1

[create]
level = 1
"""


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    for at, release in enumerate(("1.0", "1.1", "2.0")):
        for platform in ("linux", "windows"):
            for name in ("bin/app", "bin/tool", "data"):
                path = tmp_path / "in" / release / platform / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(edited(words(20_000, 1), at, 40 * at) + f"{platform} {name}".encode())
    (tmp_path / "plan.toml").write_text(PLAN.format(root=tmp_path))
    return tmp_path


def waiting_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("nothing happened for a minute")


CALM = {f"DASK_{key.upper().replace('.', '__').replace('-', '_')}": str(value) for key, value in _main.DASK.items()}
"""Dask as the program has it for its own workers: processes that do nothing take little."""


class Cluster:
    """A scheduler and workers as processes of their own."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.started: list[subprocess.Popen[Any]] = []

    def start(self, program: str, *arguments: str) -> subprocess.Popen[Any]:
        process = subprocess.Popen(
            [sys.executable, "-m", program, *arguments, "--no-dashboard", "--dashboard-address=127.0.0.1:0"],
            stderr=subprocess.DEVNULL, env={**os.environ, **CALM},
        )
        self.started.append(process)
        return process

    def scheduler(self, port: int = 0) -> tuple[subprocess.Popen[Any], str]:
        file = self.root / f"scheduler-{len(self.started)}.json"
        process = self.start(
            "distributed.cli.dask_scheduler", "--host=127.0.0.1", f"--port={port}", f"--scheduler-file={file}"
        )
        waiting_for(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        return process, json.loads(file.read_text())["address"]

    def worker(self, address: str) -> subprocess.Popen[Any]:
        return self.start(
            "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads=1", "--resources", "MEMORY=8e9 THREADS=1",
            f"--local-directory={self.root}/work",
        )

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()


class Told(NamedTuple):
    """What became of a command."""

    code: int
    out: str
    err: str


Shared = Callable[..., Told]
"""Runs a command in this process, its jobs by a cluster that all such tests share: to start one takes seconds."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    _, scheduler = made.scheduler()
    for _ in range(2):
        made.worker(scheduler)
    with _run.connected(scheduler) as client:
        client.wait_for_workers(2, timeout=60)
    yield scheduler
    made.end()


@pytest.fixture
def shared(address: str, capsys: pytest.CaptureFixture[str]) -> Shared:
    def run(root: pathlib.Path, command: str, *arguments: str) -> Told:
        code = _main.main([command, str(root / "plan.toml"), f"--scheduler={address}", *arguments])
        return Told(code, *capsys.readouterr())

    return run


def matrix(root: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bdelta.matrix._main", arguments[0], str(root / "plan.toml"), *arguments[1:]],
        capture_output=True, text=True, timeout=120,
    )


def content(root: pathlib.Path) -> dict[str, bytes]:
    """Of all files, but for records, which have times in them."""
    files = [path for path in root.rglob("*") if path.is_file() and ".records" not in path.parts]
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def manifest(root: pathlib.Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((root / "out" / "manifest.json").read_text())
    return told


def test_from_a_plan_to_a_manifest(root: pathlib.Path, shared: Shared) -> None:
    planned = matrix(root, "plan", "--json")
    assert (planned.returncode, json.loads(planned.stdout)["jobs"], json.loads(planned.stdout)["done"]) == (0, 12, 0)
    assert not (root / "out").exists()
    ran = matrix(root, "run", "--workers=2", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"made": 12, "whole": 0, "failed": 0, "before": 0}
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert len(lines) == 12 and all(line["ok"] for line in lines)
    told = manifest(root)
    assert (told["manifest_schema"], told["ok"], len(told["patches"]), len(told["routes"])) == (1, True, 12, 18)
    for entry in told["patches"]:
        old, new = (
            (root / "in" / entry[side]["release"] / entry["platform"] / entry[side]["name"]).read_bytes()
            for side in ("source", "target")
        )
        patch = (root / "out" / entry["patch"]["name"]).read_bytes()
        assert patch == bdelta.create_bytes(old, new, level=1)
        assert bdelta.apply_bytes(old, patch) == new
    way = next(route for route in told["routes"] if (route["from"], route["to"], route["name"]) == ("1.0", "2.0", "data"))
    assert way["patches"] == ["linux/data--1.0--1.1.bdelta", "linux/data--1.1--2.0.bdelta"]
    # Another cluster gives the same bytes; what is there is not made again; all of it gives NEW.
    first = content(root / "out")
    again = shared(root, "run")
    assert (again.code, content(root / "out")) == (0, first)
    assert again.err == "bdelta-matrix: 12 patches made, 0 files shipped whole, 0 failed; 12 done before\n"
    checked = matrix(root, "verify", "--workers=1", "--sample=5")
    assert checked.returncode == 0 and "5 of 5 patches give NEW" in checked.stderr, checked.stderr
    shutil.rmtree(root / "out")
    assert shared(root, "run").code == 0
    assert content(root / "out") == first
    patch_path = root / "out" / told["patches"][0]["patch"]["name"]
    patch_path.write_bytes(patch_path.read_bytes()[:-1] + b"x")
    wrong = shared(root, "verify")
    assert wrong.code == 5 and "11 of 12 patches give NEW" in wrong.err
    assert "the patch is not the one in the manifest; run again with --digests to make it anew" in wrong.err
    (root / "out" / told["patches"][1]["patch"]["name"]).unlink()
    assert json.loads(shared(root, "plan", "--json").out)["done"] == 10
    assert shared(root, "run", "--digests").code == 0
    assert content(root / "out") == first


def guide_program() -> str:
    guide = (pathlib.Path(__file__).parents[3] / "docs" / "matrix.md").read_text()
    return guide.split("```python\n")[1].split("```")[0]


def test_clients_follow_routes(root: pathlib.Path, shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "in" / "2.0" / "windows" / "data").write_bytes(random.Random(1).randbytes(10_000))
    ran = shared(root, "run", "--set=full_ratio=0.9")
    assert "11 patches made, 1 files shipped whole, 0 failed" in ran.err
    assert "windows/data--1.1--2.0.bdelta: NEW is shipped whole" in ran.err.splitlines()
    names: dict[str, Any] = {}
    monkeypatch.chdir(root)
    shutil.copytree("out", "patches")
    shutil.copy(root / "in" / "1.0" / "linux" / "bin" / "app", "app")
    exec(guide_program(), names)
    assert pathlib.Path("app").read_bytes() == (root / "in" / "2.0" / "linux" / "bin" / "app").read_bytes()
    whole = root / "in" / "1.0" / "windows" / "data"
    shutil.copy(whole, "data")
    assert not names["update"]("data", "out", "windows", "data", "1.0", "2.0")
    assert pathlib.Path("data").read_bytes() == whole.read_bytes()


def test_the_next_release_makes_what_is_new_alone(root: pathlib.Path, shared: Shared) -> None:
    def run(output: str, *settings: str) -> dict[str, Any]:
        given = [f"--set={setting}" for setting in (f"output={root / output}", *settings)]
        assert shared(root, "run", *given).code == 0
        told: dict[str, Any] = json.loads((root / output / "manifest.json").read_text())
        return told

    run("out", 'releases=["1.0", "1.1"]')
    first = {path: path.stat().st_mtime_ns for path in (root / "out").rglob("*--1.1.bdelta*")}
    assert len(first) == 12  # 6 patches and their records
    both = run("out", "last=2")
    assert {path: path.stat().st_mtime_ns for path in first} == first
    assert (len(both["patches"]), len(both["routes"])) == (18, 18)
    run("at once", "last=2")
    assert content(root / "out") == content(root / "at once")
    # What a plan has no more leaves the manifest and stays in the folder.
    last = run("out", 'releases=["1.1", "2.0"]')
    assert [entry["source"]["release"] for entry in last["patches"]] == ["1.1"] * 6
    assert {route["from"] for route in last["routes"]} == {"1.1"}
    assert len(list((root / "out").rglob("*.bdelta"))) == 18


def test_a_job_that_fails_is_told_and_the_others_go_on(
    root: pathlib.Path, shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = root / "in" / "2.0" / "linux" / "data"
    find = _plan.find_files

    def then_change(plan: Any) -> Any:
        files = find(plan)
        changed.write_bytes(b"other")
        return files

    monkeypatch.setattr(_plan, "find_files", then_change)
    assert shared(root, "run").code == 2
    told = manifest(root)
    bad = [entry for entry in told["patches"] if not entry["ok"]]
    assert [(entry["target"]["name"], entry["target"]["release"]) for entry in bad] == [("data", "2.0")]
    assert "has changed since the plan was made" in bad[0]["error"]["message"]
    assert not told["ok"]
    assert not (root / "out" / "linux" / "data--1.1--2.0.bdelta").exists()
    route = next(r for r in told["routes"] if (r["platform"], r["name"], r["from"], r["to"]) == ("linux", "data", "1.1", "2.0"))
    assert route["full"]
    # The next run takes the file as it is now.
    monkeypatch.undo()
    assert shared(root, "run").code == 0
    assert manifest(root)["ok"]


@pytest.fixture
def cluster(root: pathlib.Path) -> Iterator[Cluster]:
    made = Cluster(root)
    yield made
    made.end()


def slow(root: pathlib.Path) -> None:
    """Larger inputs at a level that takes a while, so that things can happen meanwhile."""
    for path in (root / "in").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes() * 20)
    plan = root / "plan.toml"
    plan.write_text(plan.read_text().replace("level = 1", "level = 9"))


@pytest.mark.parametrize("what", ["worker", "scheduler"])
def test_what_is_killed_costs_its_jobs_and_nothing_else(root: pathlib.Path, cluster: Cluster, what: str) -> None:
    slow(root)
    first, address = cluster.scheduler()
    worker = cluster.worker(address)
    cluster.worker(address)
    run = subprocess.Popen(
        [sys.executable, "-m", "bdelta.matrix._main", "run", str(root / "plan.toml"), f"--scheduler={address}"],
        stderr=subprocess.PIPE, text=True,
    )
    cluster.started.append(run)
    waiting_for(lambda: run.poll() is not None or len(list((root / "out").rglob("*.bdelta"))) >= 2)
    if what == "worker":
        worker.kill()
    else:
        first.kill()
        first.wait()
        _, again = cluster.scheduler(int(address.rpartition(":")[2]))
        assert again == address
        cluster.worker(address)
    _, told = run.communicate(timeout=180)
    assert run.returncode == 0, told
    assert manifest(root)["ok"]
    assert "12 patches made, 0 files shipped whole, 0 failed" in told


def alive(group: int) -> bool:
    """Whether a group has processes that are no zombies."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state != "Z":
                return True
    return False


def leftovers(root: pathlib.Path) -> list[pathlib.Path]:
    return list((root / "out").rglob(".bdelta-*"))


@pytest.mark.parametrize(
    ("number", "to_all", "early", "elsewhere"),
    [
        (signal.SIGINT, False, False, False),
        (signal.SIGINT, True, False, False),  # as a terminal sends it
        (signal.SIGINT, True, True, False),
        (signal.SIGTERM, False, False, False),
        (signal.SIGTERM, True, False, False),
        (signal.SIGTERM, False, True, False),
        (signal.SIGTERM, False, False, True),
    ],
)
def test_signals_end_a_run(
    root: pathlib.Path, cluster: Cluster, number: signal.Signals, to_all: bool, early: bool, elsewhere: bool
) -> None:
    slow(root)
    where = "--workers=2"
    if elsewhere:
        _, address = cluster.scheduler()
        cluster.worker(address)
        where = f"--scheduler={address}"
    run = subprocess.Popen(
        [sys.executable, "-m", "bdelta.matrix._main", "run", str(root / "plan.toml"), where],
        stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests that run in the background ignore it
    )
    sign = ".records/plan.json" if early else "linux/.bdelta-*"
    waiting_for(lambda: any((root / "out").glob(sign)))
    (os.killpg if to_all else os.kill)(run.pid, number)
    _, told = run.communicate(timeout=60)
    assert run.returncode == 128 + number, told
    lines = [line for line in told.splitlines() if not line.endswith(": done")]
    assert lines == ["bdelta-matrix: interrupted; run it again to go on"]
    waiting_for(lambda: not alive(run.pid))
    if elsewhere:  # what that cluster works on is ended by itself
        waiting_for(lambda: leftovers(root) == [])
    assert leftovers(root) == []


def test_a_run_that_was_broken_off_goes_on(root: pathlib.Path, shared: Shared) -> None:
    slow(root)
    run = subprocess.Popen(
        [sys.executable, "-m", "bdelta.matrix._main", "run", str(root / "plan.toml"), "--workers=1"],
        stderr=subprocess.DEVNULL, start_new_session=True,
    )
    waiting_for(lambda: len(list((root / "out").rglob("*.bdelta.json"))) >= 2)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert not (root / "out" / "manifest.json").exists()
    again = shared(root, "run")
    assert again.code == 0, again.err
    assert leftovers(root) == []
    before = int(again.err.rsplit("failed; ", 1)[1].split()[0])
    assert 2 <= before < 12
    assert shared(root, "verify").code == 0
