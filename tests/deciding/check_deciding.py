#!/usr/bin/env python3
"""Checks that the list of deciding constants is complete and well-formed.

usage: check_deciding.py [ROOT]      check the tree at ROOT (default: the one this file lies in)
       check_deciding.py --selftest  prove on small bad trees that every rule bites

The list is src/base/deciding/*.hpp; its README.md says what a row has. The other side is what makes patches: all of create and
match, and of format, exe and model the sources of the rooms that end in _write, with headers of the same name. What a reader
needs too is laid down by a format and decides nothing. In these files a constant with a number of its own must be of a kind
that does not decide, told by its file (kFiles), by its name (kNames), or alone (kOthers); and expressions have no number but
small ones, powers of two and ten: those are widths, tenths and sixteenths.
"""
import pathlib
import re
import sys
import tempfile

MOST_ROWS = 112
META = re.compile(r"^// \[[^\]]+\] More: .+\. Sets: .+\.$")
DECLARATION = re.compile(r"^inline constexpr [\w:]+ (k\w+)(?:\[\])? = [^;]+;$")
CONSTANT = re.compile(r"\bconstexpr\s+[\w:<>, +]+?\s[&*]?(k\w+)\b[^=;(]*(?:=|\{)([^;]*)")

# Of files: what their constants say.
FILES = {
    r"create/budget\w*\.\w+": "what allocations take, and the shares of a limit",
    r"create/work_estimate\.\w+": "progress",
    r"create/level\.\w+": "the levels, each setting with its meaning",
    r"match/(params|parse|parse_costs|matcher)\.hpp": "defaults of settings of levels",
    r"match/sample_hash\w*\.\w+": "a hash",
    r"match/(block_compare\w*|extend)\.hpp": "bits of a word",
    r"exe/(btf_sections|code_signature)\.cpp": "syntax of files",
    r"format/native/(literal_cache\.cpp|writer_settings\.hpp)": "memory, and defaults of settings",
}
# Of names: what such constants say.
NAMES = {
    r"k\w*(Bits|Log|Mask|Ways|Parts|Entries|Per(Block|Filter|Byte)|Slots|Words|Lanes?|Key\w*|BucketBytes|Notes|Factors?)":
        "how a table or word is laid out",
    r"kNo[A-Z]\w*|kNone|kFar|k\w*Diagonal": "in the place of something that is absent",
    r"k\w*(Piece|Chunk|Step|Block|Task|Batch|Buffer|Scan|Read|Ahead|PerLook|ToLook|PerThread|Pace|Ring|Stretch|Granule|"
    r"Compare|Collect|Spool|Probe|Asks)\w*": "pieces that work is cut into, buffers, looks at the watch",
    r"k(Bit|MiB|Unit\w*|Costs\w*Byte)": "units",
}
# One by one.
OTHERS = {
    "kAnyHash": "a byte", "kExact": "up to the first byte that differs", "kFast": "a codec", "kFewBytes": "threads",
    "kFewCovers": "memory", "kLargest": "all models", "kLargestFile": "a bound of files", "kListBytes": "the record",
    "kMaxFileBytes": "a bound of files", "kMaxGroupSegments": "the format", "kMaxJoinedWindows": "the format",
    "kMaxNumberBytes": "memory", "kMostBytes": "a name", "kOrdinaryMiss": "a unit", "kPageBytes": "of a processor",
    "kPagesPerTask": "work", "kSpan": "a distance of the local table", "kPlainBytes": "default of a level's setting", "kTableFieldBytes": "of a field",
    "kThorough": "a codec", "kThreshold": "a shift of the list", "kThresholdBytes": "the record",
}
EXEMPT_LINES = re.compile(r"error_class")  # status codes
NUMBER = re.compile(r"(?:[/*?:]|[<>]=?) (\d[\d']*)\b(?!\.)")


def without_comment(line):
    return re.sub(r'"[^"]*"', '""', line.split("//")[0])


class Checker:
    def __init__(self, root):
        self.root, self.src = root, root / "src"
        self.complaints, self.rows, self.listed = [], 0, {}

    def complain(self, path, line, message):
        self.complaints.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def read_header(self, path):
        comment, in_row = [], False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("//"):
                comment = comment + [line] if not in_row else [line]
                in_row = False
            elif line.startswith("inline constexpr"):
                if not in_row:
                    self.rows += 1
                    if len(comment) < 2 or not META.match(comment[-1]):
                        self.complain(path, number, "a row says what it means, then [unit] More: … Sets: ….")
                in_row = True
                found = DECLARATION.match(line)
                if not found:
                    self.complain(path, number, "not a constant of one line")
                elif self.listed.setdefault(found.group(1), (path, number)) != (path, number):
                    self.complain(path, number, f"{found.group(1)} is listed twice")
            elif not line.startswith(("#", "namespace", "}")) and line:
                self.complain(path, number, "a list has rows alone")
            elif line == "":
                comment, in_row = [], False

    def making_files(self):
        files = [p for room in ("create", "match") for p in (self.src / room).glob("*.?pp")]
        rooms = (self.src / "CMakeLists.txt").read_text(encoding="utf-8")
        for sources in re.findall(r"bdelta_room\((?:exe|model|format)_write SOURCES ([^)]*)\)", rooms):
            for name in sources.split():
                files += [p for p in (self.src / name, (self.src / name).with_suffix(".hpp")) if p.is_file()]
        return sorted(files)

    def is_kind(self, name, number):
        return name in OTHERS or name in self.listed or any(re.fullmatch(kind, name) for kind in NAMES)

    def check_file(self, path):
        place = str(path.relative_to(self.src))
        if place.startswith("format/bdt1/") or any(re.fullmatch(kind, place) for kind in FILES):
            return
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = without_comment(line)
            constant = CONSTANT.search(code)
            if constant:
                name, value = constant.groups()
                if name in self.listed:
                    self.complain(path, number, f"{name} hides the one of the list")
                has_number = re.search(r"(?<![\w.])\d", value) and "double" not in code
                if has_number and not self.is_kind(name, number):
                    self.complain(path, number, f"{name} decides or is of no known kind: see base/deciding/README.md")
            elif not EXEMPT_LINES.search(code):
                for digits in NUMBER.findall(code):
                    value = int(digits.replace("'", ""))
                    if value > 2 and value != 10 and value & (value - 1) and not re.search(rf"(<<|>>) {digits}", code):
                        self.complain(path, number, f"the number {digits} decides: see base/deciding/README.md")

    def check_use(self):
        text = "\n".join(p.read_text(encoding="utf-8") for p in self.src.rglob("*.?pp") if p.parent.name != "deciding")
        used = set(re.findall(r"\bk\w+", text))
        for name, (path, number) in self.listed.items():
            if name not in used:
                self.complain(path, number, f"nothing uses {name}")

    def check(self):
        headers = sorted((self.src / "base/deciding").glob("*.hpp"))
        for path in headers:
            self.read_header(path)
        for path in self.making_files():
            self.check_file(path)
        self.check_use()
        if self.rows > MOST_ROWS:
            self.complain(headers[0], 1, f"{self.rows} rows, at most {MOST_ROWS}")
        if self.rows == 0:
            self.complaints.append("no rows: nothing was checked")


def run(root):
    checker = Checker(root.resolve())
    checker.check()
    for complaint in checker.complaints:
        print(complaint)
    print(f"{checker.rows} rows with {len(checker.listed)} constants, {len(checker.complaints)} complaints")
    return 1 if checker.complaints else 0


ROW = "// What it is.\n// [bytes] More: less. Sets: none noted.\ninline constexpr int kListed = 3;\n"
USE = "int a() { return kListed; }\n"
CMAKE = "bdelta_room(exe_write SOURCES exe/a.cpp)\n"
# name, the list, create/a.cpp, further files, what must be complained about (None: nothing)
SELFTEST = [
    ("clean", ROW, USE + "constexpr int kTaskBytes = 5;\nint b = 7 << 20;\n", {}, None),
    ("no meta", "// What.\ninline constexpr int kListed = 3;\n", USE, {}, "a row says what it means"),
    ("no meaning", ROW.split("\n", 1)[1], USE, {}, "a row says what it means"),
    ("two constants in a row", ROW + "inline constexpr int kOther = 4;\n", USE + "int o = kOther;\n", {}, None),
    ("twice", ROW + "\n" + ROW, USE, {}, "is listed twice"),
    ("unused", ROW, "", {}, "nothing uses kListed"),
    ("not listed", ROW, USE + "constexpr int kShare = 5;\n", {}, "kShare decides"),
    ("made of the list", ROW, USE + "constexpr int kShare = kListed;\n", {}, None),
    ("hidden", ROW, USE + "constexpr int kListed = 4;\n", {}, "hides the one of the list"),
    ("number", ROW, USE + "int c = a() / 7;\n", {}, "the number 7 decides"),
    ("power of two", ROW, USE + "int c = a() / 8;\n", {}, None),
    ("comment", ROW, USE + "int c = a();  // constexpr int kShare = 7; a / 7\n", {}, None),
    ("file of another kind", ROW, USE, {"src/create/budget.cpp": "constexpr int kShare = 5;\n"}, None),
    ("reading", ROW, USE, {"src/exe/b.cpp": "constexpr int kShare = 5;\n"}, None),
    ("making", ROW, USE, {"src/exe/a.cpp": "constexpr int kShare = 5;\n"}, "src/exe/a.cpp:1: kShare decides"),
    ("header of making", ROW, USE, {"src/exe/a.cpp": "", "src/exe/a.hpp": "static constexpr int kShare{5};\n"},
     "src/exe/a.hpp:1: kShare decides"),
    ("too many", "\n".join(ROW.replace("kListed", f"kL{i}") for i in range(MOST_ROWS + 1)),
     " ".join(f"kL{i}" for i in range(MOST_ROWS + 1)), {}, f"at most {MOST_ROWS}"),
    ("empty", "", "", {}, "nothing was checked"),
]


def selftest():
    failures = 0
    for name, rows, source, more, expected in SELFTEST:
        with tempfile.TemporaryDirectory(prefix="bdelta_deciding_") as directory:
            root = pathlib.Path(directory).resolve()
            files = {"src/base/deciding/a.hpp": rows, "src/create/a.cpp": source, "src/CMakeLists.txt": CMAKE, **more}
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            checker = Checker(root)
            checker.check()
            found = checker.complaints
        good = not found if expected is None else any(expected in complaint for complaint in found)
        if not good:
            failures += 1
            print(f"FAILED {name}: expected {expected!r}, found {found}")
    print(f"selftest: {len(SELFTEST)} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--selftest"]:
        sys.exit(selftest())
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    sys.exit(run(pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else pathlib.Path(__file__).parents[2]))
