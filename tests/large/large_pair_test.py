#!/usr/bin/env python3
"""Creates and applies patches between large files, compares every byte and reports times, sizes and memory.

usage: large_pair_test.py --bin DIR --reports DIR [--corpus]

Without --corpus: one pair of 300 MB from make_pair (BDELTA_LARGE_SIZE=50M for another size).
With --corpus: every pair DIR/pairs/NAME/{old,new} or DIR/NAME/{old,new} under DIR = $BDELTA_CORPUS.
Nothing here judges a time: the figures go to large_report.json and large_report.txt (corpus_report.*).
Exit code: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

LEVELS = (1, 3, 6)
LARGEST_SHARE_OF_LEVEL_1 = 0.15  # of NEW; on the made pair only
SKIPPED = 77


class Failure(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Failure(message)


def run(command, output):
    """Runs a program with stdout in the file `output`; gives (wall seconds, peak resident bytes)."""
    command = [str(word) for word in command]
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
            os.execv(command[0], command)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - start
    code = os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status
    require(code == 0, f"exit code {code} of: {' '.join(command)}")
    return wall, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def same_bytes(left, right):
    """Where two files first differ (position of the block), or None."""
    with open(left, "rb") as a, open(right, "rb") as b:
        position = 0
        while True:
            block_a, block_b = a.read(1 << 20), b.read(1 << 20)
            if block_a != block_b:
                return position
            if not block_a:
                return None
            position += len(block_a)


class PairTest:
    """One pair of files; collects the steps of its report."""

    def __init__(self, programs, work, name, old, new):
        self.programs, self.work, self.name, self.old, self.new = programs, work, name, old, new
        self.new_bytes = new.stat().st_size
        self.steps = []

    def note(self, step, wall, patch_bytes=None, rss=None):
        row = {"pair": self.name, "step": step, "wall_seconds": round(wall, 3),
               "mb_per_second": round(self.new_bytes / 1e6 / wall, 1) if wall > 0 else None}
        if patch_bytes is not None:
            row["patch_bytes"] = patch_bytes
            row["percent_of_new"] = round(100 * patch_bytes / self.new_bytes, 3) if self.new_bytes else None
        if rss is not None:
            row["max_rss_bytes"] = rss
        self.steps.append(row)
        print(line_of(row), flush=True)

    def run_json(self, command):
        output = self.work / "output.json"
        wall, rss = run(command, output)
        answer = json.loads(output.read_text(encoding="utf-8"))
        require(answer.get("ok", True) is True, f"not ok by its own account: {answer}")
        return wall, rss

    def create(self, level, patch, threads=None):
        options = [f"-{level}", "--json", "--force"] + ([] if threads is None else ["--threads", threads])
        wall, rss = self.run_json([self.programs / "bdelta", *options, self.old, self.new, patch])
        step = f"bdelta -{level}" + ("" if threads is None else f" --threads {threads}")
        self.note(step, wall, patch.stat().st_size, rss)
        return patch.stat().st_size

    def apply(self, level, patch):
        rebuilt = self.work / "rebuilt"
        wall, rss = self.run_json([self.programs / "bpatch", "--json", "--force", self.old, rebuilt, patch])
        self.note(f"bpatch of -{level}", wall, patch.stat().st_size, rss)
        difference = same_bytes(self.new, rebuilt)
        require(difference is None, f"level {level}: the rebuilt file differs near byte {difference}")
        rebuilt.unlink()

    def copy_baseline(self):
        copy = self.work / "copy"
        start = time.monotonic()
        shutil.copyfile(self.new, copy)
        self.note("plain copy of NEW", time.monotonic() - start)
        copy.unlink()

    def same_patch_for_any_threads(self):
        one, two = self.work / "patch.t1", self.work / "patch.t2"
        self.create(1, one, threads=1)
        self.create(1, two, threads=2)
        require(same_bytes(one, two) is None, "level 1: one and two threads give different patches")
        one.unlink()
        two.unlink()

    def run(self):
        """Gives the patch size of each level."""
        self.copy_baseline()
        sizes = {}
        for level in LEVELS:
            patch = self.work / "patch"
            sizes[level] = self.create(level, patch)
            self.apply(level, patch)
            patch.unlink()
        self.same_patch_for_any_threads()
        return sizes


def line_of(row):
    def cell(key, form, scale=1.0):
        return "-" if row.get(key) is None else form.format(row[key] / scale)
    return (f"{row['pair']:<24} {row['step']:<22} {row['wall_seconds']:>9.2f} {cell('mb_per_second', '{:.1f}'):>9} "
            f"{cell('patch_bytes', '{:.0f}'):>12} {cell('percent_of_new', '{:.2f}'):>8} "
            f"{cell('max_rss_bytes', '{:.0f}', 1048576.0):>9}")


HEADER = (f"{'pair':<24} {'step':<22} {'seconds':>9} {'MB/s':>9} {'patch bytes':>12} {'% of NEW':>8} "
          f"{'RSS MiB':>9}")


def write_report(directory, stem, steps, failures):
    directory.mkdir(parents=True, exist_ok=True)
    report = {"schema": 1, "cpu_count": os.cpu_count(), "steps": steps, "failures": failures}
    (directory / f"{stem}.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    lines = [HEADER] + [line_of(row) for row in steps] + [f"FAILED {failure}" for failure in failures]
    (directory / f"{stem}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def check_sizes(sizes, new_bytes, made):
    # Real pairs may be so small or so alike that a few bytes of framing turn the order round.
    slack = (lambda size: size) if made else (lambda size: size + size // 100 + 256)
    require(sizes[3] <= slack(sizes[1]), f"level 3 gives a larger patch than level 1: {sizes}")
    require(sizes[6] <= slack(sizes[3]), f"level 6 gives a larger patch than level 3: {sizes}")
    if made:
        require(sizes[1] < LARGEST_SHARE_OF_LEVEL_1 * new_bytes, f"level 1 needs {sizes[1]} of {new_bytes} bytes")


def test_made_pair(programs, work):
    size = os.environ.get("BDELTA_LARGE_SIZE", "300M")
    old, new = work / "old", work / "new"
    wall, rss = run([programs / "make_pair", size, 1, old, new], work / "output")
    print((work / "output").read_text(encoding="utf-8"), end="")
    pair = PairTest(programs, work, f"made {size}", old, new)
    pair.note("make_pair", wall, rss=rss)
    failures = []
    try:
        check_sizes(pair.run(), pair.new_bytes, made=True)
    except Failure as failure:
        failures.append(str(failure))
    return pair.steps, failures


def find_pairs(corpus):
    for base in (corpus / "pairs", corpus):
        found = sorted(d for d in base.glob("*") if (d / "old").is_file() and (d / "new").is_file())
        if found:
            return found
    return []


def test_corpus(programs, work, corpus):
    steps, failures = [], []
    pairs = find_pairs(corpus)
    if not pairs:
        failures.append("BDELTA_CORPUS holds no pairs")
    for directory in pairs:
        pair = PairTest(programs, work, directory.name, directory / "old", directory / "new")
        try:
            check_sizes(pair.run(), pair.new_bytes, made=False)
        except Failure as failure:
            failures.append(f"{directory.name}: {failure}")
        steps += pair.steps
    return steps, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--reports", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", action="store_true")
    arguments = parser.parse_args()
    corpus = os.environ.get("BDELTA_CORPUS", "")
    if arguments.corpus and not corpus:
        print("skipped: BDELTA_CORPUS names no directory of pairs (see tools/bench/README.md)")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary files go

    arguments.reports.mkdir(parents=True, exist_ok=True)
    programs = arguments.bin.resolve()
    print(HEADER)
    with tempfile.TemporaryDirectory(prefix="large_", dir=arguments.reports.resolve()) as directory:
        work = pathlib.Path(directory)
        try:
            steps, failures = (test_corpus(programs, work, pathlib.Path(corpus)) if arguments.corpus
                               else test_made_pair(programs, work))
        except Failure as failure:
            steps, failures = [], [str(failure)]
    write_report(arguments.reports, "corpus_report" if arguments.corpus else "large_report", steps, failures)
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
