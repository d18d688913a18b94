"""What --json tells beside figures: names, digests, options and the time, for those who write manifests of their own."""
import hashlib
import json
import os
import unittest

import support


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Report(support.Case):

    def test_names_digests_and_options(self):
        self.standard_pair(61)
        report = self.report(support.BDELTA, "old", "new", "p", "-4", "--memory=1G", "--max-ratio=0.9", "--timeout=99",
                             "--hash-files=sha256")
        for role, name in (("source", "old"), ("target", "new"), ("patch", "p")):
            self.assertEqual(report[role], name)
            self.assertEqual(report[f"{role}_bytes"], len(self.get(name)))
            self.assertEqual(report[f"{role}_sha256"], sha256(self.get(name)))
        info = self.report(support.BPATCH, "--info", "p")
        for role in ("source", "target"):
            self.assertEqual(report[f"{role}_xxh3_128"], info[f"{role}_xxh3_128"])
        self.assertRegex(report["patch_xxh3_128"], r"^[0-9a-f]{32}$")
        self.assertEqual(report["options"], {"level": 4, "format": "bdt2", "predict": True, "unpack": "auto",
                                             "digests": False, "verify": True,
                                             "memory_bytes": 1 << 30, "max_ratio": 0.9, "max_apply_seconds": None, "timeout_seconds": 99.0, "io": "mmap"})
        plain = self.report(support.BDELTA, "old", "new", "p2", "--no-predict", "--no-verify", "--io=stdio", "--digests")
        self.assertEqual([key for key in plain if key.endswith("_sha256")], ["patch_sha256", "head_sha256"])
        options = plain["options"]
        self.assertEqual([options[key] for key in ("predict", "verify", "io", "digests")], [False, False, "stdio", True])

    def test_patch_through_standard_output(self):
        self.standard_pair(62)
        result = self.succeed(self.bdelta("old", "new", "-", "--json"))
        report = json.loads(result.stderr)
        self.assertEqual((report["patch"], report["patch_sha256"]), ("-", sha256(result.stdout)))

    def test_time_of_day(self):
        self.standard_pair(63)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "86399"}
        result = self.succeed(self.bdelta("old", "new", "p", "--json", env=environment))
        self.assertEqual(json.loads(result.stdout)["time"], "1970-01-01T23:59:59Z")

    def test_apply_tells_what_it_proved(self):
        self.standard_pair(64)
        patch = sha256(self.get("patch"))
        info = self.report(support.BPATCH, "--info", "patch")
        report = self.report(support.BPATCH, "old", "made", "patch", "--sha256", patch)
        self.assertEqual([report[key] for key in ("source", "target", "patch", "patch_sha256")], ["old", "made", "patch", patch])
        for key in ("source_xxh3_128", "target_xxh3_128"):
            self.assertEqual(report[key], info[key])
        again = self.report(support.BPATCH, "old", "made", "patch")
        self.assertTrue(again["up_to_date"])
        self.assertNotIn("source_xxh3_128", again)
        self.assertEqual(again["target_xxh3_128"], info["target_xxh3_128"])
        self.assertNotIn("patch_sha256", again)
        checked = self.report(support.BPATCH, "--check", "old", "patch")
        self.assertNotIn("target", checked)


if __name__ == "__main__":
    unittest.main()
