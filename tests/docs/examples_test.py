"""Examples in README and docs/ are run: each command of a `console` block gives what stands below it. Sizes may be off by a
tenth, as other versions of codecs give other patches; times and digests are not compared."""
import io
import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import pages

BIN = os.path.abspath(os.environ["BDELTA_BIN_DIR"])


def archive(seed):
    """A .tgz with texts; those of two seeds differ in a few lines."""
    rng, changes = random.Random(1), random.Random(seed)
    words = [rng.randbytes(rng.randint(1, 5)).hex() for _ in range(800)]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for number in range(20):
            lines = [" ".join(rng.choices(words, k=9)) for _ in range(200)]
            lines[changes.randrange(200)] = f"changed by {seed}"
            data = "\n".join(lines).encode()
            entry = tarfile.TarInfo(f"docs/{number}.txt")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), 6, mtime=0)


def prepare(folder):
    """What the examples find: two versions of an app and of an archive, and a folder of releases."""
    subprocess.run([os.path.join(BIN, "make_pair"), "4M", "1", "app-1", "app-2"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    old = (folder / "app-1").read_bytes()
    (folder / "app").write_bytes(old)
    for version, data in (("1.0", old), ("1.1", old[:3_000_000])):
        (folder / "releases" / version).mkdir(parents=True)
        (folder / "releases" / version / "app").write_bytes(data)
    for version in (1, 2):
        (folder / f"docs-{version}.tgz").write_bytes(archive(version))


def examples(text):
    """Command and expected output of each example, block by block."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        yield re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)


def without_figures(text):
    text = re.sub(r"\b[0-9a-f]{32,}\b", "HEX", text)
    text = re.sub(r"\d[\d.,]*\d|\d", "N", text)
    return re.sub(r"N (KiB|MiB|bytes)", "N BYTES", text)


def sizes(text):
    """Bytes, in the order of the text."""
    unit = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20}
    return [float(number) * unit[name] for number, name in re.findall(r"\b(\d+(?:\.\d+)?) (bytes|KiB|MiB)\b", text)]


class Examples(unittest.TestCase):
    def check_page(self, page):
        blocks = list(examples(page.read_text(encoding="utf-8")))
        if not blocks:
            return 0
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bdelta-docs-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        prepare(folder)
        environment = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        count = 0
        for block in blocks:
            for command, expected in block:
                if "--to " in command:
                    shutil.rmtree(folder / "patches", ignore_errors=True)
                else:  # pages show patches of one name more than once
                    command = re.sub(r"^bdelta ", "bdelta --force ", command)
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(without_figures(expected), without_figures(done.stdout), f"{page.name}: {command}")
                for told, found in zip(sizes(expected), sizes(done.stdout)):
                    self.assertAlmostEqual(told, found, delta=found / 10, msg=f"{page.name}: {command}")
                count += 1
        return count

    def test_pages_tell_what_comes_out(self):
        if not shutil.which("jq"):
            if os.environ.get("CI") == "true":
                self.fail("jq is missing; tools/setup.sh --ci installs it")
            self.skipTest("jq is missing")
        counts = {page.name: self.check_page(page)
                  for page in [pages.ROOT / "README.md", *sorted((pages.ROOT / "docs").glob("*.md"))]}
        self.assertGreaterEqual(counts["README.md"], 9)
        self.assertGreaterEqual(sum(counts.values()), 20)


if __name__ == "__main__":
    unittest.main()
