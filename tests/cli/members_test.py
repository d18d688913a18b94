#!/usr/bin/env python3
"""Where the bytes of a patch go: bpatch --info --members."""
import gzip
import io
import json
import os
import random
import shutil
import tarfile
import unittest
import zipfile

from support import BDELTA, BPATCH, Case, text_of


def packed(entries, year):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (year, 1, 2, 3, 4, 6)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tarred(entries, time):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in entries.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), time
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def elf(code):
    """A small linked program of x86-64 with .text, .note.gnu.build-id and names."""
    names = b"\0.text\0.note.gnu.build-id\0.shstrtab\0"
    note, text = 0x1000, 0x2000
    names_at = text + len(code)
    table_at = names_at + len(names)
    header = b"\x7fELF\2\1\1".ljust(16, b"\0") + (2).to_bytes(2, "little") + (62).to_bytes(2, "little") + (1).to_bytes(4, "little")
    header += (0x402000).to_bytes(8, "little") + (64).to_bytes(8, "little") + table_at.to_bytes(8, "little") + bytes(4)
    for number in (64, 56, 1, 64, 4, 3):
        header += number.to_bytes(2, "little")
    load = (1).to_bytes(4, "little") + (5).to_bytes(4, "little")
    for number in (0, 0x400000, 0x400000, names_at, names_at, 0x1000):
        load += number.to_bytes(8, "little")

    def section(name, kind, flags, address, at, size):
        return (name.to_bytes(4, "little") + kind.to_bytes(4, "little") + flags.to_bytes(8, "little") + address.to_bytes(8, "little") +
                at.to_bytes(8, "little") + size.to_bytes(8, "little") + bytes(8) + (1).to_bytes(8, "little") + bytes(8))

    table = bytes(64) + section(7, 7, 2, 0x401000, note, 20) + section(1, 1, 6, 0x402000, text, len(code))
    table += section(26, 3, 0, 0, names_at, len(names))
    identity = random.Random(code).randbytes(20)
    return (header + load).ljust(note, b"\0") + identity.ljust(0x1000, b"\0") + code + names + table


class MembersTest(Case):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        self.text, self.other, self.added = text_of(rng, 900), text_of(rng, 700), text_of(random.Random(2), 300)
        code = bytearray(rng.randbytes(60_000))
        changed = bytearray(code)
        for at in range(500, 60_000, 700):
            changed[at] ^= 0x21
        self.old = {"doc/same": self.text, "doc/other": self.other, "bin/app": elf(bytes(code))}
        self.new = {"doc/same": self.text, "doc/other": self.other[:9000] + b"new words" + self.other[9000:],
                    "bin/app": elf(bytes(changed)), "more": self.added}

    def pair(self, of_old, of_new):
        self.put("old", of_old)
        self.put("new", of_new)

    def shown(self, *options, patch="patch"):
        """The JSON with OLD, of a patch made with these options; all sums are held against the patch."""
        self.succeed(self.run_program(BDELTA, "--force", "--no-sync", *options, "old", "new", patch))
        found = json.loads(self.succeed(self.run_program(BPATCH, "--info", "--members", "--json", "old", patch)).stdout)
        size = os.path.getsize(self.path(patch))
        self.assertEqual(found["patch_bytes"], size)
        self.assertEqual(sum(found["kinds"].values()), size)
        for member in found["members"]:
            self.assertEqual(sum(member["kinds"].values()), member["patch_bytes"])
            self.assertLessEqual(sum(section["patch_bytes"] for section in member.get("sections", [])), member["patch_bytes"])
            self.assertLessEqual(member["copied_bytes"], member["target_bytes"])
        of_no_member = size - sum(member["patch_bytes"] for member in found["members"])
        kinds = ("header", "tree", "view", "fills", "moved numbers", "substitutions", "prediction", "tables")
        self.assertLessEqual(of_no_member, sum(found["kinds"].get(kind, 0) for kind in kinds))
        alone = json.loads(self.succeed(self.run_program(BPATCH, "--info", "--members", "--json", patch)).stdout)
        self.assertEqual((alone["patch_bytes"], sum(alone["kinds"].values())), (size, size))
        self.assertNotIn("members", alone)
        return found, {member["path"]: member for member in found["members"]}

    def section(self, member, name):
        return next((section for section in member.get("sections", []) if section["name"] == name), None)

    def test_archives(self):
        for pack in (lambda entries, number: packed(entries, 2000 + number), lambda entries, number: tarred(entries, 10**9 + number),
                     lambda entries, number: gzip.compress(tarred(entries, 10**9 + number), mtime=number)):
            self.pair(pack(self.old, 1), pack(self.new, 2))
            for level in ("-1", "-3", "-6", "-9"):
                _, members = self.shown(level)
                self.assertEqual(set(members), {"", *self.new})
                self.assertEqual(members["doc/same"]["patch_bytes"], 0)
                self.assertEqual(members["doc/same"]["source"], "doc/same")
                same = members["doc/same"]  # a stream that is in both stays packed
                self.assertEqual(same["copied_bytes"], same["target_bytes"])
                largest = max(members.values(), key=lambda member: member["patch_bytes"])
                self.assertEqual((largest["path"], largest["source_has_path"]), ("more", False))
                self.assertEqual(largest["target_bytes"], len(self.added))
                self.assertEqual(members["bin/app"]["format"], "elf")
                text = self.section(members["bin/app"], ".text")
                self.assertEqual(text["target_bytes"], 60_000)
                self.assertGreater(text["patch_bytes"], 60)
                self.assertGreater(self.section(members["bin/app"], ".note.gnu.build-id")["patch_bytes"], 5)

    def test_times_stand_apart(self):
        self.pair(tarred(self.old, 10**9), tarred(self.old, 11 * 10**8 + 12345))
        _, members = self.shown("-1")
        self.assertEqual(members[""]["format"], "tar")
        self.assertGreaterEqual(self.section(members[""], "times")["changed_bytes"] + self.section(members[""], "times")["patch_bytes"], 9)
        self.assertEqual({member["patch_bytes"] for name, member in members.items() if name}, {0})

    def test_what_stays_packed(self):
        self.pair(packed(self.old, 2001), packed(self.new, 2001))
        _, members = self.shown("--unpack=none")
        self.assertEqual({member["packed_as"] for name, member in members.items() if name}, {"deflate"})
        _, members = self.shown()
        self.assertEqual([name for name, member in members.items() if "packed_as" in member], ["doc/same"])  # as it is in OLD
        self.put("new", gzip.compress(self.text, mtime=1))
        _, members = self.shown("--unpack=none")
        self.assertEqual(members[""]["packed_as"], "gzip")

    def test_directories(self):
        for root, entries in (("old", self.old), ("new", self.new)):
            for name, data in {**entries, "x.zip": packed(entries, 2003)}.items():
                os.makedirs(os.path.dirname(self.path(f"{root}/{name}")), exist_ok=True)
                self.put(f"{root}/{name}", data)
        self.put("old/gone", random.Random(3).randbytes(5000))
        self.put("old/first", text_of(random.Random(4), 60))
        self.put("new/second", text_of(random.Random(4), 60) + b"x")
        self.put("new/image", b"\x89PNG" + random.Random(5).randbytes(20_000))
        for level in ("-1", "-3", "-9"):
            found, members = self.shown(level)
            self.assertNotIn("doc/same", members)  # it is kept
            self.assertEqual((members["second"]["source"], members["second"]["source_has_path"]), ("first", False))
            self.assertEqual(members["image"]["packed_as"], "png")
            self.assertGreater(members["image"]["patch_bytes"], 17_000)
            self.assertEqual(members["x.zip"]["format"], "zip")
            self.assertEqual(members["x.zip/bin/app"]["format"], "elf")
            self.assertEqual(found["members"][members["bin/app"]["parent"]]["path"], "bin")
            if level != "-9":  # which may copy what has hardly a byte in common
                self.assertEqual([entry["path"] for entry in found["removed"]], ["gone"])

    def info(self, *arguments):
        return json.loads(self.succeed(self.run_program(BPATCH, "--info", "--json", *arguments)).stdout)

    def trees(self, old, new):
        for root, entries in (("old", old), ("new", new)):
            for name, data in entries.items():
                os.makedirs(os.path.dirname(self.path(f"{root}/{name}")), exist_ok=True)
                self.put(f"{root}/{name}", data)

    def test_changes_of_directories(self):
        self.trees({**self.old, "moves": self.added, "gone/g": b"g"}, {**self.new, "moved\n": self.added, "comes/x": b"x" * 50})
        os.remove(self.path("new/more"))
        os.symlink("bin", self.path("new/link"))
        wanted = [("changed", "bin/app"), ("added", "comes"), ("added", "comes/x"), ("changed", "doc/other"), ("removed", "gone"),
                  ("removed", "gone/g"), ("added", "link"), ("moved", "moved\n")]
        apart = sorted(wanted[:-1] + [("added", "moved\n"), ("removed", "moves")], key=lambda change: change[1])
        for level in ("-1", "-6", "-9"):
            self.succeed(self.run_program(BDELTA, "--force", "--no-sync", "--old-list", level, "old", "new", "patch"))
            found = self.info("old", "patch")
            self.assertEqual([(entry["change"], entry["path"]) for entry in found["changes"]], wanted)
            costs = {entry["path"]: entry["patch_bytes"] for entry in found["changes"]}
            self.assertEqual({path for path, cost in costs.items() if cost == 0} - {"moved\n"}, {"comes", "gone", "gone/g", "link"})
            self.assertGreater(costs["bin/app"], 60)
            self.assertLessEqual(costs["moved\n"], 20)
            self.assertLess(sum(costs.values()), found["patch_bytes"])
            self.assertEqual(found["changes"][-1]["from"], "moves")
            sizes = {entry["path"]: entry["bytes"] for entry in found["changes"]}
            self.assertEqual((sizes["comes/x"], sizes["gone/g"], sizes["comes"]), (50, 1, 0))
            members = {member["path"]: member for member in json.loads(self.succeed(self.run_program(
                BPATCH, "--info", "--members", "--json", "old", "patch")).stdout)["members"]}
            self.assertEqual(costs["doc/other"], members["doc/other"]["patch_bytes"])
            alone = self.info("patch")
            if level == "-9":  # it may be known then, too
                alone.setdefault("changes", [{"change": change, "path": path, "patch_bytes": costs.get(path, 0)} for change, path in apart])
            self.assertEqual([(entry["change"], entry["path"]) for entry in alone["changes"]], apart)
            for entry in alone["changes"]:
                self.assertLess(abs(entry["patch_bytes"] - costs.get(entry["path"], 0)), 40, entry)
        text = self.succeed(self.run_program(BPATCH, "--info", "old", "patch")).stdout.decode().splitlines()
        self.assertEqual([line.split(None, 2)[1:] for line in text[text.index("") + 1:]],
                         [[change, "moves -> moved\\x0a" if change == "moved" else path] for change, path in wanted])
        self.succeed(self.run_program(BDELTA, "--force", "--no-sync", "old", "new", "patch"))
        self.assertNotIn("changes", self.info("patch"))  # OLD alone could tell
        self.assertEqual([(entry["change"], entry["path"]) for entry in self.info("old", "patch")["changes"]], wanted)

    def test_changes_in_archives(self):
        self.trees({"x.zip": packed(self.old, 2003), "same": b"s"}, {"x.zip": packed(self.new, 2003), "same": b"s"})
        self.succeed(self.run_program(BDELTA, "--no-sync", "--old-list", "old", "new", "patch"))
        found = self.info("old", "patch")["changes"]
        self.assertEqual([(entry["change"], entry["path"]) for entry in found], [("changed", "x.zip")])
        members = json.loads(self.succeed(self.run_program(BPATCH, "--info", "--members", "--json", "old", "patch")).stdout)["members"]
        self.assertEqual(found[0]["patch_bytes"],
                         sum(member["patch_bytes"] for member in members if member["path"].startswith("x.zip")))
        self.assertGreater(found[0]["patch_bytes"], 1000)
        alone = self.info("patch")
        self.assertEqual(alone["changes"], [{"change": "changed", "path": "x.zip", "bytes": os.path.getsize(self.path("new/x.zip"))}])
        text = self.succeed(self.run_program(BPATCH, "--info", "patch")).stdout.decode().splitlines()
        self.assertEqual(text[-1].split(), ["?", "changed", "x.zip"])

    def test_changes_of_many_entries(self):
        words = [f"{number % 7}/some name of a file {number}" for number in range(3000)]
        self.trees({name: name.encode() for name in words}, {name: name.encode() * (1 + (index % 11 == 0)) for index, name in enumerate(words)
                                                             if index % 13 != 0})
        for level in ("-1", "-6"):
            self.succeed(self.run_program(BDELTA, "--force", "--no-sync", "--old-list", level, "old", "new", "patch"))
            alone = self.info("patch")["changes"]
            self.assertEqual({entry["path"]: entry["change"] for entry in alone},
                             {name: "removed" if index % 13 == 0 else "changed" for index, name in enumerate(words)
                              if index % 13 == 0 or index % 11 == 0})

    def test_info_of_a_damaged_patch(self):
        self.trees({"a": self.text}, {"a": self.text + self.added})
        self.succeed(self.run_program(BDELTA, "--no-sync", "--old-list", "old", "new", "patch"))
        os.truncate(self.path("patch"), os.path.getsize(self.path("patch")) - 3)
        self.refuse(self.run_program(BPATCH, "--info", "patch"), 3, '"patch"')
        self.put("file", b"x")
        self.refuse(self.run_program(BPATCH, "--info", "file", "patch"), 1, "--info takes one PATCH, or OLD PATCH of directories")
        self.refuse(self.run_program(BPATCH, "--info", "new", "patch"), 4, '"new"')

    def test_other_patches(self):
        self.pair(self.text, self.text[:5000] + self.added + self.text[5000:])
        found, members = self.shown("--format=bdt1")
        self.assertEqual(members[""]["patch_bytes"], found["patch_bytes"])
        self.pair(self.text, self.text)
        found, _ = self.shown()
        self.assertEqual(set(found["kinds"]), {"header", "tables"})
        self.pair(b"", b"")
        self.shown()
        self.pair(b"x", b"")
        self.shown()

    def test_text(self):
        self.pair(tarred(self.old, 1), tarred(self.new, 1))
        self.succeed(self.run_program(BDELTA, "--no-sync", "old", "new", "patch"))
        size = os.path.getsize(self.path("patch"))
        alone = self.succeed(self.run_program(BPATCH, "--info", "--members", "patch")).stdout.decode().splitlines()
        self.assertEqual(alone[0].split(), [str(size), "100.00%", "in", "all"])
        self.assertEqual(sum(int(line.split()[0]) for line in alone[1:]), size)
        lines = self.succeed(self.run_program(BPATCH, "--members", "--info", "old", "patch")).stdout.decode().splitlines()
        first = lines.index("") + 1
        self.assertIn('"more"  (file, ', lines[first])
        sizes = [int(line.split()[0]) for line in lines[first:-1] if "%      " not in line]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_refusals(self):
        self.pair(self.text, self.other)
        self.succeed(self.run_program(BDELTA, "--no-sync", "old", "new", "patch"))
        self.refuse(self.run_program(BPATCH, "--members", "old", "made", "patch"), 1, "--members is for --info")
        self.refuse(self.run_program(BPATCH, "--info", "--members", "old", "new", "patch"), 1, "OLD PATCH or PATCH alone")
        self.refuse(self.run_program(BPATCH, "--info", "--members", "new", "patch"), 4, '"new"')
        self.refuse(self.run_program(BPATCH, "--info", "--members", "old", "new"), 3, '"new"')
        self.refuse(self.run_program(BPATCH, "--info", "--members", "absent", "patch"), 2, '"absent"')
        self.refuse(self.run_program(BPATCH, "--info", "--members", "--max-output", "10", "old", "patch"), 6)
        self.refuse(self.run_program(BDELTA, "--info", "--members", "patch"), 1)
        shutil.copy(self.path("patch"), self.path("short"))
        os.truncate(self.path("short"), os.path.getsize(self.path("short")) - 3)
        self.refuse(self.run_program(BPATCH, "--info", "--members", "short"), 3, '"short"')


if __name__ == "__main__":
    unittest.main()
