#!/usr/bin/env python3
"""Checks that each file under src/ and tools/ sees a declaration of what it names: the gate compiles the files of a room
together, where a missing #include goes unnoticed.

usage: check_includes.py [ROOT]      check the tree at ROOT (default: the one this file lies in)
       check_includes.py --selftest  prove on small trees that the check bites, and only where it should

Looked at are types and constants (kName) that exactly one header under src/, include/ or tools/ defines, on lines that
begin at the margin. A file that names one has to reach that header by its own includes, or declare the name itself. To a
header it is enough if one that it includes declares the name.
Every violation is printed as file:line: message. Exit code: 0 clean, 1 violations, or nothing to check.
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
KIND = r"(?:class|struct|enum class|enum|union) (?:\[\[\w+\]\] )?"
HOME = re.compile(rf"^(?:template <.*>\s*)?{KIND}([A-Z]\w+)\b(?! *;)|^using ([A-Z]\w+) =|"
                  r"^inline constexpr [^=;{]*?\b(k[A-Z]\w+)\b", re.M)  # what a header defines for others
DECLARED = re.compile(rf"\b{KIND}([A-Z]\w+)\b|\busing ([A-Z]\w+) =|\btypename (?:\.\.\. ?)?([A-Z]\w*)|"
                      r"\bconst\w* [^=;{}()]*?\b(k[A-Z]\w+)\b|^ +(k[A-Z]\w+)\b *(?:=|,|$)|[{,] *(k[A-Z]\w+)\b", re.M)
FORWARD = re.compile(rf"^ *{KIND}([A-Z]\w+);", re.M)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)
USED = re.compile(r"(?<![\w.>])\b([A-Z]\w+|k[A-Z]\w+)\b")  # but for members of objects


def code_of(text):
    """The text without comments and literals, of as many lines."""
    return COMMENT_OR_TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)


class Tree:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        for directory in ("src", "include", "tools"):
            for path in sorted((root / directory).rglob("*")):
                if path.suffix in (".hpp", ".cpp", ".h"):
                    self.texts[path.resolve()] = path.read_text(encoding="utf-8", errors="replace")
        self.codes = {path: code_of(text) for path, text in self.texts.items()}
        self.reached = {}

    def resolve(self, path, name):
        for base in (path.parent, self.root / "src", self.root / "include", self.root / "tools"):
            found = (base / name).resolve()
            if found in self.texts:
                return found
        return None

    def closure(self, path):
        """The file and all headers that its includes reach."""
        if path not in self.reached:
            seen, waiting = {path}, [path]
            while waiting:
                at = waiting.pop()
                for name in INCLUDE.findall(self.texts[at]):
                    found = self.resolve(at, name)
                    if found and found not in seen:
                        seen.add(found)
                        waiting.append(found)
            self.reached[path] = seen
        return self.reached[path]

    def definitions(self):
        """{name: its header}, of names that one header defines and no other file declares."""
        homes, places = {}, {}
        for path, code in self.codes.items():
            for groups in HOME.findall(code):
                homes[next(filter(None, groups))] = path
            for name in self.declared(path):
                places.setdefault(name, []).append(path)
        return {name: path for name, path in homes.items()
                if path.suffix == ".hpp" and all(place == path for place in places.get(name, ()))}

    def declared(self, path):
        return {name for groups in DECLARED.findall(FORWARD.sub("", self.codes[path])) for name in groups if name}

    def forward_declared(self, paths):
        return {name for path in paths for name in FORWARD.findall(self.codes[path])}

    def violations(self):
        homes = self.definitions()
        for path, code in self.codes.items():
            closure = self.closure(path)
            told = self.forward_declared([path] if path.suffix == ".cpp" else closure)
            for found in USED.finditer(code):
                name = found.group(1)
                home = homes.get(name)
                if home is None or home in closure or name in told:
                    continue
                told.add(name)
                yield (path.relative_to(self.root), code.count("\n", 0, found.start()) + 1,
                       f"{name} is of {home.relative_to(self.root)}, which no include here reaches")


def check(root):
    tree = Tree(root)
    found = list(tree.violations())
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    print(f"includes: {len(tree.texts)} files, {len(tree.definitions())} names, {len(found)} violations")
    return 1 if found or not tree.texts else 0


HEADERS = {
    "src/a/a.hpp": "struct Alpha {\n  int value;\n};\ninline constexpr int kMost = 3;\n",
    "src/a/b.hpp": '#include "a/a.hpp"\nclass Beta : Alpha {};\nstruct Twice {};\n',
    "src/a/c.hpp": "struct Twice {};\nclass Beta;\n",
}
CASES = [  # a file, and the names that it must be told of
    ('#include "a/a.hpp"\nAlpha a;\n', []),
    ('#include "a/b.hpp"\nAlpha a;\nBeta b;\n', []),
    ("int i = Alpha{}.value;\n", ["Alpha"]),
    ("int i = a::kMost + kMost;\n", ["kMost"]),
    ('#include "a/c.hpp"\nAlpha* a;\n', ["Alpha"]),
    ('#include "a/c.hpp"\nint i = Beta{}.i;\n', ["Beta"]),
    ("class Beta;\nBeta* b;\n", []),
    ("struct Alpha {};\nAlpha a;\n", []),
    ('// Alpha\nconst char* t = "Alpha";\nint i = x.Alpha + y->Alpha;\n', []),
    ("Twice t;\n", []),
]


def selftest():
    for text, expected in CASES:
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory).resolve()
            for name, content in {**HEADERS, "src/d/d.cpp": text}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            found = [message.split()[0] for _, _, message in Tree(root).violations()]
        if found != expected:
            print(f"expected {expected}, found {found} in:\n{text}")
            return 1
    print(f"includes: {len(CASES)} cases")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--selftest"]:
        sys.exit(selftest())
    sys.exit(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
