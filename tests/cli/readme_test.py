"""The README tells the truth where a machine can check it: its first screen, errors, options, JSON keys."""
import collections
import csv
import json
import os
import re
import subprocess
import unittest

import release_test
import support
import terminal_test

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def anchor(heading):
    """The name by which pages of Markdown link to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class FirstScreen(unittest.TestCase):
    """What stands before the third section: enough to decide whether bdelta will do, and to make a patch."""
    PAIRS = ("esbuild-linux-x64", "django-sdist-tar", "caniuse-json", "jquery-js")
    SETTINGS = {"**`bdelta -3`**, the default": ("bdelta", "-3"), "**`bdelta -9`**": ("bdelta", "-9"),
                "HDiffPatch `-m-4`, zstd": ("hdiffpatch", "-m-4 -SD-256k -c-zstd-20-24"),
                "HDiffPatch `-m-1 -cache`, LZMA": ("hdiffpatch", "-m-1 -cache -SD-2m -c-lzma2-9-256m"),
                "`bsdiff`": ("bsdiff", "default"), "`xdelta3 -1`": ("xdelta3", "-1"),
                "`xdelta3 -9 -S lzma`": ("xdelta3", "-9 -S lzma"), "`zstd -3 --patch-from`": ("zstd", "-3"),
                "`zstd -19 --patch-from`": ("zstd", "-19")}

    def setUp(self):
        self.text = read("README.md")
        self.sections = re.findall(r"^## (.*)$", self.text, re.M)
        self.screen = self.text[:self.text.index(f"\n## {self.sections[2]}\n")]
        self.head = self.screen[:self.screen.index("\n## ")]

    def test_says_whether_it_may_be_used_and_fits(self):
        points = dict(re.findall(r"^- \*\*(.*?)\*\*:? (.*(?:\n  .*)*)", self.head, re.M))
        version = re.search(r"project\(bdelta VERSION (\d+\.\d+)", read("CMakeLists.txt")).group(1)
        self.assertIn(f"version {version}.", points["Status"])
        self.assertRegex(points["Status"], r"draft(.|\n)*don't store them")
        self.assertIn("[MPL-2.0](LICENSE)", points["Licence"])
        for platform in ("Linux", "x86-64", "arm64", "32-bit ARM", "s390x", "macOS", "Windows"):
            self.assertIn(platform, points["Platforms"])
        lacks = self.head[self.head.index("does not do yet"):]
        for what in ("Directories", "Insides of what is compressed otherwise", "Patches of other tools"):
            self.assertIn(what, lacks)

    def test_introduces_the_original_where_it_is_first_named(self):
        self.assertTrue(self.text[self.text.lower().index("original"):].startswith("original** is [BDelta by John Whitney]"))

    def test_contents_name_every_section(self):
        contents = self.head[self.head.index("**Contents**:"):]
        self.assertEqual([(name, anchor(name)) for name in self.sections],
                         re.findall(r"\[(.*?)\]\(#(.*?)\)", contents))

    def test_every_link_within_the_readme_leads_to_a_heading(self):
        anchors = {anchor(name) for name in re.findall(r"^##+ (.*)$", self.text, re.M)}
        links = re.findall(r"\]\(#(.*?)\)", self.text)
        self.assertGreater(len(links), len(self.sections))
        self.assertEqual(set(), set(links) - anchors)

    def test_table_is_the_recorded_run(self):
        least = collections.defaultdict(lambda: float("inf"))  # CPU seconds by pair, tool, setting and step
        sizes = {}
        for row in csv.DictReader(read("tests", "bench", "runs", "2026-11-28-readme", "raw.csv").splitlines()):
            key = (row["pair"], row["tool"], row["setting"])
            if row["tool"] != "floor":
                self.assertEqual("ok", row["status"])
                sizes[key] = int(row["patch_bytes"])
                least[key, row["step"]] = min(least[key, row["step"]], float(row["user_s"]) + float(row["system_s"]))

        def cell(key):
            seconds = [least[key, step] for step in ("create", "apply")]
            shown = [f"{s:.3f}" if s < 0.1 else f"{s:.2f}" if s < 10 else f"{s:.1f}" for s in seconds]
            return " · ".join([f"{sizes[key]:,}", *shown])

        expected = [" | ".join(["", name, *(cell((pair, *setting)) for pair in self.PAIRS), ""]).strip()
                    for name, setting in self.SETTINGS.items()]
        self.assertEqual(expected, re.findall(r"^\| .* · .* \|$", self.screen, re.M))

    def test_packages_are_those_that_setup_installs(self):
        told = re.search(r"^    sudo apt-get install (.*)$", self.screen, re.M).group(1).split()
        installed = re.search(r"^packages=\((.*?)\)$", read("tools", "setup.sh"), re.M | re.S).group(1).split()
        self.assertEqual(installed, told)

    def test_users_build_without_what_developers_need(self):
        self.assertRegex(self.screen, r"(?m)^    cmake -B build && cmake --build build\b")
        for option in ("DEVELOPER", "TESTS", "BENCH"):
            self.assertRegex(read("CMakeLists.txt"), rf'(?m)^option\(BDELTA_{option} ".*" OFF\)$')
        for preset in json.loads(read("CMakePresets.json"))["configurePresets"]:
            if not preset.get("hidden"):
                self.assertTrue(preset["displayName"].startswith("For developers: "), preset["name"])


class Readme(unittest.TestCase):
    def setUp(self):
        self.text = read("README.md")

    def test_the_error_table_is_errors_def(self):
        pattern = r'^BDELTA_ERROR\(k(\w+),\s*(\d+),\s*(\d+),\s*"([^"]*)"\)'
        defined = re.findall(pattern, read("include", "bdelta", "errors.def"), re.M)
        told = re.findall(r"^\| (\d+) \| `(\w+)` \| (\d+) \| (.*?) \|$", self.text, re.M)
        self.assertGreater(len(defined), 30)
        self.assertEqual([(number, name, exit_class, message) for name, number, exit_class, message in defined], told)

    def test_every_option_stands_in_the_readme(self):
        for executable in (support.BDELTA, support.BPATCH):
            text = subprocess.run([executable, "--help"], capture_output=True, check=True).stdout.decode()
            for option in re.findall(r"(--[a-z][a-z-]+)", text):
                self.assertIn(f"`{option}", self.text, option)

    def test_every_option_of_the_readme_exists(self):
        texts = "".join(subprocess.run([executable, "--help"], capture_output=True, check=True).stdout.decode()
                        for executable in (support.BDELTA, support.BPATCH))
        for option in re.findall(r"^\| `(--[a-z-]+)", self.text, re.M):
            self.assertIn(option, texts)

    def test_every_json_key_stands_in_the_readme(self):
        known = [terminal_test.CREATE_KEYS, terminal_test.INFO_KEYS, terminal_test.VERSION_KEYS, terminal_test.PROGRESS_KEYS]
        for key in sum(known, []):
            self.assertIn(f"`{key}`", self.text)

    def test_every_key_of_the_manifest_stands_in_the_readme(self):
        section = self.text[self.text.index("### The manifest"):self.text.index("## Exit status")]
        for key in release_test.MANIFEST_KEYS + release_test.OPTION_KEYS + release_test.MADE_KEYS:
            self.assertIn(f"`{key}`", section)

    def test_every_phase_stands_in_the_readme_and_no_other(self):
        section = self.text[self.text.index("## Where the time goes"):]
        told = re.findall(r"^\| `(\w+)` \| (bdelta|bpatch|both) \|", section, re.M)
        defined = read("src", "base", "phases.hpp")
        names = re.findall(r'"(\w+)"', re.search(r"kNames = \{(.*?)\}", defined, re.S).group(1))
        ids = re.findall(r"  k(\w+),", re.search(r"enum class PhaseId.*?\};", defined, re.S).group(0))
        listed = {program: {identifier.lower() for identifier in re.findall(r"PhaseId::k(\w+)", part)}
                  for program, part in re.findall(r"PhaseId k(Create|Apply)Phases\[\] = \{(.*?)\};", defined, re.S)}
        self.assertEqual([identifier.lower() for identifier in ids], names)
        self.assertEqual(sorted(names), sorted(name for name, _ in told))
        for name, program in told:
            of = [p for p, key in (("bdelta", "Create"), ("bpatch", "Apply")) if name in listed[key]]
            self.assertEqual(["both"] if len(of) == 2 else of, [program], name)

    def test_version_is_that_of_the_program(self):
        text = subprocess.run([support.BDELTA, "--version"], capture_output=True, check=True).stdout.decode()
        version = re.search(r"project\(bdelta VERSION (\S+)", read("CMakeLists.txt")).group(1)
        self.assertIn(f" {version} ", text)


if __name__ == "__main__":
    unittest.main()
