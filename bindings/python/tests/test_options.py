"""Options by keyword: those of the library, by its names, in its types."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest
from conftest import Pair

import bdelta
from bdelta import _native


def test_what_is_typed_is_what_the_module_takes() -> None:
    names = {kind: set(listed) for kind, listed in _native.option_names().items()}
    assert names["create"] | {"progress", "trace"} == set(bdelta.CreateOptions.__optional_keys__)
    assert names["apply"] | {"progress", "trace"} == set(bdelta.ApplyOptions.__optional_keys__)
    assert names["in_place"] | {"progress", "trace"} == set(bdelta.InPlaceOptions.__optional_keys__)
    assert names["file"] == set(bdelta.FileOptions.__optional_keys__)


def test_every_option_is_documented() -> None:
    source = pathlib.Path(bdelta.__file__).with_name("_options.py").read_text()
    for names in _native.option_names().values():
        for name in names:
            assert f'    {name}: ' in source
            described = source.split(f"    {name}: ", 1)[1].split('"""')[1]
            assert "Default" in described or name == "level", name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levl": 3}, "there is no option 'levl' here"),
        ({"output_limit_bytes": 3}, "there is no option 'output_limit_bytes' here"),
        ({"level": "3"}, "level: expected int, found str"),
        ({"level": True}, "level: expected int, found bool"),
        ({"level": 3.0}, "level: expected int, found float"),
        ({"predict": 1}, "predict: expected bool, found int"),
        ({"format": 2}, "format: expected str, found int"),
        ({"max_patch_ratio": "1"}, "max_patch_ratio: expected float, found str"),
        ({"temp_dir": b"/tmp"}, "temp_dir: expected str or os.PathLike, found bytes"),
        ({"known_target": b"x"}, "known_target: expected bdelta.Digests, found bytes"),
        ({"progress": 1}, "progress: expected a callable"),
        ({"trace": ()}, "trace: expected a list"),
    ],
)
def test_other_names_and_types_are_refused(options: Any, message: str) -> None:
    with pytest.raises(TypeError) as found:
        bdelta.create_bytes(b"OLD", b"NEW", **options)
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        ({"level": 11}, "expected a level from 1 to 10, found 11"),
        ({"threads": -1}, "threads: expected from 0 to 4294967295, found -1"),
        ({"threads": 2**32}, "threads: expected from 0 to 4294967295, found 4294967296"),
        ({"memory_limit_bytes": 2**64}, f"memory_limit_bytes: expected from 0 to {2**64 - 1}, found {2**64}"),
        ({"unpack": "\udc80"}, "unpack: expected one of auto, none, all, found '\\udc80'"),
        ({"unpack": "some"}, "unpack: expected one of auto, none, all, found 'some'"),
        ({"known_target": bdelta.Digests(sha256=b"x")}, "known_target: expected 32 bytes, found b'x'"),
    ],
)
def test_values_out_of_range_are_usage(options: Any, detail: str) -> None:
    with pytest.raises(bdelta.UsageError) as found:
        bdelta.create_bytes(b"OLD", b"NEW", **options)
    assert found.value.code == bdelta.Code.Usage
    assert found.value.detail == detail


@pytest.mark.parametrize("bad", [3, None, [b"x"], object()])
def test_other_inputs_are_refused(bad: Any) -> None:
    patch = bdelta.create_bytes(b"OLD", b"NEW")
    with pytest.raises(TypeError, match="^old: expected a path, a bytes-like object or a binary file that can seek, found"):
        bdelta.create_bytes(bad, b"NEW")
    with pytest.raises(TypeError, match="^new: "):
        bdelta.create_bytes(b"OLD", bad)
    with pytest.raises(TypeError, match="^patch: "):
        bdelta.inspect(bad)
    with pytest.raises(TypeError, match="^new: expected a path, a writable bytes-like object or a binary file, found"):
        bdelta.apply(b"OLD", bad, patch)


def test_buffers_that_do_not_fit() -> None:
    with pytest.raises(BufferError):
        bdelta.create_bytes(memoryview(b"abcdef")[::2], b"NEW")
    with pytest.raises(BufferError):
        bdelta.apply(b"OLD", b"no room", bdelta.create_bytes(b"OLD", b"NEW"))


def test_defaults_of_files(text: Pair, tmp_path: pathlib.Path) -> None:
    patch = bdelta.create_bytes(*text)
    made = tmp_path / "made"
    bdelta.apply(text[0], made, patch, output_temp_dir=tmp_path)
    with pytest.raises(bdelta.UsageError):
        bdelta.apply(text[0], made, patch)
    bdelta.apply(text[0], made, patch, overwrite=True, sync=False, buffer_bytes=0, io="mmap")
    assert made.read_bytes() == text[1]


def test_target_mode(text: Pair, tmp_path: pathlib.Path) -> None:
    (tmp_path / "old").write_bytes(text[0])
    bdelta.apply(tmp_path / "old", tmp_path / "made", bdelta.create_bytes(*text), target_mode=0o711)
    assert os.stat(tmp_path / "made").st_mode & 0o777 == 0o711


def test_memory_that_applying_takes(text: Pair) -> None:
    info = bdelta.inspect(bdelta.create_bytes(*text))
    one, three = bdelta.apply_buffer_bytes(info), bdelta.apply_buffer_bytes(info, 3)
    assert 0 < one < three
    assert bdelta.estimate_memory(10**8, 10**8, level=9) > bdelta.estimate_memory(10**6, 10**6, level=9)
