"""The command line: run, report, compare, degenerate, monotone, prices, start, tools."""
from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import compare, degenerate, machine, monotone, prices, start
from .cache import SlowCache
from .measure import Launcher, Limits
from .pairs import find_pairs
from .rows import FLOOR, read_raw, summarize, write_raw, write_summary
from .runner import PairRun, Progress, Repeats, entrants_for
from .tools import Setting, Tool, find_tools

ROOT = Path(__file__).resolve().parents[3]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bdelta-bench", description="Measures bdelta beside its peers.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="measure pairs and write raw.csv, summary.csv and run.json")
    run.add_argument("pairs", nargs="+", help="names, globs or size classes (small, medium, large, huge)")
    run.add_argument("--tools", default="", help="comma-separated; default: all that are installed")
    run.add_argument("--speed", choices=("fast", "slow", "all"), default="all",
                     help="fast: levels, fast and middle settings of peers; slow: the smallest and default ones")
    run.add_argument("--threads", type=int, choices=(1, 2), help="only settings with this number of threads")
    run.add_argument("--levels", default="123456789", help="of bdelta, e.g. 136")
    run.add_argument("--name", default=datetime.date.today().isoformat(), help="of the run; an existing one is added to")
    run.add_argument("--fresh", action="store_true", help="measure again what the run and the cache already hold")
    run.add_argument("--budget", type=float, default=0, help="minutes after which nothing new is begun (0: none)")
    run.add_argument("--timeout", type=float, default=600, help="seconds for a step of a peer")
    run.add_argument("--memory", type=float, default=8, help="GiB of private memory for a step")
    run.add_argument("--most-rounds", type=int, default=7, help="runs of a quick setting")
    run.add_argument("--round-seconds", type=float, default=3, metavar="SECONDS",
                     help="of runs for a setting on a pair, within the two bounds of their number")
    run.add_argument("--least-rounds", type=int, default=2, help="runs of a setting that is not slow")
    report = verbs.add_parser("report", help="the page and the chart of a run")
    report.add_argument("run", help="name or directory of a run")
    report.add_argument("--html", type=Path, help="default: report.html in the run's directory")
    report.add_argument("--svg", type=Path, help="chart of means over the pairs; default: frontier.svg beside the page")
    compare.add_arguments(verbs)
    degenerate.add_arguments(verbs)
    monotone.add_arguments(verbs)
    prices.add_arguments(verbs)
    start.add_arguments(verbs)
    tools = verbs.add_parser("tools", help="which tools are there, and how to get the others")
    others = [verbs.choices[name] for name in ("compare", "degenerate", "monotone", "prices", "start")]
    for verb in (run, tools, verbs.choices["start"]):
        verb.add_argument("--peers", type=Path, default=ROOT / "build/peers/bin", help="where get_peers.sh put them")
    for verb in (run, tools, *others):
        verb.add_argument("--bin", type=Path, default=ROOT / "build/release/bin", help="our programs")
    for verb in (run, *(verbs.choices[name] for name in ("compare", "degenerate", "monotone", "prices"))):
        verb.add_argument("--corpus", type=Path, default=Path(os.environ.get("BDELTA_CORPUS", ROOT / "build/corpus")),
                          help="directory of pairs (default: $BDELTA_CORPUS, then build/corpus)")
    for verb in (run, *others):
        verb.add_argument("--scratch", type=Path, help="directory for patches and outputs; default: a temporary one")
    for verb in (run, report):
        verb.add_argument("--runs", type=Path, default=ROOT / "tests/bench/runs", help="where runs are kept")
    return parser


def _wants(arguments: argparse.Namespace, setting: Setting) -> bool:
    if arguments.speed != "all" and setting.is_slow != (arguments.speed == "slow"):
        return False
    if arguments.threads and setting.threads != arguments.threads:
        return False
    return setting.kind != "level" or setting.label.lstrip("-") in arguments.levels


def _write_run(directory: Path, rows: list, tools: list[Tool], load_before: float, command: str) -> None:
    write_raw(directory / "raw.csv", rows)
    write_summary(directory / "summary.csv", summarize(rows))
    path = directory / "run.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    steals = [row.steal_percent for row in rows]
    path.write_text(json.dumps({
        "schema": 1,
        "date": before.get("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")),
        **machine.describe(),
        "command": "; ".join(dict.fromkeys([*before.get("command", command).split("; "), command])),
        "tools": {**before.get("tools", {}), **{tool.name: tool.version for tool in tools if not tool.missing}},
        "missing": {tool.name: tool.how_to_get for tool in tools if tool.missing},
        "load": [before.get("load", [load_before])[0], machine.load()],
        "steal_percent": round(sum(steals) / max(1, len(steals)), 2),
    }, indent=1) + "\n")


def _run(arguments: argparse.Namespace) -> int:
    pairs = find_pairs(arguments.corpus, arguments.pairs)
    tools = find_tools([name for name in arguments.tools.split(",") if name], arguments.bin, arguments.peers)
    directory = arguments.runs / arguments.name
    directory.mkdir(parents=True, exist_ok=True)
    limits = Limits(arguments.timeout, int(arguments.memory * 2**30))
    cache = None if arguments.fresh else SlowCache(ROOT / "build/bench-cache", machine.describe(), limits)
    rows = read_raw(directory / "raw.csv")
    progress = Progress(len(pairs))
    for tool in tools:
        if tool.missing:
            progress.say(f"{tool.name} is missing ({', '.join(tool.missing)}); to get it: {tool.how_to_get}")
    load_before = machine.load()
    command = (f"bdelta-bench run {' '.join(arguments.pairs)} --speed {arguments.speed} --levels {arguments.levels}"
               f" --least-rounds {arguments.least_rounds} --most-rounds {arguments.most_rounds}"
               f" --round-seconds {arguments.round_seconds:g} --timeout {arguments.timeout:g}"
               + (f" --threads {arguments.threads}" if arguments.threads else ""))

    def may_start() -> bool:
        return not arguments.budget or progress.minutes() < arguments.budget

    with tempfile.TemporaryDirectory(prefix="bdelta-bench-", dir=arguments.scratch) as scratch:
        launcher = Launcher(arguments.bin / "bench_exec", Path(scratch), limits)
        for number, pair in enumerate(pairs, start=1):
            done = {(row.key, row.program_digest) for row in rows if row.status != "pending"}
            entrants = [entrant for entrant in entrants_for(pair, tools, lambda setting: _wants(arguments, setting))
                        if arguments.fresh or ((pair.name, entrant.setting.tool, entrant.setting.label,
                                                entrant.setting.threads), entrant.program_digest) not in done]
            if not entrants:
                continue
            progress.pair(number, pair)
            fresh = PairRun(pair, launcher, arguments.bin / "bench_floor", Path(scratch),
                            Repeats(min(arguments.least_rounds, arguments.most_rounds), arguments.most_rounds,
                                    arguments.round_seconds), cache) \
                .run(entrants, may_start, progress.say)
            # Floors of all sittings stay: applying is judged against those beside it.
            replaced = {row.key for row in fresh if row.tool != FLOOR}
            rows = [row for row in rows if row.key not in replaced] + fresh
            _write_run(directory, rows, tools, load_before, command)
    progress.say(f"done: {directory}")
    return 0


def _report(arguments: argparse.Namespace) -> int:
    from . import report  # with what draws, wanted here alone
    directory = Path(arguments.run) if Path(arguments.run).is_dir() else arguments.runs / arguments.run
    html = arguments.html or directory / "report.html"
    report.write_report(directory, html)
    print(html)
    if not report.charts:
        print(f"bdelta-bench: {report.NO_CHARTS} If python3 is another one, call this with /usr/bin/python3.",
              file=sys.stderr)
        return 1
    svg = arguments.svg or html.with_name("frontier.svg")
    report.charts.write_mean_chart(directory, svg)
    print(svg)
    return 0


def _tools(arguments: argparse.Namespace) -> int:
    for tool in find_tools([], arguments.bin, arguments.peers):
        state = f"{tool.version}" if not tool.missing else f"missing; {tool.how_to_get}"
        print(f"{tool.name:12} {state}")
    return 0


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.verb not in ("report", "monotone", "prices"):
        for program in ("bench_exec", "bench_floor"):
            if not shutil.which(str(arguments.bin / program)):
                print(f"bdelta-bench: {program} is not in {arguments.bin}; build the preset release first", file=sys.stderr)
                return 1
    verbs = {"run": _run, "report": _report, "compare": compare.main, "degenerate": degenerate.main, "monotone": monotone.main,
             "prices": lambda given: prices.main(given, ROOT), "start": start.main, "tools": _tools}
    try:
        return verbs[arguments.verb](arguments)
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"bdelta-bench: {error}", file=sys.stderr)
        return 1
