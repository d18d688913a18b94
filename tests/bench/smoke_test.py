"""The benchmark harness from end to end on a small pair, with whatever peers are installed. No time is judged."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ["BDELTA_BIN_DIR"])
BENCH = ROOT / "tools/bench/bdelta-bench"


def bench(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run((sys.executable, str(BENCH), *arguments), capture_output=True, text=True, check=False)


class Smoke(unittest.TestCase):
    def setUp(self):
        self._scratch = tempfile.TemporaryDirectory()
        self.runs = Path(self._scratch.name)
        self.common = ("--corpus", str(ROOT / "testdata"), "--bin", str(BIN))

    def tearDown(self):
        self._scratch.cleanup()

    def run_bench(self, *more: str) -> list[dict[str, str]]:
        result = bench("run", "sources", *self.common, "--runs", str(self.runs), "--name", "smoke",
                       "--most-rounds", "1", *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.lines()

    def lines(self) -> list[dict[str, str]]:
        with open(self.runs / "smoke/summary.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_run_measures_and_verifies_every_setting(self):
        lines = self.run_bench("--fresh")
        ours = [line for line in lines if line["tool"] == "bdelta"]
        self.assertEqual(len(ours), 13)
        for line in lines:
            self.assertEqual((line["status"], line["detail"]), ("ok", ""), line)
            self.assertGreater(float(line["create_wall_s"]), 0)
            if line["tool"] != "floor":
                self.assertGreater(int(line["patch_bytes"]), 0)
                self.assertGreater(float(line["apply_wall_s"]), 0)
                self.assertGreater(int(line["create_total_bytes"]), 0)
        self.assertEqual({line["setting"] for line in lines if line["tool"] == "floor"},
                         {"cp", "hash", "map-hash-compare"})
        for level in "123456789":
            self.assertEqual(len({line["patch_bytes"] for line in ours if line["setting"] == f"-{level}"}), 1)
        facts = json.loads((self.runs / "smoke/run.json").read_text())
        self.assertIn("bdelta", facts["tools"])
        self.assertNotIn("/", facts["command"])

    def test_a_second_run_adds_only_what_is_missing(self):
        first = self.run_bench("--tools", "bdelta", "--levels", "1")
        again = self.run_bench("--tools", "bdelta", "--levels", "13")
        old = {(line["setting"], line["threads"]): line["create_wall_s"] for line in first if line["tool"] == "bdelta"}
        new = {(line["setting"], line["threads"]): line["create_wall_s"] for line in again if line["tool"] == "bdelta"}
        self.assertEqual(len(new), 4)
        self.assertEqual({key: new[key] for key in old}, old)

    def test_a_limit_is_a_row_and_the_run_goes_on(self):
        lines = self.run_bench("--tools", "bdelta", "--levels", "19", "--memory", "0.00001", "--fresh")
        ours = [line for line in lines if line["tool"] == "bdelta"]
        self.assertEqual(len(ours), 4)
        limited = [line for line in ours if line["status"] == "memory"]
        self.assertTrue(limited, ours)  # all, but a child may be gone before the first look at it
        self.assertIn("GiB of private memory", limited[0]["detail"])

    def test_without_time_rows_are_pending(self):
        lines = self.run_bench("--tools", "bdelta", "--levels", "1", "--budget", "0.0000001", "--fresh")
        self.assertEqual({line["status"] for line in lines if line["tool"] == "bdelta"}, {"pending"})

    def test_compare_sees_equal_sizes_of_one_build(self):
        result = bench("compare", str(BIN), str(BIN), "sources", *self.common, "--levels", "1", "--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        line = next(line for line in result.stdout.splitlines() if line.startswith("sources"))
        self.assertEqual(line.split()[4], "=")

    def test_degenerate_inputs_are_the_same_each_time_and_come_back_whole(self):
        sys.path.insert(0, str(ROOT / "tools/bench"))
        from bdelta_bench.degenerate import MAKERS, make_inputs
        for name in MAKERS:
            old, new = make_inputs(name, 65536)
            self.assertEqual((old, new), make_inputs(name, 65536), name)
            self.assertGreater(min(len(old), len(new)), 60_000, name)
        result = bench("degenerate", "zeros", "period-3", "--pair", "sources", "--mib", "1", "--rounds", "1",
                       "--levels", "16", *self.common)
        self.assertIn(result.returncode, (0, 1), result.stderr)  # 1: a time was unlucky; patches that fail say so
        self.assertEqual(len(result.stdout.splitlines()), 5, result.stdout + result.stderr)

    def test_start_times_each_program_and_every_peer_that_is_there(self):
        result = bench("start", "--bin", str(BIN), "--rounds", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line.rsplit(maxsplit=4) for line in result.stdout.splitlines()[1:]]
        names = [line[0] for line in lines]
        for name in ("true", "bpatch --version", "bdelta --version", "bpatch applies"):
            self.assertIn(name, names)
        for program, peer in (("zstd", "zstd applies"), ("xdelta3", "xdelta3 applies"), ("bspatch", "bspatch applies")):
            if shutil.which(program) and shutil.which("bsdiff" if program == "bspatch" else program):
                self.assertIn(peer, names)
        for line in lines:
            self.assertTrue(all(float(figure) > 0 for figure in line[1:3]), line)

    def test_the_programs_own_figures_agree_with_the_launchers(self):
        """What --json calls wall and phases lies inside what is measured from outside; never the other way round."""
        old, new = (str(ROOT / "testdata/pairs/sources" / name) for name in ("old", "new"))
        patch, report, told = (str(self.runs / name) for name in ("patch", "report.json", "told.json"))
        for threads in (1, 2):
            for command in (("bdelta", "-6", "--force", "--no-verify", old, new, patch),
                            ("bpatch", "--force", old, str(self.runs / "out"), patch)):
                subprocess.run((str(BIN / "bench_exec"), report, "1000", "60", "0", told, str(BIN / command[0]),
                                "--json", "--threads", str(threads), *command[1:]), check=True)
                outside = json.loads(Path(report).read_text())
                inside = json.loads(Path(told).read_text())
                self.assertEqual(outside["exit"], 0)
                self.assertLessEqual(inside["wall_seconds"], outside["wall_s"] + 1e-6)
                self.assertLessEqual(inside["peak_resident_bytes"], outside["total_bytes"] + (1 << 20))
                spent = sum(phase["seconds"] for phase in inside["phases"])
                self.assertLessEqual(spent, threads * inside["wall_seconds"] + 1e-3)
                self.assertGreater(spent, 0)

    def test_report_of_a_run(self):
        self.run_bench("--fresh", "--tools", "bdelta,zstd")
        result = bench("report", "smoke", "--runs", str(self.runs))
        self.assertIn("sources", (self.runs / "smoke/report.html").read_text())
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.assertEqual(result.returncode, 1)
            self.assertIn("python3-matplotlib", result.stderr)
            self.skipTest("matplotlib is not installed (apt-get install python3-matplotlib)")
        if any(line["tool"] == "zstd" for line in self.lines()):
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("<svg", (self.runs / "smoke/frontier.svg").read_text())

    def test_a_run_that_is_none_is_told_in_one_line(self):
        result = bench("report", "nothing", "--runs", str(self.runs))
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.run_bench("--tools", "bdelta", "--levels", "1", "--fresh")
        (self.runs / "smoke/summary.csv").write_text("pair\nx\n")
        result = bench("report", "smoke", "--runs", str(self.runs))
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertIn("columns unknown or missing", result.stderr)

    def test_unknown_words_are_refused(self):
        result = bench("run", "no-such-pair", *self.common, "--runs", str(self.runs))
        self.assertEqual(result.returncode, 1)
        self.assertIn("no pair in", result.stderr)
        result = bench("run", "sources", *self.common, "--runs", str(self.runs), "--tools", "rsync")
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown tool: rsync", result.stderr)

    def test_prices_tells_nominal_beside_measured_time(self):
        result = bench("prices", "sources", *self.common, "--without-table", "--levels", "3")
        self.assertIn(result.returncode, (0, 1), result.stderr)  # no time is judged
        self.assertRegex(result.stdout, r"(?m)^sources +3 +0\.\d+ +0\.\d+ +\d+\.\d+$")
        self.assertRegex(result.stdout, r"(?m)^[01] of 1 between 0.67 and 1.5$")

    @unittest.skipUnless((BIN / "bench_prices").is_file(), "without zlib")
    def test_prices_measures_every_row(self):
        result = bench("prices", *self.common)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        for row in ("kTargetKiBNs", "kNumberNs[5]", "kCodedByteNs", "kRawByteNs", "kLiteralNs", "kMissNs", "kViewKiBNs", "kUnpackNs", "kTokenNs[2]", "kCandidatesNs[1]"):
            self.assertIn(f"\n{row} ", result.stdout)


if __name__ == "__main__":
    unittest.main()
