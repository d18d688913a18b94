"""--trace: a file that viewers of Chrome traces open, that agrees with --json, and that obeys the rules of outputs."""
import collections
import json
import os
import signal
import subprocess
import unittest

import support


class Trace(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(41, size=3_000_000)

    def load(self, name="trace"):
        """The spans, and the whole; what the format asks of every event is checked on the way."""
        trace = json.loads(self.get(name))
        self.assertEqual(set(trace), {"traceEvents", "displayTimeUnit", "otherData"})
        spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        named = {event["tid"]: event["args"]["name"]
                 for event in trace["traceEvents"] if event["name"] == "thread_name"}
        for event in trace["traceEvents"]:
            self.assertIn(event["ph"], "XM")
        for span in spans:
            self.assertGreaterEqual(span["ts"], 0)
            self.assertGreaterEqual(span["dur"], 0)
            self.assertEqual(named[span["tid"]], f"worker {span['tid']}" if span["tid"] else "caller")
        return spans, trace

    def agree(self, spans, report):
        """Each phase of the report is the sum of its spans' own time, and its wall clock their union."""
        own = collections.Counter()
        stretches = collections.defaultdict(list)
        for span in spans:
            own[span["cat"]] += span["args"]["self_us"] / 1e6
            stretches[span["cat"]].append((span["ts"], span["ts"] + span["dur"]))
            self.assertLess(span["tid"], report["threads"])
            self.assertLessEqual(span["ts"] + span["dur"], report["wall_seconds"] * 1e6 + 1)
        for phase in report["phases"]:
            union = end = 0
            for begin, stop in sorted(stretches[phase["name"]]):
                union += max(0, stop - max(begin, end))
                end = max(end, stop)
            self.assertAlmostEqual(own[phase["name"]], phase["seconds"], delta=1e-5 + phase["seconds"] / 100)
            self.assertAlmostEqual(union / 1e6, phase["wall_seconds"], delta=1e-5 + phase["wall_seconds"] / 100)
        self.assertLessEqual(set(own), {phase["name"] for phase in report["phases"]})

    def test_create(self):
        for threads in (1, 3):
            report = self.report(support.BDELTA, "old", "new", "p", "-f", "-6", f"-t{threads}", "--trace", "trace")
            self.assertEqual(self.get("p"), self.get_patch_of_level_6())
            spans, trace = self.load()
            self.agree(spans, report)
            for name in ("hash", "compare", "index", "scan", "encode", "compress", "verify", "write", "finish"):
                self.assertIn(name, {span["name"] for span in spans})
            other = trace["otherData"]
            self.assertEqual((other["program"], other["ok"], other["level"], other["threads"]),
                             ("bdelta", True, 6, threads))
            self.assertEqual((other["source_bytes"], other["target_bytes"]), (len(self.old), len(self.new)))
            self.assertEqual((other["patch_bytes"], other["dropped_spans"]), (len(self.get("p")), 0))

    def get_patch_of_level_6(self):
        self.succeed(self.bdelta("old", "new", "untraced", "-f", "-6"))
        return self.get("untraced")

    def test_apply(self):
        for options in (["-t1"], ["-t3"], ["-t3", "--io=stdio"]):
            report = self.report(support.BPATCH, "old", "made", "patch", "-f", *options, "--trace=trace")
            os.unlink(self.path("made"))
            spans, trace = self.load()
            self.agree(spans, report)
            windows = {span["args"]["index"] for span in spans if span["name"] == "execute"}
            self.assertEqual(windows, set(range(report["window_count"])))
            read = sum(span["args"].get("bytes", 0) for span in spans if span["name"] == "read")
            self.assertEqual(read, len(self.get("patch")))
            self.assertNotIn("level", trace["otherData"])

    def test_check_and_streams(self):
        report = self.report(support.BPATCH, "--check", "old", "patch", "--trace=trace")
        self.agree(self.load()[0], report)
        result = self.succeed(self.bpatch("old", "-", "-", "--json", "--trace=t2", input=self.get("patch")))
        self.assertEqual(result.stdout, self.new)
        self.agree(self.load("t2")[0], json.loads(result.stderr))

    def test_already_up_to_date(self):
        report = self.report(support.BPATCH, "old", "new", "patch", "--trace=trace")
        self.assertTrue(report["up_to_date"])
        self.agree(self.load()[0], report)

    def test_failed_work_is_traced_until_then(self):
        patch = self.get("patch")
        middle = len(patch) // 2
        self.put("bad", patch[:middle] + bytes([patch[middle] ^ 0x10]) + patch[middle + 1:])
        result = self.bpatch("old", "made", "bad", "--trace=trace")
        self.refuse(result, result.returncode, '"bad"')
        self.assertIn(result.returncode, (3, 5))
        spans, trace = self.load()
        self.assertIn("decode", {span["name"] for span in spans})
        self.assertFalse(trace["otherData"]["ok"])
        self.assertIn("error", trace["otherData"])
        self.assertNotIn(b"made", self.listing())

    def test_work_refused_before_it_began_leaves_no_trace(self):
        self.refuse_untouched(lambda: self.bdelta("absent", "new", "p", "--trace=trace"), 2, '"absent"')
        self.refuse_untouched(lambda: self.bdelta("old", "new", "patch", "--trace=trace"), 1, '"patch"')
        self.refuse_untouched(lambda: self.bpatch("old", "made", "absent", "--trace=trace"), 2, '"absent"')

    def test_an_existing_file_needs_force(self):
        self.put("trace", b"precious")
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--trace=trace"), 1, '"trace"')
        self.succeed(self.bdelta("old", "new", "p", "--trace=trace", "--force"))
        self.load()

    def test_the_same_file_twice(self):
        os.link(self.path("old"), self.path("link"))
        for place in ("old", "new", "patch", "link", "./patch"):
            self.refuse_untouched(lambda: self.bdelta("old", "new", "patch", "-f", "--trace", place), 1, f'"{place}"')
            self.refuse_untouched(lambda: self.bpatch("old", "new", "patch", "-f", "--trace", place), 1, f'"{place}"')
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--trace=p"), 1, '"p"')
        self.refuse_untouched(lambda: self.bpatch("old", "made", "patch", "--trace=./made"), 1, '"./made"')

    def test_what_is_no_file(self):
        os.mkdir(self.path("folder"))
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--trace=folder"), 2, '"folder"')
        self.refuse_untouched(lambda: self.bdelta("old", "new", "p", "--trace=no/such/trace"), 2, '"no/such/trace"')
        for name in ("-", ""):
            self.refuse_untouched(lambda: self.bdelta("old", "new", "p", f"--trace={name}"), 1, "--trace")
        self.refuse_untouched(lambda: self.bpatch("--info", "patch", "--trace=trace"), 1, "--info")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_trace_that_cannot_be_written_spoils_nothing(self):
        result = self.succeed(self.bdelta("old", "new", "p", "-q", "--trace=/dev/full"))
        self.assertEqual(self.get("p"), self.get("patch"))
        self.assertIn(b"the trace was not written", result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1)

    @unittest.skipIf(os.name == "nt", "signals are others there")
    def test_interrupted_work_leaves_no_trace(self):
        before = self.listing()
        process = self.start(support.BPATCH, "old", "made", "-", "--trace=trace", stdin=subprocess.PIPE)
        self.wait_for(lambda: len(self.listing()) > len(before))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(self.listing(), before)


if __name__ == "__main__":
    unittest.main()
