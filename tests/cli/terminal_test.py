"""What people and machines are shown: progress on a terminal only, JSON with every documented key."""
import json
import os
import random
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
               "patch_xxh3_128", "patch_sha256", "decoder_memory_bytes", "up_to_date", "verified", "threads",
               "wall_seconds", "phases", "streams", "cover_count", "covered_bytes", "literal_bytes", "residual_bytes",
               "window_count", "read_calls", "write_calls", "peak_resident_bytes"]
CREATE_ONLY = ["time", "codecs", "options", "level", "patch_xxh3_128", "patch_sha256", "decoder_memory_bytes"]
INFO_KEYS = ["schema", "program", "version", "ok", "format", "format_version", "draft", "source_bytes", "target_bytes",
             "source_xxh3_128", "target_xxh3_128", "required_features", "optional_features", "predicted",
             "window_bytes", "decoder_memory_bytes"]


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

    def test_a_terminal_sees_percent_and_then_a_clean_line(self):
        shown = self.slowly()
        self.assertRegex(shown, rb"\r *\d+% of 22\.9 MiB")
        self.assertRegex(shown.rstrip(b"\r\n").rsplit(b"\r", 1)[-1], rb"^\x1b\[K(bpatch: .*verified)$")

    def test_quiet_shows_nothing(self):
        self.assertEqual(self.slowly("--quiet"), b"")

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
