"""What the specifications work out byte by byte, as tests; second_reader_test.py runs them."""
import struct
import unittest
from functools import reduce
from unittest import mock

from apply import apply_patch
from bdt2 import apply_records
from coder import join
from cursor import Cursor, PatchError, check32
from fills import fill_in, read_fills
from image_table import Table
from labels import read_labels
from literal_model import LiteralModel
from miss_model import MissModel
from memory import Memory
from moved_numbers import move_numbers, read_moved_numbers
from old_fields import find_fields
from predict import Predictor
from prediction import images_at_extents
from records import Records
from substitutions import read_substitutions


def records_of(bare):
    """A record without its checksum, and what stands behind it."""
    end = 2 + bare[1]
    return Records(Cursor(bare[:end] + struct.pack("<I", check32(bare[:2] + bytes(4) + bare[2:end])) + bare[end:]))


class Examples(unittest.TestCase):
    """What the specifications work out byte by byte."""

    OLD = b"The quick brown fox jumps over the lazy dog. 0123456789\n"
    NEW = b"The quick brown fix jumps over the lazy dog. And more!\n"
    PATCH = bytes.fromhex(
        "42445402000427000038377484d7040d9403043d0d4e3c5952509a5963f400479b2c1198ccbc133593cd013738008aac"
        "5493203837180001f10670fce949017f0101010101010a000000000000000001"
        "0001012d0201000301110401000501fa060a416e64206d6f7265210afd3f334a00")

    def test_patch_of_the_format(self):
        self.assertEqual(len(self.PATCH), 113)
        self.assertEqual(apply_patch(self.OLD, self.PATCH), self.NEW)

    def test_prediction_of_a_toy_image(self):
        lines = b"~toy-image\ncode 1000 8\ndata 2000 20\nend\n"
        old = lines + b"abcdefgh" + struct.pack("<4Q", 0x1000, 0x1003, 0x2008, 7)
        image_bytes = Cursor(bytes.fromhex("0100c302 00 02 00040000 0004000000 0000000300"))
        images = images_at_extents(old, image_bytes)
        fields = find_fields(old, images)
        found = [(field.pos, field.form, field.kind) for field in fields]
        self.assertEqual(found, [(48, 3, 8), (56, 3, 8), (64, 3, 8)])
        new_images = Table(image_bytes.data[image_bytes.pos:], images, 82).read()
        covers = [(0, 0, 42), (42, 44, 38)]
        for labels, first in ((bytes.fromhex("0101802008"), 0x1004), (b"\0", 0x1000)):
            predictor = Predictor(old, 1 << 8, images, new_images, read_labels(labels, 1), covers, fields)
            self.assertEqual(struct.unpack("<3Q", predictor.copied(1)[6:30]), (first, 0x1005, 0x2008))

    FILLS = bytes.fromhex("081b 0102041001 000b 000002090c01 01802000 0001000901 01a020a015")
    FILLS_MEMORY = 256 + (256 + 33) + (256 + 44)

    def fills(self, record, target_bytes=6043, memory=FILLS_MEMORY):
        return read_fills(records_of(record), mock.Mock(target_bytes=target_bytes, memory=Memory(memory)))

    def test_fills(self):
        rules = self.fills(self.FILLS)
        self.assertEqual([(found.begin, found.end, found.place) for rule in rules for found in rule.ranges],
                         [(0, 5632, 0), (512, 4608, 4608), (512, 4640, 6000)])
        header = bytes(257) + b"ustar" + bytes(250)
        target = bytearray(header + bytes(4096) + header + bytes(6043 - 5120))
        fill_in(target, rules)
        self.assertEqual(target[148:156], b"001457\0 ")  # 8 spaces and the five letters
        page = bytes.fromhex("ad7facb2586fc6e966c004d7d1d16b024f5805ff7cb47c7a85dabd8b48892ca7")
        self.assertEqual(target[4608:4640], page)  # so this block is no header
        self.assertEqual(target[4640:6000], header[32:] + bytes(880))
        self.assertEqual(target[6000:], b"bZyuR0GQuX6vXVRMU4lxmO7XN91unKinaaprBxx6M3Q")
        for less in ({"target_bytes": 6042}, {"memory": self.FILLS_MEMORY - 1}):
            with self.subTest(less), self.assertRaises(PatchError):
                self.fills(self.FILLS, **less)

    def test_fills_that_are_no_such(self):
        for at, byte in ((0, 6), (1, 26), (1, 28), (2, 2), (3, 1), (4, 0), (4, 5), (5, 17), (6, 0), (7, 1), (8, 0), (8, 12),
                         (10, 1), (11, 0), (12, 17), (13, 11), (13, 17), (14, 0), (14, 2), (18, 1), (20, 0), (25, 0)):
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                self.fills(self.FILLS[:at] + bytes([byte]) + self.FILLS[at + 1:] + b"\0")
        swapped = self.FILLS[:2] + self.FILLS[9:] + self.FILLS[2:9]  # headers in what was digested before
        with self.assertRaises(PatchError):
            self.fills(swapped)
        named = self.FILLS[:1] + b"\x1d" + self.FILLS[2:4] + b"\x05\0\0" + self.FILLS[5:]
        self.assertEqual(self.fills(named), self.fills(self.FILLS))
        for space in (b"\1\0", b"\0\1"):
            with self.subTest(space), self.assertRaises(PatchError):
                self.fills(named.replace(b"\x05\0\0", b"\x05" + space))

    MOVED = bytes.fromhex("0a10 00 18 01 09 01320a 00 02 0a04 1403 01 0702")

    def test_moved_numbers(self):
        header = mock.Mock(source_bytes=53, memory=Memory(24 + 96 + 4 * 8))
        numbers = read_moved_numbers(records_of(self.MOVED), header)
        self.assertEqual(header.memory.left_bytes, 0)
        before = struct.pack("<7I", 0x1eb9f, 24, 0, 24, 24, 1, 8) + struct.pack("<5I", 2 << 24, 12, 5, 10 << 24, 52)
        after = before[:24] + struct.pack("<6I", 9, 2 << 24, 14, 5, 10 << 24, 57)
        self.assertEqual(move_numbers(bytes(4) + before + b"\0", numbers), bytes(4) + after + b"\0")
        with self.assertRaises(PatchError):
            move_numbers(bytes(4) + before, numbers)
        with self.assertRaises(PatchError):
            read_moved_numbers(records_of(self.MOVED), header)

    def test_moved_numbers_that_are_no_such(self):
        for at, byte in ((0, 5), (1, 15), (1, 17), (2, 1), (4, 0), (4, 2), (5, 107), (6, 0), (7, 0), (9, 1), (11, 0), (15, 0),
                         (16, 0)):
            header = mock.Mock(source_bytes=53, memory=Memory(1 << 20))
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                read_moved_numbers(records_of(self.MOVED[:at] + bytes([byte]) + self.MOVED[at + 1:] + b"\0"), header)

    def test_moved_numbers_beside_prediction(self):
        header = mock.Mock(has_views=False, predicted=True, source_bytes=53, memory=Memory(1 << 20))
        with self.assertRaisesRegex(PatchError, "moved numbers in a patch with prediction"):
            apply_records(bytes(53), records_of(self.MOVED), None, header)

    SUBSTITUTIONS = bytes.fromhex("0c19 020101 1200 1212 e5c88d9306 e4c6898b06 cfcfcfcf 01010101")

    def test_substitutions(self):
        needed_bytes = 4096 + 2 * 48 + 25 + 18
        header = mock.Mock(memory=Memory(needed_bytes))
        substitutions = read_substitutions(records_of(self.SUBSTITUTIONS), header)
        self.assertEqual(substitutions.replaced(b"abcdeabcd"), b"b1234bcde")
        self.assertEqual(substitutions.replaced(b"abc"), b"abc")
        header.memory = Memory(needed_bytes - 1)
        with self.assertRaises(PatchError):
            read_substitutions(records_of(self.SUBSTITUTIONS), header)

    def test_spans_of_substitutions(self):
        header = mock.Mock(memory=Memory(1 << 20), target_bytes=5 * 16384 + 1)
        record = b"\x0c\x1e" + self.SUBSTITUTIONS[2:]
        substitutions = read_substitutions(records_of(record + bytes((2, 1, 2, 1, 2))), header)
        self.assertEqual(substitutions.spans, [(16384, 3 * 16384), (4 * 16384, 6 * 16384)])
        self.assertEqual(substitutions.replaced_at(16384 - 5, b"abcdeabcde"), b"abcdeb1234")
        self.assertEqual(substitutions.replaced_at(3 * 16384 - 5, b"abcdeabcde"), b"b1234abcde")
        for numbers in ((1, 6, 1), (1, 0, 7), (2, 1, 2, 0, 2), (1, 1, 0), (2, 1, 2, 1, 2, 0)):
            with self.subTest(numbers), self.assertRaises(PatchError):
                length = len(self.SUBSTITUTIONS) - 2 + len(numbers)
                read_substitutions(records_of(b"\x0c" + bytes([length]) + self.SUBSTITUTIONS[2:] + bytes(numbers)), header)

    def test_substitutions_that_are_no_such(self):
        header = mock.Mock(memory=Memory(1 << 20), target_bytes=7)
        for at, byte in ((0, 5), (1, 24), (1, 26), (2, 0), (2, 65), (3, 0), (4, 2), (5, 17), (6, 3), (7, 17), (8, 19),
                         (9, 0x64)):
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                changed = self.SUBSTITUTIONS[:at] + bytes([byte]) + self.SUBSTITUTIONS[at + 1:]
                read_substitutions(records_of(changed + b"\0"), header)
        twice = self.SUBSTITUTIONS[:9] + 2 * self.SUBSTITUTIONS[9:14] + self.SUBSTITUTIONS[19:]
        with self.assertRaises(PatchError):
            read_substitutions(records_of(twice), header)


class Told:
    """In place of a decoder: gives bits that are known and keeps the probabilities it was asked with."""

    def __init__(self, bits):
        self.bits = [int(bit) for bit in bits]
        self.ones = []

    def bit(self, one):
        self.ones.append(one)
        return self.bits.pop(0)


class ExamplesOfModelledBytes(unittest.TestCase):
    def test_literals(self):
        told = Told("".join(f"{byte:08b}" for byte in b"cab"))
        model = LiteralModel(b"the cat sat on the mat, ")
        self.assertEqual(model.decode_run(told, 3, 19, 19, None, b" on the "), b"cab")
        self.assertEqual(told.ones, [1445, 64125, 64171, 4185, 42572, 6125, 59610, 59832,
                                     2384, 63207, 63282, 2193, 4083, 2338, 4286, 62398,
                                     1394, 64123, 64168, 61132, 25558, 25119, 32768, 38661])
        self.assertEqual(model.trained, 24)

    def test_misses(self):
        told = Told("0 1 0000000 00100000 1 10000000 00 1 0000011 00100000 0 1 0000010 10000000".replace(" ", ""))
        model = MissModel(12)
        self.assertEqual(model.decode_copy(told, 100, b"abcab"), b"afdab")
        self.assertEqual(model.decode_copy(told, 105, b"xyzbxyzc"), b"xyzfxyzd")
        stretch = [32768] + [32830] * 7  # whether a byte of it changes, and which
        self.assertEqual(told.ones, [27940, *stretch, *[32768] * 5, 32705, 32705, 32768,
                                     27689, *[32768] * 6, 32705, 32768, 38598, 27940,
                                     *stretch, 13461, 13106, 52650, 12530, 12220, 11922, 11696, 11501,
                                     29570, *stretch, 32768, 50480, 32705, 32768, 32768, 32705, 32705, 32512])

        told.bits = [int(bit) for bit in
                     "0001000000010000000000011000000000110000000001100000000011000000000110000000001100110011001100110011001"
                     "100110011001100110011001100110000001100110011001100110011001100110000"]
        told.ones = []
        end = b"and so on, without an end"
        self.assertEqual(model.decode_copy(told, 113, b"no. 1; " * 30 + end),
                         b"no. 2; " * 20 + b"no. 1; " * 2 + b"no. 2; " * 8 + end)
        self.assertEqual((len(told.ones), told.bits), (172, []))
        self.assertEqual(reduce(join, told.ones, 0x5bd1e995), 0x7f865345)
