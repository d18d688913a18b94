"""--sha256, --digests and --head-sha256: what a patch has to be is proven before it is read."""
import hashlib
import json
import os
import random
import threading
import unittest

import support


def varint(data, at):
    """(value, position behind it)"""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def record_end(patch, at):
    """Of the record at this place, by FORMAT.md alone: type, length, and a checksum for each MiB of the body."""
    if patch[at] == 0:
        return at + 1
    size, body = varint(patch, at + 1)
    return body + size + 4 * max(1, -(-size // (1 << 20)))


def split(patch):
    """(head, listed digests, records behind the head) of a patch without prediction."""
    length, at = varint(patch, 6)
    at += length + 4
    assert patch[at] == 1
    size, body = varint(patch, at + 1)
    digests = [patch[body + i:body + i + 32] for i in range(0, size, 32)]
    at = record_end(patch, at)
    head, records = patch[:at], []
    while at < len(patch):
        records.append(patch[at:record_end(patch, at)])
        at = record_end(patch, at)
    assert records[-1] == b"\0"
    return head, digests, records


class Sha256(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(17)
        self.digest = hashlib.sha256(self.get("patch")).hexdigest()
        self.other = self.digest[:-1] + ("0" if self.digest[-1] != "0" else "1")

    def test_the_right_patch_is_applied(self):
        for digest in (self.digest, self.digest.upper()):
            self.succeed(self.bpatch("old", "made", "patch", "--force", "--no-sync", "--sha256", digest))
            self.assertEqual(self.get("made"), self.new)
        self.succeed(self.bpatch("old", "patch", "--check", "--sha256", self.digest))
        self.assertTrue(self.report(support.BPATCH, "old", "again", "patch", "--sha256", self.digest)["verified"])

    def test_another_patch_is_refused(self):
        for io in ("--io=mmap", "--io=stdio"):
            self.refuse_untouched(lambda: self.bpatch("old", "made", "patch", io, "--sha256", self.other), 3, '"patch"',
                                  self.digest, self.other)
        self.refuse_untouched(lambda: self.bpatch("old", "patch", "--check", "--sha256", self.other), 3, '"patch"')
        result = self.bpatch("old", "made", "patch", "--json", "--sha256", self.other)
        self.assertEqual(json.loads(result.stdout)["error"]["code"], 309)

    def test_it_is_checked_before_anything_is_parsed(self):
        self.put("patch", b"no patch at all")
        result = self.bpatch("old", "made", "patch", "--json", "--sha256", self.digest)
        self.assertEqual(json.loads(result.stdout)["error"]["name"], "PatchDigest")

    def test_through_pipes(self):
        patch = self.get("patch")
        for digest, status in ((self.digest, 0), (self.other, 3)):
            result = self.bpatch("old", "-", "-", "--sha256", digest, input=patch)
            self.assertEqual((result.returncode, result.stdout), (status, self.new if status == 0 else b""))
        os.mkfifo(self.path("fifo"))

        def serve():
            with open(self.path("fifo"), "wb") as fifo:
                fifo.write(patch)

        writer = threading.Thread(target=serve)
        writer.start()
        self.succeed(self.bpatch("old", "made", "fifo", "--no-sync", "--sha256", self.digest))
        writer.join()
        self.assertEqual(self.get("made"), self.new)

    def test_a_large_patch_from_a_pipe_waits_in_a_file(self):
        self.put("large", random.Random(3).randbytes(17 << 20))
        self.succeed(self.bdelta("old", "large", "p", "-1", "--no-sync"))
        digest = hashlib.sha256(self.get("p")).hexdigest()
        os.mkdir(self.path("waiting"))
        self.succeed(self.bpatch("old", "made", "-", "--no-sync", "--sha256", digest, "--temp-dir=waiting",
                                 input=self.get("p")))
        self.assertEqual(self.get("made"), self.get("large"))
        self.assertEqual(os.listdir(self.path("waiting")), [])

    def test_usage(self):
        for digest in ("abc", self.digest + "0", self.digest[:-1] + "g"):
            self.refuse_untouched(lambda d=digest: self.bpatch("old", "x", "patch", f"--sha256={d}"), 1,
                                  "64 hexadecimal")
        self.refuse_untouched(lambda: self.bpatch("--info", "patch", "--sha256", self.digest), 1, "--info")


class Digests(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(18, size=48_000_000)
        self.made = self.report(support.BDELTA, "old", "new", "listed", "-1", "--digests")

    def test_the_head_and_each_record_have_their_digest(self):
        patch = self.get("listed")
        head, digests, records = split(patch)
        self.assertGreater(len(records), 2)
        self.assertEqual(hashlib.sha256(head).hexdigest(), self.made["head_sha256"])
        self.assertEqual([hashlib.sha256(record).digest() for record in records], digests)
        self.assertEqual(len(patch), self.made["patch_bytes"])

    def test_it_applies_like_any_other(self):
        self.succeed(self.bpatch("old", "made", "listed", "--no-sync"))
        self.assertEqual(self.get("made"), self.new)

    def test_the_head_proves_each_part(self):
        head = self.made["head_sha256"]
        digest = hashlib.sha256(self.get("listed")).hexdigest()
        for more in ((), ("--sha256", digest), ("--io=stdio", "-t1")):
            self.succeed(self.bpatch("old", "made", "listed", "-f", "--no-sync", "--head-sha256", head.upper(), *more))
            self.assertEqual(self.get("made"), self.new)
        self.succeed(self.bpatch("old", "listed", "--check", "--head-sha256", head))
        self.assertTrue(self.report(support.BPATCH, "old", "made", "listed", "-f", "--head-sha256", head)["up_to_date"])

    def test_another_head_or_part_is_refused(self):
        head = self.made["head_sha256"]
        other = head[:-1] + ("0" if head[-1] != "0" else "1")
        self.refuse_untouched(lambda: self.bpatch("old", "made", "listed", "--head-sha256", other), 3, '"listed"', head, other)
        self.refuse_untouched(lambda: self.bpatch("old", "made", "patch", "--head-sha256", head), 3, '"patch"')
        patch = bytearray(self.get("listed"))
        patch[-10] ^= 1
        self.put("damaged", patch)
        for arguments in (("old", "made", "damaged"), ("old", "damaged", "--check")):
            result = self.bpatch(*arguments, "--json", "--head-sha256", head)
            self.assertEqual(json.loads(result.stdout)["error"]["code"], 309)
        self.assertNotIn("made", os.listdir(self.dir))
        whole = hashlib.sha256(patch).hexdigest()
        self.refuse_untouched(lambda: self.bpatch("old", "x", "damaged", "--sha256", whole, "--head-sha256", head), 3, "part")
        self.refuse_untouched(lambda: self.bpatch("old", "x", "listed", "--sha256", whole, "--head-sha256", head), 3, whole)

    def test_a_head_proves_what_comes_through_a_pipe(self):
        head, patch = self.made["head_sha256"], self.get("listed")
        result = self.succeed(self.bpatch("old", "-", "-", "--head-sha256", head, input=patch))
        self.assertEqual(result.stdout, self.new)
        result = self.bpatch("old", "made", "-", "--json", "--head-sha256", head, input=patch[:-1])
        self.assertEqual(json.loads(result.stdout)["error"]["name"], "PatchTruncated")

    def test_a_head_is_one_of_a_patch_with_a_list(self):
        self.succeed(self.bdelta("old", "new", "patch1", "--format=bdt1"))
        self.refuse_untouched(lambda: self.bpatch("old", "x", "patch1", "--head-sha256", 64 * "0"), 3, "list of digests")
        self.refuse_untouched(lambda: self.bpatch("old", "x", "listed", "--head-sha256", "abc"), 1, "64 hexadecimal")
        self.refuse_untouched(lambda: self.bpatch("--info", "listed", "--head-sha256", 64 * "0"), 1, "--info")

    def test_info_tells_the_head(self):
        for executable in (support.BDELTA, support.BPATCH):
            self.assertEqual(self.report(executable, "--info", "listed")["head_sha256"], self.made["head_sha256"])
            self.assertNotIn("head_sha256", self.report(executable, "--info", "patch"))
        text = self.succeed(self.bpatch("--info", "listed")).stdout.decode()
        self.assertIn(self.made["head_sha256"], text)

    def test_without_it_there_is_none(self):
        plain = self.report(support.BDELTA, "old", "new", "plain", "-1")
        self.assertNotIn("head_sha256", plain)
        head, digests, _ = split(self.get("listed"))
        self.assertGreater(self.made["patch_bytes"], plain["patch_bytes"] + 32 * len(digests))
        self.assertNotEqual(self.get("plain")[:len(head)], head)

    def test_threads_change_no_byte(self):
        self.succeed(self.bdelta("old", "new", "two", "-1", "--digests", "-t2"))
        self.assertEqual(self.get("two"), self.get("listed"))

    def test_bdt1_has_no_place_for_it(self):
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--digests", "--format=bdt1"), 1, "bdt2")


if __name__ == "__main__":
    unittest.main()
