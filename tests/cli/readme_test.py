"""The README tells the truth where a machine can check it: errors, options, JSON keys."""
import os
import re
import subprocess
import unittest

import support
import terminal_test

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


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
        for key in terminal_test.CREATE_KEYS + terminal_test.INFO_KEYS:
            self.assertIn(f"`{key}`", self.text)

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
