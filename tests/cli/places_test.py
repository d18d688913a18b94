"""Where results go: links, devices, pipes, the place of OLD itself, a NEW that is already right; names of any bytes."""
import contextlib
import os
import struct
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
        self.assertEqual(report["patch_bytes"], len(self.get("patch")))
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
        self.refuse(self.bpatch("old", "link", "patch"), 1, '"link"')  # leads nowhere: who put it there, may ask too much
        self.assertFalse(os.path.exists(self.path("elsewhere/real")))
        self.succeed(self.bpatch("old", "link", "patch", "-f"))
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
        self.refuse(self.bdelta("old", "new", "link"), 1, '"link"')
        self.succeed(self.bdelta("old", "new", "link", "-f"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.get("real"), self.get("patch"))

    def test_links_to_pipes_are_written_through(self):
        """What /dev/stdout leads to may have no name of its own."""
        if not os.path.exists("/dev/fd"):
            self.skipTest("there is no /dev/fd")
        for name in ("/dev/stdout", "/dev/fd/1"):
            self.assertEqual(self.succeed(self.bpatch("old", name, "patch")).stdout, self.new)
        self.assertEqual(self.succeed(self.bdelta("old", "new", "/dev/stdout", "-q")).stdout, self.get("patch"))

    def test_a_file_that_tells_no_size_is_refused(self):
        if not os.path.exists("/proc/version") or os.path.getsize("/proc/version"):
            self.skipTest("there is no such file")
        for ways in ([], ["--io=stdio"]):
            self.refuse(self.bdelta("old", "/proc/version", "p", *ways), 2, "/proc/version")
            self.refuse(self.bdelta("/proc/version", "new", "p", *ways), 2, "/proc/version")
        self.assertFalse(os.path.exists(self.path("p")))

    def test_mode_of_outputs(self):
        self.put("made", b"x")
        os.chmod(self.path("made"), 0o751)
        self.succeed(self.bpatch("old", "made", "patch", "-f"))
        self.assertEqual(os.stat(self.path("made")).st_mode & 0o777, 0o751)
        for mask, old_mode, mode in ((0o022, 0o755, 0o755), (0o027, 0o755, 0o750), (0o027, 0o644, 0o640),
                                     (0o077, 0o664, 0o600), (0, 0o666, 0o666), (0o022, 0o6755, 0o755), (0, 0o1540, 0o540)):
            os.chmod(self.path("old"), old_mode)
            for made, expected in (("fresh", mode), ("fresh-patch", 0o666 & ~mask)):
                paths, run = ((made, "patch"), self.bpatch) if made == "fresh" else (("new", made), self.bdelta)
                self.succeed(run("old", *paths, umask=mask))
                self.assertEqual(os.stat(self.path(made)).st_mode & 0o7777, expected)
                os.unlink(self.path(made))

    def test_mode_that_is_set(self):
        for name in ("fresh", "made"):
            for mode in ("755", "604", "0"):
                self.put("made", b"x")
                os.chmod(self.path("made"), 0o4751)
                self.succeed(self.bpatch("old", name, "patch", "-f", f"--mode={mode}", "--trace=t", umask=0o077))
                self.assertEqual(os.stat(self.path(name)).st_mode & 0o7777, int(mode, 8))
                self.assertEqual(os.stat(self.path("t")).st_mode & 0o7777, 0o600)  # not of the trace
                os.unlink(self.path(name))

    def test_owner_of_outputs(self):
        if os.geteuid() != 0:
            self.skipTest("only root may give files away")
        for mode, caller, expected in ((0o4750, 0, (0o4750, 1234, 5678)), (0o6754, 4321, (0o744, 4321, 4321))):
            with self.subTest(caller=caller):
                os.chmod(self.dir, 0o777)
                self.put("made", b"x")
                os.chown(self.path("made"), 1234, 5678)
                os.chmod(self.path("made"), mode)
                become = {"user": caller, "group": caller, "extra_groups": []} if caller else {}
                self.succeed(self.bpatch("old", "made", "patch", "-f", **become))
                info = os.stat(self.path("made"))
                self.assertEqual((info.st_mode & 0o7777, info.st_uid, info.st_gid), expected)
                self.assertEqual(self.get("made"), self.new)

    def test_access_lists_of_outputs(self):
        """Linux: the list of the file that is replaced, and no other; of the directory's for a new file, as by cp."""
        def acl(named_user_rights, mask):
            entries = ((1, 6, -1), (2, named_user_rights, 1234), (4, 0, -1), (0x10, mask, -1), (0x20, 0, -1))
            return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)

        name = "system.posix_acl_access"
        self.put("made", b"x")
        try:
            os.setxattr(self.path("made"), name, acl(4, 4))
        except (AttributeError, OSError):
            self.skipTest("no access lists here")
        mode = os.stat(self.path("made")).st_mode
        self.succeed(self.bpatch("old", "made", "patch", "-f"))
        self.assertEqual(os.getxattr(self.path("made"), name), acl(4, 4))
        self.assertEqual(os.stat(self.path("made")).st_mode, mode)
        self.put("plain", b"x")
        os.chmod(self.path("plain"), 0o640)
        os.setxattr(self.dir, "system.posix_acl_default", acl(6, 6))
        self.succeed(self.bpatch("old", "plain", "patch", "-f"))
        self.assertNotIn(name, os.listxattr(self.path("plain")))
        self.assertEqual(os.stat(self.path("plain")).st_mode & 0o777, 0o640)
        subprocess.run(["cp", "old", "usual"], cwd=self.dir, check=True)
        self.succeed(self.bpatch("old", "fresh", "patch"))
        self.assertEqual(os.getxattr(self.path("fresh"), name), os.getxattr(self.path("usual"), name))
        self.assertEqual(os.stat(self.path("fresh")).st_mode, os.stat(self.path("usual")).st_mode)

    def test_holes_stay_holes(self):
        def put_sparse(name, *places):
            with open(self.path(name), "wb") as file:
                for pos, content in places:
                    file.seek(pos)
                    file.write(content)
                file.truncate(64 << 20)

        put_sparse("sparse", (0, self.old), (30 << 20, self.old))
        if os.stat(self.path("sparse")).st_blocks * 512 >= 64 << 20:
            self.skipTest("no holes in files here")
        put_sparse("sparser", (0, self.new), (50 << 20, self.old))
        self.succeed(self.bdelta("sparse", "sparser", "p"))
        for ways in (["--io=mmap"], ["--io=stdio", "-t1"], ["--temp-dir=."]):
            self.succeed(self.bpatch("sparse", "made", "p", "-f", *ways))
            self.assertLess(os.stat(self.path("made")).st_blocks * 512, 2 << 20)
            self.assertEqual(self.get("made"), self.get("sparser"))
            os.unlink(self.path("made"))
        piped = self.succeed(self.bpatch("sparse", "-", "p"))
        self.assertEqual(piped.stdout, self.get("sparser"))

    def test_times_are_those_of_writing(self):
        self.put("made", b"x")
        os.utime(self.path("made"), (1e9, 1e9))
        os.utime(self.path("old"), (1e9, 1e9))
        self.succeed(self.bpatch("old", "made", "patch", "-f"))
        self.assertGreater(os.stat(self.path("made")).st_mtime, 1.1e9)

    def test_devices(self):
        for executable, arguments in ((support.BPATCH, ["old", "/dev/null", "patch"]),
                                      (support.BDELTA, ["old", "new", "/dev/null"])):
            before = self.snapshot()
            self.succeed(self.run_program(executable, *arguments))
            self.assertEqual(self.snapshot(), before)
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))

    def test_fifos(self):
        os.mkfifo(self.path("fifo"))
        for command, expected in (([support.BPATCH, "old", "fifo", "patch", "-q"], self.new),
                                  ([support.BDELTA, "old", "new", "fifo", "-q"], self.get("patch"))):
            writer = self.start(*command)
            found = subprocess.run(["cat", "fifo"], cwd=self.dir, capture_output=True, timeout=60).stdout
            self.assertEqual(found, expected)
            self.assertEqual(writer.wait(60), 0)
        reader = self.start(support.BPATCH, "old", "made", "fifo", "-q")
        self.put("fifo", self.get("patch"))
        self.assertEqual(reader.wait(60), 0)
        self.assertEqual(self.get("made"), self.new)
        self.refuse_untouched(lambda: self.bpatch("fifo", "x", "patch", timeout=20), 2, '"fifo"')

    def test_inputs_through_fifos(self):
        """They are put aside first, so the patch is that of files."""
        self.put("large", os.urandom(1) * 3_000_000 + self.new)  # more than a pipe holds
        os.mkfifo(self.path("fifo"))
        for names, piped in ((("fifo", "large"), "old"), (("old", "fifo"), "large")):
            for ways in ([], ["--io=stdio"], ["--temp-dir=."]):
                with self.subTest(names=names, ways=ways):
                    self.succeed(self.bdelta("old", "large", "expected", "-f", *ways))
                    maker = self.start(support.BDELTA, *names, "found", "-f", "-q", *ways)
                    self.put("fifo", self.get(piped))
                    self.assertEqual(maker.wait(60), 0)
                    self.assertEqual(self.get("found"), self.get("expected"))

    def test_inputs_through_pipes(self):
        """As a shell gives them for <(...)."""
        if not os.path.exists("/dev/fd"):
            self.skipTest("there is no /dev/fd")
        with contextlib.ExitStack() as stack:
            ends = []
            for name in ("old", "new"):
                pipe = stack.enter_context(subprocess.Popen(["cat", name], cwd=self.dir, stdout=subprocess.PIPE))
                ends.append(pipe.stdout.fileno())
            self.succeed(self.bdelta(f"/dev/fd/{ends[0]}", f"/dev/fd/{ends[1]}", "found", pass_fds=ends))
        self.assertEqual(self.get("found"), self.get("patch"))
        self.succeed(self.bdelta("old", "-", "found", "-f", input=self.new))
        self.assertEqual(self.get("found"), self.get("patch"))
        self.succeed(self.bdelta("-", "new", "found", "-f", input=self.old))
        self.assertEqual(self.get("found"), self.get("patch"))
        self.assertEqual(self.succeed(self.bdelta("old", "-", "-", "-q", input=self.new)).stdout, self.get("patch"))
        self.refuse(self.bdelta("-", "-", "other", input=self.old), 1, "OLD and NEW", '"standard input"')
        result = self.bdelta("/dev/stdin", "/dev/fd/0", "other", input=self.old)
        self.refuse(result, 1, "OLD and NEW", '"/dev/fd/0"')

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
    names = [b"with space", b"new\nline", b"\x1b[31mred", b"caf\xc3\xa9", b"no utf \xff\xfe", b"[a,b]", b"a=b", b"%1",
             b"'q\"", b"./-", b"tab\there", b"{}"]

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

    @unittest.skipIf(sys.platform in ("darwin", "win32"), "file names are Unicode here")
    def test_the_longest_names(self):
        old, new = support.make_pair(8, size=30_000)
        longest = {kind: kind + b"\xff\n" + b"n" * 252 for kind in (b"o", b"n", b"p", b"m")}
        self.assertEqual({len(name) for name in longest.values()}, {255})
        self.put(longest[b"o"], old)
        self.put(longest[b"n"], new)
        self.succeed(self.bdelta(longest[b"o"], longest[b"n"], longest[b"p"]))
        self.succeed(self.bpatch(longest[b"o"], longest[b"m"], longest[b"p"]))
        self.assertEqual(self.get(longest[b"m"]), new)
        self.succeed(self.bpatch(longest[b"o"], longest[b"o"], longest[b"p"], "-f"))
        self.assertEqual(self.get(longest[b"o"]), new)
        self.put(longest[b"o"], old)
        too_long = longest[b"m"] + b"m"
        self.refuse_untouched(lambda: self.bpatch(longest[b"o"], too_long, longest[b"p"]), 2, "\\xff\\x0a")

    @unittest.skipIf(sys.platform in ("darwin", "win32"), "limits of paths differ")
    def test_directories_deeper_than_the_longest_path(self):
        old, new = support.make_pair(8, size=30_000)
        here = os.open(self.dir, os.O_RDONLY)
        for depth in range(1, 26):  # 25 times 200 bytes: no absolute path leads there
            os.mkdir(b"d" * 200, dir_fd=here)
            below = os.open(b"d" * 200, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
            if depth not in (18, 19, 20, 25):
                continue
            for name, content in (("old", old), ("new", new)):
                with open(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as file:
                    file.write(content)
            inside = {"preexec_fn": lambda: os.fchdir(here)}
            self.succeed(self.bdelta("old", "new", "p", **inside))
            self.succeed(self.bpatch("old", "m", "p", **inside))
            self.succeed(self.bpatch("old", "old", "p", "-f", **inside))
            for name in ("m", "old"):
                with open(os.open(name, os.O_RDONLY, dir_fd=here), "rb") as file:
                    self.assertEqual(file.read(), new)
            self.assertEqual(sorted(os.listdir(here)), ["m", "new", "old", "p"])
        os.close(here)

    def test_names_that_look_like_options(self):
        old, new = support.make_pair(8, size=30_000)
        self.put("-o", old)
        self.put("--new", new)
        self.succeed(self.bdelta("--", "-o", "--new", "-p"))
        self.succeed(self.bpatch("--force", "--", "-o", "-m", "-p"))
        self.assertEqual(self.get("-m"), new)


if __name__ == "__main__":
    unittest.main()
