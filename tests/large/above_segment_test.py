#!/usr/bin/env python3
"""NEW above 1 GiB, which is worked on in several segments, with programs in it: the patch rebuilds.

usage: above_segment_test.py --bin DIR

What looks at both files as a whole (prediction, words) can't be used there. The programs differ in more bytes than it
takes for them to be thought about.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

PAIR = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "pairs" / "bpatch-elf"
PROGRAM_COUNT = 60
PIECE_BYTES = 65 << 20
PIECE_COUNT = 16


def write_pair(old_path, new_path):
    programs = [(PAIR / name).read_bytes() for name in ("old", "new")]
    with open(old_path, "wb") as old, open(new_path, "wb") as new:
        for file, program in zip((old, new), programs):
            file.write(program * PROGRAM_COUNT)
        for number in range(PIECE_COUNT):
            piece = random.Random(number).randbytes(PIECE_BYTES)
            old.write(piece)
            new.write(piece)
        for file, program in zip((old, new), programs):
            file.write(program)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    programs = parser.parse_args().bin.resolve()
    with tempfile.TemporaryDirectory(prefix="above_segment_") as directory:
        old, new, patch, made = (pathlib.Path(directory) / name for name in ("old", "new", "patch", "made"))
        write_pair(old, new)
        # Prediction and words belong to this level.
        options = ["-6", "-q", "--force", "--no-sync"]
        subprocess.run([programs / "bdelta", *options, "--no-verify", old, new, patch], check=True)
        subprocess.run([programs / "bpatch", "-q", "--no-sync", old, made, patch], check=True)
        subprocess.run(["cmp", made, new], check=True)
        print(f"patch {patch.stat().st_size} bytes")
        if patch.stat().st_size > 1_000_000:
            raise SystemExit("what both files have was not found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
