"""tools/site.sh builds the site; a link that leads nowhere ends it, and no page is left out of the menu. What pages ask for is
there, and what is a list in the tree is one on the site."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pages


def items_as_text(page):
    """Lines of paragraphs that were to be items of a list. MkDocs wants inner lists indented by four."""
    text = re.sub(r"<(pre|code|script|table|a|h\d)\b.*?</\1>", "", page[page.find('role="main"'):], flags=re.S)
    return re.findall(r"^\s*(?:[-*]|\d+\.) +\w.*", re.sub(r"<[^>]+>", "", text), re.M)


class Site(unittest.TestCase):
    def test_it_is_built(self):
        if not shutil.which("mkdocs"):
            if os.environ.get("CI") == "true":
                self.fail("mkdocs is missing; tools/setup.sh --ci installs it")
            self.skipTest("mkdocs is missing")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bdelta-site-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        done = subprocess.run([pages.ROOT / "tools" / "site.sh", folder], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(f"{folder}/html/index.html\n", done.stdout)
        for name in ("index.html", "docs/levels.html", "SECURITY.html", "src/format/native/FORMAT.html"):
            text = (folder / "html" / name).read_text(encoding="utf-8")
            self.assertIn("<h1", text)
            self.assertEqual([], re.findall(r'(?:href|src)="https?://(?:fonts|cdn|ajax)', text), "the site asks no other host")
            for script in re.findall(r'<script src="([^"]+)"', text):
                file = (folder / "html" / name).parent / script
                self.assertTrue(file.is_file(), f"{name}: no {script}")
                if "jquery" in script:
                    self.assertGreater(file.stat().st_size, 10_000, "the menu of narrow screens needs it")
        self.assertTrue((folder / "html" / "docs" / "frontier.svg").is_file())
        for page in (folder / "html").rglob("*.html"):
            self.assertEqual([], items_as_text(page.read_text(encoding="utf-8")), f"{page.name}: indent by four")

    def test_the_menu_has_every_page(self):
        menu = pages.read("mkdocs.yml")
        for page in pages.pages():
            self.assertRegex(menu, rf"(?m)^ *- .*: {re.escape(str(page.relative_to(pages.ROOT)))}$")


if __name__ == "__main__":
    unittest.main()
