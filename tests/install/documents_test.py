"""The licence is whole, and what names it agrees."""
import json
import os
import re
import unittest

import support

LICENSE = "MPL-2.0"  # SPDX
HOLDERS = "the bdelta authors"
COMMON_LICENSE = f"/usr/share/common-licenses/{LICENSE}"  # of Debian
NOTICE = """\
  This Source Code Form is subject to the terms of the Mozilla Public
  License, v. 2.0. If a copy of the MPL was not distributed with this
  file, You can obtain one at http://mozilla.org/MPL/2.0/.
"""


def stanzas(text):
    """Of a file in Debian's machine-readable form: field and value, which may go on in lines that begin with a blank."""
    return [dict(re.findall(r"^(\S+): ?(.*(?:\n .*)*)", stanza, re.M)) for stanza in text.split("\n\n")]


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
        head, *files, licence = stanzas(support.read("packaging", "copyright"))
        self.assertIn("/copyright-format/1.0/", head["Format"])
        self.assertEqual([stanza["Files"] for stanza in files], ["*", "testdata/*"])
        for stanza in files:
            self.assertEqual(stanza["Copyright"], f"2026 {HOLDERS}")
            self.assertEqual(stanza["License"].strip(), LICENSE)
        name, *notice = licence["License"].splitlines()
        self.assertEqual(name, LICENSE)
        self.assertEqual(" ".join(notice).split(), NOTICE.split())
        self.assertIn(COMMON_LICENSE, licence["Comment"])


if __name__ == "__main__":
    unittest.main()
