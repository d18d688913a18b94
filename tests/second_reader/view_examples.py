"""What the specifications say of deflate streams and of views, as tests; second_reader_test.py runs them."""
import unittest

from craft_archives import GZIP_HEAD, strange_zip, stream_by_rule
from cursor import Cursor, PatchError
from deflate_recipe import FIRST, NAMES, Description, Deviation, read_recipe
from deflate_rebuild import rebuild_stream
from deflate_trees import code_lengths, ops_by_rule
from png_chunks import join_chunks, read_chunks, rebuild_chunks
from view import Stream, read_head, read_target_streams
from view_fields import ADLER, CHECK, PACKED, RAW, all_fields, fields_of, gzip_head_end, likely_place, swap
from zip_directory import Directory, Places, find_headers, read_target_directories, rebuild, tell


class ExamplesOfDeflate(unittest.TestCase):
    def description(self, text, packed, **fields):
        return Description(len(text), len(packed), dict(zip(NAMES, FIRST)), **fields)

    def test_what_a_rebuilder_refuses(self):
        text = b"abcabcabcabcabcabc the text of this test abcabc"
        packed = stream_by_rule(text)
        self.assertEqual(rebuild_stream(text, self.description(text, packed)), packed)
        for fields in ({"corrections": [(6, 3, 7)]}, {"corrections": [(3, 3, 2)]}, {"corrections": [(5, 1, 0)]},
                       {"corrections": [(0, 1, 0), (0, 1, 0)]}, {"joints": [(len(text), 0, 0)]},
                       {"deviations": [Deviation(0, False, True)]}, {"deviations": [Deviation(0, False, True, 5, True)]},
                       {"deviations": [Deviation(0, False, True, 1000, True)]}, {"deviations": [Deviation(1, True)]},
                       {"deviations": [Deviation(0, True, size=len(text) + 1, last=True)]}):
            with self.subTest(fields), self.assertRaises(PatchError):
                rebuild_stream(text, self.description(text, packed, **fields))
        with self.assertRaises(PatchError):
            rebuild_stream(text, self.description(text, packed + b"\0"))

    def test_the_recipe_of_the_page(self):
        text = b"hello hello hello hello\n"
        packed = [bytes.fromhex("cb48cdc9c957c84027b900"), bytes.fromhex("ca48cdc9c957c8009300000000ffff4322b900")]
        sizes = [(len(text), len(stream)) for stream in packed]
        both = read_recipe(bytes.fromhex("0d42cdb18165f1a12f11745702ee"), sizes)
        self.assertEqual([rebuild_stream(text, stream) for stream in both], packed)
        self.assertEqual([both[1].parameters[name] for name in ("good", "lazy", "nice", "chain")], [32, 258, 258, 4096])
        self.assertEqual(both[1].joints, [(12, 0, 1)])
        self.assertEqual(rebuild_stream(text, *read_recipe(b"\0", sizes[:1])), packed[0])

    def test_trees(self):
        self.assertEqual(code_lengths([0, 0, 0, 5], 15), [1, 0, 0, 1])
        self.assertEqual(code_lengths([0, 5, 0, 0], 15), [0, 1, 1, 0])
        self.assertEqual(code_lengths([0] * 4, 15), [1, 1, 0, 0])
        self.assertEqual(max(code_lengths([1, 1, 2, 3, 5, 8, 13, 21, 34, 55], 7)), 7)
        self.assertEqual(ops_by_rule([4] * 9 + [0] * 11 + [3, 0, 0]),
                         [(4, 1), (16, 6), (4, 1), (4, 1), (18, 11), (3, 1), (0, 1), (0, 1)])


class ExamplesOfViews(unittest.TestCase):
    def test_likely_places(self):
        entry = b"PK\3\4" + bytes(22) + b"\5\0\2\0" + b"name.ab"
        for before in (0, 12, 16, 20, 24):
            self.assertEqual(likely_place(b"x" + bytes(before) + entry + b"end", 1), 1 + before + 37)
        self.assertEqual(likely_place(bytes(8) + GZIP_HEAD + b"x", 0), 18)
        self.assertEqual(likely_place(bytes(7) + GZIP_HEAD + b"x", 0), 0)
        self.assertIsNone(gzip_head_end(b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 1025 + b"\0x", 0))
        self.assertEqual(gzip_head_end(b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 1024 + b"\0x", 0), 1035)

    def test_the_largest_stream_of_old(self):
        self.assertEqual(read_head(Cursor(bytes([0, 5, 9, 5] + [0] * 7))).largest, 5)
        with self.assertRaises(PatchError):
            read_head(Cursor(bytes([0, 5, 9, 6] + [0] * 7)))

    def test_streams_of_new(self):
        old = [Stream(30, 10, 20), Stream(50, 5, 9)]
        fields = Cursor(bytes([0, 2, 0, 1, 0, 0, 3, 4]))
        found = read_target_streams(fields, old, 2)
        self.assertEqual([(one.pos, one.packed_bytes, one.raw_bytes) for one in found], [(31, 10, 19), (51, 3, 11)])
        for wrong in (bytes([4, 0, 0, 0]), bytes([1, 0, 0, 0]), bytes([0, 61, 0, 0]), bytes([0, 0, 19, 0])):
            with self.subTest(wrong), self.assertRaises(PatchError):
                read_target_streams(Cursor(wrong), old, 1)

    def test_fields(self):
        stream = Stream(18, 20, 30)
        file = bytes(8) + GZIP_HEAD + bytes(40)
        self.assertEqual(fields_of(file, 0, stream, 46), [(38, CHECK), (42, RAW)])
        self.assertEqual(fields_of(file, 0, stream, 45), [])
        member = b"PK\3\4" + bytes(22) + b"\5\0\2\0" + b"name.ab"
        stream = Stream(47, 20, 30)
        self.assertEqual(fields_of(bytes(10) + member + bytes(40), 0, stream, 87), [(24, CHECK), (28, PACKED), (32, RAW)])
        later = bytes(10) + member[:6] + b"\x08" + member[7:] + bytes(20) + b"PK\7\10" + bytes(12)
        self.assertEqual(fields_of(later, 0, stream, 83), [(71, CHECK), (75, PACKED), (79, RAW)])
        self.assertEqual(fields_of(later, 0, stream, 82), [])

    def test_fields_of_other_streams(self):
        behind_much = bytes(3000) + GZIP_HEAD + bytes(40)
        self.assertEqual(fields_of(behind_much, 0, Stream(3010, 20, 30), 3050), [(3030, CHECK), (3034, RAW)])
        for head in (b"\x78\x01", b"\x78\x9c", b"\x08\x1d"):
            file = bytes(9) + head + bytes(40)
            self.assertEqual(fields_of(file, 0, Stream(11, 20, 30), 35), [(31, ADLER)])
            self.assertEqual(fields_of(file, 0, Stream(11, 20, 30), 34), [])
        for head in (b"\x78\x9d", b"\x78\x20", b"\x79\x9c", b"\x88\x1c", b"\x9c"):
            self.assertEqual(fields_of(bytes(9) + head + bytes(40), 9, Stream(9 + len(head), 20, 30), 49), [])

    def test_chunks_of_images(self):
        data = bytes(range(50))
        for sizes, told in (([50], b""), ([20, 20, 10], bytes([20])), ([20, 20, 0], bytes([20])), ([7, 3, 40], bytes([0, 7, 3])),
                            ([0, 50], bytes([0, 0]))):
            text = data[:sum(sizes)]
            packed = rebuild_chunks(text, sizes)
            self.assertEqual(len(packed), len(text) + 12 * len(sizes))
            self.assertEqual(join_chunks(b"xy" + packed + b"\0\0\0\0IEND", 2, 50), (text, len(packed)))
            self.assertEqual(read_chunks(told, [(len(text), len(packed))]), [sizes])
        for told, packed_bytes in ((b"", 50), (b"", 61), (bytes([51]), 74), (bytes([0, 51]), 74), (b"", 74), (bytes([20, 0]), 74)):
            with self.subTest(told), self.assertRaises(PatchError):
                read_chunks(told, [(50, packed_bytes)])
        for wrong in (b"", b"\0\0\0\1IDAT\1\2\3", b"\0\0\0\0IHDR\1\2\3\4", rebuild_chunks(data, [50])):
            with self.subTest(wrong), self.assertRaises(PatchError):
                join_chunks(wrong, 0, 49)

    def test_checksums_of_large_streams_stay(self):
        for packed_bytes, kinds in ((1048576, [CHECK, RAW]), (1048577, [RAW])):
            stream = Stream(10, packed_bytes, 30)
            file = GZIP_HEAD + bytes(packed_bytes + 8)
            self.assertEqual([which for _, _, which in all_fields(file, [stream])], kinds)

    def test_fields_are_swapped(self):
        file = bytearray(b"\5\0\0\0")
        for expected in (bytes(4), b"\5\0\0\0"):
            swap(file, 0, (1 << 32) + 5)
            self.assertEqual(file, expected)
        swap(file, 0, 6)
        self.assertEqual(file, b"\5\0\0\0")

    def test_directories(self):
        files = [(f"name{i}", bytes([i]) * 50) for i in range(4)]
        archive = strange_zip(files, [2, 0, 1, 3], descriptors=(1,), odd=(0,))
        begin = archive.index(b"PK\1\2")
        place = Directory(begin, archive.index(b"PK\5\6") - begin, 0)
        told = tell(archive, [], place)
        self.assertEqual([kind for kind in (told[0], told[1 + 1 + 14])], [2 | 4, 2 | 4 | 8])
        self.assertEqual(rebuild(told, archive[:begin], [], place), archive[begin:place.end])
        self.assertEqual([header.name for header in find_headers(archive, [], place)], [name.encode() for name, _ in files])
        for wrong in (told[:-1], told + b"\0", b"\x10" + told[1:], b"\x03" + told[1:]):
            with self.subTest(wrong), self.assertRaises(PatchError):
                rebuild(wrong, archive[:begin], [], place)
        moved = Directory(begin + 5, place.packed_bytes, 5)
        self.assertEqual(tell(bytes(5) + archive, [], moved), told)

    def test_places_of_directories(self):
        places = Places(100, 60)
        self.assertEqual(places.place([1, 8, 50, 3], 20), Directory(28, 50, 3))
        self.assertEqual(places.place([0, 0, 10, (1 << 64) - 70], 80), Directory(80, 10, 8))
        for wrong in ([0, 0, 1, 0], [0, 0, 0, 0], [0, 21, 1, 0]):
            with self.subTest(wrong), self.assertRaises(PatchError):
                places.place(wrong, 80)
        for wrong in ([0, 0, 101, 0], [0, 99, 2, 0], [0, 5, 5, 6]):
            with self.subTest(wrong), self.assertRaises(PatchError):
                Places(100, 101).place(wrong, 0)

    def test_directories_of_new(self):
        streams = [Stream(10, 20, 30), Stream(90, 5, 9)]

        def read(*numbers, old=()):
            told = Cursor(b"".join(bytes([2 * n if n >= 0 else -2 * n - 1]) for n in numbers))
            return read_target_directories(told, list(old), streams, 1, 200, 48)

        self.assertEqual(read(1, 12, 48, 0, 54), [Directory(42, 48, 0, 54)])
        self.assertEqual(read(0, 0, 2, 0, 0, 1, old=[streams[0], Directory(40, 46, 0, 50)]), [Directory(42, 46, 0, 51)])
        for wrong in ((1, 12, 48, 0, 55), (1, 13, 48, 0, 54), (3, 0, 48, 0, 54), (1, -1, 48, 0, 54), (0, 0, 11, 0, 11)):
            with self.subTest(wrong), self.assertRaises(PatchError):
                read(*wrong)
