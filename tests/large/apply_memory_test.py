#!/usr/bin/env python3
"""What bpatch takes is what the header declares, the windows under way and a fixed part: it works under such a limit.

usage: apply_memory_test.py --bin DIR

The limit is RLIMIT_DATA, under which the system gives no more private memory than that, used or not. NEW is OLD with
many bytes changed and a stretch that is new, at the levels whose decoders are largest, so that windows carry as much as
they can: every seventh byte, or at --ultra those behind certain others, which are coded under models. With the windows' part taken off the limit bpatch has to end with an error, which shows that
the limit holds. Where gcc's compilers of C and of C++ are there, one is made of the other: large programs that share
most of their code, so that the patch predicts addresses. Linux alone enforces the limit for all memory; elsewhere the
test is skipped (exit code 77).
"""
import argparse
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

MIB = 1 << 20
STACK_BYTES = 1 * MIB       # of each thread, which the test sets; all of it counts
PROCESS_BYTES = 8 * MIB     # the program and its libraries, buffers of stdio and of the patch, malloc's own
# Of a window, besides NEW's bytes and as many that the patch carries: its copies and runs, and 1 MiB of OLD.
WINDOW_REST_BYTES = 5 * MIB
OUT_OF_MEMORY = 602


def limited(data_bytes):
    def prepare():
        resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES))
        resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return prepare


def limit_is_enforced():
    probe = [sys.executable, "-c", "bytearray(256 << 20)"]
    return subprocess.run(probe, preexec_fn=limited(128 * MIB), stderr=subprocess.DEVNULL).returncode != 0


def promised_bytes(info, way, threads, windows=True):
    """What apply.hpp says: the decoder, and windows with their streams, of which there are threads + 2 or else 2; and
    with prediction OLD, unless it is mapped."""
    under_way = threads + 2 if threads > 1 else 2
    window_bytes = under_way * (2 * info["window_bytes"] + WINDOW_REST_BYTES) if windows else 0
    source_bytes = info["source_bytes"] if info["predicted"] and way == "stdio" else 0
    return source_bytes + info["decoder_memory_bytes"] + window_bytes + PROCESS_BYTES + (threads - 1) * STACK_BYTES


def change_every_seventh(data):
    data[::7] = bytes(data[::7]).translate(bytes((value + 3) % 256 for value in range(256)))
    return data


def change_behind_low_ones(data):
    return bytearray(re.sub(rb"([\x00-\x0f])(.)", lambda found: bytes((found[1][0], found[2][0] ^ 1)), data, flags=re.S))


# Size, levels, how OLD changes, and whether the windows' part is so large that it can't be done without.
CASES = (("56M", ("-6",), change_every_seventh, True), ("24M", ("-9",), change_every_seventh, True),
         ("6M", ("--ultra",), change_behind_low_ones, False))


def make_pair(programs, work, size, change):
    old, new = work / "old", work / "new"
    subprocess.run([programs / "make_pair", size, "1", old, new], check=True, stdout=subprocess.DEVNULL)
    changed = change(bytearray(old.read_bytes()))
    middle, length = len(changed) // 2, len(changed) // 8
    changed[middle:middle + length] = random.Random(1).randbytes(length)
    new.write_bytes(changed)
    return old, new


def compilers():
    """gcc's compilers of C and of C++ from one build, or nothing."""
    for plus in sorted(pathlib.Path("/usr/lib/gcc").glob("x86_64-linux-gnu/*/cc1plus")):
        plain = plus.with_name("cc1")
        if plain.is_file():
            return plain, plus
    return None


def run_limited(command, data_bytes):
    return subprocess.run([str(word) for word in command], preexec_fn=limited(data_bytes), capture_output=True)


class Failure(Exception):
    pass


def require(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words))


def check_pair(programs, work, levels, bites, old, new):
    """The last patch's --info."""
    patch = work / "patch"
    info = None
    for level in levels:
        options = [level, "-q", "-f", "--no-sync", "--no-verify"]
        subprocess.run([programs / "bdelta", *options, old, new, patch], check=True)
        info = check_patch(programs, work, level, bites, old, new, patch)
    return info


def check_patch(programs, work, level, bites, old, new, patch):
    answer = subprocess.run([programs / "bpatch", "--info", patch, "--json"], check=True, capture_output=True)
    info = json.loads(answer.stdout)
    made = work / "made"
    for way in ("mmap", "stdio"):
        for threads in (1, 4):
            limit = promised_bytes(info, way, threads)
            options = ["--json", "--no-sync", f"--io={way}", f"--threads={threads}"]
            done = run_limited([programs / "bpatch", *options, old, made, patch], limit)
            require(done.returncode == 0, level, way, threads, "threads: not within", limit, "bytes:", done.stderr)
            require(made.read_bytes() == new.read_bytes(), level, way, "gives something else than NEW")
            made.unlink()
            print(f"{level}, {way}, {threads} threads: within {limit / MIB:.1f} MiB, of which the header declares "
                  f"{info['decoder_memory_bytes'] / MIB:.1f}", flush=True)
    if not bites:
        return info
    limit = promised_bytes(info, "stdio", 1, windows=False)
    command = [programs / "bpatch", "--json", "--no-sync", "--io=stdio", "--threads=1", old, made, patch]
    refused = run_limited(command, limit)
    require(refused.returncode == 6, level, "under", limit, "bytes: expected status 6, found", refused.returncode)
    require(json.loads(refused.stdout)["error"]["code"] == OUT_OF_MEMORY, level, refused.stdout)
    require(not made.exists(), level, "there is a NEW after an error")
    return info


def check_compilers(programs):
    pair = compilers()
    if pair is None:
        print("no large programs to be found")
        return
    with tempfile.TemporaryDirectory(prefix="apply_memory_") as directory:
        info = check_pair(programs, pathlib.Path(directory), ("-3", "-6"), False, *pair)
        require(info["predicted"], "the patch of", pair[1], "predicts no addresses")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    if sys.platform != "linux" or not limit_is_enforced():
        print("no limit of private memory is enforced here")
        return 77
    try:
        for size, levels, change, bites in CASES:
            with tempfile.TemporaryDirectory(prefix="apply_memory_") as directory:
                work = pathlib.Path(directory)
                info = check_pair(programs, work, levels, bites, *make_pair(programs, work, size, change))
                has_modelled_bytes = info["required_features"] & (1 << 9 | 1 << 14) != 0
                require(has_modelled_bytes or "--ultra" not in levels, "the patch has no modelled bytes")
        check_compilers(programs)
    except Failure as failure:
        print(f"FAILED {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
