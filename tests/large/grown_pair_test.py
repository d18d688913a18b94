#!/usr/bin/env python3
"""Limits of memory on a pair larger than they are: every patch rebuilds, and the process keeps to its limit.

usage: grown_pair_test.py --bin DIR

The pair is grown from one of make_pair to BDELTA_GROWN_SIZE (default 200M, three times the limit). Private memory is
read from /proc/PID/status (RssAnon), so this runs on Linux; elsewhere it is skipped (exit code 77).
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_BYTES = 64 << 20
SLACK = 1.05


def private_bytes(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def peak_of(command):
    process = subprocess.Popen([str(word) for word in command])
    peak = 0
    while process.poll() is None:
        peak = max(peak, private_bytes(process.pid))
        time.sleep(0.005)
    if process.returncode != 0:
        raise SystemExit(f"exit code {process.returncode} of: {command}")
    return peak


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    if not pathlib.Path("/proc/self/status").exists():
        return 77
    with tempfile.TemporaryDirectory(prefix="grown_") as directory:
        work = pathlib.Path(directory)
        subprocess.run([programs / "make_pair", "50M", "1", work / "a", work / "b"], check=True,
                       stdout=subprocess.DEVNULL)
        old, new, patch, made = (work / name for name in ("old", "new", "patch", "made"))
        size = os.environ.get("BDELTA_GROWN_SIZE", "200M")
        subprocess.run([sys.executable, HERE / "grow_pair.py", size, work / "a", work / "b", old, new], check=True)
        for level in (1, 3):
            for way in ("mmap", "stdio"):
                options = ["-q", "--force", "--no-sync", f"--io={way}"]
                peak = peak_of([programs / "bdelta", *options, f"-{level}", "--memory=64M", old, new, patch])
                print(f"level {level}, {way}: patch {patch.stat().st_size} bytes, private memory {peak} bytes",
                      flush=True)
                if peak > LIMIT_BYTES * SLACK:
                    raise SystemExit(f"more than {LIMIT_BYTES} bytes")
                peak_of([programs / "bpatch", *options, old, made, patch])
                subprocess.run(["cmp", made, new], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
