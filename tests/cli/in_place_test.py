#!/usr/bin/env python3
"""bpatch --in-place and --resume: what is written, what is told, what is refused."""
import fcntl
import json
import os
import subprocess
import unittest

import support
from support import BPATCH, Case

JOURNAL = ".old.bdelta-journal"


class InPlace(Case):
    def setUp(self):
        super().setUp()
        self.new = bytearray(os.urandom(300_000))
        self.put("old", self.new)
        self.before = bytes(self.new)
        self.new[100_000] ^= 1
        self.new += b"more"
        self.put("new", self.new)
        self.succeed(self.bdelta("old", "new", "patch", "--no-sync"))

    def update(self, *options, **how):
        return self.bpatch("--in-place", "old", "patch", "--no-sync", *options, **how)

    def interrupt(self, name="old", *options):
        """A run that is killed when it writes to the file: at its second write behind the journal's commit."""
        tool = support.strace()
        if not tool:
            self.skipTest("strace is absent or cannot trace here")
        for nth in range(1, 50):
            self.put(name, self.before)
            subprocess.run([tool, "-f", "-o", os.devnull, "-e", "trace=pwrite64", "-e", f"inject=pwrite64:signal=KILL:when={nth}",
                            BPATCH, "-t1", "--in-place", name, "patch", *options], cwd=self.dir, capture_output=True, check=False)
            if self.get(name) not in (self.before, bytes(self.new)):
                return
        self.fail("never killed between the writes")

    def test_writes_what_differs(self):
        inode = os.stat(self.path("old")).st_ino
        result = self.succeed(self.update())
        self.assertRegex(result.stderr, rb'^bpatch: "old": 293\.0 KiB, 5\.0 KiB written in place, \d+\.\d\d s, verified\n$')
        self.assertEqual(self.get("old"), bytes(self.new))
        self.assertEqual(os.stat(self.path("old")).st_ino, inode)
        self.assertEqual(self.listing(), [b"new", b"old", b"patch"])
        again = self.succeed(self.update())
        self.assertEqual(again.stderr, b'bpatch: "old" is already up to date, nothing was written\n')

    def test_json(self):
        told = self.report(BPATCH, "--in-place", "old", "patch", "--dry-run")
        self.assertTrue(told["dry_run"])
        self.assertEqual(self.get("old"), self.before)
        written = json.loads(self.succeed(self.update("--json")).stdout)
        self.assertFalse(written["dry_run"])
        for key in ("written_bytes", "journal_bytes", "target_bytes", "source_xxh3_128", "target_xxh3_128"):
            self.assertEqual(told[key], written[key])
        last = 300_004 % 4096
        self.assertEqual(written["written_bytes"], 4096 + last)
        self.assertLessEqual(written["journal_bytes"], written["written_bytes"] * 1.02 + 65_536)
        resumed = self.report(BPATCH, "--resume", "old")
        self.assertTrue(resumed["up_to_date"])
        self.assertEqual(resumed["written_bytes"], 0)

    def test_dry_run_tells_what_would_be_written(self):
        result = self.bpatch("--in-place", "old", "patch", "--dry-run")
        self.assertEqual(self.succeed(result).stderr,
                         b'bpatch: "old": 5.0 KiB would be written in place, by way of a journal of 5.0 KiB\n')
        self.assertEqual(self.get("old"), self.before)

    def test_scratch(self):
        self.refuse_untouched(lambda: self.update("--scratch", "1K"), 6, "the journal would be larger than the limit",
                              "its journal would take 5168 bytes, the limit is 1024", "allow more with --scratch 6K")
        self.succeed(self.update("--scratch", "6K"))
        self.assertEqual(self.get("old"), bytes(self.new))

    def test_patch_from_standard_input_and_digests(self):
        with open(self.path("patch"), "rb") as patch:
            self.succeed(self.bpatch("--in-place", "old", "-", "--no-sync", stdin=patch))
        self.assertEqual(self.get("old"), bytes(self.new))
        self.put("old", self.before)
        self.refuse_untouched(lambda: self.update("--sha256", "0" * 64), 3, "the patch is not the one that was expected")

    def test_wrong_old_and_damaged_patch(self):
        self.put("old", self.before[:-1] + b"x")
        self.refuse_untouched(self.update, 4, '"old"', "expected digest")
        self.put("old", self.before[:-1])
        self.refuse_untouched(self.update, 4, "expected 300000 bytes, found 299999")
        self.put("old", self.before)
        patch = bytearray(self.get("patch"))
        patch[-10] ^= 1
        self.put("patch", patch)
        self.refuse_untouched(self.update, 3, '"patch"')

    def test_usage(self):
        for words, mention in (
                (["--in-place", "old"], "--in-place expects FILE PATCH"),
                (["--in-place", "old", "new", "patch"], "--in-place expects FILE PATCH"),
                (["--resume", "old", "patch"], "--resume expects one FILE"),
                (["--resume"], "--resume expects one FILE"),
                (["--in-place", "--check", "old", "patch"], "exclude each other"),
                (["--scratch", "1M", "old", "made", "patch"], "need --in-place"),
                (["--dry-run", "old", "made", "patch"], "need --in-place"),
                (["--journal", "j", "old", "made", "patch"], "--journal needs --in-place or --resume"),
                (["--in-place", "--mode", "644", "old", "patch"], "FILE keeps its permissions"),
                (["--in-place", "-", "patch"], "- can't stand for this file"),
                (["--in-place", "old", "old"], "two arguments name the same file")):
            self.refuse_untouched(lambda words=words: self.bpatch(*words), 1, mention)
        self.refuse_untouched(lambda: self.bpatch("--in-place", "patch", "old"), 3, "the order is FILE PATCH")
        self.refuse_untouched(lambda: self.bpatch("--in-place", "old", "new"), 3, "was the order FILE PATCH kept?")
        self.refuse_untouched(lambda: self.bpatch("--in-place", ".", "patch"), 2, "a directory was given")
        self.refuse_untouched(lambda: self.bpatch("--in-place", "/dev/null", "patch"), 2, "neither a file nor a block device")
        self.refuse_untouched(lambda: self.bpatch("--resume", "none"), 2, "the file does not exist")

    def test_an_interrupted_update_is_resumed(self):
        self.interrupt()
        self.assertIn(os.fsencode(JOURNAL), self.listing())
        self.succeed(self.bdelta("new", "new", "p", "--no-sync"))
        resume = 'complete it with bpatch --resume "old"'
        self.refuse_untouched(lambda: self.bpatch("old", "made", "patch"), 2, "has to be completed first", resume)
        self.refuse_untouched(lambda: self.bpatch("new", "old", "p", "-f"), 2, resume)
        self.refuse_untouched(lambda: self.bpatch("--check", "old", "patch"), 2, resume)
        self.refuse_untouched(lambda: self.bdelta("old", "new", "q"), 2, resume)
        self.refuse_untouched(lambda: self.bdelta("new", "old", "q"), 2, resume)
        self.refuse_untouched(lambda: self.update("--dry-run"), 2, resume)
        told = self.bpatch("--json", "old", "made", "patch")
        self.assertEqual(json.loads(told.stdout)["error"]["name"], "Unfinished")
        result = self.succeed(self.bpatch("--resume", "old"))
        self.assertEqual(result.stderr, b'bpatch: "old" is complete: 5.0 KiB written\n')
        self.assertEqual(self.get("old"), bytes(self.new))
        self.assertNotIn(os.fsencode(JOURNAL), self.listing())
        self.assertEqual(self.succeed(self.bpatch("--resume", "old")).stderr,
                         b'bpatch: "old" is not unfinished, nothing was written\n')

    def test_another_patch_completes_first(self):
        self.interrupt()
        self.put("next", bytes(self.new) + b"and more")
        self.succeed(self.bdelta("new", "next", "second", "--no-sync"))
        self.succeed(self.bpatch("--in-place", "old", "second"))
        self.assertEqual(self.get("old"), bytes(self.new) + b"and more")

    def test_a_journal_elsewhere(self):
        self.interrupt("old", "--journal", "elsewhere")
        self.assertIn(b"elsewhere", self.listing())
        self.succeed(self.bpatch("--resume", "old", "--journal", "elsewhere"))
        self.assertEqual(self.get("old"), bytes(self.new))
        self.put("letter", b"Dear reader")
        self.refuse_untouched(lambda: self.update("--journal", "letter"), 2, '"letter"', "does not begin as a journal")

    def test_a_journal_of_another_file_is_refused(self):
        self.interrupt()
        self.put("old", b"something else")
        self.refuse_untouched(lambda: self.bpatch("--resume", "old"), 2, JOURNAL, "it belongs to another file")

    def test_a_second_process_is_kept_out(self):
        with open(self.path("old"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refuse_untouched(self.update, 2, "another process or the system has it in use")
        self.succeed(self.update())

    def test_journals_in_memory_are_refused(self):
        if not os.path.ismount("/dev/shm"):
            self.skipTest("no file system in memory here")
        if os.stat(self.dir).st_dev == os.stat("/dev/shm").st_dev:
            self.skipTest("temporary files are in memory")
        self.refuse_untouched(lambda: self.update("--journal", "/dev/shm/bdelta-test-journal"), 1, "that place is in memory")
        self.assertFalse(os.path.exists("/dev/shm/bdelta-test-journal"))

    def test_signals_leave_nothing_behind_before_the_commit(self):
        self.put("new", os.urandom(1_000_000))
        self.succeed(self.bdelta("old", "new", "patch", "-f", "--no-sync"))
        os.mkfifo(self.path("fifo"))
        process = self.start(BPATCH, "--in-place", "old", "fifo")
        writer = os.open(self.path("fifo"), os.O_WRONLY)
        try:
            os.write(writer, self.get("patch")[:600_000])
            self.wait_for(lambda: os.fsencode(JOURNAL) in self.listing())
            process.terminate()
            _, said = process.communicate(timeout=support.TIMEOUT)
        finally:
            os.close(writer)
        self.assertEqual(process.returncode, -15)
        self.assertIn(b"nothing was left behind", said)
        self.assertEqual(self.get("old"), self.before)
        self.assertNotIn(os.fsencode(JOURNAL), self.listing())


if __name__ == "__main__":
    unittest.main()
