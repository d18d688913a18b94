"""The parts of the benchmark harness that need no running programs."""
import argparse
import random
import re
import tempfile
import unittest
from pathlib import Path

from bdelta_bench import cli, compare, monotone, prices, runner, tools
from bdelta_bench.cache import SlowCache
from bdelta_bench.measure import Limits
from bdelta_bench.pairs import find_pairs
from bdelta_bench.rows import RawRow, read_raw, summarize, write_raw
from bdelta_bench.runner import Repeats


def row(step: str, run: int, wall: float, **changes) -> RawRow:
    values = dict(date="2026-01-01T00:00:00Z", pair="p", category="data", old_bytes=10, new_bytes=20, tool="zstd",
                  version="1", program_digest="d", setting="-1", kind="fast", threads=1, step=step, run=run,
                  status="ok", patch_bytes=7, wall_s=wall, user_s=wall / 2, system_s=0.25, private_bytes=100 + run,
                  total_bytes=200 + run)
    return RawRow(**{**values, **changes})


class Rows(unittest.TestCase):
    def test_summary_takes_medians_and_peaks_and_the_first_run_only_if_it_is_long(self):
        rows = [row("create", 0, 8.0, private_bytes=500), row("create", 1, 1.0), row("create", 2, 3.0),
                row("create", 3, 2.0), row("apply", 0, 0.8), row("apply", 1, 0.5)]
        line, = summarize(rows)
        self.assertEqual((line["create_runs"], line["create_wall_s"], line["create_wall_min_s"]),
                         (4, "2.500000", "1.000000"))
        self.assertEqual(line["create_cpu_s"], "1.500000")
        self.assertEqual((line["create_private_bytes"], line["create_total_bytes"]), (500, 203))
        self.assertEqual((line["apply_runs"], line["apply_wall_s"], line["patch_bytes"]), (1, "0.500000", 7))

    def test_a_slow_setting_has_its_sampled_run_only(self):
        line, = summarize([row("create", 0, 12.0), row("apply", 0, 1.0)])
        self.assertEqual((line["create_runs"], line["create_wall_s"]), (1, "12.000000"))

    def test_a_failure_is_a_line_without_figures(self):
        line, = summarize([row("create", 0, 1.0), row("apply", 0, 1.0, status="mismatch", detail="differs")])
        self.assertEqual((line["status"], line["detail"], line.get("create_wall_s")), ("mismatch", "differs", None))

    def test_raw_rows_survive_the_file_and_foreign_columns_are_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "raw.csv"
            rows = [row("create", 0, 1.25, detail='a "b", c'), row("apply", 1, 0.5)]
            write_raw(path, rows)
            self.assertEqual(read_raw(path), rows)
            path.write_text("date,pair\n1,2\n")
            with self.assertRaisesRegex(ValueError, "raw.csv:2: expected the columns"):
                read_raw(path)


class Pairs(unittest.TestCase):
    def test_names_globs_classes_and_categories(self):
        with tempfile.TemporaryDirectory() as directory:
            heads = {"one": b"\x7fELF", "two": b"PK\x03\x04", "three": b"text", "four": b"BZh"}
            for name, head in heads.items():
                (Path(directory) / "pairs" / name).mkdir(parents=True)
                (Path(directory) / "pairs" / name / "old").write_bytes(b"")
                (Path(directory) / "pairs" / name / "new").write_bytes(head)
            found = find_pairs(Path(directory), ["small"])
            self.assertEqual({pair.name: pair.category for pair in found},
                             {"one": "programs", "two": "archives", "three": "data", "four": "compressed"})
            self.assertEqual([pair.name for pair in find_pairs(Path(directory), ["t*", "two"])], ["three", "two"])
            with self.assertRaisesRegex(ValueError, "'huge'"):
                find_pairs(Path(directory), ["huge"])


class Settings(unittest.TestCase):
    def test_every_level_and_every_peer_of_the_comparison_is_there(self):
        found = {(setting.tool, setting.label, setting.threads)
                 for tool in tools.find_tools([], Path("/none"), Path("/none")) for setting in tool.settings}
        for level in range(1, 10):
            self.assertIn(("bdelta", f"-{level}", 1), found)
        for peer in (("zstd", "-19"), ("xdelta3", "-9 -S lzma"), ("zucchini", "gen + xz -9e"), ("bsdiff", "default"),
                     ("hdiffpatch", "-m-1 -cache -SD-2m -c-lzma2-9-256m"), ("qbsdiff", "default")):
            self.assertIn((*peer, 1), found)

    def test_a_missing_tool_says_what_is_missing_and_how_to_get_it(self):
        tool, = tools.find_tools(["bdelta"], Path("/none"), Path("/none"))
        self.assertEqual(tool.missing, ["bdelta", "bpatch"])
        self.assertTrue(tool.how_to_get)
        with self.assertRaisesRegex(ValueError, "unknown tool: rsync"):
            tools.find_tools(["rsync"], Path("/none"), Path("/none"))

    def test_some_are_for_a_category_alone(self):
        settings = (tools.Setting("one", "for all", "fast", (), ()), tools.Setting("one", "for archives", "fast", (), (), category="archives"))
        tool = tools.Tool("one", (), "", settings)
        for category, labels in (("data", ["for all"]), ("archives", ["for all", "for archives"])):
            pair = argparse.Namespace(new_bytes=1, category=category)
            self.assertEqual([one.setting.label for one in runner.entrants_for(pair, [tool], lambda _: True)], labels)

    def test_filters(self):
        arguments = argparse.Namespace(speed="fast", threads=1, levels="13")
        settings = [setting for tool in tools.find_tools([], Path("/none"), Path("/none")) for setting in tool.settings]
        chosen = {(setting.tool, setting.label) for setting in settings if cli._wants(arguments, setting)}
        self.assertIn(("bdelta", "-3"), chosen)
        self.assertNotIn(("bdelta", "-6"), chosen)
        self.assertNotIn(("zstd", "-19"), chosen)
        self.assertTrue(all(setting.threads == 1 for setting in settings if cli._wants(arguments, setting)))


class Repeated(unittest.TestCase):
    def test_rounds_follow_the_time_within_bounds(self):
        repeats = Repeats(least=3, most=7, seconds=3)
        self.assertEqual([repeats.of(seconds) for seconds in (0.0, 0.1, 0.6, 2.0, 9.0)], [7, 7, 5, 3, 3])
        self.assertEqual([repeats.rounds_to_come(create, 0.5) for create in (0.5, 1.0, 5.0)], [3, 2, 2])

    def test_cache_is_keyed_by_inputs_programs_and_limits(self):
        with tempfile.TemporaryDirectory() as directory:
            machine = {"cpu": "c", "cores": 2, "kernel": "k"}
            cache = SlowCache(Path(directory), machine, Limits(600, 8))
            rows = [row("create", 0, 11.0)]
            cache.put(("old", "new"), rows)
            self.assertEqual(cache.get(("old", "new"), rows[0].key, "d"), rows)
            self.assertEqual(cache.get(("old", "other"), rows[0].key, "d"), [])
            self.assertEqual(cache.get(("old", "new"), rows[0].key, "other"), [])
            other_limits = SlowCache(Path(directory), machine, Limits(300, 8))
            self.assertEqual(other_limits.get(("old", "new"), rows[0].key, "d"), [])


class Changes(unittest.TestCase):
    def test_noise_is_no_change(self):
        noise = random.Random(1)
        a = [1.0 + noise.uniform(-0.1, 0.1) for _ in range(7)]
        b = [1.02 + noise.uniform(-0.1, 0.1) for _ in range(7)]
        self.assertFalse(compare.ratio_text(a, b, 0.01)[1])

    def test_two_speeds_of_a_machine_are_no_change(self):
        a, b = [0.10, 0.10, 0.11, 0.25, 0.10], [0.25, 0.25, 0.10, 0.26, 0.25]
        self.assertFalse(compare.ratio_text(a, b, 0.01)[1])

    def test_a_clear_difference_is_a_change(self):
        self.assertEqual(compare.ratio_text([1.0, 1.01, 0.99], [1.2, 1.21, 1.19], 0.01), ("1.200", True))

    def test_small_differences_are_ties_by_ratio_or_by_seconds(self):
        self.assertFalse(compare.ratio_text([1.0] * 3, [1.02] * 3, 0.01)[1])
        self.assertFalse(compare.ratio_text([0.010] * 3, [0.018] * 3, 0.01)[1])
        self.assertTrue(compare.ratio_text([0.010] * 3, [0.021] * 3, 0.01)[1])


class Monotone(unittest.TestCase):
    def test_what_is_not_known_is_refused(self):
        for kinds, levels in (("levels", "12"), ("levels", ""), ("speed", "3")):
            arguments = argparse.Namespace(kinds=kinds, levels=levels, pairs=["none"], corpus=None, scratch=None, bin=None)
            with self.assertRaisesRegex(ValueError, "are .*, found"):
                monotone.main(arguments)


class Prices(unittest.TestCase):
    def test_a_row_is_off_by_a_third(self):
        for measured, off in ((76, False), (74, True), (133, False), (134, True)):
            self.assertEqual(prices.Row("k", 100, measured).is_off, off, measured)

    def test_rows_are_put_into_the_list_with_two_digits(self):
        text = ("// A row.\ninline constexpr std::uint64_t kFirstNs = 5'000'000;\n"
                "inline constexpr std::uint64_t kNumberNs[] = {150, 40};\ninline constexpr std::uint64_t kOther = 7;\n"
                "inline constexpr std::uint64_t kSmallNs = 9;\n")
        rows = [prices.Row("kFirstNs", 5e6, 1_234_567.8), prices.Row("kNumberNs[1]", 40, 36.9), prices.Row("kNumberNs[0]", 150, 0.3),
                prices.Row("kSmallNs", 9, 2.66)]
        self.assertEqual(prices.with_rows(text, rows),
                         text.replace("5'000'000", "1'200'000").replace("{150, 40}", "{1, 37}").replace("9;", "3;"))

    def test_the_list_of_the_program_has_every_row_that_is_measured(self):
        root = Path(__file__).resolve().parents[2]
        text = (root / prices.LIST).read_text(encoding="utf-8")
        sources = "".join(path.read_text(encoding="utf-8") for path in (root / "tools/bench/prices").glob("*.cpp"))
        names = set(re.findall(r'prices.push_back\(\{"(k\w+)', sources))
        self.assertGreater(len(names), 8)
        for name in names:
            self.assertRegex(text, rf"inline constexpr std::uint64_t {name}(\[\])? =")

    def test_time_to_apply_is_near_within_two_thirds_and_three_halves(self):
        self.assertEqual([prices.Applied(nominal, 1.0).is_near for nominal in (0.66, 0.68, 1.49, 1.51)],
                         [False, True, True, False])


if __name__ == "__main__":
    unittest.main()
