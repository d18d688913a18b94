"""README's example in C is built as it says against the installed tree, applies a patch and shows how far it is."""
import os
import re
import subprocess
import unittest

import support

ENVIRONMENT = {**os.environ, "PKG_CONFIG_PATH": os.path.join(support.LIBDIR, "pkgconfig"),
               "LD_LIBRARY_PATH": support.LIBDIR}


class ExampleInC(support.Case):
    def setUp(self):
        super().setUp()
        library = support.read("README.md").partition("\n## The library\n")[2]
        source = re.search(r"```c\n(.*?)```\n\n    (cc updater\.c [^\n]*)\n", library, re.S)
        self.put("updater.c", source.group(1).encode())
        strict = f"{os.environ['CC']} -std=c90 -Wall -Wextra -Wpedantic -Werror "
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


if __name__ == "__main__":
    unittest.main()
