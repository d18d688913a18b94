"""The documents as tests see them: which pages there are, their prose, headings and links."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "src", "tests", "tools")
TOP = ("README.md", "SECURITY.md", "CHANGELOG.md")
SOURCES = ("src", "include", "bindings", "tools")


def pages():
    """All pages of the tree, README first."""
    found = [ROOT / name for name in TOP]
    for folder in FOLDERS:
        found += sorted((ROOT / folder).rglob("*.md"))
    return found


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def without_code(text):
    """Without fenced and indented code, comments and HTML; lines stay where they are."""
    def blank(match):
        return "\n" * match.group(0).count("\n")
    text = re.sub(r"^```.*?^```$", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    lines, in_list = [], False
    for line in text.split("\n"):
        if re.match(r"\s*([-*]|\d+\.) ", line):
            in_list = True
        elif line.strip() and not line.startswith(" "):
            in_list = False
        code = line.startswith("        ") or (line.startswith("    ") and not in_list)
        lines.append("" if code else line)
    return "\n".join(lines)


def sources():
    """All C++ files of what is installed or made from here."""
    return sorted(path for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".h"))


def comments(text):
    """The prose of lines that are comments, other lines empty. What is set off by further blanks (grammars, tables, usage,
    code) or in brackets (units of constants) is none."""
    found = (re.match(r"\s*//+ ?([^\s\[].*)", line) for line in text.split("\n"))
    return "\n".join(line.group(1) if line else "" for line in found)


def links(text):
    """Targets of links and pictures."""
    return re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`", "", without_code(text)))


def headings(text):
    return re.findall(r"^#{1,6} (.*)$", without_code(text), re.M)


def plain(heading):
    return re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", lambda match: match.group(1) or "", heading)


def anchor(heading):
    """The name by which a page on GitHub, and the text of a heading in it, is linked to."""
    return re.sub(r"[^\w\- ]", "", plain(heading).strip().lower()).replace(" ", "-")


def anchor_of_site(heading):
    """The same on the site: what MkDocs makes of a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain(heading)).strip().lower())


def anchors(text, name=anchor):
    """Of all headings; those that come again have a number behind."""
    found = set()
    for heading in headings(text):
        first, count = name(heading), 0
        while (one := f"{first}-{count}" if count else first) in found:
            count += 1
        found.add(one)
    return found
