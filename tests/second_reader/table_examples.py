"""What the specifications say of tables that a linker sorts, as tests: how much memory they take, and what is worked
out of mixed unwind pages; second_reader_test.py runs them."""
import struct
import unittest
from unittest import mock

from cursor import Cursor, PatchError
from images import X86_64
from memory import Memory
from mixed_pages import read_page_breaks, write_mixed_pages
from prediction import memory_of_covers, memory_of_tables
from sorted_tables import MIXED_PAGES, RELATIVE_RELOCATIONS, RELOCATIONS, STARTS, UNWIND_INDEX, UNWIND_PAGES


class ExamplesOfTables(unittest.TestCase):
    def test_memory(self):
        covers = [(100, 0, 50), (120, 50, 10), (140, 60, 20), (160, 80, 5)]
        self.assertEqual(memory_of_covers(covers), 4 * 24 + 5 * 16)
        self.assertEqual(memory_of_covers([(0, 0, 5), (5, 9, 5)]), 2 * 24 + 3 * 16)
        self.assertEqual(memory_of_covers([]), 16)
        images = [mock.Mock(machine=X86_64)]
        tables = [mock.Mock(kind=UNWIND_INDEX, size=240, image=0), mock.Mock(kind=RELATIVE_RELOCATIONS, size=480, image=0)]
        self.assertEqual(memory_of_tables(tables, images), 720 + 1440)
        self.assertEqual(memory_of_tables([mock.Mock(kind=RELOCATIONS, size=20, image=0)] * 2, images), 8 * 40)
        self.assertEqual(memory_of_tables([mock.Mock(kind=UNWIND_INDEX, size=4, image=0)], images), 4)
        self.assertEqual(memory_of_tables([], images), 0)

    def test_declared_memory_suffices(self):
        memory = Memory(7)
        memory.hold(4, "one part")
        memory.take_for_group(3)
        memory.take_for_group(2)
        self.assertEqual((memory.needed_bytes, memory.left_bytes), (7, 0))
        with self.assertRaises(PatchError):
            Memory(6).hold(7, "one part")

    def test_page_breaks(self):
        breaks = bytes.fromhex("01 00 02 80 20 81 10")
        cursor = Cursor(breaks + b"\0")
        self.assertEqual(read_page_breaks(cursor), {0: [(2048, False), (3072, True)]})
        self.assertEqual(cursor.pos, len(breaks))
        for length in range(len(breaks)):
            with self.subTest(length), self.assertRaises(PatchError):
                read_page_breaks(Cursor(breaks[:length]))

    def test_lists_of_page_breaks(self):
        lists = bytes.fromhex("03 01 01 00  00 02 01 00  fb01 01 fe ff ff ff 1f")  # of images 1, 2 and 254
        self.assertEqual(read_page_breaks(Cursor(lists)),
                         {1: [(0, False)], 2: [(0, True), (0, False)], 254: [(0xffffffff, False)]})
        self.assertEqual(read_page_breaks(Cursor(b"\0")), {})
        for wrong in ("01 00 00", "01 8080808010 01 00", "02 ffffffff0f 01 00 00 01 00", "01 00 01 80 80 80 80 20",
                      "01 00 02 80 80 80 80 10 80 80 80 80 10"):
            with self.subTest(wrong), self.assertRaises(PatchError):
                read_page_breaks(Cursor(bytes.fromhex(wrong)))

    def test_as_many_page_breaks_as_there_may_be(self):
        def lists(second):
            return bytes.fromhex("02 00 ffff03") + bytes(65535) + bytes((0, second)) + bytes(second)

        read = read_page_breaks(Cursor(lists(1)))
        self.assertEqual([len(read[number]) for number in (0, 1)], [65535, 1])
        with self.assertRaises(PatchError):
            read_page_breaks(Cursor(lists(2)))

    def test_mixed_pages(self):
        breaks, common = [(2048, False), (3072, True), (4096, True), (1 << 31, False)], [7, 9, 7]
        entries = [(2047, 1), (2048, 5), (3071, 9), (3072, 7), (3080, 6), (3090, 9), (3100, 6), (1 << 31, 3)]
        pages = struct.pack("<IHH4I", 2, 8, 2, 2048, 5, 3071, 9)
        pages += struct.pack("<I4H5I", 3, 12, 4, 28, 1, 0, 3 << 24 | 8, 1 << 24 | 18, 3 << 24 | 28, 6)
        last = struct.pack("<IHHII", 2, 8, 1, 1 << 31, 3)
        for size in (len(pages + last) + 3, len(pages + last), len(pages + last) - 1):
            made = write_mixed_pages(entries, breaks, common, size)
            self.assertEqual(made, (pages + (last if size >= len(pages + last) else b"")).ljust(size, b"\0"))
        self.assertEqual(write_mixed_pages(entries, [], common, 4), bytes(4))

    def test_mixed_pages_of_many_encodings(self):
        entries = [(number, 300 - number) for number in range(260)]
        for common in ([], list(range(10)), list(range(100, 356))):
            q = 256 - len(common)
            own = [encoding for encoding in range(300, 40, -1) if encoding not in common][:q]
            places = {encoding: g for g, encoding in enumerate(common + own)}
            words = [places.get(encoding, 255) << 24 | rva for rva, encoding in entries]
            page = struct.pack(f"<I4H{260 + q}I", 3, 12, 260, 12 + 4 * 260, q, *words, *own)
            self.assertEqual(write_mixed_pages(entries, [(0, True)], common, len(page)), page)
