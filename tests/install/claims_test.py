"""What SECURITY.md and docs/guarantees.md promise is tested: each claim has a row in tests/CLAIMS.md, and its tests exist."""
import os
import pathlib
import re
import unittest

import support


def section(text, title):
    return re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)


def claims(text):
    """The bold words that begin the points of a list."""
    return re.findall(r"^- \*\*(.+?)\*\*", text, re.M)


def rows():
    """Claim and tests of each row: `Suite.Name` of C++, `cli.file: test_name` and the like of Python."""
    found = {}
    for claim, tests in re.findall(r"^\| (.+?) \| (`.+`) \|$", support.read("tests", "CLAIMS.md"), re.M):
        found[claim] = re.findall(r"`([^`]+)`", tests)
    return found


def cases_of_cpp():
    found = set()
    for path in pathlib.Path(support.ROOT, "tests").glob("*/*_test.cpp"):
        found.update(f"{suite}.{name}" for suite, name in re.findall(
            r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(encoding="utf-8"), re.M))
    return found


def fuzz_tests():
    return {f"fuzz.{path.stem}.{run}" for path in pathlib.Path(support.ROOT, "tests", "fuzz").glob("*.cpp")
            for run in ("quick", "long")}


class Claims(unittest.TestCase):
    def test_each_has_a_row(self):
        promised = claims(support.read("docs", "guarantees.md").partition("\n## ")[0])
        promised += claims(section(support.read("SECURITY.md"), "What is promised"))
        promised += claims(section(support.read("SECURITY.md"), "Limits"))
        self.assertGreater(len(promised), 15)
        self.assertEqual(set(promised), set(rows()))
        self.assertTrue(all(rows().values()))

    def test_each_named_test_exists(self):
        """In the build; where it leaves programs of tests to another one, in the sources too."""
        listing = support.run("ctest", "-N", cwd=support.BUILD)
        known = set(re.findall(r"^ *Test +#\d+: (\S+)", listing, re.M))
        if os.environ["BDELTA_SOME_TESTS"] == "1":
            known |= cases_of_cpp() | fuzz_tests()
        for claim, tests in rows().items():
            for test in tests:
                name, _, case = test.partition(": ")
                pattern = re.compile(rf"(^|/){re.escape(name)}(/|$)")
                self.assertTrue(any(pattern.search(one) for one in known), f"{claim}: no test {name}")
                if case:
                    room, _, file = name.partition(".")
                    text = support.read("tests", room, f"{file}_test.py")
                    self.assertIn(f"\n    def {case}(self", text, f"{claim}: no case {case} of {name}")

    def test_numbers_are_those_of_the_source(self):
        told = section(support.read("SECURITY.md"), "Limits")
        for number, path, definition in (
                ("4096 bytes", "src/format/native/layout.hpp", "kMaxHeaderBytes = 4096;"),
                ("1 MiB", "src/format/native/layout.hpp", "kMaxGroupHeadBytes = std::uint64_t{1} << 20;"),
                ("16,384", "src/format/native/layout.hpp", "kMaxGroupWindows = 16384;"),
                ("256 MiB", "src/format/native/layout.hpp", "kMaxGlobalBytes = std::uint64_t{256} << 20;"),
                ("1 MiB", "src/format/native/layout.hpp", "kMaxFrameBytes = std::uint64_t{1} << 20;"),
                ("65,536", "src/model/streams.hpp", "kMaxWindowCopies = 65536;"),
                ("262,144", "src/model/streams.hpp", "kMaxWindowRuns = 262144;"),
                ("8 MiB", "src/model/streams.hpp", "kMaxWindowBytes = 8ull << 20;"),
                ("64 MiB", "src/codec/codec.hpp", "kMaxWindowLog = 26;"),
                ("256 MiB", "include/bdelta/apply.hpp", "memory_limit_bytes = std::uint64_t{256} << 20;"),
                ("below 2 GiB", "src/format/bdt1/layout.hpp", "kMaxFileBytes = (std::uint64_t{1} << 31) - 1;")):
            self.assertIn(number, told)
            self.assertIn(definition, support.read(*path.split("/")), path)


if __name__ == "__main__":
    unittest.main()
