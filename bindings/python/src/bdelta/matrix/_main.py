"""The program bdelta-matrix."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import dask.config
from rich.console import Console
from rich.progress import Progress

import bdelta
from bdelta.matrix import _jobs, _manifest, _plan, _run, _store
from bdelta.matrix._order import by_version, out_of_order
from bdelta.matrix._output import check_files, check_output, claim_output, manifest_of
from bdelta.matrix._plan import File, Job, Plan, PlanError
from bdelta.matrix._signals import Ended, ended_by_signals

QUIET = ("distributed", "tornado.application", "asyncio")
"""Loggers that tell errors where nothing is wrong: what a cluster that is being closed still waits for."""

DASK = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "logging": dict.fromkeys(QUIET, "critical"),
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "1s",
}
"""Each worker after the first starts in 0.2 seconds of the processor, not 1.4, and shares memory with the others.

Dask watches its workers all the time. Without that two idle workers take 0.01 of a core, not 0.07."""

Tell = Callable[[Job, str, str], None]
"""Of a job: what is wrong with it, or else what became of it."""


@contextlib.contextmanager
def telling(as_json: bool, count: int) -> Iterator[Tell]:
    """Tells of each job as it ends: lines of JSON, or a bar and lines of text. On standard error."""
    if as_json:
        yield lambda job, error, became: print(
            json.dumps({"job": job.name, "ok": not error, "error": error or None}), file=sys.stderr, flush=True
        )
        return
    console = Console(stderr=True, soft_wrap=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("jobs", total=count)

        def tell(job: Job, error: str, became: str) -> None:
            console.print(f"{job.name}: {error or became}", markup=False, highlight=False)
            progress.advance(task)

        yield tell


def warn(arguments: argparse.Namespace, text: str) -> None:
    print(json.dumps({"warning": text}) if arguments.json else f"bdelta-matrix: warning: {text}", file=sys.stderr)


def close(arguments: argparse.Namespace, text: str, **figures: int) -> None:
    """What became of all: a line on standard error, or JSON on standard output."""
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(f"bdelta-matrix: {text}", file=sys.stderr)


@contextlib.contextmanager
def cluster_of(arguments: argparse.Namespace, plan: Plan, jobs: list[Job]) -> Iterator[str]:
    if arguments.scheduler:
        yield arguments.scheduler
    else:
        with _run.local_cluster(plan, jobs, arguments.workers) as address:
            yield address


def check_room(arguments: argparse.Namespace, plan: Plan, jobs: list[Job]) -> None:
    """PlanError for a job that no worker of a run would have room for."""
    if not arguments.scheduler:
        _run.check_workers([_run.local_resources(plan, jobs, arguments.workers)[1]], plan, jobs)
        return
    with _run.connected(arguments.scheduler) as client:
        _run.check_workers(_run.resources_of(client), plan, jobs)


def tell_what_leaves(arguments: argparse.Namespace, plan: Plan, files: list[File]) -> None:
    """PlanError for an output by another plan."""
    gone = check_files(plan, files)
    if gone:
        named = ", ".join(gone[:3]) + (f" and {len(gone) - 3} more" if len(gone) > 3 else "")
        warn(arguments, f"releases in the manifest lose files that are not in this plan: {named}")


def show_plan(arguments: argparse.Namespace, plan: Plan, files: list[File], jobs: list[Job]) -> int:
    check_output(plan)
    tell_what_leaves(arguments, plan, files)
    done = _jobs.recorded(plan, jobs)
    left = [job for job in jobs if job.name not in done]
    check_room(arguments, plan, left)
    done_bytes = sum(job.target.bytes for job in jobs if job.name in done)
    seconds_a_byte = sum(one.seconds for one in done.values()) / done_bytes if done_bytes else None
    told: dict[str, Any] = {
        "files": len(files),
        "jobs": len(jobs),
        "done": len(done),
        "source_bytes": sum(job.source.bytes for job in jobs),
        "target_bytes": sum(job.target.bytes for job in jobs),
        "memory_bytes": max((job.memory_bytes for job in jobs), default=0),
        "seconds": None if seconds_a_byte is None else round(seconds_a_byte * sum(job.target.bytes for job in left), 1),
    }
    if arguments.json:
        told["patches"] = [{"name": job.name, "memory_bytes": job.memory_bytes} for job in jobs]
        print(json.dumps(told, indent=2))
        return 0
    for job in jobs:
        print(job.name)
    print(f"{told['jobs']} patches between {told['files']} files, {told['done']} of them done; reads {told['source_bytes']:,} bytes "
          f"of OLD and {told['target_bytes']:,} of NEW; a job takes up to {told['memory_bytes']:,} bytes of memory")
    if left and told["seconds"] is not None:
        print(f"one worker takes {told['seconds']:,} seconds for those that are left, at the pace of those that are done")
    return 0


def run(arguments: argparse.Namespace, plan: Plan, files: list[File], jobs: list[Job]) -> int:
    check_output(plan)
    tell_what_leaves(arguments, plan, files)
    claim_output(plan)
    _store.remove_leftovers(plan.output)
    try:
        return make(arguments, plan, files, jobs)
    finally:
        # Of workers that were ended. Those of this machine are gone soon, if they aren't yet.
        _store.remove_leftovers(plan.output, patience_seconds=0 if arguments.scheduler else 10)


def make(arguments: argparse.Namespace, plan: Plan, files: list[File], jobs: list[Job]) -> int:
    entries = {name: done.entry for name, done in _jobs.recorded(plan, jobs, arguments.digests).items()}
    left = [job for job in jobs if job.name not in entries]
    with telling(arguments.json, len(left)) as tell:
        if left:
            with cluster_of(arguments, plan, left) as address:
                entries |= _run.run_jobs(
                    address, plan, left,
                    lambda client, job, how: client.submit(
                        _jobs.run_on_worker, plan, job, arguments.cache_bytes, key=f"bdelta-{_jobs.key_of(plan, job)}", **how
                    ),
                    _jobs.failed,
                    lambda job, entry: tell(
                        job,
                        entry["error"]["message"] if entry["error"] else "",
                        "done" if entry["patch"] else "NEW is shipped whole",
                    ),
                )
    ordered = [entries[job.name] for job in jobs]
    _store.publish(_store.join(plan.output, "manifest.json"), _manifest.manifest_json(plan, files, ordered))
    bad = [entry for entry in ordered if not entry["ok"]]
    made, before = sum(entry["patch"] is not None for entry in ordered), len(jobs) - len(left)
    whole = len(ordered) - made - len(bad)
    text = f"{made} patches made, {whole} files shipped whole, {len(bad)} failed" + (f"; {before} done before" if before else "")
    close(arguments, text, made=made, whole=whole, failed=len(bad), before=before)
    if not bad:
        return 0
    code = bad[0]["error"].get("code")
    return bdelta.Code(code).exit_class if code else 2


def verify(arguments: argparse.Namespace, plan: Plan, files: list[File], jobs: list[Job]) -> int:
    manifest = manifest_of(plan)
    if manifest is None:
        raise plan.fail("output", f"{plan.output} has no manifest.json; run the plan first")
    made = {entry["patch"]["name"]: entry for entry in manifest["patches"] if entry["patch"]}
    chosen = [job for job in jobs if job.name in made]
    if arguments.sample and arguments.sample < len(chosen):
        chosen = [chosen[at * len(chosen) // arguments.sample] for at in range(arguments.sample)]
    with telling(arguments.json, len(chosen)) as tell, cluster_of(arguments, plan, chosen) as address:
        found = _run.run_jobs(
            address, plan, chosen,
            lambda client, job, how: client.submit(
                _jobs.verify_on_worker, plan, job, made[job.name], arguments.cache_bytes, pure=False, **how
            ),
            lambda job, error: str(error) or type(error).__name__,
            lambda job, error: tell(job, error, "gives NEW"),
        )
    bad = [name for name, error in found.items() if error]
    good = len(found) - len(bad)
    close(arguments, f"{good} of {len(found)} patches give NEW", good=good, bad=len(bad))
    return 5 if bad else 0


def count(text: str) -> int:
    """An argument that is a number, 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number of 0 or more, found {text!r}")
    return int(text)


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="bdelta-matrix", description="Patches between releases, as a plan says.")
    options.add_argument("--version", action="version", version=bdelta.__version__)
    commands = options.add_subparsers(dest="command", required=True)
    for name, does, what in (
        ("plan", show_plan, "shows what would be done and what it costs"),
        ("run", run, "makes the patches that are not there yet, and manifest.json"),
        ("verify", verify, "applies patches that were made, and compares"),
    ):
        command = commands.add_parser(name, help=what, description=what)
        command.set_defaults(does=does)
        command.add_argument("plan", nargs="+", metavar="PLAN", help="a file in TOML; or folders, one for each release, the oldest first")
        command.add_argument("-o", "--output", metavar="FOLDER", help="where patches go, in the place of the plan's")
        command.add_argument("-s", "--set", action="append", default=[], metavar="KEY=VALUE",
                             help="a key of the plan with its value as in TOML, such as last=2 or create.level=6")
        command.add_argument("--sort", choices=["versions"], help="the releases by their versions: 1.2 before 1.10")
        command.add_argument("--json", action="store_true", help="tell in JSON")
        command.add_argument("--scheduler", metavar="ADDRESS", help="tcp://… of a cluster; default: one on this machine")
        command.add_argument("--workers", type=count, default=0, metavar="N", help="of the cluster on this machine")
        if name != "plan":
            command.add_argument("--cache-bytes", type=count, default=8 << 30, metavar="N",
                                 help="inputs that a worker keeps; default 8 GiB")
        if name == "run":
            command.add_argument("--digests", action="store_true",
                                 help="read all patches that are there, and make anew those that are not as they were made")
        if name == "verify":
            command.add_argument("--sample", type=count, default=0, metavar="N", help="so many of them; default: all")
    return options


def main(given: list[str] | None = None) -> int:
    arguments = parser().parse_args(given)
    try:
        with ended_by_signals():
            return carry_out(arguments)
    except KeyboardInterrupt as ended:
        print("bdelta-matrix: interrupted; run it again to go on", file=sys.stderr)
        return 143 if isinstance(ended, Ended) else 130


def carry_out(arguments: argparse.Namespace) -> int:
    dask.config.set(DASK)  # for the workers of this machine
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        output = [] if arguments.output is None else [f"output={json.dumps(arguments.output)}"]
        plan = _plan.read_plan(arguments.plan, [*arguments.set, *output])
        if arguments.sort:
            plan = dataclasses.replace(plan, releases=by_version(plan.releases))
        if (found := out_of_order(plan.releases)) is not None:
            warn(arguments, f"{found[0]} stands before {found[1]}, as if it were older; --sort versions sorts them by version")
        files = _plan.find_files(plan)
        return int(arguments.does(arguments, plan, files, _plan.jobs_of(plan, files)))
    except PlanError as error:
        print(f"bdelta-matrix: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"bdelta-matrix: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
