"""Trouble while working: signals, inputs that change, disks and pipes that take no more.

No partial file is ever left.
"""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

import support


def limit_file_size(size, ignore_signal):
    def prepare():
        support.without_core_files()
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        if ignore_signal:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return prepare


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)


class Disturbance(support.Case):
    """OLD and NEW have nothing in common, so patches are large."""

    def setUp(self):
        super().setUp()
        rng = random.Random(21)
        self.old = rng.randbytes(6_000_000)
        self.new = rng.randbytes(9_000_000)
        self.put("old", self.old)
        self.put("new", self.new)

    def put_slow_pair(self):
        """NEW made of words, which level 6 compresses for most of a second or more."""
        self.put("old", self.old[:3_000_000])
        self.put("new", support.text_of(random.Random(22), 30_000))

    def make_patch(self):
        self.succeed(self.bdelta("old", "new", "patch", "-1", "--no-sync", "--no-verify"))

    def temporary_files(self):
        return [name for name in self.listing() if name.startswith(b".bdelta-")]

    def feed_half(self, *options):
        """bpatch that waits for the rest of its patch, with its output begun."""
        patch = self.get("patch")
        process = self.start(support.BPATCH, "old", "made", "-", *options, stdin=subprocess.PIPE)
        process.stdin.write(patch[:len(patch) // 2])
        process.stdin.flush()
        self.wait_for(self.temporary_files)
        return process, patch[len(patch) // 2:]

    def finish(self, process, status):
        out, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, said)
        self.assertEqual(said.count(b"\n"), 1, said)
        return out, said

    def test_interrupted_create(self):
        self.put_slow_pair()
        before = self.snapshot()
        for number in ENDING:
            process = self.start(support.BDELTA, "old", "new", "p", "-6")
            self.wait_for(self.temporary_files)
            process.send_signal(number)
            _, said = self.finish(process, -number)
            self.assertIn(b"interrupted", said)
            self.assertEqual(self.snapshot(), before)

    def test_interrupted_while_an_input_comes(self):
        os.mkfifo(self.path("fifo"))
        os.mkdir(self.path("aside"))
        before = self.listing()
        process = self.start(support.BDELTA, "old", "fifo", "p", "--temp-dir=aside")
        with open(self.path("fifo"), "wb") as fifo:
            fifo.write(self.new)
            self.wait_for(lambda: os.listdir(self.path("aside")))
            process.send_signal(signal.SIGINT)
            self.finish(process, -signal.SIGINT)
        self.assertEqual(os.listdir(self.path("aside")), [])
        self.assertEqual(self.listing(), before)

    def test_time_limit_while_an_input_is_silent(self):
        process = self.start(support.BDELTA, "old", "/dev/stdin", "p", "--timeout=0.1", stdin=subprocess.PIPE)
        self.assertEqual(process.wait(60), 7)
        self.assertIn(b"time limit", process.stderr.read())
        self.assertNotIn(b"p", self.listing())

    def test_interrupted_with_json(self):
        self.put_slow_pair()
        for number in ENDING:
            process = self.start(support.BDELTA, "old", "new", "p", "-6", "--json", stdout=subprocess.PIPE)
            self.wait_for(self.temporary_files)
            process.send_signal(number)
            out, said = self.finish(process, -number)
            error = json.loads(out)["error"]
            self.assertEqual((error["code"], error["exit"], error["signal"]), (901, 128 + number, number.name))
            self.assertIn(b"nothing was left behind", said)

    def in_shell(self, shell, script, number):
        """What the script printed and how its shell ended, when the signal came to all while bdelta worked."""
        process = self.start(shell, "-c", script, "sh", support.BDELTA, stdout=subprocess.PIPE, start_new_session=True)
        self.wait_for(self.temporary_files)
        os.killpg(process.pid, number)
        out, said = process.communicate(timeout=60)
        self.assertEqual(self.temporary_files(), [])
        self.assertEqual(said.count(b"interrupted"), 1, said)
        return out, process.returncode

    def test_a_loop_of_the_shell_stops(self):
        self.put_slow_pair()
        script = 'for i in 1 2 3; do "$1" old new p$i -6; echo "went on after $?"; done'
        for shell in filter(shutil.which, ("sh", "bash")):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(shell=shell, signal=number):
                    self.assertEqual(self.in_shell(shell, script, number), (b"", -number))
                    self.assertEqual(self.listing(), [b"new", b"old"])

    def test_the_shell_sees_the_status_of_the_signal(self):
        self.put_slow_pair()
        script = 'trap : INT TERM HUP QUIT; "$1" old new p -6; echo $?'
        for shell in filter(shutil.which, ("sh", "bash")):
            for number, status in ((signal.SIGINT, b"130"), (signal.SIGTERM, b"143"), (signal.SIGHUP, b"129"),
                                   (signal.SIGQUIT, b"131")):
                with self.subTest(shell=shell, signal=number):
                    self.assertEqual(self.in_shell(shell, script, number), (status + b"\n", 0))

    def test_a_signal_that_asks_for_a_core_file_gets_none(self):
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        if hard == 0:
            self.skipTest("core files are not allowed here")
        self.put_slow_pair()
        for number in (signal.SIGQUIT, signal.SIGXCPU):
            process = subprocess.Popen([support.BDELTA, "old", "new", "p", "-6", "-q"], cwd=self.dir, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)))
            self.wait_for(self.temporary_files)
            process.send_signal(number)
            _, status = os.waitpid(process.pid, 0)
            process.returncode = 0  # reaped above
            self.assertEqual((os.WTERMSIG(status), os.WCOREDUMP(status)), (number, False))
            self.assertEqual(self.listing(), [b"new", b"old"])

    def test_interrupted_when_the_output_is_in_its_place(self):
        """The directory is synced then: what is said must not deny that NEW is there."""
        self.make_patch()
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here")
        result = self.run_program([tracer, "-o", os.devnull, "-f", "-e", "inject=fsync,fdatasync:signal=SIGTERM:when=2"],
                                  support.BPATCH, "old", "made", "patch", "-q", "-f")
        self.assertEqual(result.returncode, -signal.SIGTERM, result.stderr)
        self.assertIn(b"whole in its place", result.stderr)
        self.assertEqual(self.get("made"), self.get("new"))

    def test_interrupted_apply(self):
        self.make_patch()
        self.put("made", b"the NEW that was there before")
        before = self.snapshot()
        for number in (signal.SIGINT, signal.SIGTERM):
            process, _ = self.feed_half("--force")
            process.send_signal(number)
            self.finish(process, -number)
            self.assertEqual(self.snapshot(), before)

    def test_hang_up_ignored_by_the_parent_stays_ignored(self):
        self.make_patch()
        with_nohup = shutil.which("nohup")
        if not with_nohup:
            self.skipTest("nohup is absent")
        patch = self.get("patch")
        process = self.start(with_nohup, support.BPATCH, "old", "made", "-", "-q", stdin=subprocess.PIPE)
        process.stdin.write(patch[:len(patch) // 2])
        process.stdin.flush()
        self.wait_for(self.temporary_files)
        process.send_signal(signal.SIGHUP)
        process.communicate(patch[len(patch) // 2:], timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.get("made"), self.new)

    def change(self, name, how):
        if how == "truncate":
            os.truncate(self.path(name), 5000)
        elif how == "append":
            with open(self.path(name), "ab") as file:
                file.write(b"more")
        else:
            with open(self.path(name), "r+b") as file:
                file.seek(1_000_000)
                file.write(b"changed")

    def test_inputs_that_change_while_a_patch_is_made(self):
        for ways in ("--io=stdio", "--io=mmap"):
            for name, how in (("old", "modify"), ("new", "truncate"), ("new", "append")):
                with self.subTest(ways=ways, name=name, how=how):
                    self.put_slow_pair()
                    process = self.start(support.BDELTA, "old", "new", "p", "-6", ways)
                    self.wait_for(self.temporary_files)
                    time.sleep(0.1)
                    self.change(name, how)
                    self.finish(process, 2)
                    self.assertEqual(self.listing(), [b"new", b"old"])

    def test_old_that_changes_while_it_is_applied(self):
        self.make_patch()
        for ways in ("--io=stdio", "--io=mmap"):
            for how in ("modify", "truncate", "append"):
                with self.subTest(ways=ways, how=how):
                    self.put("old", self.old)
                    process, rest = self.feed_half(ways)
                    self.change("old", how)
                    process.stdin.write(rest)
                    self.finish(process, 2)
                    self.assertEqual(self.listing(), [b"new", b"old", b"patch"])

    def test_truncation_at_any_moment(self):
        """Either a patch that is right for the original bytes, or exit status 2 and no patch."""
        small_old, small_new = support.make_pair(5, size=3_000_000)
        for attempt in range(24):
            self.put("old", small_old)
            self.put("new", small_new)
            way = ("--io=stdio", "--io=mmap")[attempt % 2]
            process = self.start(support.BDELTA, "old", "new", "p", "--no-sync", "-3", way)
            time.sleep(0.002 * attempt)
            self.change("old", "truncate")
            _, said = process.communicate(timeout=60)
            if process.returncode == 2:
                self.assertEqual(said.count(b"\n"), 1, said)
                self.assertEqual(self.listing(), [b"new", b"old"])
                continue
            self.assertEqual(process.returncode, 0, said)
            self.put("old", small_old)
            if self.bpatch("old", "made", "p", "-q", "-f").returncode == 4:
                self.put("old", small_old[:5000])  # the change came before the file was opened
                self.succeed(self.bpatch("old", "made", "p", "-f"))
            self.assertEqual(self.get("made"), small_new)
            os.remove(self.path("p"))
            os.remove(self.path("made"))

    def test_files_limited_in_size(self):
        self.make_patch()
        before = self.snapshot()
        for ignored in (True, False):
            prepare = limit_file_size(100_000, ignored)
            for command in ([support.BDELTA, "old", "new", "p", "-1"], [support.BPATCH, "old", "made", "patch"]):
                with self.subTest(signal_ignored=ignored, command=os.path.basename(command[0])):
                    result = self.run_program(*command, preexec_fn=prepare)
                    self.assertEqual(self.temporary_files(), [])
                    self.assertEqual(self.snapshot(), before)
                    self.refuse(result, 2, '"p"' if command[0] == support.BDELTA else '"made"')

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        self.make_patch()
        self.refuse_untouched(lambda: self.bpatch("old", "/dev/full", "patch"), 2, "/dev/full", "no space")
        self.refuse_untouched(lambda: self.bdelta("old", "new", "/dev/full", "-1"), 2, "/dev/full", "no space")

    def test_full_disk(self):
        """A file system of 1 MiB, mounted where only this run sees it."""
        self.make_patch()
        os.mkdir(self.path("disk"))
        script = 'mount -t tmpfs -o size=1m none disk || exit 99; "$@"; status=$?; ls -A disk >left; exit $status'
        inside = ["unshare", "-m", "sh", "-c", script, "sh"]
        if not shutil.which("unshare") or self.run_program(inside, "true").returncode != 0:
            self.skipTest("no file system can be mounted here")
        needed = {"disk/p": len(self.get("patch")), "disk/made": len(self.new), "made": len(self.new)}
        for command, name in (([support.BDELTA, "old", "new", "disk/p", "-1", "--no-verify"], "disk/p"),
                              ([support.BPATCH, "old", "disk/made", "patch"], "disk/made"),
                              ([support.BPATCH, "old", "made", "patch", "--temp-dir=disk"], "made")):
            self.refuse(self.run_program(inside, *command), 2, "no space", f'"{name}"', f"needs {needed[name]} bytes",
                        "only 1048576 are available", "disk\"")
            self.assertEqual(self.get("left"), b"")
            self.assertNotIn(b"made", self.listing())

    def test_closed_pipe(self):
        self.make_patch()
        before = self.snapshot()
        for command in ([support.BPATCH, "old", "-", "patch"], [support.BDELTA, "old", "new", "-", "-1"]):
            process = self.start(*command, stdout=subprocess.PIPE)
            process.stdout.close()
            process.stdout = None
            _, said = self.finish(process, 2)
            self.assertIn(b"standard output", said)
            self.assertEqual(self.snapshot(), before)

    def test_damage_behind_the_first_windows_leaves_no_new(self):
        self.make_patch()
        patch = bytearray(self.get("patch"))
        patch[-5000] ^= 1
        self.put("patch", patch)
        self.refuse_untouched(lambda: self.bpatch("old", "made", "patch"), 3, '"patch"')
        process = self.bpatch("old", "-", "patch")
        self.refuse(process, 3)
        self.assertTrue(self.new.startswith(process.stdout))  # what went out was right so far


if __name__ == "__main__":
    unittest.main()
