"""What the tests of the two programs share: finding and running them, sample files, a case with its own directory."""
import contextlib
import functools
import json
import os
import random
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

SUFFIX = ".exe" if os.name == "nt" else ""
TIMEOUT = 120  # seconds for one run of a program; far more than any needs


def program(name):
    directory = os.environ.get("BDELTA_BIN_DIR")
    if not directory:
        raise SystemExit("set BDELTA_BIN_DIR to the directory of bdelta and bpatch")
    return os.path.join(os.path.abspath(directory), name + SUFFIX)


BDELTA = program("bdelta")
BPATCH = program("bpatch")


def without_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def text_of(rng, lines):
    """Lines of words: compressible, never the same twice."""
    words = [rng.randbytes(rng.randint(1, 5)).hex() for _ in range(500)]
    return "".join(" ".join(rng.choices(words, k=9)) + "\n" for _ in range(lines)).encode()


@functools.lru_cache(maxsize=4)  # tests of a class often have the same pair
def make_pair(seed=1, size=400_000, change=3000):
    """OLD and NEW: NEW has an insertion, a removal and scattered changes of single bytes."""
    rng = random.Random(seed)
    old = rng.randbytes(size // 2) + text_of(rng, size // 150)
    half = len(old) // 2
    new = bytearray(old[:half] + text_of(rng, change // 60) + old[half + 500:])
    for position in range(1000, len(new), 20_000):
        new[position] ^= 0x55
    return old, bytes(new)


def quick_directory():
    """For tests that make thousands of small files: in memory where the system has such a place; else None."""
    in_memory = "/dev/shm"
    return in_memory if os.path.isdir(in_memory) and os.stat(in_memory).st_mode & 0o002 else None


class Case(unittest.TestCase):
    """Each test gets an empty directory, made the working directory of what it runs."""

    parent = None  # of that directory; None: where the system has such ones

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="bdelta-cli-", dir=self.parent)
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(os.fsencode(self.dir), os.fsencode(name))

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def listing(self):
        return sorted(os.listdir(os.fsencode(self.dir)))

    def snapshot(self):
        """Everything that a refusal must leave as it is: names, kinds, times and contents."""
        state = {}
        for name in self.listing():
            info = os.lstat(self.path(name))
            regular = os.path.isfile(self.path(name)) and not os.path.islink(self.path(name))
            content = self.get(name) if regular and os.access(self.path(name), os.R_OK) else None
            state[name] = (info.st_mode, info.st_ino, info.st_mtime_ns, info.st_size, content)
        return state

    def run_program(self, executable, *arguments, **options):
        options.setdefault("preexec_fn", without_core_files)
        options.setdefault("timeout", TIMEOUT)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        command = [executable, *arguments] if isinstance(executable, str) else [*executable, *arguments]
        return subprocess.run(command, cwd=self.dir, **options)

    def bdelta(self, *arguments, **options):
        return self.run_program(BDELTA, *arguments, **options)

    def bpatch(self, *arguments, **options):
        return self.run_program(BPATCH, *arguments, **options)

    def start(self, executable, *arguments, **options):
        """A program left running; it is ended and reaped when the test ends."""
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen([executable, *arguments], cwd=self.dir, stderr=subprocess.PIPE,
                                   preexec_fn=without_core_files, **options)
        self.addCleanup(self._end, process)
        return process

    def _end(self, process):
        if process.poll() is None:
            process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()

    def succeed(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refuse(self, result, status, *mentions):
        """One line on stderr that mentions each of the texts, and the exit status."""
        said = result.stderr
        self.assertEqual(result.returncode, status, said)
        self.assertTrue(said.endswith(b"\n"), said)
        self.assertEqual(said.count(b"\n"), 1, said)
        self.assertNotIn(b"\r", said)
        self.assertNotRegex(said, rb"::|limit_bytes|limit_seconds|patch_ratio|group_digests", "options of the library, where flags belong")
        for mention in mentions:
            self.assertIn(os.fsencode(mention), said)
        return result

    def refuse_untouched(self, run, status, *mentions):
        before = self.snapshot()
        result = self.refuse(run(), status, *mentions)
        self.assertEqual(self.snapshot(), before)
        return result

    def report(self, executable, *arguments):
        result = self.succeed(self.run_program(executable, *arguments, "--json"))
        return json.loads(result.stdout)

    def standard_pair(self, seed=1, **how):
        """Files old, new and the patch between them; gives the contents of old and new."""
        old, new = make_pair(seed, **how)
        self.put("old", old)
        self.put("new", new)
        self.succeed(self.bdelta("old", "new", "patch", "--no-sync"))
        return old, new

    def wait_for(self, condition, seconds=20):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                self.fail("waited in vain")
            time.sleep(0.005)


def strace():
    """The command that traces, or nothing where tracing does not work."""
    tool = shutil.which("strace")
    if not tool:
        return None
    probe = subprocess.run([tool, "-f", "-o", os.devnull, BDELTA, "--version"], capture_output=True)
    return tool if probe.returncode == 0 else None
