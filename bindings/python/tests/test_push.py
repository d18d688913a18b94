"""Patches that come in pieces."""

from __future__ import annotations

import gc
import io
import os
import pathlib
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Pair, target

import bdelta


@pytest.mark.parametrize("piece_bytes", [1, 100, 10**6])
def test_pieces_of_any_size(pair: Pair, piece_bytes: int, tmp_path: pathlib.Path) -> None:
    patch = bdelta.create_bytes(*pair)[:20_000_000]
    if len(patch) // piece_bytes > 20_000:
        piece_bytes = 7
    made = tmp_path / "made"
    (tmp_path / "old").write_bytes(pair[0])
    with bdelta.PushApply(tmp_path / "old", made) as push:
        for at in range(0, len(patch), piece_bytes):
            push.feed(memoryview(patch)[at : at + piece_bytes])
        assert not made.exists()
    assert made.read_bytes() == pair[1]
    assert push.finish().target_bytes == len(pair[1])


@pytest.mark.parametrize("old_by_name", [False, True])
@pytest.mark.parametrize("kind", ["path", "buffer", "file"])
def test_into_anything(text: Pair, old_by_name: bool, kind: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "old").write_bytes(text[0])
    old: Any = tmp_path / "old" if old_by_name else text[0]
    made, content = target(kind, tmp_path / "made", len(text[1]))
    with bdelta.PushApply(old, made) as push:
        push.feed(bdelta.create_bytes(*text))
    assert content() == text[1]


@pytest.mark.parametrize("old_by_name", [False, True])
def test_what_is_left_by_an_exception_leaves_nothing(text: Pair, old_by_name: bool, tmp_path: pathlib.Path) -> None:
    (tmp_path / "old").write_bytes(text[0])
    with pytest.raises(ZeroDivisionError):
        with bdelta.PushApply(tmp_path / "old" if old_by_name else text[0], tmp_path / "made") as push:
            push.feed(bdelta.create_bytes(*text))
            raise ZeroDivisionError
    assert os.listdir(tmp_path) == ["old"]


def test_a_patch_that_ends_early_or_late(text: Pair, tmp_path: pathlib.Path) -> None:
    patch = bdelta.create_bytes(*text)
    with pytest.raises(bdelta.PatchError) as short:
        with bdelta.PushApply(text[0], tmp_path / "made") as push:
            push.feed(patch[:-1])
    assert short.value.code == bdelta.Code.PatchTruncated
    with pytest.raises(bdelta.PatchError) as late:
        with bdelta.PushApply(text[0], tmp_path / "made") as push:
            push.feed(patch + b"x")
    assert late.value.code == bdelta.Code.PatchTrailingBytes
    assert os.listdir(tmp_path) == []


def test_old_is_proven_with_the_head(text: Pair) -> None:
    made = io.BytesIO()
    push = bdelta.PushApply(b"x" + text[0][1:], made)
    with pytest.raises(bdelta.WrongSourceError):
        push.feed(bdelta.create_bytes(*text))
    with pytest.raises(bdelta.WrongSourceError):
        push.finish()
    push.close()
    assert made.getvalue() == b""


def test_a_digest_of_the_whole_is_usage(text: Pair) -> None:
    with pytest.raises(bdelta.UsageError):
        bdelta.PushApply(text[0], io.BytesIO(), expected_patch_sha256=bytes(32))


def test_a_closed_one_takes_nothing(text: Pair) -> None:
    push = bdelta.PushApply(text[0], io.BytesIO())
    push.close()
    push.close()
    with pytest.raises(bdelta.UsageError):
        push.feed(b"x")
    with pytest.raises(bdelta.UsageError):
        push.finish()


def test_it_is_not_used_from_its_own_callback(text: Pair) -> None:
    made = io.BytesIO()
    refused: list[object] = []

    def told(now: bdelta.Progress) -> None:
        uses: list[Callable[[], object]] = [lambda: push.feed(b"x"), push.finish, push.close]
        for use in uses:
            with pytest.raises(bdelta.UsageError):
                use()
            refused.append(use)

    with bdelta.PushApply(text[0], made, progress=told) as push:
        push.feed(bdelta.create_bytes(*text))
    assert refused
    assert made.getvalue() == text[1]


def test_cancelling(text: Pair, tmp_path: pathlib.Path) -> None:
    with pytest.raises(bdelta.Cancelled):
        with bdelta.PushApply(text[0], tmp_path / "made", progress=lambda now: False) as push:
            push.feed(bdelta.create_bytes(*text))
    assert os.listdir(tmp_path) == []


def test_an_output_that_fails(text: Pair) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any, /) -> int:
            raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        with bdelta.PushApply(text[0], Full()) as push:
            push.feed(bdelta.create_bytes(*text))


def test_a_closed_one_holds_its_callback_no_longer(text: Pair) -> None:
    class Told:
        push: bdelta.PushApply

        def __call__(self, now: bdelta.Progress) -> None:
            pass

    told = Told()
    told.push = bdelta.PushApply(text[0], io.BytesIO(), progress=told)
    told.push.feed(bdelta.create_bytes(*text))
    told.push.finish()
    gone = weakref.ref(told)
    del told
    gc.collect()
    assert gone() is None
