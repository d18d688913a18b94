"""Archives as tests: patches that bdelta makes of them are applied, of streams as other encoders make them, too;
second_reader_test.py runs them."""
import os
import subprocess
import tempfile
import unittest
import zlib
from unittest import mock

import view_fields
import zip_directory
from apply import apply_patch, read
from craft_archives import (edited, gzip_of, lying_gzip, random_zips, strange_zip, stream_by_rule, stream_by_zlib, tar_of,
                            wordy, zip_of)
from deflate_recipe import read_recipe
from png_chunks import rebuild_chunks
from view import View

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata")
GO = {"hash": 3, "hash_bits": 17, "good": 258, "block_tokens": 16384}
NG = {"ng": 1, "hash": 2, "hash_bits": 16}
MEDIUM = {**NG, "search": 4, "ng": 2}
FAST = {"search": 0, "good": 4, "lazy": 4, "nice": 8, "chain": 4}
BEST = {"good": 32, "lazy": 258, "nice": 258, "chain": 4096}
# By name: the encoder's parameters.
ENCODERS = {
    "zlib 6": {}, "zlib 1": FAST, "zlib 9": {**BEST, "hash_bits": 16, "block_tokens": 32767}, "filtered": {"filtered": 1},
    "runs": {"search": 3, "good": 0, "lazy": 0, "nice": 0, "chain": 0},
    "literals": {"search": 2, "good": 0, "lazy": 0, "nice": 0, "chain": 0},
    "Chromium 6": {"hash": 1}, "Chromium 1": {"hash": 1, **FAST}, "CRC 6": {"hash": 5}, "CRC 1": {"hash": 6, **FAST},
    "CRC 4": {"hash": 6, "good": 4, "lazy": 4, "nice": 16, "chain": 16}, "gzip": {"block_end": 1, "block_tokens": 32767},
    "zlib-ng 3": {"good": 4, "lazy": 6, "nice": 16, "chain": 6, **MEDIUM},
    "zlib-ng 4": {"good": 4, "lazy": 12, "nice": 32, "chain": 24, "feed_bytes": 65536, **MEDIUM},
    "zlib-ng 6": MEDIUM, "zlib-ng 6, fed": {"feed_bytes": 8192, **MEDIUM},
    "zlib-ng 8": {"good": 32, "lazy": 128, "nice": 258, "chain": 1024, **NG}, "zlib-ng 9": {"ng": 1, **BEST},
    "Go 1": {"search": 5, "lazy": 0, "nice": 0, "chain": 0, **GO}, "Go 2": {"search": 0, "lazy": 5, "nice": 16, "chain": 8, **GO},
    "Go 5": {"lazy": 16, "nice": 32, "chain": 32, **GO}, "Go 9": {**BEST, **GO},
    "Go, literals": {"search": 2, "lazy": 0, "nice": 0, "chain": 0, **GO}}


def png_chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def make_patch(old, new, *options):
    with tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
        paths = [os.path.join(folder, name) for name in ("old", "new", "patch")]
        for path, content in zip(paths, (old, new)):
            with open(path, "wb") as file:
                file.write(content)
        bdelta = os.path.join(os.environ["BDELTA_BIN_DIR"], "bdelta")
        subprocess.run([bdelta, "--quiet", "--no-sync", *options, *paths], check=True, timeout=120)
        return read(paths[2])


@unittest.skipUnless(os.environ.get("BDELTA_BIN_DIR"), "BDELTA_BIN_DIR is not set")
class Archives(unittest.TestCase):
    """Patches that bdelta makes now."""

    def check(self, old, new, *options, streams=None):
        """Gives the recipe. `streams`: how many of NEW are unpacked."""
        recipes = []

        def note_recipe(data, sizes):
            recipes.append(read_recipe(data, sizes))
            return recipes[-1]

        with mock.patch("view.read_recipe", side_effect=note_recipe):
            self.assertTrue(apply_patch(old, make_patch(old, new, *options)) == new)
        recipe = recipes[0] if recipes else []
        if streams is not None:
            self.assertEqual(len(recipe), streams)
        return recipe

    def check_stream(self, text, packed):
        self.assertEqual(zlib.decompress(packed, -15), text)
        recipe = self.check(gzip_of(edited(text, 1)), gzip_of(text, packed), streams=1)
        return recipe[0]

    def test_streams_of_many_encoders(self):
        """Where bdelta needs no corrections, both encoders of recipes are the same."""
        text = wordy(100_000, 5)
        for name, given in ENCODERS.items():
            with self.subTest(name):
                stream = self.check_stream(text, stream_by_rule(text, **given))
                self.assertEqual((stream.dense, stream.corrections, stream.deviations), (False, [], []))

    def test_text_that_is_given_as_an_archive_is_written(self):
        text = tar_of([(f"file{i}", wordy(40 * i * i + 5, 30 + i % 3)) for i in range(24)])
        for joints in ([], [(50_000, 0, 1)], [(50_000, 2, 1)]):
            with self.subTest(joints):
                stream = self.check_stream(text, stream_by_rule(text, joints, **{"feed_bytes": 8, **MEDIUM}))
                self.assertEqual(stream.parameters["feed_bytes"], 8)
                self.assertEqual((stream.dense, stream.corrections), (False, []))

    def test_flushes(self):
        text = wordy(50_000, 6)
        for name in ("zlib 6", "zlib 1", "Chromium 1", "zlib-ng 6", "zlib-ng 9", "Go 1", "Go 2", "Go 5"):
            for kind, marker, step in ((0, 1, 9_000), (0, 2, 7_777), (1, 1, 15_000), (2, 3, 33_000)):
                if kind and name.startswith("Go"):
                    continue  # it has no such flush
                with self.subTest(f"{name} {kind} {marker}"):
                    joints = [(pos, kind, marker) for pos in range(step, len(text), step)]
                    stream = self.check_stream(text, stream_by_rule(text, joints, **ENCODERS[name]))
                    self.assertEqual(len(stream.joints), len(joints))
                    self.assertEqual((stream.dense, stream.corrections), (False, []))

    def test_encoders_that_are_not_known(self):
        """Corrections, a few or dense, and blocks of other sizes."""
        text = wordy(60_000, 7)
        seen = set()
        for name in ("zlib 6", "zlib 1", "Chromium 6", "zlib-ng 3", "zlib-ng 6", "zlib-ng 9", "Go 2", "Go 5"):
            for change in ({"nice": 11}, {"chain": 3}, {"block_tokens": 5000}):
                with self.subTest(f"{name} {change}"):
                    stream = self.check_stream(text, stream_by_rule(text, **{**ENCODERS[name], **change}))
                    seen.add("dense" if stream.dense else "corrected" if stream.corrections else "as foreseen")
                    seen.add("other blocks" if stream.deviations else "blocks by rule")
        self.assertEqual(seen, {"dense", "corrected", "as foreseen", "other blocks", "blocks by rule"})

    def test_streams_of_programs(self):
        folder = os.path.join(TESTDATA, "deflate")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".deflate"))
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(name):
                packed = read(os.path.join(folder, name))
                self.check_stream(zlib.decompress(packed, -15), packed)

    def test_settings_of_zlib(self):
        text = wordy(30_000, 8)
        for level in range(1, 10):
            for settings in ({}, {"memLevel": 1}, {"strategy": zlib.Z_FIXED}, {"strategy": zlib.Z_HUFFMAN_ONLY},
                             {"strategy": zlib.Z_RLE}, {"strategy": zlib.Z_FILTERED, "memLevel": 9}):
                if level in (1, 6) or not settings:
                    with self.subTest(f"{level} {settings}"):
                        self.check_stream(text, stream_by_zlib(text, level, **settings))

    def test_small_streams(self):
        for text in (b"a", b"ab" * 20, bytes(1000), wordy(300, 1)):
            with self.subTest(len(text)):
                filler = wordy(3000, 3)
                self.check(zip_of([("a", filler), ("b", text)]), zip_of([("a", filler + b"end"), ("b", text), ("c", text)]))

    def files(self, seed):
        return [(f"folder/{i}{'.png' if i % 5 == 4 else '.txt'}", wordy(400 + 1500 * i, seed + i)) for i in range(9)]

    def changed_files(self, seed):
        files = self.files(seed)
        files[2] = (files[2][0], edited(files[2][1], 1))
        files[4] = (files[4][0], edited(files[4][1], 2))
        return files[:6] + [("folder/added", wordy(2000, 99))] + files[7:]

    def test_zips(self):
        for level in (1, 6, 9):
            for stream in (False, True):
                with self.subTest(f"{level} {stream}"):
                    old, new = zip_of(self.files(1), level, stream), zip_of(self.changed_files(1), level, stream)
                    self.assertGreater(len(self.check(old, new)), 1)

    def test_zips_of_another_level(self):
        old, new = zip_of(self.files(2), 6), zip_of(self.changed_files(2), 9)
        for level in ("-1", "-9"):
            with self.subTest(level):
                self.assertGreater(len(self.check(old, new, level)), 1)

    def test_strange_zips(self):
        order = [3, 1, 8, 0, 2, 4, 7, 6, 5]
        shape = {"encrypted": (1,), "descriptors": (0, 5)}
        old, new = strange_zip(self.files(3), None, **shape), strange_zip(self.changed_files(3), order, **shape)
        self.assertGreater(len(self.check(old, new)), 1)
        self.assertGreater(len(self.check(b"program" + old, b"program" + new)), 1)

    def test_tar_in_gzip(self):
        old, new = gzip_of(tar_of(self.files(4))), gzip_of(tar_of(self.changed_files(4)))
        self.check(old, new, streams=1)

    def test_archives_in_archives(self):
        def archive(files):
            inner = zip_of(files[:4])
            return gzip_of(tar_of([("a.jar", inner), ("b.zip", zip_of([("inner.jar", inner)] + files[4:])), files[5]]))

        old, new = archive(self.files(5)), archive(self.changed_files(5))
        for options in ((), ("--unpack=all",)):
            with mock.patch("view.View.pack", autospec=True, side_effect=View.pack) as packed:
                self.check(old, new, *options)
                self.assertGreater(packed.call_count, 2)

    def test_streams_anywhere(self):
        def file(texts):
            return b"%PDF-1.4\n" + b"".join(b"obj %d\n" % i + zlib.compress(text, 6 + i % 4) + b"\nend\n"
                                            for i, text in enumerate(texts)) + bytes(2000) + gzip_of(texts[0])

        texts = [wordy(30_000 if i == 0 else 9_000 + i, 20 + i) for i in range(6)]
        old, new = file(texts), file([edited(text, i) for i, text in enumerate(texts)])
        self.check(old, new, streams=7)
        wrong = bytearray(new)
        wrong[new.index(b"\nend\nobj 1") - 1] ^= 1
        self.check(old, bytes(wrong), streams=7)

    def test_images(self):
        def image(rows, size):
            data = zlib.compress(rows, 9)
            chunks = [data[i:i + size] for i in range(0, len(data), size)]
            return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(b"IDAT", chunk) for chunk in chunks) + png_chunk(b"IEND", b"")

        rows = wordy(30_000, 31)
        for size in (100_000, 1_000):
            old, new = image(rows, size), image(edited(rows, 3), size)
            for before, behind in ((b"", b""), (bytes(700), bytes(9))):
                with mock.patch("view.rebuild_chunks", side_effect=rebuild_chunks) as rebuilt:
                    self.check(before + old + behind, before + new + behind, streams=1)
                    self.assertEqual(rebuilt.call_count, 1)
            self.check(zip_of([("a.png", old), ("b", old)]), zip_of([("a.png", new), ("b", new)]))

    def test_members_of_gzip(self):
        parts = [wordy(9_000, seed) for seed in range(4)]
        head = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\x03\0abc" + b"name\0" + b"comment\0" + b"\0\0"
        old = gzip_of(parts[0]) + gzip_of(parts[1], head=head) + gzip_of(parts[2])
        new = gzip_of(parts[0]) + gzip_of(parts[3]) + gzip_of(edited(parts[1], 5), head=head) + gzip_of(parts[2])
        self.check(old, new, streams=2)

    def test_old_without_streams(self):
        text = wordy(20_000, 9)
        self.check(edited(text, 1), gzip_of(text), streams=1)

    def test_new_without_streams(self):
        text = wordy(20_000, 9)
        self.check(gzip_of(edited(text, 1)), text, streams=0)

    def test_program_in_zip(self):
        folder = os.path.join(TESTDATA, "golden", "bdt2-predicted")
        old, new = (read(os.path.join(folder, name)) for name in ("old", "new"))
        with mock.patch("bdt2.read_prediction", side_effect=AssertionError) as predicted:
            with self.assertRaises(AssertionError):
                self.check(zip_of([("program", old)]), zip_of([("program", new)]))
        self.assertEqual(predicted.call_count, 1)
        self.check(zip_of([("program", old)]), zip_of([("program", new)]), streams=1)

    def test_random_zips(self):
        entries = mock.Mock(side_effect=zip_directory.read_entry)
        with mock.patch("zip_directory.read_entry", entries):
            for seed in range(25):
                with self.subTest(seed):
                    self.check(*random_zips(seed))
        told = {bit for call in entries.call_args_list for bit in (2, 4, 8) if call.args[1] & bit}
        self.assertEqual(told, {2, 4, 8})

    def test_several_random_zips(self):
        """Each with a directory of its own, one of them in another one."""
        directories = mock.Mock(side_effect=zip_directory.rebuild)
        with mock.patch("view.rebuild", directories):
            for seed in range(6):
                pairs = [random_zips(100 * seed + i) for i in range(4)]
                old, new = (tar_of([("a", pairs[0][i]), ("b", strange_zip([("c", pairs[1][i]), ("d", b"text")], stored=(0, 1))),
                                    ("e", pairs[2][i])]) for i in range(2))
                with self.subTest(seed):
                    self.check(old, new)
                    self.check(gzip_of(old), gzip_of(new))
        self.assertGreater(directories.call_count, 30)

    def test_fields_that_lie(self):
        swapped = mock.Mock(side_effect=view_fields.swap)
        with mock.patch("view_fields.swap", swapped):
            for seed in range(25):
                with self.subTest(seed):
                    self.check(lying_gzip(seed, 1), lying_gzip(seed, 2))
        self.assertGreater(swapped.call_count, 25)
