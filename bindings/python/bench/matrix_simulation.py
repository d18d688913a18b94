"""Where the bottleneck of a large matrix is: 100 releases of 50 files on 6 platforms, on 200 workers.

usage: matrix_simulation.py [RELEASES FILES PLATFORMS WORKERS JOB_SECONDS...]

What happens once in a run is measured, with as many files and jobs as the matrix has: finding files, planning, looking for
records, the manifest, in seconds of the processor. So is what the scheduler takes for a job: empty jobs with resources go through a real one, with workers
in threads. JOB_SECONDS are times of jobs that were measured; the jobs of the matrix have these in turn. Then the jobs are laid
on the workers, each as soon as one is free and the scheduler has come to it.
"""

from __future__ import annotations

import heapq
import json
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, TypeVar

from distributed import Client, LocalCluster, as_completed

from bdelta.matrix import _jobs, _manifest, _plan
from bdelta.matrix._output import claim_output

T = TypeVar("T")
PROBE_JOBS = 2_000


def timed(seconds: dict[str, float], name: str, call: Callable[[], T]) -> T:
    start = time.process_time()
    value = call()
    seconds[name] = time.process_time() - start
    return value


def make_inputs(folder: pathlib.Path, releases: int, files: int, platforms: int) -> _plan.Plan:
    for release in range(releases):
        for platform in range(platforms):
            place = folder / "in" / f"r{release}" / f"p{platform}"
            place.mkdir(parents=True)
            for file in range(files):
                (place / f"file{file}").write_bytes(b"x")
    return _plan.Plan(tuple(f"r{at}" for at in range(releases)), str(folder / "in" / "{release}" / "{platform}"), ("*",),
                      str(folder / "out"), tuple(f"p{at}" for at in range(platforms)), routes="newest")


def entry_of(job: _plan.Job) -> _jobs.Entry:
    patch = {"name": job.name, "bytes": 1000, "xxh3_128": "0" * 32, "sha256": "0" * 64}
    return {"platform": job.source.platform, "ok": True, "full": False, "error": None, "patch": patch,
            "source": _jobs.file_json(job.source), "target": _jobs.file_json(job.target)}


def make_output(plan: _plan.Plan, jobs: list[_plan.Job]) -> None:
    """Records and patches as if all jobs were done."""
    for job in jobs:
        patch, record = pathlib.Path(plan.output, job.name), pathlib.Path(plan.output, _jobs.record_name(job))
        for path in (patch, record):
            path.parent.mkdir(parents=True, exist_ok=True)
        patch.write_bytes(bytes(1000))
        told = {"making": _jobs.making_of(plan, job), "tokens": _jobs.tokens_of(job)}
        record.write_text(json.dumps({**told, "full_ratio": 0, "seconds": 1, "entry": entry_of(job)}))


def nothing(at: int) -> int:
    return at


def scheduler_seconds(workers: int) -> float:
    """Of the scheduler for a job, and of the client that submits it and takes its result."""
    count = min(workers, 16)  # threads of this process; each job asks all of them for room
    with LocalCluster(
        n_workers=count, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=None,
        resources={"MEMORY": 1e12, "THREADS": 1},
    ) as cluster, Client(cluster) as client:
        start = time.process_time()
        futures = [client.submit(nothing, at, resources={"MEMORY": 1e6, "THREADS": 1}, retries=2) for at in range(PROBE_JOBS)]
        for _ in as_completed(futures):
            pass
        return (time.process_time() - start) / PROBE_JOBS


def laid_out(jobs: int, job_seconds: list[float], workers: int, scheduler: float) -> float:
    """Seconds until the last job ends."""
    free = [0.0] * workers
    heapq.heapify(free)
    scheduled = end = 0.0
    for at in range(jobs):
        scheduled = max(scheduled + scheduler, heapq.heappop(free))
        ends = scheduled + job_seconds[at % len(job_seconds)]
        heapq.heappush(free, ends)
        end = max(end, ends)
    return end


def main() -> None:
    numbers = [int(value) for value in sys.argv[1:5]] or [100, 50, 6, 200]
    releases, files, platforms, workers = numbers
    job_seconds = [float(value) for value in sys.argv[5:]] or [1.0]
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bdelta-simulation-") as folder:
        plan = make_inputs(pathlib.Path(folder), releases, files, platforms)
        found = timed(seconds, "finding files", lambda: _plan.find_files(plan))
        jobs = timed(seconds, "planning", lambda: _plan.jobs_of(plan, found))
        claim_output(plan)
        timed(seconds, "looking for records, none there", lambda: _jobs.recorded(plan, jobs))
        make_output(plan, jobs)
        done = timed(seconds, "looking for records, all there", lambda: _jobs.recorded(plan, jobs))
        entries = [done[job.name].entry for job in jobs]
        manifest = timed(seconds, "manifest", lambda: _manifest.manifest_json(plan, found, entries))
    scheduler = scheduler_seconds(workers)
    end = laid_out(len(jobs), job_seconds, workers, scheduler)
    told: dict[str, Any] = {"releases": releases, "files": files, "platforms": platforms, "workers": workers, "jobs": len(jobs)}
    told["job_seconds"] = sum(job_seconds) / len(job_seconds)
    told["once"] = {name: round(value, 2) for name, value in seconds.items()}
    told["manifest_bytes"] = len(manifest)
    told["scheduler_seconds_a_job"] = round(scheduler, 5)
    told["workers_kept_busy"] = int(told["job_seconds"] / scheduler)
    told["jobs_take"] = round(end, 1)
    told["at_best"] = round(len(jobs) * told["job_seconds"] / workers, 1)
    told["load"] = os.getloadavg()[0]
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
