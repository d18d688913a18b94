"""tools/quickstart.sh: the patch of two files is kept and applies, nothing is overwritten, the sample leaves nothing."""
import os
import re
import subprocess
import unittest

import support

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "tools", "quickstart.sh")


class Quickstart(support.Case):
    def setUp(self):
        super().setUp()
        for name in ("here", "there", "tmp"):
            os.mkdir(self.path(name))

    def quickstart(self, *files, status=0, **variables):
        """What it says. It is called in `here`, takes the programs of this build and its temporary files to `tmp`."""
        environment = {**os.environ, "BDELTA_BIN_DIR": os.path.dirname(support.BDELTA), "TMPDIR": self.path("tmp"),
                       **variables}
        done = subprocess.run([SCRIPT, *files], cwd=self.path("here"), env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=support.TIMEOUT, check=False)
        self.assertEqual(status, done.returncode, done.stdout)
        self.assertEqual([], os.listdir(self.path("tmp")))
        return done.stdout

    def put_pair(self):
        old, new = support.make_pair()
        self.put("there/old one", old)
        self.put("there/-new one", new)
        return new

    def test_the_patch_is_kept_and_applies(self):
        new = self.put_pair()
        said = self.quickstart("../there/old one", "../there/-new one")
        self.assertEqual([b"-new one.bdelta"], os.listdir(self.path("here")))
        self.assertEqual([b"-new one", b"old one"], sorted(os.listdir(self.path("there"))))
        patch = os.path.realpath(self.path("here/-new one.bdelta"))
        self.assertIn(b"The patch is kept: " + patch + b"\n", said)
        self.assertIn(b"PATCH %16d bytes" % os.path.getsize(patch), said)
        self.assertEqual(0, self.bpatch("there/old one", "rebuilt", patch).returncode)
        self.assertEqual(new, self.get("rebuilt"))

    def test_what_is_there_is_never_overwritten(self):
        self.put_pair()
        self.put("here/-new one.bdelta", b"mine")
        said = self.quickstart("../there/old one", "../there/-new one", status=1)
        self.assertIn(b"-new one.bdelta, which is there already", said)
        self.assertEqual(b"mine", self.get("here/-new one.bdelta"))

    def test_a_wrong_result_leaves_no_patch(self):
        self.put_pair()
        self.put_programs(bdelta='cp "$2" "$3"', bpatch='cp "$1" "$2"')
        said = self.quickstart("../there/old one", "../there/-new one", status=5, BDELTA_BIN_DIR=self.path("bin"))
        self.assertIn(b"NOT the same", said)
        self.assertEqual([], os.listdir(self.path("here")))

    def test_a_file_that_is_not_there_is_named(self):
        self.put_pair()
        said = self.quickstart("../there/old one", "../there/none", status=2)
        self.assertIn(b"cannot read the file ../there/none", said)
        self.assertEqual([], os.listdir(self.path("here")))

    def test_a_sample_leaves_nothing(self):
        said = self.quickstart(BDELTA_SAMPLE_SIZE="1M")
        self.assertRegex(said, rb"NEW +\d{7} bytes\n")
        self.assertIn(b"Nothing is kept", said)
        self.assertEqual([], os.listdir(self.path("here")))

    def test_the_sample_has_100_mb(self):
        self.put_programs(make_pair='echo "size $1" && echo old > "$3" && echo new > "$4"', bdelta='cp "$2" "$3"',
                          bpatch='cp "$3" "$2"')
        self.assertIn(b"size 100M\n", self.quickstart(BDELTA_BIN_DIR=self.path("bin")))

    def test_it_builds_as_users_do(self):
        with open(SCRIPT, encoding="utf-8") as file:
            script = file.read()
        self.assertEqual(["-B build", "--build build"], re.findall(r"^ +cmake (--?\w+ \w+)", script, re.M))
        self.assertIn("setup.sh --build\n", script)
        self.assertNotIn("preset", script)

    def put_programs(self, **scripts):
        """Programs in `bin` that do what the shell is told, in the place of ours."""
        os.mkdir(self.path("bin"))
        for name, script in scripts.items():
            self.put(f"bin/{name}", f"#!/bin/sh\n{script}\n".encode())
            os.chmod(self.path(f"bin/{name}"), 0o755)


if __name__ == "__main__":
    unittest.main()
