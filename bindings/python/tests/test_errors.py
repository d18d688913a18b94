"""Errors are exceptions by kind, with all that the library tells, and nothing half-made is left."""

from __future__ import annotations

import io
import os
import pathlib
import pickle
import re

import pytest
from conftest import Pair

import bdelta
import bdelta._errors


def test_wrong_source(text: Pair, tmp_path: pathlib.Path) -> None:
    patch = bdelta.create_bytes(*text)
    with pytest.raises(bdelta.WrongSourceError) as size:
        bdelta.apply_bytes(text[0] + b"x", patch)
    assert (size.value.code, size.value.exit_class) == (bdelta.Code.WrongSourceSize, 4)
    assert str(len(text[0])) in size.value.detail
    old = tmp_path / "old"
    old.write_bytes(b"x" + text[0][1:])
    with pytest.raises(bdelta.WrongSourceError) as digest:
        bdelta.apply(old, tmp_path / "made", patch)
    assert digest.value.code == bdelta.Code.WrongSourceDigest
    assert str(old) in digest.value.file
    assert str(old) in str(digest.value)
    assert os.listdir(tmp_path) == ["old"]


def test_any_damage_to_a_patch_is_told() -> None:
    old, new = b"one " * 300, b"one " * 299 + b"two"
    patch = bdelta.create_bytes(old, new)
    for at in range(len(patch)):
        damaged = bytearray(patch)
        damaged[at] ^= 1
        with pytest.raises((bdelta.PatchError, bdelta.WrongSourceError)) as found:
            bdelta.apply_bytes(old, damaged)
        with pytest.raises(bdelta.PatchError):
            bdelta.verify_patch(damaged)
        assert found.value.exit_class in (3, 4)
        with pytest.raises(bdelta.PatchError) as short:
            bdelta.apply_bytes(old, patch[:at])
        assert short.value.code in (bdelta.Code.PatchTruncated, bdelta.Code.NotAPatch)
    with pytest.raises(bdelta.PatchError) as trailing:
        bdelta.apply_bytes(old, patch + b"x")
    assert trailing.value.code == bdelta.Code.PatchTrailingBytes
    assert trailing.value.offset == len(patch)


def test_files(text: Pair, tmp_path: pathlib.Path) -> None:
    missing, there = tmp_path / "missing", tmp_path / "there"
    there.write_bytes(b"there")
    with pytest.raises(OSError) as absent:
        bdelta.create(missing, there, tmp_path / "patch")
    assert isinstance(absent.value, bdelta.FileError)
    assert absent.value.code == bdelta.Code.NotFound
    assert str(missing) in absent.value.file
    with pytest.raises(bdelta.FileError) as directory:
        bdelta.apply(tmp_path, tmp_path / "made", bdelta.create_bytes(*text))
    assert directory.value.code == bdelta.Code.IsDirectory
    with pytest.raises(ValueError) as exists:
        bdelta.create(text[0], text[1], there)
    assert isinstance(exists.value, bdelta.UsageError)
    assert exists.value.code == bdelta.Code.OutputExists
    assert exists.value.remedy == "choose another name, or set overwrite=True"
    assert str(exists.value).endswith(f"; {exists.value.remedy}")
    with pytest.raises(bdelta.UsageError) as same:
        bdelta.create(there, there, there, overwrite=True)
    assert same.value.code == bdelta.Code.SamePath
    assert there.read_bytes() == b"there"
    assert os.listdir(tmp_path) == ["there"]


def test_names_that_are_no_text(text: Pair, tmp_path: pathlib.Path) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")
    with pytest.raises(bdelta.FileError) as absent:
        bdelta.create(odd, text[1], io.BytesIO())
    assert absent.value.code == bdelta.Code.NotFound
    bdelta.create(*text, odd)
    assert bdelta.apply_bytes(text[0], odd) == text[1]
    with pytest.raises(ValueError, match="null"):
        bdelta.inspect("a\0b")


def test_limits(text: Pair) -> None:
    patch = bdelta.create_bytes(*text)
    with pytest.raises(bdelta.LimitError) as output:
        bdelta.apply_bytes(text[0], patch, output_limit_bytes=len(text[1]) - 1)
    assert output.value.code == bdelta.Code.OutputLimit
    assert output.value.needed_bytes == len(text[1])
    assert "output_limit_bytes" in output.value.remedy
    with pytest.raises(bdelta.LimitError) as room:
        bdelta.apply(text[0], bytearray(len(text[1]) - 1), patch)
    assert room.value.code == bdelta.Code.OutputLimit
    with pytest.raises(bdelta.BudgetError) as ratio:
        bdelta.create_bytes(*text, max_patch_ratio=1e-6)
    assert (ratio.value.code, ratio.value.exit_class) == (bdelta.Code.PatchTooLarge, 7)
    with pytest.raises(bdelta.LimitError) as memory:
        bdelta.estimate_memory(10**9, 10**9, memory_limit_bytes=1)
    assert memory.value.code == bdelta.Code.MemoryLimit
    assert memory.value.needed_bytes > 1


def test_digests_that_are_expected(text: Pair) -> None:
    patch = io.BytesIO()
    report = bdelta.create(*text, patch, group_digests=True, digest_patch=True)
    whole, head = report.patch_digests.sha256, report.head_sha256
    assert whole is not None and head is not None
    data = patch.getvalue()
    assert bdelta.apply_bytes(text[0], data, expected_patch_sha256=whole, expected_head_sha256=head) == text[1]
    others: list[bdelta.ApplyOptions] = [{"expected_patch_sha256": bytes(32)}, {"expected_head_sha256": bytes(32)}]
    for options in others:
        with pytest.raises(bdelta.PatchError) as other:
            bdelta.apply_bytes(text[0], data, **options)
        assert other.value.code == bdelta.Code.PatchDigest


def test_digests_that_are_known(text: Pair) -> None:
    patch = io.BytesIO()
    report = bdelta.create(*text, patch, known_target=bdelta.create(*text, io.BytesIO()).target_digests)
    assert patch.getvalue() == bdelta.create_bytes(*text)
    assert report.target_digests.xxh3_128 == bdelta.inspect(patch.getvalue()).target_digest
    with pytest.raises(bdelta.VerificationError) as wrong:
        bdelta.create_bytes(*text, known_target=bdelta.Digests(xxh3_128=bytes(16)))
    assert wrong.value.code == bdelta.Code.SelfCheckFailed


def test_remedies_name_keywords() -> None:
    with pytest.raises(bdelta.UsageError) as coder:
        bdelta.create_bytes(b"OLD", b"NEW", format="bdt1", group_digests=True)
    assert 'use format="bdt2"' in str(coder.value)
    named = set()
    for path in (pathlib.Path(__file__).parents[3] / "src").rglob("*.[ch]pp"):
        for text in re.findall(r"""'"'|("(?:[^"\\\n]|\\.)*")""", path.read_text()):
            named |= set(re.findall(r"\b[A-Z]\w*::\w+", text))
    assert {"FileOptions::overwrite", "CreateOptions::group_digests", "PatchFormat::kBdt2"} <= named
    options = set(bdelta.CreateOptions.__annotations__) | set(bdelta.ApplyOptions.__annotations__)
    for name in named:
        keyword, _, value = bdelta._errors.in_keywords(name).partition("=")
        assert keyword in options and value, name


def test_every_exit_class_is_a_kind() -> None:
    assert {code.exit_class for code in bdelta.Code} == set(bdelta._errors.KINDS)
    for status, kind in bdelta._errors.KINDS.items():
        assert re.match(rf"{status}: ", kind.__doc__ or "")
        assert issubclass(kind, bdelta.Error)


def test_errors_can_be_sent_to_other_processes() -> None:
    with pytest.raises(bdelta.Error) as found:
        bdelta.apply_bytes(b"x", bdelta.create_bytes(b"OLD", b"NEW"), output_limit_bytes=5)
    sent = pickle.loads(pickle.dumps(found.value))
    assert type(sent) is bdelta.WrongSourceError
    assert vars(sent) == vars(found.value)
    assert str(sent) == str(found.value)
    with pytest.raises(bdelta.FileError) as absent:
        bdelta.inspect("/nowhere")
    sent = pickle.loads(pickle.dumps(absent.value))
    assert (type(sent), sent.code, sent.file) == (bdelta.FileError, bdelta.Code.NotFound, absent.value.file)


def test_reports_can_be_sent_to_other_processes(text: Pair) -> None:
    report = bdelta.create(*text, io.BytesIO())
    assert pickle.loads(pickle.dumps(report)) == report
    assert {phase.name for phase in report.phases}
    assert sum(stream.coded_bytes for stream in report.streams) <= report.patch_bytes


def test_patches_of_directories_are_told_by_inspect() -> None:
    patch = pathlib.Path(__file__).parents[3] / "testdata" / "golden" / "trees" / "patch"
    info = bdelta.inspect(patch)
    assert info.of_tree
    assert info.tree == bdelta.TreeInfo(
        entry_count=8,
        kept_files=1,
        changed_files=2,
        added_files=2,
        removed_files=1,
        made_bytes=1575,
        has_times=False,
        has_source_list=True,
        excluded=("*.log",),
    )
