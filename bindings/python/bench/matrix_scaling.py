"""How much faster two workers of bdelta-matrix are than one.

usage: matrix_scaling.py FOLDER [JOBS] [MIB | PAIRS] [LEVEL]

Makes two releases in FOLDER, which must not exist, and runs the same plan with one worker and with two. Files are made, of so many
MiB each, or linked to those of PAIRS, a folder with NAME/old and NAME/new, in turn. Tells seconds by the clock and of the
processor, and the load of the machine: where others work on it, only the latter says something.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import time


def pair(seed: int, size: int) -> tuple[bytes, bytes]:
    """Text of words, and the same with scattered changes and a stretch that moved."""
    source = random.Random(seed)
    words = [source.randbytes(source.randrange(2, 6)).hex() for _ in range(2_000)]
    old = " ".join(source.choices(words, k=size // 7)).encode()[:size]
    new = bytearray(old[size // 3 :] + old[: size // 3])
    for at in range(0, size, 150):
        new[at : at + 4] = source.randbytes(4)
    return old, bytes(new)


def make(folder: pathlib.Path, jobs: int, size: int) -> None:
    for at in range(jobs):
        for release, data in zip(("1", "2"), pair(at, size)):
            (folder / release).mkdir(parents=True, exist_ok=True)
            (folder / release / f"file{at:03}").write_bytes(data)


def link(folder: pathlib.Path, jobs: int, pairs: pathlib.Path) -> None:
    found = sorted(path for path in pairs.iterdir() if (path / "old").is_file() and (path / "new").is_file())
    for at in range(jobs):
        for release, side in (("1", "old"), ("2", "new")):
            (folder / release).mkdir(parents=True, exist_ok=True)
            (folder / release / f"file{at:03}").symlink_to(found[at % len(found)].resolve() / side)


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(folder: pathlib.Path, workers: int, level: str) -> dict[str, float]:
    before, start, loads = processor_seconds(), time.perf_counter(), os.getloadavg()[0]
    subprocess.run(
        [sys.executable, "-m", "bdelta.matrix._main", "run", str(folder / "1"), str(folder / "2"), "-o", str(folder / f"out{workers}"),
         "--set", f"create.level={level}", "--workers", str(workers), "--json"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    return {"workers": workers, "seconds": round(time.perf_counter() - start, 2),
            "processor_seconds": round(processor_seconds() - before, 2), "load_before": loads, "load_after": os.getloadavg()[0]}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    jobs, files, level = (sys.argv[at] if len(sys.argv) > at else value for at, value in ((2, "60"), (3, "4"), (4, "6")))
    if files.isdigit():
        make(folder, int(jobs), int(files) << 20)
    else:
        link(folder, int(jobs), pathlib.Path(files))
    found = [measure(folder, workers, level) for workers in (1, 2)]
    for one in found:
        print(json.dumps(one))
    print(f"two workers are {found[0]['seconds'] / found[1]['seconds']:.2f} times as fast as one")
    same = all((folder / "out2" / path.name).read_bytes() == path.read_bytes() for path in (folder / "out1").glob("*.bdelta"))
    print(f"the same bytes: {same}")


if __name__ == "__main__":
    main()
