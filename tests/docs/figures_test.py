"""Tables of README and docs/performance.md, and the picture, are what the recorded run gives."""
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import pages

SCRIPT = pages.ROOT / "tools" / "bench" / "figures.py"


class Figures(unittest.TestCase):
    def test_pages_have_those_of_the_recorded_run(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT], capture_output=True, text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))

    def test_tables_are_filled(self):
        self.assertIn("\n| program, ", pages.read("README.md"))
        for name in ("`bdelta -1`", "`bdelta --ultra`", "`zstd -19 --patch-from`", "TypeScript, npm .tgz"):
            self.assertIn(f"\n| {name} | ", pages.read("docs/performance.md"))

    def test_the_picture_is_sound_and_has_a_mark_for_each_setting(self):
        svg = "{http://www.w3.org/2000/svg}"
        root = xml.etree.ElementTree.fromstring(pages.read("docs/frontier.svg"))
        self.assertEqual(f"{svg}svg", root.tag)
        labels = [text.text for text in root.iter(f"{svg}text")]
        for label in ("-1", "-9", "--ultra", "-m-4", "-19"):
            self.assertIn(label, labels)


if __name__ == "__main__":
    unittest.main()
