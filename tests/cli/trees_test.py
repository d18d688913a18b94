#!/usr/bin/env python3
"""Directories as OLD and NEW: what comes out, what is refused, and what stays as it was."""
import base64
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import tarfile
import unittest
import zipfile

from support import BDELTA, BPATCH, text_of
from tree_case import TreeCase, tree_of


class RoundTrips(TreeCase):
    def test_entries_of_every_kind(self):
        rng = random.Random(1)
        text = text_of(rng, 400)
        self.build(self.old, {"a/b/c.txt": text, "a/same": text[:999], "empty": b"", "gone": text, "tool": (b"#!", 0o755),
                              "was_file": text, "was_dir/x": b"1", "link": "a/same", "plain dir": None, "z": b"z" * 70_000})
        self.build(self.new, {"a/b/c.txt": text[:5000] + b"new" + text[5000:], "a/same": text[:999], "empty": b"", "moved": text,
                              "tool": (b"#!", 0o755), "was_file/x": b"1", "was_dir": text, "link": "a/b/c.txt",
                              "empty dir/inner": None, b"new\nline \xff": b"bytes", "private": (b"p", 0o600),
                              "big": rng.randbytes(300_000), "z": b"z" * 70_000, "up/link": "../a/same"})
        os.chmod(os.path.join(self.new, b"empty dir"), 0o555)
        self.addCleanup(lambda: [os.chmod(os.path.join(root, b"empty dir"), 0o755) for root in (self.new, self.made)])
        self.round_trip()
        tree = self.info()["tree"]
        self.assertEqual((3, 1, 6, 3), tuple(tree[name] for name in ("kept_files", "changed_files", "added_files", "removed_files")))

    def test_no_entries_at_all(self):
        for old, new in ((({}), {"a": b"1"}), ({"a": b"1"}, {}), ({}, {})):
            with self.subTest(old=old, new=new):
                self.build(self.old, old)
                self.build(self.new, new)
                self.round_trip()
                for name in (self.old, self.new, self.made):
                    shutil.rmtree(name)
                os.remove(self.path("patch"))

    def test_a_hundred_levels(self):
        deep = "/".join(["d"] * 100)
        self.build(self.old, {deep + "/file": b"one"})
        self.build(self.new, {deep + "/file": b"two", deep + "/more/file": b"one"})
        self.round_trip()

    def test_files_that_did_not_change_cost_next_to_nothing(self):
        rng = random.Random(2)
        files = {f"node_modules/p{i % 40}/lib/file{i}.js": rng.randbytes(700) for i in range(2000)}
        self.build(self.old, files)
        for name in list(files)[::100]:
            files[name] = files[name][:-1] + b"!"
        self.build(self.new, files)
        self.assertLess(self.round_trip(), 2500)  # twenty changed bytes, each in a file of its own
        tree = self.info()["tree"]
        self.assertEqual((1980, 20), (tree["kept_files"], tree["changed_files"]))
        self.assertLess(tree["made_bytes"], 20 * 700 + 2100 * 40)

    def test_archives_inside_are_unpacked(self):
        rng = random.Random(3)
        words = text_of(rng, 3000)
        for root, text in ((self.old, words), (self.new, words[:40_000] + b"!" + words[40_000:])):
            self.build(root, {"lib/readme": b"r"})
            with zipfile.ZipFile(os.fsdecode(os.path.join(root, b"lib/x.jar")), "w", zipfile.ZIP_DEFLATED) as jar:
                jar.writestr(zipfile.ZipInfo("inner.txt"), text, zipfile.ZIP_DEFLATED)
        self.assertLess(self.round_trip(), 700)
        self.assertTrue(self.info()["unpacked"])

    def test_tars_inside_cost_what_they_do_alone(self):
        """Their headers, and the list of a Python package in one; one begins where the other's blocks do not."""
        rng = random.Random(4)
        files = {f"p/f{i}": rng.randbytes(600) for i in range(300)}
        for root, time in ((self.old, 0), (self.new, 1)):
            for i in range(0, 300, 5):
                files[f"p/f{i}"] = files[f"p/f{i}"][:-1] + bytes([time])
            record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},600\n"
                             for name, data in files.items())
            self.build(root, {"b": b"b", "l": "b"})
            for name, listed in (("a.tar", True), ("c.tar", False)):
                with tarfile.open(os.fsdecode(os.path.join(root, os.fsencode(name))), "w") as tar:
                    for path, data in (files | ({"p-1.dist-info/RECORD": record.encode()} if listed else {})).items():
                        header = tarfile.TarInfo(path)
                        header.size, header.mtime = len(data), 1_700_000_000 + time * 12_345
                        tar.addfile(header, io.BytesIO(data))
        self.call(BDELTA, "old/a.tar", "new/a.tar", "patch")
        alone = os.path.getsize(self.path("patch"))
        os.remove(self.path("patch"))
        self.assertLess(self.round_trip(), alone + 150)

    def test_excluded_names_are_not_looked_at(self):
        self.build(self.old, {"a": b"1", "log/x.log": b"old log", "cache/x": b"c", ".bdelta/x": b"s"})
        self.build(self.new, {"a": b"2", "log/x.log": b"new log", "log/keep": b"k", "cache/x": b"d"})
        self.call(BDELTA, "--exclude", "*.log", "--exclude", "/cache", "old", "new", "patch")
        self.build(self.old, {"log/more.log": b"what the program wrote"})
        self.call(BPATCH, "old", "made", "patch")
        self.assertEqual({"a", "log", "log/keep"}, set(map(os.fsdecode, tree_of(self.made))))
        self.assertEqual(["*.log", "/cache"], self.info()["tree"]["exclude"])

    def test_times(self):
        self.build(self.old, {"a": b"1", "b": b"2"})
        self.build(self.new, {"a": b"1", "b": b"3", "c": b"4"})
        for number, name in enumerate((b"a", b"b", b"c")):
            os.utime(os.path.join(self.new, name), ns=(0, 1_000_000_007 * (number - 1)))
        self.round_trip("--times")
        for name in (b"a", b"b", b"c"):
            self.assertEqual(*(os.stat(os.path.join(root, name)).st_mtime_ns for root in (self.new, self.made)))

    def test_bytes_do_not_depend_on_threads(self):
        rng = random.Random(4)
        files = {f"f{i}": text_of(rng, 30) for i in range(50)}
        self.build(self.old, files)
        self.build(self.new, {name: text[:100] + text[101:] for name, text in files.items()})
        for threads in ("1", "2"):
            self.call(BDELTA, "--threads", threads, "old", "new", "patch" + threads)
        self.assertEqual(self.get("patch1"), self.get("patch2"))

    def test_a_scarce_memory(self):
        rng = random.Random(5)
        files = {f"f{i}": rng.randbytes(300_000) for i in range(200)}
        self.build(self.old, files)
        files["f7"] = files["f8"][:200_000] + files["f9"]
        self.build(self.new, files)
        self.call(BDELTA, "--memory", "64M", "old", "new", "patch")
        self.call(BPATCH, "old", "made", "patch")
        self.assertEqual(tree_of(self.new), tree_of(self.made))
        self.assertLess(os.path.getsize(self.path("patch")), 1000)

    def test_a_limit_that_many_names_leave_no_room_in(self):
        files = {f"d{i % 40}/{i:0200}": b"%d" % i for i in range(20_000)}
        self.build(self.old, files)
        del files[f"d7/{7:0200}"]
        files["d8/new"] = b"more"
        self.build(self.new, files)
        refused = self.call(BDELTA, "--memory", "8M", "old", "new", "patch", status=6)
        enough = re.search(r"--memory (\d+)M will do", refused)[1]
        self.assertGreater(int(enough), 8)
        self.call(BDELTA, "--memory", enough + "M", "old", "new", "patch")
        self.call(BPATCH, "old", "made", "patch")
        self.assertEqual(tree_of(self.new), tree_of(self.made))

    def test_a_directory_that_may_not_be_written(self):
        self.build(self.old, {"a": b"1"})
        self.build(self.new, {"a": b"2", "d/b": b"3"})
        os.chmod(os.path.join(self.new, b"d"), 0o555)
        os.chmod(self.new, 0o555)
        self.addCleanup(lambda: [os.chmod(os.path.join(root, name), 0o755) for root in (self.new, self.made) for name in (b"", b"d")])
        self.round_trip()
        self.assertEqual(0o555, stat.S_IMODE(os.stat(self.made).st_mode))

    def test_umask_takes_bits(self):
        self.build(self.old, {"a": b"1"})
        self.build(self.new, {"a": (b"1", 0o666), "d/b": (b"2", 0o777)})
        os.chmod(os.path.join(self.new, b"d"), 0o777)
        self.call(BDELTA, "old", "new", "patch")
        before = os.umask(0o027)
        try:
            self.call(BPATCH, "old", "made", "patch")
        finally:
            os.umask(before)
        self.assertEqual([0o640, 0o750, 0o750], [stat.S_IMODE(os.stat(os.path.join(self.made, name)).st_mode)
                                                  for name in (b"a", b"d", b"d/b")])


class Releases(TreeCase):
    def setUp(self):
        super().setUp()
        self.build(self.path("r/1"), {"a": b"1" * 3000, "b": b"2", "x.log": b"l"})
        self.build(self.path("r/2"), {"a": b"1" * 3000 + b"2", "b": b"2", "c/d": b"e"})
        self.build(self.new, {"a": b"1" * 3000 + b"3", "c/d": b"e", "y.log": b"l"})

    def release(self, *arguments, status=0):
        return self.call(BDELTA, "--to", "new", "--out", "out", *arguments, status=status)

    def test_a_patch_from_each_directory(self):
        self.assertIn("2 of 2 patches made", self.release("--exclude", "*.log", "r/1", "r/2/"))
        with open(self.path("out/manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual("directories", manifest["of"])
        os.remove(os.path.join(self.new, b"y.log"))
        for entry in manifest["patches"]:
            patch = "out/" + entry["patch"]["name"]
            self.call(BPATCH, "--sha256", entry["patch"]["sha256"], entry["source"]["name"], "made", patch)
            self.assertEqual(tree_of(self.new), tree_of(self.made))
            shutil.rmtree(self.made)
            info = json.loads(subprocess.run([BPATCH, "--json", "--info", patch], capture_output=True, cwd=self.dir, check=True).stdout)
            self.assertEqual([info["source_bytes"], info["source_xxh3_128"], info["target_bytes"], info["target_xxh3_128"]],
                             [entry["source"]["bytes"], entry["source"]["xxh3_128"], manifest["target"]["bytes"],
                              manifest["target"]["xxh3_128"]])

    def test_an_old_that_is_not_worth_a_patch(self):
        self.build(self.path("r/3"), {"q": b"nothing of it"})
        self.assertIn("not worth a patch", self.release("--max-ratio", "0.01", "r/3", status=7))
        with open(self.path("out/manifest.json"), encoding="utf-8") as file:
            source = json.load(file)["patches"][0]["source"]
        self.assertEqual(["r/3", 32], [source["name"], len(source["xxh3_128"])])

    def test_what_does_not_go_together(self):
        self.put("file", b"x")
        self.assertIn("--hash-files is for files", self.release("--hash-files", "sha256", "r/1", status=1))
        self.assertIn("is inside OLD", self.call(BDELTA, "--to", "new", "--out", "r/1/out", "r/1", status=1))
        self.assertIn("are for directories", self.call(BDELTA, "--to", "file", "--out", "out", "--times", "file", status=1))
        self.assertFalse(os.path.exists(self.path("out")))
        text = self.release("file", "r/1", status=2)
        self.assertIn('"file": a file was given where a directory is needed', text)
        self.assertIn("1 of 2 patches made", text)


class Signals(TreeCase):
    def test_what_is_unfinished_is_removed(self):
        self.build(self.old, {f"d{i % 50}/f{i}": b"x" * 20_000 for i in range(3000)})
        self.build(self.new, {f"d{i % 50}/f{i}": b"x" * 20_000 for i in range(3000)} | {"more": b"m"})
        self.call(BDELTA, "old", "new", "patch")
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start(BPATCH, "--no-sync", "--threads", "2", "old", "made", "patch")
            self.wait_for(lambda: any(b".bdelta-" in name for name in self.listing()) or process.poll() is not None)
            process.send_signal(number)
            process.wait(20)
            if process.returncode != 0:  # it may have been done before
                self.assertIn(process.returncode, (-number, 130))
                self.assertEqual([b"new", b"old", b"patch"], self.listing())
            shutil.rmtree(self.made, ignore_errors=True)


class Refusals(TreeCase):
    def setUp(self):
        super().setUp()
        self.build(self.old, {"a": b"1" * 3000, "b": b"2", "d/x": b"3"})
        self.build(self.new, {"a": b"1" * 2000 + b"2", "b": b"2", "d/x": b"4"})

    def refused(self, program, *arguments, status, says):
        before = self.snapshot(), tree_of(os.fsencode(self.dir))
        text = self.call(program, *arguments, status=status)
        for words in says:
            self.assertIn(words, text)
        self.assertEqual(before, (self.snapshot(), tree_of(os.fsencode(self.dir))))

    def test_kinds_that_do_not_go_together(self):
        self.put("file", b"x")
        for program in (BDELTA, BPATCH):
            self.refused(program, "old", "file", "patch", status=1, says=["OLD is a directory and NEW is a file", '"file"'])
        self.refused(BDELTA, "file", "new", "patch", status=1, says=["OLD is a file and NEW is a directory"])
        self.refused(BDELTA, "--times", "file", "file", "patch", status=1, says=["--exclude, --times and --old-list are for directories"])

    def test_places_inside_one_another(self):
        self.refused(BDELTA, "old", "new", "new/patch", status=1, says=["PATCH is inside NEW"])
        self.refused(BDELTA, "old", "old/d", "patch", status=1, says=["NEW is inside OLD"])
        self.refused(BDELTA, "old", "old", "patch", status=1, says=["OLD and NEW"])
        self.call(BDELTA, "old", "new", "patch")
        self.refused(BPATCH, "old", "old/made", "patch", status=1, says=["NEW is inside OLD"])

    def test_a_new_that_exists(self):
        self.call(BDELTA, "old", "new", "patch")
        self.build(self.made, {"mine": b"m"})
        self.refused(BPATCH, "--force", "old", "made", "patch", status=1, says=["exists already", "a directory is not replaced"])
        self.assertIn("already up to date", self.call(BPATCH, "old", "new", "patch"))

    def test_a_patch_of_the_other_kind(self):
        self.put("file", b"1" * 3000)
        self.put("file2", b"1" * 2000)
        self.call(BDELTA, "old", "new", "trees")
        self.call(BDELTA, "file", "file2", "files")
        self.refused(BPATCH, "file", "made", "trees", status=2, says=["a file was given where a directory is needed"])
        self.refused(BPATCH, "old", "made", "files", status=2, says=["a directory was given where a file is needed"])
        self.refused(BPATCH, "--check", "file", "trees", status=2, says=["from one directory to another"])

    def test_an_old_that_does_not_fit(self):
        self.call(BDELTA, "--old-list", "old", "new", "patch")
        self.call(BDELTA, "old", "new", "bare")
        self.build(self.old, {"added": b"x", "b": b"9"})
        os.remove(os.path.join(self.old, b"a"))
        self.refused(BPATCH, "--check", "old", "patch", status=4, says=['missing "a"', 'added "added"', 'changed "b"'])
        self.refused(BPATCH, "old", "made", "bare", status=4, says=["expected"])
        self.refused(BPATCH, "new", "made", "bare", status=4, says=["OLD already is NEW"])

    def test_what_no_patch_can_hold(self):
        os.mkfifo(os.path.join(self.new, b"a\nfifo"))
        self.refused(BDELTA, "old", "new", "patch", status=1, says=["a\\x0afifo", "leave it out with --exclude"])
        self.call(BDELTA, "--exclude", "*fifo", "old", "new", "patch")
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(os.path.join(self.old, b"s"))
            self.refused(BPATCH, "old", "made", "patch", status=1, says=["an entry that a patch cannot hold"])

    def test_links_that_lead_out(self):
        for target, leaves in (("/etc/passwd", True), ("../outside", True), ("d/../../outside", True), ("d/../a", True),
                               ("d/x", False), ("./a", False)):
            with self.subTest(target=target):
                link = os.path.join(self.new, b"link")
                os.symlink(target, link)
                self.call(BDELTA, "--force", "old", "new", "patch")
                if leaves:
                    self.refused(BPATCH, "old", "made", "patch", status=3, says=["leads out of the directory", "--outside-links"])
                    self.call(BPATCH, "--outside-links", "old", "made", "patch")
                else:
                    self.call(BPATCH, "old", "made", "patch")
                self.assertEqual(os.fsencode(target), os.readlink(os.path.join(self.made, b"link")))
                shutil.rmtree(self.made)
                os.remove(link)

    def test_a_link_that_old_has_too(self):
        for root in (self.old, self.new):
            os.symlink("/etc/passwd", os.path.join(root, b"link"))
        self.call(BDELTA, "old", "new", "patch")
        self.call(BPATCH, "old", "made", "patch")
        self.assertEqual(b"/etc/passwd", os.readlink(os.path.join(self.made, b"link")))

    def test_the_old_format(self):
        self.refused(BDELTA, "--format", "bdt1", "old", "new", "patch", status=1, says=["BDT version 1 holds one file"])

    def test_a_damaged_patch_leaves_nothing(self):
        self.call(BDELTA, "old", "new", "patch")
        whole = self.get("patch")
        for at in range(0, len(whole), 3):
            self.put("damaged", whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1:])
            result = subprocess.run([BPATCH, "old", "made", "damaged"], capture_output=True, cwd=self.dir, timeout=60, check=False)
            self.assertIn(result.returncode, (2, 3, 4, 5, 6), (at, result.stderr))
            self.assertEqual([b"damaged", b"new", b"old", b"patch"], self.listing(), at)


class Telling(TreeCase):
    def test_info(self):
        self.build(self.old, {"a": b"1", "b": b"2"})
        self.build(self.new, {"a": b"1", "b": b"3", "c": b"4"})
        self.call(BDELTA, "--exclude", "x\ny", "--times", "--old-list", "old", "new", "patch")
        text = subprocess.run([BPATCH, "--info", "patch"], capture_output=True, cwd=self.dir, check=True).stdout.decode()
        for line in ("of              directories", "entries         3", "1 kept, 1 changed, 1 added, 0 removed",
                     "passed over     x\\x0ay", "times           of files are held", "list of OLD     is held"):
            self.assertIn(line, text)
        self.assertEqual("directories", self.info()["of"])
        self.call(BPATCH, "--check", "patch")


if __name__ == "__main__":
    unittest.main()
