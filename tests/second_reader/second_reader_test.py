"""The second reader rebuilds NEW of every golden patch and of the specifications' examples, and refuses patches and
sources that are not whole. With BDELTA_BIN_DIR set it also reads patches that today's bdelta makes: at each level, of
pairs small enough for a slow reader, and of random code.
"""
import itertools
import os
import random
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

try:
    import xxhash  # noqa: F401
    import zstandard
except ImportError as error:
    print(f"skipped: {error}; tools/setup.sh installs it for the system's Python")
    sys.exit(77)
if not hasattr(zstandard.ZstdDecompressor().decompressobj(), "eof"):
    print(f"skipped: zstandard {zstandard.__version__} does not tell the end of a frame; a newer one is needed")
    sys.exit(77)

from apply import apply_patch, read
from modelled_bytes import Lanes
from craft import MACHINES, random_pair
from compare_sorted import MACHO_SEEDS, SORTED_SEEDS, compare
from craft_macho import random_macho_pair
from craft_pe import random_pe_pair
from cursor import PatchError
from fills import PAGES, TAR_HEADERS, WHOLE, fill_in
from moved_numbers import move_numbers
from trees import read_tree
from sorted_tables import RELATIVE_RELOCATIONS, RELOCATIONS, STARTS, UNWIND_PAGES
from archive_examples import Archives  # noqa: F401 - they are run here
from bound_examples import Bounds  # noqa: F401 - they are run here
from declared_memory import DeclaredMemory  # noqa: F401 - likewise
from specification_examples import Examples, ExamplesOfModelledBytes  # noqa: F401 - they are run here
from table_examples import ExamplesOfTables  # noqa: F401 - likewise
from view_examples import ExamplesOfDeflate, ExamplesOfViews  # noqa: F401 - likewise
from substitutions import read_substitutions

HERE = os.path.dirname(os.path.abspath(__file__))
TESTDATA = os.path.join(HERE, "..", "..", "testdata")
GOLDEN = os.path.join(TESTDATA, "golden")


def golden_sets():
    return sorted(entry.name for entry in os.scandir(GOLDEN) if entry.name.startswith("bdt"))


def write_pair(folder, old, new):
    paths = [os.path.join(folder, name) for name in ("old", "new")]
    for path, content in zip(paths, (old, new)):
        with open(path, "wb") as file:
            file.write(content)
    return paths


def golden(name):
    """OLD, NEW and the patch of a golden set."""
    return [read(os.path.join(GOLDEN, name, part)) for part in ("old", "new", "patch")]


class Golden(unittest.TestCase):
    def test_every_set_is_rebuilt(self):
        self.assertGreater(len(golden_sets()), 18)
        for name in golden_sets():
            with self.subTest(name):
                old, new, patch = golden(name)
                self.assertTrue(apply_patch(old, patch) == new)

    def test_another_old_is_refused(self):
        for name in golden_sets():
            old, _, patch = golden(name)
            if name.startswith("bdt2") and old:
                changed = bytes([old[0] ^ 1]) + old[1:]
                for wrong in (changed, old[:-1], old + b"x"):
                    with self.subTest(name), self.assertRaises(PatchError):
                        apply_patch(wrong, patch)


class Damage(unittest.TestCase):
    """A damaged patch is refused. Where a changed byte stands for the same, NEW is still right."""

    SETS = ("bdt2-level3", "bdt2-digests", "bdt2-model", "bdt2-plain", "bdt2-predicted", "bdt2-view-program")
    STRIDE = 13  # every so many bytes of a patch, so that it takes seconds

    def test_cut_patches_are_refused(self):
        for name in self.SETS:
            old, _, patch = golden(name)
            for length in range(0, len(patch), self.STRIDE):
                with self.subTest(f"{name} cut to {length}"), self.assertRaises(PatchError):
                    apply_patch(old, patch[:length])

    def test_bytes_behind_the_end_are_refused(self):
        for name in (*self.SETS, *(name for name in golden_sets() if name.startswith("bdt1"))):
            old, _, patch = golden(name)
            with self.subTest(name), self.assertRaises(PatchError):
                apply_patch(old, patch + b"\0")

    def test_changed_bytes_never_give_another_new(self):
        for name in self.SETS:
            old, new, patch = golden(name)
            refused = 0
            for pos in range(0, len(patch), self.STRIDE):
                damaged = bytearray(patch)
                damaged[pos] ^= 0x10
                try:
                    self.assertTrue(apply_patch(old, bytes(damaged)) == new, f"{name} changed at {pos}")
                except PatchError:
                    refused += 1
            self.assertGreater(refused, len(patch) // self.STRIDE // 2)

    def test_a_changed_code_of_modelled_bytes_is_refused(self):
        old, _, patch = golden("bdt2-modelled-misses")
        for pos in range(len(patch) // 2, len(patch) - 1, 200):
            damaged = patch[:pos] + bytes([patch[pos] ^ 0x10]) + patch[pos + 1:]
            with self.subTest(pos), self.assertRaises(PatchError):
                apply_patch(old, damaged)


class Trees(unittest.TestCase):
    """Directories as OLD and NEW."""

    def test_the_golden_ones(self):
        folder = os.path.join(GOLDEN, "trees")
        patch = read(os.path.join(folder, "patch"))
        old = read_tree(os.path.join(folder, "old"))
        made, _ = apply_patch(old, patch)
        self.assertTrue(made == read_tree(os.path.join(folder, "new")))
        for pos in range(0, len(patch), 7):
            with self.assertRaises(PatchError):
                apply_patch(old, patch[:pos] + bytes([patch[pos] ^ 0x10]) + patch[pos + 1:])
        with self.assertRaises(PatchError):
            apply_patch(b"", patch)

    @unittest.skipUnless(os.environ.get("BDELTA_BIN_DIR"), "BDELTA_BIN_DIR is not set")
    def test_what_bdelta_makes(self):
        words = read(os.path.join(GOLDEN, "bdt2-level1", "old"))
        with tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
            for name in ("old", "new"):
                root = os.path.join(folder, name)
                os.makedirs(os.path.join(root, "d", "log"))
                for number in range(40):
                    content = words[number * 10:]
                    if name == "new" and number % 9 == 4:
                        content = content[:99] + b"!" + content[100:]
                    path = os.path.join(root, "d", f"f{number}")
                    with open(path, "wb") as file:
                        file.write(content)
                    os.chmod(path, 0o755 if number % 7 == 3 else 0o600 if number == 20 else 0o644)
                with open(os.path.join(root, "d", "log", f"{name}.log"), "wb") as file:
                    file.write(b"passed over")
                with zipfile.ZipFile(os.path.join(root, "d", "z.jar"), "w", zipfile.ZIP_DEFLATED) as jar:
                    jar.writestr(zipfile.ZipInfo("inner"), words + name.encode(), zipfile.ZIP_DEFLATED)
                os.symlink("d/" + name, os.path.join(root, "link"))
            os.remove(os.path.join(folder, "old", "d", "f8"))
            for options in (["-1"], ["-6", "--digests", "--times", "--old-list"]):
                patch = os.path.join(folder, "patch")
                bdelta = os.path.join(os.environ["BDELTA_BIN_DIR"], "bdelta")
                subprocess.run([bdelta, "--quiet", "--no-sync", "--force", "--exclude", "*.log", *options, "old", "new", "patch"],
                               check=True, timeout=120, cwd=folder)
                made, modes = apply_patch(read_tree(os.path.join(folder, "old")), read(patch))
                new = read_tree(os.path.join(folder, "new"))
                del new[b"d/log/new.log"]
                self.assertTrue(made == new)
                for path, mode in modes.items():
                    found = os.stat(os.path.join(os.fsencode(os.path.join(folder, "new")), path))
                    self.assertEqual(stat.S_IMODE(found.st_mode), mode, path)


@unittest.skipUnless(os.environ.get("BDELTA_BIN_DIR"), "BDELTA_BIN_DIR is not set")
class Fresh(unittest.TestCase):
    """Patches that bdelta makes now: the goldens are few, and small."""

    def check(self, old, new, *options):
        """Gives the bytes of the patch."""
        bdelta = os.path.join(os.environ["BDELTA_BIN_DIR"], "bdelta")
        with tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
            patch = os.path.join(folder, "patch")
            subprocess.run([bdelta, "--quiet", "--no-sync", *options, old, new, patch], check=True, timeout=120)
            self.assertTrue(apply_patch(read(old), read(patch)) == read(new))
            return os.path.getsize(patch)

    def test_each_level_on_a_program(self):
        folder = os.path.join(TESTDATA, "pairs", "bpatch-elf")
        for level in ("-1", "-3", "-6", "-8"):
            with self.subTest(level):
                self.check(os.path.join(folder, "old"), os.path.join(folder, "new"), level)

    def test_each_level_on_text(self):
        folder = os.path.join(TESTDATA, "pairs", "sources")
        for level in ("-2", "-5", "-6", "-9"):
            with self.subTest(level):
                self.check(os.path.join(folder, "old"), os.path.join(folder, "new"), level)

    def test_programs_that_are_predicted(self):
        for name in ("bdt2-predicted", "bdt2-predicted-fast", "bdt2-arm-and-go", "bdt2-thumb", "bdt2-pe-exceptions"):
            for level in ("-3", "-6", "-9"):
                with self.subTest(name + level):
                    self.check(os.path.join(GOLDEN, name, "old"), os.path.join(GOLDEN, name, "new"), "--predict", level)

    def test_what_is_filled_in(self):
        for name, shape in (("bdt2-header-sums", TAR_HEADERS), ("bdt2-file-digests", WHOLE), ("bdt2-view-jar", WHOLE),
                            ("bdt2-signed", PAGES)):
            folder = os.path.join(GOLDEN, name)
            with self.subTest(name), mock.patch("bdt2.fill_in", side_effect=fill_in) as filled:
                self.check(os.path.join(folder, "old"), os.path.join(folder, "new"), "-6")
                self.assertIn(shape, [rule.shape for call in filled.call_args_list for rule in call.args[1]])

    def test_numbers_of_types(self):
        folder = os.path.join(GOLDEN, "bdt2-moved-numbers")
        with mock.patch("bdt2.move_numbers", side_effect=move_numbers) as moved_by:
            for level in ("-3", "-9"):
                with self.subTest(level):
                    self.check(os.path.join(folder, "old"), os.path.join(folder, "new"), level)
        self.assertEqual(moved_by.call_count, 2)

    def check_modelled(self, old, new, scope, level="--ultra"):
        """`scope`: whether literals are coded, and whether misses are. A pair for which bdelta chooses otherwise by now
        has to make way for another."""
        with tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
            paths = write_pair(folder, old, new)
            with mock.patch("modelled_bytes.Lanes.__init__", autospec=True, side_effect=Lanes.__init__) as lanes:
                self.check(*paths, level)
            self.assertEqual([(call.args[1].literals, call.args[1].misses) for call in lanes.call_args_list], [scope])

    def test_modelled_bytes(self):
        pairs = os.path.join(TESTDATA, "pairs")
        for name, begin, misses in (("sources", 118_000, False), ("bpatch-elf", 70_000, True),
                                    ("bpatch-elf", 110_000, True)):
            with self.subTest(f"{name} {begin}"):
                old, new = (read(os.path.join(pairs, name, part))[begin:begin + 8_000] for part in ("old", "new"))
                self.check_modelled(old, new, (True, misses))

    def test_modelled_literals_between_short_copies(self):
        text = read(os.path.join(TESTDATA, "pairs", "sources", "new"))
        old, other = text[200_000:212_000], text[400_000:404_000]
        new = b"".join(old[i:i + 40] + other[i // 4:i // 4 + 7] for i in range(0, len(old), 40))
        self.check_modelled(old, new, (True, False))

    def test_modelled_literals_of_text(self):
        text = read(os.path.join(TESTDATA, "pairs", "sources", "new"))
        old, other = text[200_000:260_000], text[400_000:401_500]
        new = old[:20_000] + other[:500] + old[20_000:45_000] + other[500:] + old[45_000:]
        self.check_modelled(old, new, (True, False), "-9")

    def test_modelled_misses_by_a_rule(self):
        rng = random.Random(3)
        old = bytes(rng.randrange(16) for _ in range(40_000))
        pairs = enumerate(zip(old, old[1:]), 2)
        new = bytearray(old)
        for i in [i for i, (a, b) in pairs if i < len(old) and (31 * a + 7 * b) % 61 == 3]:
            new[i] += 1
        self.check_modelled(old, bytes(new), (False, True), "-9")

    def test_modelled_misses_between_literals(self):
        folder = os.path.join(TESTDATA, "pairs", "bpatch-elf")
        old, new = (read(os.path.join(folder, part))[:20_000] for part in ("old", "new"))
        self.check_modelled(old, new, (True, True), "-9")

    def test_modelled_misses_without_literals(self):
        old = read(os.path.join(TESTDATA, "pairs", "bpatch-elf", "old"))[100_000:106_000]
        rng = random.Random(1)
        new = bytes((byte + 4) & 255 if byte == 0x48 and rng.random() < 0.5 else byte for byte in old)
        self.check_modelled(old, new, (False, True))

    def test_numbers_that_are_other_ones_everywhere(self):
        rng = random.Random(2)
        numbers = [rng.randrange(1 << 32) for _ in range(60)]
        others = {number: rng.randrange(1 << 32) for number in numbers}
        used = [(rng.choice(numbers), rng.randbytes(rng.randrange(4, 20))) for _ in range(3000)]
        old, new = (b"".join(struct.pack("<I", names[number]) + tail for number, tail in used)
                    for names in ({number: number for number in numbers}, others))
        with tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
            paths = write_pair(folder, old, new)
            with mock.patch("bdt2.read_substitutions", side_effect=read_substitutions) as read_by:
                self.check(*paths, "-6")
                self.check(*paths, "-3")
            self.assertEqual(read_by.call_count, 2)

    def test_random_code(self):
        # Stretches of "thumb" that look like neither are of words by the first seed, of halfwords by the second.
        for machine, seed in itertools.product(MACHINES, (1, 2)):
            with self.subTest(f"{machine} {seed}"), tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
                old, new, count = random_pair(machine, seed, size=60_000)
                self.assertGreater(count, 500)
                paths = write_pair(folder, old, new)
                # Without prediction a patch takes more than a byte for each field that differs.
                self.assertLess(self.check(*paths, "--predict", "-3"), count)

    def test_random_tables_of_pe(self):
        predicted = 0
        for seed, arm64 in itertools.product(range(1, 21), (False, True)):
            with self.subTest(f"{seed} {arm64}"), tempfile.TemporaryDirectory(prefix="bdelta-second-") as folder:
                old, new, count = random_pe_pair(seed, arm64)
                paths = write_pair(folder, old, new)
                predicted += self.check(*paths, "--predict", "-3") < count
        self.assertGreater(predicted, 10)

    def test_random_sorted_tables(self):
        counts = compare(SORTED_SEEDS, os.environ["BDELTA_BIN_DIR"])
        for kind in range(RELOCATIONS, RELATIVE_RELOCATIONS + 1):
            self.assertGreater(counts[kind], 5, f"kind of table {kind}")

    def test_random_tables_of_macho(self):
        counts = compare(MACHO_SEEDS, os.environ["BDELTA_BIN_DIR"], pair_of=random_macho_pair)
        for kind in (STARTS, UNWIND_PAGES):
            self.assertGreater(counts[kind], 5, f"kind of table {kind}")


def tests_in(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_in(test)
        else:
            yield test


def load_tests(_loader, tests, _pattern):
    """With SECOND_READER_PART=I/COUNT every COUNT-th test, from the I-th on: Python takes its time."""
    part, count = map(int, os.environ.get("SECOND_READER_PART", "0/1").split("/"))
    return unittest.TestSuite(itertools.islice(tests_in(tests), part, None, count))


if __name__ == "__main__":
    unittest.main()
