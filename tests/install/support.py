"""What the tests of installing share: places, running, and a case with a directory of its own."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))
import pages  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def setting(name):
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"set {name}; ctest does")
    return value


BUILD = setting("BDELTA_BUILD_DIR")
STAGE = setting("BDELTA_STAGE")
LIBDIR = os.path.join(STAGE, setting("BDELTA_LIBDIR"))
BDELTA = os.path.join(STAGE, "bin", "bdelta")
BPATCH = os.path.join(STAGE, "bin", "bpatch")


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def files_below(root):
    return {os.path.relpath(os.path.join(where, name), root) for where, _, names in os.walk(root) for name in names}


def dead_links(folder):
    """Links of the pages below a folder that lead to no file in it, as pairs of page and link."""
    found = []
    for name in sorted(files_below(folder)):
        if name.endswith(".md"):
            page = os.path.join(folder, name)
            for link in pages.links(read(page)):
                target = os.path.realpath(os.path.join(os.path.dirname(page), link.partition("#")[0]))
                inside = target.startswith(os.path.realpath(folder) + os.sep)
                if not re.match(r"#|[a-z]+:", link) and not (inside and os.path.isfile(target)):
                    found.append((name, link))
    return found


def version():
    """The one of CMake's project(), the only place that sets it."""
    return re.search(r"^project\(bdelta VERSION (\d+\.\d+\.\d+) ", read("CMakeLists.txt"), re.M).group(1)


def soversion():
    """What names the interface of shared libraries: while the version is 0.x, each second number is another one."""
    major, minor, _ = version().split(".")
    return f"0.{minor}" if major == "0" else major


def run(*command, **options):
    """Runs; what was said becomes part of the error if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=500, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def need(case, tool):
    """The path of a tool; without it the test is skipped, but with CI=true it fails."""
    path = shutil.which(tool)
    if path:
        return path
    if os.environ.get("CI") == "true":
        case.fail(f"{tool} is missing; tools/setup.sh --ci installs it")
    return case.skipTest(f"{tool} is missing")


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="bdelta-install-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def pair(self):
        """OLD and NEW, both of them files of the tree."""
        old = read("README.md").encode()
        return self.put("old", old), self.put("new", old.replace(b"patch", b"delta"))
