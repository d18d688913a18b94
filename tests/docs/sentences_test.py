"""README can be read in five minutes, and no sentence of README, SECURITY and docs/ has over 30 words. Tables and code don't
count."""
import re
import unittest

import pages

MOST_WORDS = 30
README_LINES = 150
README_WORDS = 1500


def texts(text):
    """Paragraphs and points of lists, each as one line."""
    found, now = [], []
    for line in [*pages.without_code(text).split("\n"), ""]:
        starts = re.match(r"\s*([-*]|\d+\.) ", line)
        if (not line.strip() or starts or line.startswith(("#", "|"))) and now:
            found.append(" ".join(now))
            now = []
        if starts:
            line = line[starts.end():]
        if line.strip() and not line.startswith(("#", "|")):
            now.append(line.strip())
    return found


def sentences(text):
    """A full stop, question or exclamation mark ends one where a capital, a quote, code or nothing follows."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "Code", text)
    return re.split(r"(?<=[.!?])[)*\"]*\s+(?=[*(\"“]*[A-Z0-9])", text)


def word_count(sentence):
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def long_sentences(text):
    return [f"{word_count(one)}: {one}" for paragraph in texts(text) for one in sentences(paragraph)
            if word_count(one) > MOST_WORDS]


class Counting(unittest.TestCase):
    """The counter itself."""

    def test_a_long_sentence_is_found(self):
        long_one = " ".join(["word"] * (MOST_WORDS + 1)) + "."
        self.assertEqual(1, len(long_sentences(f"Short. {long_one} Short.")))
        self.assertEqual([], long_sentences(long_one.replace("word.", "").strip() + "."))

    def test_points_of_a_list_are_apart(self):
        point = "- " + " ".join(["word"] * 20) + "\n"
        self.assertEqual([], long_sentences(point + "  goes on.\n" + point))

    def test_code_and_tables_are_left_out(self):
        words = " ".join(["word"] * 40)
        self.assertEqual([], long_sentences(f"```\n{words}\n```\n\n    {words}\n\n| {words} |\n"))

    def test_code_inside_a_sentence_is_one_word(self):
        self.assertEqual(3, word_count(sentences("Call `a b c d` now.")[0]))


class Documents(unittest.TestCase):
    @staticmethod
    def pages():
        return [pages.ROOT / "README.md", pages.ROOT / "SECURITY.md", *sorted((pages.ROOT / "docs").glob("*.md"))]

    def test_no_sentence_is_long(self):
        for page in self.pages():
            self.assertEqual([], long_sentences(page.read_text(encoding="utf-8")), page.name)

    def test_readme_is_short(self):
        text = pages.read("README.md")
        self.assertLessEqual(len(text.splitlines()), README_LINES)
        self.assertLessEqual(len(text.split()), README_WORDS)

    def test_lines_are_short(self):
        """Tables, code and links apart."""
        for page in self.pages():
            for line in pages.without_code(page.read_text(encoding="utf-8")).split("\n"):
                self.assertTrue(len(line) <= 135 or line.startswith("|"), f"{page.name}: {line}")


if __name__ == "__main__":
    unittest.main()
