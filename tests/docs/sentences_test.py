"""README can be read in five minutes, and what the specifications have to be read of in an hour. No sentence of any page or
comment has over 30 words. Tables and code don't count."""
import re
import unittest

import pages

MOST_WORDS = 30
STARTS = r"[*(\"“]*[A-Z0-9]"  # of sentences
README_LINES = 150
README_WORDS = 1500
SPECIFICATIONS = ("src/format/native/FORMAT.md", "src/exe/PREDICTION.md", "src/delta/GLOSSARY.md")
WORDS_OF_AN_HOUR = 220 * 60
BESIDE_THE_SITE = ("bindings/python/README.md", "testdata/deflate/README.md")


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


def sentences(text, starts=STARTS):
    """A full stop, question or exclamation mark ends one where a capital, a quote, code or nothing follows, or what `starts`."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "Code", text)
    return re.split(rf"(?<=[.!?])[)*\"]*\s+(?={starts})", text)


def word_count(sentence):
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def main_path(text):
    """Without sections that begin by saying that they are reference, and what is below these."""
    kept, level = [], 7  # of the heading of such a section
    for section in re.split(r"^(?=#+ )", re.sub(r"^```.*?^```$", lambda code: code.group(0).replace("#", ""), text, flags=re.M | re.S),
                            flags=re.M):
        depth = len(re.match(r"#*", section).group(0))
        if depth <= level:
            level = depth if re.match(r"#+ .*\n\n\*Reference", section) else 7
        if level == 7:
            kept.append(section)
    return "".join(kept)


def long_sentences(text, starts=STARTS):
    return [f"{word_count(one)}: {one}" for paragraph in texts(text) for one in sentences(paragraph, starts)
            if word_count(one) > MOST_WORDS]


def long_in_comments(text):
    """Here names of the code, in small letters, may begin a sentence."""
    return long_sentences(pages.comments(text), r"\S")


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

    def test_reference_is_left_out_with_what_is_below(self):
        page = "# Page\nread\n## One\n\n*Reference.* no\n### Below\nno\n## Two\nread\n### Deep\n\n*Reference, too.*\n## Three\nread\n"
        self.assertEqual("# Page\nread\n## Two\nread\n## Three\nread\n", main_path(page))

    def test_comments_are_read_through_their_lines(self):
        half = " ".join(["word"] * (MOST_WORDS - 10))
        self.assertEqual(1, len(long_in_comments(f"int a;\n  // {half}\n  // {half}.\nint b;\n")))
        for apart in (". name: ", "\n//\n// ", "\n// - ", "\nint a;\n// "):
            self.assertEqual([], long_in_comments(f"// {half}{apart}{half}.\n"))

    def test_layout_and_code_of_comments_are_left_out(self):
        words = " ".join(["word"] * 40)
        self.assertEqual([], long_in_comments(f"//   {words}\n// [bytes] {words}.\nint {words}; // {words}\n"))

    def test_code_inside_a_sentence_is_one_word(self):
        self.assertEqual(3, word_count(sentences("Call `a b c d` now.")[0]))


class Documents(unittest.TestCase):
    @staticmethod
    def pages():
        return [*pages.pages(), *(pages.ROOT / name for name in BESIDE_THE_SITE)]

    def test_no_sentence_is_long(self):
        for page in self.pages():
            self.assertEqual([], long_sentences(page.read_text(encoding="utf-8")), page)

    def test_no_sentence_of_a_comment_is_long(self):
        sources = pages.sources()
        self.assertGreater(len(sources), 500)
        for source in sources:
            self.assertEqual([], long_in_comments(source.read_text(encoding="utf-8")), source)

    def test_readme_is_short(self):
        text = pages.read("README.md")
        self.assertLessEqual(len(text.splitlines()), README_LINES)
        self.assertLessEqual(len(text.split()), README_WORDS)

    def test_main_paths_of_specifications_take_an_hour(self):
        """With tables and code, whose cells and lines are words here, too."""
        words = {name: len(main_path(pages.read(name)).split()) for name in SPECIFICATIONS}
        self.assertLess(sum(words.values()), WORDS_OF_AN_HOUR, words)
        for name in SPECIFICATIONS[:2]:
            self.assertLess(words[name], len(pages.read(name).split()) / 2)

    def test_lines_are_short(self):
        """Tables, code and links apart."""
        for page in self.pages():
            for line in pages.without_code(page.read_text(encoding="utf-8")).split("\n"):
                self.assertTrue(len(line) <= 135 or line.startswith("|"), f"{page}: {line}")


if __name__ == "__main__":
    unittest.main()
