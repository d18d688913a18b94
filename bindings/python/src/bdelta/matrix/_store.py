"""Files by URL: fetched once a worker, and published whole."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pathlib
import posixpath
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import fsspec  # type: ignore[import-untyped]

from bdelta.matrix._plan import File, is_local, token_of


class Changed(Exception):
    """An input is not what it was when the plan was made."""


class Cache:
    """Inputs that a worker has fetched, in a folder of its own. Local files are used where they lie.

    At most `limit_bytes` are kept, and what is in use beyond that.
    """

    def __init__(self, folder: str, limit_bytes: int) -> None:
        self.folder = pathlib.Path(folder)
        self.limit_bytes = limit_bytes
        self.lock = threading.Lock()
        self.locks: dict[pathlib.Path, threading.Lock] = {}
        self.in_use: dict[pathlib.Path, int] = {}

    @contextlib.contextmanager
    def fetched(self, file: File) -> Iterator[str]:
        """The path of a file for the time of a block. Changed if it is no longer that of the plan."""
        fs, path = fsspec.core.url_to_fs(file.url)
        fs.invalidate_cache()
        if token_of(fs, path) != file.token:
            raise Changed(f"{file.url} has changed since the plan was made")
        if is_local(fs):
            yield path
            return
        kept = self.folder / hashlib.sha256(f"{file.url} {file.token}".encode()).hexdigest()
        with self.lock:
            self.in_use[kept] = self.in_use.get(kept, 0) + 1
            one = self.locks.setdefault(kept, threading.Lock())
        try:
            with one:
                if not kept.exists():
                    self.folder.mkdir(parents=True, exist_ok=True)
                    part = kept.with_suffix(".part")
                    fs.get_file(path, str(part))
                    os.replace(part, kept)
            os.utime(kept)
            yield str(kept)
        finally:
            with self.lock:
                self.in_use[kept] -= 1
                self._shrink()

    def _shrink(self) -> None:
        files = sorted(self.folder.glob("*[0-9a-f]"), key=lambda path: path.stat().st_mtime)
        too_much = sum(path.stat().st_size for path in files) - self.limit_bytes
        for path in files:
            if too_much > 0 and not self.in_use.get(path):
                too_much -= path.stat().st_size
                path.unlink()


def join(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


WORK = ".bdelta-"
"""Folders in which a file is made before it has its name begin so."""

LOCK = "lock"
"""The file in such a folder that is locked while somebody works there."""


@contextlib.contextmanager
def held_folder(parent: str | None) -> Iterator[str]:
    """A folder that no one removes as a leftover for the time of a block. None: where the system has such folders."""
    while True:
        with contextlib.ExitStack() as stack:
            folder = tempfile.mkdtemp(dir=parent, prefix=WORK)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            if _hold(folder, stack):
                yield folder
                return


def _hold(folder: str, stack: contextlib.ExitStack) -> bool:
    """Locks a folder. False: it was taken for a leftover before it was locked."""
    try:
        lock = stack.enter_context(open(os.path.join(folder, LOCK), "wb"))
        with contextlib.suppress(OSError):  # without locks nothing is removed either
            fcntl.flock(lock, fcntl.LOCK_EX)
        return os.path.samestat(os.fstat(lock.fileno()), os.stat(lock.name))
    except FileNotFoundError:
        return False


def remove_leftovers(output: str, patience_seconds: float = 0) -> None:
    """Removes what processes that were killed left below a local folder: folders of work that nobody holds.

    Some time is waited for those that are held.
    """
    fs, path = fsspec.core.url_to_fs(output)
    if not is_local(fs):
        return
    end = time.monotonic() + patience_seconds
    while not _remove_unheld(path) and time.monotonic() < end:
        time.sleep(0.05)


def _remove_unheld(path: str) -> bool:
    """Removes folders of work below a path that nobody holds, and tells whether that were all."""
    left = False
    for parent, names, _ in os.walk(path):
        for name in names:
            if name.startswith(WORK):
                folder = os.path.join(parent, name)
                with contextlib.suppress(OSError), open(os.path.join(folder, LOCK), "r+b") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
                with contextlib.suppress(OSError):
                    os.rmdir(folder)  # empty: who was killed at once made no lock
                left |= os.path.exists(os.path.join(folder, LOCK))
    return not left


@contextlib.contextmanager
def published(url: str) -> Iterator[str]:
    """A path to write to. When the block ends, what is there comes into being under the URL, whole; not after an exception.

    On a local file system by a rename, elsewhere by one upload, which object stores show when it is complete.
    """
    fs, path = fsspec.core.url_to_fs(url)
    local = is_local(fs)
    if local:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with held_folder(os.path.dirname(path) if local else None) as folder:
        made = os.path.join(folder, "made")
        yield made
        if local:
            os.replace(made, path)
        else:
            fs.put_file(made, path)


def publish(url: str, data: bytes) -> None:
    with published(url) as path, open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def listing(folder: str) -> dict[str, dict[str, Any]]:
    """What fsspec tells of each file below a folder, by its name there; empty if there is no folder."""
    fs, path = fsspec.core.url_to_fs(folder)
    fs.invalidate_cache()
    try:
        found = fs.find(path, detail=True)
    except FileNotFoundError:
        return {}
    return {posixpath.relpath(name, path): told for name, told in found.items()}


def written_later(told: dict[str, Any], than: dict[str, Any]) -> bool:
    """Whether one file of a listing was written later than another; False where the store keeps no times."""
    for name in ("mtime", "LastModified"):
        if told.get(name) and than.get(name):
            return bool(told[name] > than[name])
    return False


def read(url: str) -> bytes | None:
    """The content of a file; None if there is none."""
    fs, path = fsspec.core.url_to_fs(url)
    fs.invalidate_cache()
    return bytes(fs.cat_file(path)) if fs.exists(path) else None
