"""Each option of bdelta has an effect that can be seen."""
import gzip
import json
import os
import random
import re
import unittest

import support


class CreateOptions(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = support.make_pair(3, size=1_500_000, change=200_000)
        self.put("old", self.old)
        self.put("new", self.new)

    def make(self, *options):
        """The patch's bytes; proven by applying it."""
        self.succeed(self.bdelta("old", "new", "patch", "--force", "--no-sync", *options))
        self.succeed(self.bpatch("old", "made", "patch", "--force", "--no-sync"))
        self.assertEqual(self.get("made"), self.new)
        return self.get("patch")

    def test_levels_grow_smaller(self):
        sizes = {level: len(self.make(f"-{level}")) for level in range(1, 10)}
        self.assertGreater(sizes[1], sizes[2])
        self.assertGreater(sizes[3], sizes[5])
        self.assertGreater(sizes[3], sizes[6])
        for level in range(2, 10):  # neighbours that differ in search effort alone may trade a few bytes
            self.assertLess(sizes[level], sizes[level - 1] * 1.005, sizes)

    def test_level_three_is_the_default(self):
        self.assertEqual(self.make(), self.make("-3"))
        self.assertEqual(self.report(support.BDELTA, "old", "new", "p")["level"], 3)
        self.assertEqual(self.report(support.BDELTA, "old", "new", "p9", "-9")["level"], 9)
        self.assertEqual(self.report(support.BDELTA, "old", "old", "pultra", "--ultra")["level"], 10)

    def test_ultra_is_no_larger_than_nine(self):
        # The feature and its memory are declared.
        self.assertLessEqual(len(self.make("--ultra")), len(self.make("-9")) + 16)

    def test_max_names_the_level_in_its_place(self):
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--max"), 1, "--ultra")

    def test_threads_change_no_byte(self):
        ways = (["-t1"], ["--threads=7"], ["--threads", "2"], [])
        for level, count in (("-1", 4), ("-3", 4), ("-6", 4), ("--ultra", 2)):
            self.assertEqual(len({self.make(level, *threads) for threads in ways[:count]}), 1, level)
        self.assertEqual(self.report(support.BDELTA, "old", "new", "p", "--threads=7")["threads"], 7)

    def test_memory_too_small_is_refused(self):
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--memory=1M"), 6, "1048576")
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--memory=20M", "--io=stdio"), 6, "at least")

    def test_what_memory_leaves_out_is_told(self):
        old, new = support.make_pair(5, size=8_000_000, change=10_000)
        self.put("old", old)
        self.put("new", new)
        told = self.bdelta("old", "new", "p", "--memory=64M")
        self.assertRegex(told.stderr, rb"left out for --memory 64M: .*substitutions.* \(with \d+M they would be in\)\n")
        report = json.loads(self.bdelta("old", "new", "p", "-f", "--memory=64M", "--json").stdout)
        needed = {work["needed_bytes"] for work in report["left_out"]}
        self.assertEqual(len(needed), 1)
        again = json.loads(self.bdelta("old", "new", "p", "-f", f"--memory={needed.pop()}", "--json").stdout)
        self.assertEqual(again["left_out"], [])

    def test_what_takes_long_to_apply_is_left_out(self):
        text = random.Random(3).choices([b"alpha ", b"beta ", b"gamma ", b"delta\n"], k=400_000)
        self.put("old", gzip.compress(b"".join(text), mtime=0))
        text[200_000] = b"epsilon "
        self.put("new", gzip.compress(b"".join(text), mtime=0))
        free = self.report(support.BDELTA, "old", "new", "free")
        self.assertEqual(free["left_out"], [])
        self.assertEqual(free["options"]["max_apply_seconds"], None)
        ample = self.report(support.BDELTA, "old", "new", "ample", f"--max-apply-seconds={free['nominal_apply_seconds'] * 1.01}")
        self.assertEqual(self.get("ample"), self.get("free"))
        self.assertEqual(ample["left_out"], [])
        limit = free["nominal_apply_seconds"] * 0.9
        short = self.report(support.BDELTA, "old", "new", "short", f"--max-apply-seconds={limit}")
        self.assertLessEqual(short["nominal_apply_seconds"], limit)
        self.assertEqual(short["left_out"], [{"name": "unpacking", "needed_seconds": free["nominal_apply_seconds"]}])
        self.assertGreater(short["patch_bytes"], free["patch_bytes"])
        self.succeed(self.bpatch("old", "made", "short"))
        self.assertEqual(self.get("made"), self.get("new"))
        told = self.bdelta("old", "new", "least", "--max-apply-seconds=0.0000001").stderr
        self.assertRegex(told, rb"left out for --max-apply-seconds: unpacking.* \(applying would take [0-9.]+ s\)\n")
        self.assertRegex(told, rb"no patch keeps to --max-apply-seconds: applying the fastest takes about [0-9.e-]+ s\n")
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--max-apply-seconds=0"), 1, "--max-apply-seconds")

    def test_memory_limit_makes_the_patch_larger(self):
        rng = random.Random(9)
        self.old = rng.randbytes(40_000_000)
        pieces = [self.old[at:at + 400] for at in range(0, len(self.old) - 400, 12_000)]
        rng.shuffle(pieces)
        self.new = b"".join(pieces)
        self.put("old", self.old)
        self.put("new", self.new)
        free = self.make("-1")
        for way in ("mmap", "stdio"):
            one, two = (self.make("-1", "--memory=42M", f"--io={way}", f"--threads={count}") for count in (1, 2))
            self.assertEqual(one, two)
            self.assertGreater(len(one), len(free))

    def test_sizes_have_units(self):
        for size in ("64M", "64MiB", "65536K", "67108864", "67108864B", "1G", "1TiB"):
            self.assertEqual(self.bdelta("old", "new", "p", "-f", "--memory", size).returncode, 0, size)
        for size in ("", "M", "-1", "1X", "1MB", "99999999999999999999", "99999999T"):
            self.refuse_untouched(lambda: self.bdelta("old", "new", "p", f"--memory={size}"), 1, "--memory")

    def test_format_bdt1(self):
        patch = self.make("--format", "bdt1")
        self.assertEqual(patch[:6], b"BDT\x01\x00\x04")
        self.assertEqual(self.make("--format=bdt2")[:5], b"BDT\x02\x00")
        self.assertEqual(self.report(support.BDELTA, "old", "new", "p", "--format=bdt1")["format"], "bdt1")

    def test_io_ways_give_the_same_patch(self):
        self.assertEqual(self.make("--io=stdio"), self.make("--io", "mmap"))
        mapped = self.report(support.BDELTA, "old", "new", "p1", "--io=mmap")
        read = self.report(support.BDELTA, "old", "new", "p2", "--io=stdio")
        self.assertEqual(mapped["read_calls"], 0)
        self.assertGreater(read["read_calls"], 0)

    def test_io_buffer_changes_the_calls_only(self):
        self.assertEqual(len({self.make("-1", f"--io-buffer={size}") for size in ("0", "1K", "1M", "64M")}), 1)
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--io-buffer=65M"), 1, "--io-buffer")
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here: the calls to the system are not seen")
        calls = {}
        for size in ("0", "1K", "1M"):
            traced = [tracer, "-f", "-e", "trace=write", "-o", "trace", support.BDELTA, "old", "new", "-", "-q"]
            self.succeed(self.run_program(traced, "-1", f"--io-buffer={size}"))
            calls[size] = self.get("trace").count(b"write(")
        # Header and body unbuffered are two; a buffer of 1K splits them; one of 1M gathers them. A sanitizer's own
        # writes, if there are any, are in all counts alike.
        self.assertEqual(calls["0"], calls["1M"] + 1)
        self.assertGreater(calls["1K"], calls["1M"])

    def test_force(self):
        self.put("patch", b"precious")
        self.refuse_untouched(lambda: self.bdelta("old", "new", "patch"), 1, '"patch"')
        self.succeed(self.bdelta("old", "new", "patch", "-f"))
        self.assertEqual(self.get("patch")[:3], b"BDT")

    def test_verify(self):
        for option, verified in (("--verify", True), ("--no-verify", False), (None, True)):
            report = self.report(support.BDELTA, "old", "new", "p", "-f", *([option] if option else []))
            seconds = {phase["name"]: phase["seconds"] for phase in report["phases"]}["verify"]
            self.assertEqual(report["verified"], verified)
            self.assertEqual(seconds > 0, verified)
        self.assertEqual(self.make("--no-verify"), self.make())

    def test_max_ratio(self):
        patch = self.make("-1")
        share = len(patch) / len(self.new)
        for ratio in (f"{share * 1.01:.6f}", f"{share * 101:.4f}%", "1", "1.0", "100%", "150%"):
            self.assertEqual(self.make("-1", f"--max-ratio={ratio}"), patch)
        for ratio in (f"{share * 0.99:.6f}", f"{share * 99:.4f}%", ".0001"):
            for way in ("bdt2", "bdt1"):
                self.refuse_untouched(
                    lambda: self.bdelta("old", "new", "p", "-1", "--format", way, "--max-ratio", ratio), 7,
                    "--max-ratio")
        for ratio in ("0", "", "%", "-1", "x", "0.5.5", "1e3", "nan"):
            self.refuse_untouched(lambda: self.bdelta("old", "new", "p", f"--max-ratio={ratio}"), 1, "--max-ratio")
        for ratio in ("60", "1.01", "100"):
            self.refuse_untouched(lambda: self.bdelta("old", "new", "p", f"--max-ratio={ratio}"), 1, "--max-ratio",
                                  f"found {ratio}", f"did you mean {ratio}%?")

    def test_timeout(self):
        self.assertEqual(self.make("-3", "--timeout=1000.5"), self.make("-3"))
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--timeout", "0.000001"), 7, "0.000001 seconds")
        for seconds in ("0", "-1", "1s", "", "0.0"):
            self.refuse_untouched(lambda: self.bdelta("old", "new", "p", f"--timeout={seconds}"), 1, "--timeout")

    def test_json_tells_why_it_gave_up(self):
        for option, name, code in (("--timeout=.000001", "TimeLimit", 604),
                                   ("--max-ratio=0.01%", "PatchTooLarge", 605)):
            result = self.bdelta("old", "new", "p", option, "--json")
            error = json.loads(result.stdout)["error"]
            self.assertEqual((result.returncode, error["name"], error["code"], error["exit"]), (7, name, code, 7))
            self.assertTrue(error["detail"])

    def test_stats(self):
        result = self.succeed(self.bdelta("old", "new", "p", "--stats"))
        self.assertEqual(result.stdout, b"")
        for word in (b"phase", b"select", b"compress", b"wait", b"literals", b"covers", b"read calls", b"peak memory",
                     b"wall clock"):
            self.assertIn(word, result.stderr)
        for line in result.stderr.decode().splitlines():
            self.assertLessEqual(len(line), 80)

    def test_quiet(self):
        result = self.succeed(self.bdelta("old", "new", "p", "--quiet", "--stats"))
        self.assertEqual((result.stdout, result.stderr), (b"", b""))
        self.refuse(self.bdelta("old", "new", "p", "-q"), 1, '"p"')

    def test_no_sync(self):
        tracer = support.strace()
        if not tracer:
            self.succeed(self.bdelta("old", "new", "p", "--no-sync"))
            self.skipTest("strace does not work here: only accepted, not seen")
        traced = [tracer, "-f", "-e", "trace=fsync,fdatasync", "-o", "trace", support.BDELTA, "old", "new"]
        self.succeed(self.run_program(traced, "p1", "--no-sync"))
        self.assertNotIn(b"sync(", self.get("trace"))
        self.succeed(self.run_program(traced, "p2"))
        self.assertGreaterEqual(len(re.findall(rb"sync\(", self.get("trace"))), 2)  # the file and its directory

    def test_temp_dir(self):
        os.mkdir(self.path("waiting"))
        self.succeed(self.bdelta("old", "new", "p", "--temp-dir", "waiting"))
        self.assertEqual(os.listdir(self.path("waiting")), [])
        self.refuse_untouched(lambda: self.bdelta("old", "new", "q", "--temp-dir=absent"), 2, '"absent"', '"q"')
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here: the place of the temporary file is not seen")
        traced = [tracer, "-f", "-e", "trace=open,openat", "-o", "trace", support.BDELTA, "old", "new"]
        self.succeed(self.run_program(traced, "q", "--temp-dir=waiting"))
        self.assertRegex(self.get("trace"), rb"waiting/\.bdelta-[0-9a-f]{16}\.tmp")

    def test_accepted_for_the_original(self):
        self.assertEqual(self.make("--all-in-ram"), self.make())

    def test_patch_to_standard_output(self):
        result = self.succeed(self.bdelta("old", "new", "-", "--json"))
        self.assertEqual(result.stdout, self.make())
        self.assertTrue(json.loads(result.stderr)["verified"])  # JSON goes where the patch does not
        self.assertNotIn(b"-", self.listing())


if __name__ == "__main__":
    unittest.main()
