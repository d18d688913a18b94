"""Licence, changelog and version: each is written in one place, and what repeats it agrees."""
import json
import os
import re
import unittest

import support

LICENSE = "MPL-2.0"  # SPDX
HOLDERS = "the bdelta authors"
DOCUMENTS = os.path.join(support.STAGE, "share", "doc", "bdelta")
COMMON_LICENSE = f"/usr/share/common-licenses/{LICENSE}"  # of Debian
NOTICE = """\
  This Source Code Form is subject to the terms of the Mozilla Public
  License, v. 2.0. If a copy of the MPL was not distributed with this
  file, You can obtain one at http://mozilla.org/MPL/2.0/.
"""


def stanzas(text):
    """Of a file in Debian's machine-readable form: field and value, which may go on in lines that begin with a blank."""
    return [dict(re.findall(r"^(\S+): ?(.*(?:\n .*)*)", stanza, re.M)) for stanza in text.split("\n\n")]


def released(changelog):
    """Version and date of each release, the newest first."""
    return re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", changelog, re.M)


class Licence(unittest.TestCase):
    def test_the_text_is_whole_and_ends_with_the_notice(self):
        text = support.read("LICENSE")
        self.assertTrue(text.startswith("Mozilla Public License Version 2.0\n"))
        self.assertTrue(text.endswith(f"  Copyright 2026 {HOLDERS}\n\n{NOTICE}"))
        if os.path.exists(COMMON_LICENSE):
            self.assertTrue(text.startswith(support.read(COMMON_LICENSE)))

    def test_every_description_names_it(self):
        self.assertIn(f'set(BDELTA_LICENSE "{LICENSE}")', support.read("CMakeLists.txt"))
        self.assertEqual(json.loads(support.read("vcpkg.json"))["license"], LICENSE)
        self.assertIn(f'set(bdelta_LICENSE "{LICENSE}")',
                      support.read(support.LIBDIR, "cmake", "bdelta", "bdelta-config.cmake"))
        for module in ("bdelta", "bdelta-apply"):
            self.assertIn(f"\nLicense: {LICENSE}\n", support.read(support.LIBDIR, "pkgconfig", f"{module}.pc"))
        lines = [line for line in support.read("README.md").splitlines() if f"[{LICENSE}](LICENSE)" in line]
        self.assertEqual(len(lines), 1)
        self.assertIn(HOLDERS, lines[0])

    def test_debian_is_told_of_every_file(self):
        head, *files, licence, of_cli11, of_json = stanzas(support.read("packaging", "copyright"))
        self.assertIn("/copyright-format/1.0/", head["Format"])
        self.assertEqual([stanza["Files"] for stanza in files], ["*", "testdata/*"])
        for stanza in files:
            self.assertEqual(stanza["Copyright"], f"2026 {HOLDERS}")
            self.assertEqual(stanza["License"].strip(), LICENSE)
        name, *notice = licence["License"].splitlines()
        self.assertEqual(name, LICENSE)
        self.assertEqual(" ".join(notice).split(), NOTICE.split())
        self.assertIn(COMMON_LICENSE, licence["Comment"])
        # Of what is compiled in, binaries have to carry the notice.
        for notice, name in ((of_cli11, "BSD-3-Clause"), (of_json, "Expat")):
            self.assertTrue(notice["License"].startswith(name + "\n"))
            self.assertIn(name, files[0]["Comment"])


class Documents(unittest.TestCase):
    def test_they_are_installed(self):
        names = {"LICENSE", "README.md", "SECURITY.md", "CHANGELOG.md"}
        self.assertEqual(set(os.listdir(DOCUMENTS)), names | {"docs", "src", "tests", "tools"})
        for name in names:
            self.assertEqual(support.read(DOCUMENTS, name), support.read(name))
        pages = support.files_below(os.path.join(support.ROOT, "docs"))
        self.assertIn("guarantees.md", pages)
        self.assertEqual(support.files_below(os.path.join(DOCUMENTS, "docs")), pages)

    def test_links_lead_to_what_is_installed(self):
        self.assertIn("src/format/native/FORMAT.md", support.files_below(DOCUMENTS))
        self.assertEqual([], support.dead_links(DOCUMENTS))

    def test_the_changelog_keeps_its_form(self):
        text = support.read("CHANGELOG.md")
        self.assertTrue(text.startswith("# Changelog\n"))
        titles = re.findall(r"^## (.*)$", text, re.M)
        self.assertEqual(titles, ["[Unreleased]"] + [f"[{version}] - {date}" for version, date in released(text)])
        parts = re.findall(r"^### (.*)$", text, re.M)
        self.assertLessEqual(set(parts), {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"})
        for part in re.split(r"^### .*$", text, flags=re.M)[1:]:
            self.assertRegex(part, r"^\n\n- ", "each part is a list")


class Version(unittest.TestCase):
    def test_the_changelog_leads_to_it(self):
        """It is the newest release, or what is unreleased says that it is to be it."""
        text = support.read("CHANGELOG.md")
        unreleased = re.search(r"^## \[Unreleased\]$(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
        to_be = re.findall(r"^To be version (\d+\.\d+\.\d+)\b", unreleased, re.M)
        versions = to_be + [version for version, _ in released(text)]
        self.assertEqual(versions[0], support.version())
        numbers = [tuple(map(int, version.split("."))) for version in versions]
        self.assertEqual(numbers, sorted(set(numbers), reverse=True))
        self.assertLessEqual(len(to_be), 1)
        self.assertTrue(to_be or "\n- " not in unreleased, "changes after a release need another version: To be version ...")

    def test_what_repeats_it_agrees(self):
        self.assertEqual(json.loads(support.read("vcpkg.json"))["version-semver"], support.version())
        for program in (support.BDELTA, support.BPATCH):
            self.assertIn(f" {support.version()}", support.run(program, "--version").splitlines()[0])
        for name in ("docs/library.md", "tests/install/consumer_c/CMakeLists.txt", "tests/install/consumer_cpp/CMakeLists.txt"):
            asked = re.findall(r"find_package\(bdelta ([\d.]+)", support.read(name))
            self.assertEqual(set(asked), {support.soversion()}, name)
        for name in ("docs/library.md", "docs/building.md"):
            named = re.findall(r"\blibbdelta(?:-apply)?(?:\.so\.)?(\d[\d.]*\d)", support.read(name))
            self.assertEqual(set(named), {support.soversion()}, name)

    def test_packaging_takes_it_from_the_project(self):
        for where in ("packaging", "cmake"):
            for name in os.listdir(os.path.join(support.ROOT, where)):
                if os.path.isfile(os.path.join(support.ROOT, where, name)):
                    self.assertNotIn(support.version(), support.read(where, name), name)


if __name__ == "__main__":
    unittest.main()
