"""Every bad input: one line that names the file, the documented exit status, and nothing changed on disk."""
import json
import os
import shutil
import subprocess
import sys
import unittest

import support

NOBODY = 65534


class Refusals(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(11)

    def test_wrong_old(self):
        self.put("wrong size", self.old + b"x")
        self.put("wrong bytes", self.old[:-1] + bytes([self.old[-1] ^ 1]))
        for wrong in ("wrong size", "wrong bytes"):
            for ways in (["--io=mmap"], ["--io=stdio"], ["--check"]):
                self.refuse_untouched(lambda: self.bpatch(wrong, "made", "patch", *ways), 4, wrong)
            piped = self.refuse(self.bpatch(wrong, "-", "patch"), 4)
            self.assertEqual(piped.stdout, b"")  # not a byte
            self.assertNotIn(b"made", self.listing())
            self.refuse_untouched(lambda: self.bpatch(wrong, wrong, "patch", "--force"), 4)

    def test_missing(self):
        self.refuse_untouched(lambda: self.bdelta("absent", "new", "p"), 2, '"absent"')
        self.refuse_untouched(lambda: self.bdelta("old", "absent", "p"), 2, '"absent"')
        self.refuse_untouched(lambda: self.bdelta("old", "new", "no/such/p"), 2, '"no/such/p"')
        self.refuse_untouched(lambda: self.bpatch("absent", "made", "patch"), 2, '"absent"')
        self.refuse_untouched(lambda: self.bpatch("old", "made", "absent"), 2, '"absent"')
        self.refuse_untouched(lambda: self.bpatch("old", "no/such/made", "patch"), 2, '"no/such/made"')
        self.refuse_untouched(lambda: self.bpatch("old/", "made", "patch"), 2, '"old/"')

    def test_directories(self):
        os.mkdir(self.path("folder"))
        for arguments in (["folder", "new", "p"], ["old", "folder", "p"]):
            self.refuse_untouched(lambda: self.bdelta(*arguments, "-f"), 1, "give two files or two directories")
        for arguments in (["old", "new", "folder"], ["old", "new", "p/"]):
            self.refuse_untouched(lambda: self.bdelta(*arguments, "-f"), 2)
        self.refuse_untouched(lambda: self.bpatch("old", "folder", "patch", "-f"), 1, "give two files or two directories")
        for arguments in (["folder", "made", "patch"], ["old", "made", "folder"]):
            self.refuse_untouched(lambda: self.bpatch(*arguments, "-f"), 2, '"folder"')

    def as_nobody(self, executable, *arguments):
        if not (hasattr(os, "geteuid") and os.geteuid() == 0):
            return self.run_program(executable, *arguments)
        return self.run_program(executable, *arguments, user=NOBODY, group=NOBODY, extra_groups=[])

    def test_permissions(self):
        os.chmod(self.path("."), 0o755)
        tools = self.dir  # the build directory may be closed to others
        for source in (support.BDELTA, support.BPATCH):
            shutil.copy(source, tools)
        bdelta, bpatch = (os.path.join(tools, os.path.basename(p)) for p in (support.BDELTA, support.BPATCH))
        try:
            self.assertEqual(self.as_nobody(bdelta, "--version").returncode, 0)
        except (OSError, subprocess.SubprocessError) as reason:
            self.skipTest(f"privileges cannot be dropped here: {reason}")
        self.put("secret", self.old)
        os.chmod(self.path("secret"), 0)
        os.mkdir(self.path("closed"), 0o555)
        self.addCleanup(os.chmod, self.path("closed"), 0o755)
        for executable, arguments, name in ((bdelta, ["secret", "new", "closed/p"], "secret"),
                                            (bdelta, ["old", "secret", "closed/p"], "secret"),
                                            (bdelta, ["old", "new", "closed/p"], "closed/p"),
                                            (bpatch, ["secret", "closed/n", "patch"], "secret"),
                                            (bpatch, ["old", "closed/n", "secret"], "secret"),
                                            (bpatch, ["old", "closed/n", "patch"], "closed/n")):
            self.refuse_untouched(lambda: self.as_nobody(executable, *arguments), 2, f'"{name}"')

    def test_the_same_file_twice(self):
        os.link(self.path("old"), self.path("link"))
        os.symlink("new", self.path("symlink"))
        for place in ("old", "new", "link", "symlink", "./old"):
            self.refuse_untouched(lambda: self.bdelta("old", "new", place, "--force"), 1, f'"{place}"')
        self.refuse_untouched(lambda: self.bpatch("old", "patch", "patch", "--force"), 1, '"patch"')

    def test_foreign_patches(self):
        foreign = {"bsdiff": b"BSDIFF40" + bytes(24), "vcdiff": b"\xd6\xc3\xc4\x00" + bytes(20),
                   "text": b"hello, world\n", "BDT3": b"BDT\x03\x00" + bytes(50), "zeros": bytes(100),
                   "elf": b"\x7fELF" + bytes(100)}
        for name, content in foreign.items():
            self.put(name, content)
            self.refuse_untouched(lambda: self.bpatch("old", "made", name), 3, f'"{name}"')
            self.refuse_untouched(lambda: self.bpatch("--check", "old", name), 3, f'"{name}"')
        self.refuse_untouched(lambda: self.bpatch("old", "made", "BDT3"), 3, "version 3")

    def test_truncated_patches(self):
        patch = self.get("patch")
        for length in [*range(0, 70), len(patch) // 2, len(patch) - 1]:
            self.put("short", patch[:length])
            self.refuse_untouched(lambda: self.bpatch("old", "made", "short"), 3, '"short"')
        self.put("empty", b"")
        self.refuse_untouched(lambda: self.bpatch("old", "made", "empty"), 3, '"empty"', "empty")

    def test_bytes_after_the_end(self):
        self.put("long", self.get("patch") + b"\0")
        self.refuse_untouched(lambda: self.bpatch("old", "made", "long"), 3, '"long"')

    def test_altered_patches(self):
        patch = self.get("patch")
        step = max(1, len(patch) // 60)
        for position in [*range(0, 60), *range(60, len(patch), step)]:
            self.put("bad", patch[:position] + bytes([patch[position] ^ 0x10]) + patch[position + 1:])
            before = self.snapshot()
            result = self.bpatch("old", "made", "bad")
            if result.returncode == 0 and position >= 60:
                # Codecs leave some bits without meaning; then the result is whole.
                self.assertEqual(self.get("made"), self.get("new"), position)
                os.unlink(self.path("made"))
                continue
            self.assertIn(result.returncode, (3, 4, 5, 6), f"{position}: {result.stderr}")
            self.refuse(result, result.returncode, '"bad"' if result.returncode in (3, 5) else "")
            self.assertEqual(self.snapshot(), before, position)

    def test_hostile_patches_of_version_1(self):
        def bdt1(old, new, *matches, literals=b"", count=None):
            head = b"BDT\x01\x00\x04" + old.to_bytes(4, "little") + new.to_bytes(4, "little")
            head += (len(matches) if count is None else count).to_bytes(4, "little")
            return head + b"".join(v.to_bytes(4, "little") for m in matches for v in m) + literals

        size = len(self.old)
        self.put("count", bdt1(size, 10, count=0xffffffff))
        self.refuse_untouched(lambda: self.bpatch("old", "made", "count"), 6, "4294967295")
        hostile = {"sum": bdt1(size, 10, (0, 0, 100)),
                   "outside": bdt1(size, 10, (0xfffffff0, 0, 10)), "end": bdt1(size, 10, (size - 4, 0, 10)),
                   "short": bdt1(size, 10, literals=b"123"), "trailing": bdt1(size, 1, literals=b"123")}
        for name, content in hostile.items():
            self.put(name, content)
            self.refuse_untouched(lambda: self.bpatch("old", "made", name), 3, f'"{name}"')
        self.put("wrong", bdt1(size + 1, 1, literals=b"1"))
        self.refuse_untouched(lambda: self.bpatch("old", "made", "wrong"), 4, '"old"')

    def test_usage(self):
        for executable in (support.BDELTA, support.BPATCH):
            for arguments in ([], ["old"], ["old", "new"], ["old", "new", "p", "q"], ["old", "new", "p", "--bogus"],
                              ["old", "new", "p", "--threads=x"], ["old", "new", "p", "--threads=-1"],
                              ["old", "new", "p", "--io=fast"], ["old", "new", "p", "--memory"],
                              ["old", "new", ""],
                              ["old", "new", "p", "odd\nname"], ["old", "new", "p", "--memory=1\n2"]):
                self.refuse_untouched(lambda: self.run_program(executable, *arguments), 1, "--help")
        for arguments in (["old", "new", "p", "-1", "-6"], ["old", "new", "p", "--mode=755"],
                          ["old", "new", "p", "--format=vcdiff"], ["old", "new", "p", "--check"], ["old", "new", "p", "-0"]):
            self.refuse_untouched(lambda: self.bdelta(*arguments), 1, "--help")
        for arguments in (["-", "new", "p"], ["old", "new", "p", "-6"], ["old", "new", "p", "--no-verify"], ["--check"],
                          *(["old", "new", "p", f"--mode={mode}"] for mode in ("", "8", "1777", "0x1", "-1", "u=rw"))):
            self.refuse_untouched(lambda: self.bpatch(*arguments), 1, "--help")

    @unittest.skipIf(sys.platform in ("darwin", "win32"), "file names are Unicode here")
    def test_names_in_messages_are_escaped(self):
        for name in (b"a\nb", b"a\x1b[2Jb", b"a\rb", b"a\x7fb", b"a\xc2\x9bb", b"a\x9b2Jb", b"a\xff\xfeb"):
            self.put(name, b"not a patch")
            for arguments in (["old", "made", name], ["old", "made", name + b"!"], [name + b"!", "made", "patch"],
                              ["old", name, "patch"], ["old", name, name], [name, "made", "patch"]):
                before = self.snapshot()
                result = self.bpatch(*arguments)
                self.refuse(result, result.returncode, "\\x")
                self.assertFalse(set(result.stderr[:-1]) & (set(range(32)) | {127}), result.stderr)
                result.stderr.decode("utf-8")
                self.assertEqual(self.snapshot(), before)
            result = self.refuse(self.bdelta(name, "new", name, "-f"), 1, "\\x")

    def test_usage_as_json(self):
        for call, arguments in ((self.bdelta, ["--json"]), (self.bdelta, ["--json", "--foo", "old", "new", "p"]),
                                (self.bdelta, ["-1", "-2", "old", "new", "p", "--json"]), (self.bpatch, ["--json", "--check"])):
            result = self.refuse(call(*arguments), 1)
            self.assertEqual(json.loads(result.stdout)["error"]["code"], 100)

    def test_answers_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for arguments in (["--info", "patch"], ["--json", "--info", "patch"], ["--version"], ["--help"],
                          ["old", "made", "patch", "--json", "-f"]):
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.bpatch(*arguments, stdout=full).returncode, 2, arguments)

    def test_errors_as_json(self):
        self.put("bad", b"x")
        result = self.bpatch("old", "made", "bad", "--json")
        self.refuse(result, 3)
        error = json.loads(result.stdout)
        self.assertEqual((error["schema"], error["ok"], error["error"]["name"]), (1, False, "NotAPatch"))
        self.assertEqual((error["error"]["code"], error["error"]["exit"]), (300, 3))


if __name__ == "__main__":
    unittest.main()
