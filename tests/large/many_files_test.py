#!/usr/bin/env python3
"""Directories of 70,000 small files of which one in a hundred changed: the patch is small, and NEW is right.

usage: many_files_test.py --bin DIR

bpatch has to do it with 64 MiB of private memory and 300 bytes for each entry of OLD and NEW. Linux alone enforces
such a limit. Times are printed and never judged.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

FILES = 70_000
FOLDERS = 700
CHANGED_EVERY = 100
MIB = 1 << 20
ENTRY_BYTES = 300
REST_BYTES = 64 * MIB
MOST_PATCH_BYTES = FILES // CHANGED_EVERY * 60


def content(number, changed):
    text = random.Random(number).randbytes(60 + number % 400)
    return text[:20] + b"changed" + text[20:] if changed else text


def build(root, changed):
    for folder in range(FOLDERS):
        (root / f"packages/p{folder % 70}/lib{folder}").mkdir(parents=True)
    for number in range(FILES):
        path = root / f"packages/p{number % FOLDERS % 70}/lib{number % FOLDERS}/file{number}.js"
        path.write_bytes(content(number, changed and number % CHANGED_EVERY == 7))


def limited():
    limit = REST_BYTES + 2 * (FILES + FOLDERS) * ENTRY_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def timed(what, command, **options):
    begin = time.monotonic()
    result = subprocess.run(command, capture_output=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"{what}: status {result.returncode}: {result.stderr.decode(errors='replace')}")
    print(f"{what}: {time.monotonic() - begin:.2f} s")
    return result.stdout


def files_of(root):
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    binaries = parser.parse_args().bin
    with tempfile.TemporaryDirectory(prefix="bdelta-many-") as name:
        folder = pathlib.Path(name)
        for root, changed in (("old", False), ("new", True)):
            build(folder / root, changed)
        old, new, made, patch = (str(folder / part) for part in ("old", "new", "made", "patch"))
        timed("create", [str(binaries / "bdelta"), "--quiet", "--no-sync", old, new, patch])
        size = os.path.getsize(patch)
        tree = json.loads(timed("info", [str(binaries / "bpatch"), "--info", "--json", patch]))["tree"]
        print(f"patch: {size} bytes; {tree}")
        assert size < MOST_PATCH_BYTES, size
        assert tree["changed_files"] == FILES // CHANGED_EVERY and tree["kept_files"] == FILES - FILES // CHANGED_EVERY, tree
        prepare = limited if sys.platform.startswith("linux") else None
        timed("apply", [str(binaries / "bpatch"), "--quiet", "--no-sync", "--threads", "1", old, made, patch], preexec_fn=prepare)
        assert files_of(folder / "new") == files_of(folder / "made"), "NEW is not what was made"
        timed("check", [str(binaries / "bpatch"), "--quiet", "--check", old, patch])
        timed("create within 64M", [str(binaries / "bdelta"), "--quiet", "--no-sync", "--memory", "64M", "--force", old, new, patch])
        timed("check of that", [str(binaries / "bpatch"), "--quiet", "--check", old, patch])


if __name__ == "__main__":
    main()
