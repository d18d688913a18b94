"""io_study and its chart at 4 MiB. What figures come out is nobody's business here; that they do, and add up, is."""
import argparse
import collections
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

COLUMNS = ("section,case,record_bytes,buffer_bytes,bytes,calls,seconds_median,seconds_min,mb_per_s,ns_per_call,runs,"
           "date,kernel,machine,filesystem").split(",")
SECTIONS = ["writing", "reading", "typed", "seek", "overlap"]
SKIPPED_BY_CHART = "apt-get install python3-matplotlib"
TIMEOUT = 200  # seconds, far more than any run needs
arguments = argparse.Namespace()


def run_program(*words, **options):
    return subprocess.run([arguments.program, *words], capture_output=True, text=True, timeout=TIMEOUT, **options)


def run_chart(*words):
    return subprocess.run([sys.executable, "-B", arguments.chart, *words], capture_output=True, text=True,
                          timeout=TIMEOUT)


class Study(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="io-study-")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.csv = cls.path("study.csv")
        cls.outcome = run_program("--quick", "--dir", cls.directory.name, "--csv", cls.csv)
        if cls.outcome.returncode != 0:
            raise AssertionError(f"io_study ended with {cls.outcome.returncode}: {cls.outcome.stderr}")
        with open(cls.csv, encoding="utf-8", newline="") as file:
            cls.rows = list(csv.DictReader(file))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory.name, name)

    def test_columns_are_the_documented_ones(self):
        self.assertEqual(COLUMNS, list(self.rows[0]))

    def test_every_section_has_rows_and_a_place_in_the_table(self):
        self.assertEqual(SECTIONS, list(collections.OrderedDict.fromkeys(row["section"] for row in self.rows)))
        for section in SECTIONS:
            self.assertIn(f"\n{section} ", self.outcome.stdout)

    def test_figures_are_positive_and_agree(self):
        for row in self.rows:
            with self.subTest(section=row["section"], case=row["case"]):
                median, least = float(row["seconds_median"]), float(row["seconds_min"])
                self.assertGreater(least, 0)
                self.assertLessEqual(least, median)
                self.assertGreater(int(row["calls"]), 0)
                self.assertGreater(float(row["ns_per_call"]), 0)
                if int(row["bytes"]) != 0:
                    self.assertGreater(float(row["mb_per_s"]), 0)
                self.assertEqual("1", row["runs"])
                self.assertTrue(row["kernel"] and row["machine"] and row["filesystem"])

    def test_no_case_stands_twice(self):
        keys = collections.Counter(tuple(row[name] for name in COLUMNS[:4]) for row in self.rows)
        self.assertEqual([], [key for key, count in keys.items() if count != 1])

    def test_nothing_is_left_behind(self):
        self.assertEqual([], [name for name in os.listdir(self.directory.name) if name.endswith(".tmp")])

    def test_chart_is_svg_and_the_same_twice(self):
        charts = []
        for name in ("first.svg", "second.svg"):
            outcome = run_chart(self.csv, "--svg", self.path(name), "--markdown", self.path("tables.md"))
            if SKIPPED_BY_CHART in outcome.stderr:
                self.assertEqual(1, outcome.returncode)
                self.skipTest("matplotlib is not installed")
            self.assertEqual(0, outcome.returncode, outcome.stderr)
            with open(self.path(name), "rb") as file:
                charts.append(file.read())
        self.assertEqual(charts[0], charts[1])
        self.assertLess(len(charts[0]), 150_000)
        self.assertEqual("{http://www.w3.org/2000/svg}svg", xml.etree.ElementTree.fromstring(charts[0]).tag)
        with open(self.path("tables.md"), encoding="utf-8") as file:
            self.assertIn("| what | published | measured |", file.read())


class Refusals(unittest.TestCase):
    def test_wrong_words_are_usage(self):
        for words in (["--size", "a lot"], ["--size", "1000"], ["--only", "dancing"], ["--repeats", "0"],
                      ["--dir", "/nowhere/at/all"]):
            with self.subTest(words=words):
                outcome = run_program(*words)
                self.assertEqual(1, outcome.returncode)
                self.assertNotEqual("", outcome.stderr)

    def test_a_failing_call_is_told_and_nothing_stays(self):
        with tempfile.TemporaryDirectory(prefix="io-study-") as directory:
            missing = os.path.join(directory, "none", "study.csv")
            outcome = run_program("--quick", "--only", "typed", "--dir", directory, "--csv", missing)
            self.assertEqual(2, outcome.returncode)
            self.assertIn("No such file", outcome.stderr)
            self.assertEqual([], os.listdir(directory))

    def test_an_interruption_leaves_nothing(self):
        with tempfile.TemporaryDirectory(prefix="io-study-") as directory:
            words = [arguments.program, "--size", "8M", "--repeats", "1000", "--only", "typed", "--dir", directory]
            study = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                deadline = time.monotonic() + TIMEOUT
                while not os.listdir(directory) and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(0.1)  # well into the cases; the files exist from the start on
                study.terminate()
                self.assertEqual(-signal.SIGTERM, study.wait(TIMEOUT))
            finally:
                study.kill()
                study.wait()
            self.assertEqual([], os.listdir(directory))

    def test_a_full_disk_ends_the_study(self):
        # Files of at most 2 MiB stand for a disk that is full before the input is written.
        def limit():
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))

        with tempfile.TemporaryDirectory(prefix="io-study-") as directory:
            outcome = run_program("--quick", "--only", "seek", "--dir", directory, preexec_fn=limit)
            self.assertEqual(2, outcome.returncode)
            self.assertIn("cannot write", outcome.stderr)
            self.assertEqual([], os.listdir(directory))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--chart", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
