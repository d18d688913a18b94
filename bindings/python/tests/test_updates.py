"""Directories and files that are updated in their place: what is written, what is kept, and how it is resumed."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest
from conftest import edited, words
from test_trees import NEW, OLD, make, read

import bdelta

Trees = tuple[pathlib.Path, pathlib.Path]

# A process that may write files of limited size alone: as if the disk were full in the midst of an update.
LIMITED = """
import resource, signal, sys, bdelta
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    bdelta.apply_in_place(sys.argv[1], sys.argv[2])
except bdelta.FileError as error:
    print(error.code.name)
"""

UPDATE = "import bdelta, sys; bdelta.apply(sys.argv[1], sys.argv[1], sys.argv[2], sync=False)"


@pytest.fixture
def trees(tmp_path: pathlib.Path) -> Trees:
    old, new = make(tmp_path / "old", OLD), make(tmp_path / "new", NEW)
    bdelta.create(old, new, tmp_path / "patch", source_list=True)
    shutil.copytree(old, tmp_path / "dir", symlinks=True)
    return tmp_path / "dir", tmp_path / "patch"


@pytest.fixture
def file(tmp_path: pathlib.Path) -> Trees:
    """A file whose first and last blocks change, and the patch. What it becomes is in "new"."""
    old = words(200_000, 1)
    new = b"X" + old[1:-1] + b"Y"
    (tmp_path / "new").write_bytes(new)
    (tmp_path / "file").write_bytes(old)
    bdelta.create(tmp_path / "file", new, tmp_path / "patch")
    return tmp_path / "file", tmp_path / "patch"


def kill_between(directory: pathlib.Path, patch: pathlib.Path) -> None:
    """Updates in a process that is killed when the first entry has gone."""
    tool = shutil.which("strace")
    works = tool and subprocess.run([tool, "-f", "-o", os.devnull, sys.executable, "-c", ""], capture_output=True).returncode == 0
    if not tool or not works:
        pytest.skip("strace is absent or cannot trace here")
    killed = ["-f", "-o", os.devnull, "-e", "inject=renameat2:signal=KILL:when=2"]
    subprocess.run([tool, *killed, sys.executable, "-c", UPDATE, directory, patch], capture_output=True, timeout=120)


def test_a_directory_in_its_place(trees: Trees) -> None:
    directory, patch = trees
    kept = directory / "same"
    before = read(directory)
    told = bdelta.check(directory, patch).tree
    assert told is not None
    assert read(directory) == before
    assert [change.path for change in told.changed] == ["bin/app", "current", "doc/guide", "media.zip"]
    assert [(change.path, change.moved_from) for change in told.moved] == [("moved/same", "same")]
    assert [change.path for change in told.removed] == ["doc/gone"]
    assert os.fsdecode(b"\xff") in [change.path for change in told.added]
    assert told.written_bytes == sum(change.bytes for change in (*told.changed, *told.added, *told.moved))
    report = bdelta.apply(directory, directory, patch, threads=2)
    assert (report.verified, report.up_to_date, report.tree) == (True, False, None)
    assert read(directory) == {**read(directory.with_name("new"))}
    assert not kept.exists()
    assert bdelta.apply(directory, directory, patch).up_to_date


def test_others_are_kept(trees: Trees) -> None:
    directory, patch = trees
    (directory / "mine").write_bytes(b"mine")
    with pytest.raises(bdelta.WrongSourceError, match='added "mine"'):
        bdelta.apply(directory, directory, patch)
    bdelta.apply(directory, directory, patch, keep_others=True)
    assert read(directory).keys() == read(directory.with_name("new")).keys() | {"mine"}
    bdelta.create(directory, directory.with_name("old"), patch, overwrite=True)
    with pytest.raises(bdelta.UsageError, match="neither by the patch nor by a state"):
        bdelta.apply(directory, directory, patch, keep_others=True)


@pytest.mark.parametrize("inside", [True, False])
def test_a_state_is_kept_and_names_what_differs(trees: Trees, inside: bool) -> None:
    directory, patch = trees
    state = directory.with_name("state")
    place = None if inside else state
    bdelta.apply(directory, directory, patch, keep_state=True, state_file=place)
    assert (directory / ".bdelta/state").exists() is inside
    assert state.exists() is not inside
    bdelta.create(directory.with_name("new"), directory.with_name("old"), patch, overwrite=True)
    (directory / "doc/guide").write_bytes(b"?" * (directory / "doc/guide").stat().st_size)
    for trust in (False, True):
        with pytest.raises(bdelta.WrongSourceError, match='changed "doc/guide"'):
            bdelta.check(directory, patch, state_file=place, trust_times=trust)


def test_a_killed_update_is_resumed(trees: Trees) -> None:
    directory, patch = trees
    assert bdelta.tree_state(directory) is bdelta.TreeState.WHOLE
    kill_between(directory, patch)
    assert bdelta.tree_state(str(directory)) is bdelta.TreeState.UNFINISHED
    calls: list[Callable[[], bdelta.Report]] = [
        lambda: bdelta.check(directory, patch),
        lambda: bdelta.apply(directory, directory.with_name("made"), patch),
    ]
    for call in calls:
        with pytest.raises(bdelta.FileError) as found:
            call()
        assert found.value.code is bdelta.Code.Unfinished
    seen: list[bdelta.Progress] = []
    with pytest.raises(bdelta.Cancelled):
        bdelta.resume_tree(directory, progress=lambda now: False)
    assert bdelta.resume_tree(directory, progress=seen.append, sync=False) is bdelta.Resumed.FINISHED
    assert (seen[0].done, seen[-1].done) == (0, seen[0].total)
    assert seen[0].total > 5
    assert read(directory) == read(directory.with_name("new"))
    assert bdelta.resume_tree(directory) is bdelta.Resumed.NOTHING


def test_the_next_update_goes_on(trees: Trees) -> None:
    directory, patch = trees
    kill_between(directory, patch)
    assert bdelta.tree_state(directory) is bdelta.TreeState.UNFINISHED
    assert bdelta.apply(directory, directory, patch).up_to_date
    assert read(directory) == read(directory.with_name("new"))


@pytest.mark.parametrize("in_place", [True, False])
def test_a_patch_that_is_pushed(trees: Trees, in_place: bool) -> None:
    directory, patch = trees
    target = directory if in_place else directory.with_name("made")
    before = read(directory)
    whole = patch.read_bytes()
    with pytest.raises(RuntimeError, match="left"):
        with bdelta.PushApply(directory, target) as left:
            left.feed(whole[:-1])
            raise RuntimeError("left")
    assert read(directory) == before
    assert target.exists() is in_place
    with bdelta.PushApply(str(directory), target, sync=False) as push:
        for at in range(0, len(whole), 1000):
            push.feed(whole[at : at + 1000])
        assert (directory / "doc/gone").exists()
    assert push.finish().patch_bytes == len(whole)
    assert read(target) == read(directory.with_name("new"))
    if not in_place:
        assert read(directory) == before


def test_a_file_in_its_place(file: Trees) -> None:
    path, patch = file
    inode = path.stat().st_ino
    before = path.read_bytes()
    foretold = bdelta.apply_in_place(path, patch, dry_run=True)
    assert path.read_bytes() == before
    report = bdelta.apply_in_place(str(path), str(patch), journal=path.with_name("journal"))
    assert path.read_bytes() == path.with_name("new").read_bytes()
    assert path.stat().st_ino == inode
    assert (report.written_bytes, report.journal_bytes) == (foretold.written_bytes, foretold.journal_bytes)
    assert 4096 < report.written_bytes <= 8192
    assert report.journal_bytes > report.written_bytes
    assert bdelta.apply_in_place(path, patch).up_to_date
    assert sorted(os.listdir(path.parent)) == ["file", "new", "patch"]


def test_scratch_is_limited(file: Trees) -> None:
    path, patch = file
    needed = bdelta.apply_in_place(path, patch, dry_run=True).journal_bytes
    before = path.read_bytes()
    with pytest.raises(bdelta.LimitError) as found:
        bdelta.apply_in_place(path, patch, scratch_limit_bytes=needed - 1)
    assert (found.value.code, found.value.needed_bytes) == (bdelta.Code.ScratchLimit, needed)
    assert path.read_bytes() == before
    assert bdelta.apply_in_place(path, patch, scratch_limit_bytes=needed).written_bytes > 0


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_file_is_resumed(file: Trees, elsewhere: bool) -> None:
    path, patch = file
    size = path.stat().st_size
    if elsewhere:
        limited = LIMITED.replace("sys.argv[2])", "sys.argv[2], journal=sys.argv[1] + '.journal')")
    else:
        limited = LIMITED
    journal = path.with_name("file.journal") if elsewhere else None
    assert not bdelta.is_unfinished(path, journal=journal)
    run = subprocess.run([sys.executable, "-c", limited, path, patch, str(size // 2)], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("Unfinished\n", "")
    assert bdelta.is_unfinished(str(path), journal=journal)
    assert bdelta.is_unfinished(path) is not elsewhere
    with pytest.raises(bdelta.FileError) as found:
        bdelta.apply_in_place(path, patch, journal=journal, dry_run=True)
    assert found.value.code is bdelta.Code.Unfinished
    seen: list[bdelta.Progress] = []
    with pytest.raises(bdelta.Cancelled):
        bdelta.resume_in_place(path, journal=journal, progress=lambda now: False)
    report = bdelta.resume_in_place(path, journal=journal, progress=seen.append)
    assert (report.up_to_date, report.verified) == (False, True)
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, size, size)
    assert {now.phase for now in seen} == {"verify", "write"}
    assert path.read_bytes() == path.with_name("new").read_bytes()
    assert bdelta.resume_in_place(path, journal=journal).up_to_date


def test_wrong_calls(file: Trees) -> None:
    path, patch = file
    path.with_name("old.zip").write_bytes(b"another")
    with pytest.raises(TypeError, match="^file: expected a path"):
        bdelta.apply_in_place(b"bytes", patch)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^patch: expected a path"):
        bdelta.apply_in_place(path, patch.read_bytes())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^directory: expected a path"):
        bdelta.resume_tree(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="there is no option 'journal' here"):
        bdelta.apply(path, path, patch, journal="j")  # type: ignore[call-arg]
    with pytest.raises(bdelta.UsageError, match="are for directories"):
        bdelta.apply_in_place(path, patch, keep_state=True)
    with pytest.raises(bdelta.UsageError, match="are for directories"):
        bdelta.apply(path, path.with_name("made"), patch, trust_times=True)
    with pytest.raises(bdelta.WrongSourceError):
        bdelta.apply_in_place(path.with_name("old.zip"), patch)
    with pytest.raises(bdelta.FileError):
        bdelta.tree_state(path)


def test_an_edited_file_of_any_kind(tmp_path: pathlib.Path) -> None:
    old = words(30_000, 3)
    for seed in range(3):
        (tmp_path / "file").write_bytes(old)
        new = edited(old, seed)
        (tmp_path / "patch").write_bytes(bdelta.create_bytes(old, new))
        bdelta.apply_in_place(tmp_path / "file", tmp_path / "patch")
        assert (tmp_path / "file").read_bytes() == new
