"""Examples run, and the package says of itself what the project says."""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import importlib.metadata
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess

import pytest

import bdelta

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
GUIDE = ROOT / "docs" / "python.md"


@pytest.mark.parametrize("name", sorted(module.name for module in pkgutil.iter_modules(bdelta.__path__)))
def test_examples_of_docstrings(name: str) -> None:
    module = importlib.import_module(f"bdelta.{name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def test_every_function_has_an_example() -> None:
    assert doctest.testmod(bdelta).attempted > 0
    for name in bdelta.__all__:
        what = getattr(bdelta, name)
        if name.startswith("__"):
            continue
        assert what.__doc__, name
        if name in ("create", "create_bytes", "apply", "apply_bytes", "check", "inspect", "inspect_members", "verify_patch", "estimate_memory",
                    "apply_buffer_bytes", "apply_in_place", "resume_in_place", "is_unfinished", "tree_state", "resume_tree",
                    "PushApply", "Code", "Error"):
            assert ">>> " in what.__doc__, name


def programs(text: str) -> list[str]:
    """What is typed in the first block, then the other blocks."""
    typed = re.findall(r"^>>> (.*)$", text.split("```")[1], re.M)
    return ["\n".join(typed), *re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)]


def test_the_guide(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks run from first to last in a folder with two versions of a program."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("app-1").write_bytes(b"one " * 1000)
    pathlib.Path("app-2").write_bytes(b"one " * 999 + b"two")
    names: dict[str, object] = {}
    for program in programs(GUIDE.read_text()):
        exec(compile(program, str(GUIDE), "exec"), names)
    assert pathlib.Path("made").read_bytes() == pathlib.Path("app-2").read_bytes()
    assert not pathlib.Path("other").exists()


def test_the_guide_begins_with_five_lines() -> None:
    first = GUIDE.read_text().split("```")[1]
    assert len(first.strip().splitlines()) - 1 == 5  # behind the name of the language


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Names of all options, those of commands too."""
    names: set[str] = set()
    for action in parser._actions:
        names |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            names = names.union(*(options_of(command) for command in action.choices.values()))
    return names


@pytest.mark.parametrize("program", ["matrix", "report"])
def test_manual_pages(program: str) -> None:
    pytest.importorskip("distributed")
    name = f"share/man/man1/bdelta-{program}.1"
    (page,) = (file.locate() for file in importlib.metadata.files("bdelta") or [] if str(file).endswith(name))
    text = pathlib.Path(str(page)).read_text()
    parser = importlib.import_module(f"bdelta.{program}._main").parser()
    heads = re.findall(r"^\.TP\n(.*)$", text, re.M)
    assert {name.replace("\\-", "-") for head in heads for name in re.findall(r"\\fB(.*?)\\fR", head)} == options_of(parser)
    if shutil.which("groff"):
        run = subprocess.run(["groff", "-man", "-ww", "-z", str(page)], capture_output=True, text=True)
        assert (run.returncode, run.stderr) == (0, "")


def test_version_and_licence() -> None:
    declared = re.search(r"project\(bdelta VERSION (\S+) ", (ROOT / "CMakeLists.txt").read_text())
    assert declared is not None
    assert importlib.metadata.version("bdelta") == bdelta.__version__ == declared[1]
    about = importlib.metadata.metadata("bdelta")
    assert about["License-Expression"] == "MPL-2.0"
    files = importlib.metadata.files("bdelta") or []
    licences = [file for file in files if file.name == "LICENSE"]
    assert [file.read_text() for file in licences] == [(ROOT / "LICENSE").read_text()]


def test_the_oldest_python_is_told_alike_and_can_read_the_sources() -> None:
    (oldest,) = re.findall(r">=3\.(\d+)", importlib.metadata.metadata("bdelta")["Requires-Python"])
    for page, words in ((GUIDE, "Python 3.{} or later"), (HERE.parent / "CMakeLists.txt", "find_package(Python 3.{} ")):
        assert words.format(oldest) in page.read_text(), page
    for path in [*pathlib.Path(bdelta.__file__).parent.rglob("*.py"), *HERE.glob("*.py")]:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, int(oldest)))


def test_codes_are_those_of_the_table() -> None:
    table = (ROOT / "include" / "bdelta" / "errors.def").read_text()
    rows = re.findall(r'^BDELTA_ERROR\(k(\w+), +(\d+), +(\d+), "(.*)"\)$', table, re.M)
    assert len(rows) == table.count("\nBDELTA_ERROR(")
    found = [(code.name, str(int(code)), str(code.exit_class), code.message) for code in bdelta.Code]
    assert found == rows


def test_no_file_knows_where_it_was_built() -> None:
    for file in importlib.metadata.files("bdelta") or []:
        path = pathlib.Path(str(file.locate()))
        if path.suffix in (".py", ".pyi", ".so") and "__pycache__" not in path.parts:
            assert os.fsencode(ROOT) not in path.read_bytes(), path


def test_a_repaired_wheel_takes_the_libraries_that_it_holds() -> None:
    held = [file.locate() for file in importlib.metadata.files("bdelta") or [] if file.parts[0] == "bdelta.libs"]
    if not held:
        pytest.skip("the wheel was not repaired")
    loaded = pathlib.Path("/proc/self/maps").read_text()
    assert [path for path in held if str(pathlib.Path(str(path)).resolve()) not in loaded] == []
