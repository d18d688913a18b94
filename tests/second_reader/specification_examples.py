"""What the specifications work out byte by byte, as tests; second_reader_test.py runs them."""
import struct
import unittest
from functools import reduce
from unittest import mock

from apply import apply_patch
from coder import step
from cursor import Cursor, PatchError
from file_digests import fill_digests, read_file_digests
from header_sums import fill_sums, read_sum_spans
from image_table import Table
from labels import read_labels
from literal_model import LiteralModel
from miss_model import MissModel
from moved_numbers import move_numbers, read_moved_numbers
from old_fields import find_fields
from predict import Predictor
from prediction import chosen_images
from words import read_words


class Examples(unittest.TestCase):
    """What the specifications work out byte by byte."""

    OLD = b"The quick brown fox jumps over the lazy dog. 0123456789\n"
    NEW = b"The quick brown fix jumps over the lazy dog. And more!\n"
    PATCH = bytes.fromhex(
        "42445402000427000038377484d7040d9403043d0d4e3c5952509a5963f400479b2c1198ccbc133593cd01373600"
        "dd9f549c01373617"
        "00016f70fce949017f0101010101010a00000000000000"
        "0001000101 2d 020100 030111 040100 0501fa 060a416e64206d6f7265210a 00")

    def test_patch_of_the_format(self):
        self.assertEqual(len(self.PATCH), 108)
        self.assertEqual(apply_patch(self.OLD, self.PATCH), self.NEW)

    def test_prediction_of_a_toy_image(self):
        lines = b"~toy-image\ncode 1000 8\ndata 2000 20\nend\n"
        old = lines + b"abcdefgh" + struct.pack("<4Q", 0x1000, 0x1003, 0x2008, 7)
        image_bytes = Cursor(bytes.fromhex("0100 00 02 00040000 0004000000 0000000300"))
        images = chosen_images(old, image_bytes)
        fields = find_fields(old, images)
        found = [(field.pos, field.form, field.kind) for field in fields]
        self.assertEqual(found, [(48, 3, 8), (56, 3, 8), (64, 3, 8)])
        new_images = Table(image_bytes.data[image_bytes.pos:], images, 82).read()
        covers = [(0, 0, 42), (42, 44, 38)]
        for labels, first in ((bytes.fromhex("0101802008"), 0x1004), (b"\0", 0x1000)):
            predictor = Predictor(old, 1 << 8, images, new_images, read_labels(labels, 1), covers, fields)
            self.assertEqual(struct.unpack("<3Q", predictor.copied(1)[6:30]), (first, 0x1005, 0x2008))

    def test_header_sums(self):
        header = mock.Mock(target_bytes=10 * 512 + 511)
        record = bytes.fromhex("070a 03 000001 010002 020502")
        spans = read_sum_spans(Cursor(record), header)
        self.assertEqual([(span.begin, span.end) for span in spans], [(0, 512), (512, 1536), (4096, 5120)])
        block = bytes(257) + b"ustar" + bytes(250)
        target = bytearray(10 * block + bytes(511))
        fill_sums(target, spans)
        # 8 spaces and the five letters
        written = [b"001457\0 "] + 2 * [b"001457 \0"] + 5 * [bytes(8)] + 2 * [b"0001457\0"]
        self.assertEqual([bytes(target[pos + 148:pos + 156]) for pos in range(0, 5120, 512)], written)
        for at, byte in ((0, 5), (1, 9), (1, 11), (2, 0), (2, 2), (2, 4), (3, 3), (5, 0), (11, 3), (10, 8)):
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                read_sum_spans(Cursor(record[:at] + bytes([byte]) + record[at + 1:] + b"\0"), header)

    def test_file_digests(self):
        header = mock.Mock(target_bytes=6043, decoder_memory=160)
        # Of 700 bytes at 512 and of 3 at 2048; the text of the latter is the first.
        record = bytes.fromhex("080c 00 09 02 01 bc05 e05d 01 03 a510")
        digests = read_file_digests(Cursor(record), header)
        self.assertEqual([(digest.data_pos, digest.data_end, digest.text_pos) for digest in digests],
                         [(2048, 2051, 5000), (512, 1212, 6000)])
        target = bytearray(2048) + b"abc" + bytes(6043 - 2051)
        fill_digests(target, digests)
        self.assertEqual(target[5000:5043], b"ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
        self.assertEqual(target[2051:5000].count(0), 5000 - 2051)
        for at, byte in ((0, 7), (1, 11), (1, 13), (2, 1), (3, 17), (4, 0), (4, 3), (5, 0x7f), (8, 0xe2), (9, 1), (11, 0)):
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                read_file_digests(Cursor(record[:at] + bytes([byte]) + record[at + 1:] + b"\0"), header)
        header.decoder_memory -= 1
        with self.assertRaises(PatchError):
            read_file_digests(Cursor(record), header)

    MOVED = bytes.fromhex("0910 00 18 01 09 01320a 00 02 0a04 1403 01 0702")

    def test_moved_numbers(self):
        header = mock.Mock(source_bytes=53, decoder_memory=24 + 96 + 4 * 8)
        numbers = read_moved_numbers(Cursor(self.MOVED), header)
        self.assertEqual(header.decoder_memory, 0)
        before = struct.pack("<7I", 0x1eb9f, 24, 0, 24, 24, 1, 8) + struct.pack("<5I", 2 << 24, 12, 5, 10 << 24, 52)
        after = before[:24] + struct.pack("<6I", 9, 2 << 24, 14, 5, 10 << 24, 57)
        self.assertEqual(move_numbers(bytes(4) + before + b"\0", numbers), bytes(4) + after + b"\0")
        with self.assertRaises(PatchError):
            move_numbers(bytes(4) + before, numbers)
        with self.assertRaises(PatchError):
            read_moved_numbers(Cursor(self.MOVED), header)

    def test_moved_numbers_that_are_no_such(self):
        for at, byte in ((0, 5), (1, 15), (1, 17), (2, 1), (4, 0), (4, 2), (5, 107), (6, 0), (7, 0), (9, 1), (11, 0), (15, 0),
                         (16, 0)):
            header = mock.Mock(source_bytes=53, decoder_memory=1 << 20)
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                read_moved_numbers(Cursor(self.MOVED[:at] + bytes([byte]) + self.MOVED[at + 1:] + b"\0"), header)

    WORDS = bytes.fromhex("0619 020101 1200 1212 e5c88d9306 e4c6898b06 cfcfcfcf 01010101")

    def test_words(self):
        header = mock.Mock(decoder_memory=4096 + 2 * 48 + 25 + 18)
        words = read_words(Cursor(self.WORDS), header)
        self.assertEqual(words.replaced(b"abcdeabcd"), b"b1234bcde")
        self.assertEqual(words.replaced(b"abc"), b"abc")
        header.decoder_memory -= 1
        with self.assertRaises(PatchError):
            read_words(Cursor(self.WORDS), header)

    def test_spans_of_words(self):
        header = mock.Mock(decoder_memory=1 << 20, target_bytes=5 * 16384 + 1)
        record = b"\x06\x1e" + self.WORDS[2:]
        words = read_words(Cursor(record + bytes((2, 1, 2, 1, 2))), header)
        self.assertEqual(words.spans, [(16384, 3 * 16384), (4 * 16384, 6 * 16384)])
        self.assertEqual(words.replaced_at(16384 - 5, b"abcdeabcde"), b"abcdeb1234")
        self.assertEqual(words.replaced_at(3 * 16384 - 5, b"abcdeabcde"), b"b1234abcde")
        for numbers in ((1, 6, 1), (1, 0, 7), (2, 1, 2, 0, 2), (1, 1, 0), (2, 1, 2, 1, 2, 0)):
            with self.subTest(numbers), self.assertRaises(PatchError):
                length = len(self.WORDS) - 2 + len(numbers)
                read_words(Cursor(b"\x06" + bytes([length]) + self.WORDS[2:] + bytes(numbers)), header)

    def test_words_that_are_no_such(self):
        header = mock.Mock(decoder_memory=1 << 20, target_bytes=7)
        for at, byte in ((0, 5), (1, 24), (1, 26), (2, 0), (2, 65), (3, 0), (4, 2), (5, 17), (6, 3), (7, 17), (8, 19),
                         (9, 0x64)):
            with self.subTest((at, byte)), self.assertRaises(PatchError):
                read_words(Cursor(self.WORDS[:at] + bytes([byte]) + self.WORDS[at + 1:] + b"\0"), header)
        twice = self.WORDS[:9] + 2 * self.WORDS[9:14] + self.WORDS[19:]
        with self.assertRaises(PatchError):
            read_words(Cursor(twice), header)


class Told:
    """In place of a decoder: gives bits that are known and keeps the probabilities it was asked with."""

    def __init__(self, bits):
        self.bits = [int(bit) for bit in bits]
        self.ones = []

    def bit(self, one):
        self.ones.append(one)
        return self.bits.pop(0)


class ExamplesOfContents(unittest.TestCase):
    def test_literals(self):
        told = Told("".join(f"{byte:08b}" for byte in b"cab"))
        model = LiteralModel(b"the cat sat on the mat, ")
        self.assertEqual(model.decode_run(told, 3, 19, 19, None, b" on the "), b"cab")
        self.assertEqual(told.ones, [1550, 64009, 64032, 5370, 37658, 5348, 60320, 60431,
                                     3704, 61904, 61962, 3530, 3471, 3413, 7279, 60725,
                                     1503, 64055, 64067, 59211, 23964, 23519, 32768, 39915])
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
        self.assertEqual(reduce(step, told.ones, 0x5bd1e995), 0x7f865345)
