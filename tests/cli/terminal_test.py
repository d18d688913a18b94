"""What people and machines are shown: progress on a terminal only, JSON with every documented key."""
import json
import os
import random
import re
import subprocess
import time
import unittest

import support

try:
    import pty
except ImportError:
    pty = None

CREATE_KEYS = ["schema", "program", "version", "ok", "time", "codecs", "options", "source", "target", "patch", "format",
               "level", "source_bytes", "target_bytes", "patch_bytes", "source_xxh3_128", "target_xxh3_128",
               "patch_xxh3_128", "patch_sha256", "decoder_memory_bytes", "nominal_apply_seconds",
               "left_out", "up_to_date", "verified", "threads",
               "wall_seconds", "phases", "streams", "packed", "cover_count", "covered_bytes", "literal_bytes", "residual_bytes",
               "window_count", "read_calls", "write_calls", "peak_resident_bytes"]
CREATE_ONLY = ["time", "codecs", "options", "level", "patch_xxh3_128", "patch_sha256", "decoder_memory_bytes",
               "nominal_apply_seconds", "left_out", "packed"]
INFO_KEYS = ["schema", "program", "version", "ok", "format", "format_version", "draft", "source_bytes", "target_bytes",
             "source_xxh3_128", "target_xxh3_128", "required_features", "optional_features", "predicted", "unpacked",
             "window_bytes", "decoder_memory_bytes"]
VERSION_KEYS = ["schema", "program", "version", "ok", "format", "draft", "zstd", "liblzma", "xxhash", "sha256"]
PROGRESS_KEYS = ["event", "program", "phase", "share", "done_bytes", "total_bytes", "elapsed_seconds", "seconds_left"]


class Json(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(31)

    def test_create(self):
        report = self.report(support.BDELTA, "old", "new", "p")
        self.assertEqual(list(report), CREATE_KEYS)
        self.assertEqual((report["schema"], report["program"], report["ok"]), (1, "bdelta", True))
        self.assertEqual(report["patch_bytes"], len(self.get("p")))
        self.assertEqual((report["source_bytes"], report["target_bytes"]), (len(self.old), len(self.new)))
        self.assertEqual(report["covered_bytes"] + report["literal_bytes"], len(self.new))
        info = self.report(support.BDELTA, "--info", "p")
        self.assertEqual(report["decoder_memory_bytes"], info["decoder_memory_bytes"])
        for phase in report["phases"]:
            self.assertEqual(list(phase), ["name", "seconds", "wall_seconds", "bytes"])
        for stream in report["streams"]:
            self.assertEqual(list(stream), ["name", "raw_bytes", "coded_bytes"])

    def test_apply(self):
        report = self.report(support.BPATCH, "old", "made", "patch")
        self.assertEqual(list(report), [key for key in CREATE_KEYS if key not in CREATE_ONLY])
        self.assertEqual((report["program"], report["patch_bytes"]), ("bpatch", len(self.get("patch"))))

    def test_info(self):
        for executable in (support.BDELTA, support.BPATCH):
            self.assertEqual(list(self.report(executable, "--info", "patch")), INFO_KEYS)
        self.succeed(self.bdelta("old", "new", "patch1", "--format=bdt1"))
        without = [key for key in INFO_KEYS if not key.endswith("xxh3_128")]
        self.assertEqual(list(self.report(support.BPATCH, "--info", "patch1")), without)

    def test_version(self):
        for executable, name in ((support.BDELTA, "bdelta"), (support.BPATCH, "bpatch")):
            text = self.succeed(self.run_program(executable, "--version")).stdout.decode()
            for arguments in (("--version", "--json"), ("--json", "--version")):
                result = self.succeed(self.run_program(executable, *arguments))
                self.assertEqual((result.stdout.count(b"\n"), result.stderr), (1, b""))
                version = json.loads(result.stdout)
                self.assertEqual(list(version), VERSION_KEYS)
                self.assertEqual((version["schema"], version["program"], version["ok"], version["format"]),
                                 (1, name, True, "bdt2"))
                self.assertEqual(text, "{program} {version} (BDT 2 draft {draft}, zstd {zstd}, liblzma {liblzma})\n"
                                 .format(**version))
                self.assertRegex(version["xxhash"], r"^0\.[0-9]+\.[0-9]+$")
                self.assertRegex(version["sha256"], r"^(nettle|libmd) [0-9.]+$")

    def test_error(self):
        result = self.refuse(self.bpatch("new", "made", "patch", "--json"), 4)
        self.assertEqual(result.stdout.count(b"\n"), 1)
        error = json.loads(result.stdout)
        self.assertEqual(list(error), ["schema", "program", "version", "ok", "error"])
        self.assertEqual(list(error["error"])[:5], ["name", "code", "exit", "message", "detail"])
        self.assertEqual(error["error"]["code"], 400)

    def test_bdt1_says_that_it_proves_nothing(self):
        self.succeed(self.bdelta("old", "new", "patch1", "--format=bdt1"))
        self.assertIn(b"no checksum", self.succeed(self.bpatch("old", "made", "patch1")).stderr)
        self.assertFalse(self.report(support.BPATCH, "old", "made2", "patch1")["verified"])


class ProgressJson(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(33)

    def lines_of(self, result):
        """Those of progress, each checked; all of stderr but that."""
        progress, rest = [], []
        for line in result.stderr.splitlines(keepends=True):
            shown = json.loads(line) if line.startswith(b"{") else {}
            (progress if "event" in shown else rest).append(shown if "event" in shown else line)
        for line in progress:
            self.assertIn(list(line), (PROGRESS_KEYS, PROGRESS_KEYS[:-1]))
            self.assertEqual(line["event"], "progress")
            self.assertLessEqual(line["done_bytes"], line["total_bytes"])
            if line["total_bytes"]:
                self.assertAlmostEqual(line["share"], line["done_bytes"] / line["total_bytes"], places=3)
        for key in ("share", "done_bytes", "elapsed_seconds"):
            self.assertEqual([line[key] for line in progress], sorted(line[key] for line in progress))
        return progress, b"".join(rest)

    def test_both_programs_tell_it_without_a_terminal(self):
        for result in (self.bdelta("old", "new", "p", "-9", "--progress=json"),
                       self.bpatch("old", "made", "patch", "--progress=json"),
                       self.bpatch("old", "patch", "--check", "--progress=json")):
            lines, rest = self.lines_of(self.succeed(result))
            self.assertRegex(rest, rb"^b(delta|patch): .*verified\n$")
            self.assertEqual((lines[0]["share"], lines[0]["phase"]), (0, "read"))
            last = lines[-1]
            self.assertEqual((last["share"], last["phase"], last["seconds_left"]), (1, "finish", 0))
            self.assertEqual((last["done_bytes"], last["total_bytes"]), (len(self.new), len(self.new)))
            self.assertEqual([line["share"] for line in lines].count(1), 1)

    def test_a_line_is_a_tenth_of_a_second(self):
        self.put("old", random.Random(34).randbytes(3_000_000))
        self.put("new", random.Random(35).randbytes(3_000_000))
        lines, _ = self.lines_of(self.succeed(self.bdelta("old", "new", "p", "--ultra", "--no-verify", "--progress=json")))
        times = [line["elapsed_seconds"] for line in lines[:-1]]
        self.assertGreater(len(times), 2)
        for before, after in zip(times, times[1:]):
            self.assertGreaterEqual(round(after - before, 3), 0.099)

    def test_it_goes_with_the_result_as_json(self):
        result = self.succeed(self.bdelta("old", "new", "p", "--progress=json", "--json"))
        lines, rest = self.lines_of(result)
        self.assertEqual((lines[-1]["share"], rest), (1, b""))
        self.assertTrue(json.loads(result.stdout)["ok"])
        result = self.succeed(self.bdelta("old", "new", "-", "--progress=json", "--json"))
        lines, rest = self.lines_of(result)
        self.assertEqual((lines[-1]["share"], json.loads(rest)["patch_bytes"]), (1, len(result.stdout)))
        self.assertTrue(result.stderr.endswith(rest))

    def test_work_that_fails_does_not_say_that_it_is_done(self):
        result = self.bpatch("new", "made", "patch", "--progress=json")
        lines, rest = self.lines_of(result)
        self.assertEqual((result.returncode, rest.count(b"\n")), (4, 1))
        self.assertNotIn(1, [line["share"] for line in lines])

    def test_nothing_to_do_is_done(self):
        for new in (b"", self.new):
            self.put("n", new)
            self.succeed(self.bdelta("old", "n", "p", "-f"))
            for _ in range(2):  # made, and up to date
                lines, _ = self.lines_of(self.succeed(self.bpatch("old", "made", "p", "--progress=json", "-f")))
                self.assertEqual((lines[-1]["share"], lines[-1]["total_bytes"]), (1, len(new)))

    def test_usage(self):
        self.refuse_untouched(lambda: self.bpatch("old", "x", "patch", "--progress=loud"), 1, "--progress")


@unittest.skipUnless(pty, "no pseudo-terminals here")
class Progress(support.Case):
    def setUp(self):
        super().setUp()
        rng = random.Random(32)
        self.put("old", rng.randbytes(1_000_000))
        self.new = rng.randbytes(24_000_000)
        self.put("new", self.new)
        self.succeed(self.bdelta("old", "new", "patch", "-1", "--no-sync", "--no-verify"))

    def slowly(self, *options):
        """bpatch into a pipe that nobody reads for over a second, stderr on a terminal; gives what that showed."""
        master, slave = pty.openpty()
        process = subprocess.Popen([support.BPATCH, "old", "-", "patch", *options], cwd=self.dir,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        time.sleep(1.3)
        self.assertEqual(process.communicate(timeout=60)[0], self.new)
        self.assertEqual(process.returncode, 0)
        shown = b""
        try:
            while piece := os.read(master, 65536):
                shown += piece
        except OSError:
            pass  # the end of a terminal
        os.close(master)
        return shown

    def test_a_terminal_sees_phase_and_percent_and_then_a_clean_line(self):
        shown = self.slowly()
        lines = re.findall(rb"\r(\w+ +\d+% of 22\.9 MiB(?:, [0-9a-z ]+ left)?)\x1b\[K", shown)
        self.assertTrue(lines, shown)
        self.assertTrue(all(line.startswith(b"execute ") and len(line) < 80 for line in lines), lines)
        self.assertRegex(shown.rstrip(b"\r\n").rsplit(b"\r", 1)[-1], rb"^\x1b\[K(bpatch: .*verified)$")

    def test_quiet_or_none_shows_nothing(self):
        self.assertEqual(self.slowly("--quiet"), b"")
        self.assertRegex(self.slowly("--progress=none"), rb"^bpatch: .*verified\r\n$")

    def test_json_takes_the_place_of_the_line_whatever_else(self):
        shown = self.slowly("--progress=json", "--quiet")
        self.assertNotIn(b"\x1b", shown)
        lines = [json.loads(line) for line in shown.splitlines()]
        self.assertEqual({line["event"] for line in lines}, {"progress"})
        self.assertEqual((lines[0]["share"], lines[-1]["share"]), (0, 1))

    def test_no_progress_without_a_terminal(self):
        process = self.start(support.BPATCH, "old", "-", "patch", stdout=subprocess.PIPE)
        time.sleep(1.3)
        made, said = process.communicate(timeout=60)
        self.assertEqual(made, self.new)
        self.assertNotIn(b"%", said)
        self.assertNotIn(b"\r", said)

    def test_quick_work_shows_none(self):
        master, slave = pty.openpty()
        self.succeed(self.bpatch("old", "made", "patch", "--no-sync", stderr=slave))
        os.close(slave)
        shown = os.read(master, 65536)
        os.close(master)
        self.assertNotIn(b"%", shown)


if __name__ == "__main__":
    unittest.main()
