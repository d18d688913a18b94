"""Directories: the same calls, with OLD and NEW by path."""

from __future__ import annotations

import io
import os
import pathlib
from collections.abc import Callable
from typing import Any, Union

import pytest
from conftest import Pair, archive, edited, program, words

import bdelta

Tree = dict[str, Union[bytes, str]]  # a file's bytes, or where a link leads


def make(root: pathlib.Path, tree: Tree) -> pathlib.Path:
    root.mkdir()
    for name, content in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            (root / name).symlink_to(content)
        elif name.endswith("/"):
            (root / name).mkdir()
        else:
            (root / name).write_bytes(content)
    return root


def read(root: pathlib.Path) -> dict[str, object]:
    def content(path: pathlib.Path) -> object:
        if path.is_symlink():
            return os.readlink(path)
        return None if path.is_dir() else (path.stat().st_mode & 0o777, path.read_bytes())

    return {str(path.relative_to(root)): content(path) for path in sorted(root.rglob("*"))}


OLD: Tree = {
    "bin/app": program(),
    "doc/guide": words(5_000, 1),
    "doc/gone": b"gone",
    "media.zip": archive({"a": words(20_000, 2), "b": b"b"}),
    "same": words(3_000, 4),
    "current": "bin/app",
}
NEW: Tree = {
    "bin/app": edited(program(), 3),
    "doc/guide": edited(words(5_000, 1), 5),
    "empty/": b"",
    "media.zip": archive({"a": edited(words(20_000, 2), 6), "c": b"c"}),
    "moved/same": words(3_000, 4),
    "current": "moved/same",
    os.fsdecode(b"\xff"): b"a name that is no text",
}


@pytest.fixture
def trees(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    old, new = make(tmp_path / "old", OLD), make(tmp_path / "new", NEW)
    (new / "bin/app").chmod(0o750)
    return old, new


@pytest.mark.parametrize("level", [1, 6])
def test_round_trip(trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path, level: int) -> None:
    old, new = trees
    patch, made = tmp_path / "patch", tmp_path / "made"
    created = bdelta.create(old, str(new), patch, level=level, sync=False)
    assert created.verified
    assert created.patch_bytes == patch.stat().st_size
    bdelta.create(old, new, tmp_path / "again", level=level, threads=3)
    assert (tmp_path / "again").read_bytes() == patch.read_bytes()
    assert bdelta.check(old, patch).verified
    applied = bdelta.apply(str(old), made, patch, threads=2, sync=False)
    assert (applied.verified, applied.up_to_date) == (True, False)
    assert read(made) == read(new)
    assert bdelta.apply(old, made, patch).up_to_date
    tree = bdelta.inspect(patch).tree
    assert tree is not None
    assert (tree.kept_files, tree.changed_files, tree.added_files, tree.removed_files) == (0, 3, 2, 2)
    assert sorted(os.listdir(tmp_path)) == ["again", "made", "new", "old", "patch"]


def test_exclude(trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    old, new = trees
    patterns = ["*.zip", "doc/*", os.fsdecode(b"\xff")]
    bdelta.create(old, new, tmp_path / "patch", exclude=patterns)
    tree = bdelta.inspect(tmp_path / "patch").tree
    assert tree is not None
    assert tree.excluded == tuple(patterns)
    (old / "media.zip").write_bytes(b"another")
    bdelta.apply(old, tmp_path / "made", tmp_path / "patch")
    names = set(read(new)) - {"media.zip", "doc/guide", patterns[2]}
    assert set(read(tmp_path / "made")) == names
    bdelta.create(old, new, tmp_path / "by tuple", exclude=tuple(patterns))
    assert (tmp_path / "by tuple").read_bytes() == (tmp_path / "patch").read_bytes()


def test_times(trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    old, new = trees
    os.utime(new / "doc/guide", (1_000_000_000, 1_000_000_000))
    for times in (False, True):
        patch, made = tmp_path / f"patch {times}", tmp_path / f"made {times}"
        bdelta.create(old, new, patch, times=times)
        bdelta.apply(old, made, patch)
        assert ((made / "doc/guide").stat().st_mtime == 1_000_000_000) is times


def test_source_list(trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    old, new = trees
    patch = tmp_path / "patch"
    bdelta.create(old, new, patch, source_list=True)
    (old / "doc/guide").write_bytes(b"another")
    (old / "extra").write_bytes(b"extra")
    (old / "same").unlink()
    calls: list[Callable[[], bdelta.Report]] = [
        lambda: bdelta.check(old, patch),
        lambda: bdelta.apply(old, tmp_path / "made", patch),
    ]
    for call in calls:
        with pytest.raises(bdelta.WrongSourceError) as found:
            call()
        assert found.value.detail == 'changed "doc/guide", added "extra", missing "same"'
        assert str(old) in found.value.file


def test_outside_links(tmp_path: pathlib.Path) -> None:
    old = make(tmp_path / "old", {"a": b"a"})
    new = make(tmp_path / "new", {"a": b"a", "out": "../../etc"})
    bdelta.create(old, new, tmp_path / "patch")
    with pytest.raises(bdelta.PatchError) as found:
        bdelta.apply(old, tmp_path / "made", tmp_path / "patch")
    assert found.value.code == bdelta.Code.UnsafeName
    assert not (tmp_path / "made").exists()
    bdelta.apply(old, tmp_path / "made", tmp_path / "patch", outside_links=True)
    assert os.readlink(tmp_path / "made/out") == "../../etc"


def test_errors_name_the_path(trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    old, new = trees
    patch = tmp_path / "patch"
    os.mkfifo(new / "fifo")
    with pytest.raises(bdelta.UsageError) as fifo:
        bdelta.create(old, new, patch)
    assert fifo.value.code == bdelta.Code.UnsupportedEntry
    assert "fifo" in str(fifo.value)
    (new / "fifo").unlink()
    bdelta.create(old, new, patch)
    there = make(tmp_path / "there", {"x": b""})
    with pytest.raises(bdelta.UsageError) as exists:
        bdelta.apply(old, there, patch, overwrite=True)
    assert exists.value.code == bdelta.Code.OutputExists
    assert str(there) in exists.value.file
    with pytest.raises(bdelta.UsageError) as inside:
        bdelta.create(old, old / "doc", patch, overwrite=True)
    assert inside.value.code == bdelta.Code.Usage
    with pytest.raises(bdelta.WrongSourceError) as wrong:
        bdelta.apply(new, tmp_path / "made", patch)
    assert str(new) in wrong.value.file
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("call", "code", "text"),
    [
        (lambda old, new, file: bdelta.create(old, file, file.with_name("p")), "Usage", "the other of OLD and NEW is none"),
        (lambda old, new, file: bdelta.create(file, new, file.with_name("p")), "Usage", "the other of OLD and NEW is none"),
        (lambda old, new, file: bdelta.create(old, b"NEW", file.with_name("p")), "Usage", "the other of OLD and NEW is none"),
        (lambda old, new, file: bdelta.apply(old, bytearray(9), file), "Usage", "the other of OLD and NEW is none"),
        (lambda old, new, file: bdelta.create(old, new, io.BytesIO()), "IsDirectory", "give the patch of directories by path"),
        (lambda old, new, file: bdelta.create_bytes(old, new), "IsDirectory", "give the patch of directories by path"),
        (lambda old, new, file: bdelta.apply_bytes(old, file), "IsDirectory", "give the patch of directories by path"),
        (lambda old, new, file: bdelta.check(old, io.BytesIO()), "IsDirectory", "give the patch of directories by path"),
        (lambda old, new, file: bdelta.PushApply(old, file), "Usage", "the other of OLD and NEW is none"),
        (lambda old, new, file: bdelta.PushApply(old, new), "OutputExists", "does not exist yet"),
        (lambda old, new, file: bdelta.create(file, file, file.with_name("p"), times=True), "Usage", "are for directories"),
        (lambda old, new, file: bdelta.create_bytes(b"", b"", exclude=["x"]), "Usage", "are for directories"),
        (lambda old, new, file: bdelta.check(b"", b"", outside_links=True), "Usage", "are for directories"),
        (lambda old, new, file: bdelta.create(old, new, file.with_name("p"), format="bdt1"), "FormatCannotHold", "one file"),
    ],
)
def test_calls_that_are_not_about_two_directories(
    trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path, call: Callable[..., object], code: str, text: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(bdelta.create_bytes(b"OLD", b"NEW"))
    with pytest.raises(bdelta.Error) as found:
        call(*trees, file)
    assert found.value.code.name == code
    assert text in str(found.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "new", "old"]


@pytest.mark.parametrize("bad", ["*.zip", b"*.zip", 3, [b"x"], [3]])
def test_patterns_are_a_sequence_of_str(bad: Any) -> None:
    with pytest.raises(TypeError, match="^exclude: expected "):
        bdelta.create_bytes(b"", b"", exclude=bad)


def test_interrupts_and_callbacks(long_pair: Pair, tmp_path: pathlib.Path) -> None:
    old, new = make(tmp_path / "old", {"a": long_pair[0]}), make(tmp_path / "new", {"b": long_pair[1]})
    seen: list[bdelta.Progress] = []

    def interrupt(now: bdelta.Progress) -> None:
        seen.append(now)
        if now.phase != "hash":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bdelta.create(old, new, tmp_path / "patch", level=9, progress=interrupt)
    assert seen[-1].done < len(long_pair[1])
    assert sorted(os.listdir(tmp_path)) == ["new", "old"]
    bdelta.create(old, new, tmp_path / "patch", level=1)
    for stop in (lambda now: False, interrupt):
        with pytest.raises((bdelta.Cancelled, KeyboardInterrupt)):
            bdelta.apply(old, tmp_path / "made", tmp_path / "patch", progress=stop)
        assert sorted(os.listdir(tmp_path)) == ["new", "old", "patch"]
    with pytest.raises(bdelta.BudgetError):
        bdelta.create(old, new, tmp_path / "late", level=9, time_limit_seconds=0.01)
