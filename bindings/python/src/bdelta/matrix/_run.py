"""Jobs on Dask: by a cluster on this machine, or by one that is there already."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import distributed
from distributed import Client, LocalCluster, as_completed
from distributed.comm.core import CommClosedError

from bdelta.matrix._plan import Job, Plan, PlanError
from bdelta.matrix._signals import signals_held

T = TypeVar("T")

TRIES = 3
"""Of a job whose worker dies or whose files can't be read or written, and of reaching a scheduler that is gone."""


def needs(plan: Plan, job: Job) -> dict[str, int]:
    """Resources of Dask that a job holds while it works."""
    return {"MEMORY": job.memory_bytes, "THREADS": plan.threads_of(job.target)}


Resources = dict[str, float]
"""What a worker has, by name."""


def local_resources(plan: Plan, jobs: list[Job], workers: int) -> tuple[int, Resources]:
    """How many workers a cluster on this machine has, and what each of them: they share its memory."""
    threads = max((plan.threads_of(job.target) for job in jobs), default=1)
    count = workers or max(1, (os.cpu_count() or 1) // threads)
    return count, {"MEMORY": distributed.system.MEMORY_LIMIT // count, "THREADS": threads}


@contextlib.contextmanager
def local_cluster(plan: Plan, jobs: list[Job], workers: int) -> Iterator[str]:
    """The address of a cluster of processes on this machine."""
    count, resources = local_resources(plan, jobs, workers)
    with contextlib.ExitStack() as stack:
        with signals_held():
            cluster = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                memory_limit=None,
                dashboard_address="127.0.0.1:0",  # any port that is free
                resources=resources,
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(cluster)
        yield cluster.scheduler_address


def connected(address: str) -> Client:
    """A client of a scheduler that has a worker. It may take a minute to come back, and its workers another."""
    client = Client(address, timeout=60, set_as_default=False)
    client.wait_for_workers(1, timeout=60)
    return client


def resources_of(client: Client) -> list[Resources]:
    return [worker["resources"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]


def check_workers(workers: list[Resources], plan: Plan, jobs: list[Job]) -> None:
    """PlanError for a job that no worker has room for: it would wait for ever."""
    for job in jobs:
        wanted = needs(plan, job)
        if not any(all(worker.get(name, 0) >= wanted[name] for name in wanted) for worker in workers):
            raise PlanError(
                f"no worker has the resources of {job.name!r}, MEMORY={wanted['MEMORY']} and THREADS={wanted['THREADS']}: "
                "start workers with them (dask worker --resources), or set memory_limit_bytes"
            )


def run_jobs(
    address: str,
    plan: Plan,
    jobs: list[Job],
    submitted: Callable[[Client, Job, dict[str, Any]], Any],
    failed: Callable[[Job, BaseException], T],
    tell: Callable[[Job, T], None],
) -> dict[str, T]:
    """What becomes of each job, by its name. When the scheduler goes away, the jobs that are left go to the next one there.

    `submitted` gives the future of a job, `failed` what stands for one that could not be done.
    """
    done: dict[str, T] = {}
    for _ in range(TRIES):
        left = [job for job in jobs if job.name not in done]
        if not left:
            break
        with contextlib.suppress(CommClosedError), connected(address) as client:  # closed: the scheduler is gone
            check_workers(resources_of(client), plan, left)
            left.sort(key=lambda job: job.source.bytes + job.target.bytes, reverse=True)  # so that workers end at about the same time
            futures = {submitted(client, job, {"resources": needs(plan, job), "retries": TRIES - 1}): job for job in left}
            for future in as_completed(list(futures), loop=client.loop):
                job = futures[future]
                if future.status == "finished":
                    done[job.name] = future.result()
                elif future.status == "error":
                    done[job.name] = failed(job, future.exception())
                else:
                    continue  # cancelled, for the same reason
                tell(job, done[job.name])
    for job in jobs:
        if job.name not in done:
            done[job.name] = failed(job, ConnectionError("the scheduler went away"))
    return done
