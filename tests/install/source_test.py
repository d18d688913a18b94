"""The source package: it holds what the repository holds and nothing that was built, and can be built from."""
import os
import unittest

import support


class Source(support.Case):
    def unpacked(self):
        support.run("cpack", "-G", "TGZ", "--config", "CPackSourceConfig.cmake", "-B", self.dir, cwd=support.BUILD)
        name = f"bdelta-{support.version()}"
        support.run("tar", "xzf", self.path(f"{name}.tar.gz"), cwd=self.dir)
        return self.path(name)

    def listed(self, *options):
        """Files that git lists and that are there; none where this is no repository."""
        if not os.path.exists(os.path.join(support.ROOT, ".git")):
            return set()
        git = support.need(self, "git")
        listing = support.run(git, "-c", "safe.directory=*", "ls-files", "-z", *options, cwd=support.ROOT)
        return {name for name in listing.split("\0")[:-1] if os.path.exists(os.path.join(support.ROOT, name))}

    def test_it_holds_the_repository_and_can_be_configured(self):
        tree = self.unpacked()
        found = support.files_below(tree)
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "CMakeLists.txt", "packaging/copyright",
                     "docs/library.md", "mkdocs.yml"):
            self.assertTrue(name in found, f"{name} is missing")
        built = [name for name in found if "__pycache__" in name or name.startswith((".git/", "build"))]
        self.assertEqual(built, [])
        tracked = self.listed("--cached")
        self.assertEqual(sorted(tracked - found), [])
        if tracked:
            self.assertEqual(sorted(found - tracked - self.listed("--others", "--exclude-standard")), [])
        for name in found:  # nothing was stripped or converted
            with open(os.path.join(tree, name), "rb") as packed, open(os.path.join(support.ROOT, name), "rb") as kept:
                self.assertEqual(packed.read(), kept.read(), name)
        support.run("cmake", "-S", tree, "-B", self.path("build"), "-G", "Ninja", "-DBDELTA_TESTS=ON")


if __name__ == "__main__":
    unittest.main()
