"""The lists of exported names agree with the header and with what the libraries define.

usage: exports_test.py APPLY_LIBRARY FULL_LIBRARY
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
APPLY_LIBRARY, FULL_LIBRARY = "", ""


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def listed(half):
    return read("src", "capi", f"exports_{half}.txt").splitlines()


def c_symbols(library):
    """The names without C++ mangling that a static library defines and that begin as ours do."""
    output = subprocess.run(["nm", "-g", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {match.group(1) for match in re.finditer(r" [TDRBV] (bdelta_\w+)$", output, re.M)}


class Exports(unittest.TestCase):
    def test_the_full_list_is_the_header(self):
        declared = re.findall(r"BDELTA_API [^;]*?\b(bdelta_\w+)\(", read("include", "bdelta", "bdelta.h"))
        self.assertGreater(len(declared), 15)
        self.assertEqual(sorted(declared), listed("full"))

    def test_the_lists_are_sorted_and_one_holds_the_other(self):
        for half in ("apply", "full"):
            self.assertEqual(sorted(set(listed(half))), listed(half))
        self.assertLess(set(listed("apply")), set(listed("full")))

    def test_the_header_says_which_functions_the_apply_half_lacks(self):
        declared_last = read("include", "bdelta", "bdelta.h").split("---- Making patches")[1]
        lacking = set(listed("full")) - set(listed("apply"))
        self.assertEqual(lacking, set(re.findall(r"BDELTA_API [^;]*?\b(bdelta_\w+)\(", declared_last)))

    @unittest.skipUnless(shutil.which("nm"), "nm is not there")
    def test_the_libraries_define_the_lists_and_no_more(self):
        apply_names = c_symbols(APPLY_LIBRARY)
        self.assertEqual(apply_names, set(listed("apply")))
        # The static library of the full half may hold the other half or stand beside it.
        self.assertEqual(apply_names | c_symbols(FULL_LIBRARY), set(listed("full")))


if __name__ == "__main__":
    APPLY_LIBRARY, FULL_LIBRARY = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
