"""The programs of docs/library.md are built as it says against the installed tree, without a warning, and do what it says."""
import os
import re
import shutil
import subprocess
import unittest

import support

ENVIRONMENT = {**os.environ, "PKG_CONFIG_PATH": os.path.join(support.LIBDIR, "pkgconfig"),
               "LD_LIBRARY_PATH": support.LIBDIR}
PAGE = support.read("docs", "library.md")
WARNINGS = " -Wall -Wextra -Wpedantic -Werror "
COMPILERS = {"cc ": os.environ["CC"] + " -std=c90" + WARNINGS, "c++ ": os.environ["CXX"] + WARNINGS}


# Ends the process without a word where it is to rename for the STOP_AT-th time: the library calls renameat2 by syscall().
STOP_AT_RENAME = b"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...) {
  static int left = -1;
  long given[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) given[i] = va_arg(list, long);
  va_end(list);
  if (left < 0) left = atoi(getenv("STOP_AT"));
  if (number == SYS_renameat2 && --left == 0) _exit(99);
  return ((long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall"))(
      number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
"""


class Program(support.Case):
    """One of the page: `name` stands in its first line."""
    name = None

    def setUp(self):
        super().setUp()
        if not self.name:
            self.skipTest("what others share")
        source = re.search(rf"```c(?:pp)?\n((?://|/\*) {re.escape(self.name)}: .*?)```\n(.*?)(?=\n## |\Z)", PAGE, re.S)
        command = re.search(rf"^    ((c\+\+ |cc )[^\n]*\b{re.escape(self.name)} [^\n]*)$", source.group(2), re.M)
        self.put(self.name, source.group(1).encode())
        build = command.group(1).replace(command.group(2), COMPILERS[command.group(2)], 1)
        subprocess.run(build, shell=True, cwd=self.path(), env=ENVIRONMENT, check=True)

    def call(self, *arguments, given=b"", environment=()):
        program = self.path(self.name.partition(".")[0])
        return subprocess.run([program, *arguments], cwd=self.path(), env={**ENVIRONMENT, **dict(environment)}, input=given,
                              capture_output=True, check=False)

    def patch(self, *options):
        """Of the pair in the case's directory."""
        old, new = self.pair()
        support.run(support.BDELTA, *options, old, new, self.path("patch"))
        return old, new


class UpdaterInCpp(Program):
    name = "updater.cpp"

    def test_puts_the_new_version_in_the_place_of_the_old_one(self):
        old, _ = self.patch()
        os.rename(old, self.path("app"))
        for said in (b"updated\n", b"already up to date\n"):
            done = self.call("app", "patch")
            self.assertEqual((0, said), (done.returncode, done.stdout))
            self.assertEqual(self.get("new"), self.get("app"))
        self.put("app", b"neither")
        self.assertEqual(4, self.call("app", "patch").returncode)


class Maker(Program):
    name = "maker.cpp"

    def test_makes_a_patch_and_tells_what_applying_takes(self):
        old, new = self.pair()
        done = self.call(old, new, "patch")
        self.assertEqual(0, done.returncode, done.stderr)
        size = os.path.getsize(self.path("patch"))
        self.assertRegex(done.stdout, rb"\A%d bytes; applying takes \d{7,} bytes of memory\n\Z" % size)
        support.run(support.BPATCH, old, self.path("made"), self.path("patch"))
        self.assertEqual(self.get("new"), self.get("made"))

    def test_gives_up_where_it_is_not_worth_it(self):
        old, _ = self.pair()
        self.put("strange", os.urandom(50_000))
        self.assertEqual(7, self.call(old, "strange", "patch").returncode)
        self.assertFalse(os.path.exists(self.path("patch")))


class UpdaterInC(Program):
    name = "updater.c"

    def test_applies_with_progress(self):
        old, new = self.patch()
        done = self.call(old, "made", "patch")
        self.assertEqual((0, b""), (done.returncode, done.stdout))
        self.assertRegex(done.stderr, rb"\A(\r *\d+ %)*\r100 %\n\Z")
        self.assertEqual(self.get("new"), self.get("made"))
        refused = self.call(new, "other", "patch")
        self.assertEqual(4, refused.returncode)
        self.assertRegex(refused.stderr, rb"\A(\r *\d+ %)*\n[^\n]+\n\Z")


class TreeUpdater(Program):
    name = "tree_updater.cpp"

    def directories(self):
        """OLD with two files and NEW, and the patch between them."""
        old, new = self.pair()
        for directory, app in (("v1", old), ("v2", new)):
            os.mkdir(self.path(directory))
            os.rename(app, self.path(directory, "app"))
            self.put(f"{directory}/same", b"the same")
        self.put("v2/more", b"more")
        support.run(support.BDELTA, self.path("v1"), self.path("v2"), self.path("patch"))
        return {name: self.get(f"v2/{name}") for name in ("app", "same", "more")}

    def files(self):
        return {name: self.get(f"v1/{name}") for name in os.listdir(self.path("v1"))}

    def test_updates_the_directory(self):
        new = self.directories()
        for said in (b"updated\n", b"already up to date\n"):
            done = self.call("v1", "patch")
            self.assertEqual((0, said, b""), (done.returncode, done.stdout, done.stderr))
            self.assertEqual(new, self.files())
        self.put("v1/app", b"neither")
        done = self.call("v1", "patch")
        self.assertEqual((4, b""), (done.returncode, done.stdout))
        self.assertEqual({**new, "app": b"neither"}, self.files())

    def test_completes_what_was_interrupted(self):
        """The process is killed at its n-th rename, for each n until it has fewer."""
        stop = self.path("stop.so")
        self.put("stop.c", STOP_AT_RENAME)
        support.run(os.environ["CC"], "-shared", "-fPIC", self.path("stop.c"), "-o", stop, "-ldl")
        new = self.directories()
        shutil.copytree(self.path("v1"), self.path("kept"))
        said = set()
        for count in range(1, 100):
            shutil.rmtree(self.path("v1"))
            shutil.copytree(self.path("kept"), self.path("v1"))
            killed = self.call("v1", "patch", environment={"LD_PRELOAD": stop, "STOP_AT": str(count)})
            if killed.returncode == 0:
                break
            done = self.call("v1", "patch")
            said.add(done.stdout)
            self.assertEqual((0, b""), (done.returncode, done.stderr), count)
            self.assertEqual(new, self.files())
        self.assertGreater(count, 3)
        self.assertIn(b"completed an update that was interrupted\nalready up to date\n", said)


class TreeUpdaterInC(TreeUpdater):
    name = "tree_update.c"


class Receiver(Program):
    name = "receive.cpp"

    def test_applies_what_comes(self):
        old, _ = self.patch()
        done = self.call(old, "made", given=self.get("patch"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(self.get("new"), self.get("made"))

    def test_a_patch_that_ends_too_early_leaves_no_new(self):
        old, _ = self.patch()
        self.assertEqual(3, self.call(old, "made", given=self.get("patch")[:-1]).returncode)
        self.assertFalse(os.path.exists(self.path("made")))


class Page(unittest.TestCase):
    def test_each_program_has_a_case(self):
        named = re.findall(r"```c(?:pp)?\n(?://|/\*) (\S+): ", PAGE)
        self.assertEqual(len(named), len(re.findall(r"```c(?:pp)?\n", PAGE)))
        self.assertEqual(set(named), {case.name for case in (*Program.__subclasses__(), *TreeUpdater.__subclasses__())})


if __name__ == "__main__":
    unittest.main()
