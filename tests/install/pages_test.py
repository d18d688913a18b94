"""Manual pages name what the programs have, all of it and nothing else, and groff has nothing to complain of."""
import os
import re
import subprocess
import unittest

import support

PAGES = ("man1/bdelta.1", "man1/bpatch.1", "man5/bdelta-format.5", "man3/bdelta.3")


def page(name):
    with open(os.path.join(support.STAGE, "share", "man", name), encoding="ascii") as file:
        return file.read()


def section(text, title):
    return re.search(rf"^\.SH {title}$(.*?)(?=^\.SH )", text, re.M | re.S).group(1)


def options_of_page(text):
    """Names of the entries in OPTIONS: what is in bold in the heads."""
    heads = re.findall(r"^\.TP\n(.*)$", section(text, "OPTIONS"), re.M)
    return {name.replace("\\-", "-") for head in heads for name in re.findall(r"\\fB(.*?)\\fR", head)}


def options_of_help(program):
    text = support.run(program, "--help").split("\nOptions:\n")[1]
    heads = re.findall(r"^  (-\S*)", text, re.M)
    return {re.sub(r"\{.*?\}", "", name) for head in heads for name in head.split(",")}


class Pages(support.Case):
    def test_options_are_those_of_help(self):
        for program, name in ((support.BDELTA, PAGES[0]), (support.BPATCH, PAGES[1])):
            told = options_of_help(program)
            self.assertIn("--threads", told)
            self.assertEqual(options_of_page(page(name)), told)

    def test_exit_statuses_and_errors_are_the_tables(self):
        exits = re.findall(r'^BDELTA_EXIT\((\d+), "(.*)"\)', support.read("include", "bdelta", "exits.def"), re.M)
        table = support.read("include", "bdelta", "errors.def")
        errors = re.findall(r'^BDELTA_ERROR\(k(\w+),\s*(\d+),\s*(\d+),\s*"(.*)"\)', table, re.M)
        self.assertEqual({status for status, _ in exits}, {"0"} | {exit_class for _, _, exit_class, _ in errors})
        for name in PAGES[:2]:
            text = page(name)
            told = re.findall(r"^\.TP\n\.B (\d+)\n(.*)$", section(text, "EXIT STATUS"), re.M)
            self.assertEqual(told, exits)
            rows = re.findall(r"^(\d+)\t(\w+)\t(\d+)\tT\{\n(.*)\nT\}$", section(text, "ERRORS"), re.M)
            self.assertEqual([(row[1], row[0], row[2], row[3]) for row in rows], errors)

    def test_guarantees_and_help_name_the_same_statuses(self):
        exits = re.findall(r'^BDELTA_EXIT\((\d+), "(.*)"\)', support.read("include", "bdelta", "exits.def"), re.M)
        sentence = ", ".join(" ".join(row) for row in exits)
        self.assertEqual(exits, re.findall(r"^\| (\d+) \| ([^|]*) \|$", support.read("docs", "guarantees.md"), re.M))
        for program in (support.BDELTA, support.BPATCH):
            text = re.sub(r"\s+", " ", support.run(program, "--help"))
            self.assertIn("Exit status: " + sentence + ".", text)

    def test_the_format_page_is_the_specification(self):
        text = page(PAGES[2])
        source = support.read("src", "format", "native", "FORMAT.md")
        for title in re.findall(r"^## (.*)$", source, re.M):
            self.assertIn(f'.SH "{title.upper()}"', text)
        rows = len(re.findall(r"^\|(?!-)", source, re.M))
        tables = text.count("\n.TS\n")
        self.assertEqual(text.count("\n.TE\n"), tables)
        in_tables = "".join(re.findall(r"^\.TS\n(.*?)^\.TE$", text, re.M | re.S))
        self.assertGreater(rows, 60)
        self.assertEqual(len(re.findall(r"(?m)^T\{\n(?:.*\n)T\}(?:\tT\{\n.*\nT\})*$", in_tables)), rows - tables)
        steps = len(re.findall(r"^\d+\. ", source, re.M))
        self.assertGreater(steps, 10)
        self.assertEqual(len(re.findall(r"^\.IP \d+\. 3$", text, re.M)), steps)

    def test_programs_have_the_sections_that_people_look_for(self):
        keys = re.findall(r"^\| `(\w+)`", support.read("docs", "json.md"), re.M)
        self.assertGreater(len(keys), 40)
        for name in PAGES[:2]:
            text = page(name)
            titles = re.findall(r"^\.SH (.*)$", text, re.M)
            for title in ("JSON", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES", "BUGS"):
                self.assertEqual(1, titles.count(title), f"{name}: {title}")
        told = page(PAGES[0]).replace("\\", "")
        self.assertEqual([], [key for key in keys if key not in told])

    def test_the_page_of_the_c_interface_is_its_header(self):
        text = page(PAGES[3])
        for escaped, plain in (("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ti", "~"), ("\\e", "\\")):
            text = text.replace(escaped, plain)
        header = support.read("include", "bdelta", "bdelta.h")
        for name in support.read("src", "capi", "exports_full.txt").split():
            self.assertRegex(text, rf"(?m)^[^.\n]*\b{name}\(", name)
            self.assertEqual(".so man3/bdelta.3\n", page(f"man3/{name}.3"))
        for title in re.findall(r"^/\* ---- (.*) ---- \*/$", header, re.M):
            self.assertIn(f'.SH "{title.upper()}"', text)
        members = re.findall(r"^  \w+ \*?\w+; +/\* .*$", header, re.M)
        self.assertGreater(len(members), 40)
        for member in members:
            self.assertTrue(member in text, member)

    def test_groff_has_no_warning(self):
        groff = support.need(self, "groff")
        for name in PAGES:
            for width in ("78n", "80n", "120n"):  # of which lintian takes the last
                result = subprocess.run([groff, "-t", "-man", "-ww", "-z", "-Tutf8", f"-rLL={width}"],
                                        input=page(name), capture_output=True, text=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main()
