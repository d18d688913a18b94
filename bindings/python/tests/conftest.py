"""Inputs of all kinds, and large ones for what has to take a while."""

from __future__ import annotations

import gzip
import io
import pathlib
import random
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import bdelta._native

Pair = tuple[bytes, bytes]


def words(count: int, seed: int) -> bytes:
    source = random.Random(seed)
    return b" ".join(b"word%d" % source.randrange(1000) for _ in range(count))


def edited(data: bytes, seed: int, count: int = 20) -> bytes:
    source = random.Random(seed)
    changed = bytearray(data)
    for _ in range(count):
        at = source.randrange(len(changed))
        changed[at : at + source.randrange(5)] = source.randbytes(source.randrange(9))
    return bytes(changed)


def archive(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def program() -> bytes:
    """A part of a real program, cut where its sections go on."""
    return pathlib.Path(bdelta._native.__file__).read_bytes()[:400_000]


def text_pair() -> Pair:
    return words(20_000, 1), edited(words(20_000, 1), 2)


MAKERS: dict[str, Callable[[], Pair]] = {
    "both empty": lambda: (b"", b""),
    "old empty": lambda: (b"", words(100, 1)),
    "new empty": lambda: (words(100, 1), b""),
    "same": lambda: (words(1000, 1), words(1000, 1)),
    "text": text_pair,
    "random": lambda: (random.Random(1).randbytes(100_000), random.Random(2).randbytes(90_000)),
    "zeros": lambda: (bytes(1_000_000), bytes(999_000) + b"x" + bytes(5_000)),
    "program": lambda: (program(), edited(program(), 3)),
    "gzip": lambda: (gzip.compress(text_pair()[0], mtime=0), gzip.compress(text_pair()[1], mtime=0)),
    "zip": lambda: (archive({"a": text_pair()[0], "b": b"b"}), archive({"a": text_pair()[1], "c": b"c"})),
}


def target(kind: str, path: pathlib.Path, size: int) -> tuple[Any, Callable[[], bytes]]:
    """A NEW to be made, as a path, a buffer or a file object, and what is in it then."""
    if kind == "path":
        return path, path.read_bytes
    if kind == "buffer":
        room = bytearray(size)
        return room, lambda: bytes(room)
    file = io.BytesIO()
    return file, file.getvalue


@pytest.fixture(params=list(MAKERS))
def pair(request: pytest.FixtureRequest) -> Pair:
    return MAKERS[request.param]()


@pytest.fixture(scope="session")
def text() -> Pair:
    return text_pair()


@pytest.fixture(scope="session")
def long_pair() -> Pair:
    """Takes seconds at level 9: what ends earlier was ended."""
    source = random.Random(5)
    old = source.randbytes(40_000_000)
    new = bytearray(old[20_000_000:] + old[:20_000_000])
    for at in range(0, len(new), 4_000):
        new[at : at + 5] = source.randbytes(5)
    return old, bytes(new)


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    """Three releases of one file, for plans."""
    for release in ("1", "2", "3"):
        (tmp_path / "in" / release).mkdir(parents=True)
        (tmp_path / "in" / release / "app").write_bytes(release.encode() * 100)
    return tmp_path
