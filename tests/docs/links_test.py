"""Links lead somewhere: to a file of the tree, and to a heading in it. Pages of docs/ can be found."""
import re
import unittest

import pages


def links_of_tree():
    """(page, target, anchor): links to files of the tree."""
    for page in pages.pages():
        for link in pages.links(page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", link):
                target, _, name = link.partition("#")
                yield page, (page.parent / target).resolve() if target else page, name


class Links(unittest.TestCase):
    def test_files_are_there(self):
        found = list(links_of_tree())
        self.assertGreater(len(found), 80)
        for page, target, _ in found:
            self.assertTrue(target.exists() and pages.ROOT in target.parents, f"{page}: no {target}")

    def test_headings_are_there(self):
        counted = 0
        for page, target, name in links_of_tree():
            if name:
                counted += 1
                text = target.read_text(encoding="utf-8")
                self.assertIn(name, pages.anchors(text), f"{page}: no heading in {target.name}")
                self.assertIn(name, pages.anchors(text, pages.anchor_of_site), f"{page}: the site names it otherwise")
        self.assertGreater(counted, 15)

    def test_links_lead_to_what_the_site_has(self):
        """tools/site.sh takes pages, pictures, tables and the licence."""
        for page, target, _ in links_of_tree():
            self.assertTrue(target.suffix in (".md", ".svg", ".csv") or target.name == "LICENSE", f"{page}: {target}")

    def test_files_that_are_named_are_there(self):
        """Paths in README and docs/ that begin with a folder of the tree. A * stands for anything."""
        counted = 0
        for page in [pages.ROOT / "README.md", *sorted((pages.ROOT / "docs").glob("*.md"))]:
            named = re.findall(r"`((?:src|tests|tools|docs|man|include|cmake|packaging)/[\w./*-]*)`", page.read_text(encoding="utf-8"))
            for name in named:
                if "NAME" not in name:
                    counted += 1
                    self.assertTrue(any(pages.ROOT.glob(name.rstrip("/"))), f"{page.name}: no {name}")
        self.assertGreater(counted, 50)

    def test_code_that_contributing_names_is_there(self):
        """Files without their folder, functions, types, constants and targets."""
        names = set(re.findall(r"`([A-Za-z]\w*(?:\.\w+)?)`", pages.without_code(pages.read("docs/contributing.md"))))
        sources = [file for folder in ("src", "include", "tests", "tools", "cmake") for file in (pages.ROOT / folder).rglob("*")
                   if file.suffix in (".cpp", ".hpp", ".py", ".txt", ".cmake", ".def")]
        files = {file.name for file in sources}
        words = {word for file in sources for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))}
        code = {name for name in names if re.search(r"[._]|[a-z][A-Z]", name)}
        self.assertGreater(len(code), 50)
        self.assertEqual(set(), {name for name in code if name not in (files if "." in name else words)})

    def test_no_link_is_missed(self):
        """A bracket that is no link is a slip of the pen."""
        for page in pages.pages():
            text = re.sub(r"`[^`\n]*`", "", pages.without_code(page.read_text(encoding="utf-8")))
            self.assertEqual([], re.findall(r"\]\(\s|\] \(\S+\.md", text), page)

    def test_pages_of_docs_are_in_readme_and_menu(self):
        for page in (pages.ROOT / "docs").glob("*.md"):
            self.assertIn(f"](docs/{page.name})", re.sub(r"<!--.*?-->", "", pages.read("README.md")))
            self.assertRegex(pages.read("mkdocs.yml"), rf"(?m)^ *- .*: docs/{re.escape(page.name)}$")


if __name__ == "__main__":
    unittest.main()
