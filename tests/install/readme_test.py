"""README's examples are built as it says against the installed tree and apply a patch; the one in C shows how far it is."""
import os
import re
import subprocess
import unittest

import support

ENVIRONMENT = {**os.environ, "PKG_CONFIG_PATH": os.path.join(support.LIBDIR, "pkgconfig"),
               "LD_LIBRARY_PATH": support.LIBDIR}
LIBRARY = support.read("README.md").partition("\n## The library\n")[2]


WARNINGS = " -Wall -Wextra -Wpedantic -Werror "


class ExampleInC(support.Case):
    def setUp(self):
        super().setUp()
        source = re.search(r"```c\n(.*?)```\n\n    (cc updater\.c [^\n]*)\n", LIBRARY, re.S)
        self.put("updater.c", source.group(1).encode())
        strict = os.environ["CC"] + " -std=c90" + WARNINGS
        subprocess.run(source.group(2).replace("cc ", strict, 1), shell=True, cwd=self.path(), env=ENVIRONMENT, check=True)

    def update(self, *files):
        return subprocess.run([self.path("updater"), *files], env=ENVIRONMENT, capture_output=True, check=False)

    def test_applies_with_progress(self):
        old, new = self.pair()
        patch, made = self.path("patch"), self.path("made")
        support.run(support.BDELTA, old, new, patch)
        done = self.update(old, made, patch)
        self.assertEqual((0, b""), (done.returncode, done.stdout))
        self.assertRegex(done.stderr, rb"\A(\r *\d+ %)*\r100 %\n\Z")
        self.assertEqual(self.get("new"), self.get("made"))
        refused = self.update(new, self.path("other"), patch)
        self.assertEqual(4, refused.returncode)
        self.assertRegex(refused.stderr, rb"\A(\r *\d+ %)*\n[^\n]+\n\Z")


class ExampleInCpp(support.Case):
    def test_puts_the_new_version_in_the_place_of_the_old_one(self):
        source = re.search(r"```cpp\n(.*?)```\n.*?\n    (c\+\+ [^\n]*updater\.cpp [^\n]*)\n", LIBRARY, re.S)
        self.put("updater.cpp", source.group(1).encode() + b"int main() { return update(); }\n")
        build = source.group(2).replace("c++ ", os.environ["CXX"] + WARNINGS, 1)
        subprocess.run(build, shell=True, cwd=self.path(), env=ENVIRONMENT, check=True)
        old, new = self.pair()
        support.run(support.BDELTA, old, new, self.path("app.patch"))
        os.rename(old, self.path("app"))
        for _ in range(2):  # the second time it is up to date
            done = subprocess.run([self.path("updater")], cwd=self.path(), env=ENVIRONMENT, check=False)
            self.assertEqual(0, done.returncode)
            self.assertEqual(self.get("new"), self.get("app"))
        self.put("app", b"neither")
        done = subprocess.run([self.path("updater")], cwd=self.path(), env=ENVIRONMENT, check=False)
        self.assertEqual(4, done.returncode)


if __name__ == "__main__":
    unittest.main()
