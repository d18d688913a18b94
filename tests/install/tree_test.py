"""The installed tree is whole, holds nothing else, can be moved and can be installed in parts."""
import json
import os
import re
import shutil
import unittest

import support


class Tree(support.Case):
    def component(self, name):
        root = self.path(name)
        support.run("cmake", "--install", support.BUILD, "--prefix", root, "--component", name)
        return support.files_below(root)

    def test_components_make_the_whole(self):
        names = ("tools", "runtime", "runtime_apply", "development", "documents")
        parts = [self.component(name) for name in names]
        self.assertEqual(set().union(*parts), support.files_below(support.STAGE))
        self.assertEqual(sum(map(len, parts)), len(set().union(*parts)))
        for library, part in (("libbdelta", parts[1]), ("libbdelta-apply", parts[2])):
            place = os.path.join(support.setting("BDELTA_LIBDIR"), library)
            self.assertEqual(part, {f"{place}.so.{support.soversion()}", f"{place}.so.{support.version()}"})

    def test_public_headers_and_no_others(self):
        public = support.files_below(os.path.join(support.ROOT, "include"))
        self.assertEqual(support.files_below(os.path.join(support.STAGE, "include")), public)

    def test_no_file_knows_where_it_was_built(self):
        for name in support.files_below(support.STAGE):
            if name.endswith((".cmake", ".pc", ".h", ".hpp")) or name.startswith("share/man/"):
                with open(os.path.join(support.STAGE, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertNotIn(support.ROOT, text, name)
                self.assertNotIn(support.STAGE, text, name)

    def test_vcpkg_names_its_libraries(self):
        told = json.loads(support.read("vcpkg.json"))
        listed = support.read("cmake", "BdeltaDependencies.cmake")
        modules = re.search(r"set\(BDELTA_MODULES (.*?)\)", listed, re.S).group(1)
        needed = {module.removeprefix("lib") for module in re.findall(r'"\w+ (\S+) ', modules)}
        needed.add("md")  # where nettle is not found
        named = {item.removeprefix("lib") for item in told["dependencies"] if isinstance(item, str)}
        self.assertEqual(named, needed | {"cli11", "nlohmann-json"})
        self.assertEqual(set(told["features"]), {"tests", "benchmarks"})

    def test_programs_run_from_a_moved_tree(self):
        moved = shutil.copytree(support.STAGE, self.path("moved"), symlinks=True)
        old, new = self.pair()
        support.run(os.path.join(moved, "bin", "bdelta"), "--no-sync", old, new, self.path("patch"))
        support.run(os.path.join(moved, "bin", "bpatch"), "--no-sync", old, self.path("made"), self.path("patch"))
        self.assertEqual(self.get("made"), self.get("new"))


if __name__ == "__main__":
    unittest.main()
