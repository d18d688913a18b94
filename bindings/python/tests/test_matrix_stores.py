"""Inputs and outputs elsewhere than on this machine: HTTP, which is read, and S3. A server of this machine stands for both."""

from __future__ import annotations

import functools
import http.server
import pathlib
import threading
from collections.abc import Iterator

import pytest

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("distributed")

import bdelta
from bdelta.matrix import _jobs, _plan
from bdelta.matrix._output import claim_output
from bdelta.matrix._store import Cache

RELEASES = ("1", "2")


def plan_of(root: pathlib.Path, source: str, output: str) -> _plan.Plan:
    path = root / "plan.toml"
    path.write_text(f'releases = ["1", "2"]\ninput = "{source}/{{release}}"\nfiles = ["*.bin"]\noutput = "{output}"\n')
    return _plan.read_plan(str(path))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def web(tmp_path: pathlib.Path) -> Iterator[tuple[pathlib.Path, str]]:
    for release in RELEASES:
        (tmp_path / "web" / release).mkdir(parents=True)
        (tmp_path / "web" / release / "app.bin").write_bytes(release.encode() * 1000)
        (tmp_path / "web" / release / "notes.txt").write_bytes(b"notes")
    handler = functools.partial(Quiet, directory=str(tmp_path / "web"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield tmp_path, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        serving.join()


def test_inputs_over_http(web: tuple[pathlib.Path, str]) -> None:
    pytest.importorskip("aiohttp")
    root, address = web
    plan = plan_of(root, address, str(root / "out"))
    files = _plan.find_files(plan)
    assert [(file.name, file.release, file.bytes) for file in files] == [("app.bin", "1", 1000), ("app.bin", "2", 1000)]
    (job,) = _plan.jobs_of(plan, files)
    cache = Cache(str(root / "cache"), 1 << 20)
    entry = _jobs.run_job(plan, job, cache)
    assert entry["ok"], entry
    patch = (root / "out" / entry["patch"]["name"]).read_bytes()
    assert bdelta.apply_bytes(b"1" * 1000, patch) == b"2" * 1000
    assert _jobs.verify_job(plan, job, entry, cache) == ""
    assert len(list((root / "cache").iterdir())) == 2
    (root / "web" / "2" / "app.bin").write_bytes(b"3" * 999)
    assert "has changed" in _jobs.run_job(plan, job, cache)["error"]["message"]


def test_an_output_over_http_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(_plan.PlanError, match=":4: output: over HTTP files can only be read"):
        plan_of(tmp_path, "http://127.0.0.1:1/in", "https://127.0.0.1:1/out")


def test_s3(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs")
    server_type = pytest.importorskip("moto.server").ThreadedMotoServer
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = server_type(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.get_host_and_port()))
        fs = fsspec.filesystem("s3", skip_instance_cache=True)
        type(fs).clear_instance_cache()
        fs.mkdir("releases")
        fs.mkdir("patches")
        for release in RELEASES:
            fs.pipe(f"releases/app/{release}/app.bin", release.encode() * 1000)
        plan = plan_of(tmp_path, "s3://releases/app", "s3://patches/app")
        (job,) = _plan.jobs_of(plan, _plan.find_files(plan))
        cache = Cache(str(tmp_path / "cache"), 1 << 20)
        claim_output(plan)
        entry = _jobs.run_job(plan, job, cache)
        assert entry["ok"], entry
        assert _jobs.recorded(plan, [job], digests=True)[job.name].entry == entry
        assert bdelta.apply_bytes(b"1" * 1000, fs.cat(f"patches/app/{job.name}")) == b"2" * 1000
        assert _jobs.verify_job(plan, job, entry, cache) == ""
        fs.pipe("releases/app/2/app.bin", b"3" * 1000)
        assert "has changed" in _jobs.run_job(plan, job, cache)["error"]["message"]
    finally:
        server.stop()
