"""File objects that fail or do less than they are asked for."""

from __future__ import annotations

import io
import os
import pathlib
from typing import Any

import pytest
from conftest import Pair

import bdelta


class Failing(io.BytesIO):
    """Raises at the call of a method that is number `at`."""

    def __init__(self, data: bytes, method: str, at: int) -> None:
        super().__init__(data)
        self.method, self.left = method, at

    def step(self, method: str) -> None:
        if method == self.method:
            self.left -= 1
            if self.left == 0:
                raise ConnectionResetError(method)

    def read(self, size: int | None = -1, /) -> bytes:
        self.step("read")
        return super().read(size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.step("seek")
        return super().seek(offset, whence)

    def write(self, data: Any, /) -> int:
        self.step("write")
        return super().write(data)


class Slow(io.RawIOBase):
    """Gives and takes three bytes at a time."""

    def __init__(self, data: bytes = b"") -> None:
        self.inner = io.BytesIO(data)

    def read(self, size: int = -1, /) -> bytes:
        return self.inner.read(min(size, 3))

    def write(self, data: Any, /) -> int:
        return self.inner.write(data[:3])

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self.inner.seek(offset, whence)

    def tell(self) -> int:
        return self.inner.tell()


@pytest.mark.parametrize("method", ["read", "seek"])
@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_input_that_fails(text: Pair, tmp_path: pathlib.Path, method: str, at: int, threads: int) -> None:
    old, new = text[0] * 20, text[1] * 20  # more than a piece
    with pytest.raises(ConnectionResetError, match=method):
        bdelta.create(Failing(old, method, at), new, tmp_path / "patch", threads=threads)
    with pytest.raises(ConnectionResetError, match=method):
        bdelta.apply(Failing(old, method, at), tmp_path / "made", bdelta.create_bytes(old, new), threads=threads)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("at", [1, 2])
def test_a_patch_that_fails(at: int, tmp_path: pathlib.Path) -> None:
    new = os.urandom(3 << 20)
    patch = bdelta.create_bytes(b"OLD", new)
    with pytest.raises(ConnectionResetError):
        bdelta.apply(b"OLD", tmp_path / "made", Failing(patch, "read", at))
    assert os.listdir(tmp_path) == []
    with pytest.raises(ConnectionResetError):
        bdelta.apply_bytes(b"OLD", Failing(patch, "read", at))
    with pytest.raises(ConnectionResetError):
        bdelta.verify_patch(Failing(patch, "read", at))


@pytest.mark.parametrize("at", [1, 2])
def test_an_output_that_fails(at: int) -> None:
    new = os.urandom(3 << 20)
    with pytest.raises(ConnectionResetError):
        bdelta.create(b"OLD", new, Failing(b"", "write", at))
    with pytest.raises(ConnectionResetError):
        bdelta.apply(b"OLD", Failing(b"", "write", at), bdelta.create_bytes(b"OLD", new))


def test_less_than_was_asked_for(text: Pair) -> None:
    old, new = text[0][:5000], text[1][:5000]
    patch = Slow()
    bdelta.create(Slow(old), Slow(new), patch)
    assert patch.inner.getvalue() == bdelta.create_bytes(old, new)
    made = Slow()
    bdelta.apply(Slow(old), made, Slow(patch.inner.getvalue()))
    assert made.inner.getvalue() == new


def test_a_file_that_became_shorter(text: Pair) -> None:
    class Shorter(io.BytesIO):
        def tell(self) -> int:
            return super().tell() + 1

    with pytest.raises(bdelta.FileError) as found:
        bdelta.create_bytes(Shorter(text[0]), text[1])
    assert found.value.code == bdelta.Code.InputTruncated


@pytest.mark.parametrize(
    ("answer", "error"),
    [(None, BlockingIOError), ("text", TypeError), (bytearray(1), TypeError), (bytes(2_000_000), OSError)],
)
def test_answers_that_reading_must_not_give(answer: Any, error: type[Exception]) -> None:
    class Odd(io.BytesIO):
        def read(self, size: int | None = -1, /) -> Any:
            return answer

    with pytest.raises(error, match=r"read\(\)"):
        bdelta.create_bytes(Odd(b"OLD"), b"NEW")
    with pytest.raises(error, match=r"read\(\)"):
        bdelta.inspect(Odd(b"OLD"))


@pytest.mark.parametrize(
    ("answer", "error"), [(0, OSError), (-1, OSError), (10**9, OSError), ("1", OSError), (None, BlockingIOError)]
)
def test_answers_that_writing_must_not_give(answer: Any, error: type[Exception]) -> None:
    class Odd(io.RawIOBase):
        def write(self, data: Any, /) -> Any:
            return answer

    with pytest.raises(error, match=r"write\(\)"):
        bdelta.create(b"OLD", b"NEW", Odd())


def test_an_output_that_says_nothing_has_taken_all(text: Pair) -> None:
    taken: list[bytes] = []

    class Quiet:
        def write(self, data: bytes, /) -> None:
            taken.append(data)

    bdelta.create(*text, Quiet())
    assert b"".join(taken) == bdelta.create_bytes(*text)


def test_inputs_that_cannot_seek(text: Pair) -> None:
    read, write = os.pipe()
    os.close(write)
    with os.fdopen(read, "rb") as pipe, pytest.raises(OSError):
        bdelta.create_bytes(pipe, text[1])
    with pytest.raises(TypeError, match="binary"):
        bdelta.create_bytes(io.StringIO("OLD"), text[1])  # type: ignore[arg-type]


def test_one_file_may_be_given_twice(text: Pair) -> None:
    file = io.BytesIO(text[0] * 20)
    patch = bdelta.create_bytes(file, file, threads=3)
    assert bdelta.apply_bytes(file, patch, threads=3) == file.getvalue()


def test_a_patch_from_a_pipe(text: Pair) -> None:
    read, write = os.pipe()
    os.write(write, bdelta.create_bytes(*text))
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert bdelta.apply_bytes(text[0], pipe) == text[1]
