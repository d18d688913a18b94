"""The page of the report is whole, holds each pair and each loss, and needs nothing else; charts say what they should.

Needs matplotlib for the tests of charts; the others run without.
"""
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report_support import BENCH, LOSSES, SAMPLE  # noqa: E402
from bdelta_bench import chart_labels, report, report_rows  # noqa: E402

try:
    from bdelta_bench import charts, mean_chart
except ImportError as error:
    if (error.name or "").startswith("bdelta_bench"):
        raise
    charts = None

needs_charts = unittest.skipIf(charts is None, "matplotlib was not found: nothing of the charts is tested")
VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """Reads a page and notes what the tests ask for; `open_` holds the elements that were not closed."""

    def __init__(self, text):
        super().__init__()
        self.open_, self.ids, self.links, self.texts, self.faults, self.row_texts = [], [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open_.append(tag)
        if tag == "tr":
            self.row_texts.append("")
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "srcset", "data", "action"):
                self.links.append(value)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open_.pop()

    def handle_endtag(self, tag):
        if not self.open_ or self.open_.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        self.texts.append(data)
        if "tr" in self.open_:
            self.row_texts[-1] += data + " "


class ReportTest(unittest.TestCase):
    def check_page(self, text):
        page = Page(text)
        self.assertEqual((page.faults, page.open_), ([], []))
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for link in page.links + ["#" + name for name in re.findall(r"url\(#?([^)]*)\)", text)]:
            self.assertTrue(link.startswith("#"), link)
            self.assertIn(link[1:], page.ids)
        for word in ("http:", "https:", "@import", "<script", "<img", "None"):
            self.assertNotIn(word, text)
        return page

    def check_contents(self, page):
        for pair in report_rows.load_run(SAMPLE).pairs:
            self.assertIn(pair.name, page.texts)
        for pair, tool, setting, _, _, _ in LOSSES:
            name = tool if setting == "default" else f"{tool} {setting}"
            rows = [re.sub(r"\s+", " ", row) for row in page.row_texts]
            self.assertTrue(any(row.startswith(f"{pair} {name} ") for row in rows), (pair, name))
        text = re.sub(r"\s+", " ", " ".join(page.texts))
        self.assertIn("20 peer points matched 6 peer points unmatched", text)
        self.assertIn("timeout: over 600 s", text)
        self.assertIn("zucchini: cargo install zucchini & build its example", text)
        self.assertIn("zstd -19 (timeout), hdiffpatch -m-1 (timeout), bsdiff (memory)", text)

    def test_page_without_charts(self):
        with unittest.mock.patch.object(report, "charts", None):
            text = report.page(report_rows.load_run(SAMPLE))
        self.assertIn("python3-matplotlib", text)
        self.assertNotIn("<svg", text)
        self.check_contents(self.check_page(text))

    @needs_charts
    def test_page_with_charts(self):
        text = report.page(report_rows.load_run(SAMPLE))
        self.assertEqual(text.count("<svg "), 6 + 3)
        self.assertNotIn("python3-matplotlib", text)
        self.check_contents(self.check_page(text))

    @needs_charts
    def test_two_processes_write_the_same_bytes(self):
        made = []
        with tempfile.TemporaryDirectory() as place:
            for seed in ("1", "2"):
                files = [os.path.join(place, name + seed) for name in ("page", "chart")]
                code = ("import sys; from bdelta_bench import charts, report; report.write_report(*sys.argv[1:3]);"
                        "charts.write_mean_chart(sys.argv[1], sys.argv[3])")
                subprocess.run([sys.executable, "-c", code, SAMPLE, *files], check=True,
                               env={**os.environ, "PYTHONPATH": BENCH, "PYTHONHASHSEED": seed})
                for file in files:
                    with open(file, "rb") as opened:
                        made.append(opened.read())
        self.assertEqual(made[:2], made[2:])
        root = xml.etree.ElementTree.fromstring(made[1])
        self.assertIn("geometric mean of 4 pairs", "".join(root.itertext()))


class ChartTest(unittest.TestCase):
    def test_labels_do_not_cover_each_other(self):
        points = [(50, 50), (54, 51), (57, 49), (50, 46), (99, 50)]
        labels = [chart_labels.Label(f"-{i}", x, y) for i, (x, y) in enumerate(points)]
        frame = (0, 0, 100, 100)
        boxes = chart_labels.place(labels, points, [[(0, 60), (100, 60)]], frame, 7)
        for i, box in enumerate(boxes):
            self.assertAlmostEqual(chart_labels.overlap(box, frame), chart_labels.area(box))
            for other in boxes[:i]:
                self.assertEqual(chart_labels.overlap(box, other), 0)

    @needs_charts
    def test_marks_of_the_readme_are_means_over_common_pairs(self):
        found = mean_chart.marks(report_rows.load_run(SAMPLE))
        marks = {(mark.tool, mark.label): mark for mark in found.shown}
        self.assertEqual(found.left_out, ["zstd smallest", "hdiffpatch smallest", "bsdiff default"])
        self.assertEqual(found.pair_count, 4)
        self.assertAlmostEqual(marks["zstd", "-1"].time, 1)
        self.assertAlmostEqual(marks["bdelta", "-1"].time, (0.2 / 0.4 * 0.4 / 0.3 * 1 / 2 * 12 / 4) ** 0.25)
        self.assertAlmostEqual(marks["bdelta", "-9"].size, (0.5 * 2 * 0.5 * 100 / 97) ** 0.25)

    @needs_charts
    def test_chart_of_a_pair_names_its_points(self):
        pair = report_rows.load_run(SAMPLE).pairs[0]
        root = xml.etree.ElementTree.fromstring(charts.pair_chart(pair, "p"))
        texts = {node.text for node in root.iter() if node.tag.endswith("text")}
        self.assertLessEqual({"1", "3", "6", "9", "-1", "-19", "-s-64", "-m-1", "zstd", "bsdiff", "frontier"}, texts)
        self.assertNotIn("unmatched", texts)
        self.assertIn("app <one> & two", root.get("aria-label"))

    @needs_charts
    def test_no_figures_no_chart(self):
        self.assertIsNone(charts.pair_chart(report_rows.Pair("p", "data", 1, 1), "p"))


if __name__ == "__main__":
    unittest.main()
