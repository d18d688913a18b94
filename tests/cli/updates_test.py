#!/usr/bin/env python3
"""Directories that are updated in their place: what is written, what is kept, what is refused, and how it is resumed."""
import fcntl
import json
import os
import shutil
import signal
import stat
import subprocess
import time
import unittest

from support import BDELTA, BPATCH, strace, text_of
from tree_case import TreeCase, tree_of


class Updates(TreeCase):
    def setUp(self):
        super().setUp()
        self.build(self.old, {"a": b"1" * 3000, "d/same": b"same", "d/x": b"3", "gone/deep/f": b"4", "empty": b""})
        self.build(self.new, {"a": b"1" * 2000 + b"2", "d/same": b"same", "d/x": b"33", "comes/deep/f": b"5", "empty": b""})
        self.call(BDELTA, "--old-list", "old", "new", "patch")
        self.dir_ = self.path("dir")

    def begin(self):
        shutil.rmtree(self.dir_, ignore_errors=True)
        shutil.copytree(self.old, self.dir_, symlinks=True)

    def update(self, *options, status=0):
        return self.call(BPATCH, *options, "dir", "dir", "patch", status=status)

    def refused(self, *options, status, says, program=BPATCH, arguments=("dir", "dir", "patch")):
        before = tree_of(self.dir_)
        text = self.call(program, *options, *arguments, status=status)
        for words in says:
            self.assertIn(words, text)
        self.assertEqual(before, tree_of(self.dir_))

    def pair(self, old, new, *options):
        for root, entries in ((self.old, old), (self.new, new)):
            shutil.rmtree(root)
            self.build(root, entries)
        self.call(BDELTA, "--force", *options, "old", "new", "patch")
        self.begin()

    def interrupt(self):
        """Killed once the first entry has gone; nothing where that can't be done."""
        tool = strace()
        if not tool:
            self.skipTest("strace is absent or cannot trace here")
        self.begin()
        subprocess.run([tool, "-f", "-o", os.devnull, "-e", "inject=renameat2:signal=KILL:when=2", BPATCH, "--no-sync", "dir", "dir",
                        "patch"], cwd=self.dir, capture_output=True, timeout=60, check=False)
        self.assertTrue(os.path.exists(os.path.join(self.dir_, b".bdelta/journal")))


class WhatIsWritten(Updates):
    def test_only_what_changed(self):
        self.begin()
        before = {name: os.stat(os.path.join(self.dir_, name)) for name in (b"d/same", b"empty", b"a")}
        self.assertIn("verified", self.update())
        self.assertEqual(tree_of(self.new), tree_of(self.dir_))
        for name in (b"d/same", b"empty"):
            after = os.stat(os.path.join(self.dir_, name))
            self.assertEqual((before[name].st_ino, before[name].st_mtime_ns, before[name].st_ctime_ns),
                             (after.st_ino, after.st_mtime_ns, after.st_ctime_ns))
        self.assertNotEqual(before[b"a"].st_ino, os.stat(os.path.join(self.dir_, b"a")).st_ino)
        self.assertIn("already up to date", self.update())

    def test_with_sync_and_through_a_link(self):
        self.begin()
        os.symlink("dir", self.path("link"))
        result = subprocess.run([BPATCH, "dir/", "link", "patch"], cwd=self.dir, capture_output=True, check=False)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(tree_of(self.new), tree_of(self.dir_))

    def test_kinds_that_change(self):
        self.pair({"file": b"1", "link": "file", "dir/x": b"2", "dir/y/z": b"3", "Readme.md": b"r", "ends/here": b"h"},
                  {"file/x": b"1", "link/x": b"2", "dir": "file/x", "README.md": b"r", "ends": b"h"})
        self.update()
        self.assertEqual(tree_of(self.new), tree_of(self.dir_))

    def test_all_goes_and_all_comes(self):
        for old, new in (({"a/b/c": b"1", "d": b"2"}, {}), ({}, {"a/b/c": b"1", "d": b"2", "e/f": None})):
            self.pair(old, new)
            self.update()
            self.assertEqual(tree_of(self.new), tree_of(self.dir_))

    def test_bits_of_files(self):
        self.pair({"a": (b"1", 0o644), "b": (b"2", 0o755), "c": (b"3", 0o644), "d": (b"4", 0o644)},
                  {"a": (b"1", 0o755), "b": (b"22", 0o644), "c": (b"33", 0o755), "e": (b"5", 0o600)})
        for name, mode in ((b"a", 0o640), (b"b", 0o711), (b"c", 0o600)):
            os.chmod(os.path.join(self.dir_, name), mode)
        self.update()
        bits = {name: stat.S_IMODE(os.stat(os.path.join(self.dir_, name.encode())).st_mode) for name in "abce"}
        self.assertEqual({"a": 0o750, "b": 0o600, "c": 0o700, "e": 0o600}, bits)

    def test_directories_that_may_not_be_written(self):
        self.pair({"d/f": b"1"}, {"d/f": b"2", "closed/f": b"3"})
        shutil.rmtree(self.new)
        self.build(self.new, {"d/f": b"2", "closed/f": b"3"})
        os.chmod(os.path.join(self.new, b"closed"), 0o555)
        self.addCleanup(lambda: [os.chmod(os.path.join(root, b"closed"), 0o755) for root in (self.new, self.dir_)])
        self.call(BDELTA, "--force", "old", "new", "patch")
        self.update()
        self.assertEqual(tree_of(self.new), tree_of(self.dir_))

    def test_a_hard_link_keeps_what_it_had(self):
        self.begin()
        os.link(os.path.join(self.dir_, b"a"), self.path("other"))
        self.update()
        self.assertEqual(b"1" * 3000, self.get("other"))

    def test_times(self):
        for number, name in enumerate((b"a", b"d/same")):
            os.utime(os.path.join(self.new, name), ns=(0, 10**18 + number))
        self.call(BDELTA, "--force", "--times", "old", "new", "patch")
        self.begin()
        kept = os.stat(os.path.join(self.dir_, b"d/same")).st_mtime_ns
        self.update()
        self.assertEqual([10**18, kept], [os.stat(os.path.join(self.dir_, name)).st_mtime_ns for name in (b"a", b"d/same")])

    def test_names_that_are_passed_over_stay(self):
        self.pair({"a": b"1", "log/old.log": b"l"}, {"a": b"2", "log/new.log": b"n"}, "--exclude", "*.log")
        self.build(self.dir_, {"log/mine.log": b"mine"})
        self.update()
        self.assertEqual({b"a": b"2", b"log/mine.log": b"mine", b"log/old.log": b"l"},
                         {name: entry[2] for name, entry in tree_of(self.dir_).items() if entry[0] == "file"})


class Refusals(Updates):
    def test_another_old(self):
        self.begin()
        self.build(self.dir_, {"more": b"m"})
        self.refused(status=4, says=['added "more"'])

    def test_a_damaged_patch(self):
        self.begin()
        patch = bytearray(self.get("patch"))
        patch[-8] ^= 1
        self.put("patch", bytes(patch))
        self.refused(status=3, says=["damaged"])

    def test_names_in_the_way(self):
        self.pair({"log/a": b"1"}, {"log": b"2"}, "--exclude", "*.log")
        self.build(self.dir_, {"log/mine.log": b"mine"})
        self.refused(status=3, says=["log/mine.log", "passed over", "move it away"])
        self.pair({"d/a": b"1"}, {"b": b"2"})
        self.build(self.dir_, {"d/.bdelta/x": b"mine"})
        self.refused(status=3, says=["d/.bdelta", "has not the directory that it is in"])

    def test_a_lock_of_another_process(self):
        self.begin()
        descriptor = os.open(self.dir_, os.O_RDONLY)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self.refused(status=2, says=['"dir"', "run again when it is done"])
        self.refused(status=2, says=['"dir"'], arguments=("--resume", "dir"))

    def test_a_patch_inside(self):
        self.begin()
        shutil.copy(self.path("patch"), os.path.join(self.dir_, b"patch"))
        self.refused(status=1, says=["PATCH is inside NEW"], arguments=("dir", "dir", "dir/patch"))

    def test_usage(self):
        self.begin()
        self.refused(status=1, says=["--dry-run takes OLD PATCH"], arguments=("--resume", "--dry-run", "dir"))
        self.refused(status=1, says=["--dry-run takes OLD PATCH"], arguments=("--dry-run", "patch"))
        self.put("file", b"x")
        self.refused(status=1, says=["--dry-run and --scratch of files need --in-place"], arguments=("--dry-run", "file", "patch"))


class Interruptions(Updates):
    def test_use_is_refused_until_it_is_resumed(self):
        self.interrupt()
        for program, arguments in ((BDELTA, ("dir", "new", "p")), (BDELTA, ("old", "dir", "p")), (BPATCH, ("--check", "dir", "patch")),
                                   (BPATCH, ("--dry-run", "dir", "patch")), (BPATCH, ("dir", "made", "patch"))):
            self.refused(status=2, says=["was interrupted", "bpatch --resume"], program=program, arguments=arguments)
        self.assertIn("its update was finished", self.call(BPATCH, "--resume", "dir"))
        self.assertEqual(tree_of(self.new), tree_of(self.dir_))
        self.assertIn("there was nothing to complete", self.call(BPATCH, "--resume", "dir"))

    def test_the_next_call_finishes_whatever_its_patch_is(self):
        self.interrupt()
        self.call(BDELTA, "new", "old", "back")
        self.call(BPATCH, "dir", "dir", "back")
        self.assertEqual(tree_of(self.old), tree_of(self.dir_))
        self.interrupt()
        self.put("broken", b"no patch")
        self.call(BPATCH, "dir", "dir", "broken", status=3)
        self.assertEqual(tree_of(self.new), tree_of(self.dir_))

    def test_what_stands_in_the_way_takes_it_back(self):
        self.interrupt()
        self.build(self.dir_, {"comes": b"somebody's"})
        text = self.call(BPATCH, "--resume", "dir", status=2)
        self.assertIn("something came to this place meanwhile", text)
        self.assertIn("the directory is as it was", text)
        os.remove(os.path.join(self.dir_, b"comes"))
        self.assertEqual(tree_of(self.old), tree_of(self.dir_))

    def test_json(self):
        for interrupted, what in ((False, "nothing"), (True, "finished")):
            if interrupted:
                self.interrupt()
            else:
                self.begin()
            result = subprocess.run([BPATCH, "--json", "--resume", "dir"], cwd=self.dir, capture_output=True, check=True)
            self.assertEqual({"ok": True, "target": "dir", "resumed": what},
                             {key: json.loads(result.stdout)[key] for key in ("ok", "target", "resumed")})

    def test_progress_counts_entries(self):
        self.interrupt()
        result = subprocess.run([BPATCH, "--progress=json", "--quiet", "--resume", "dir"], cwd=self.dir, capture_output=True, check=True)
        lines = [json.loads(line) for line in result.stderr.splitlines()]
        self.assertEqual({("progress", "bpatch", "finish", lines[0]["total_entries"])},
                         {(line["event"], line["program"], line["phase"], line["total_entries"]) for line in lines})
        self.assertEqual((0, 0), (lines[0]["share"], lines[0]["done_entries"]))
        self.assertEqual((1, lines[0]["total_entries"]), (lines[-1]["share"], lines[-1]["done_entries"]))
        self.assertGreater(lines[0]["total_entries"], 5)

    def test_signals_leave_the_directory_as_it_was(self):
        files = {f"d{i % 50}/f{i}": b"x" * 20_000 for i in range(2000)}
        self.pair(files, {name: content + b"y" for name, content in files.items()})
        before, after = tree_of(self.old), tree_of(self.new)
        for number in (signal.SIGTERM, signal.SIGINT):
            self.begin()
            process = self.start(BPATCH, "--no-sync", "dir", "dir", "patch")
            self.wait_for(lambda: os.path.exists(os.path.join(self.dir_, b".bdelta/new")) or process.poll() is not None)
            process.send_signal(number)
            process.wait(20)
            found = tree_of(self.dir_)
            if found not in (before, after):
                self.call(BPATCH, "--resume", "dir")
                self.assertIn(tree_of(self.dir_), (before, after))


class OthersAndStates(Updates):
    def test_others_stay(self):
        self.begin()
        self.build(self.dir_, {"mine": b"m", "d/mine": b"m", "gone/deep/mine": b"m", "my/own": b"m"})
        self.refused(status=4, says=['added "d/mine"', 'added "gone/deep/mine"'])
        self.update("--keep-others")
        expected = tree_of(self.new)
        found = tree_of(self.dir_)
        others = {name for name in found if name not in expected}
        self.assertEqual({b"mine", b"d/mine", b"gone", b"gone/deep", b"gone/deep/mine", b"my", b"my/own"}, others)
        self.assertEqual(expected, {name: entry for name, entry in found.items() if name in expected})

    def test_others_in_the_way(self):
        self.begin()
        self.build(self.dir_, {"comes": b"mine"})
        self.refused("--keep-others", status=3, says=['"dir/comes"', "passed over", "move it away"])
        self.pair({"d/a": b"1"}, {"d": b"2"}, "--old-list")
        self.build(self.dir_, {"d/mine": b"m"})
        self.refused("--keep-others", status=3, says=['"dir/d/mine"', "move it away"])

    def test_others_need_a_list(self):
        self.pair({"a": b"1"}, {"a": b"2"})
        self.refused("--keep-others", status=1, says=["told neither by the patch nor by a state", "a patch that has a list of OLD"])
        for options in (("--keep-state",), ("--keep-state", "--state", "state")):
            self.begin()
            self.call(BDELTA, "--force", "old", "new", "patch")
            self.update(*options)
            self.call(BDELTA, "--force", "new", "old", "patch")
            self.build(self.dir_, {"mine": b"m"})
            self.update("--keep-others", *options[1:])
            self.assertEqual({b"a": b"1", b"mine": b"m"}, {name: entry[2] for name, entry in tree_of(self.dir_).items()})

    def test_a_new_directory_with_others_in_old(self):
        self.begin()
        self.build(self.dir_, {"mine": b"m"})
        self.call(BPATCH, "--keep-others", "--keep-state", "dir", "made", "patch")
        self.assertTrue(os.path.exists(os.path.join(self.made, b".bdelta/state")))
        shutil.rmtree(os.path.join(self.made, b".bdelta"))
        self.assertEqual(tree_of(self.new), tree_of(self.made))

    def test_a_state_names_what_differs(self):
        self.pair({"a": b"1", "b": b"2"}, {"a": b"3", "b": b"2"})
        self.update("--keep-state")
        self.call(BDELTA, "--force", "new", "old", "patch")
        self.build(self.dir_, {"a": b"9", "c": b"c"})
        self.refused(status=4, says=['changed "a", added "c"'])

    def test_a_state_goes_with_an_update_that_keeps_none(self):
        self.begin()
        self.update("--keep-state")
        self.assertIn(b".bdelta/state", tree_of(self.dir_))
        self.call(BDELTA, "--force", "new", "old", "patch")
        self.update()
        self.assertEqual(tree_of(self.old), tree_of(self.dir_))

    def test_times_are_trusted(self):
        self.pair({"a": b"1", "b": b"2" * 100, "c": b"3"}, {"a": b"2", "b": b"2" * 100, "c": b"3"})
        kept = ("--trust-times", "--state", "state")
        self.call(BPATCH, "--keep-state", *kept[1:], "dir", "dir", "patch")
        self.call(BDELTA, "--force", "new", "old", "back")
        self.assertEqual({"a", "b", "c"}, self.read_files(*kept, "--check", "dir", "back"))  # all of them were too young
        time.sleep(2.1)
        self.assertIn("up to date", self.call(BPATCH, "--keep-state", *kept[1:], "dir", "dir", "patch"))
        self.assertEqual(set(), self.read_files(*kept, "--check", "dir", "back"))
        self.build(self.dir_, {"b": b"9" * 100})
        self.call(BPATCH, *kept, "--check", "dir", "back", status=4)

    def read_files(self, *arguments):
        tool = strace()
        if not tool:
            self.skipTest("strace is absent or cannot trace here")
        subprocess.run([tool, "-f", "-o", self.path("trace"), "-e", "openat", BPATCH, *arguments], cwd=self.dir, capture_output=True,
                       check=True)
        opened = {line.split('"')[1] for line in self.get("trace").decode().splitlines() if "O_NOFOLLOW" in line}
        return opened & {"a", "b", "c"}

    def test_a_damaged_state_is_none(self):
        self.begin()
        self.update("--keep-state", "--state", "state")
        self.call(BDELTA, "--force", "new", "old", "patch")
        state = bytearray(self.get("state"))
        state[len(state) // 2] ^= 1
        self.put("state", bytes(state))
        self.update("--trust-times", "--state", "state")
        self.assertEqual(tree_of(self.old), tree_of(self.dir_))

    def test_a_state_inside(self):
        self.begin()
        self.refused("--keep-state", "--state", "dir/state", status=1, says=["the state is inside NEW"])
        self.put("file", b"x")
        self.refused("--trust-times", status=1, says=["are for directories"], arguments=("file", "made", "patch"))


class DryRuns(Updates):
    def test_what_would_be_written(self):
        self.pair({"a": b"1", "moves": b"m" * 50, "goes": b"g", "same": b"s"}, {"a": b"22", "moved\n": b"m" * 50, "comes/x": b"c", "same": b"s"})
        before = tree_of(self.dir_)
        text = self.call(BPATCH, "--dry-run", "dir", "dir", "patch")
        self.assertEqual(["changed  a", "added    comes", "added    comes/x", "moved    moves -> moved\\x0a", "removed  goes",
                          'bpatch: "dir": 1 changed, 2 added, 1 moved, 1 removed, 53 bytes would be written; nothing was'],
                         text.splitlines())
        result = subprocess.run([BPATCH, "--json", "--dry-run", "dir", "patch"], cwd=self.dir, capture_output=True, check=True)
        self.assertEqual({"changed": [{"path": "a", "bytes": 2}], "added": [{"path": "comes", "bytes": 0}, {"path": "comes/x", "bytes": 1}],
                          "moved": [{"path": "moved\n", "from": "moves", "bytes": 50}], "removed": [{"path": "goes", "bytes": 1}],
                          "written_bytes": 53}, json.loads(result.stdout)["tree"])
        self.assertEqual(before, tree_of(self.dir_))


if __name__ == "__main__":
    unittest.main()
