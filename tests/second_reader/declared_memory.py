"""Golden patches whose headers declare other decoder memory: what the page counts suffices, and one byte less is refused."""
import os
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

from apply import apply_patch, read
from cursor import Cursor, PatchError, check32
from memory import Memory
from trees import read_tree, varint
from view import DEFLATE, Head, held_bytes

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata", "golden")
FIELDS_BEHIND_MAGIC = 6


def with_declared(patch, declared_bytes):
    """The patch with another number in the field of decoder memory."""
    cursor = Cursor(patch, FIELDS_BEHIND_MAGIC)
    fields = cursor.part(cursor.varint(), "header")
    start = fields.pos
    for _ in range(4):  # features and sizes
        fields.varint()
    fields.take(32)
    fields.varint(), fields.varint()  # limits
    before = patch[start:fields.pos]
    fields.varint()
    content = before + varint(declared_bytes) + patch[fields.pos:fields.end]
    head = patch[:FIELDS_BEHIND_MAGIC] + varint(len(content)) + content
    return head + struct.pack("<I", check32(head)) + patch[cursor.pos + 4:]


def needed_bytes(old, patch):
    """What the patch takes, as the page counts."""
    with mock.patch("header.Memory", side_effect=lambda declared: made.append(Memory(declared)) or made[-1]):
        made = []
        apply_patch(old, patch)
    return made[0].needed_bytes


def golden_patches():
    """(name, OLD, patch) of each set of this format."""
    for name in sorted(os.listdir(GOLDEN)):
        folder = os.path.join(GOLDEN, name)
        if name == "trees" or name.startswith("bdt2"):
            old = read_tree(os.path.join(folder, "old")) if name == "trees" else read(os.path.join(folder, "old"))
            yield name, old, read(os.path.join(folder, "patch"))


class DeclaredMemory(unittest.TestCase):
    def test_one_byte_less_is_refused(self):
        for name, old, patch in golden_patches():
            with self.subTest(name):
                needed = needed_bytes(old, patch)
                if needed:
                    with self.assertRaisesRegex(PatchError, "the header says|passes decoder memory"):
                        apply_patch(old, with_declared(patch, needed - 1))
                self.apply_with_bpatch(name, with_declared(patch, needed))

    def apply_with_bpatch(self, name, patch):
        """A reader may count less than the page, but not more."""
        if "BDELTA_BIN_DIR" not in os.environ:
            return
        with tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
            path = os.path.join(folder, "patch")
            with open(path, "wb") as file:
                file.write(patch)
            bpatch = os.path.join(os.environ["BDELTA_BIN_DIR"], "bpatch")
            old = os.path.join(GOLDEN, name, "old")
            subprocess.run([bpatch, "--quiet", "--no-sync", old, os.path.join(folder, "new"), path], check=True, timeout=120)

    def test_of_each_view_a_part_counts(self):
        def heads(*sizes):  # of OLD's view, and of its largest stream
            return [Head(DEFLATE, view << 20, 0, largest << 20, 0, 0, 0, 0, 0, 0, 0, 0) for view, largest in sizes]
        besides = 2 * 31457280
        self.assertEqual(held_bytes(heads((100, 50), (300, 3))), besides + (35 << 20))
        self.assertEqual(held_bytes(heads((5, 2), (300, 3))), besides + (24 << 20))
