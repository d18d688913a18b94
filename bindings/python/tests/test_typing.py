"""The package is typed: what it says of itself holds under `mypy --strict`, and wrong uses are found."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
import textwrap
from collections.abc import Callable

import pytest

import bdelta
from bdelta import _native

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def mypy(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Gives what mypy finds. What it learns of a file is kept for the next call."""
    cache = tmp_path_factory.mktemp("mypy")
    return lambda *arguments: run_mypy("--cache-dir", cache, *arguments)


def run_mypy(*arguments: str | pathlib.Path) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, arguments)],
        cwd=HERE, capture_output=True, text=True,
    )
    assert run.stderr == ""
    return run.stdout


def test_the_package_and_what_uses_it(mypy: Callable[..., str]) -> None:
    assert pathlib.Path(bdelta.__file__).with_name("py.typed").exists()
    assert mypy("-p", "bdelta") == ""
    assert mypy(*sorted(HERE.glob("*.py")), HERE.parent / "overhead.py", *sorted(HERE.parent.glob("bench/*.py"))) == ""


RIGHT = """
import io, mmap, pathlib
from typing import Optional
from typing_extensions import assert_type
import bdelta

def told(now: bdelta.Progress) -> bool:
    return now.done < now.total

def uses(data: mmap.mmap, file: io.BufferedReader) -> None:
    assert_type(bdelta.create("old", pathlib.Path("new"), io.BytesIO(), level=6, progress=told), bdelta.Report)
    assert_type(bdelta.create_bytes(data, memoryview(b""), unpack="none"), bytes)
    assert_type(bdelta.apply(file, bytearray(3), file, output_limit_bytes=10).target_digests.sha256, Optional[bytes])
    assert_type(bdelta.inspect("patch", io="mmap").target_size, Optional[int])
    with bdelta.PushApply("old", "new", overwrite=True) as push:
        push.feed(b"")
    assert_type(push.finish(), bdelta.Report)
    try:
        pass
    except bdelta.FileError as error:
        assert_type(error.code, bdelta.Code)
        assert_type(error.code.exit_class, int)
"""

WRONG = """
import io
import bdelta
bdelta.create(b"", b"", io.BytesIO(), levl=3)
bdelta.create(b"", b"", io.BytesIO(), level="3")
bdelta.create_bytes(b"", b"", unpack="some")
bdelta.create_bytes(b"", b"", output_limit_bytes=3)
bdelta.create_bytes(3, b"")
bdelta.create_bytes(io.StringIO(), b"")
bdelta.create(b"", b"", bytearray())
bdelta.apply(b"", b"", None)
bdelta.inspect(b"").target_size + 1
"""


def test_uses(mypy: Callable[..., str], tmp_path: pathlib.Path) -> None:
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(RIGHT)
    wrong.write_text(textwrap.dedent(WRONG))
    assert mypy(right) == ""
    found = {int(line.split(":")[1]) for line in mypy(wrong).splitlines() if ": error: " in line}
    assert found == set(range(4, 4 + len(WRONG.splitlines()) - 3))


def test_the_stub_names_what_the_module_has() -> None:
    tree = ast.parse(pathlib.Path(bdelta.__file__).with_name("_native.pyi").read_text())
    named = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(named) | {"version"} == {name for name in dir(_native) if not name.startswith("_")}
    push = named["Push"]
    methods = {node.name for node in push.body if isinstance(node, ast.FunctionDef)}
    assert methods == {name for name in vars(_native.Push) if not name.startswith("_")} | {"__init__"}
