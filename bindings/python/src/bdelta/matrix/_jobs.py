"""What workers do. A job leaves a record beside its patch, by which a later run knows that it is done."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from typing import Any, NamedTuple

import fsspec  # type: ignore[import-untyped]
from distributed import get_worker

import bdelta
from bdelta.matrix._plan import File, Job, Plan, digest_of, is_local, weighty
from bdelta.matrix._store import Cache, Changed, join, listing, publish, published, read, written_later

Entry = dict[str, Any]
"""An entry of `patches` in the manifest."""


def making_of(plan: Plan, job: Job) -> str:
    """Changes with all besides inputs that may change the patch, but for the share of NEW above which there is none."""
    return digest_of([bdelta.__version__, weighty(plan.create_for(job.target)), job.name])


def tokens_of(job: Job) -> list[str]:
    """Change with the inputs."""
    return [f"{file.url} {file.bytes} {file.token}" for file in (job.source, job.target)]


def key_of(plan: Plan, job: Job) -> str:
    """Of a job on Dask, which does jobs of one key once, whoever asks: for runs to other outputs it has to differ."""
    return digest_of([making_of(plan, job), tokens_of(job), plan.output, plan.full_ratio])


def record_name(job: Job) -> str:
    return f".records/{job.name}.json"


class Done(NamedTuple):
    """A job that is done."""

    entry: Entry
    seconds: float
    """That a worker had it, by the clock."""


def recorded(plan: Plan, jobs: list[Job], digests: bool = False) -> dict[str, Done]:
    """The jobs that are done, by name. A job is done if

    - its record is of these inputs, as their tokens tell or, where these are local, their digests,
    - its patch would be kept by this plan or, where none was kept, would not be, and
    - its patch is there as it was made: of the recorded size, and if it was written since, or with `digests`, of the digest.
    """
    there = listing(plan.output)
    found = {}
    for job in jobs:
        record = record_name(job)
        done = _done(plan, job) if record in there else None
        if done is None:
            continue
        if done.entry["patch"]:
            patch = there.get(job.name)
            if patch is None or patch["size"] != done.entry["patch"]["bytes"]:
                continue
            if (digests or written_later(patch, there[record])) and not _is_whole(plan, job, done.entry):
                continue
        found[job.name] = done
    return found


def _done(plan: Plan, job: Job) -> Done | None:
    try:
        record = json.loads(read(join(plan.output, record_name(job))) or b"")
        fits = record["making"] == making_of(plan, job) and _is_kept_alike(plan, job, record) and _has_inputs(job, record)
        return Done(record["entry"], record["seconds"]) if fits else None
    except (ValueError, KeyError):
        return None  # damaged


def _has_inputs(job: Job, record: dict[str, Any]) -> bool:
    """Local files that were copied or moved have other tokens and the same digest."""
    for side, file, token, before in zip(("source", "target"), (job.source, job.target), tokens_of(job), record["tokens"]):
        told = record["entry"][side]
        if token != before and (file.bytes != told["bytes"] or sha256_of(file.url, file.token) != told.get("sha256", "")):
            return False
    return True


@functools.lru_cache(maxsize=None)
def sha256_of(url: str, token: str) -> str | None:
    """Of a local file, which has this token; None of others: fetching them takes too long."""
    fs, path = fsspec.core.url_to_fs(url)
    if not is_local(fs):
        return None
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _is_kept_alike(plan: Plan, job: Job, record: dict[str, Any]) -> bool:
    if record["entry"]["full"]:
        return bool(0 < plan.full_ratio <= record["full_ratio"])
    return not plan.full_ratio or bool(record["entry"]["patch"]["bytes"] <= plan.full_ratio * job.target.bytes)


def _is_whole(plan: Plan, job: Job, entry: Entry) -> bool:
    data = read(join(plan.output, job.name))
    return data is not None and hashlib.sha256(data).hexdigest() == entry["patch"]["sha256"]


def file_json(file: File, digests: bdelta.Digests | None = None) -> Entry:
    told: Entry = {"name": file.name, "release": file.release, "bytes": file.bytes}
    if digests is not None:
        told.update(digests_json(digests))
    return told


def digests_json(digests: bdelta.Digests) -> Entry:
    told = {"xxh3_128": digests.xxh3_128, "sha256": digests.sha256}
    return {name: digest.hex() for name, digest in told.items() if digest is not None}


def failed(job: Job, error: BaseException) -> Entry:
    told: Entry = {"message": str(error) or type(error).__name__}
    if isinstance(error, bdelta.Error):
        told.update(code=int(error.code), name=error.code.name, detail=error.detail)
    return _entry(job, ok=False, source=file_json(job.source), target=file_json(job.target), error=told)


def _entry(job: Job, **fields: Any) -> Entry:
    return {"platform": job.source.platform, "patch": None, "error": None, **fields}


def run_job(plan: Plan, job: Job, cache: Cache) -> Entry:
    """Makes a patch and its record, and gives its entry. What a second try can't help is an entry with an error."""
    start = time.monotonic()
    try:
        with cache.fetched(job.source) as old, cache.fetched(job.target) as new:
            with published(join(plan.output, job.name)) as patch:
                report = bdelta.create(old, new, patch, **plan.options(job.target))
                with cache.fetched(job.source), cache.fetched(job.target):
                    pass  # they are still what was planned
    except bdelta.BudgetError as error:
        if error.code != bdelta.Code.PatchTooLarge:
            return failed(job, error)
        entry = _entry(job, ok=True, full=True, source=file_json(job.source), target=file_json(job.target))
    except (Changed, bdelta.Error) as error:
        return failed(job, error)
    else:
        entry = _entry(
            job,
            ok=True,
            full=False,
            source=file_json(job.source, report.source_digests),
            target=file_json(job.target, report.target_digests),
            patch={"name": job.name, "bytes": report.patch_bytes, **digests_json(report.patch_digests)},
            decoder_memory_bytes=report.decoder_memory_bytes,
            verified=report.verified,
        )
    seconds = round(time.monotonic() - start, 3)
    record = {
        "making": making_of(plan, job),
        "tokens": tokens_of(job),
        "full_ratio": plan.full_ratio,
        "seconds": seconds,
        "entry": entry,
    }
    publish(join(plan.output, record_name(job)), json.dumps(record).encode())
    return entry


def verify_job(plan: Plan, job: Job, entry: Entry, cache: Cache) -> str:
    """Applies a patch that was made. Empty: it gives NEW; else what is wrong."""
    data = read(join(plan.output, job.name))
    if data is None:
        return "the patch is gone; run again to make it anew"
    if hashlib.sha256(data).hexdigest() != entry["patch"]["sha256"]:
        return "the patch is not the one in the manifest; run again with --digests to make it anew"
    try:
        with cache.fetched(job.source) as old:
            made = bdelta.apply_bytes(old, data, output_limit_bytes=job.target.bytes)
    except (Changed, bdelta.Error) as error:
        return str(error)
    return "" if hashlib.sha256(made).hexdigest() == entry["target"]["sha256"] else "NEW is another file"


def worker_cache(limit_bytes: int) -> Cache:
    """That of the worker that this runs on."""
    worker: Any = get_worker()
    if not hasattr(worker, "bdelta_cache"):
        worker.bdelta_cache = Cache(os.path.join(worker.local_directory, "bdelta"), limit_bytes)
    cache: Cache = worker.bdelta_cache
    return cache


def run_on_worker(plan: Plan, job: Job, limit_bytes: int) -> Entry:
    return run_job(plan, job, worker_cache(limit_bytes))


def verify_on_worker(plan: Plan, job: Job, entry: Entry, limit_bytes: int) -> str:
    return verify_job(plan, job, entry, worker_cache(limit_bytes))
