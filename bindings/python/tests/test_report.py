"""The page of bdelta-report: what it tells is what the patch has, and it asks no network for anything."""

from __future__ import annotations

import base64
import gzip
import html
import json
import pathlib
import random
import re
import shutil
import subprocess
import zlib
from typing import Any

import pytest
from conftest import archive, edited, program, words

import bdelta
from bdelta.report import _evidence, main, of_manifest, of_patch, page_of
from bdelta.report._html import script_data, share
from bdelta.report._patch import treemap


def write(root: pathlib.Path, files: dict[str, bytes]) -> pathlib.Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def packed_otherwise(data: bytes) -> bytes:
    """A zip archive of one entry, in a way that no level of zlib packs: blocks of other lengths."""
    coder = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = b"".join(coder.compress(data[at : at + 700]) + coder.flush(zlib.Z_FULL_FLUSH) for at in range(0, len(data), 700))
    packed += coder.flush()
    whole = bytearray(archive({"entry": data}))
    usual = zlib.compressobj(6, zlib.DEFLATED, -15)
    before = usual.compress(data) + usual.flush()
    at = whole.index(before)
    whole[at : at + len(before)] = packed
    for magic, place in ((b"PK\x03\x04", 18), (b"PK\x01\x02", 20)):
        field = whole.index(magic) + place
        whole[field : field + 4] = len(packed).to_bytes(4, "little")
    end = whole.index(b"PK\x05\x06") + 16
    moved = int.from_bytes(whole[end : end + 4], "little") + len(packed) - len(before)
    whole[end : end + 4] = moved.to_bytes(4, "little")
    return bytes(whole)


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, pathlib.Path]:
    folder = tmp_path_factory.mktemp("report")
    old = {"app": program(), "a.zip": archive({"t": words(9_000, 1)}), "other.zip": packed_otherwise(words(3_000, 7)),
           "gone.dat": random.Random(8).randbytes(9_000), "p.xz": b"\xfd7zXZ\0" + words(500, 1), "<b>&": b"old"}
    new = {"app": edited(program(), 2, 50), "a.zip": archive({"t": edited(words(9_000, 1), 3)}),
           "other.zip": packed_otherwise(words(3_000, 9)), "come.dat": random.Random(9).randbytes(8_000),
           "p.xz": b"\xfd7zXZ\0" + words(500, 99), "<b>&": b"<script>alert(1)</script>" * 3}
    patch = folder / "app.patch"
    bdelta.create(write(folder / "old", old), write(folder / "new", new), patch, level=6, unpack="none")
    return folder / "old", patch


def test_members_are_those_of_the_patch(trees: tuple[pathlib.Path, pathlib.Path]) -> None:
    old, patch = trees
    found = bdelta.inspect_members(old, patch)
    alone = bdelta.inspect_members(None, patch)
    assert found.patch_bytes == alone.patch_bytes == patch.stat().st_size == sum(found.kinds.values()) == sum(alone.kinds.values())
    assert alone.members == ()
    of_path = {member.path: member for member in found.members}
    assert of_path["other.zip/entry"].packed_as == "deflate"
    assert of_path["app"].format == "elf"
    assert found.removed_paths == ("gone.dat",)
    assert found == bdelta.inspect_members(old, patch, threads=2)
    with pytest.raises(TypeError, match="patch: expected a path"):
        bdelta.inspect_members(None, b"patch")  # type: ignore[arg-type]
    bdelta.create(b"OLD", b"NEW", patch.with_name("file.patch"))
    with pytest.raises(bdelta.WrongSourceError):
        bdelta.inspect_members(old / "app", patch.with_name("file.patch"))
    with pytest.raises(bdelta.LimitError):
        bdelta.inspect_members(old, patch, output_limit_bytes=10)
    with pytest.raises(bdelta.Cancelled):
        bdelta.inspect_members(old, patch, progress=lambda now: False)


def test_the_treemap_adds_up_to_the_patch(trees: tuple[pathlib.Path, pathlib.Path]) -> None:
    found = bdelta.inspect_members(*trees)
    data = treemap(found)["data"][0]
    assert sum(data["values"]) == found.patch_bytes
    assert min(data["values"]) >= 0
    assert len(set(data["ids"])) == len(data["ids"])
    assert set(data["parents"]) <= {"", *data["ids"]}
    assert "&lt;b&gt;&amp;" in data["labels"]


def test_evidence(trees: tuple[pathlib.Path, pathlib.Path]) -> None:
    found = bdelta.inspect_members(*trees)
    part = of_patch(trees[1], trees[0])
    text = html.unescape(re.sub("<[^>]*>", "", part.html))
    assert "No level of zlib makes these bytes" in text  # other.zip
    assert "This patch unpacks nothing" in text  # a.zip
    assert "Only deflate is unpacked" in text  # p.xz
    titles = {finding.title: finding for finding in _evidence.findings(found, {"other.zip/entry": False})}
    assert titles["Compressed by an unknown encoder"].members == ["other.zip/entry"]
    assert titles["Packed otherwise than by deflate"].members == ["p.xz"]
    assert titles["Moved without a name in common"].members == ["come.dat"]
    assert "Times in headers" not in titles
    for finding in titles.values():
        assert 0 < finding.bytes <= found.patch_bytes


def test_times_in_headers(tmp_path: pathlib.Path) -> None:
    old = archive({"a": words(300, 1), "b": words(300, 2)})
    new = bytearray(old)
    for magic, place in ((b"PK\x03\x04", 10), (b"PK\x01\x02", 12)):
        for at in (found.start() for found in re.finditer(re.escape(magic), old)):
            new[at + place : at + place + 4] = b"\x21\x43\x65\x57"
    (tmp_path / "old").write_bytes(old)
    bdelta.create(tmp_path / "old", bytes(new), tmp_path / "patch")
    findings = _evidence.findings(bdelta.inspect_members(tmp_path / "old", tmp_path / "patch"), {})
    assert [finding.title for finding in findings] == ["Times in headers"]


def test_encoders(tmp_path: pathlib.Path) -> None:
    (tmp_path / "usual.zip").write_bytes(archive({"a": words(3_000, 1), "b": b"b"}))
    (tmp_path / "other.zip").write_bytes(packed_otherwise(words(3_000, 1)))
    (tmp_path / "none.zip").write_bytes(b"PK\x03\x04 is no archive")
    assert _evidence.encoders_of(tmp_path / "usual.zip") == {"a": True, "b": True}
    assert _evidence.encoders_of(tmp_path / "other.zip", "x/") == {"x/entry": False}
    assert _evidence.encoders_of(tmp_path / "none.zip") == {}


def manifest(*releases: int) -> dict[str, Any]:
    def file(release: str, size: int) -> dict[str, Any]:
        return {"name": "app", "release": release, "bytes": size}

    return {
        "manifest_schema": 1, "program": "bdelta-matrix", "releases": ["1", "2", "3"],
        "files": [{"platform": "linux", **file(str(at), 1000 * at)} for at in (1, 2, 3)],
        "patches": [
            {"platform": "linux", "source": file("1", 1000), "target": file("2", 2000), "ok": True, "full": False, "error": None,
             "patch": {"name": "p12", "bytes": 150}},
            {"platform": "linux", "source": file("2", 2000), "target": file("3", 3000), "ok": False, "full": False, "patch": None,
             "error": {"message": "OLD went <away>"}},
        ],
        "routes": [{"platform": "linux", "name": "app", "from": "1", "to": "2", "full": False, "bytes": 150, "patches": ["p12"]},
                   {"platform": "linux", "name": "app", "from": "2", "to": "3", "full": True, "bytes": 3000, "patches": []}],
    }


def test_shares() -> None:
    found = [share(count, 10_000_000) for count in (0, 1, 1_000, 4_000, 99_000, 100_000, 10_000_000)] + [share(1, 0)]
    assert found == ["0.0%", "under 0.01%", "0.01%", "0.04%", "0.99%", "1.0%", "100.0%", ""]


def test_sizes_over_releases(tmp_path: pathlib.Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(manifest()))
    part = of_manifest(tmp_path / "manifest.json")
    whole, update = part.plots[0]["data"]
    assert (whole["x"], whole["y"]) == (["2", "3"], [2000, 3000])
    assert update["y"] == [150, 3000]
    assert "OLD went &lt;away&gt;" in part.html
    assert "1 of 2" in part.html


def test_a_manifest_of_the_program(tmp_path: pathlib.Path) -> None:
    entries = [{"source": {"name": name, "bytes": 9}, "ok": True, "error": None, "patch": {"name": f"{name}.patch", "bytes": size}}
               for name, size in (("app-1", 40), ("app-2", 20))]
    told = {"manifest_schema": 1, "program": "bdelta", "target": {"name": "app-3", "bytes": 100}, "patches": entries}
    (tmp_path / "manifest.json").write_text(json.dumps(told))
    part = of_manifest(tmp_path / "manifest.json")
    assert part.plots[0]["data"][0]["y"] == [40, 20]
    assert "30.0%" in part.html  # 60 of two times 100


def test_bad_input(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], trees: tuple[pathlib.Path, pathlib.Path]) -> None:
    page = tmp_path / "page.html"
    (tmp_path / "other.json").write_text('{"manifest_schema": 2}')
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "empty.json").write_text('{"manifest_schema": 1}')
    for arguments, status, text in (
        ([str(tmp_path / "other.json")], 1, "manifest_schema 1"),
        ([str(tmp_path / "bad.json")], 1, "bad.json: expected a manifest in JSON"),
        ([str(tmp_path / "empty.json")], 1, "empty.json: has not what a manifest has: 'patches'"),
        ([str(trees[1]), "-o", str(tmp_path / "none" / "page.html")], 1, "none is no folder"),
        ([str(tmp_path / "absent.json")], 2, "absent.json"),
        ([str(tmp_path / "absent")], 2, "absent"),
        ([str(tmp_path / "other.json"), "--old", "a", "--old", "b"], 1, "--old: expected one, or 0"),
        ([str(trees[1]), "--old", str(trees[1].parent / "new")], 4, "new"),
    ):
        assert main(["-o", str(page), *arguments]) == status
        assert text in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "empty.json", "other.json"]
    page.write_text("mine")
    assert main([str(trees[1]), "-o", str(page)]) == 1
    assert page.read_text() == "mine"
    assert main([str(trees[1]), "-o", str(page), "--force"]) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_the_page_holds_all_that_it_needs(trees: tuple[pathlib.Path, pathlib.Path]) -> None:
    part = of_patch(trees[1], trees[0])
    page = page_of([part])
    assert page == page_of([of_patch(trees[1], trees[0])])
    assert len(page) < 2_500_000
    script = re.search('id="library">([^<]*)<', page)
    assert script
    assert b"plotly.js" in gzip.decompress(base64.b64decode(script[1]))[:200]
    rest = page.replace(script[1], "")
    assert not re.search(r"\b(src|href|srcset|action)\s*=|@import|url\(|fetch\(|https?:", rest)
    assert "default-src 'none'" in rest
    assert "alert(1)" not in rest.replace(html.escape("alert(1)"), "")
    assert "<b>&" not in rest
    assert json.loads(script_data({"a": "</script><!--"})) == {"a": "</script><!--"}
    assert "</" not in script_data("</script>")


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ASK = """<script>setTimeout(() => {
  const asked = performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !name.startsWith("blob:"));
  const plots = [...document.querySelectorAll(".plot")];
  const wide = document.documentElement.scrollWidth > innerWidth;
  document.title = JSON.stringify({asked, wide, drawn: plots.filter((plot) => plot.querySelector("svg")).length, plots: plots.length});
}, 4000)</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
@pytest.mark.parametrize("width", [1200, 500])
def test_a_browser_draws_it_and_asks_for_nothing(
    trees: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path, width: int
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(manifest()))
    page = page_of([of_patch(trees[1], trees[0]), of_manifest(tmp_path / "manifest.json")])
    (tmp_path / "page.html").write_text(page.replace("</body>", ASK + "</body>"))
    run = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900", "--virtual-time-budget=15000",
         f"--user-data-dir={tmp_path}/profile", "--dump-dom", (tmp_path / "page.html").as_uri()],
        capture_output=True, text=True, timeout=100,
    )
    title = re.search("<title>(.*?)</title>", run.stdout)
    assert title, run.stderr
    assert json.loads(html.unescape(title[1])) == {"asked": [], "wide": False, "drawn": 2, "plots": 2}
