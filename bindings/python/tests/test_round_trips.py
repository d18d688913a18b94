"""What is made of OLD and a patch is NEW, whatever the inputs are and however they are given."""

from __future__ import annotations

import io
import mmap
import pathlib
from typing import Any, Literal

import pytest
from conftest import MAKERS, Pair, target

import bdelta


def test_bytes(pair: Pair) -> None:
    old, new = pair
    patch = bdelta.create_bytes(old, new)
    assert bdelta.apply_bytes(old, patch) == new
    info = bdelta.verify_patch(patch)
    assert (info.source_size, info.target_size, info.verified) == (len(old), len(new), True)
    assert info.patch_bytes == len(patch)
    report = bdelta.check(old, patch)
    assert (report.source_bytes, report.target_bytes, report.patch_bytes) == (len(old), len(new), len(patch))
    assert report.verified


def test_paths(pair: Pair, tmp_path: pathlib.Path) -> None:
    old, new, patch, made = (tmp_path / name for name in ("old", "new", "patch", "made"))
    old.write_bytes(pair[0])
    new.write_bytes(pair[1])
    old.chmod(0o750)
    created = bdelta.create(old, str(new), patch)
    assert created.patch_bytes == patch.stat().st_size
    assert patch.read_bytes() == bdelta.create_bytes(*pair)
    assert bdelta.apply(old, made, patch).verified
    assert made.read_bytes() == pair[1]
    assert made.stat().st_mode & 0o777 == 0o750
    assert bdelta.apply(old, made, patch).up_to_date
    assert bdelta.check(old, patch).target_bytes == len(pair[1])
    assert bdelta.inspect(patch) == bdelta.inspect(patch.read_bytes())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "new", "old", "patch"]


def test_file_objects(pair: Pair) -> None:
    old, new = map(io.BytesIO, pair)
    old.seek(0, io.SEEK_END)  # where it is does not matter
    patch = io.BytesIO()
    bdelta.create(old, new, patch)
    assert patch.getvalue() == bdelta.create_bytes(*pair)
    made = io.BytesIO()
    patch.seek(0)
    bdelta.apply(old, made, patch)
    assert made.getvalue() == pair[1]
    assert not made.closed
    patch.seek(0)
    assert bdelta.apply_bytes(old, patch) == pair[1]
    patch.seek(0)
    assert bdelta.inspect(patch).target_size == len(pair[1])


@pytest.mark.parametrize("kind", ["path", "buffer", "file"])
@pytest.mark.parametrize("old_kind", ["path", "buffer", "file"])
@pytest.mark.parametrize("patch_kind", ["path", "buffer", "file"])
def test_any_mixture(text: Pair, tmp_path: pathlib.Path, kind: str, old_kind: str, patch_kind: str) -> None:
    def given(data: bytes, kind: str, name: str) -> Any:
        if kind == "path":
            (tmp_path / name).write_bytes(data)
            return tmp_path / name
        return data if kind == "buffer" else io.BytesIO(data)

    old = given(text[0], old_kind, "old")
    new = given(text[1], kind, "new")
    expected = bdelta.create_bytes(*text)
    if patch_kind == "buffer":
        assert bdelta.create_bytes(old, new) == expected
    else:
        output: Any = tmp_path / "patch" if patch_kind == "path" else io.BytesIO()
        bdelta.create(old, new, output)
        assert (output.read_bytes() if patch_kind == "path" else output.getvalue()) == expected
    patch = given(expected, patch_kind, "other patch")
    made, content = target(kind, tmp_path / "made", len(text[1]))
    assert bdelta.apply(old, made, patch).verified
    assert content() == text[1]


@pytest.mark.parametrize("level", [1, 6, 9, 10])
@pytest.mark.parametrize("name", ["text", "program", "zip"])
def test_threads_change_no_byte(level: int, name: str) -> None:
    old, new = MAKERS[name]()
    one = bdelta.create_bytes(old, new, level=level)
    assert one == bdelta.create_bytes(old, new, level=level, threads=3)
    assert one == bdelta.create_bytes(io.BytesIO(old), io.BytesIO(new), level=level, threads=2)
    assert bdelta.apply_bytes(old, one, threads=3) == new
    assert bdelta.apply_bytes(io.BytesIO(old), io.BytesIO(one), threads=3) == new


@pytest.mark.parametrize("format", ["bdt1", "bdt2"])
def test_formats(text: Pair, format: Literal["bdt1", "bdt2"]) -> None:
    patch = bdelta.create_bytes(*text, format=format)
    assert bdelta.inspect(patch).format == format
    assert bdelta.apply_bytes(text[0], patch) == text[1]


def test_mapped_files_and_parts_of_buffers(text: Pair, tmp_path: pathlib.Path) -> None:
    (tmp_path / "old").write_bytes(text[0])
    with open(tmp_path / "old", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as old:
        patch = bdelta.create_bytes(old, memoryview(b"--" + text[1])[2:])
        assert patch == bdelta.create_bytes(*text)
        made = bytearray(len(text[1]) + 7)
        assert bdelta.apply(old, made, bytearray(patch)).target_bytes == len(text[1])
    assert made == text[1] + bytes(7)
    as_numbers = memoryview(bytes(4_000)).cast("I")
    assert bdelta.apply_bytes(as_numbers, bdelta.create_bytes(as_numbers, b"x")) == b"x"


def test_a_patch_is_read_from_where_its_file_is(text: Pair) -> None:
    file = io.BytesIO(b"before" + bdelta.create_bytes(*text))
    file.seek(6)
    assert bdelta.apply_bytes(text[0], file) == text[1]


def test_new_may_take_the_place_of_old(text: Pair, tmp_path: pathlib.Path) -> None:
    app = tmp_path / "app"
    app.write_bytes(text[0])
    bdelta.apply(app, app, bdelta.create_bytes(*text), overwrite=True)
    assert app.read_bytes() == text[1]
