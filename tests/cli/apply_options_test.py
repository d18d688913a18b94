"""Each option of bpatch has an effect that can be seen; --info, --help and --version of both programs."""
import json
import os
import re
import subprocess
import unittest

import support


class ApplyOptions(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(5)

    def made(self, *options):
        self.succeed(self.bpatch("old", "made", "patch", "--force", "--no-sync", *options))
        return self.get("made")

    def test_threads_io_and_buffers_change_no_byte(self):
        for options in (["-t1"], ["--threads=2"], ["--threads", "7"], ["--io=stdio"], ["--io=mmap"], ["--io-buffer=0"],
                        ["--io-buffer=1K", "--io=stdio"], ["--io-buffer=1M"], ["--all-in-ram"], ["--no-sync"]):
            self.assertEqual(self.made(*options), self.new, options)
        self.assertEqual(self.report(support.BPATCH, "old", "n7", "patch", "--threads=7")["threads"], 7)

    def test_io_ways_differ_in_reads(self):
        mapped = self.report(support.BPATCH, "old", "n1", "patch", "--io=mmap")
        read = self.report(support.BPATCH, "old", "n2", "patch", "--io=stdio")
        self.assertGreater(read["read_calls"], mapped["read_calls"])

    def test_io_buffer_splits_the_writes(self):
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here: the calls to the system are not seen")
        calls = {}
        for size in ("1K", "1M"):
            traced = [tracer, "-f", "-e", "trace=write", "-o", "trace", support.BPATCH, "old", "-", "patch", "-q"]
            self.succeed(self.run_program(traced, f"--io-buffer={size}"))
            calls[size] = self.get("trace").count(b"write(")
        self.assertGreater(calls["1K"], calls["1M"])

    def test_memory(self):
        needs = self.report(support.BPATCH, "--info", "patch")["decoder_memory_bytes"]
        self.assertGreater(needs, 0)
        self.refuse_untouched(lambda: self.bpatch("old", "x", "patch", f"--memory={needs - 1}"), 6, str(needs),
                              "--memory")
        self.assertEqual(self.made(f"--memory={needs}"), self.new)

    def test_max_output(self):
        size = len(self.new)
        self.refuse_untouched(lambda: self.bpatch("old", "x", "patch", f"--max-output={size - 1}"), 6, str(size),
                              "--max-output")
        self.assertEqual(self.made(f"--max-output={size}"), self.new)

    def test_timeout(self):
        self.assertEqual(self.made("--timeout=1000.5"), self.new)
        self.refuse_untouched(lambda: self.bpatch("old", "x", "patch", "--timeout", "0.000001"), 7, "0.000001 seconds")
        self.refuse_untouched(lambda: self.bpatch("old", "patch", "--check", "--timeout", "0.000001"), 7, "0.000001 seconds")
        result = self.bpatch("old", "x", "patch", "--timeout=.000001", "--json")
        self.assertEqual(json.loads(result.stdout)["error"]["code"], 604)
        for seconds in ("0", "-1", "1s", ""):
            self.refuse_untouched(lambda: self.bpatch("old", "x", "patch", f"--timeout={seconds}"), 1, "--timeout")

    def test_force(self):
        self.put("made", b"precious")
        self.refuse_untouched(lambda: self.bpatch("old", "made", "patch"), 1, '"made"')
        self.assertEqual(self.made("-f"), self.new)

    def test_check_writes_nothing(self):
        self.put("third", b"something else")
        before = self.snapshot()
        for places in (["old", "patch"], ["old", "absent", "patch"], ["old", "third", "patch"]):
            result = self.succeed(self.bpatch(*places, "--check"))
            self.assertIn(b"verified", result.stderr)
        report = self.report(support.BPATCH, "--check", "old", "patch")
        self.assertTrue(report["verified"])
        self.assertEqual((report["write_calls"], report["target_bytes"]), (0, len(self.new)))
        self.assertEqual(self.snapshot(), before)
        self.refuse_untouched(lambda: self.bpatch("--check", "new", "patch"), 4)
        self.refuse_untouched(lambda: self.bpatch("--check"), 1)

    def test_check_finds_damage_behind_the_header(self):
        patch = self.get("patch")
        self.put("patch", patch[:-40] + bytes([patch[-40] ^ 1]) + patch[-39:])
        result = self.bpatch("--check", "old", "patch")
        self.assertIn(result.returncode, (3, 5))
        self.refuse(result, result.returncode)

    def test_check_of_a_patch_by_itself(self):
        before = self.snapshot()
        patch = self.get("patch")
        for arguments in (["--check", "patch"], ["patch", "--check"], ["--check", "-"], ["--check", "patch", "--io=stdio"]):
            said = self.succeed(self.bpatch(*arguments, input=patch)).stderr
            for part in (b"is undamaged", b"all checksums fit", b"whether it fits OLD is not known"):
                self.assertIn(part, said)
        self.assertEqual(self.succeed(self.bpatch("--check", "patch", "-q")).stderr, b"")
        report = self.report(support.BPATCH, "--check", "patch")
        self.assertEqual([report[key] for key in ("format", "patch_bytes", "verified")], ["bdt2", len(patch), True])
        self.assertNotIn("verified", self.report(support.BPATCH, "--info", "patch"))
        self.assertEqual(self.snapshot(), before)

    def test_check_of_a_patch_by_itself_sees_any_damage(self):
        self.put("small", b"abcdefgh" * 20)
        self.put("other", b"abcdefgh" * 19 + b"ABC")
        self.succeed(self.bdelta("small", "other", "little", "--no-sync"))
        patch = self.get("little")
        self.assertLess(len(patch), 150)
        damaged = [patch[:at] + bytes([patch[at] ^ 1 << at % 8]) + patch[at + 1:] for at in range(len(patch))]
        for bad in damaged + [patch[:size] for size in range(0, len(patch), 7)] + [patch[:-1], patch + b"\0"]:
            self.refuse(self.bpatch("--check", "-", input=bad), 3, '"-"')
        self.put("bad", damaged[-20])
        self.refuse_untouched(lambda: self.bpatch("--check", "bad"), 3, '"bad"')
        error = json.loads(self.bpatch("--check", "bad", "--json").stdout)["error"]
        self.assertEqual((error["name"], error["exit"]), ("PatchCorrupt", 3))
        said = self.refuse_untouched(lambda: self.bpatch("--check", "old"), 3, '"old"').stderr
        self.assertNotIn(b"OLD NEW PATCH", said)
        self.refuse_untouched(lambda: self.bpatch("--check", "absent"), 2, '"absent"')

    def test_check_of_a_patch_without_checksums_by_itself(self):
        self.succeed(self.bdelta("old", "new", "first", "--format=bdt1"))
        said = self.succeed(self.bpatch("--check", "first")).stderr
        self.assertIn(b"this format has no checksum", said)
        self.assertNotIn(b"undamaged", said)
        report = self.report(support.BPATCH, "--check", "first")
        self.assertEqual([report[key] for key in ("format", "patch_bytes", "verified")],
                         ["bdt1", len(self.get("first")), False])
        self.refuse(self.bpatch("--check", "-", input=self.get("first")[:-1]), 3)
        self.refuse(self.bpatch("--check", "-", input=self.get("first") + b"x"), 3)

    def test_check_of_a_patch_by_itself_takes_no_option_that_needs_old(self):
        for option in ("--sha256=" + 64 * "0", "--head-sha256=" + 64 * "0", "--timeout=9", "--trace=t"):
            self.refuse_untouched(lambda: self.bpatch("--check", "patch", option), 1, "need OLD")

    def test_no_sync(self):
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here: only accepted, not seen")
        traced = [tracer, "-f", "-e", "trace=fsync,fdatasync", "-o", "trace", support.BPATCH, "old"]
        self.succeed(self.run_program(traced, "n1", "patch", "--no-sync"))
        self.assertNotIn(b"sync(", self.get("trace"))
        self.succeed(self.run_program(traced, "n2", "patch"))
        self.assertGreaterEqual(len(re.findall(rb"sync\(", self.get("trace"))), 2)

    def test_temp_dir(self):
        os.mkdir(self.path("waiting"))
        self.assertEqual(self.made("--temp-dir=waiting"), self.new)
        self.assertEqual(os.listdir(self.path("waiting")), [])
        self.refuse_untouched(lambda: self.bpatch("old", "x", "patch", "--temp-dir=absent"), 2, '"absent"')

    @unittest.skipUnless(os.path.isdir("/dev/shm"), "no second file system is known here")
    def test_temp_dir_on_another_file_system(self):
        if os.stat("/dev/shm").st_dev == os.stat(self.dir).st_dev or not os.access("/dev/shm", os.W_OK):
            self.skipTest("/dev/shm is the same file system or may not be written")
        self.assertEqual(self.made("--temp-dir=/dev/shm"), self.new)

    def test_stats_json_quiet(self):
        stats = self.succeed(self.bpatch("old", "n1", "patch", "--stats")).stderr
        for word in (b"execute", b"decode", b"windows", b"write calls", b"peak memory"):
            self.assertIn(word, stats)
        quiet = self.succeed(self.bpatch("old", "n2", "patch", "-q", "--stats"))
        self.assertEqual((quiet.stdout, quiet.stderr), (b"", b""))
        both = self.succeed(self.bpatch("old", "n3", "patch", "-q", "--json"))
        self.assertEqual(both.stderr, b"")
        self.assertTrue(json.loads(both.stdout)["verified"])

    def test_streams(self):
        whole = self.succeed(self.bpatch("old", "-", "patch", "--json"))
        self.assertEqual(whole.stdout, self.new)
        self.assertTrue(json.loads(whole.stderr)["ok"])
        piped = self.succeed(self.bpatch("old", "-", "-", "-q", input=self.get("patch")))
        self.assertEqual(piped.stdout, self.new)
        self.succeed(self.bpatch("old", "from-pipe", "-", input=self.get("patch")))
        self.assertEqual(self.get("from-pipe"), self.new)

    def test_both_programs_in_one_pipe(self):
        maker = subprocess.Popen([support.BDELTA, "old", "new", "-", "-q"], cwd=self.dir, stdout=subprocess.PIPE)
        made = self.succeed(self.bpatch("old", "-", "-", "-q", stdin=maker.stdout))
        maker.stdout.close()
        self.assertEqual(maker.wait(), 0)
        self.assertEqual(made.stdout, self.new)


class About(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(6)

    def test_info(self):
        self.succeed(self.bdelta("old", "new", "patch1", "--format=bdt1"))
        before = self.snapshot()
        for executable in (support.BDELTA, support.BPATCH):
            text = self.succeed(self.run_program(executable, "--info", "patch")).stdout.decode()
            self.assertIn("version 2", text)
            self.assertIn(f"{len(self.old)} bytes", text)
            self.assertIn(f"{len(self.new)} bytes", text)
            self.assertEqual(len(re.findall(r"XXH3-128 +[0-9a-f]{32}\n", text)), 2)
            first = self.succeed(self.run_program(executable, "--info", "patch1")).stdout.decode()
            self.assertIn("version 1", first)
            self.assertIn("no checksums", first)
        self.assertEqual(self.snapshot(), before)

    def test_info_says_whether_addresses_are_predicted(self):
        here = os.path.dirname(os.path.abspath(__file__))
        pair = os.path.join(here, "..", "..", "testdata", "golden", "bdt2-predicted")
        old, new = os.path.join(pair, "old"), os.path.join(pair, "new")
        for options, predicted in (((), True), (("--no-predict",), False), (("-2",), False), (("--memory=64M",), True)):
            self.succeed(self.bdelta(old, new, "patch", "--force", *options))
            text = self.succeed(self.run_program(support.BPATCH, "--info", "patch")).stdout.decode()
            self.assertEqual("predicted" in text, predicted, options)
            self.assertEqual(self.report(support.BPATCH, "--info", "patch")["predicted"], predicted, options)

    def test_info_refuses(self):
        for executable in (support.BDELTA, support.BPATCH):
            self.refuse(self.run_program(executable, "--info", "absent"), 2, '"absent"')
            self.refuse(self.run_program(executable, "--info", "old"), 3, '"old"')
            self.refuse(self.run_program(executable, "--info", "patch", "old"), 1)
            self.refuse(self.run_program(executable, "patch", "old", "--info"), 1)
            self.refuse(self.run_program(executable, "--info"), 1)
            self.refuse(self.run_program(executable, "--info", "--quiet"), 1)

    def test_info_takes_its_patch_wherever_it_stands(self):
        for executable in (support.BDELTA, support.BPATCH):
            wanted = self.succeed(self.run_program(executable, "--info", "patch")).stdout
            for words in (("patch", "--info"), ("--info=patch",), ("--info", "--quiet", "patch"), ("--quiet", "--info", "patch")):
                self.assertEqual(self.succeed(self.run_program(executable, *words)).stdout, wanted, words)
            told = self.succeed(self.run_program(executable, "--info", "--json", "patch")).stdout
            self.assertTrue(json.loads(told)["ok"])

    def test_help_fits_a_terminal_and_names_every_option(self):
        common = ["--help", "--version", "--info", "--threads", "--memory", "--io", "--io-buffer", "--temp-dir",
                  "--force", "--no-sync", "--stats", "--json", "--quiet", "--all-in-ram"]
        own = {support.BDELTA: ["-1", "-3", "-6", "--format", "--no-verify"],
               support.BPATCH: ["--check", "--max-output"]}
        for executable, options in own.items():
            result = self.succeed(self.run_program(executable, "--help"))
            self.assertEqual(result.stderr, b"")
            self.assertEqual(result.stdout, self.run_program(executable, "-h").stdout)
            text = result.stdout.decode()
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
            for option in common + options:
                self.assertIn(option, text)

    def test_version(self):
        draft = self.report(support.BPATCH, "--info", "patch")["draft"]
        for executable, name in ((support.BDELTA, "bdelta"), (support.BPATCH, "bpatch")):
            text = self.succeed(self.run_program(executable, "--version")).stdout.decode()
            self.assertRegex(text, rf"^{name} \d+\.\d+\.\d+ \(BDT 2 draft {draft}, zstd \d.*, liblzma \d.*\)\n$")


if __name__ == "__main__":
    unittest.main()
