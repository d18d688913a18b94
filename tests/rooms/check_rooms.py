#!/usr/bin/env python3
"""Checks the #include lines under src/ against the table of rooms.

usage: check_rooms.py [ROOT]      check the tree at ROOT (default: the one this file lies in)
       check_rooms.py --selftest  prove on small bad trees that every rule bites

A room is a directory under src/. It may include itself, the rooms before it in kRooms and the public headers
"bdelta/..."; never a room after it. Further rules:
  - match includes nothing of exe;
  - the sub-rooms of format (native, bdt1, ...) do not include each other;
  - apply, with everything its includes reach, includes nothing of match or create: it goes into updaters;
  - public headers include public headers only, and tools, but for those that measure kernels (tools/bench), include
    nothing of match.
Every violation is printed as file:line: message. Exit code: 0 clean, 1 violations, or nothing to check.
"""
import pathlib
import re
import sys
import tempfile

ROOMS = ["base", "io", "hash", "parallel", "codec", "delta", "match", "exe", "view", "model", "format", "apply",
         "create", "inspect", "capi"]
FORBIDDEN = {("match", "exe")}          # although the order would allow it
UPDATER_ROOM = "apply"                  # what goes into an updater ...
NOT_IN_UPDATERS = {"match", "create"}   # ... and what must not
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


class Checker:
    def __init__(self, root):
        self.root = root
        self.src = root / "src"
        self.violations = []
        self.files = 0
        self.arrows = 0
        self.cache = {}

    def complain(self, path, line, message):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def includes(self, path):
        """The quoted includes of a file as (line number, name)."""
        if path not in self.cache:
            text = path.read_text(encoding="utf-8", errors="replace").splitlines()
            self.cache[path] = [(number, m.group(1)) for number, line in enumerate(text, 1)
                                if (m := INCLUDE.match(line))]
        return self.cache[path]

    def resolve(self, path, name):
        """The included file, or None; quoted names may be relative to the including file."""
        for base in (path.parent, self.src, self.root / "include"):
            found = (base / name).resolve()
            if found.is_file():
                return found
        return None

    def place(self, path):
        """(room, sub-room) of a file; sub-room is '' outside format's directories."""
        try:
            parts = path.relative_to(self.src).parts
        except ValueError:
            return "", ""
        if len(parts) < 2:
            return "", ""
        return parts[0], parts[1] if parts[0] == "format" and len(parts) > 2 else ""

    def target_place(self, path, name):
        """(room, sub-room) an include points at; room '' for public headers, None if it cannot be told."""
        found = self.resolve(path, name)
        if found is not None:
            if self.src in found.parents:
                return self.place(found)
            return ("", "") if (self.root / "include") in found.parents else (None, "")
        parts = name.split("/")
        if parts[0] == "bdelta":
            return "", ""
        if len(parts) == 1:  # a generated file beside this one
            return self.place(path)
        return parts[0], parts[1] if parts[0] == "format" and len(parts) > 2 else ""

    def check_arrow(self, path, line, name):
        self.arrows += 1
        room, sub_room = self.place(path)
        to, to_sub_room = self.target_place(path, name)
        if to == "":
            return
        if to not in ROOMS:
            self.complain(path, line, f'"{name}" is in no known room')
        elif ROOMS.index(to) > ROOMS.index(room):
            self.complain(path, line, f'room {room} must not include "{name}": {to} comes after it')
        elif (room, to) in FORBIDDEN:
            self.complain(path, line, f'room {room} must not include "{name}": {room} knows nothing of {to}')
        elif sub_room and to_sub_room and sub_room != to_sub_room:
            self.complain(path, line, f'format/{sub_room} must not include "{name}": formats do not know each other')

    def check_room_file(self, path):
        self.files += 1
        room, _ = self.place(path)
        if room == "":
            self.complain(path, 1, "source file outside every room")
        elif room not in ROOMS:
            self.complain(path, 1, f"unknown room {room}")
        else:
            for line, name in self.includes(path):
                self.check_arrow(path, line, name)

    def check_reach(self, start, trail, seen):
        """Follows the includes of a file of the updater room; `trail` is how we came here."""
        for line, name in self.includes(start):
            to, _ = self.target_place(start, name)
            if to in NOT_IN_UPDATERS:
                way = " -> ".join(trail + [name])
                self.complain(start, line, f"{UPDATER_ROOM} reaches {to}, which must stay out of updaters: {way}")
                continue
            found = self.resolve(start, name)
            if found is not None and found not in seen and self.root in found.parents:
                seen.add(found)
                self.check_reach(found, trail + [name], seen)

    def sources(self, directory):
        return sorted(p for p in directory.rglob("*") if p.is_file() and p.suffix in SUFFIXES)

    def check(self):
        for path in self.sources(self.src):
            self.check_room_file(path)
        seen = set()  # over the whole room: each header is followed once
        for path in self.sources(self.src / UPDATER_ROOM):
            self.check_reach(path, [str(path.relative_to(self.src))], seen)
        for path in self.sources(self.root / "include"):
            for line, name in self.includes(path):
                self.arrows += 1
                if self.target_place(path, name)[0] != "":
                    self.complain(path, line, f'a public header must not include "{name}"')
        bench = self.root / "tools" / "bench"
        for path in (p for p in self.sources(self.root / "tools") if bench not in p.parents):
            for line, name in self.includes(path):
                if name.startswith("match/") or self.target_place(path, name)[0] == "match":
                    self.complain(path, line, f'tools must not include "{name}"')
        self.violations = sorted(set(self.violations))


def run(root):
    checker = Checker(root.resolve())
    checker.check()
    for violation in checker.violations:
        print(violation)
    print(f"{checker.files} files and {checker.arrows} includes checked, {len(checker.violations)} violations")
    if checker.files == 0:
        print(f"no source files under {checker.src}: nothing was checked")
        return 1
    return 1 if checker.violations else 0


# One case per rule: name, files, what must be complained about (None: the tree is clean).
SELFTEST = [
    ("clean tree", {"src/base/a.hpp": '#include <vector>\n#include "bdelta/x.hpp"\n',
                    "src/apply/b.cpp": '#include "base/a.hpp"\n#include "b.hpp"\n', "src/apply/b.hpp": "",
                    "include/bdelta/x.hpp": "", "tools/t/t.cpp": '#include "create/create.hpp"\n'}, None),
    ("later room", {"src/base/a.hpp": '\n#include "io/b.hpp"\n'}, "src/base/a.hpp:2: room base must not"),
    ("later room, relative path", {"src/base/a.hpp": '#include "../io/b.hpp"\n', "src/io/b.hpp": ""},
     "src/base/a.hpp:1: room base must not"),
    ("match knows no exe", {"src/match/a.cpp": '#include "exe/b.hpp"\n'}, "src/match/a.cpp:1: room match must not"),
    ("exe knows match only in order", {"src/exe/a.cpp": '#include "match/b.hpp"\n'}, None),
    ("formats apart", {"src/format/bdt1/a.cpp": '#include "format/native/b.hpp"\n'},
     "src/format/bdt1/a.cpp:1: format/bdt1 must not"),
    ("format's own headers", {"src/format/bdt1/a.cpp": '#include "format/table.hpp"\n#include "format/bdt1/b.hpp"\n'},
     None),
    ("apply includes match", {"src/apply/a.cpp": '#include "match/b.hpp"\n'}, "src/apply/a.cpp:1: apply reaches match"),
    ("apply reaches match", {"src/apply/a.cpp": '#include "format/b.hpp"\n',
                             "src/format/b.hpp": '#include "view/c.hpp"\n',
                             "src/view/c.hpp": '#include "match/d.hpp"\n'}, "src/view/c.hpp:1: apply reaches match"),
    ("unknown room of a file", {"src/attic/a.cpp": ""}, "src/attic/a.cpp:1: unknown room attic"),
    ("unknown room included", {"src/base/a.cpp": '#  include "attic/b.hpp"\n'}, "is in no known room"),
    ("file outside rooms", {"src/a.cpp": ""}, "src/a.cpp:1: source file outside every room"),
    ("tools without match", {"src/base/a.cpp": "", "tools/t/t.cpp": '#include "match/b.hpp"\n'},
     "tools/t/t.cpp:1: tools must not"),
    ("benchmarks may know match", {"src/base/a.hpp": "", "tools/bench/b.cpp": '#include "match/b.hpp"\n'}, None),
    ("public header", {"src/base/a.hpp": "", "include/bdelta/x.hpp": '#include "base/a.hpp"\n'},
     "include/bdelta/x.hpp:1: a public header must not"),
]


def selftest():
    failures = 0
    for name, files, expected in SELFTEST:
        with tempfile.TemporaryDirectory(prefix="bdelta_rooms_") as directory:
            root = pathlib.Path(directory).resolve()
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            checker = Checker(root)
            checker.check()
            found = checker.violations
            good = not found if expected is None else any(expected in v for v in found)
            good = good and (run(root) == 0) == (expected is None)
        if not good:
            failures += 1
            print(f"FAILED {name}: expected {expected!r}, found {found}")
    with tempfile.TemporaryDirectory(prefix="bdelta_rooms_") as directory:
        if run(pathlib.Path(directory)) != 1:
            failures += 1
            print("FAILED: an empty tree must not pass")
    print(f"selftest: {len(SELFTEST) + 1} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--selftest"]:
        sys.exit(selftest())
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    sys.exit(run(pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else pathlib.Path(__file__).parents[2]))
