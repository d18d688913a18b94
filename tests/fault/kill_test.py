"""The programs are killed (SIGKILL, nothing can be tidied up) at random moments, and at every file call. Under the name
of the output stands what was there before or all of the new file. Temporary files may be left; unfinished ones are
readable by their owner alone, and the next run works whatever lies there."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import support  # noqa: E402

KILLS = 200  # of each kind
TEMPORARY = (b".bdelta-", b".tmp")
CALLS = ("openat", "pwrite64", "write", "fallocate", "ftruncate", "fchmod", "fsync", "close", "link", "rename",
         "unlink")


class Killed(support.Case):
    parent = support.quick_directory()

    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(31, size=3_000_000)
        self.patch = self.get("patch")
        self.rng = random.Random(32)

    def temporary_files(self):
        return [name for name in self.listing() if name.startswith(TEMPORARY[0]) and name.endswith(TEMPORARY[1])]

    def run_killed(self, command, after):
        process = subprocess.Popen(command, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL, preexec_fn=support.without_core_files)
        time.sleep(after)
        process.kill()
        self.assertIn(process.wait(60), (0, -signal.SIGKILL))

    def check_leftovers(self, after):
        """Private as long as they are unfinished, unless nothing was written to them."""
        for name in self.temporary_files():
            private = os.stat(self.path(name)).st_mode & 0o077 == 0
            self.assertTrue(private or self.get(name) in (b"", after), name)

    def kill_at_random(self, command, place, before, after):
        """`before` is what the place holds, None for nothing; `after` is the finished output."""
        begun = time.monotonic()
        self.succeed(self.run_program(*command))
        usual = time.monotonic() - begun
        seen = set()
        for _ in range(KILLS):
            self.put_place(place, before)
            self.run_killed(command, self.rng.uniform(0, 1.1 * usual))
            found = self.get(place) if os.path.exists(self.path(place)) else None
            self.assertTrue(found in (before, after), "neither the old file nor the new one")
            seen.add(found == after)
            self.check_leftovers(after)
        self.assertIn(False, seen, "never killed before the end")
        # What the killed ones left is in nobody's way and is not touched.
        left = self.temporary_files()
        self.put_place(place, before)
        self.succeed(self.run_program(*command))
        self.assertEqual(self.get(place), after)
        self.assertEqual(self.temporary_files(), left)
        self.assertEqual(self.get("patch"), self.patch)

    def remove_temporary_files(self):
        for name in self.temporary_files():
            os.unlink(self.path(name))

    def put_place(self, place, content):
        if content is not None:
            self.put(place, content)
        elif os.path.exists(self.path(place)):
            os.unlink(self.path(place))

    def test_bpatch_in_place(self):
        self.put("file", self.old)
        self.kill_at_random([support.BPATCH, "file", "file", "patch", "--force"], "file", self.old, self.new)

    def test_bpatch_to_a_new_file(self):
        self.kill_at_random([support.BPATCH, "old", "made", "patch", "--no-sync", "--io=stdio"], "made", None, self.new)
        self.assertEqual(self.get("old"), self.old)

    def test_bdelta(self):
        self.kill_at_random([support.BDELTA, "old", "new", "p", "-1", "-f"], "p", b"the patch before",
                            self.made_by("-1"))

    JOURNAL = ".file.bdelta-journal"

    def check_resumes(self, before, after):
        """What --resume makes of what a kill left, and the next update of that. True if there was something to complete."""
        half = self.get("file")
        told = self.report(support.BPATCH, "--resume", "file")
        found = self.get("file")
        self.assertTrue(found in (before, after), "neither the old file nor the new one")
        self.assertFalse(told["up_to_date"] and found != half, "it was changed, and nothing was to be completed")
        self.assertNotIn(os.fsencode(self.JOURNAL), self.listing())
        self.succeed(self.bpatch("--in-place", "file", self.in_place_patch, "--no-sync"))
        self.assertEqual(self.get("file"), after)
        return not told["up_to_date"]

    def test_update_in_place(self):
        self.in_place_patch = "patch"
        command = [support.BPATCH, "--in-place", "file", "patch"]
        self.put("file", self.old)
        begun = time.monotonic()
        self.succeed(self.run_program(*command))
        usual = time.monotonic() - begun
        completed = 0
        for _ in range(KILLS):
            self.put("file", self.old)
            self.run_killed(command, self.rng.uniform(0, 1.1 * usual))
            completed += self.check_resumes(self.old, self.new)
        self.assertGreater(completed, 0, "never killed behind the commit")

    def test_update_in_place_killed_at_every_file_call(self):
        tool = support.strace()
        probe = tool and subprocess.run([tool, "-o", os.devnull, "-e", "inject=getppid:signal=KILL", "true"],
                                        capture_output=True)
        if not tool or probe.returncode != 0:
            self.skipTest("strace is absent or cannot trace here")
        before, after = self.old[:20_000], self.new[:20_000] + b"and more"
        self.put("small-old", before)
        self.put("small-new", after)
        self.succeed(self.bdelta("small-old", "small-new", "small-patch"))
        self.in_place_patch = "small-patch"
        completed = 0
        for call in CALLS:
            for nth in range(1, 200):
                self.put("file", before)
                result = subprocess.run([tool, "-f", "-o", os.devnull, "-e", f"trace={call}", "-e",
                                         f"inject={call}:signal=KILL:when={nth}", support.BPATCH, "-t1", "--in-place", "file",
                                         "small-patch"], cwd=self.dir, capture_output=True, timeout=support.TIMEOUT)
                with self.subTest(call=call, nth=nth):
                    completed += self.check_resumes(before, after)
                if result.returncode == 0:
                    break
        self.assertGreater(completed, 5)

    def made_by(self, *options):
        self.succeed(self.bdelta("old", "new", "reference", *options))
        return self.get("reference")

    def test_killed_at_every_file_call(self):
        """With strace, which kills at the n-th use of a call, for every n until the program gets through."""
        tool = support.strace()
        probe = tool and subprocess.run([tool, "-o", os.devnull, "-e", "inject=getppid:signal=KILL", "true"],
                                        capture_output=True)
        if not tool or probe.returncode != 0:
            self.skipTest("strace is absent or cannot trace here")
        self.put("small-old", self.old[:20_000])
        self.put("small-new", self.new[:20_000] + b"and more")
        self.succeed(self.bdelta("small-old", "small-new", "small-patch"))
        in_place = [support.BPATCH, "-t1", "file", "file", "small-patch", "-f"]
        for program, place, before in ((in_place, "file", self.get("small-old")),
                                       ([support.BPATCH, "-t1", "small-old", "made", "small-patch"], "made", None),
                                       ([support.BDELTA, "-t1", "small-old", "small-new", "p", "-f"], "p", b"before")):
            self.remove_temporary_files()
            self.put_place(place, before)
            self.succeed(self.run_program(*program))
            after = self.get(place)
            for call in CALLS:
                self.kill_at(tool, program, call, place, before, after)
            self.put_place(place, before)
            self.succeed(self.run_program(*program))
            self.assertEqual(self.get(place), after)

    def kill_at(self, tool, program, call, place, before, after):
        for nth in range(1, 200):
            self.put_place(place, before)
            traced = [tool, "-f", "-o", os.devnull, "-e", f"trace={call}", "-e",
                      f"inject={call}:signal=KILL:when={nth}", *program]
            result = subprocess.run(traced, cwd=self.dir, capture_output=True, timeout=support.TIMEOUT)
            found = self.get(place) if os.path.exists(self.path(place)) else None
            with self.subTest(program=os.path.basename(program[0]), place=place, call=call, nth=nth):
                self.assertTrue(found in (before, after), "neither the old file nor the new one")
                self.check_leftovers(after)
            if result.returncode == 0:
                self.assertEqual(found, after)
                return
        self.fail(f"{call} was used very often")


if __name__ == "__main__":
    unittest.main()
