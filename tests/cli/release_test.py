"""Patches from several OLDs to one NEW: their names, the manifest, and what becomes of the others when one fails."""
import hashlib
import json
import os
import random
import re
import signal
import unittest

import support

MANIFEST_KEYS = ["manifest_schema", "program", "version", "ok", "format", "draft", "time", "codecs", "options", "target",
                 "patches"]
OPTION_KEYS = ["level", "format", "predict", "unpack", "digests", "verify", "memory_bytes", "max_ratio", "max_apply_seconds", "timeout_seconds", "io"]
MADE_KEYS = ["source", "ok", "patch", "decoder_memory_bytes", "verified", "error", "seconds"]
FAILED_KEYS = ["source", "ok", "patch", "error", "seconds"]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Release(support.Case):
    """Three versions of one thing, and a file that has nothing of them."""

    def setUp(self):
        super().setUp()
        self.new = support.make_pair(51, size=300_000)[1]
        rng = random.Random(52)
        for version in ("1.0", "1.1"):
            os.makedirs(self.path(f"r/{version}"))
            at = rng.randrange(len(self.new))
            self.put(f"r/{version}/app", self.new[:at] + rng.randbytes(2000) + self.new[at + 500:])
        self.put("new", self.new)
        self.put("other", rng.randbytes(200_000))

    def release(self, *arguments, out="out", **how):
        return self.bdelta("--to", "new", "--out", out, "--no-sync", *arguments, **how)

    def manifest(self, out="out"):
        return json.loads(self.get(f"{out}/manifest.json"))

    def names(self, out="out"):
        return sorted(os.listdir(self.path(out)))

    def expect_rebuilt(self, entry, old, out="out"):
        """By what the manifest says alone."""
        name = entry["patch"]["name"]
        self.succeed(self.bpatch(old, "made", f"{out}/{name}", "-f", "--no-sync", "--sha256", entry["patch"]["sha256"]))
        self.assertEqual(self.get("made"), self.new)

    def test_each_patch_is_right_and_told_of(self):
        olds = ["r/1.0/app", "other", "new"]
        self.succeed(self.release(*olds, "-6", "--hash-files", "sha256"))
        self.assertEqual(self.names(), [b"app--new.bdelta", b"manifest.json", b"new--new.bdelta", b"other--new.bdelta"])
        manifest = self.manifest()
        self.assertEqual(list(manifest), MANIFEST_KEYS)
        self.assertEqual((manifest["manifest_schema"], manifest["program"], manifest["ok"]), (1, "bdelta", True))
        self.assertEqual(list(manifest["options"]), OPTION_KEYS)
        self.assertEqual((manifest["options"]["level"], manifest["options"]["max_ratio"]), (6, None))
        self.assertRegex(manifest["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(list(manifest["codecs"]), ["zstd", "liblzma"])
        target = manifest["target"]
        self.assertEqual((target["name"], target["bytes"], target["sha256"]), ("new", len(self.new), sha256(self.new)))
        self.assertEqual([entry["source"]["name"] for entry in manifest["patches"]], olds)
        for entry in manifest["patches"]:
            self.assertEqual(list(entry), MADE_KEYS)
            old, patch = self.get(entry["source"]["name"]), self.get("out/" + entry["patch"]["name"])
            self.assertEqual((entry["source"]["bytes"], entry["source"]["sha256"]), (len(old), sha256(old)))
            self.assertEqual((entry["patch"]["bytes"], entry["patch"]["sha256"]), (len(patch), sha256(patch)))
            info = self.report(support.BPATCH, "--info", "out/" + entry["patch"]["name"])
            self.assertEqual(entry["source"]["xxh3_128"], info["source_xxh3_128"])
            self.assertEqual(target["xxh3_128"], info["target_xxh3_128"])
            self.assertEqual(entry["decoder_memory_bytes"], info["decoder_memory_bytes"])
            self.expect_rebuilt(entry, entry["source"]["name"])
            self.succeed(self.bdelta(entry["source"]["name"], "new", "alone", "-6", "-f", "--no-sync"))
            self.assertEqual(self.get("alone"), patch)
        self.assertLess(manifest["patches"][2]["patch"]["bytes"], 100)  # OLD that is NEW already

    def test_ways_of_reading_change_no_byte(self):
        made = []
        for way in (["--io=mmap"], ["--io=stdio"], ["--io=stdio", "--memory=64M", "-t1"], ["--digests"], ["--format=bdt1"]):
            self.succeed(self.release("r/1.0/app", "other", *way, "-f"))
            manifest = self.manifest()
            made.append([entry["patch"]["sha256"] for entry in manifest["patches"]])
            for entry in manifest["patches"]:
                self.expect_rebuilt(entry, entry["source"]["name"])
                self.assertEqual("head_sha256" in entry["patch"], way == ["--digests"])
            self.assertNotIn("sha256", manifest["target"])
        self.assertEqual(made[0], made[1])
        self.assertEqual(made[0], made[2])
        self.assertEqual((manifest["format"], manifest["draft"]), ("bdt1", 0))

    def test_names_that_collide_get_their_folders(self):
        self.succeed(self.release("r/1.0/app", "r/1.1/app", "other"))
        self.assertEqual(self.names(), [b"1.0-app--new.bdelta", b"1.1-app--new.bdelta", b"manifest.json",
                                        b"other--new.bdelta"])
        for entry, old in zip(self.manifest()["patches"], ("r/1.0/app", "r/1.1/app", "other")):
            self.expect_rebuilt(entry, old)

    def test_names_that_stay_the_same_are_refused(self):
        self.refuse_untouched(lambda: self.release("other", "./other"), 1, '"', "other--new.bdelta")

    def test_names_of_any_bytes(self):
        old = os.fsencode(self.dir) + b"/caf\xe9 1\n"
        os.rename(self.path("other"), old)
        os.mkdir(os.fsencode(self.dir) + b"/out\xff")
        self.succeed(self.release(old, b"r/1.0/app", out=b"out\xff"))
        manifest = self.manifest(b"out\xff".decode("utf-8", "surrogateescape"))
        source, patch = manifest["patches"][0]["source"], manifest["patches"][0]["patch"]
        self.assertEqual(bytes.fromhex(source["name_hex"]), old)
        self.assertTrue(source["name"].endswith("/caf\ufffd 1\n"))
        self.assertEqual(patch["name"], "caf_xe9_1_x0a--new.bdelta")
        self.assertEqual(list(manifest["patches"][1]["source"]), ["name", "bytes", "xxh3_128"])
        self.assertEqual(sha256(self.get(b"out\xff/" + patch["name"].encode())), patch["sha256"])

    def test_others_are_made_when_one_fails(self):
        result = self.release("absent", "r/1.0/app", "r", "other")
        self.assertEqual(result.returncode, 2)
        lines = result.stderr.decode().splitlines()
        self.assertEqual(len(lines), 5, lines)
        self.assertIn('"absent"', lines[0])
        self.assertEqual(lines[0].count("absent"), 1)
        self.assertIn('"out/app--new.bdelta"', lines[1])
        self.assertIn('"r"', lines[2])
        self.assertRegex(lines[4], r"2 of 4 patches made, .* in all, .* s, 2 failed; see \"out/manifest.json\"$")
        manifest = self.manifest()
        self.assertFalse(manifest["ok"])
        self.assertEqual([entry["ok"] for entry in manifest["patches"]], [False, True, False, True])
        for entry, code in ((manifest["patches"][0], 201), (manifest["patches"][2], 202)):
            self.assertEqual(list(entry), FAILED_KEYS)
            self.assertIsNone(entry["patch"])
            self.assertEqual(list(entry["source"]), ["name"])
            self.assertEqual((entry["error"]["code"], entry["error"]["exit"]), (code, 2))
        for entry in (manifest["patches"][1], manifest["patches"][3]):
            self.expect_rebuilt(entry, entry["source"]["name"])

    def test_patches_that_are_not_worth_it(self):
        result = self.release("other", "r/1.0/app", "--max-ratio=30%", "--hash-files=sha256")
        self.assertIn(b'"other": not worth a patch: ', result.stderr)
        self.assertIn(b"1 of 2 patches made", result.stderr)
        self.assertIn(b"1 not worth a patch", result.stderr)
        self.assertEqual(self.names(), [b"app--new.bdelta", b"manifest.json"])
        entry = self.manifest()["patches"][0]
        self.assertEqual((entry["ok"], entry["patch"], entry["error"]["code"]), (False, None, 605))
        self.assertEqual(result.returncode, entry["error"]["exit"])
        # Who has this OLD finds it.
        self.assertEqual((entry["source"]["bytes"], entry["source"]["sha256"]), (200_000, sha256(self.get("other"))))
        self.assertEqual(len(entry["source"]["xxh3_128"]), 32)

    def test_a_failure_is_not_hidden_by_one_that_is_not_worth_it(self):
        for olds in (("other", "absent"), ("absent", "other")):
            self.assertEqual(self.release(*olds, "--max-ratio=30%", "-f").returncode, 2)

    def test_outputs_that_exist_are_told_before_the_work(self):
        os.mkdir(self.path("out"))
        self.put("out/other--new.bdelta", b"precious")
        self.put("out/manifest.json", b"{}")
        for olds in (["other", "r/1.0/app"], ["r/1.0/app"]):
            self.refuse(self.release(*olds), 1, '"out/manifest.json"', "--force")
            self.assertEqual(self.names(), [b"manifest.json", b"other--new.bdelta"])
            self.assertEqual(self.get("out/manifest.json"), b"{}")
        os.remove(self.path("out/manifest.json"))
        self.refuse(self.release("r/1.0/app", "other"), 1, '"out/other--new.bdelta"')
        self.assertEqual(self.names(), [b"other--new.bdelta"])
        self.succeed(self.release("r/1.0/app", "other", "--force"))
        for entry in self.manifest()["patches"]:
            self.expect_rebuilt(entry, entry["source"]["name"])

    def test_a_patch_of_an_earlier_run_that_stays_is_told(self):
        self.succeed(self.release("other"))
        before = self.get("out/other--new.bdelta")
        result = self.refuse(self.release("other", "--max-ratio=30%", "-f", "-q"),
                             self.bdelta("other", "new", "p", "--max-ratio=30%").returncode,
                             'what stood at "out/other--new.bdelta" before stays there as it was')
        self.assertNotIn(b"made", result.stderr)
        self.assertEqual(self.get("out/other--new.bdelta"), before)
        self.assertIsNone(self.manifest()["patches"][0]["patch"])

    def test_no_input_is_replaced(self):
        os.mkdir(self.path("out"))
        self.put("out/other--new.bdelta", self.get("r/1.0/app"))
        self.refuse_untouched(lambda: self.release("other", "out/other--new.bdelta", "-f"), 1, '"out/other--new.bdelta"')
        os.link(self.path("new"), self.path("out/manifest.json"))
        self.refuse_untouched(lambda: self.release("r/1.0/app", "-f"), 1, '"out/manifest.json"')

    def test_the_folder_is_made_if_its_parent_is_there(self):
        self.succeed(self.bdelta("--to=new", "--out=made/", "other"))
        self.assertEqual(self.names("made"), [b"manifest.json", b"other--new.bdelta"])
        self.refuse_untouched(lambda: self.release("other", out="no/such"), 2, '"no/such"')
        self.refuse_untouched(lambda: self.release("other", out="new"), 2, '"new"')
        self.refuse_untouched(lambda: self.bdelta("--to", "absent", "--out", "out", "other"), 2, '"absent"')

    def test_the_folder_that_is_made_is_on_the_disk(self):
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here: what is synced is not seen")
        traced = [tracer, "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", "trace", support.BDELTA]
        for options, is_synced in (([], True), (["--no-sync"], False)):
            self.succeed(self.run_program(traced, "--to", "new", "--out", "o" + "".join(options), "other", *options))
            synced = re.findall(rb"sync\(\d+<([^>]*)>", self.get("trace"))
            self.assertEqual(os.fsencode(os.path.realpath(self.dir)) in synced, is_synced, synced)

    def test_json_is_the_manifest_in_one_line(self):
        result = self.release("other", "absent", "--json")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.count(b"\n"), 1)
        self.assertEqual(json.loads(result.stdout), self.manifest())
        self.assertEqual(result.stderr.count(b"\n"), 1)  # the error alone
        refused = self.release("other", "--json")
        self.assertEqual(json.loads(refused.stdout)["error"]["code"], 102)

    def test_quiet_says_errors_alone(self):
        self.assertEqual(self.succeed(self.release("other", "-q")).stderr, b"")
        self.refuse(self.release("other", "absent", "-q", "-f"), 2, '"absent"')

    def test_stats_are_told_for_each(self):
        said = self.succeed(self.release("other", "r/1.0/app", "--stats")).stderr
        self.assertEqual(len(re.findall(rb"^phase ", said, re.M)), 2)

    def test_same_inputs_give_the_same_manifest_where_builds_are_reproducible(self):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        texts = []
        for threads in ("1", "2"):
            self.succeed(self.release("other", "r/1.0/app", "-f", "--threads", threads, env=environment))
            texts.append(self.get("out/manifest.json"))
        self.assertEqual(texts[0], texts[1])
        manifest = json.loads(texts[0])
        self.assertEqual(manifest["time"], "2023-11-14T22:13:20Z")
        self.assertEqual(list(manifest["patches"][0]), [key for key in MADE_KEYS if key != "seconds"])
        environment["SOURCE_DATE_EPOCH"] = "yesterday"
        self.refuse_untouched(lambda: self.release("other", "-f", env=environment), 1, "SOURCE_DATE_EPOCH")
        self.succeed(self.bdelta("other", "new", "p", env=environment))  # tells no time, so needs none

    def test_wrong_lines_are_refused(self):
        for line in (["--to", "new", "other"], ["--out", "out", "other"], ["--to", "new", "--out", "out"],
                     ["--to", "new", "--out", "out", "other", ""], ["--to", "new", "--out", "out", "other", "-"],
                     ["--to", "-", "--out", "out", "other"], ["--to", "new", "--out", "out", "--info", "new"],
                     ["--to", "new", "--out", "out", "other", "--trace", "t"], ["other", "new", "p", "q"],
                     ["other", "new", "p", "--hash-files=sha256"], ["other", "new", "p", "--json", "--hash-files=md5"]):
            with self.subTest(line=line):
                self.refuse_untouched(lambda: self.bdelta(*line), 1)

    def test_new_is_read_once(self):
        tracer = support.strace()
        if not tracer:
            self.skipTest("strace does not work here: what is read is not seen")
        for way in ("mmap", "stdio"):
            # -y shows the file behind a descriptor.
            traced = [tracer, "-f", "-y", "-e", "trace=openat,open,mmap,read,pread64", "-o", "trace", support.BDELTA]
            self.succeed(self.run_program(traced, "--to", "new", "--out", "out", "r/1.0/app", "r/1.1/app", "other",
                                          f"--io={way}", "-f", "--no-sync"))
            lines = [line for line in self.get("trace").decode(errors="replace").splitlines() if "/new>" in line]
            opened = [line for line in lines if " open" in line]
            mapped = [line for line in lines if " mmap(" in line]
            read = sum(int(line.rsplit("= ", 1)[1]) for line in lines if re.search(r" p?read(64)?\(", line))
            self.assertEqual(len(opened), 1, opened)
            self.assertEqual((len(mapped), read), (1, 0) if way == "mmap" else (0, len(self.new)))

    def test_interrupted(self):
        """What is finished stays, the rest is as if it had never begun."""
        self.put("slow", support.text_of(random.Random(53), 30_000))
        self.put("quick", support.text_of(random.Random(54), 30_000))
        self.put("new", self.get("quick"))
        process = self.start(support.BDELTA, "--to", "new", "--out", "out", "quick", "slow", "other", "--ultra")
        first = self.path("out/quick--new.bdelta")
        self.wait_for(lambda: os.path.exists(first) and len(self.names()) == 3)  # and two that are unfinished
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, said)
        self.assertEqual(said.count(b"\n"), 2, said)
        self.assertIn(b"patches already finished stay (at least 1 of 3), no manifest was written", said)
        self.assertEqual(self.names(), [b"quick--new.bdelta"])
        self.succeed(self.bpatch("quick", "made", "out/quick--new.bdelta"))
        self.assertEqual(self.get("made"), self.get("new"))


if __name__ == "__main__":
    unittest.main()
