"""The documents tell the truth where a machine can check it: README's offer, errors, options, JSON keys, phases."""
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


class Readme(unittest.TestCase):
    """Enough to decide whether bdelta will do, and to make a patch."""

    def setUp(self):
        self.text = read("README.md")

    def test_says_whether_it_may_be_used_and_fits(self):
        points = dict(re.findall(r"^- \*\*(.*?)\*\*:? (.*(?:\n  .*)*)", self.text, re.M))
        version = re.search(r"project\(bdelta VERSION (\d+\.\d+)", read("CMakeLists.txt")).group(1)
        self.assertIn(f"version {version}.", points["Status"])
        self.assertRegex(points["Status"], r"draft(.|\n)*don't store them")
        self.assertIn("[MPL-2.0](LICENSE)", points["Licence"])
        for platform in ("Linux", "x86-64", "arm64", "32-bit ARM", "s390x", "macOS", "Windows"):
            self.assertIn(platform, points["Platforms"])
        lacks = self.text[self.text.index("does not do yet"):]
        for what in ("Insides of", "Patches of other tools"):
            self.assertIn(f"\n- {what}", lacks)

    def test_introduces_the_original_where_it_is_first_named(self):
        self.assertTrue(self.text[self.text.lower().index("original"):].startswith("original** is [BDelta by John Whitney]"))

    def test_two_commands_do_what_it_says(self):
        """One builds and does the main job, one builds and passes the tests, and continuous integration calls that."""
        section = self.text[self.text.index("## Two commands"):self.text.index("## Install")]
        commands = re.findall(r"^    (\S+)", section, re.M)
        self.assertEqual(["tools/quickstart.sh", "tools/run_tests.sh"], commands)
        for command in commands:
            self.assertTrue(os.access(os.path.join(ROOT, command), os.X_OK))
        self.assertRegex(read(".ci", "run"), r"(?m)^exec tools/run_tests\.sh ci$")

    def test_packages_are_those_that_setup_installs(self):
        installed = re.search(r"^packages=\((.*?)\)$", read("tools", "setup.sh"), re.M | re.S).group(1).split()
        for text in (self.text, read("docs", "building.md")):
            told = re.search(r"^    sudo apt-get install (.*)$", text, re.M).group(1).split()
            self.assertEqual(installed, told)

    def test_users_build_without_what_developers_need(self):
        self.assertRegex(self.text, r"(?m)^    cmake -B build && cmake --build build\b")
        for option in ("DEVELOPER", "TESTS", "BENCH"):
            self.assertRegex(read("CMakeLists.txt"), rf'(?m)^option\(BDELTA_{option} ".*" OFF\)$')
        for preset in json.loads(read("CMakePresets.json"))["configurePresets"]:
            if not preset.get("hidden"):
                self.assertRegex(preset["displayName"], r"\AFor (developers|packagers): ", preset["name"])


class Documents(unittest.TestCase):
    def test_the_error_table_is_errors_def(self):
        pattern = r'^BDELTA_ERROR\(k(\w+),\s*(\d+),\s*(\d+),\s*"([^"]*)"\)'
        defined = re.findall(pattern, read("include", "bdelta", "errors.def"), re.M)
        told = re.findall(r"^\| (\d+) \| `(\w+)` \| (\d+) \| (.*?) \|$", read("docs", "guarantees.md"), re.M)
        self.assertGreater(len(defined), 30)
        self.assertEqual([(number, name, exit_class, message) for name, number, exit_class, message in defined], told)

    def test_options_of_the_table_are_those_of_help(self):
        heads = re.findall(r"^\| (.*?) \| (?:bdelta|bpatch|both) \|", read("docs", "commands.md"), re.M)
        told = {option for head in heads for option in re.findall(r"--[a-z][a-z0-9-]+", head)}
        helped = set()
        for executable in (support.BDELTA, support.BPATCH):
            text = subprocess.run([executable, "--help"], capture_output=True, check=True).stdout.decode()
            helped |= set(re.findall(r"--[a-z][a-z0-9-]+", text))
        self.assertGreater(len(helped), 20)
        self.assertEqual(helped, told)

    def test_every_json_key_stands_in_its_page(self):
        known = [terminal_test.CREATE_KEYS, terminal_test.INFO_KEYS, terminal_test.VERSION_KEYS, terminal_test.PROGRESS_KEYS]
        for key in sum(known, []):
            self.assertIn(f"`{key}`", read("docs", "json.md"))

    def test_every_key_of_the_manifest_stands_there(self):
        page = read("docs", "json.md")
        section = page[page.index("## The manifest"):]
        for key in release_test.MANIFEST_KEYS + release_test.OPTION_KEYS + release_test.MADE_KEYS:
            self.assertIn(f"`{key}`", section)

    def test_every_phase_stands_there_and_no_other(self):
        section = read("docs", "json.md")
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
