"""Where results go: links, devices, pipes, the place of OLD itself, a NEW that is already right; names of any bytes."""
import os
import subprocess
import sys
import unittest

import support


class Places(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(7)

    def test_already_up_to_date(self):
        before = self.snapshot()
        for options in ([], ["--force"], ["--io=stdio"]):
            result = self.succeed(self.bpatch("old", "new", "patch", *options))
            self.assertIn(b"already up to date", result.stderr)
            self.assertEqual(self.snapshot(), before)
        report = self.report(support.BPATCH, "old", "new", "patch")
        self.assertTrue(report["up_to_date"])
        self.assertTrue(report["verified"])  # its digest was compared
        self.assertEqual(report["write_calls"], 0)
        self.assertEqual(self.snapshot(), before)

    def test_new_in_the_place_of_old(self):
        for ways in (["--io=mmap"], ["--io=stdio"], ["-t1"]):
            self.put("file", self.old)
            self.refuse_untouched(lambda: self.bpatch("file", "file", "patch"), 1, '"file"')
            names = self.listing()
            self.succeed(self.bpatch("file", "file", "patch", "--force", *ways))
            self.assertEqual(self.get("file"), self.new)
            self.assertEqual(self.listing(), names)
            again = self.succeed(self.bpatch("file", "file", "patch"))
            self.assertIn(b"already up to date", again.stderr)

    def test_new_is_a_hard_link_to_old(self):
        os.link(self.path("old"), self.path("link"))
        self.succeed(self.bpatch("old", "link", "patch", "-f"))
        self.assertEqual(self.get("link"), self.new)
        self.assertEqual(self.get("old"), self.old)  # the name was replaced, not the bytes behind both names

    def test_new_is_a_symbolic_link_to_old(self):
        os.symlink("old", self.path("link"))
        self.succeed(self.bpatch("old", "link", "patch", "-f"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.get("old"), self.new)

    def test_symbolic_links_stay(self):
        os.mkdir(self.path("elsewhere"))
        os.symlink("elsewhere/real", self.path("link"))
        self.succeed(self.bpatch("old", "link", "patch"))  # dangling: its target is made
        self.assertEqual(self.get("elsewhere/real"), self.new)
        self.put("elsewhere/real", b"x")
        self.refuse_untouched(lambda: self.bpatch("old", "link", "patch"), 1, '"link"')
        self.succeed(self.bpatch("old", "link", "patch", "-f"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.get("elsewhere/real"), self.new)
        os.symlink("circle", self.path("circle"))
        self.refuse(self.bpatch("old", "circle", "patch"), 2, '"circle"')

    def test_symbolic_link_for_the_patch(self):
        os.symlink("real", self.path("link"))
        self.succeed(self.bdelta("old", "new", "link"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.get("real"), self.get("patch"))

    def test_mode_of_outputs(self):
        self.put("made", b"x")
        os.chmod(self.path("made"), 0o751)
        self.succeed(self.bpatch("old", "made", "patch", "-f"))
        self.assertEqual(os.stat(self.path("made")).st_mode & 0o777, 0o751)
        self.succeed(self.bpatch("old", "fresh", "patch", umask=0o027))
        self.assertEqual(os.stat(self.path("fresh")).st_mode & 0o777, 0o640)

    def test_devices(self):
        for executable, arguments in ((support.BPATCH, ["old", "/dev/null", "patch"]), (support.BDELTA, ["old", "new", "/dev/null"])):
            before = self.snapshot()
            self.succeed(self.run_program(executable, *arguments))
            self.assertEqual(self.snapshot(), before)
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))

    def test_fifos(self):
        os.mkfifo(self.path("fifo"))
        for command, expected in (([support.BPATCH, "old", "fifo", "patch", "-q"], self.new),
                                  ([support.BDELTA, "old", "new", "fifo", "-q"], self.get("patch"))):
            writer = self.start(*command)
            self.assertEqual(subprocess.run(["cat", "fifo"], cwd=self.dir, capture_output=True, timeout=60).stdout, expected)
            self.assertEqual(writer.wait(60), 0)
        reader = self.start(support.BPATCH, "old", "made", "fifo", "-q")
        self.put("fifo", self.get("patch"))
        self.assertEqual(reader.wait(60), 0)
        self.assertEqual(self.get("made"), self.new)
        for command in ([support.BPATCH, "fifo", "x", "patch"], [support.BDELTA, "fifo", "new", "x"]):
            self.refuse_untouched(lambda: self.run_program(*command, timeout=20), 2, '"fifo"')

    def test_sizes_at_the_edge(self):
        contents = {"nothing": b"", "one": b"a", "other": b"b", "same": self.old}
        for name, content in contents.items():
            self.put(name, content)
        for old in contents:
            for new in contents:
                for format_name in ("bdt2", "bdt1"):
                    with self.subTest(old=old, new=new, format=format_name):
                        self.succeed(self.bdelta(old, new, "edge", "-f", "--no-sync", "--format", format_name))
                        self.succeed(self.bpatch(old, "edge-made", "edge", "-f", "--no-sync"))
                        self.assertEqual(self.get("edge-made"), contents[new])

    def test_the_same_file_twice_is_a_tiny_patch(self):
        self.succeed(self.bdelta("old", "old", "tiny"))
        self.assertLess(len(self.get("tiny")), 100)
        self.succeed(self.bpatch("old", "copy", "tiny"))
        self.assertEqual(self.get("copy"), self.old)


class Names(support.Case):
    names = [b"with space", b"new\nline", b"\x1b[31mred", b"caf\xc3\xa9", b"no utf \xff\xfe", b"[a,b]", b"a=b", b"%1", b"'q\"",
             b"./-", b"tab\there", b"{}"]

    @unittest.skipIf(sys.platform in ("darwin", "win32"), "file names are Unicode here")
    def test_names_of_any_bytes_work(self):
        old, new = support.make_pair(8, size=30_000)
        for name in self.names:
            with self.subTest(name=name):
                self.put(name + b".old", old)
                self.put(name + b".new", new)
                self.succeed(self.bdelta(name + b".old", name + b".new", name, "--no-sync"))
                self.succeed(self.bpatch(name + b".old", name + b".made", name, "--no-sync"))
                self.assertEqual(self.get(name + b".made"), new)
                self.assertEqual(self.run_program(support.BPATCH, "--info", name).returncode, 0)

    def test_names_that_look_like_options(self):
        old, new = support.make_pair(8, size=30_000)
        self.put("-o", old)
        self.put("--new", new)
        self.succeed(self.bdelta("--", "-o", "--new", "-p"))
        self.succeed(self.bpatch("--force", "--", "-o", "-m", "-p"))
        self.assertEqual(self.get("-m"), new)


if __name__ == "__main__":
    unittest.main()
