"""The numbers of the report: rows are checked; means, frontiers and losses are those worked out by hand."""
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report_support import LOSSES, SAMPLE  # noqa: E402
from bdelta_bench import frontier, report_rows, summary  # noqa: E402
from bdelta_bench.frontier import Point  # noqa: E402


def ours(setting, seconds, patch_bytes):
    return Point("bdelta", setting, seconds, patch_bytes)


def peer(setting, seconds, patch_bytes):
    return Point("peer", setting, seconds, patch_bytes)


class FrontierTest(unittest.TestCase):
    def test_only_points_that_none_beats(self):
        a, b, c = peer("a", 1, 100), peer("b", 2, 50), peer("c", 3, 50)
        d, e = ours("d", 1, 101), ours("e", 4, 49)
        self.assertEqual(frontier.frontier([e, d, c, b, a]), [a, b, e])

    def test_equal_points_stay_and_ties_do_not_count(self):
        a, b, c = ours("a", 1.0, 100), peer("b", 1.0, 100), peer("c", 1.001, 99)
        self.assertEqual(frontier.frontier([c, b, a]), [a, b, c])
        self.assertEqual(frontier.frontier([]), [])

    def test_ties_of_time(self):
        self.assertTrue(frontier.is_as_fast(0.0139, 0.004))       # under 10 ms
        self.assertFalse(frontier.is_as_fast(0.0141, 0.004))
        self.assertTrue(frontier.is_as_fast(102.9, 100))          # under 3 %
        self.assertFalse(frontier.is_as_fast(103, 100))
        self.assertTrue(frontier.is_as_fast(1, 2))

    def test_ties_of_size(self):
        self.assertTrue(frontier.is_as_small(103, 100))
        self.assertFalse(frontier.is_as_small(104, 100))
        self.assertTrue(frontier.is_as_small(1031, 1001))         # up to 1031.03
        self.assertFalse(frontier.is_as_small(1031, 1000))
        self.assertFalse(frontier.is_as_small(100, 97))

    def test_one_point_has_to_match_both(self):
        points = [ours("-1", 1, 200), ours("-9", 9, 90), peer("x", 2, 100), peer("y", 9, 90), peer("z", 1, 199)]
        found = frontier.losses(points)
        self.assertEqual([loss.peer.setting for loss in found], ["x"])
        self.assertEqual((found[0].as_fast.setting, found[0].size_miss), ("-1", 2.0))
        self.assertEqual((found[0].as_small.setting, found[0].time_miss), ("-9", 4.5))

    def test_without_points_of_ours_all_is_lost(self):
        found = frontier.losses([peer("x", 2, 100), peer("y", 3, 100)])
        self.assertEqual([(loss.as_fast, loss.as_small, loss.on_frontier) for loss in found],
                         [(None, None, True), (None, None, False)])
        self.assertEqual((found[0].size_miss, found[0].time_miss), (None, None))


class RowsTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        for name in ("run.json", "summary.csv"):
            shutil.copy(os.path.join(SAMPLE, name), self.dir)
        self.path = os.path.join(self.dir, "summary.csv")
        with open(self.path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()

    def refused(self, *words):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        with self.assertRaises(report_rows.SummaryError) as caught:
            report_rows.load_run(self.dir)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def change(self, line, column, text):
        """Sets a field of a line, counted from 1."""
        fields = self.lines[line - 1].split(",")
        fields[self.lines[0].split(",").index(column)] = text
        self.lines[line - 1] = ",".join(fields)

    def test_unknown_column(self):
        self.lines[0] = self.lines[0].replace("apply_runs", "apply_rums")
        self.refused("summary.csv:1", "apply_runs", "apply_rums")

    def test_bad_figures_name_file_and_line(self):
        for column, text in (("patch_bytes", "12.5"), ("create_wall_s", "fast"), ("create_wall_s", "nan"),
                             ("apply_wall_s", "-1"), ("new_bytes", ""), ("patch_bytes", ""), ("create_wall_s", "0"),
                             ("category", "music"), ("status", "fine"), ("kind", "slow")):
            with self.subTest(column=column, text=text):
                before = list(self.lines)
                self.change(5, column, text)
                self.refused("summary.csv:5", column)
                self.lines = before

    def test_short_line(self):
        self.lines[6] = self.lines[6].rsplit(",", 1)[0]
        self.refused("summary.csv:7", "fields")

    def test_the_same_thing_twice(self):
        self.lines.append(self.lines[4])
        self.refused(f"summary.csv:{len(self.lines)}", "summary.csv:5")

    def test_pair_that_contradicts_itself(self):
        self.change(6, "old_bytes", "7")
        self.refused("summary.csv", "app <one> & two")

    def test_schema(self):
        with open(os.path.join(self.dir, "run.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": 2}')
        self.refused("run.json", "schema 1")


class SummaryTest(unittest.TestCase):
    def setUp(self):
        self.run_ = report_rows.load_run(SAMPLE)
        self.pairs = {pair.name: pair for pair in self.run_.pairs}

    def test_pairs_and_levels(self):
        self.assertEqual(list(self.pairs),
                         ["app <one> & two", "table-won-by-peer", "slow-tar", "no-peer", "page.zip", "tiny"])
        self.assertEqual(self.run_.levels(), [1, 3, 6, 9])
        self.assertEqual(self.run_.categories(), [name for name in report_rows.CATEGORIES if name != "archives"])
        self.assertEqual(self.run_.peer_settings()[:2],
                         [("zstd", "fast", "-1 --long=31"), ("zstd", "smallest", "-19 --long=31")])

    def test_geometric_mean(self):
        self.assertAlmostEqual(summary.geometric_mean([2, 8]), 4)
        self.assertAlmostEqual(summary.geometric_mean([0.5, 2, 1]), 1)
        self.assertIsNone(summary.geometric_mean([]))

    def test_size_against_the_smallest_peer(self):
        found = summary.compare(self.run_.pairs, summary.level_figure("patch_bytes", 9), summary.smallest_peer_bytes)
        # 0.9 of 1.8 MB, 4 of 2 MB, 10 of 20 MB, 100 of 97 bytes; no level 9 of page.zip, no peer of no-peer
        self.assertAlmostEqual(found.mean, (0.5 * 2 * 0.5 * 100 / 97) ** 0.25)
        self.assertEqual((found.wins, found.losses, found.count), (2, 2, 4))

    def test_create_time_over_large_pairs(self):
        large = summary.large(self.run_.pairs)
        self.assertEqual([pair.name for pair in large], ["app <one> & two", "table-won-by-peer", "slow-tar"])
        found = summary.compare(large, summary.level_figure("create_wall_s", 1),
                                summary.figure("create_wall_s", "zstd", "-1 --long=31"))
        self.assertAlmostEqual(found.mean, (0.2 / 0.4 * 0.4 / 0.3 * 1 / 2) ** (1 / 3))
        self.assertEqual((found.wins, found.losses), (2, 1))

    def test_apply_over_its_base(self):
        self.assertAlmostEqual(self.pairs["app <one> & two"].apply_base_s(), 0.05)
        self.assertIsNone(self.pairs["no-peer"].apply_base_s())
        self.assertEqual([round(ratio, 3) for ratio in summary.apply_ratios(self.run_.pairs, "bdelta", "-1")], [2] * 5)

    def test_losses(self):
        found = []
        for pair in self.run_.pairs:
            for loss in frontier.losses(pair.points()):
                found.append((pair.name, loss.peer.tool, loss.peer.setting, loss.as_fast and loss.as_fast.setting,
                              loss.as_small and loss.as_small.setting, loss.on_frontier))
        self.assertEqual(found, LOSSES)

    def test_outcomes(self):
        found = {one.name: one for one in summary.outcomes(self.run_)}
        self.assertEqual((found["data"].matched, found["data"].lost), (5, 4))
        self.assertEqual((found["all"].matched, found["all"].lost), (20, 6))
        self.assertEqual(found["all"].worst.name, "table-won-by-peer")
        self.assertIsNone(found["compressed"].worst)

    def test_markdown(self):
        lines = summary.markdown_summary(SAMPLE).splitlines()
        self.assertLessEqual(len(lines), 20)
        self.assertIn("| all | 6 | 0.85 | 2 : 2 | 0.69 |", lines[6])
        self.assertIn("| 20 : 6 | table-won-by-peer 2.00 |", lines[6])
        self.assertIn("app \\<one\\> \\& two 0.50", lines[2])
        self.assertEqual({line.replace("\\|", "").count("|") for line in lines[:7]}, {lines[0].count("|")})

    def test_texts(self):
        for count, text in ((0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (999_600, "1.00 MB"),
                            (12_345_678, "12.3 MB"), (5_000_000_000_000, "5000 GB"), (None, "–")):
            self.assertEqual(summary.bytes_text(count), text)
        for seconds, text in ((0.0042, "4.20 ms"), (0.99951, "1.00 s"), (75.04, "75.0 s"), (600, "600 s")):
            self.assertEqual(summary.seconds_text(seconds), text)
        for ratio, text in ((0.0296, "0.030"), (0.36, "0.36"), (9.996, "10.0"), (1234.5, "1,234.5")):
            self.assertEqual(summary.ratio_text(ratio), text)
        for setting, text in (("-19 --long=31", "-19"), ("--ultra -22", "-22"), ("--raw", "raw"), ("default", "")):
            self.assertEqual(summary.short_setting(setting), text)


if __name__ == "__main__":
    unittest.main()
